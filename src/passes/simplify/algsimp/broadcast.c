/* algsimp: broadcasts, iotas and what is done with them. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"
#include "shape/verifier.h"

static const hlo_ints *dimensions_of(const hlo_instr *instr) {
    return hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
}

hlo_instr *hlo_rewrite_broadcast_nothing(hlo_rewriter *r, hlo_instr *broadcast) {
    (void)r;
    bool fits = hlo_operand(broadcast, 0)->shape == broadcast->shape &&
                hlo_is_identity_order(dimensions_of(broadcast));
    return fits ? hlo_operand(broadcast, 0) : NULL;
}

hlo_instr *hlo_rewrite_broadcast_of_broadcast(hlo_rewriter *r, hlo_instr *broadcast) {
    hlo_instr *inner = hlo_operand(broadcast, 0);
    if (inner->opcode != HLO_OP_BROADCAST) return NULL;
    const hlo_ints *outer = dimensions_of(broadcast), *first = dimensions_of(inner);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, first->n);
    for (uint32_t i = 0; i < first->n; i++) dims->v[i] = outer->v[first->v[i]];
    return hlo_emit_broadcast(r, broadcast->shape, hlo_operand(inner, 0), dims->v, dims->n);
}

/* No element is repeated and none changes its place: only dimensions of size 1 come in. */
hlo_instr *hlo_rewrite_broadcast_to_reshape(hlo_rewriter *r, hlo_instr *broadcast) {
    hlo_instr *a = hlo_operand(broadcast, 0);
    const hlo_ints *dims = dimensions_of(broadcast);
    if (hlo_shape_elements(a->shape) != hlo_shape_elements(broadcast->shape)) return NULL;
    if (a->shape->rank == 0 || hlo_shape_elements(a->shape) == 0) return NULL;
    for (uint32_t i = 1; i < dims->n; i++) {
        bool share = dims->v[i] == dims->v[i - 1] && a->shape->dims[i] > 1; /* a diagonal */
        if (dims->v[i] < dims->v[i - 1] || share) return NULL;
    }
    return hlo_emit_unary(r, HLO_OP_RESHAPE, broadcast->shape, a);
}

/* The dimensions change places, and none is added. (Dimensions of size 1 may share a place.) */
hlo_instr *hlo_rewrite_broadcast_to_transpose(hlo_rewriter *r, hlo_instr *broadcast) {
    hlo_instr *a = hlo_operand(broadcast, 0);
    const hlo_ints *dims = dimensions_of(broadcast);
    if (a->shape->rank != broadcast->shape->rank || hlo_is_identity_order(dims)) return NULL;
    if (!hlo_is_permutation(&r->module->arena, dims->v, dims->n)) return NULL;
    hlo_ints *order = hlo_ints_new(&r->module->arena, dims->n);
    hlo_invert_order(dims, order->v);
    return hlo_emit_transpose(r, broadcast->shape, a, order->v);
}

/* The reshape only put dimensions of size 1 in: the broadcast makes them too. */
hlo_instr *hlo_rewrite_broadcast_of_reshape(hlo_rewriter *r, hlo_instr *broadcast) {
    const hlo_instr *reshape = hlo_operand(broadcast, 0);
    if (reshape->opcode != HLO_OP_RESHAPE) return NULL;
    hlo_instr *a = hlo_operand(reshape, 0);
    if (a->shape->rank >= reshape->shape->rank) return NULL;
    hlo_ints *place = hlo_ints_new(&r->module->arena, a->shape->rank);
    if (!hlo_follow_dims(a->shape, reshape->shape, place->v)) return NULL;
    for (uint32_t i = 0; i < place->n; i++) {
        if (place->v[i] < 0) return NULL;
        place->v[i] = dimensions_of(broadcast)->v[place->v[i]];
    }
    return hlo_emit_broadcast(r, broadcast->shape, a, place->v, place->n);
}

hlo_instr *hlo_rewrite_broadcast_of_iota(hlo_rewriter *r, hlo_instr *broadcast) {
    const hlo_instr *iota = hlo_operand(broadcast, 0);
    if (iota->opcode != HLO_OP_IOTA) return NULL;
    int64_t along = hlo_attr_int(iota, HLO_ATTR_IOTA_DIMENSION);
    hlo_attr dim = hlo_attr_of_int(HLO_ATTR_IOTA_DIMENSION, dimensions_of(broadcast)->v[along]);
    return hlo_emit(r, HLO_OP_IOTA, broadcast->shape, NULL, 0, &dim, 1);
}

