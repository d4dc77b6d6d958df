/* Patterns of operations whose sizes are operands, where these are constants. */
#include "stablehlo/simplify.h"

/* The whole numbers of a constant; false: it is none. */
static bool known(hlo_simplifier *s, const hlo_mlir_value *value, hlo_mlir_numbers *out) {
    hlo_dense a;
    if (!hlo_dense_of(value, &a) || !hlo_is_whole(a.element) || a.n > HLO_SIMPLIFY_MOST_ELEMENTS)
        return false;
    int64_t *v = HLO_NEW_ARRAY(&s->module->arena, int64_t, a.n);
    for (int64_t i = 0; i < a.n; i++) v[i] = hlo_dense_signed(&a, i);
    *out = (hlo_mlir_numbers){(uint32_t)a.n, v};
    return true;
}

/* The operation of this kind on the operand, instead of the given one. */
static hlo_mlir_op *instead(hlo_simplifier *s, hlo_mlir_op *op, hlo_mlir_op_id id,
                            const hlo_mlir_location *place) {
    return hlo_simplify_new_unary(s, id, place, hlo_simplify_type(op), hlo_mlir_operand(op, 0));
}

static void copy_attr(hlo_simplifier *s, hlo_mlir_op *to, const hlo_mlir_op *from,
                      const char *name) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(from, name);
    if (attr) hlo_mlir_set_attr(s->module, to, name, attr);
}

static bool is_counting(hlo_simplifier *s, const hlo_mlir_op *op, const char *name) {
    hlo_mlir_numbers v;
    if (!hlo_mlir_numbers_of(s->module, op, name, &v)) return false;
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] != i) return false;
    return true;
}

/* ---- dynamic_broadcast_in_dim ---- */

bool hlo_simplify_dynamic_broadcast_of_reshape(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *reshape =
        hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_DYNAMIC_RESHAPE);
    if (!reshape || hlo_mlir_operand(reshape, 1) != hlo_mlir_operand(op, 1) ||
        !is_counting(s, op, "broadcast_dimensions"))
        return false;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_op *made = hlo_simplify_new(
        s, reshape->id, hlo_simplify_fuse(s, 2, (hlo_mlir_op *[]){op, reshape}), 1, &type, 2,
        (hlo_mlir_value *[]){hlo_mlir_operand(reshape, 0), hlo_mlir_operand(op, 1)}, 0);
    hlo_simplify_merge_attrs(s, op, made);
    return hlo_simplify_replace_by(s, op, &made->results[0]);
}

bool hlo_simplify_merge_dynamic_broadcasts(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *inner = hlo_mlir_defined_by(hlo_mlir_operand(op, 0), op->id);
    hlo_mlir_numbers dims, inner_dims;
    if (!inner || !hlo_mlir_numbers_of(s->module, op, "broadcast_dimensions", &dims) ||
        !hlo_mlir_numbers_of(s->module, inner, "broadcast_dimensions", &inner_dims))
        return false;
    int64_t *merged = HLO_NEW_ARRAY(&s->module->arena, int64_t, inner_dims.n);
    for (uint32_t i = 0; i < inner_dims.n; i++) merged[i] = dims.v[inner_dims.v[i]];
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_op *made = hlo_simplify_new(
        s, op->id, hlo_simplify_fuse(s, 2, (hlo_mlir_op *[]){op, inner}), 1, &type, 2,
        (hlo_mlir_value *[]){hlo_mlir_operand(inner, 0), hlo_mlir_operand(op, 1)}, 0);
    hlo_simplify_set_ints(s, made, "broadcast_dimensions", inner_dims.n, merged);
    hlo_simplify_set_ints(s, made, "known_expanding_dimensions", 0, NULL);
    hlo_simplify_set_ints(s, made, "known_nonexpanding_dimensions", 0, NULL);
    hlo_simplify_merge_attrs(s, op, made);
    return hlo_simplify_replace_by(s, op, &made->results[0]);
}

bool hlo_simplify_dynamic_broadcast_as_convert(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers same;
    if (!is_counting(s, op, "broadcast_dimensions") ||
        !hlo_mlir_numbers_of(s->module, op, "known_nonexpanding_dimensions", &same) ||
        same.n != hlo_simplify_type(op)->rank)
        return false;
    hlo_mlir_op *convert = instead(s, op, HLO_MLIR_OP_STABLEHLO_CONVERT, op->location);
    hlo_simplify_merge_attrs(s, op, convert);
    return hlo_simplify_replace_by(s, op, &convert->results[0]);
}

/* Users of other dialects, such as a return, want the type that it has. */
static bool has_outer_user(const hlo_mlir_op *op) {
    for (const hlo_mlir_use *use = op->results[0].first_use; use; use = use->next)
        if (!hlo_mlir_is_of_dialect(use->user, "stablehlo")) return true;
    return false;
}

