/* Functions of checks.def for custom calls: layouts and the configuration, which the conversion
 * passes over in part. What buffers and aliases must satisfy is for HLO's verifier. */
#include "stablehlo/check.h"

enum { TYPED_INTERFACE = 4 }; /* api_version */

/* A list of the dimensions of a tensor, each once; an empty one for another type. */
static bool check_layout(hlo_check *s, const hlo_mlir_type *type, const hlo_mlir_attr *order) {
    uint32_t n, rank = type->rank;
    const int64_t *v;
    if (!hlo_mlir_ints(s->module, order, &n, &v)) return true;
    if (type->kind == HLO_MLIR_TUPLE)
        return hlo_check_refuse(s, HLO_RULE_CUSTOM_CALL_LAYOUTS,
                                "has layouts; a tuple among operands has none");
    if (type->kind != HLO_MLIR_TENSOR && type->kind != HLO_MLIR_BUFFER) {
        if (type->kind == HLO_MLIR_OTHER || !n) return true;
        return hlo_check_refuse(s, HLO_RULE_CUSTOM_CALL_LAYOUTS, "has a layout for a %.*s",
                                HLO_CHECK_TYPE(type));
    }
    uint8_t *seen = hlo_arena_zero(&s->module->arena, (size_t)rank + 1);
    bool good = n == rank;
    for (uint32_t i = 0; i < n && good; i++) good = v[i] >= 0 && v[i] < rank && !seen[v[i]]++;
    return good || hlo_check_refuse(s, HLO_RULE_CUSTOM_CALL_LAYOUTS,
                                    "has a layout that does not list the dimensions of %.*s",
                                    HLO_CHECK_TYPE(type));
}

static bool check_layouts(hlo_check *s) {
    const hlo_mlir_attr *operands = hlo_mlir_attr_of(s->op, "operand_layouts"),
                        *results = hlo_mlir_attr_of(s->op, "result_layouts");
    if (!operands && !results) return true;
    if (!operands || !results)
        return hlo_check_refuse(s, HLO_RULE_CUSTOM_CALL_LAYOUTS,
                                "has layouts of operands and of results, or none");
    const hlo_mlir_type *only = s->op->result_count == 1 ? hlo_check_result(s, 0) : NULL;
    bool is_tuple = only && only->kind == HLO_MLIR_TUPLE;
    uint32_t n = is_tuple ? only->part_count : s->op->result_count;
    if (operands->list.n != s->op->operand_count || results->list.n != n)
        return hlo_check_refuse(s, HLO_RULE_CUSTOM_CALL_LAYOUTS,
                                "has %u operands and %u results, and layouts of %u and %u",
                                s->op->operand_count, n, operands->list.n, results->list.n);
    for (uint32_t i = 0; i < operands->list.n; i++)
        if (!check_layout(s, hlo_check_operand(s, i), operands->list.v[i].value)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!check_layout(s, is_tuple ? only->parts[i] : hlo_check_result(s, i),
                          results->list.v[i].value))
            return false;
    return true;
}

static bool check_config(hlo_check *s) {
    const hlo_mlir_attr *config = hlo_mlir_attr_of(s->op, "backend_config");
    int64_t version = 1;
    if (!config) return true;
    hlo_check_int(s, "api_version", &version);
    bool is_typed = version == TYPED_INTERFACE;
    return config->kind == (is_typed ? HLO_MLIR_DICT : HLO_MLIR_STRING) ||
           hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                            "has a backend_config that is no %s, as api_version %lld has it",
                            is_typed ? "dictionary" : "text", (long long)version);
}

/* The part of a tuple at an index; NULL: there is none. */
static const hlo_mlir_type *part_of(hlo_check *s, const hlo_mlir_type *type,
                                    const hlo_mlir_attr *index) {
    uint32_t n;
    const int64_t *v;
    if (!index || !hlo_mlir_ints(s->module, index, &n, &v)) return type;
    for (uint32_t i = 0; type && i < n; i++) {
        bool is_there = type->kind == HLO_MLIR_TUPLE && v[i] >= 0 && v[i] < type->part_count;
        type = is_there ? type->parts[v[i]] : NULL;
    }
    return type;
}

static const hlo_mlir_type *result_tuple(hlo_check *s) {
    uint32_t n = s->op->result_count;
    if (n == 1) return hlo_check_result(s, 0);
    const hlo_mlir_type **parts = HLO_NEW_ARRAY(&s->module->arena, const hlo_mlir_type *, n);
    for (uint32_t i = 0; i < n; i++) parts[i] = hlo_check_result(s, i);
    hlo_mlir_type tuple = {
        .kind = HLO_MLIR_TUPLE, .element = HLO_TYPE_COUNT, .part_count = n, .parts = parts};
    return hlo_mlir_type_of(s->module, &tuple);
}

/* A tensor and a buffer of it are two types. */
static bool check_alias(hlo_check *s, const hlo_mlir_attr *alias) {
    const hlo_mlir_attr *number = hlo_mlir_member(alias, "operand_index");
    int64_t i = number && number->kind == HLO_MLIR_INT ? number->u.i : 0;
    if (i < 0 || i >= s->op->operand_count)
        return hlo_check_refuse(s, HLO_RULE_OPERAND_ALIASING, "has an alias of operand %lld of %u",
                                (long long)i, s->op->operand_count);
    const hlo_mlir_type *from = part_of(s, hlo_check_operand(s, (uint32_t)i),
                                        hlo_mlir_member(alias, "operand_tuple_indices"));
    const hlo_mlir_type *to =
        part_of(s, result_tuple(s), hlo_mlir_member(alias, "output_tuple_indices"));
    if (!from || !to)
        return hlo_check_refuse(s, HLO_RULE_OPERAND_ALIASING,
                                "has an alias of a part that %s lacks",
                                from ? "its result" : "its operand");
    return from == to || hlo_check_refuse(s, HLO_RULE_OPERAND_ALIASING,
                                          "has an alias of %.*s, which its result has as %.*s",
                                          HLO_CHECK_TYPE(from), HLO_CHECK_TYPE(to));
}

static bool check_aliases(hlo_check *s) {
    const hlo_mlir_attr *list = hlo_mlir_attr_of(s->op, "output_operand_aliases");
    for (uint32_t i = 0; list && i < list->list.n; i++)
        if (!check_alias(s, list->list.v[i].value)) return false;
    return true;
}

bool hlo_check_custom_call(hlo_check *s) {
    return check_layouts(s) && check_aliases(s) && check_config(s);
}
