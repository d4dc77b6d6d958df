/* Shapes of slice, dynamic-slice and dynamic-update-slice. */
#include "shape/rules.h"

static bool check_range(hlo_inference *in, const hlo_slice *slice, uint32_t i) {
    HLO_ASSERT(i < slice->n);
    const hlo_shape *operand = in->operands[0];
    int64_t start = slice->v[i].start, limit = slice->v[i].limit, stride = slice->v[i].stride;
    if (start < 0)
        return hlo_refuse(in, HLO_RULE_SLICE_RANGE, HLO_AT(SLICE),
                          "the slice of dimension %u starts at %lld, which is negative", i,
                          (long long)start);
    if (operand->dims[i] != HLO_UNBOUNDED && limit > operand->dims[i])
        return hlo_refuse(in, HLO_RULE_SLICE_RANGE, HLO_AT(SLICE),
                          "the slice of dimension %u ends at %lld, past the end of %s", i,
                          (long long)limit, hlo_infer_text(in, operand));
    if (start > limit)
        return hlo_refuse(in, HLO_RULE_SLICE_RANGE, HLO_AT(SLICE),
                          "the slice of dimension %u starts at %lld and ends before at %lld", i,
                          (long long)start, (long long)limit);
    if (stride <= 0)
        return hlo_refuse(in, HLO_RULE_SLICE_RANGE, HLO_AT(SLICE),
                          "the stride of dimension %u is %lld and must be positive", i,
                          (long long)stride);
    return true;
}

const hlo_shape *hlo_infer_slice(hlo_inference *in) {
    static const hlo_slice none;
    const hlo_attr *attr = hlo_infer_attr(in, HLO_ATTR_SLICE);
    const hlo_slice *slice = attr ? attr->u.slice : &none;
    if (!hlo_expect_array(in, 0)) return NULL;
    const hlo_shape *operand = in->operands[0];
    if (slice->n != operand->rank)
        return hlo_infer_fail(in, HLO_RULE_SLICE_RANGE, HLO_AT(SLICE),
                              "slice is for the rank %u and operand 0 is %s", slice->n,
                              hlo_infer_text(in, operand));
    hlo_dims dims = hlo_dims_new(in, operand->rank);
    for (uint32_t i = 0; i < dims.rank; i++) {
        if (!check_range(in, slice, i)) return NULL;
        int64_t length = slice->v[i].limit - slice->v[i].start, stride = slice->v[i].stride;
        dims.size[i] = length / stride + (length % stride != 0);
        /* one element of a dynamic dimension is no longer dynamic */
        dims.dynamic[i] = dims.size[i] != 1 && hlo_dim_is_bounded(operand, i);
    }
    return hlo_make_array(in, (hlo_type)operand->type, dims);
}

/* Start indices: one scalar for each dimension, or (the older form) one vector. */
static bool check_indices(hlo_inference *in, const hlo_shape *operand, uint32_t first) {
    HLO_ASSERT(first <= in->n);
    uint32_t count = in->n - first;
    for (uint32_t i = first; i < in->n; i++) {
        if (!hlo_expect_array(in, i)) return false;
        if (!hlo_type_is_integral((hlo_type)in->operands[i]->type))
            return hlo_refuse(in, HLO_RULE_SLICE_INDEX, (int)i,
                              "operand %u is %s and must be of an integer type", i,
                              hlo_infer_text(in, in->operands[i]));
    }
    if (count == 1 && in->operands[first]->rank == 1) {
        if (in->operands[first]->dims[0] == operand->rank) return true;
        return hlo_refuse(in, HLO_RULE_SLICE_INDEX, (int)first,
                          "operand %u is %s and must have one index for each dimension of %s",
                          first, hlo_infer_text(in, in->operands[first]),
                          hlo_infer_text(in, operand));
    }
    if (count != operand->rank)
        return hlo_refuse(in, HLO_RULE_SLICE_INDEX, HLO_NOWHERE,
                          "the start is given by %s and operand 0 is %s",
                          hlo_infer_count_text(in, count, "scalar"), hlo_infer_text(in, operand));
    for (uint32_t i = first; i < in->n; i++) {
        if (in->operands[i]->rank != 0)
            return hlo_refuse(in, HLO_RULE_SLICE_INDEX, (int)i,
                              "operand %u is %s and must be a scalar", i,
                              hlo_infer_text(in, in->operands[i]));
        if (in->operands[i]->type != in->operands[first]->type)
            return hlo_refuse(in, HLO_RULE_SLICE_INDEX, (int)i,
                              "operand %u is %s and operand %u is %s: indices must be of one type",
                              first, hlo_infer_text(in, in->operands[first]), i,
                              hlo_infer_text(in, in->operands[i]));
    }
    return true;
}

