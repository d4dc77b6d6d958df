/* Comparators of sorts: XLA's comparators.h. */
#include <stdio.h>

#include "build/lib/computations.h"

#define NO_DIMS ((hlo_int_list){0, NULL})

typedef hlo_term two_terms(hlo_builder *, hlo_term, hlo_term, hlo_int_list);

static two_terms *comparison_of(hlo_lib_order order) {
    switch (order) {
    case HLO_LIB_LT: return hlo_builder_lt;
    case HLO_LIB_GT: return hlo_builder_gt;
    case HLO_LIB_LT_TOTAL_ORDER: return hlo_builder_lt_total_order;
    case HLO_LIB_GT_TOTAL_ORDER: return hlo_builder_gt_total_order;
    case HLO_LIB_UNORDERED: break;
    }
    return NULL;
}

typedef struct {
    hlo_term lhs, rhs;
} pair;

static pair pair_parameters(hlo_builder *b, size_t i, hlo_element_type type) {
    char name[48];
    snprintf(name, sizeof name, "p.%zu.lhs", i);
    pair p = {hlo_lib_scalar_parameter(b, 2 * (int64_t)i, hlo_builder_type(type), name), NULL};
    snprintf(name, sizeof name, "p.%zu.rhs", i);
    p.rhs = hlo_lib_scalar_parameter(b, 2 * (int64_t)i + 1, hlo_builder_type(type), name);
    return p;
}

/* By the first pair that has an order, of those that are equal there by the next one. */
static hlo_term lexicographic(hlo_builder *b, const pair *pairs, const hlo_lib_order *orders,
                              size_t count) {
    hlo_term result = NULL, equal = NULL;
    size_t last = 0;
    for (size_t i = 0; i < count; i++) last = orders[i] != HLO_LIB_UNORDERED ? i : last;
    for (size_t i = 0; i < count && !hlo_builder_failed(b); i++) {
        if (orders[i] == HLO_LIB_UNORDERED) continue;
        hlo_term by = comparison_of(orders[i])(b, pairs[i].lhs, pairs[i].rhs, NO_DIMS);
        result = equal ? hlo_builder_select(b, equal, by, result) : by;
        if (i == last) break;
        hlo_term same = hlo_builder_eq_total_order(b, pairs[i].lhs, pairs[i].rhs, NO_DIMS);
        equal = equal ? hlo_builder_and(b, equal, same, NO_DIMS) : same;
    }
    return result;
}

static bool check(hlo_builder *b, const hlo_element_type *types, const hlo_lib_order *orders,
                  size_t count) {
    bool any = false, good = count <= INT32_MAX;
    for (size_t i = 0; i < count && good; i++) {
        good =
            hlo_element_type_bytes(types[i]) > 0 && (unsigned)orders[i] <= HLO_LIB_GT_TOTAL_ORDER;
        any |= good && orders[i] != HLO_LIB_UNORDERED;
    }
    if (!good || !any)
        hlo_builder_misuse(b, "a comparator compares by one of its operands, which are arrays");
    return good && any;
}

const hlo_computation *hlo_lib_comparator(hlo_builder *b, const char *name,
                                          const hlo_element_type *types,
                                          const hlo_lib_order *orders, size_t count) {
    HLO_BUILDER_TAKES(b, name, types, orders);
    if (!check(b, types, orders, count)) return NULL;
    pair *pairs = HLO_NEW_ARRAY(&b->module->arena, pair, count);
    hlo_lib_open(b, name);
    for (size_t i = 0; i < count; i++) pairs[i] = pair_parameters(b, i, types[i]);
    return hlo_lib_close(b, lexicographic(b, pairs, orders, count));
}

static const hlo_computation *by_first(hlo_builder *b, const char *name, hlo_lib_order order,
                                       const hlo_element_type *types, size_t count) {
    hlo_lib_order *orders = HLO_NEW_ARRAY(&b->module->arena, hlo_lib_order, count + 1);
    for (size_t i = 0; i < count; i++) orders[i] = i ? HLO_LIB_UNORDERED : order;
    return hlo_lib_comparator(b, name, types, orders, count);
}

const hlo_computation *hlo_lib_lt_comparator(hlo_builder *b, const hlo_element_type *types,
                                             size_t count) {
    HLO_BUILDER_TAKES(b, types);
    return by_first(b, "compare-less-than", HLO_LIB_LT_TOTAL_ORDER, types, count);
}

const hlo_computation *hlo_lib_gt_comparator(hlo_builder *b, const hlo_element_type *types,
                                             size_t count) {
    HLO_BUILDER_TAKES(b, types);
    return by_first(b, "compare-greater-than", HLO_LIB_GT_TOTAL_ORDER, types, count);
}
