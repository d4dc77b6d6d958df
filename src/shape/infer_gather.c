/* Shapes of gather and scatter. */
#include "shape/rules.h"

/* Start indices with the index vector's dimension made explicit: a rank that equals
 * index_vector_dim stands for one more dimension of size 1. */
typedef struct {
    hlo_dims dims;
    uint32_t vector_dim;
} index_dims;

static bool read_indices(hlo_inference *in, uint32_t operand, index_dims *out) {
    HLO_ASSERT(operand < in->n);
    if (!hlo_expect_array(in, operand)) return false;
    const hlo_shape *indices = in->operands[operand];
    if (!hlo_type_is_integral((hlo_type)indices->type))
        return hlo_refuse(in, HLO_RULE_INDEX_VECTOR, (int)operand,
                          "operand %u is %s and must have an integer element type", operand,
                          hlo_infer_text(in, indices));
    int64_t vector_dim = hlo_infer_int(in, HLO_ATTR_INDEX_VECTOR_DIM);
    if (vector_dim < 0 || vector_dim > indices->rank)
        return hlo_refuse(in, HLO_RULE_INDEX_VECTOR, HLO_AT(INDEX_VECTOR_DIM),
                          "index_vector_dim is %lld and operand %u, %s, has the rank %u",
                          (long long)vector_dim, operand, hlo_infer_text(in, indices),
                          indices->rank);
    out->vector_dim = (uint32_t)vector_dim;
    out->dims = hlo_dims_new(in, indices->rank + 1);
    out->dims.rank = 0;
    for (uint32_t i = 0; i < indices->rank; i++)
        hlo_dims_push(&out->dims, indices->dims[i], hlo_dim_is_dynamic(indices, i));
    if (out->vector_dim == indices->rank) hlo_dims_push(&out->dims, 1, false);
    return true;
}

/* A list of dimensions in 0..limit-1, each named once; `ascending` where XLA requires sorted
 * dimensions. */
static bool check_list(hlo_inference *in, hlo_rule rule, hlo_attr_id id, uint32_t limit,
                       bool ascending) {
    return (!ascending || hlo_expect_sorted(in, rule, id)) &&
           hlo_expect_range(in, rule, id, limit) && hlo_expect_unique(in, rule, id);
}

/* The index vector has one entry for each operand dimension it maps to. */
static bool check_index_map(hlo_inference *in, hlo_rule rule, hlo_attr_id id,
                            const index_dims *indices, uint32_t operand_rank) {
    const hlo_ints *map = hlo_infer_ints(in, id);
    HLO_ASSERT(indices->vector_dim < indices->dims.rank);
    if (!hlo_sizes_compatible(indices->dims.size[indices->vector_dim], map->n))
        return hlo_refuse(in, HLO_RULE_INDEX_VECTOR, hlo_at_attr(id),
                          "%s=%s is not for index vectors of size %lld", hlo_attr_table[id].text,
                          hlo_infer_ints_text(in, map->v, map->n),
                          (long long)indices->dims.size[indices->vector_dim]);
    return check_list(in, rule, id, operand_rank, false);
}

static bool check_batching(hlo_inference *in, hlo_rule rule, hlo_attr_id of_operand,
                           uint32_t operand_rank, hlo_attr_id of_indices, uint32_t indices_rank) {
    const hlo_ints *a = hlo_infer_ints(in, of_operand), *b = hlo_infer_ints(in, of_indices);
    if (a->n != b->n)
        return hlo_refuse(in, rule, hlo_at_attr(of_operand), "%s=%s and %s=%s differ in number",
                          hlo_attr_table[of_operand].text, hlo_infer_ints_text(in, a->v, a->n),
                          hlo_attr_table[of_indices].text, hlo_infer_ints_text(in, b->v, b->n));
    return check_list(in, rule, of_operand, operand_rank, true) &&
           check_list(in, rule, of_indices, indices_rank, false);
}

/* ---- gather ---- */

static bool check_gather(hlo_inference *in, const index_dims *indices) {
    const hlo_rule rule = HLO_RULE_GATHER_DIMENSIONS;
    uint32_t rank = in->operands[0]->rank;
    uint32_t result_rank = hlo_infer_ints(in, HLO_ATTR_OFFSET_DIMS)->n + indices->dims.rank - 1;
    return check_list(in, rule, HLO_ATTR_OFFSET_DIMS, result_rank, true) &&
           check_index_map(in, rule, HLO_ATTR_START_INDEX_MAP, indices, rank) &&
           check_list(in, rule, HLO_ATTR_COLLAPSED_SLICE_DIMS, rank, true) &&
           check_batching(in, rule, HLO_ATTR_OPERAND_BATCHING_DIMS, rank,
                          HLO_ATTR_START_INDICES_BATCHING_DIMS, indices->dims.rank);
}

