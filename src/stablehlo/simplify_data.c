/* Patterns of operations that move data: broadcasts, reshapes, transposes, slices, and the like. */
#include "stablehlo/simplify.h"

static bool is_counting(hlo_mlir_numbers v) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] != i) return false;
    return true;
}

static bool is_sorted(hlo_mlir_numbers v) {
    for (uint32_t i = 1; i < v.n; i++)
        if (v.v[i - 1] > v.v[i]) return false;
    return true;
}

static bool is_zero(hlo_mlir_numbers v) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i]) return false;
    return true;
}

static bool same_count(const hlo_mlir_type *a, const hlo_mlir_type *b) {
    return hlo_mlir_is_static(a) && hlo_mlir_is_static(b) &&
           hlo_mlir_element_count(a) == hlo_mlir_element_count(b);
}

/* The operand instead of the operation, with its attributes. */
static bool keep_operand(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_value *kept = hlo_mlir_operand(op, 0);
    hlo_simplify_merge_attrs(s, op, kept->op);
    return hlo_simplify_replace_by(s, op, kept);
}

/* A reshape of the value, of the operation's type, instead of it. */
static bool as_reshape(hlo_simplifier *s, hlo_mlir_op *op, hlo_mlir_value *value,
                       const hlo_mlir_location *place, bool merges) {
    hlo_mlir_op *reshape = hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_RESHAPE, place,
                                                  hlo_simplify_type(op), value);
    if (merges) hlo_simplify_merge_attrs(s, op, reshape);
    return hlo_simplify_replace_by(s, op, &reshape->results[0]);
}

/* A transpose of the value instead of the operation. */
static bool as_transpose(hlo_simplifier *s, hlo_mlir_op *op, hlo_mlir_value *value,
                         const hlo_mlir_location *place, uint32_t n, const int64_t *order) {
    const hlo_mlir_type *type = hlo_mlir_permuted(s->module, value->type, order);
    hlo_mlir_op *transpose =
        hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_TRANSPOSE, place, type, value);
    hlo_simplify_set_ints(s, transpose, "permutation", n, order);
    hlo_simplify_merge_attrs(s, op, transpose);
    return hlo_simplify_replace_by(s, op, &transpose->results[0]);
}

/* ---- broadcast_in_dim ---- */

static bool broadcast_dims(hlo_simplifier *s, const hlo_mlir_op *op, hlo_mlir_numbers *out) {
    return hlo_mlir_numbers_of(s->module, op, "broadcast_dimensions", out);
}

/* outer of inner */
static const int64_t *composed(hlo_simplifier *s, hlo_mlir_numbers outer, hlo_mlir_numbers inner) {
    int64_t *v = HLO_NEW_ARRAY(&s->module->arena, int64_t, inner.n);
    for (uint32_t i = 0; i < inner.n; i++) v[i] = outer.v[inner.v[i]];
    return v;
}

bool hlo_simplify_merge_broadcasts(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *inner =
        hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM);
    hlo_mlir_numbers dims, inner_dims;
    if (!inner || !broadcast_dims(s, op, &dims) || !broadcast_dims(s, inner, &inner_dims))
        return false;
    hlo_mlir_value *x = hlo_mlir_operand(inner, 0);
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (hlo_mlir_is_static(hlo_simplify_type(inner)) && is_sorted(inner_dims) &&
        same_count(hlo_simplify_type(inner), x->type))
        return false;
    const hlo_mlir_location *place = hlo_simplify_fuse(s, 2, (hlo_mlir_op *[]){op, inner});
    hlo_mlir_op *merged = hlo_simplify_new_unary(s, op->id, place, type, x);
    hlo_simplify_set_ints(s, merged, "broadcast_dimensions", inner_dims.n,
                          composed(s, dims, inner_dims));
    hlo_simplify_merge_attrs(s, op, merged);
    return hlo_simplify_replace_by(s, op, &merged->results[0]);
}

bool hlo_simplify_broadcast_as_reshape(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers dims;
    hlo_mlir_value *x = hlo_mlir_operand(op, 0);
    if (!broadcast_dims(s, op, &dims) || !is_sorted(dims) ||
        !same_count(hlo_simplify_type(op), x->type))
        return false;
    return as_reshape(s, op, x, op->location, true);
}

bool hlo_simplify_broadcast_of_nothing(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers dims;
    return broadcast_dims(s, op, &dims) && is_counting(dims) &&
           hlo_mlir_operand(op, 0)->type == hlo_simplify_type(op) && keep_operand(s, op);
}

