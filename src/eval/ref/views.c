/* Kernels that give the same bits another shape: reshape, bitcast, bitcast-convert; and the
 * run-time sizes of dimensions. Called by the runner. */
#include "eval/context.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/lanes.h"
#include "eval/ref/strides.h"
#include "shape/reshape_groups.h"

/* ---- reshape ---- */

static bool is_short_group(const hlo_value *from, const hlo_reshape_group *group) {
    for (uint32_t d = group->from; d < group->from_end; d++)
        if (from->sizes[d] != from->shape->dims[d]) return true;
    return false;
}

/* The run-time sizes of a group of the result; false when they do not come out even. *moves is set
 * when live elements move: they stay together only while just outermost dimensions are short. */
static bool reshape_group(const hlo_value *from, const hlo_shape *to,
                          const hlo_reshape_group *group, int64_t *sizes, bool *moves) {
    if (!is_short_group(from, group)) return true;
    uint32_t f = group->from, t = hlo_reshape_taker(to, group);
    if (t >= group->to_end) return false;
    int64_t live = 1, others = 1;
    for (uint32_t d = group->from; d < group->from_end; d++) live *= from->sizes[d];
    for (uint32_t d = group->to; d < group->to_end; d++)
        if (d != t) others *= to->dims[d];
    if (others == 0 || live % others) return false;
    sizes[t] = live / others;
    while (f + 1 < group->from_end && from->shape->dims[f] == 1) f++;
    for (uint32_t d = f + 1; d < group->from_end; d++)
        *moves |= from->sizes[d] != from->shape->dims[d];
    for (uint32_t d = group->to; d < t; d++) *moves |= to->dims[d] != 1;
    return true;
}

static bool reshape_sizes(hlo_value *result, const hlo_value *from, bool *moves) {
    if (hlo_shape_elements(from->shape) == 0) return true;
    int64_t *sizes = hlo_result_sizes(result);
    hlo_reshape_group group = {0};
    while (hlo_reshape_next_group(from->shape, result->shape, &group))
        if (!reshape_group(from, result->shape, &group, sizes, moves)) return false;
    return true;
}

hlo_value *hlo_eval_reshape(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    hlo_value *result = hlo_value_view(args[0], instr->shape);
    if (!result || !args[0]->sizes || hlo_shape_compatible(args[0]->shape, instr->shape))
        return result;
    bool moves = false;
    if (!reshape_sizes(result, args[0], &moves)) {
        hlo_eval_error(eval, instr, "mixes dimensions whose sizes are only known at run time");
        hlo_value_release(result);
        return NULL;
    }
    if (!moves) return result;
    hlo_value *repacked = hlo_value_zeros(instr->shape);
    if (repacked) {
        hlo_value_copy_sizes(repacked, result);
        hlo_repack(repacked, args[0]);
    }
    hlo_value_release(result);
    return repacked;
}

/* ---- bitcast: the physical order stays ---- */

/* Whether the logical order is the physical order. */
static bool is_row_major(const hlo_shape *shape) {
    for (uint32_t k = 0; k < shape->rank; k++)
        if (shape->layout->minor_to_major[k] != (int64_t)(shape->rank - 1 - k)) return false;
    return true;
}

/* Copies elements between logical order (`logical`) and physical order (the other array). */
static void permute(const hlo_shape *shape, void *to, const void *from, bool to_is_logical) {
    uint32_t bytes = hlo_element_bytes(shape);
    int64_t *strides = hlo_new_strides(shape, bytes), distance = bytes;
    int64_t *physical = hlo_new_strides(shape, bytes);
    for (uint32_t k = 0; k < shape->rank; k++) {
        int64_t d = shape->layout->minor_to_major[k];
        physical[d] = distance;
        distance *= shape->dims[d];
    }
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t k = shape->rank; k-- > 0;) {
        int64_t d = shape->layout->minor_to_major[k];
        hlo_walk_dim2(&walk, shape->dims[d], to_is_logical ? strides[d] : physical[d],
                      to_is_logical ? physical[d] : strides[d]);
    }
    hlo_copy_walk(&walk, to, from, bytes);
    hlo_free(strides);
    hlo_free(physical);
}

/* The value's elements in physical order, as a new value or the value itself, retained. */
static hlo_value *to_physical(hlo_value *value, const hlo_shape *shape) {
    if (is_row_major(shape)) return hlo_value_retain(value);
    hlo_value *physical = hlo_value_new(shape);
    if (physical) permute(shape, physical->data, value->data, false);
    return physical;
}

/* The other way round; takes the reference to `physical`. */
static hlo_value *to_logical(hlo_value *physical, const hlo_shape *shape) {
    if (!physical) return NULL;
    hlo_value *value = NULL;
    if (is_row_major(shape)) {
        value = hlo_value_view(physical, shape);
    } else {
        value = hlo_value_new(shape);
        if (value) permute(shape, value->data, physical->data, true);
    }
    hlo_value_release(physical);
    return value;
}

static bool has_same_layout(const hlo_shape *a, const hlo_shape *b) {
    if (a->rank != b->rank) return false;
    for (uint32_t k = 0; k < a->rank; k++)
        if (a->dims[k] != b->dims[k] ||
            a->layout->minor_to_major[k] != b->layout->minor_to_major[k])
            return false;
    return true;
}

