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

bool hlo_check_custom_call(hlo_check *s) {
    return check_layouts(s) && check_config(s);
}