bool hlo_simplify_broadcast_as_transpose(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers dims;
    hlo_mlir_value *x = hlo_mlir_operand(op, 0);
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (!broadcast_dims(s, op, &dims) || !same_count(type, x->type) ||
        type->rank != x->type->rank || dims.n != type->rank)
        return false;
    int64_t *order = HLO_NEW_ARRAY(&s->module->arena, int64_t, dims.n);
    for (uint32_t i = 0; i < dims.n; i++) order[dims.v[i]] = i;
    return as_transpose(s, op, x, op->location, dims.n, order);
}

/* ---- reshape, transpose, reverse, pad ---- */

bool hlo_simplify_merge_reshapes(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *inner =
        hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_RESHAPE);
    if (!inner) return false;
    const hlo_mlir_location *place = hlo_simplify_fuse(s, 2, (hlo_mlir_op *[]){op, inner});
    return as_reshape(s, op, hlo_mlir_operand(inner, 0), place, true);
}

bool hlo_simplify_merge_transposes(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *inner =
        hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_TRANSPOSE);
    hlo_mlir_numbers order, inner_order;
    if (!inner || !hlo_mlir_numbers_of(s->module, op, "permutation", &order) ||
        !hlo_mlir_numbers_of(s->module, inner, "permutation", &inner_order))
        return false;
    const hlo_mlir_location *place = hlo_simplify_fuse(s, 2, (hlo_mlir_op *[]){op, inner});
    return as_transpose(s, op, hlo_mlir_operand(inner, 0), place, order.n,
                        composed(s, inner_order, order));
}

bool hlo_simplify_transpose_of_nothing(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers order;
    return hlo_mlir_numbers_of(s->module, op, "permutation", &order) && is_counting(order) &&
           keep_operand(s, op);
}

bool hlo_simplify_transpose_as_reshape(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers order;
    hlo_mlir_value *x = hlo_mlir_operand(op, 0);
    if (!hlo_mlir_is_static(x->type) || !hlo_mlir_is_static(hlo_simplify_type(op)) ||
        !hlo_mlir_numbers_of(s->module, op, "permutation", &order))
        return false;
    int64_t last = -1;
    for (uint32_t i = 0; i < order.n; i++) {
        if (x->type->dims[order.v[i]] == 1) continue;
        if (order.v[i] < last) return false;
        last = order.v[i];
    }
    return as_reshape(s, op, x, op->location, false);
}

bool hlo_simplify_reverse_splat(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_attr *value = hlo_mlir_constant_of(hlo_mlir_operand(op, 0));
    return value && value->is_splat && hlo_simplify_replace_by(s, op, hlo_mlir_operand(op, 0));
}

bool hlo_simplify_reverse_ones(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers dims;
    const hlo_mlir_type *type = hlo_mlir_operand(op, 0)->type;
    if (!hlo_mlir_is_static(type) || !hlo_mlir_numbers_of(s->module, op, "dimensions", &dims))
        return false;
    for (uint32_t i = 0; i < dims.n; i++)
        if (type->dims[dims.v[i]] != 1) return false;
    return hlo_simplify_replace_by(s, op, hlo_mlir_operand(op, 0));
}

bool hlo_simplify_reverse_no_dimensions(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers dims;
    return hlo_mlir_numbers_of(s->module, op, "dimensions", &dims) && !dims.n &&
           hlo_simplify_replace_by(s, op, hlo_mlir_operand(op, 0));
}

bool hlo_simplify_reverse_empty(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_mlir_operand(op, 0)->type;
    return hlo_mlir_is_static(type) && !hlo_mlir_element_count(type) &&
           hlo_simplify_replace_by(s, op, hlo_mlir_operand(op, 0));
}

bool hlo_simplify_pad_by_nothing(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers low, high, between;
    return hlo_mlir_operand(op, 0)->type == hlo_simplify_type(op) &&
           hlo_mlir_numbers_of(s->module, op, "edge_padding_low", &low) && is_zero(low) &&
           hlo_mlir_numbers_of(s->module, op, "edge_padding_high", &high) && is_zero(high) &&
           hlo_mlir_numbers_of(s->module, op, "interior_padding", &between) && is_zero(between) &&
           hlo_simplify_replace_by(s, op, hlo_mlir_operand(op, 0));
}

bool hlo_simplify_pad_of_nothing(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_mlir_operand(op, 0)->type;
    if (!hlo_mlir_is_static(type) || hlo_mlir_element_count(type) ||
        !hlo_mlir_is_static(hlo_simplify_type(op)))
        return false;
    hlo_mlir_op *spread =
        hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM, op->location,
                               hlo_simplify_type(op), hlo_mlir_operand(op, 1));
    hlo_simplify_set_ints(s, spread, "broadcast_dimensions", 0, NULL);
    return hlo_simplify_replace_by(s, op, &spread->results[0]);
}

