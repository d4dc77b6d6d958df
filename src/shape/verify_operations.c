/* What single operations demand beyond their shapes. */
#include "base/text.h"
#include "shape/dialects.h"
#include "shape/storage.h"
#include "shape/verifier.h"

/* ---- elementwise operations ---- */

static bool check_no_broadcast(hlo_verifier *v, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_shape *operand = hlo_operand(instr, i)->shape;
        if (hlo_shapes_compatible(operand, instr->shape, HLO_IGNORE_TYPES)) continue;
        hlo_verify_fail(v, HLO_RULE_DIALECT_BROADCAST, instr,
                        "operand %u is %s and the result is %s", i, hlo_verify_text(v, operand),
                        hlo_verify_text(v, instr->shape));
        hlo_verify_at_operand(v, instr, i);
        hlo_dialect_claims(v->diags, HLO_DIALECT_SHAPE, HLO_OP_COUNT, "", 0);
        return false;
    }
    return true;
}

/* Proto numbers of the words of attribute type. */
enum { BY_FLOAT, BY_TOTAL_ORDER, BY_SIGNED, BY_UNSIGNED };

static bool check_compare(hlo_verifier *v, const hlo_instr *instr) {
    static const int default_type[] = {
        [HLO_CLASS_PRED] = BY_UNSIGNED,     [HLO_CLASS_SIGNED] = BY_SIGNED,
        [HLO_CLASS_UNSIGNED] = BY_UNSIGNED, [HLO_CLASS_FLOAT] = BY_FLOAT,
        [HLO_CLASS_COMPLEX] = BY_FLOAT,     [HLO_CLASS_OTHER] = BY_FLOAT};
    const hlo_attr *type = hlo_instr_attr(instr, HLO_ATTR_TYPE);
    const hlo_shape *operand = hlo_operand(instr, 1)->shape;
    hlo_type_class class = hlo_types[operand->type].class;
    if (!type || type->u.i == default_type[class]) return true;
    if (class == HLO_CLASS_FLOAT && type->u.i == BY_TOTAL_ORDER) return true;
    hlo_verify_fail(v, HLO_RULE_COMPARE_TYPE, instr, "type=%s does not match operands of shape %s",
                    hlo_word_text(HLO_WORDS_COMPARE_TYPE, type->u.i), hlo_verify_text(v, operand));
    return hlo_verify_at_attr(v, instr, HLO_ATTR_TYPE);
}

static bool check_elementwise(hlo_verifier *v, const hlo_instr *instr) {
    if (instr->operand_count == 2 && !check_no_broadcast(v, instr)) return false;
    return instr->opcode != HLO_OP_COMPARE || check_compare(v, instr);
}

/* ---- sort ---- */

