/* About the first k elements of a dimension, of each of many windows one: XLA's approx_topk.h. */
#include <math.h>
#include <stdio.h>

#include "build/lib/matrices.h"

/* ---- how many elements are left ---- */

/* What a window's elements are a multiple of; XLA's numbers of a vector machine. */
static int64_t tile_of(int64_t rank) {
    return rank == 1 ? 1024 : 128;
}

static int64_t log2_down(int64_t x) {
    return x > 0 ? 63 - __builtin_clzll((unsigned long long)x) : 0;
}

static int64_t log2_up(int64_t x) {
    return x > 1 ? log2_down(x - 1) + 1 : 0;
}

/* Of M windows a share e^((1 - k) / M) of the first k elements is expected to be alone in one. */
static int64_t windows_for(int64_t k, float recall, int64_t tile, int64_t size) {
    double wanted = (1.0 - (double)k) / log((double)recall);
    if (!(wanted > (double)tile)) return tile < size ? tile : size;
    return wanted < (double)size ? (int64_t)wanted : size;
}

typedef hlo_lib_top_k_size result_size;

static result_size reduced_size(int64_t size, int64_t whole, int64_t tile, int64_t k,
                                float recall) {
    if (k == 1) return (result_size){tile, log2_up(hlo_lib_ratio_up(whole, tile))};
    if (recall == 1) return (result_size){size, 0};
    int64_t log2 = log2_down(whole / windows_for(k, recall, tile, whole));
    if (log2 == 0) return (result_size){size, 0};
    if (log2 > log2_up(size / tile)) log2 = log2_up(size / tile);
    return (result_size){hlo_lib_ratio_up(hlo_lib_ratio_up(size, tile), (int64_t)1 << log2) * tile,
                         log2};
}

result_size hlo_lib_approx_top_k_output_size(hlo_builder *b, int64_t input_size, int64_t rank,
                                             int64_t top_k, float recall_target,
                                             bool aggregate_to_topk, int64_t input_size_override) {
    static const result_size none = {-1, -1};
    HLO_BUILDER_CALL(b, none);
    bool too_small = input_size_override >= 0 && input_size > input_size_override;
    if (input_size < 0 || input_size > INT64_MAX / 2 || rank < 1 || top_k < 0)
        hlo_builder_misuse(b, "%s: the first %lld of %lld elements", __func__, (long long)top_k,
                           (long long)input_size);
    else if (!(recall_target > 0 && recall_target <= 1))
        hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "ApproxTopK: recall_target is in (0, 1]");
    else if (too_small && !aggregate_to_topk && input_size > tile_of(rank))
        hlo_builder_fail(
            b, HLO_RULE_ATTRIBUTE_VALUE,
            "ApproxTopK: reduction_input_size_override %lld is less than the size %lld",
            (long long)input_size_override, (long long)input_size);
    if (hlo_builder_failed(b)) return none;
    if (aggregate_to_topk) return (result_size){top_k, -1};
    if (input_size <= tile_of(rank)) return (result_size){input_size, 0};
    int64_t whole = input_size_override >= 0 ? input_size_override : input_size;
    return reduced_size(input_size, whole, tile_of(rank), top_k, recall_target);
}

/* ---- the first k of all ---- */

typedef struct {
    hlo_instrs_list operands, init_values;
    int64_t k, dimension;
    const hlo_computation *by;
} top;

static int64_t size_of(const top *t) {
    return t->operands.values[0]->shape->dims[t->dimension];
}

/* Parameters of the operands' types. */
static const hlo_term *scalars(hlo_builder *b, const top *t, int64_t first, const char *side) {
    size_t n = t->operands.count;
    hlo_term *made = HLO_NEW_ARRAY(&b->module->arena, hlo_term, n);
    for (size_t i = 0; i < n; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s.%lld", side, (long long)first + (long long)i);
        hlo_type type = (hlo_type)t->operands.values[i]->shape->type;
        made[i] = hlo_lib_scalar_parameter(b, first + (int64_t)i, type, name);
    }
    return made;
}

