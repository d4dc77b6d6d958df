/* Recipes of operations that move data without looking at it. */
#include "generator/generator.h"

static hlo_instr *pick_data(generator *g, uint32_t least_rank, uint32_t most_rank) {
    if (g->scope->scalars && least_rank > 0) return NULL;
    return pick_static(g, OF_ANY, least_rank, most_rank);
}

hlo_instr *generate_iota(generator *g, hlo_opcode opcode) {
    hlo_type type = choose_type(g, OF_NUMBER);
    if (type == HLO_TYPE_COUNT || g->scope->scalars || type == HLO_F8E8M0FNU) return NULL;
    const hlo_shape *shape = choose_shape(g, type, 1, 4);
    uint32_t dimension = (uint32_t)roll(g, shape->rank);
    double last = (double)shape->dims[dimension];
    if (hlo_type_is_float(hlo_type_part(type)) && last > type_reach(type)) return NULL;
    hlo_attr attr = attr_int(HLO_ATTR_IOTA_DIMENSION, dimension);
    facts f = hlo_type_is_integral(type) ? facts_of_type(type) : (facts){0, last, 0};
    return emit_value(g, opcode, shape, NULL, 0, &attr, 1, f);
}

hlo_instr *generate_broadcast(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick_static(g, OF_ANY, 0, 3);
    if (!a || g->scope->scalars) return NULL;
    uint32_t rank = a->shape->rank, more = (uint32_t)between(g, rank ? 0 : 1, 2);
    int64_t at[MAX_RANK], dims[MAX_RANK], budget = g->options.elements;
    for (uint32_t i = 0; i < rank; i++) budget /= a->shape->dims[i] ? a->shape->dims[i] : 1;
    choose_some(g, at, rank, rank + more);
    if (one_in(g, 4)) shuffle(g, at, rank);
    for (uint32_t i = 0; i < rank + more; i++) dims[i] = -1;
    for (uint32_t i = 0; i < rank; i++) dims[at[i]] = a->shape->dims[i];
    for (uint32_t i = 0; i < rank + more; i++) {
        if (dims[i] >= 0) continue;
        dims[i] = between(g, 1, budget > 5 ? 5 : budget > 1 ? budget : 1);
        budget /= dims[i];
    }
    hlo_attr attr = attr_ints(g, HLO_ATTR_DIMENSIONS, at, rank);
    return emit(g, opcode, array_of(g, (hlo_type)a->shape->type, dims, rank + more), &a, 1, &attr,
                1);
}

const hlo_shape *regrouped(generator *g, const hlo_shape *from) {
    int64_t dims[4] = {1, 1, 1, 1}, left = hlo_shape_elements(from);
    uint32_t rank = (uint32_t)between(g, left == 1 ? 0 : 1, 4);
    if (left == 0) {
        if (rank) dims[roll(g, rank)] = 0;
        return array_of(g, (hlo_type)from->type, dims, rank);
    }
    for (int64_t factor = 2; left > 1; factor++) {
        if (factor * factor > left) factor = left;
        for (; left % factor == 0; left /= factor) dims[roll(g, rank)] *= factor;
    }
    return array_of(g, (hlo_type)from->type, dims, rank);
}

hlo_instr *generate_reshape(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick_data(g, 0, MAX_RANK);
    if (!a || g->scope->scalars) return NULL;
    return emit(g, opcode, regrouped(g, a->shape), &a, 1, NULL, 0);
}

/* Of elements that lie in their logical order, so that it means a reshape. */
hlo_instr *generate_bitcast(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick_data(g, 0, MAX_RANK);
    if (!a || g->scope->scalars || !a->shape->plain_layout) return NULL;
    return emit(g, opcode, regrouped(g, a->shape), &a, 1, NULL, 0);
}

