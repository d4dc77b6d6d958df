/* Forward values where a gradient is made: see rule.h. In the entry both are made in one
 * computation, and a value is what it was. Called by rules. */
#include "passes/autodiff/scope.h"

hlo_instr *hlo_gradient_value(hlo_gradient *g, hlo_instr *instr) {
    (void)g;
    return instr;
}

hlo_instr *hlo_gradient_operand(hlo_gradient *g, const hlo_instr *instr, uint32_t operand) {
    return hlo_gradient_value(g, hlo_operand(instr, operand));
}

/* ---- sizes ---- */

static hlo_instr *size_of(hlo_gradient *g, hlo_instr *array, int64_t dimension) {
    hlo_attr attr = hlo_attr_of_ints(g->r, HLO_ATTR_DIMENSIONS, &dimension, 1);
    const hlo_shape *s32 = hlo_shape_scalar(&g->r->module->shapes, HLO_S32);
    return hlo_emit(g->r, HLO_OP_GET_DIMENSION_SIZE, s32, &array, 1, &attr, 1);
}

hlo_instr *hlo_gradient_size(hlo_gradient *g, hlo_instr *instr, int64_t dimension) {
    return size_of(g, hlo_gradient_value(g, instr), dimension);
}

/* Gives an array of a shape's bounds the sizes that `like` has had. */
static hlo_instr *resized(hlo_gradient *g, hlo_instr *array, hlo_instr *like) {
    const hlo_shape *shape = like->shape;
    for (uint32_t d = 0; shape->is_dynamic && d < shape->rank; d++) {
        if (!shape->is_dynamic[d]) continue;
        hlo_instr *size = hlo_gradient_size(g, like, d);
        hlo_attr attr = hlo_attr_of_ints(g->r, HLO_ATTR_DIMENSIONS, &(int64_t){d}, 1);
        array = hlo_emit(g->r, HLO_OP_SET_DIMENSION_SIZE, NULL, (hlo_instr *[]){array, size}, 2,
                         &attr, 1);
    }
    return array;
}

static const hlo_shape *static_shape(hlo_gradient *g, const hlo_shape *shape, hlo_type type) {
    return hlo_shape_array(&g->r->module->shapes, type, shape->dims, shape->rank, NULL,
                           shape->layout->minor_to_major, NULL);
}

hlo_instr *hlo_gradient_zeros(hlo_gradient *g, hlo_instr *like) {
    const hlo_shape *shape = static_shape(g, like->shape, (hlo_type)like->shape->type);
    return resized(g, hlo_build_number(g->r, shape, 0), like);
}

hlo_instr *hlo_gradient_spread(hlo_gradient *g, hlo_instr *a, hlo_instr *like,
                               const int64_t *dims) {
    const hlo_shape *shape = static_shape(g, like->shape, (hlo_type)a->shape->type);
    return resized(g, hlo_emit_broadcast(g->r, shape, a, dims, a->shape->rank), like);
}
