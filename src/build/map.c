/* Map: as the operation, or as a loop where operands are not mapped and are no scalars. */
#include <hlo/builder_lib.h>

#include "build/builder.h"

static bool has_all_arrays(hlo_builder *b, hlo_instrs_list operands) {
    for (size_t i = 0; i < operands.count; i++)
        if (!hlo_shape_is_array(operands.values[i]->shape)) {
            hlo_builder_fail(b, HLO_RULE_ARRAY_OPERAND, "map: operand %zu is not an array", i);
            return false;
        }
    return true;
}

/* A map goes over all dimensions. */
static const hlo_instr *mapped(hlo_builder *b, hlo_instrs_list operands,
                               const hlo_computation *computation) {
    const hlo_shape *shape = operands.values[0]->shape;
    hlo_ints *all = hlo_ints_new(&b->module->arena, shape->rank);
    for (uint32_t i = 0; i < all->n; i++) all->v[i] = i;
    return hlo_builder_made(
        b, HLO_OP_MAP, NULL, operands,
        HLO_ATTRS(hlo_builder_ints(b, HLO_ATTR_DIMENSIONS, (hlo_int_list){all->n, all->v}),
                  hlo_builder_callee(HLO_ATTR_TO_APPLY, computation)));
}

/* ---- operands that are not mapped ---- */

static bool are_scalars(hlo_instrs_list statics) {
    for (size_t i = 0; i < statics.count; i++)
        if (!hlo_shape_is_scalar(statics.values[i]->shape)) return false;
    return true;
}

/* The operands, and scalars in all places of the first one. */
static const hlo_instr *mapped_with_scalars(hlo_builder *b, hlo_instrs_list operands,
                                            const hlo_computation *computation,
                                            hlo_instrs_list statics) {
    size_t n = operands.count + statics.count;
    const hlo_instr **all = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, n);
    for (size_t i = 0; i < operands.count; i++) all[i] = operands.values[i];
    for (size_t i = 0; i < statics.count; i++)
        all[operands.count + i] =
            hlo_builder_filled(b, statics.values[i], operands.values[0]->shape);
    return mapped(b, (hlo_instrs_list){n, all}, computation);
}

/* The loop's values: the results so far, the operands in one dimension, and what is not mapped. */
typedef struct {
    const hlo_computation *computation;
    size_t operands;
} map_loop;

static const hlo_instr *element_of(hlo_builder *b, const hlo_instr *flat, const hlo_instr *index) {
    static const int64_t one = 1;
    const hlo_instr *part =
        hlo_builder_dynamic_slice(b, flat, HLO_INSTRS(index), (hlo_int_list){1, &one});
    return part ? hlo_builder_reshape(b, part, (hlo_int_list){0, NULL}, (hlo_int_list){0, NULL})
                : NULL;
}

static bool map_element(hlo_builder *b, const hlo_instr *index, const hlo_instr *const *values,
                        const hlo_instr **updated, size_t count, void *context) {
    static const int64_t one = 1;
    const map_loop *loop = context;
    const hlo_instr **arguments = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, count);
    for (size_t i = 1; i < count; i++) {
        updated[i] = values[i];
        arguments[i - 1] = i <= loop->operands ? element_of(b, values[i], index) : values[i];
        if (!arguments[i - 1]) return false;
    }
    const hlo_instr *result =
        hlo_builder_call(b, loop->computation, (hlo_instrs_list){count - 1, arguments});
    if (!result) return false;
    result = hlo_builder_reshape(b, result, (hlo_int_list){0, NULL}, (hlo_int_list){1, &one});
    if (!result) return false;
    updated[0] = hlo_builder_dynamic_update_slice(b, values[0], result, HLO_INSTRS(index));
    return updated[0] != NULL;
}

static const hlo_instr *looped(hlo_builder *b, hlo_instrs_list operands,
                               const hlo_computation *computation, hlo_instrs_list statics) {
    const hlo_shape *like = operands.values[0]->shape, *result = computation->root->shape;
    int64_t n = hlo_shape_elements(like);
    hlo_int_list flat = {1, &n}, dims = {like->rank, like->dims};
    size_t count = 1 + operands.count + statics.count;
    const hlo_instr **values = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, count);
    const hlo_instr **done = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, count);
    map_loop loop = {computation, operands.count};
    hlo_builder_next next = hlo_builder_take_next(b); /* it is for what the map becomes */
    values[0] = hlo_lib_zeros(
        b, hlo_shape_array(hlo_builder_shapes(b), (hlo_type)result->type, &n, 1, NULL, NULL, NULL));
    for (size_t i = 0; i < operands.count; i++)
        values[1 + i] = hlo_builder_reshape(b, operands.values[i], (hlo_int_list){0, NULL}, flat);
    for (size_t i = 0; i < statics.count; i++) values[1 + operands.count + i] = statics.values[i];
    for (size_t i = 0; i < count; i++)
        if (!values[i]) return NULL;
    if (!hlo_lib_for_each_index(b, n, HLO_TYPE_S64, map_element, (hlo_instrs_list){count, values},
                                "map", &loop, done))
        return NULL;
    hlo_builder_give_back(b, next);
    return hlo_builder_reshape(b, done[0], (hlo_int_list){0, NULL}, dims);
}

static bool can_loop(hlo_builder *b, hlo_instrs_list operands, const hlo_computation *computation) {
    const hlo_shape *like = operands.values[0]->shape;
    bool good = computation->root && hlo_shape_is_scalar(computation->root->shape) &&
                hlo_shape_elements(like) >= 0 && !like->dynamic;
    for (size_t i = 1; i < operands.count && good; i++) {
        const hlo_shape *other = operands.values[i]->shape;
        good =
            other->rank == like->rank &&
            (!like->rank || memcmp(other->dims, like->dims, like->rank * sizeof *like->dims) == 0);
    }
    if (!good)
        hlo_builder_fail(b, HLO_RULE_MAP_COMPUTATION,
                         "map with static operands that are not scalars requires operands of one "
                         "known size and a computation that returns a scalar");
    return good;
}

const hlo_instr *hlo_builder_map(hlo_builder *b, hlo_instrs_list operands,
                                 const hlo_computation *computation,
                                 hlo_instrs_list static_operands) {
    HLO_BUILDER_TAKES(b, computation);
    if (!hlo_builder_has_list(b, __func__, operands) ||
        !hlo_builder_has_list(b, __func__, static_operands))
        return NULL;
    if (!operands.count) return hlo_builder_misuse(b, "%s: no operand", __func__);
    if (!has_all_arrays(b, operands)) return NULL;
    if (are_scalars(static_operands))
        return mapped_with_scalars(b, operands, computation, static_operands);
    return can_loop(b, operands, computation) ? looped(b, operands, computation, static_operands)
                                              : NULL;
}