hlo_instr *hlo_rewrite_iota_of_one(hlo_rewriter *r, hlo_instr *iota) {
    int64_t along = hlo_attr_int(iota, HLO_ATTR_IOTA_DIMENSION);
    if (iota->shape->dims[along] > 1) return NULL;
    return hlo_emit_filled(r, iota->shape, 0);
}

/* ---- constants as broadcasts and iotas ---- */

hlo_instr *hlo_rewrite_constant_to_broadcast(hlo_rewriter *r, hlo_instr *constant) {
    if (!hlo_shape_is_array(constant->shape) || hlo_shape_elements(constant->shape) < 2)
        return NULL;
    const void *element = hlo_splat_of(constant);
    return element ? hlo_emit_filled_with(r, constant->shape, element) : NULL;
}

hlo_instr *hlo_rewrite_constant_to_iota(hlo_rewriter *r, hlo_instr *constant) {
    const hlo_shape *shape = constant->shape;
    const hlo_literal *literal = hlo_constant_of(constant);
    if (!literal || !hlo_shape_is_array(shape) || shape->rank != 1 || shape->dims[0] < 2 ||
        !hlo_is_integral(constant) || hlo_literal_is_huge(literal))
        return NULL;
    for (int64_t i = 0; i < shape->dims[0]; i++) {
        int64_t value;
        if (!hlo_integer_at(literal, i, &value) || value != i) return NULL;
    }
    return hlo_build_iota(r, shape, 0);
}

/* ---- the same value everywhere ---- */

hlo_instr *hlo_rewrite_moved_scalar(hlo_rewriter *r, hlo_instr *instr) {
    hlo_instr *scalar = hlo_repeated_scalar(hlo_operand(instr, 0));
    return scalar ? hlo_emit_broadcast(r, instr->shape, scalar, NULL, 0) : NULL;
}

hlo_instr *hlo_rewrite_reshape_of_scalar(hlo_rewriter *r, hlo_instr *reshape) {
    return reshape->shape->rank ? hlo_rewrite_moved_scalar(r, reshape) : NULL;
}

hlo_instr *hlo_rewrite_reverse_of_scalar(hlo_rewriter *r, hlo_instr *reverse) {
    (void)r;
    hlo_instr *a = hlo_operand(reverse, 0);
    return hlo_repeated_scalar(a) ? a : NULL;
}

/* An array of one element, made a scalar. */
hlo_instr *hlo_rewrite_reshape_scalar_back(hlo_rewriter *r, hlo_instr *reshape) {
    (void)r;
    hlo_instr *scalar = hlo_repeated_scalar(hlo_operand(reshape, 0));
    return reshape->shape->rank == 0 ? scalar : NULL;
}

/* An operation on equal elements is done once, on a scalar. */
hlo_instr *hlo_rewrite_elementwise_of_scalars(hlo_rewriter *r, hlo_instr *instr) {
    bool fits = (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) && instr->operand_count > 0 &&
                instr->operand_count <= 3 && instr->shape->rank > 0 &&
                hlo_shape_is_array(instr->shape) && instr->opcode != HLO_OP_COPY;
    hlo_instr *scalars[3];
    for (uint32_t i = 0; fits && i < instr->operand_count; i++) {
        hlo_instr *operand = hlo_operand(instr, i);
        scalars[i] = operand->shape->rank ? hlo_repeated_scalar(operand) : operand;
        fits = scalars[i] != NULL && hlo_shape_elements(instr->shape) > 1;
    }
    if (!fits) return NULL;
    if (instr->opcode == HLO_OP_BITCAST_CONVERT &&
        hlo_operand(instr, 0)->shape->rank != instr->shape->rank)
        return NULL;
    const hlo_shape *shape = hlo_shape_scalar(&r->module->shapes, (hlo_type)instr->shape->type);
    hlo_instr *once = hlo_emit_like(r, instr, shape, scalars, instr->operand_count);
    return hlo_emit_broadcast(r, instr->shape, once, NULL, 0);
}

/* op(broadcast(a)) is broadcast(op(a)): fewer elements to compute. */
hlo_instr *hlo_rewrite_unary_of_broadcast(hlo_rewriter *r, hlo_instr *instr) {
    bool fits = (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) && instr->operand_count == 1 &&
                instr->opcode != HLO_OP_COPY && instr->opcode != HLO_OP_BITCAST_CONVERT;
    hlo_instr *broadcast = fits ? hlo_operand(instr, 0) : NULL;
    if (!broadcast || broadcast->opcode != HLO_OP_BROADCAST || !hlo_has_one_user(broadcast) ||
        !hlo_shape_is_array(instr->shape))
        return NULL;
    hlo_instr *a = hlo_operand(broadcast, 0);
    if (hlo_shape_elements(a->shape) >= hlo_shape_elements(instr->shape)) return NULL;
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, a->shape, (hlo_type)instr->shape->type);
    hlo_instr *once = hlo_emit_like(r, instr, shape, &a, 1);
    const hlo_ints *dims = dimensions_of(broadcast);
    return hlo_emit_broadcast(r, instr->shape, once, dims->v, dims->n);
}

