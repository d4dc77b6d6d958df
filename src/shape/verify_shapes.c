/* Shapes as the verifier sees them: the shape of each instruction is sound by itself, is the one
 * that shape inference gives, and no instruction mixes floating-point types. */
#include "shape/dialects.h"
#include "shape/infer.h"
#include "shape/verifier.h"

/* ---- a shape by itself ---- */

bool hlo_is_permutation(hlo_arena *scratch, const int64_t *order, uint32_t n) {
    uint8_t *seen = HLO_NEW_ARRAY(scratch, uint8_t, n);
    for (uint32_t i = 0; i < n; i++)
        if (order[i] < 0 || order[i] >= n || seen[order[i]]++) return false;
    return true;
}

static bool check_array(hlo_verifier *v, const hlo_instr *instr, const hlo_shape *shape) {
    if (!shape->plain_layout &&
        !hlo_is_permutation(&v->scratch, shape->layout->minor_to_major, shape->rank))
        return hlo_verify_fail(v, HLO_RULE_LAYOUT, instr,
                               "minor_to_major of %s is not a permutation",
                               hlo_verify_text(v, shape));
    bool unbounded = shape->dynamic && hlo_shape_has_unbounded(shape);
    if (unbounded && !v->options->allow_unbounded[instr->opcode])
        return hlo_verify_fail(v, HLO_RULE_UNBOUNDED, instr, "%s has a dimension of unbounded size",
                               hlo_verify_text(v, shape));
    if (!unbounded && hlo_shape_bytes(shape) < 0)
        return hlo_verify_fail(v, HLO_RULE_SHAPE_SIZE, instr,
                               "the bytes of %s do not fit in 63 bits", hlo_verify_text(v, shape));
    return true;
}

static bool check_sound(hlo_verifier *v, const hlo_instr *instr, const hlo_shape *shape) {
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        if (!check_sound(v, instr, shape->elements[i])) return false;
    return !hlo_shape_is_array(shape) || check_array(v, instr, shape);
}

/* Also tiles and the parts that only sparse arrays had. */
bool hlo_layouts_are_sound(hlo_arena *scratch, const hlo_shape *shape) {
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        if (!hlo_layouts_are_sound(scratch, shape->elements[i])) return false;
    if (!hlo_shape_is_array(shape) || shape->plain_layout) return true;
    if (!hlo_is_permutation(scratch, shape->layout->minor_to_major, shape->rank)) return false;
    const hlo_layout_parts *parts = shape->layout->parts;
    if (!parts) return true;
    if (parts->tail_padding_alignment <= 0 || parts->index_type != HLO_TYPE_COUNT ||
        parts->pointer_type != HLO_TYPE_COUNT)
        return false;
    for (uint32_t i = 0; i < parts->tile_count; i++) {
        if (parts->tiles[i].n == 0) return false;
        for (uint32_t k = 0; k < parts->tiles[i].n; k++)
            if (parts->tiles[i].v[k] <= 0 && parts->tiles[i].v[k] != HLO_COMBINE) return false;
    }
    return true;
}

/* ---- mixed precision ---- */

/* The floating-point type of all arrays in the shape goes to *type; false when there are two. */
static bool one_precision(const hlo_shape *shape, hlo_type *type) {
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        if (!one_precision(shape->elements[i], type)) return false;
    if (!hlo_type_is_float((hlo_type)shape->type)) return true;
    if (*type == HLO_TYPE_COUNT) *type = (hlo_type)shape->type;
    return *type == shape->type;
}

static bool check_precision(hlo_verifier *v, const hlo_instr *instr) {
    if (hlo_info(instr)->mixes_precisions || v->options->allow_mixed_precision) return true;
    hlo_type type = HLO_TYPE_COUNT;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        if (one_precision(operand->shape, &type)) continue;
        hlo_verify_fail(v, HLO_RULE_MIXED_PRECISION, instr,
                        "operand %u is %s, but other operands are of type %s", i,
                        hlo_verify_text(v, operand->shape), hlo_types[type].text);
        return hlo_verify_at_operand(v, instr, i);
    }
    return true;
}