static bool check_sort(hlo_verifier *v, const hlo_instr *sort) {
    HLO_ASSERT(sort->opcode == HLO_OP_SORT);
    const hlo_computation *compare = hlo_called(sort, 0);
    if (!hlo_is_scalar_of(compare->root->shape, HLO_PRED))
        return hlo_verify_fail(
                   v, HLO_RULE_SORT_COMPARATOR, sort, "%s returns %s and must return pred[]",
                   hlo_verify_name(v, compare->name), hlo_verify_text(v, compare->root->shape)) ||
               hlo_verify_at_attr(v, sort, HLO_ATTR_TO_APPLY);
    if (compare->parameter_count != 2 * (uint64_t)sort->operand_count)
        return hlo_verify_fail(v, HLO_RULE_SORT_COMPARATOR, sort,
                               "%s has %u parameters and must have %llu, two for each operand",
                               hlo_verify_name(v, compare->name), compare->parameter_count,
                               2 * (unsigned long long)sort->operand_count) ||
               hlo_verify_at_attr(v, sort, HLO_ATTR_TO_APPLY);
    for (uint32_t i = 0; i < compare->parameter_count; i++) {
        const hlo_shape *operand = hlo_operand(sort, i / 2)->shape,
                        *parameter = compare->parameters[i]->shape;
        if (parameter->rank == 0 && hlo_types_agree(parameter->type, operand->type)) continue;
        hlo_verify_fail(v, HLO_RULE_SORT_COMPARATOR, sort,
                        "parameter %u of %s is %s and gets elements of operand %u, %s", i,
                        hlo_verify_name(v, compare->name), hlo_verify_text(v, parameter), i / 2,
                        hlo_verify_text(v, operand));
        hlo_verify_at_attr(v, sort, HLO_ATTR_TO_APPLY);
        hlo_verify_note(v, compare->parameters[i], "the parameter");
        return false;
    }
    const hlo_ints *dimensions = hlo_attr_ints(sort, HLO_ATTR_DIMENSIONS);
    const hlo_shape *keys = hlo_operand(sort, 0)->shape;
    if (dimensions->n == 1 && dimensions->v[0] >= 0 && dimensions->v[0] < keys->rank) return true;
    hlo_verify_fail(v, HLO_RULE_SORT_DIMENSION, sort,
                    "dimensions=%s does not name a dimension of %s",
                    hlo_verify_index(v, dimensions), hlo_verify_text(v, keys));
    return hlo_verify_at_attr(v, sort, HLO_ATTR_DIMENSIONS);
}

/* ---- calls ---- */

static bool check_composite_attributes(hlo_verifier *v, const hlo_instr *call) {
    const hlo_str *name = hlo_frontend_value(call, "composite.name");
    const hlo_str *attributes = hlo_frontend_value(call, "composite.attributes");
    const hlo_str *version = hlo_frontend_value(call, "composite.version");
    if (!name || name->len == 0)
        return hlo_verify_fail(v, HLO_RULE_COMPOSITE_CALL, call,
                               "a composite requires the frontend attribute composite.name");
    if (attributes && attributes->len == 0)
        return hlo_verify_fail(
            v, HLO_RULE_COMPOSITE_CALL, call,
            "the frontend attribute composite.attributes is empty; write {} for none");
    int64_t number;
    if (version && (!hlo_int_as_abseil(*version, &number) || number < 0))
        return hlo_verify_fail(v, HLO_RULE_COMPOSITE_CALL, call,
                               "composite.version is %.*s and must be a non-negative integer",
                               (int)version->len, version->ptr);
    return true;
}

static bool check_composite(hlo_verifier *v, const hlo_instr *call) {
    return !hlo_attr_int(call, HLO_ATTR_IS_COMPOSITE) || check_composite_attributes(v, call) ||
           hlo_verify_at_attr(v, call, HLO_ATTR_FRONTEND_ATTRIBUTES);
}

static bool check_custom_call(hlo_verifier *v, const hlo_instr *call) {
    const hlo_attr *target = hlo_instr_attr(call, HLO_ATTR_CUSTOM_CALL_TARGET);
    if (!target || !hlo_str_is(*target->u.string, "GetRngSeed")) return true;
    if (call->operand_count == 0 && hlo_is_scalar_of(call->shape, HLO_U64)) return true;
    return hlo_verify_fail(v, HLO_RULE_CUSTOM_CALL_SIGNATURE, call,
                           "GetRngSeed has %u operands and returns %s: it must have none and "
                           "return u64[]",
                           call->operand_count, hlo_verify_text(v, call->shape)) ||
           hlo_verify_at_attr(v, call, HLO_ATTR_CUSTOM_CALL_TARGET);
}

/* ---- what options ask ---- */

static bool check_broadcast(hlo_verifier *v, const hlo_instr *broadcast) {
    HLO_ASSERT(broadcast->opcode == HLO_OP_BROADCAST);
    const hlo_ints *dimensions = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    for (uint32_t i = 1; v->options->broadcast_order && i < dimensions->n; i++) {
        if (dimensions->v[i - 1] <= dimensions->v[i]) continue;
        hlo_verify_fail(v, HLO_RULE_BROADCAST_ORDER, broadcast, "dimensions=%s are not sorted",
                        hlo_verify_index(v, dimensions));
        hlo_verify_at_attr(v, broadcast, HLO_ATTR_DIMENSIONS);
        hlo_hint(v->diags, "a transpose of the operand puts them in order");
        return false;
    }
    return true;
}