/* op(broadcast(a), broadcast(b)) by the same dimensions is broadcast(op(a, b)); scalars that are
 * broadcast too fit everywhere. */
hlo_instr *hlo_rewrite_binary_of_broadcasts(hlo_rewriter *r, hlo_instr *instr) {
    bool fits = (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) && instr->operand_count == 2 &&
                hlo_shape_is_array(instr->shape);
    const hlo_instr *like = NULL;
    for (uint32_t i = 0; fits && i < 2; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        fits = operand->opcode == HLO_OP_BROADCAST && hlo_has_one_user(operand);
        if (!fits || hlo_repeated_scalar(operand)) continue;
        const hlo_shape *a = hlo_operand(operand, 0)->shape;
        const hlo_shape *b = like ? hlo_operand(like, 0)->shape : a;
        fits = a->plain_layout && a->rank == b->rank &&
               memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0 &&
               (!like || hlo_ints_equal(dimensions_of(operand), dimensions_of(like)));
        like = operand;
    }
    if (!fits || !like) return NULL;
    const hlo_shape *from = hlo_operand(like, 0)->shape;
    if (hlo_shape_elements(from) >= hlo_shape_elements(instr->shape)) return NULL;
    hlo_instr *operands[2];
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *operand = hlo_operand(instr, i), *scalar = hlo_repeated_scalar(operand);
        const hlo_shape *shape =
            hlo_shape_with_type(&r->module->shapes, from, (hlo_type)operand->shape->type);
        operands[i] =
            scalar ? hlo_emit_broadcast(r, shape, scalar, NULL, 0) : hlo_operand(operand, 0);
    }
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, from, (hlo_type)instr->shape->type);
    hlo_instr *once = hlo_emit_like(r, instr, shape, operands, 2);
    const hlo_ints *dims = dimensions_of(like);
    return hlo_emit_broadcast(r, instr->shape, once, dims->v, dims->n);
}

/* Counting in another type, where both hold all the numbers. */
hlo_instr *hlo_rewrite_convert_of_iota(hlo_rewriter *r, hlo_instr *convert) {
    const hlo_instr *iota = hlo_operand(convert, 0);
    hlo_type from = (hlo_type)iota->shape->type, to = (hlo_type)convert->shape->type;
    bool wide = (from == HLO_S32 || from == HLO_S64 || from == HLO_U32 || from == HLO_F32) &&
                (to == HLO_S32 || to == HLO_S64 || to == HLO_U32 || to == HLO_F32 || to == HLO_F64);
    if (iota->opcode != HLO_OP_IOTA || !wide) return NULL;
    int64_t along = hlo_attr_int(iota, HLO_ATTR_IOTA_DIMENSION);
    if (iota->shape->dims[along] > 1 << 24) return NULL;
    hlo_attr dim = hlo_attr_of_int(HLO_ATTR_IOTA_DIMENSION, along);
    return hlo_emit(r, HLO_OP_IOTA, convert->shape, NULL, 0, &dim, 1);
}

/* ---- over devices ---- */

/* The same constant comes from every device; sums of it are not the same constant. */
hlo_instr *hlo_rewrite_collective_of_scalar(hlo_rewriter *r, hlo_instr *instr) {
    const hlo_instr *operand = hlo_operand(instr, 0);
    hlo_instr *scalar = instr->operand_count == 1 ? hlo_repeated_scalar(operand) : NULL;
    const hlo_computation *combiner = hlo_called(instr, 0);
    hlo_opcode opcode = combiner ? hlo_binary_computation(combiner) : HLO_OP_MAXIMUM;
    bool keeps = opcode == HLO_OP_MAXIMUM || opcode == HLO_OP_MINIMUM || opcode == HLO_OP_AND ||
                 opcode == HLO_OP_OR;
    if (!scalar || !hlo_constant_of(scalar) || !keeps || !hlo_shape_is_array(instr->shape))
        return NULL;
    return hlo_emit_broadcast(r, instr->shape, scalar, NULL, 0);
}