/* ---- concatenate ---- */

/* The concatenation of the same dimension that can be part of this one; NULL: none. */
static hlo_mlir_op *nested(const hlo_mlir_op *op, uint32_t i) {
    hlo_mlir_op *inner = hlo_mlir_defined_by(hlo_mlir_operand(op, i), op->id);
    if (!inner || !hlo_mlir_has_one_use(&inner->results[0])) return NULL;
    return hlo_mlir_number_of(inner, "dimension", 0) == hlo_mlir_number_of(op, "dimension", 0)
               ? inner
               : NULL;
}

bool hlo_simplify_flatten_concatenate(hlo_simplifier *s, hlo_mlir_op *op) {
    uint32_t n = 0, k = 0;
    bool flattens = false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_op *inner = nested(op, i);
        flattens |= inner != NULL;
        n += inner ? inner->operand_count : 1;
    }
    if (!flattens) return false;
    hlo_mlir_value **values = HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_value *, n);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_op *inner = nested(op, i);
        if (!inner) values[k++] = hlo_mlir_operand(op, i);
        else
            for (uint32_t j = 0; j < inner->operand_count; j++)
                values[k++] = hlo_mlir_operand(inner, j);
    }
    hlo_mlir_set_operands(s->module, op, n, values);
    hlo_simplify_notify(s, op);
    return true;
}

bool hlo_simplify_concatenate_one(hlo_simplifier *s, hlo_mlir_op *op) {
    return op->operand_count == 1 && hlo_mlir_operand(op, 0)->type == hlo_simplify_type(op) &&
           hlo_simplify_replace_by(s, op, hlo_mlir_operand(op, 0));
}

bool hlo_simplify_concatenate_empty(hlo_simplifier *s, hlo_mlir_op *op) {
    int64_t dim = hlo_mlir_number_of(op, "dimension", 0);
    hlo_mlir_value **values = HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_value *, op->operand_count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_value *value = hlo_mlir_operand(op, i);
        if (dim < 0 || dim >= value->type->rank) return false;
        if (value->type->dims[dim] != 0) values[n++] = value;
    }
    if (!n || n == op->operand_count) return false;
    hlo_mlir_set_operands(s->module, op, n, values);
    hlo_simplify_notify(s, op);
    return true;
}

/* ---- slices ---- */

typedef struct {
    hlo_mlir_numbers start, limit, stride;
} slice_bounds;

static bool bounds_of(hlo_simplifier *s, const hlo_mlir_op *op, slice_bounds *out) {
    return hlo_mlir_numbers_of(s->module, op, "start_indices", &out->start) &&
           hlo_mlir_numbers_of(s->module, op, "limit_indices", &out->limit) &&
           hlo_mlir_numbers_of(s->module, op, "strides", &out->stride);
}

/* A slice of the value by 1 in each dimension, or by `stride`. */
static hlo_mlir_op *new_slice(hlo_simplifier *s, const hlo_mlir_location *place, hlo_mlir_value *of,
                              const int64_t *start, const int64_t *limit, const int64_t *stride) {
    uint32_t rank = of->type->rank;
    int64_t *dims = HLO_NEW_ARRAY(&s->module->arena, int64_t, rank);
    int64_t *steps = HLO_NEW_ARRAY(&s->module->arena, int64_t, rank);
    for (uint32_t i = 0; i < rank; i++) {
        steps[i] = stride ? stride[i] : 1;
        dims[i] = steps[i] > 0 ? (limit[i] - start[i] + steps[i] - 1) / steps[i] : 0;
    }
    hlo_mlir_op *slice =
        hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_SLICE, place,
                               hlo_mlir_tensor(s->module, of->type, rank, dims), of);
    hlo_simplify_set_ints(s, slice, "limit_indices", rank, limit);
    hlo_simplify_set_ints(s, slice, "start_indices", rank, start);
    hlo_simplify_set_ints(s, slice, "strides", rank, steps);
    return slice;
}

bool hlo_simplify_slice_of_all(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_mlir_is_static(hlo_simplify_type(op)) &&
           hlo_mlir_operand(op, 0)->type == hlo_simplify_type(op) && keep_operand(s, op);
}

