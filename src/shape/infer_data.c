/* Shapes of operations that move data: broadcast, reshape, transpose, slices, pad, concatenate,
 * dynamic sizes, iota, tuples. */
#include "shape/rules.h"

/* ---- broadcast ---- */

/* XLA's parser takes the numbers of `dimensions` for sizes of new leading dimensions when the shape
 * is left out; that is of use for scalars only, whose list is empty. */
static const hlo_shape *broadcast_of_sizes(hlo_inference *in, const hlo_ints *sizes) {
    const hlo_shape *operand = in->operands[0];
    if (operand->dynamic && hlo_shape_has_unbounded(operand))
        return hlo_infer_fail(in, HLO_RULE_BROADCAST_DIMENSIONS, 0,
                              "operand 0 is %s, whose unbounded size cannot be broadcast",
                              hlo_infer_text(in, operand));
    hlo_dims dims = hlo_dims_new(in, sizes->n + operand->rank);
    dims.rank = 0;
    for (uint32_t i = 0; i < sizes->n; i++) {
        if (sizes->v[i] < 0)
            return hlo_infer_fail(in, HLO_RULE_BROADCAST_DIMENSIONS, HLO_AT(DIMENSIONS),
                                  "dimensions=%s has a negative entry",
                                  hlo_infer_ints_text(in, sizes->v, sizes->n));
        hlo_dims_push(&dims, sizes->v[i], false);
    }
    for (uint32_t i = 0; i < operand->rank; i++)
        hlo_dims_push(&dims, operand->dims[i], hlo_dim_is_dynamic(operand, i));
    return hlo_make_array(in, (hlo_type)operand->type, dims);
}

const hlo_shape *hlo_infer_broadcast(hlo_inference *in) {
    if (!hlo_expect_array(in, 0)) return NULL;
    const hlo_shape *operand = in->operands[0], *result = in->stated;
    const hlo_ints *dimensions = hlo_infer_ints(in, HLO_ATTR_DIMENSIONS);
    if (!result && in->as_parser) return broadcast_of_sizes(in, dimensions);
    if (!result) return (void)hlo_expect_stated(in), NULL;
    if (!hlo_same_type(in, result, operand))
        return hlo_infer_fail(in, HLO_RULE_RESULT_SHAPE, 0,
                              "operand 0 is %s and the result is %s: their element types differ",
                              hlo_infer_text(in, operand), hlo_infer_text(in, result));
    if (dimensions->n != operand->rank)
        return hlo_infer_fail(in, HLO_RULE_BROADCAST_DIMENSIONS, HLO_AT(DIMENSIONS),
                              "dimensions=%s must have an entry for each dimension of %s",
                              hlo_infer_ints_text(in, dimensions->v, dimensions->n),
                              hlo_infer_text(in, operand));
    if (!hlo_expect_range(in, HLO_RULE_BROADCAST_DIMENSIONS, HLO_ATTR_DIMENSIONS, result->rank))
        return NULL;
    for (uint32_t i = 0; i < operand->rank; i++) {
        uint32_t to = (uint32_t)dimensions->v[i];
        if (result->dims[to] != operand->dims[i])
            return hlo_infer_fail(
                in, HLO_RULE_BROADCAST_DIMENSIONS, 0,
                "dimension %u of operand %s becomes dimension %u of %s: their sizes differ", i,
                hlo_infer_text(in, operand), to, hlo_infer_text(in, result));
    }
    return result;
}

/* ---- concatenate ---- */

static const hlo_shape *refuse_parts(hlo_inference *in, uint32_t i) {
    return hlo_infer_fail(
        in, HLO_RULE_CONCATENATE_DIMENSION, (int)i,
        "operand 0 is %s and operand %u is %s: they differ elsewhere than in the named "
        "dimension",
        hlo_infer_text(in, in->operands[0]), i, hlo_infer_text(in, in->operands[i]));
}