bool hlo_simplify_dynamic_broadcast_is_static(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_value *x = hlo_mlir_operand(op, 0);
    hlo_mlir_numbers dims;
    bool is_static = hlo_mlir_is_static(type);
    if (!hlo_mlir_is_static(x->type)) return false;
    if (!is_static) {
        if (!known(s, hlo_mlir_operand(op, 1), &dims)) return false;
        type = hlo_mlir_tensor(s->module, type, dims.n, dims.v);
    }
    hlo_mlir_op *made =
        hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM, op->location, type, x);
    copy_attr(s, made, op, "broadcast_dimensions");
    if (!is_static && has_outer_user(op))
        made = hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_CONVERT, op->location,
                                      hlo_simplify_type(op), &made->results[0]);
    return hlo_simplify_replace_by(s, op, &made->results[0]);
}

/* ---- dynamic_iota ---- */

bool hlo_simplify_dynamic_iota_to_broadcast(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_value *sizes = hlo_mlir_operand(op, 0);
    int64_t dim = hlo_mlir_number_of(op, "iota_dimension", 0), one = 1, end = dim + 1;
    if (type->rank < 2 || dim < 0 || dim >= type->rank || sizes->type->other) return false;
    const hlo_mlir_type *wide =
        hlo_mlir_tensor_of(s->module, HLO_S64, sizes->type->rank, sizes->type->dims);
    hlo_mlir_op *convert =
        hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_CONVERT, op->location, wide, sizes);
    hlo_mlir_op *size = hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_SLICE, op->location,
                                               hlo_mlir_tensor_of(s->module, HLO_S64, 1, &one),
                                               &convert->results[0]);
    hlo_simplify_set_ints(s, size, "start_indices", 1, &dim);
    hlo_simplify_set_ints(s, size, "limit_indices", 1, &end);
    hlo_simplify_set_ints(s, size, "strides", 1, &one);
    hlo_mlir_op *line = hlo_simplify_new_unary(
        s, op->id, op->location, hlo_mlir_tensor(s->module, type, 1, &type->dims[dim]),
        &size->results[0]);
    hlo_mlir_set_attr(s->module, line, "iota_dimension", hlo_mlir_int_new(s->module, 0));
    hlo_mlir_op *spread =
        hlo_simplify_new(s, HLO_MLIR_OP_STABLEHLO_DYNAMIC_BROADCAST_IN_DIM, op->location, 1, &type,
                         2, (hlo_mlir_value *[]){&line->results[0], sizes}, 0);
    hlo_simplify_set_ints(s, spread, "broadcast_dimensions", 1, &dim);
    return hlo_simplify_replace_by(s, op, &spread->results[0]);
}

bool hlo_simplify_dynamic_iota_is_static(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (!hlo_mlir_is_static(type)) return false;
    hlo_mlir_op *iota =
        hlo_simplify_new(s, HLO_MLIR_OP_STABLEHLO_IOTA, op->location, 1, &type, 0, NULL, 0);
    copy_attr(s, iota, op, "iota_dimension");
    return hlo_simplify_replace_by(s, op, &iota->results[0]);
}

/* ---- dynamic_reshape ---- */

bool hlo_simplify_merge_dynamic_reshapes(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *inner = hlo_mlir_defined_by(hlo_mlir_operand(op, 0), op->id);
    if (!inner) return false;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_op *made = hlo_simplify_new(
        s, op->id, hlo_simplify_fuse(s, 2, (hlo_mlir_op *[]){op, inner}), 1, &type, 2,
        (hlo_mlir_value *[]){hlo_mlir_operand(inner, 0), hlo_mlir_operand(op, 1)}, 0);
    hlo_simplify_merge_attrs(s, op, made);
    return hlo_simplify_replace_by(s, op, &made->results[0]);
}

/* Of one operand or two, of the sizes of its result. */
static bool keeps_sizes(const hlo_mlir_op *op) {
    switch (op->id) {
    case HLO_MLIR_OP_STABLEHLO_COMPARE: return true;
    default: return op->id >= HLO_MLIR_OP_STABLEHLO_ABS && op->id < HLO_MLIR_OP_STABLEHLO_CLAMP;
    }
}

bool hlo_simplify_dynamic_reshape_of_elementwise(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *elementwise = hlo_mlir_operand(op, 0)->op;
    if (!elementwise || !keeps_sizes(elementwise)) return false;
    hlo_mlir_op *inner = hlo_mlir_defined_by(hlo_mlir_operand(elementwise, 0), op->id);
    return inner && hlo_mlir_operand(inner, 1) == hlo_mlir_operand(op, 1) &&
           hlo_simplify_replace_by(s, op, &elementwise->results[0]);
}

bool hlo_simplify_dynamic_reshape_is_static(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!hlo_mlir_is_static(hlo_simplify_type(op))) return false;
    hlo_mlir_op *reshape = instead(s, op, HLO_MLIR_OP_STABLEHLO_RESHAPE, op->location);
    return hlo_simplify_replace_by(s, op, &reshape->results[0]);
}

/* ---- gather, pad, slice ---- */