bool hlo_simplify_slice_of_concatenate(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *whole =
        hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_CONCATENATE);
    slice_bounds bounds;
    if (!whole || !hlo_mlir_is_static(hlo_simplify_type(op)) || !bounds_of(s, op, &bounds))
        return false;
    int64_t dim = hlo_mlir_number_of(whole, "dimension", 0), at = 0;
    const hlo_mlir_type *type = hlo_simplify_type(whole);
    if (!hlo_mlir_is_static(type) || dim < 0 || dim >= type->rank) return false;
    uint32_t n = whole->operand_count, first = n, end = n;
    int64_t offset = type->dims[dim], size = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t part = hlo_mlir_operand(whole, i)->type->dims[dim];
        if (part == HLO_UNBOUNDED) return false;
        if (at + part > bounds.start.v[dim] && first == n) {
            first = i;
            offset = at;
        }
        if (at < bounds.limit.v[dim]) end = i + 1;
        at += part;
    }
    if (end <= first || end - first == n) return false;
    if (end - first > 1 && !hlo_mlir_has_one_use(&whole->results[0])) return false;
    hlo_arena *arena = &s->module->arena;
    hlo_mlir_value **values = HLO_NEW_ARRAY(arena, hlo_mlir_value *, end - first);
    for (uint32_t i = first; i < end; i++) {
        values[i - first] = hlo_mlir_operand(whole, i);
        size += values[i - first]->type->dims[dim];
    }
    int64_t *dims = hlo_arena_copy(arena, type->dims, type->rank * sizeof *dims);
    dims[dim] = size;
    const hlo_mlir_type *part_type = hlo_mlir_tensor(s->module, type, type->rank, dims);
    hlo_mlir_op *part =
        hlo_simplify_new(s, whole->id, whole->location, 1, &part_type, end - first, values, 0);
    hlo_mlir_set_attr(s->module, part, "dimension", hlo_mlir_attr_of(whole, "dimension"));
    int64_t *start = hlo_arena_copy(arena, bounds.start.v, bounds.start.n * sizeof *start);
    int64_t *limit = hlo_arena_copy(arena, bounds.limit.v, bounds.limit.n * sizeof *limit);
    start[dim] -= offset;
    limit[dim] -= offset;
    hlo_mlir_op *slice =
        new_slice(s, op->location, &part->results[0], start, limit, bounds.stride.v);
    return hlo_simplify_replace_by(s, op, &slice->results[0]);
}

static int64_t clamped(int64_t value, int64_t most) {
    return value > most ? (most < 0 ? 0 : most) : value < 0 ? 0 : value;
}

bool hlo_simplify_dynamic_slice_is_static(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_value *x = hlo_mlir_operand(op, 0);
    hlo_mlir_numbers sizes;
    if (!hlo_mlir_is_static(x->type) || x->type->bounds ||
        !hlo_mlir_numbers_of(s->module, op, "slice_sizes", &sizes) ||
        sizes.n != op->operand_count - 1)
        return false;
    int64_t *start = HLO_NEW_ARRAY(&s->module->arena, int64_t, sizes.n);
    int64_t *limit = HLO_NEW_ARRAY(&s->module->arena, int64_t, sizes.n);
    for (uint32_t i = 0; i < sizes.n; i++) {
        hlo_dense at;
        if (!hlo_dense_of(hlo_mlir_operand(op, i + 1), &at) || !at.is_splat ||
            !hlo_is_whole(at.element))
            return false;
        start[i] = clamped(hlo_dense_signed(&at, 0), x->type->dims[i] - sizes.v[i]);
        limit[i] = start[i] + sizes.v[i];
    }
    hlo_mlir_op *slice = new_slice(s, op->location, x, start, limit, NULL);
    return hlo_simplify_replace_by(s, op, &slice->results[0]);
}

bool hlo_simplify_update_with_nothing(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense update;
    return hlo_dense_of(hlo_mlir_operand(op, 1), &update) && !update.n && keep_operand(s, op);
}

bool hlo_simplify_update_of_all(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_value *update = hlo_mlir_operand(op, 1);
    if (hlo_mlir_operand(op, 0)->type != update->type || !hlo_mlir_is_static(update->type))
        return false;
    for (uint32_t i = 2; i < op->operand_count; i++)
        if (!hlo_dense_is_int_zero(hlo_mlir_constant_of(hlo_mlir_operand(op, i)))) return false;
    hlo_simplify_merge_attrs(s, op, update->op);
    return hlo_simplify_replace_by(s, op, update);
}

/* The numbers of a member; without it there are none. */
static hlo_mlir_numbers member(hlo_simplifier *s, const hlo_mlir_attr *attr, const char *key) {
    hlo_mlir_numbers v;
    if (hlo_mlir_ints(s->module, hlo_mlir_member(attr, key), &v.n, &v.v)) return v;
    return (hlo_mlir_numbers){0};
}