const hlo_shape *hlo_infer_dynamic_slice(hlo_inference *in) {
    if (!hlo_expect_array(in, 0) || !check_indices(in, in->operands[0], 1)) return NULL;
    const hlo_shape *operand = in->operands[0];
    const hlo_ints *sizes = hlo_infer_ints(in, HLO_ATTR_DYNAMIC_SLICE_SIZES);
    if (sizes->n != operand->rank)
        return hlo_infer_fail(in, HLO_RULE_DYNAMIC_SLICE_SIZES, HLO_AT(DYNAMIC_SLICE_SIZES),
                              "dynamic_slice_sizes=%s must have an entry for each dimension of %s",
                              hlo_infer_ints_text(in, sizes->v, sizes->n),
                              hlo_infer_text(in, operand));
    hlo_dims dims = hlo_dims_new(in, operand->rank);
    for (uint32_t i = 0; i < dims.rank; i++) {
        if (sizes->v[i] < 0 ||
            (operand->dims[i] != HLO_UNBOUNDED && sizes->v[i] > operand->dims[i]))
            return hlo_infer_fail(in, HLO_RULE_DYNAMIC_SLICE_SIZES, HLO_AT(DYNAMIC_SLICE_SIZES),
                                  "dynamic_slice_sizes=%s: %lld does not fit dimension %u of %s",
                                  hlo_infer_ints_text(in, sizes->v, sizes->n),
                                  (long long)sizes->v[i], i, hlo_infer_text(in, operand));
        dims.size[i] = sizes->v[i];
        dims.dynamic[i] =
            hlo_dim_is_dynamic(operand, i) && dims.size[i] > 1 && dims.size[i] == operand->dims[i];
    }
    return hlo_make_array(in, (hlo_type)operand->type, dims);
}

static bool check_update(hlo_inference *in, const hlo_shape *into) {
    const hlo_shape *update = in->operands[1];
    if (update->rank != into->rank)
        return hlo_refuse(in, HLO_RULE_DYNAMIC_UPDATE, 1,
                          "the update is %s and has another rank than %s",
                          hlo_infer_text(in, update), hlo_infer_text(in, into));
    if (!hlo_types_agree(update->type, into->type))
        return hlo_refuse(in, HLO_RULE_DYNAMIC_UPDATE, 1,
                          "the update is %s and has another type than %s",
                          hlo_infer_text(in, update), hlo_infer_text(in, into));
    for (uint32_t i = 0; i < into->rank; i++)
        if (into->dims[i] != HLO_UNBOUNDED && update->dims[i] > into->dims[i])
            return hlo_refuse(in, HLO_RULE_DYNAMIC_UPDATE, 1,
                              "the update is %s and is larger than %s", hlo_infer_text(in, update),
                              hlo_infer_text(in, into));
    return true;
}

const hlo_shape *hlo_infer_dynamic_update_slice(hlo_inference *in) {
    const hlo_shape *operand = in->operands[0], *into = operand, *update = in->operands[1];
    if (operand->type == HLO_BUFFER) into = operand->elements[0];
    if (!hlo_shape_is_array(into)) return (void)hlo_expect_array(in, 0), NULL;
    if (!hlo_expect_array(in, 1) || !check_indices(in, into, 2) || !check_update(in, into))
        return NULL;
    if (!update->dynamic || operand != into) return operand;
    /* an update of a whole dimension brings its dynamic size along */
    hlo_dims dims = hlo_dims_of(in, operand);
    for (uint32_t i = 0; i < dims.rank; i++)
        dims.dynamic[i] |= hlo_dim_is_dynamic(update, i) && update->dims[i] == operand->dims[i];
    return hlo_make_like(in, operand, (hlo_type)operand->type, dims);
}