static bool check_reshape(hlo_verifier *v, const hlo_instr *reshape) {
    const hlo_shape *operand = hlo_operand(reshape, 0)->shape, *result = reshape->shape;
    if (!v->options->reshape_is_bitcast || reshape->parent->is_fusion_body) return true;
    if (hlo_reshape_is_bitcast(operand, result)) return true;
    return hlo_verify_fail(v, HLO_RULE_RESHAPE_BITCAST, reshape,
                           "elements of %s are at different offsets in %s",
                           hlo_verify_layout_text(v, operand), hlo_verify_layout_text(v, result));
}

static bool contains(const hlo_name *name, const char *part) {
    return memmem(name->ptr, name->len, part, strlen(part)) != NULL;
}

/* Copies that passes make name themselves .remat and .clone. */
static bool check_name(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    hlo_str wanted = attr ? attr->u.metadata->scheduling_name : (hlo_str){0};
    if (wanted.len == 0 ||
        (wanted.len == instr->name->len && memcmp(wanted.ptr, instr->name->ptr, wanted.len) == 0) ||
        contains(instr->name, ".remat") || contains(instr->name, ".clone"))
        return true;
    hlo_verify_fail(v, HLO_RULE_SCHEDULING_NAME, instr,
                    "its scheduling_name is '%.*s', its name is %s", (int)wanted.len, wanted.ptr,
                    hlo_verify_name(v, instr->name));
    hlo_verify_at_attr(v, instr, HLO_ATTR_METADATA);
    return false;
}

static bool lies_on_host(const hlo_shape *shape) {
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        if (lies_on_host(shape->elements[i])) return true;
    return hlo_shape_is_array(shape) && hlo_shape_memory_space(shape) == HLO_HOST_MEMORY;
}

static bool check_memory(hlo_verifier *v, const hlo_instr *instr) {
    return !lies_on_host(instr->shape) ||
           hlo_verify_fail(v, HLO_RULE_MEMORY_SPACE, instr, "%s is in host memory",
                           hlo_verify_layout_text(v, instr->shape));
}

bool hlo_verify_operation(hlo_verifier *v, const hlo_instr *instr) {
    if (v->options->names_unchanged && !check_name(v, instr)) return false;
    if (v->options->no_host_memory && !check_memory(v, instr)) return false;
    switch (instr->opcode) {
    case HLO_OP_BROADCAST: return check_broadcast(v, instr);
    case HLO_OP_RESHAPE: return check_reshape(v, instr);
    case HLO_OP_SORT: return check_sort(v, instr);
    case HLO_OP_CALL: return check_composite(v, instr);
    case HLO_OP_CUSTOM_CALL: return check_custom_call(v, instr);
    default:
        return !(hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) || check_elementwise(v, instr);
    }
}

/* ---- the operations of a target ---- */

void hlo_verify_only_ops(hlo_verifier *v) {
    const bool *only = v->options->only_ops;
    uint32_t counts[HLO_OP_COUNT] = {0};
    const hlo_instr *first[HLO_OP_COUNT];
    if (!memchr(only, true, HLO_OP_COUNT)) return;
    for (const hlo_computation *c = v->module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (!only[i->opcode] && counts[i->opcode]++ == 0) first[i->opcode] = i;
    for (size_t op = 0; op < HLO_OP_COUNT; op++)
        if (counts[op])
            hlo_verify_fail(v, HLO_RULE_ONLY_OPS, first[op],
                            "the operation is not one of those that are listed; the module has "
                            "%u instruction%s of it",
                            counts[op], counts[op] == 1 ? "" : "s");
}