static bool has_number(hlo_mlir_numbers v, int64_t number) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == number) return true;
    return false;
}

bool hlo_simplify_gather_as_slice(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_value *x = hlo_mlir_operand(op, 0);
    const hlo_mlir_attr *numbers = hlo_mlir_attr_of(op, "dimension_numbers");
    hlo_dense index;
    hlo_mlir_numbers sizes;
    if (!numbers || !hlo_dense_of(hlo_mlir_operand(op, 1), &index) ||
        !hlo_is_whole(index.element) || index.type->rank > 1 || !hlo_mlir_is_static(x->type) ||
        !hlo_mlir_numbers_of(s->module, op, "slice_sizes", &sizes) || sizes.n != x->type->rank)
        return false;
    const hlo_mlir_attr *vector_dim = hlo_mlir_member(numbers, "index_vector_dim");
    hlo_mlir_numbers map = member(s, numbers, "start_index_map");
    hlo_mlir_numbers collapsed = member(s, numbers, "collapsed_slice_dims");
    if (vector_dim && (!hlo_mlir_has_int(vector_dim) || hlo_mlir_int_of(vector_dim) != 0))
        return false;
    if (index.n != map.n) return false;
    int64_t *start = HLO_NEW_ARRAY(&s->module->arena, int64_t, sizes.n);
    int64_t *limit = hlo_arena_copy(&s->module->arena, sizes.v, sizes.n * sizeof *limit);
    for (uint32_t i = 0; i < map.n; i++) {
        int64_t d = map.v[i];
        int64_t offset = clamped(hlo_dense_signed(&index, i), x->type->dims[d] - limit[d]);
        start[d] += offset;
        limit[d] += offset;
    }
    hlo_mlir_op *last = new_slice(s, op->location, x, start, limit, NULL);
    if (collapsed.n) {
        int64_t *dims = HLO_NEW_ARRAY(&s->module->arena, int64_t, sizes.n);
        uint32_t rank = 0;
        for (uint32_t i = 0; i < sizes.n; i++)
            if (!has_number(collapsed, i)) dims[rank++] = sizes.v[i];
        last = hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_RESHAPE, op->location,
                                      hlo_mlir_tensor(s->module, x->type, rank, dims),
                                      &last->results[0]);
    }
    last->results[0].type = hlo_simplify_type(op);
    return hlo_simplify_replace_by(s, op, &last->results[0]);
}

/* ---- iota ---- */

bool hlo_simplify_iota_to_broadcast(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_simplify_type(op);
    int64_t dim = hlo_mlir_number_of(op, "iota_dimension", 0);
    if (type->rank < 2 || dim < 0 || dim >= type->rank) return false;
    const hlo_mlir_type *line = hlo_mlir_tensor(s->module, type, 1, &type->dims[dim]);
    hlo_mlir_op *iota = hlo_simplify_new(s, op->id, op->location, 1, &line, 0, NULL, 0);
    hlo_mlir_set_attr(s->module, iota, "iota_dimension", hlo_mlir_int_new(s->module, 0));
    hlo_mlir_op *spread = hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM,
                                                 op->location, type, &iota->results[0]);
    hlo_simplify_set_ints(s, spread, "broadcast_dimensions", 1, &dim);
    return hlo_simplify_replace_by(s, op, &spread->results[0]);
}

/* ---- tensors without elements ---- */

static bool has_empty_value(const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->results[i].type->is_empty) return true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (hlo_mlir_operand(op, i)->type->is_empty) return true;
    return false;
}

bool hlo_simplify_empty(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!has_empty_value(op)) return false;
    if (!hlo_mlir_is_of_dialect(op, "stablehlo") || hlo_mlir_is_constant(op) ||
        hlo_mlir_effects_of(op) == HLO_MLIR_SOME_EFFECTS)
        return false;
    bool changed = false;
    for (uint32_t i = 0; i < op->result_count; i++) {
        hlo_mlir_value *result = &op->results[i];
        if (!result->type->is_empty || !result->first_use) continue;
        hlo_simplify_replace_uses(
            s, result,
            hlo_simplify_constant(s, op->location,
                                  hlo_dense_attr(s->module, result->type, NULL, false)));
        changed = true;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_value *value = hlo_mlir_operand(op, i);
        if (!value->type->is_empty || hlo_mlir_defined_by(value, HLO_MLIR_OP_STABLEHLO_CONSTANT))
            continue;
        hlo_mlir_set_operand(
            op, i,
            hlo_simplify_constant(s, op->location,
                                  hlo_dense_attr(s->module, value->type, NULL, false)));
        hlo_simplify_notify(s, op);
        changed = true;
    }
    return changed;
}