/* Sizes add up; one unbounded part makes the sum unbounded, one bounded part makes it bounded. */
static bool add_part(hlo_dims *dims, uint32_t along, const hlo_shape *part) {
    HLO_ASSERT(along < part->rank && along < dims->rank);
    int64_t *size = &dims->size[along];
    dims->dynamic[along] |= hlo_dim_is_dynamic(part, along);
    if (*size == HLO_UNBOUNDED || part->dims[along] == HLO_UNBOUNDED) {
        *size = HLO_UNBOUNDED;
        return true;
    }
    return !__builtin_add_overflow(*size, part->dims[along], size);
}

static bool join_part(hlo_dims *dims, uint32_t along, const hlo_shape *part) {
    HLO_ASSERT(dims->rank == part->rank);
    for (uint32_t d = 0; d < dims->rank; d++) {
        if (d == along) continue;
        bool dynamic =
            hlo_dim_is_bounded(part, d) || (dims->size[d] != HLO_UNBOUNDED && dims->dynamic[d]);
        if (!hlo_sizes_compatible(dims->size[d], part->dims[d])) return false;
        if (dims->size[d] == HLO_UNBOUNDED) dims->size[d] = part->dims[d];
        dims->dynamic[d] = dynamic;
    }
    return true;
}

static bool check_parts(hlo_inference *in, uint32_t along) {
    HLO_ASSERT(in->n > 0);
    const hlo_shape *first = in->operands[0];
    for (uint32_t i = 1; i < in->n; i++) {
        const hlo_shape *part = in->operands[i];
        if (part->rank != first->rank) return (void)refuse_parts(in, i), false;
        if (!hlo_types_agree(first->type, part->type))
            return hlo_refuse(in, HLO_RULE_OPERAND_TYPES, (int)i,
                              "operand 0 is %s and operand %u is %s: their element types differ",
                              hlo_infer_text(in, first), i, hlo_infer_text(in, part));
        for (uint32_t d = 0; d < first->rank; d++)
            if (d != along && !hlo_sizes_compatible(first->dims[d], part->dims[d]))
                return (void)refuse_parts(in, i), false;
    }
    return true;
}

const hlo_shape *hlo_infer_concatenate(hlo_inference *in) {
    int64_t along;
    if (!hlo_infer_single(in, HLO_ATTR_DIMENSIONS, &along) || !hlo_expect_arrays(in)) return NULL;
    const hlo_shape *first = in->operands[0];
    if (!hlo_expect_range(in, HLO_RULE_CONCATENATE_DIMENSION, HLO_ATTR_DIMENSIONS, first->rank) ||
        !check_parts(in, (uint32_t)along))
        return NULL;
    hlo_dims dims = hlo_dims_of(in, first);
    hlo_type type = (hlo_type)first->type;
    for (uint32_t i = 1; i < in->n; i++) {
        /* of the last part and the first: that is how XLA picks among mixed precisions */
        type = hlo_higher_precision((hlo_type)in->operands[i]->type, (hlo_type)first->type);
        if (!join_part(&dims, (uint32_t)along, in->operands[i])) return refuse_parts(in, i);
        if (!add_part(&dims, (uint32_t)along, in->operands[i]))
            return hlo_infer_fail(in, HLO_RULE_SHAPE_SIZE, (int)i,
                                  "the parts are too large together");
    }
    return hlo_make_array(in, type, dims);
}

/* ---- pad ---- */