/* Reductions and maps take elements into computations of exactly their type. */
static bool check_parameter_types(hlo_verifier *v, const hlo_instr *instr) {
    bool exact = instr->opcode == HLO_OP_REDUCE || instr->opcode == HLO_OP_REDUCE_WINDOW ||
                 instr->opcode == HLO_OP_MAP;
    if (!exact || v->options->allow_mixed_precision) return true;
    const hlo_computation *callee = hlo_called(instr, 0);
    for (uint32_t i = 0; i < instr->operand_count && i < callee->parameter_count; i++) {
        const hlo_instr *operand = hlo_operand(instr, i), *parameter = callee->parameters[i];
        if (operand->shape->type == parameter->shape->type) continue;
        hlo_verify_fail(v, HLO_RULE_MIXED_PRECISION, instr,
                        "operand %u is %s and parameter %u of %s is %s", i,
                        hlo_verify_text(v, operand->shape), i, hlo_verify_name(v, callee->name),
                        hlo_verify_text(v, parameter->shape));
        hlo_verify_at_operand(v, instr, i);
        hlo_verify_note(v, parameter, "the parameter");
        return false;
    }
    return true;
}

/* ---- written against inferred ---- */

/* A dot without dimension numbers whose result is written as if it contracted the last dimension of
 * one vector or matrix with the first of the other. */
static bool is_old_dot(const hlo_instr *dot) {
    if (dot->opcode != HLO_OP_DOT) return false;
    const hlo_shape *a = hlo_operand(dot, 0)->shape, *b = hlo_operand(dot, 1)->shape;
    static const hlo_attr_id numbers[] = {HLO_ATTR_LHS_CONTRACTING_DIMS,
                                          HLO_ATTR_RHS_CONTRACTING_DIMS, HLO_ATTR_LHS_BATCH_DIMS,
                                          HLO_ATTR_RHS_BATCH_DIMS};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (hlo_attr_ints(dot, numbers[i])->n) return false;
    if (!hlo_shape_is_array(dot->shape)) return false;
    if (a->rank < 1 || a->rank > 2 || b->rank < 1 || b->rank > 2) return false;
    if (a->dims[a->rank - 1] != b->dims[0] || dot->shape->rank != a->rank + b->rank - 2)
        return false;
    return (a->rank == 1 || dot->shape->dims[0] == a->dims[0]) &&
           (b->rank == 1 || dot->shape->dims[dot->shape->rank - 1] == b->dims[1]);
}

/* Also of what an outfeed hands out: XLA's messages with another layout cannot be read. */
static bool are_sound(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_attr *out = hlo_instr_attr(instr, HLO_ATTR_OUTFEED_SHAPE);
    return check_sound(v, instr, instr->shape) && (!out || check_sound(v, instr, out->u.shape));
}

bool hlo_verify_instr_shape(hlo_verifier *v, const hlo_instr *instr) {
    if (!are_sound(v, instr)) return false;
    const hlo_shape *inferred = hlo_infer_instr(instr, v->options->allow_mixed_precision, v->diags);
    if (!inferred) {
        v->failed = true;
        return false;
    }
    if (!check_precision(v, instr)) return false;
    bool any_precision = v->options->allow_mixed_precision && !hlo_info(instr)->keeps_precision;
    if (!hlo_shapes_compatible(instr->shape, inferred,
                               any_precision ? HLO_IGNORE_FP_PRECISION : 0)) {
        hlo_verify_fail(v, HLO_RULE_RESULT_SHAPE, instr,
                        "the inferred shape is %s, the instruction has %s",
                        hlo_verify_text(v, inferred), hlo_verify_text(v, instr->shape));
        if (is_old_dot(instr)) hlo_dialect_claims(v->diags, HLO_DIALECT_SHAPE, HLO_OP_DOT, "", 0);
        return false;
    }
    return check_parameter_types(v, instr) &&
           (!v->options->layout_sensitive || hlo_verify_layouts(v, instr, inferred)) &&
           (!v->options->layout_changes || hlo_verify_layout_changes(v, instr));
}

bool hlo_verify_shapes(hlo_module *module, hlo_diags *diags) {
    hlo_verifier v = {.module = module, .options = &hlo_verify_plain, .diags = diags};
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *instr = c->first; instr; instr = instr->next)
            hlo_verify_instr_shape(&v, instr);
    hlo_arena_free(&v.scratch);
    return !v.failed;
}

bool hlo_has_plain_shapes(const hlo_instr *instr) {
    hlo_diags unheard;
    hlo_diags_init(&unheard);
    hlo_verifier v = {
        .module = instr->parent->module, .options = &hlo_verify_plain, .diags = &unheard};
    bool plain = hlo_verify_instr_shape(&v, instr);
    hlo_arena_free(&v.scratch);
    hlo_diags_drop(&unheard);
    return plain;
}