static bool check_slice_sizes(hlo_inference *in, const hlo_ints *sizes) {
    const hlo_shape *operand = in->operands[0];
    uint32_t accounted = hlo_infer_ints(in, HLO_ATTR_OFFSET_DIMS)->n +
                         hlo_infer_ints(in, HLO_ATTR_COLLAPSED_SLICE_DIMS)->n +
                         hlo_infer_ints(in, HLO_ATTR_OPERAND_BATCHING_DIMS)->n;
    if (sizes->n != operand->rank || accounted != operand->rank)
        return hlo_refuse(
            in, HLO_RULE_GATHER_SLICE_SIZES, HLO_AT(SLICE_SIZES),
            "slice_sizes is for the rank %u, offset, collapsed and batching dimensions make %u, "
            "and operand 0 is %s",
            sizes->n, accounted, hlo_infer_text(in, operand));
    const uint8_t *flat =
        hlo_mark_dims(in, hlo_mark_dims(in, NULL, operand->rank, HLO_ATTR_COLLAPSED_SLICE_DIMS),
                      operand->rank, HLO_ATTR_OPERAND_BATCHING_DIMS);
    for (uint32_t i = 0; i < sizes->n; i++) {
        bool bounded = operand->dims[i] != HLO_UNBOUNDED;
        if (bounded && (sizes->v[i] < 0 || sizes->v[i] > operand->dims[i]))
            return hlo_refuse(in, HLO_RULE_GATHER_SLICE_SIZES, HLO_AT(SLICE_SIZES),
                              "slice_sizes=%s: %lld does not fit dimension %u of %s",
                              hlo_infer_ints_text(in, sizes->v, sizes->n), (long long)sizes->v[i],
                              i, hlo_infer_text(in, operand));
        if (flat[i] && sizes->v[i] > 1)
            return hlo_refuse(
                in, HLO_RULE_GATHER_SLICE_SIZES, HLO_AT(SLICE_SIZES),
                "slice_sizes=%s: dimension %u is collapsed or batched and must have the size "
                "0 or 1",
                hlo_infer_ints_text(in, sizes->v, sizes->n), i);
    }
    return true;
}

const hlo_shape *hlo_infer_gather(hlo_inference *in) {
    index_dims indices;
    const hlo_ints *sizes = hlo_infer_ints(in, HLO_ATTR_SLICE_SIZES);
    if (!hlo_expect_array(in, 0) || !read_indices(in, 1, &indices) || !check_gather(in, &indices) ||
        !check_slice_sizes(in, sizes))
        return NULL;
    const hlo_shape *operand = in->operands[0];
    hlo_dims dims =
        hlo_dims_new(in, hlo_infer_ints(in, HLO_ATTR_OFFSET_DIMS)->n + indices.dims.rank - 1);
    const uint8_t *is_offset = hlo_mark_dims(in, NULL, dims.rank, HLO_ATTR_OFFSET_DIMS);
    const uint8_t *flat =
        hlo_mark_dims(in, hlo_mark_dims(in, NULL, operand->rank, HLO_ATTR_COLLAPSED_SLICE_DIMS),
                      operand->rank, HLO_ATTR_OPERAND_BATCHING_DIMS);
    uint32_t from_operand = 0, from_indices = 0;
    for (uint32_t i = 0; i < dims.rank; i++) {
        if (is_offset[i]) {
            while (from_operand < operand->rank && flat[from_operand]) from_operand++;
            dims.size[i] = sizes->v[from_operand];
            dims.dynamic[i] = sizes->v[from_operand] == operand->dims[from_operand] &&
                              hlo_dim_is_dynamic(operand, from_operand);
            from_operand++;
        } else {
            if (from_indices == indices.vector_dim) from_indices++;
            dims.size[i] = indices.dims.size[from_indices];
            dims.dynamic[i] = indices.dims.dynamic[from_indices++];
        }
    }
    return hlo_make_array(in, (hlo_type)operand->type, dims);
}

/* ---- scatter ---- */