static bool check_pad(hlo_inference *in, const hlo_padding *padding) {
    const hlo_shape *operand = in->operands[0], *value = in->operands[1];
    if (!hlo_expect_array(in, 0)) return false;
    if (!hlo_shape_is_scalar(value))
        return hlo_refuse(in, HLO_RULE_PAD_PADDING, 1, "operand 1 is %s and must be a scalar",
                          hlo_infer_text(in, value));
    if (padding->n != operand->rank)
        return hlo_refuse(in, HLO_RULE_PAD_PADDING, HLO_AT(PADDING),
                          "padding is for the rank %u and operand 0 is %s", padding->n,
                          hlo_infer_text(in, operand));
    if (!hlo_types_agree(operand->type, value->type))
        return hlo_refuse(in, HLO_RULE_OPERAND_TYPES, 1,
                          "operand 0 is %s and operand 1 is %s: their element types differ",
                          hlo_infer_text(in, operand), hlo_infer_text(in, value));
    for (uint32_t i = 0; i < padding->n; i++)
        if (padding->v[i].interior < 0)
            return hlo_refuse(
                in, HLO_RULE_PAD_PADDING, HLO_AT(PADDING),
                "the interior padding of dimension %u is %lld and must not be negative", i,
                (long long)padding->v[i].interior);
    return true;
}

const hlo_shape *hlo_infer_pad(hlo_inference *in) {
    static const hlo_padding none;
    const hlo_attr *attr = hlo_infer_attr(in, HLO_ATTR_PADDING);
    const hlo_padding *padding = attr ? attr->u.padding : &none;
    if (!check_pad(in, padding)) return NULL;
    const hlo_shape *operand = in->operands[0];
    hlo_dims dims = hlo_dims_of(in, operand);
    for (uint32_t i = 0; i < dims.rank; i++) {
        int64_t size = dims.size[i], inside;
        if (size == HLO_UNBOUNDED) continue;
        bool overflow =
            __builtin_mul_overflow(size ? size - 1 : 0, padding->v[i].interior, &inside);
        overflow |= __builtin_add_overflow(size, padding->v[i].low, &size);
        overflow |= __builtin_add_overflow(size, padding->v[i].high, &size);
        overflow |= __builtin_add_overflow(size, inside, &size);
        if (overflow)
            return hlo_infer_fail(in, HLO_RULE_SHAPE_SIZE, HLO_AT(PADDING),
                                  "dimension %u of %s is padded beyond 63 bits", i,
                                  hlo_infer_text(in, operand));
        if (size < 0)
            return hlo_infer_fail(in, HLO_RULE_PAD_PADDING, HLO_AT(PADDING),
                                  "dimension %u of %s is padded to the negative size %lld", i,
                                  hlo_infer_text(in, operand), (long long)size);
        dims.size[i] = size;
    }
    return hlo_make_array(in, hlo_higher_precision(operand->type, in->operands[1]->type), dims);
}

/* ---- reshape, transpose, reverse, bitcast ---- */

static bool same_element_count(hlo_inference *in, const hlo_shape *operand,
                               const hlo_shape *result) {
    if (!hlo_shape_is_array(result) || !hlo_same_type(in, result, operand))
        return hlo_refuse(in, HLO_RULE_RESULT_SHAPE, 0,
                          "operand 0 is %s and the result is %s: their element types differ",
                          hlo_infer_text(in, operand), hlo_infer_text(in, result));
    if (hlo_shape_has_unbounded(operand) || hlo_shape_has_unbounded(result)) return true;
    int64_t from = hlo_shape_elements(operand), to = hlo_shape_elements(result);
    if (from == to && from >= 0) return true;
    return hlo_refuse(in, HLO_RULE_RESHAPE_ELEMENT_COUNT, 0,
                      "operand 0 is %s with %lld elements and the result is %s with %lld",
                      hlo_infer_text(in, operand), (long long)from, hlo_infer_text(in, result),
                      (long long)to);
}

const hlo_shape *hlo_infer_reshape(hlo_inference *in) {
    if (!hlo_expect_stated(in) || !hlo_expect_array(in, 0)) return NULL;
    return same_element_count(in, in->operands[0], in->stated) ? in->stated : NULL;
}