/* ---- elements as one string of bits ---- */

/* Elements of `bits` bits each are copied from bytes of their own to a dense string of bits or
 * back; the first element has the lowest bits. */
static void pack_bits(uint8_t *dense, const uint8_t *elements, int64_t count, unsigned bits) {
    memset(dense, 0, (size_t)((count * bits + 7) / 8));
    for (int64_t k = 0; k < count * bits; k++)
        dense[k / 8] |= (uint8_t)((elements[k / bits] >> (k % bits) & 1) << (k % 8));
}

static void unpack_bits(uint8_t *elements, const uint8_t *dense, int64_t count, unsigned bits) {
    memset(elements, 0, (size_t)count);
    for (int64_t k = 0; k < count * bits; k++)
        elements[k / bits] |= (uint8_t)((dense[k / 8] >> (k % 8) & 1) << (k % bits));
}

static int64_t bits_of(const hlo_shape *shape) {
    return hlo_shape_elements(shape) * hlo_types[shape->type].bits;
}

/* The bits of `value` as elements of the shape, which takes as many. */
static hlo_value *reinterpret(hlo_value *value, const hlo_shape *from, const hlo_shape *to) {
    unsigned from_bits = hlo_types[from->type].bits, to_bits = hlo_types[to->type].bits;
    if (from_bits >= 8 && to_bits >= 8) return hlo_value_alias(value, to);
    hlo_value *result = hlo_value_new(to);
    if (!result) return NULL;
    int64_t count = hlo_shape_elements(to);
    uint8_t *dense = from_bits < 8 ? hlo_malloc((size_t)((bits_of(from) + 7) / 8)) : value->data;
    if (from_bits < 8) pack_bits(dense, value->data, hlo_shape_elements(from), from_bits);
    if (to_bits < 8) unpack_bits(result->data, dense, count, to_bits);
    else memcpy(result->data, dense, (size_t)count * hlo_types[to->type].bytes);
    hlo_extend_elements((hlo_type)to->type, result->data, (size_t)count);
    if (from_bits < 8) hlo_free(dense);
    return result;
}

static bool check_bits(hlo_eval *eval, const hlo_instr *instr) {
    const hlo_shape *from = hlo_operand(instr, 0)->shape;
    if (hlo_shape_is_array(from) && hlo_shape_is_array(instr->shape) &&
        bits_of(from) == bits_of(instr->shape))
        return true;
    hlo_eval_error(eval, instr, "has a result of another size than its operand");
    return false;
}

hlo_value *hlo_eval_bitcast(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    const hlo_shape *from = hlo_operand(instr, 0)->shape, *to = instr->shape;
    if (hlo_shape_is_tuple(from) && hlo_shape_compatible(from, to))
        return hlo_value_retain(args[0]);
    if (!check_bits(eval, instr)) return NULL;
    if (from->type == to->type && has_same_layout(from, to)) return hlo_value_view(args[0], to);
    hlo_value *physical = to_physical(args[0], from);
    if (physical && from->type != to->type) {
        hlo_value *other = reinterpret(physical, from, to);
        hlo_value_release(physical);
        physical = other;
    }
    return to_logical(physical, to);
}

/* A narrower result has one more dimension, the innermost, and a wider one has one less. */
hlo_value *hlo_eval_bitcast_convert(hlo_eval *eval, const hlo_instr *instr,
                                    hlo_value *const *args) {
    const hlo_shape *from = hlo_operand(instr, 0)->shape, *to = instr->shape;
    if (!check_bits(eval, instr)) return NULL;
    hlo_value *result = reinterpret(args[0], from, to);
    if (result && from->rank == to->rank) hlo_value_copy_sizes(result, args[0]);
    return result;
}

/* ---- run-time sizes ---- */

/* The one dimension that the attribute names. */
static bool one_dimension(hlo_eval *eval, const hlo_instr *instr, uint32_t *dimension) {
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    if (dims->n == 1 && hlo_shape_is_array(shape) && dims->v[0] >= 0 && dims->v[0] < shape->rank) {
        *dimension = (uint32_t)dims->v[0];
        return true;
    }
    hlo_eval_error(eval, instr, "does not name one dimension of its operand");
    return false;
}

hlo_value *hlo_eval_get_dimension_size(hlo_eval *eval, const hlo_instr *instr,
                                       hlo_value *const *args) {
    uint32_t dimension;
    if (!one_dimension(eval, instr, &dimension)) return NULL;
    hlo_value *result = hlo_value_zeros(instr->shape);
    if (!result) return NULL;
    int32_t size = (int32_t)hlo_value_size(args[0], dimension);
    memcpy(result->data, &size, sizeof size);
    return result;
}

hlo_value *hlo_eval_set_dimension_size(hlo_eval *eval, const hlo_instr *instr,
                                       hlo_value *const *args) {
    uint32_t dimension;
    if (!one_dimension(eval, instr, &dimension)) return NULL;
    hlo_value *result = hlo_value_alias(args[0], instr->shape);
    if (!result) return NULL;
    hlo_value_copy_sizes(result, args[0]);
    int64_t *sizes = hlo_result_sizes(result);
    sizes[dimension] = hlo_clamp_index(hlo_index_at(args[1], 0), 0, instr->shape->dims[dimension]);
    return result;
}