bool hlo_simplify_dynamic_gather_is_static(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers sizes;
    if (op->operand_count != 3 || !known(s, hlo_mlir_operand(op, 2), &sizes)) return false;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_op *ops[] = {op, hlo_mlir_operand(op, 2)->op};
    hlo_mlir_op *gather =
        hlo_simplify_new(s, HLO_MLIR_OP_STABLEHLO_GATHER, hlo_simplify_fuse(s, 2, ops), 1, &type, 2,
                         (hlo_mlir_value *[]){hlo_mlir_operand(op, 0), hlo_mlir_operand(op, 1)}, 0);
    copy_attr(s, gather, op, "dimension_numbers");
    hlo_simplify_set_ints(s, gather, "slice_sizes", sizes.n, sizes.v);
    copy_attr(s, gather, op, "indices_are_sorted");
    hlo_simplify_merge_attrs(s, op, gather);
    return hlo_simplify_replace_by(s, op, &gather->results[0]);
}

/* The operation of this kind on the first `kept` operands, with the constants that follow as
 * attributes of these names. */
static bool with_attributes(hlo_simplifier *s, hlo_mlir_op *op, hlo_mlir_op_id id, uint32_t kept,
                            const char *const *names, bool merges) {
    hlo_mlir_numbers numbers[3];
    hlo_mlir_op *ops[4] = {op};
    hlo_mlir_value *values[2];
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (op->operand_count != kept + 3) return false;
    for (uint32_t i = 0; i < 3; i++) {
        if (!known(s, hlo_mlir_operand(op, kept + i), &numbers[i])) return false;
        ops[i + 1] = hlo_mlir_operand(op, kept + i)->op;
    }
    for (uint32_t i = 0; i < kept; i++) values[i] = hlo_mlir_operand(op, i);
    hlo_mlir_op *made =
        hlo_simplify_new(s, id, hlo_simplify_fuse(s, 4, ops), 1, &type, kept, values, 0);
    for (uint32_t i = 0; i < 3; i++)
        hlo_simplify_set_ints(s, made, names[i], numbers[i].n, numbers[i].v);
    if (merges) hlo_simplify_merge_attrs(s, op, made);
    return hlo_simplify_replace_by(s, op, &made->results[0]);
}

bool hlo_simplify_dynamic_pad_is_static(hlo_simplifier *s, hlo_mlir_op *op) {
    static const char *const names[] = {"edge_padding_low", "edge_padding_high",
                                        "interior_padding"};
    return with_attributes(s, op, HLO_MLIR_OP_STABLEHLO_PAD, 2, names, true);
}

bool hlo_simplify_real_dynamic_slice_is_static(hlo_simplifier *s, hlo_mlir_op *op) {
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    return with_attributes(s, op, HLO_MLIR_OP_STABLEHLO_SLICE, 1, names, false);
}

/* The sizes, where limits are starts plus constants. */
static bool sizes_of(hlo_simplifier *s, const hlo_mlir_op *op, hlo_mlir_numbers *out) {
    hlo_mlir_op *add = hlo_mlir_defined_by(hlo_mlir_operand(op, 2), HLO_MLIR_OP_STABLEHLO_ADD);
    if (!add) return false;
    for (uint32_t i = 0; i < 2; i++)
        if (hlo_mlir_operand(add, i) == hlo_mlir_operand(op, 1) &&
            known(s, hlo_mlir_operand(add, 1 - i), out))
            return true;
    return false;
}

bool hlo_simplify_real_dynamic_slice_to_dynamic_slice(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_numbers strides, sizes;
    if (op->operand_count != 4 || !known(s, hlo_mlir_operand(op, 3), &strides) ||
        !sizes_of(s, op, &sizes))
        return false;
    for (uint32_t i = 0; i < strides.n; i++)
        if (strides.v[i] != 1) return false;
    hlo_mlir_value *starts = hlo_mlir_operand(op, 1);
    hlo_mlir_value **values = HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_value *, sizes.n + 1);
    values[0] = hlo_mlir_operand(op, 0);
    for (uint32_t i = 0; i < sizes.n; i++) {
        int64_t one = 1, start = i, limit = (int64_t)i + 1;
        hlo_mlir_op *slice =
            hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_SLICE, op->location,
                                   hlo_mlir_tensor(s->module, starts->type, 1, &one), starts);
        hlo_simplify_set_ints(s, slice, "start_indices", 1, &start);
        hlo_simplify_set_ints(s, slice, "limit_indices", 1, &limit);
        hlo_simplify_set_ints(s, slice, "strides", 1, &one);
        values[i + 1] = &hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_RESHAPE, op->location,
                                                hlo_mlir_tensor(s->module, starts->type, 0, NULL),
                                                &slice->results[0])
                             ->results[0];
    }
    const hlo_mlir_type *type = hlo_mlir_tensor(s->module, values[0]->type, sizes.n, sizes.v);
    hlo_mlir_op *made = hlo_simplify_new(s, HLO_MLIR_OP_STABLEHLO_DYNAMIC_SLICE, op->location, 1,
                                         &type, sizes.n + 1, values, 0);
    hlo_simplify_set_ints(s, made, "slice_sizes", sizes.n, sizes.v);
    return hlo_simplify_replace_by(s, op, &made->results[0]);
}
