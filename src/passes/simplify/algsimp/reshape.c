/* algsimp: reshape, transpose and reverse. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

static const hlo_ints *dimensions_of(const hlo_instr *instr) {
    return hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
}

/* ---- reshape ---- */

hlo_instr *hlo_rewrite_reshape_of_reshape(hlo_rewriter *r, hlo_instr *reshape) {
    hlo_instr *inner = hlo_operand(reshape, 0);
    if (inner->opcode != HLO_OP_RESHAPE) return NULL;
    return hlo_emit_unary(r, HLO_OP_RESHAPE, reshape->shape, hlo_operand(inner, 0));
}

hlo_instr *hlo_rewrite_reshape_of_broadcast(hlo_rewriter *r, hlo_instr *reshape) {
    hlo_instr *broadcast = hlo_operand(reshape, 0);
    const hlo_ints *old = dimensions_of(broadcast);
    if (broadcast->opcode != HLO_OP_BROADCAST || old->n == 0) return NULL;
    hlo_ints *place = hlo_ints_new(&r->module->arena, broadcast->shape->rank);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, old->n);
    if (!hlo_follow_dims(broadcast->shape, reshape->shape, place->v)) return NULL;
    for (uint32_t i = 0; i < old->n; i++) {
        dims->v[i] = place->v[old->v[i]];
        if (dims->v[i] < 0) return NULL;
    }
    return hlo_emit_broadcast(r, reshape->shape, hlo_operand(broadcast, 0), dims->v, dims->n);
}

/* reshape(op(reshape(a))) where the outer one undoes the inner one. */
hlo_instr *hlo_rewrite_reshape_around_unary(hlo_rewriter *r, hlo_instr *reshape) {
    hlo_instr *op = hlo_operand(reshape, 0);
    bool fits = (hlo_info(op)->flags & HLO_OP_IS_ELEMENTWISE) && op->operand_count == 1 &&
                op->opcode != HLO_OP_COPY && op->opcode != HLO_OP_BITCAST_CONVERT &&
                hlo_has_one_user(op) && hlo_shape_is_array(op->shape);
    hlo_instr *inner = fits ? hlo_operand(op, 0) : NULL;
    if (!inner || inner->opcode != HLO_OP_RESHAPE) return NULL;
    hlo_instr *a = hlo_operand(inner, 0);
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, a->shape, (hlo_type)reshape->shape->type);
    return shape == reshape->shape ? hlo_emit_like(r, op, shape, &a, 1) : NULL;
}

/* ---- transpose ---- */

hlo_instr *hlo_rewrite_transpose_nothing(hlo_rewriter *r, hlo_instr *transpose) {
    (void)r;
    bool fits = hlo_is_identity_order(dimensions_of(transpose)) &&
                hlo_operand(transpose, 0)->shape == transpose->shape;
    return fits ? hlo_operand(transpose, 0) : NULL;
}

hlo_instr *hlo_rewrite_transpose_of_transpose(hlo_rewriter *r, hlo_instr *transpose) {
    hlo_instr *inner = hlo_operand(transpose, 0);
    if (inner->opcode != HLO_OP_TRANSPOSE) return NULL;
    const hlo_ints *outer = dimensions_of(transpose), *first = dimensions_of(inner);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, outer->n);
    for (uint32_t i = 0; i < outer->n; i++) dims->v[i] = first->v[outer->v[i]];
    return hlo_emit_transpose(r, transpose->shape, hlo_operand(inner, 0), dims->v);
}

/* Only dimensions of size 1 move, and the layout is the same before and after. */
hlo_instr *hlo_rewrite_transpose_to_reshape(hlo_rewriter *r, hlo_instr *transpose) {
    const hlo_ints *dims = dimensions_of(transpose);
    const hlo_shape *shape = transpose->shape;
    int64_t last = -1;
    if (!hlo_operand(transpose, 0)->shape->plain_layout || !shape->plain_layout) return NULL;
    for (uint32_t i = 0; i < dims->n; i++) {
        if (shape->dims[i] == 1) continue;
        if (dims->v[i] < last) return NULL;
        last = dims->v[i];
    }
    return hlo_emit_unary(r, HLO_OP_RESHAPE, shape, hlo_operand(transpose, 0));
}

hlo_instr *hlo_rewrite_transpose_of_broadcast(hlo_rewriter *r, hlo_instr *transpose) {
    hlo_instr *broadcast = hlo_operand(transpose, 0);
    if (broadcast->opcode != HLO_OP_BROADCAST) return NULL;
    const hlo_ints *order = dimensions_of(transpose), *old = dimensions_of(broadcast);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, old->n);
    for (uint32_t i = 0; i < old->n; i++)
        for (uint32_t k = 0; k < order->n; k++)
            if (order->v[k] == old->v[i]) dims->v[i] = k;
    return hlo_emit_broadcast(r, transpose->shape, hlo_operand(broadcast, 0), dims->v, dims->n);
}