static bool check_scatter(hlo_inference *in, const index_dims *indices, const hlo_shape *operand,
                          const hlo_shape *updates) {
    const hlo_rule rule = HLO_RULE_SCATTER_DIMENSIONS;
    uint32_t rank = operand->rank;
    if (!check_list(in, rule, HLO_ATTR_UPDATE_WINDOW_DIMS, updates->rank, true) ||
        !check_list(in, rule, HLO_ATTR_INSERTED_WINDOW_DIMS, rank, true))
        return false;
    uint32_t accounted = hlo_infer_ints(in, HLO_ATTR_UPDATE_WINDOW_DIMS)->n +
                         hlo_infer_ints(in, HLO_ATTR_INSERTED_WINDOW_DIMS)->n +
                         hlo_infer_ints(in, HLO_ATTR_INPUT_BATCHING_DIMS)->n;
    if (accounted != rank)
        return hlo_refuse(
            in, rule, HLO_AT(UPDATE_WINDOW_DIMS),
            "window, inserted and batching dimensions make the rank %u and the operand is %s",
            accounted, hlo_infer_text(in, operand));
    return check_index_map(in, rule, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS, indices, rank) &&
           check_batching(in, rule, HLO_ATTR_INPUT_BATCHING_DIMS, rank,
                          HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS, indices->dims.rank);
}

/* Windows fit the operand dimensions they update; the other dimensions are those of the indices. */
static bool check_updates(hlo_inference *in, const index_dims *indices, uint32_t operand_number,
                          uint32_t updates_number) {
    HLO_ASSERT(operand_number < in->n);
    const hlo_shape *operand = in->operands[operand_number],
                    *updates = in->operands[updates_number];
    const uint8_t *is_window = hlo_mark_dims(in, NULL, updates->rank, HLO_ATTR_UPDATE_WINDOW_DIMS);
    const uint8_t *skipped =
        hlo_mark_dims(in, hlo_mark_dims(in, NULL, operand->rank, HLO_ATTR_INSERTED_WINDOW_DIMS),
                      operand->rank, HLO_ATTR_INPUT_BATCHING_DIMS);
    uint32_t to_operand = 0, to_indices = 0;
    for (uint32_t i = 0; i < updates->rank; i++) {
        if (is_window[i]) {
            while (to_operand < operand->rank && skipped[to_operand]) to_operand++;
            if (to_operand < operand->rank && updates->dims[i] > operand->dims[to_operand])
                return hlo_refuse(
                    in, HLO_RULE_SCATTER_UPDATES, (int)updates_number,
                    "window dimension %u of the updates, %s, is larger than dimension %u of "
                    "operand %u, %s",
                    i, hlo_infer_text(in, updates), to_operand, operand_number,
                    hlo_infer_text(in, operand));
            to_operand++;
            continue;
        }
        if (to_indices == indices->vector_dim) to_indices++;
        if (!hlo_sizes_compatible(updates->dims[i], indices->dims.size[to_indices]))
            return hlo_refuse(
                in, HLO_RULE_SCATTER_UPDATES, (int)updates_number,
                "dimension %u of the updates, %s, must have the size %lld of the indices", i,
                hlo_infer_text(in, updates), (long long)indices->dims.size[to_indices]);
        to_indices++;
    }
    return true;
}

const hlo_shape *hlo_infer_scatter(hlo_inference *in) {
    uint32_t count = in->n / 2;
    index_dims indices;
    hlo_signature combiner;
    if (!hlo_expect_arrays(in) || !read_indices(in, count, &indices)) return NULL;
    uint32_t updates_rank =
        indices.dims.rank - 1 + hlo_infer_ints(in, HLO_ATTR_UPDATE_WINDOW_DIMS)->n;
    hlo_type *types = HLO_NEW_ARRAY(&in->scratch, hlo_type, count);
    const hlo_shape **elements = HLO_NEW_ARRAY(&in->scratch, const hlo_shape *, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t updates_number = count + 1 + i;
        const hlo_shape *updates = in->operands[updates_number];
        if (updates->rank != updates_rank)
            return hlo_infer_fail(in, HLO_RULE_SCATTER_UPDATES, (int)updates_number,
                                  "the updates are %s and must have the rank %u",
                                  hlo_infer_text(in, updates), updates_rank);
        if (!check_scatter(in, &indices, in->operands[i], updates) ||
            !check_updates(in, &indices, i, updates_number))
            return NULL;
        elements[i] = hlo_make_scalar(in, (hlo_type)in->operands[i]->type);
        types[i] = (hlo_type)updates->type;
    }
    if (!hlo_infer_callee(in, HLO_ATTR_TO_APPLY, &combiner) ||
        !hlo_expect_reducer(in, HLO_ATTR_TO_APPLY, &combiner, count, elements, types))
        return NULL;
    return hlo_make_one_or_tuple(in, in->operands, count);
}