const hlo_shape *hlo_infer_dynamic_reshape(hlo_inference *in) {
    if (!hlo_expect_stated(in) || !hlo_expect_arrays(in)) return NULL;
    if (!same_element_count(in, in->operands[0], in->stated)) return NULL;
    if (in->n - 1 != in->stated->rank)
        return hlo_infer_fail(
            in, HLO_RULE_DYNAMIC_RESHAPE_SIZES, HLO_NOWHERE, "it has %s and the result is %s",
            hlo_infer_count_text(in, in->n - 1, "size"), hlo_infer_text(in, in->stated));
    for (uint32_t i = 1; i < in->n; i++)
        if (in->operands[i]->type != HLO_S32)
            return hlo_infer_fail(in, HLO_RULE_DYNAMIC_RESHAPE_SIZES, (int)i,
                                  "operand %u is %s and must be of type s32", i,
                                  hlo_infer_text(in, in->operands[i]));
    return in->stated;
}

const hlo_shape *hlo_infer_bitcast(hlo_inference *in) {
    return hlo_expect_stated(in) ? in->stated : NULL;
}

const hlo_shape *hlo_infer_reverse(hlo_inference *in) {
    if (!hlo_expect_array(in, 0) ||
        !hlo_expect_unique(in, HLO_RULE_REVERSE_DIMENSIONS, HLO_ATTR_DIMENSIONS) ||
        !hlo_expect_range(in, HLO_RULE_REVERSE_DIMENSIONS, HLO_ATTR_DIMENSIONS,
                          in->operands[0]->rank))
        return NULL;
    return in->operands[0];
}

/* The layout under which the transpose moves no byte: dimension perm[i] of the operand is dimension
 * i of the result. NULL where the operand's layout is no permutation. */
static const int64_t *transposed_order(hlo_inference *in, const hlo_shape *operand,
                                       const hlo_ints *perm) {
    const int64_t *order = operand->layout->minor_to_major;
    int64_t *place = HLO_NEW_ARRAY(&in->scratch, int64_t, operand->rank);
    int64_t *out = HLO_NEW_ARRAY(&in->scratch, int64_t, operand->rank);
    for (uint32_t i = 0; i < operand->rank; i++) place[perm->v[i]] = i;
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (order[i] < 0 || order[i] >= operand->rank) return NULL;
        out[i] = place[order[i]];
    }
    return out;
}

const hlo_shape *hlo_infer_transpose(hlo_inference *in) {
    if (!hlo_expect_array(in, 0)) return NULL;
    const hlo_shape *operand = in->operands[0];
    const hlo_ints *perm = hlo_infer_ints(in, HLO_ATTR_DIMENSIONS);
    if (perm->n != operand->rank)
        return hlo_infer_fail(in, HLO_RULE_TRANSPOSE_PERMUTATION, HLO_AT(DIMENSIONS),
                              "dimensions=%s must have an entry for each dimension of %s",
                              hlo_infer_ints_text(in, perm->v, perm->n),
                              hlo_infer_text(in, operand));
    if (!hlo_expect_range(in, HLO_RULE_TRANSPOSE_PERMUTATION, HLO_ATTR_DIMENSIONS, operand->rank) ||
        !hlo_expect_unique(in, HLO_RULE_TRANSPOSE_PERMUTATION, HLO_ATTR_DIMENSIONS))
        return NULL;
    hlo_dims dims = hlo_dims_new(in, operand->rank);
    for (uint32_t i = 0; i < dims.rank; i++) {
        dims.size[i] = operand->dims[perm->v[i]];
        dims.dynamic[i] = hlo_dim_is_dynamic(operand, (uint32_t)perm->v[i]);
    }
    return hlo_shape_array(&in->module->shapes, (hlo_type)operand->type, dims.size, dims.rank,
                           dims.dynamic, transposed_order(in, operand, perm),
                           operand->layout->parts);
}

/* ---- dynamic sizes ---- */