hlo_instr *hlo_rewrite_broadcast_of_transpose(hlo_rewriter *r, hlo_instr *broadcast) {
    hlo_instr *transpose = hlo_operand(broadcast, 0);
    if (transpose->opcode != HLO_OP_TRANSPOSE) return NULL;
    const hlo_ints *order = dimensions_of(transpose), *old = dimensions_of(broadcast);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, old->n);
    for (uint32_t i = 0; i < order->n; i++) dims->v[order->v[i]] = old->v[i];
    return hlo_emit_broadcast(r, broadcast->shape, hlo_operand(transpose, 0), dims->v, dims->n);
}

hlo_instr *hlo_rewrite_transpose_of_iota(hlo_rewriter *r, hlo_instr *transpose) {
    const hlo_instr *iota = hlo_operand(transpose, 0);
    const hlo_ints *order = dimensions_of(transpose);
    if (iota->opcode != HLO_OP_IOTA) return NULL;
    uint32_t along = 0;
    while (order->v[along] != hlo_attr_int(iota, HLO_ATTR_IOTA_DIMENSION)) along++;
    hlo_attr dim = hlo_attr_of_int(HLO_ATTR_IOTA_DIMENSION, along);
    return hlo_emit(r, HLO_OP_IOTA, transpose->shape, NULL, 0, &dim, 1);
}

/* ---- reverse ---- */

hlo_instr *hlo_rewrite_reverse_nothing(hlo_rewriter *r, hlo_instr *reverse) {
    (void)r;
    const hlo_ints *dims = dimensions_of(reverse);
    for (uint32_t i = 0; i < dims->n; i++)
        if (reverse->shape->dims[dims->v[i]] > 1) return NULL;
    return hlo_operand(reverse, 0);
}

hlo_instr *hlo_rewrite_reverse_of_reverse(hlo_rewriter *r, hlo_instr *reverse) {
    hlo_instr *inner = hlo_operand(reverse, 0);
    if (inner->opcode != HLO_OP_REVERSE) return NULL;
    const hlo_ints *outer = dimensions_of(reverse), *first = dimensions_of(inner);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, outer->n + first->n);
    uint32_t n = 0;
    for (int64_t d = 0; d < reverse->shape->rank && n < outer->n + first->n; d++)
        if (hlo_ints_contain(outer, d) != hlo_ints_contain(first, d)) dims->v[n++] = d;
    if (n == 0) return hlo_operand(inner, 0);
    hlo_attr attr = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, dims->v, n);
    hlo_instr *a = hlo_operand(inner, 0);
    return hlo_emit(r, HLO_OP_REVERSE, reverse->shape, &a, 1, &attr, 1);
}

hlo_instr *hlo_rewrite_reshape_of_iota(hlo_rewriter *r, hlo_instr *reshape) {
    const hlo_instr *iota = hlo_operand(reshape, 0);
    if (iota->opcode != HLO_OP_IOTA) return NULL;
    int64_t along = hlo_attr_int(iota, HLO_ATTR_IOTA_DIMENSION);
    hlo_ints *place = hlo_ints_new(&r->module->arena, iota->shape->rank);
    if (!hlo_follow_dims(iota->shape, reshape->shape, place->v) || place->v[along] < 0) return NULL;
    hlo_attr dim = hlo_attr_of_int(HLO_ATTR_IOTA_DIMENSION, place->v[along]);
    return hlo_emit(r, HLO_OP_IOTA, reshape->shape, NULL, 0, &dim, 1);
}

/* transpose(op(transpose(a))) where the outer one undoes the inner one. */
hlo_instr *hlo_rewrite_transpose_around_unary(hlo_rewriter *r, hlo_instr *transpose) {
    hlo_instr *op = hlo_operand(transpose, 0);
    bool fits = (hlo_info(op)->flags & HLO_OP_IS_ELEMENTWISE) && op->operand_count == 1 &&
                op->opcode != HLO_OP_COPY && op->opcode != HLO_OP_BITCAST_CONVERT &&
                hlo_has_one_user(op);
    const hlo_instr *inner = fits ? hlo_operand(op, 0) : NULL;
    if (!inner || inner->opcode != HLO_OP_TRANSPOSE) return NULL;
    const hlo_ints *outer = dimensions_of(transpose), *first = dimensions_of(inner);
    for (uint32_t i = 0; i < outer->n; i++)
        if (first->v[outer->v[i]] != i) return NULL;
    hlo_instr *a = hlo_operand(inner, 0);
    return hlo_emit_like(r, op, transpose->shape, &a, 1);
}

