/* output_to_operand_aliasing of fusions, custom calls and async-start. */
#include "shape/verifier.h"

/* The two subshapes of a pair of an aliasing attribute; NULL where there is none. */
typedef struct {
    const hlo_shape *output, *operand;
} alias_ends;

static const hlo_attr *aliasing_of(const hlo_instr *instr) {
    return hlo_instr_attr(instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
}

/* An async-start aliases parts of ((parameters...), result, contexts...) with parameters. */
static alias_ends async_ends(hlo_verifier *v, const hlo_instr *start, const hlo_ints *output,
                             int64_t number, const hlo_ints *index) {
    HLO_ASSERT(start->opcode == HLO_OP_ASYNC_START);
    const hlo_computation *wrapped = hlo_called(start, 0);
    alias_ends ends = {NULL, NULL};
    if (number >= 0 && number < wrapped->parameter_count)
        ends.operand = hlo_shape_at(wrapped->parameters[number]->shape, index);
    if (!output || output->n == 0) return ends;
    hlo_ints *rest = hlo_ints_from(&v->scratch, output->v + 1, output->n - 1);
    if (output->v[0] == 1) {
        ends.output = hlo_shape_at(wrapped->root->shape, rest);
    } else if (output->v[0] != 0) {
        ends.output = hlo_shape_at(start->shape, output);
    } else if (rest->n && rest->v[0] >= 0 && rest->v[0] < wrapped->parameter_count) {
        const hlo_shape *parameter = wrapped->parameters[rest->v[0]]->shape;
        ends.output = hlo_shape_at(parameter, hlo_ints_from(&v->scratch, rest->v + 1, rest->n - 1));
    }
    return ends;
}

static alias_ends ends_of(hlo_verifier *v, const hlo_instr *instr, const hlo_ints *output,
                          int64_t number, const hlo_ints *index) {
    if (instr->opcode == HLO_OP_ASYNC_START) return async_ends(v, instr, output, number, index);
    alias_ends ends = {hlo_shape_at(instr->shape, output), NULL};
    if (number >= 0 && number < instr->operand_count)
        ends.operand = hlo_shape_at(hlo_operand(instr, (uint32_t)number)->shape, index);
    return ends;
}

/* Pinning turns an array into a buffer of the same shape and unpinning turns it back. */
static unsigned ignored(const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_ASYNC_START) return HLO_IGNORE_BUFFERS;
    const hlo_attr *target = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET);
    bool pins =
        target && (hlo_str_is(*target->u.string, "Pin") || hlo_str_is(*target->u.string, "Unpin"));
    return pins ? HLO_IGNORE_BUFFERS : 0;
}

/* Whether layouts count too, and which parts of them do not. */
static bool may_alias(const hlo_verifier *v, const hlo_instr *instr, alias_ends ends) {
    unsigned ignoring = ignored(instr);
    if (!v->options->layout_sensitive)
        return hlo_shapes_compatible(ends.output, ends.operand, ignoring);
    if (instr->opcode == HLO_OP_FUSION && instr->parent->is_fusion_body)
        ignoring |= HLO_IGNORE_TILES | HLO_IGNORE_MEMORY_SPACE;
    if (instr->opcode == HLO_OP_CUSTOM_CALL && hlo_shape_is_array(ends.operand) &&
        hlo_shape_elements(ends.operand) == 1)
        ignoring |= HLO_IGNORE_MEMORY_SPACE;
    return hlo_shapes_equal(ends.operand, ends.output, ignoring);
}

static void refuse_shapes(hlo_verifier *v, const hlo_instr *instr, const hlo_ints *output,
                          int64_t number, alias_ends ends) {
    hlo_shape_texts texts = hlo_verify_texts(v, ends.output, ends.operand);
    hlo_verify_fail(v, HLO_RULE_OPERAND_ALIASING, instr,
                    "part %s of the result is %s and aliases %s of operand %lld",
                    hlo_verify_index(v, output), texts.first, texts.second, (long long)number);
}

bool hlo_verify_aliasing(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_attr *attr = aliasing_of(instr);
    if (!attr) return true;
    bool any_shapes = instr->opcode == HLO_OP_CUSTOM_CALL &&
                      hlo_frontend_value(instr, "xla_skip_custom_call_alias_shape_check");
    for (uint32_t i = 0; i < attr->u.aliasing->n; i++) {
        const hlo_ints *output = attr->u.aliasing->v[i].output,
                       *index = attr->u.aliasing->v[i].index;
        int64_t number = attr->u.aliasing->v[i].parameter;
        alias_ends ends = ends_of(v, instr, output, number, index);
        if (!ends.operand)
            hlo_verify_fail(v, HLO_RULE_OPERAND_ALIASING, instr,
                            "there is no part %s of operand %lld", hlo_verify_index(v, index),
                            (long long)number);
        else if (!ends.output)
            hlo_verify_fail(v, HLO_RULE_OPERAND_ALIASING, instr,
                            "there is no part %s of the result, %s", hlo_verify_index(v, output),
                            hlo_verify_text(v, instr->shape));
        else if (any_shapes) return true;
        else if (!may_alias(v, instr, ends)) refuse_shapes(v, instr, output, number, ends);
        else continue;
        return hlo_verify_at_attr(v, instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    }
    return true;
}