/* Of two times N scalars the N that the comparator puts first. */
static const hlo_computation *first_of_two(hlo_builder *b, const top *t) {
    size_t n = t->operands.count;
    hlo_lib_open(b, "ReductionFn");
    const hlo_term *lhs = scalars(b, t, 0, "lhs"), *rhs = scalars(b, t, (int64_t)n, "rhs");
    hlo_term *pairs = HLO_NEW_ARRAY(&b->module->arena, hlo_term, 2 * n);
    hlo_term *chosen = HLO_NEW_ARRAY(&b->module->arena, hlo_term, n);
    for (size_t i = 0; i < n; i++) pairs[2 * i] = lhs[i], pairs[2 * i + 1] = rhs[i];
    hlo_term is_first =
        hlo_builder_failed(b) ? NULL : hlo_builder_call(b, t->by, (hlo_instrs_list){2 * n, pairs});
    for (size_t i = 0; i < n && is_first; i++)
        chosen[i] = hlo_builder_select(b, is_first, lhs[i], rhs[i]);
    if (hlo_builder_failed(b)) return hlo_lib_close(b, NULL);
    return hlo_lib_close(b,
                         n == 1 ? chosen[0] : hlo_builder_tuple(b, (hlo_instrs_list){n, chosen}));
}

/* Element i of what an operation of several operands gives: of one operand it is no tuple. */
static hlo_term part_of(hlo_builder *b, hlo_term all, size_t i) {
    if (!all || !hlo_shape_is_tuple(all->shape)) return all;
    return hlo_builder_get_tuple_element(b, all, (int64_t)i);
}

static hlo_term the_first(hlo_builder *b, const top *t) {
    const hlo_computation *by = first_of_two(b, t);
    if (!by) return NULL;
    hlo_term all = hlo_builder_reduce(b, t->operands, t->init_values, by, HLO_INTS(t->dimension));
    hlo_term *parts = HLO_NEW_ARRAY(&b->module->arena, hlo_term, t->operands.count);
    int64_t *dims = hlo_lib_copied(b, hlo_lib_dims(t->operands.values[0]));
    dims[t->dimension] = 1;
    hlo_int_list sizes = {t->operands.values[0]->shape->rank, dims};
    for (size_t i = 0; i < t->operands.count && all; i++) {
        hlo_term part = part_of(b, all, i);
        parts[i] = part ? hlo_builder_reshape(b, part, HLO_NO_DIMS, sizes) : NULL;
    }
    return hlo_builder_failed(b)
               ? NULL
               : hlo_builder_tuple(b, (hlo_instrs_list){t->operands.count, parts});
}

static hlo_term first_k(hlo_builder *b, const top *t, bool is_stable) {
    if (t->k == 1) return the_first(b, t);
    hlo_term sorted = hlo_builder_sort(b, t->operands, t->by, t->dimension, is_stable);
    hlo_term *parts = HLO_NEW_ARRAY(&b->module->arena, hlo_term, t->operands.count);
    for (size_t i = 0; i < t->operands.count && sorted; i++)
        parts[i] = hlo_lib_slice_in_dim(b, part_of(b, sorted, i), 0, t->k, t->dimension);
    return hlo_builder_failed(b)
               ? NULL
               : hlo_builder_tuple(b, (hlo_instrs_list){t->operands.count, parts});
}

/* ---- by windows ---- */

static hlo_instrs_list joined(hlo_builder *b, hlo_instrs_list x, hlo_instrs_list y) {
    hlo_term *all = HLO_NEW_ARRAY(&b->module->arena, hlo_term, x.count + y.count);
    for (size_t i = 0; i < x.count; i++) all[i] = x.values[i];
    for (size_t i = 0; i < y.count; i++) all[x.count + i] = y.values[i];
    return (hlo_instrs_list){x.count + y.count, all};
}

static const hlo_shape *shape_of_windows(hlo_builder *b, const top *t, int64_t size) {
    size_t n = t->operands.count;
    const hlo_shape **shapes = HLO_NEW_ARRAY(&b->module->arena, const hlo_shape *, n);
    int64_t *dims = hlo_lib_copied(b, hlo_lib_dims(t->operands.values[0]));
    dims[t->dimension] = size;
    for (size_t i = 0; i < n; i++) {
        const hlo_shape *like = t->operands.values[i]->shape;
        shapes[i] = hlo_lib_shape(b, (hlo_type)like->type, (hlo_int_list){like->rank, dims});
    }
    return hlo_shape_tuple(hlo_builder_shapes(b), shapes, (uint32_t)n);
}

static hlo_term by_windows(hlo_builder *b, const top *t, hlo_lib_top_k_size left, float recall) {
    hlo_buf options = HLO_BUF_INIT;
    hlo_buf_printf(&options, "{\"log2_reduction\": %lld, \"reduction_dim\": %lld, ",
                   (long long)left.log2_reduction, (long long)t->dimension);
    hlo_buf_printf(&options, "\"to_apply_type\": \"comparator\", \"top_k\": %lld, ",
                   (long long)t->k);
    hlo_buf_printf(&options, "\"recall_target\": %f}", (double)recall);
    hlo_buf_char(&options, 0);
    hlo_term made = hlo_builder_custom_call_with_computations(
        b, "PartialReduce", joined(b, t->operands, t->init_values), HLO_COMPUTATIONS(t->by),
        shape_of_windows(b, t, left.size), options.data, false);
    hlo_buf_free(&options);
    return made;
}