hlo_instr *generate_dynamic_reshape(generator *g, hlo_opcode opcode) {
    hlo_instr *operands[1 + MAX_RANK] = {pick_data(g, 1, MAX_RANK)};
    if (!operands[0] || !g->options.dynamic || g->scope->depth) return NULL;
    const hlo_shape *shape = regrouped(g, operands[0]->shape);
    for (uint32_t i = 0; i < shape->rank; i++)
        operands[1 + i] = constant_int(g, HLO_S32, shape->dims[i]);
    uint8_t is_dynamic[MAX_RANK] = {0};
    if (shape->rank) is_dynamic[roll(g, shape->rank)] = 1;
    shape = hlo_shape_array(&g->module->shapes, (hlo_type)shape->type, shape->dims, shape->rank,
                            is_dynamic, NULL, NULL);
    return emit(g, opcode, shape, operands, 1 + shape->rank, NULL, 0);
}

hlo_instr *generate_transpose(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick(g, OF_ANY, 0, MAX_RANK);
    if (!a || (g->scope->scalars && a->shape->rank)) return NULL;
    int64_t order[MAX_RANK];
    for (uint32_t i = 0; i < a->shape->rank; i++) order[i] = i;
    shuffle(g, order, a->shape->rank);
    hlo_attr attr = attr_ints(g, HLO_ATTR_DIMENSIONS, order, a->shape->rank);
    return emit(g, opcode, NULL, &a, 1, &attr, 1);
}

hlo_instr *generate_reverse(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick_data(g, 0, MAX_RANK);
    if (!a) return NULL;
    int64_t dims[MAX_RANK];
    uint32_t n = (uint32_t)between(g, 0, a->shape->rank);
    choose_some(g, dims, n, a->shape->rank);
    hlo_attr attr = attr_ints(g, HLO_ATTR_DIMENSIONS, dims, n);
    return emit(g, opcode, NULL, &a, 1, &attr, 1);
}

hlo_instr *generate_slice(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick_data(g, 1, MAX_RANK);
    if (!a) return NULL;
    uint32_t rank = a->shape->rank;
    int64_t dims[MAX_RANK];
    hlo_slice *slice =
        hlo_arena_alloc(&g->module->arena, sizeof *slice + rank * sizeof slice->v[0]);
    slice->n = rank;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = a->shape->dims[i], start = one_in(g, 2) ? 0 : between(g, 0, size);
        int64_t limit = one_in(g, 2) ? size : between(g, start, size);
        int64_t stride = one_in(g, 3) ? between(g, 1, 4) : 1;
        slice->v[i].start = start;
        slice->v[i].limit = limit;
        slice->v[i].stride = stride;
        dims[i] = (limit - start + stride - 1) / stride;
    }
    hlo_attr attr = {.id = HLO_ATTR_SLICE, .u.slice = slice};
    return emit(g, opcode, array_of(g, (hlo_type)a->shape->type, dims, rank), &a, 1, &attr, 1);
}

hlo_instr *generate_pad(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick_data(g, 1, MAX_RANK);
    if (!a) return NULL;
    hlo_instr *operands[2] = {a, pick_of(g, scalar_of(g, (hlo_type)a->shape->type))};
    uint32_t rank = a->shape->rank;
    int64_t elements = 1;
    hlo_padding *padding =
        hlo_arena_alloc(&g->module->arena, sizeof *padding + rank * sizeof padding->v[0]);
    padding->n = rank;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = a->shape->dims[i], interior = one_in(g, 4) ? between(g, 1, 2) : 0;
        int64_t spread = size ? size + (size - 1) * interior : 0;
        padding->v[i].interior = interior;
        padding->v[i].low = between(g, spread > 1 ? -1 : 0, 2);
        padding->v[i].high = between(g, spread > 1 ? -1 : 0, 2);
        elements *= spread + padding->v[i].low + padding->v[i].high;
    }
    if (elements > 8 * g->options.elements) return NULL;
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    return emit(g, opcode, NULL, operands, 2, &attr, 1);
}