/* ---- reverse of what is repeated, moved, computed ---- */

static hlo_instr *reversed(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *a,
                           const hlo_ints *dims) {
    hlo_attr attr = {.id = HLO_ATTR_DIMENSIONS, .u.ints = dims};
    return hlo_emit(r, HLO_OP_REVERSE, shape, &a, 1, &attr, 1);
}

/* Those of `dims` that are in `list`. */
static hlo_ints *dims_within(hlo_rewriter *r, const hlo_ints *dims, const hlo_ints *list) {
    hlo_ints *kept = hlo_ints_new(&r->module->arena, dims->n);
    kept->n = 0;
    for (uint32_t i = 0; i < dims->n; i++)
        if (hlo_ints_contain(list, dims->v[i])) kept->v[kept->n++] = dims->v[i];
    return kept;
}

/* Along dimensions that the broadcast makes all elements are the same. */
hlo_instr *hlo_rewrite_reverse_of_broadcast(hlo_rewriter *r, hlo_instr *reverse) {
    hlo_instr *broadcast = hlo_operand(reverse, 0);
    if (broadcast->opcode != HLO_OP_BROADCAST) return NULL;
    const hlo_ints *dims = dimensions_of(reverse);
    const hlo_ints *kept = dims_within(r, dims, dimensions_of(broadcast));
    if (kept->n == dims->n) return NULL;
    return kept->n ? reversed(r, reverse->shape, broadcast, kept) : broadcast;
}

/* Only dimensions of size 1 are moved relative to the others. */
hlo_instr *hlo_rewrite_reverse_partly_nothing(hlo_rewriter *r, hlo_instr *reverse) {
    const hlo_ints *dims = dimensions_of(reverse);
    hlo_ints *kept = hlo_ints_new(&r->module->arena, dims->n);
    kept->n = 0;
    for (uint32_t i = 0; i < dims->n; i++)
        if (reverse->shape->dims[dims->v[i]] > 1) kept->v[kept->n++] = dims->v[i];
    if (kept->n == 0 || kept->n == dims->n) return NULL;
    return reversed(r, reverse->shape, hlo_operand(reverse, 0), kept);
}

/* reverse(reshape(a)), dimensions of size 1 coming or going: a is reversed. */
hlo_instr *hlo_rewrite_reverse_of_reshape(hlo_rewriter *r, hlo_instr *reverse) {
    hlo_instr *reshape = hlo_operand(reverse, 0);
    if (reshape->opcode != HLO_OP_RESHAPE || !hlo_has_one_user(reshape)) return NULL;
    hlo_instr *a = hlo_operand(reshape, 0);
    const hlo_ints *dims = dimensions_of(reverse);
    hlo_ints *place = hlo_ints_new(&r->module->arena, a->shape->rank);
    hlo_ints *moved = hlo_ints_new(&r->module->arena, a->shape->rank);
    if (!hlo_follow_dims(a->shape, reshape->shape, place->v)) return NULL;
    moved->n = 0;
    for (uint32_t i = 0; i < place->n; i++)
        if (place->v[i] >= 0 && hlo_ints_contain(dims, place->v[i])) moved->v[moved->n++] = i;
    if (moved->n != dims->n) return NULL;
    hlo_instr *inner = reversed(r, a->shape, a, moved);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, reverse->shape, inner);
}

/* reverse(op(reverse(a), reverse(b), scalars)), all along the same dimensions. */
hlo_instr *hlo_rewrite_reverse_around_elementwise(hlo_rewriter *r, hlo_instr *reverse) {
    const hlo_instr *op = hlo_operand(reverse, 0);
    hlo_instr *operands[3];
    bool fits = (hlo_info(op)->flags & HLO_OP_IS_ELEMENTWISE) && op->operand_count > 0 &&
                op->operand_count <= 3 && op->opcode != HLO_OP_COPY &&
                op->opcode != HLO_OP_BITCAST_CONVERT && hlo_has_one_user(op);
    bool undoes = false;
    for (uint32_t i = 0; fits && i < op->operand_count; i++) {
        hlo_instr *operand = operands[i] = hlo_operand(op, i);
        if (operand->shape->rank == 0 || hlo_splat_of(operand)) continue;
        fits = operand->opcode == HLO_OP_REVERSE &&
               hlo_ints_equal(dimensions_of(operand), dimensions_of(reverse));
        if (!fits) return NULL;
        operands[i] = hlo_operand(operand, 0);
        undoes = true;
    }
    return undoes ? hlo_emit_like(r, op, reverse->shape, operands, op->operand_count) : NULL;
}