static hlo_term first_of_windows(hlo_builder *b, const top *t, hlo_lib_top_k_size left,
                                 float recall) {
    hlo_term windows = by_windows(b, t, left, recall);
    if (!windows) return NULL;
    hlo_term *parts = HLO_NEW_ARRAY(&b->module->arena, hlo_term, t->operands.count);
    for (size_t i = 0; i < t->operands.count; i++)
        parts[i] = hlo_builder_get_tuple_element(b, windows, (int64_t)i);
    top rest = *t;
    rest.operands.values = parts;
    return hlo_builder_failed(b) ? NULL : first_k(b, &rest, false);
}

/* ---- public ---- */

static bool check_operand(hlo_builder *b, const top *t, size_t i) {
    hlo_term x = t->operands.values[i], init = t->init_values.values[i];
    if (!hlo_lib_has_rank(b, "ApproxTopK", x, 1) || !hlo_lib_has_rank(b, "ApproxTopK", init, 0))
        return false;
    const hlo_shape *first = t->operands.values[0]->shape;
    bool same = x->shape->rank == first->rank;
    for (uint32_t d = 0; d < first->rank && same; d++) same = x->shape->dims[d] == first->dims[d];
    if (!same)
        hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS, "ApproxTopK: operands shape mismatch");
    else if (x->shape->type != init->shape->type)
        hlo_builder_fail(b, HLO_RULE_OPERAND_TYPES, "ApproxTopK: operands type mismatch");
    return !hlo_builder_failed(b);
}

static bool check_top(hlo_builder *b, const char *function, const top *t) {
    if (!hlo_builder_has_list(b, function, t->operands) ||
        !hlo_builder_has_list(b, function, t->init_values))
        return false;
    if (!t->operands.count || t->operands.count != t->init_values.count)
        hlo_builder_fail(b, HLO_RULE_ARITY, "ApproxTopK: %zu operands and %zu init_values",
                         t->operands.count, t->init_values.count);
    for (size_t i = 0; i < t->operands.count && !hlo_builder_failed(b); i++) check_operand(b, t, i);
    if (hlo_builder_failed(b)) return false;
    int64_t rank = t->operands.values[0]->shape->rank;
    if (t->dimension < 0 || t->dimension >= rank)
        hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "ApproxTopK: reduction_dim is in [0, %lld)",
                         (long long)rank);
    return !hlo_builder_failed(b);
}

hlo_term hlo_lib_approx_top_k(hlo_builder *b, hlo_instrs_list operands, hlo_instrs_list init_values,
                              int64_t top_k, int64_t reduction_dim,
                              const hlo_computation *comparator, float recall_target,
                              bool aggregate_to_topk, int64_t reduction_input_size_override) {
    HLO_BUILDER_TAKES(b, comparator);
    top t = {operands, init_values, top_k, reduction_dim, comparator};
    if (!check_top(b, __func__, &t)) return NULL;
    hlo_lib_top_k_size left =
        hlo_lib_approx_top_k_output_size(b, size_of(&t), operands.values[0]->shape->rank, top_k,
                                         recall_target, false, reduction_input_size_override);
    if (hlo_builder_failed(b)) return NULL;
    if (left.log2_reduction == 0)
        return aggregate_to_topk ? first_k(b, &t, false) : hlo_builder_tuple(b, operands);
    return aggregate_to_topk ? first_of_windows(b, &t, left, recall_target)
                             : by_windows(b, &t, left, recall_target);
}

hlo_term hlo_lib_approx_top_k_fallback(hlo_builder *b, hlo_instrs_list operands,
                                       hlo_instrs_list init_values, int64_t top_k,
                                       int64_t reduction_dim, const hlo_computation *comparator,
                                       float recall_target, bool aggregate_to_topk,
                                       int64_t reduction_input_size_override) {
    HLO_BUILDER_TAKES(b, comparator);
    top t = {operands, init_values, top_k, reduction_dim, comparator};
    if (!check_top(b, __func__, &t)) return NULL;
    t.k = hlo_lib_approx_top_k_output_size(b, size_of(&t), operands.values[0]->shape->rank, top_k,
                                           recall_target, aggregate_to_topk,
                                           reduction_input_size_override)
              .size;
    return hlo_builder_failed(b) ? NULL : first_k(b, &t, true);
}