hlo_instr *generate_concatenate(generator *g, hlo_opcode opcode) {
    enum { MOST = 4 };
    hlo_instr *operands[MOST] = {pick_data(g, 1, MAX_RANK)};
    if (!operands[0]) return NULL;
    const hlo_shape *first = operands[0]->shape;
    uint32_t n = (uint32_t)between(g, 1, MOST), dimension = (uint32_t)roll(g, first->rank);
    for (uint32_t k = 1; k < n; k++) {
        int64_t dims[MAX_RANK];
        for (uint32_t i = 0; i < first->rank; i++) dims[i] = first->dims[i];
        if (one_in(g, 2)) dims[dimension] = between(g, one_in(g, 8) ? 0 : 1, 4);
        operands[k] = pick_of(g, array_of(g, (hlo_type)first->type, dims, first->rank));
    }
    int64_t at = dimension;
    hlo_attr attr = attr_ints(g, HLO_ATTR_DIMENSIONS, &at, 1);
    return emit(g, opcode, NULL, operands, n, &attr, 1);
}

/* ---- at places that are known when it runs ---- */

/* Scalar indices of one type, now and then beyond the ends. */
static void pick_starts(generator *g, hlo_instr **operands, uint32_t n) {
    hlo_type type = choose_index_type(g);
    for (uint32_t i = 0; i < n; i++) operands[i] = pick_index(g, scalar_of(g, type), -2, 5);
}

hlo_instr *generate_dynamic_slice(generator *g, hlo_opcode opcode) {
    hlo_instr *operands[1 + MAX_RANK] = {pick_data(g, 1, MAX_RANK)};
    if (!operands[0]) return NULL;
    const hlo_shape *from = operands[0]->shape;
    int64_t sizes[MAX_RANK];
    for (uint32_t i = 0; i < from->rank; i++)
        sizes[i] = from->dims[i] ? between(g, 1, from->dims[i]) : 0;
    pick_starts(g, operands + 1, from->rank);
    hlo_attr attr = attr_ints(g, HLO_ATTR_DYNAMIC_SLICE_SIZES, sizes, from->rank);
    return emit(g, opcode, array_of(g, (hlo_type)from->type, sizes, from->rank), operands,
                1 + from->rank, &attr, 1);
}

hlo_instr *generate_dynamic_update_slice(generator *g, hlo_opcode opcode) {
    hlo_instr *operands[2 + MAX_RANK] = {pick_data(g, 1, MAX_RANK)};
    if (!operands[0]) return NULL;
    const hlo_shape *to = operands[0]->shape;
    int64_t sizes[MAX_RANK];
    for (uint32_t i = 0; i < to->rank; i++) sizes[i] = to->dims[i] ? between(g, 1, to->dims[i]) : 0;
    operands[1] = pick_of(g, array_of(g, (hlo_type)to->type, sizes, to->rank));
    pick_starts(g, operands + 2, to->rank);
    return emit(g, opcode, to, operands, 2 + to->rank, NULL, 0);
}

/* ---- sizes ---- */

hlo_instr *generate_get_dimension_size(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->scalars ? NULL : pick(g, OF_ANY, 1, MAX_RANK);
    if (!a || !g->options.types[HLO_S32]) return NULL;
    int64_t dimension = (int64_t)roll(g, a->shape->rank);
    hlo_attr attr = attr_ints(g, HLO_ATTR_DIMENSIONS, &dimension, 1);
    return emit_value(g, opcode, NULL, &a, 1, &attr, 1,
                      (facts){0, (double)a->shape->dims[dimension], 0});
}

hlo_instr *generate_set_dimension_size(generator *g, hlo_opcode opcode) {
    if (!g->options.dynamic || g->scope->scalars || g->scope->depth) return NULL;
    hlo_instr *a = pick(g, OF_ANY, 1, MAX_RANK);
    if (!a) return NULL;
    int64_t dimension = (int64_t)roll(g, a->shape->rank);
    hlo_instr *size = fresh(g, scalar_of(g, HLO_S32));
    hlo_instr *operands[2] = {a, within(g, size, 0, (double)a->shape->dims[dimension])};
    hlo_attr attr = attr_ints(g, HLO_ATTR_DIMENSIONS, &dimension, 1);
    return emit(g, opcode, NULL, operands, 2, &attr, 1);
}