static bool check_dimension_size(hlo_inference *in, int64_t *dimension) {
    if (!hlo_infer_single(in, HLO_ATTR_DIMENSIONS, dimension) || !hlo_expect_array(in, 0))
        return false;
    const hlo_shape *operand = in->operands[0];
    if (!hlo_expect_range(in, HLO_RULE_DIMENSION_SIZE, HLO_ATTR_DIMENSIONS, operand->rank))
        return false;
    if (operand->dims[*dimension] <= INT32_MAX) return true;
    return hlo_refuse(in, HLO_RULE_DIMENSION_SIZE, 0,
                      "dimension %lld of operand 0, %s, exceeds s32", (long long)*dimension,
                      hlo_infer_text(in, operand));
}

const hlo_shape *hlo_infer_get_dimension_size(hlo_inference *in) {
    int64_t dimension;
    return check_dimension_size(in, &dimension) ? hlo_make_scalar(in, HLO_S32) : NULL;
}

const hlo_shape *hlo_infer_set_dimension_size(hlo_inference *in) {
    int64_t dimension;
    if (!check_dimension_size(in, &dimension)) return NULL;
    if (!hlo_is_scalar_of(in->operands[1], HLO_S32))
        return hlo_infer_fail(in, HLO_RULE_DIMENSION_SIZE, 1, "operand 1 is %s and must be s32[]",
                              hlo_infer_text(in, in->operands[1]));
    hlo_dims dims = hlo_dims_of(in, in->operands[0]);
    dims.dynamic[dimension] = 1;
    return hlo_make_like(in, in->operands[0], (hlo_type)in->operands[0]->type, dims);
}

/* ---- leaves and tuples ---- */

const hlo_shape *hlo_infer_iota(hlo_inference *in) {
    if (!hlo_expect_stated(in)) return NULL;
    const hlo_shape *result = in->stated;
    if (!hlo_shape_is_array(result) || result->type == HLO_PRED)
        return hlo_infer_fail(in, HLO_RULE_ELEMENT_TYPE, HLO_NOWHERE,
                              "the result is %s and must be an array of numbers",
                              hlo_infer_text(in, result));
    int64_t dimension = hlo_infer_int(in, HLO_ATTR_IOTA_DIMENSION);
    if (dimension < 0 || dimension >= result->rank)
        return hlo_infer_fail(in, HLO_RULE_IOTA_DIMENSION, HLO_AT(IOTA_DIMENSION),
                              "iota_dimension is %lld and %s has the rank %u", (long long)dimension,
                              hlo_infer_text(in, result), result->rank);
    return result;
}

const hlo_shape *hlo_infer_constant(hlo_inference *in) {
    const hlo_attr *value = hlo_infer_attr(in, HLO_ATTR_VALUE);
    if (value && value->u.literal) return value->u.literal->shape;
    return hlo_expect_stated(in) ? in->stated : NULL;
}

const hlo_shape *hlo_infer_parameter(hlo_inference *in) {
    return hlo_expect_stated(in) ? in->stated : NULL;
}

const hlo_shape *hlo_infer_tuple(hlo_inference *in) {
    return hlo_make_tuple(in, in->operands, in->n);
}

const hlo_shape *hlo_infer_get_tuple_element(hlo_inference *in) {
    const hlo_shape *operand = in->operands[0];
    int64_t index = hlo_infer_int(in, HLO_ATTR_INDEX);
    if (!hlo_shape_is_tuple(operand))
        return hlo_infer_fail(in, HLO_RULE_TUPLE_INDEX, 0, "operand 0 is %s and must be a tuple",
                              hlo_infer_text(in, operand));
    if (index < 0 || index >= operand->rank)
        return hlo_infer_fail(in, HLO_RULE_TUPLE_INDEX, HLO_AT(INDEX),
                              "index is %lld and operand 0, %s, has %u elements", (long long)index,
                              hlo_infer_text(in, operand), operand->rank);
    return operand->elements[index];
}
