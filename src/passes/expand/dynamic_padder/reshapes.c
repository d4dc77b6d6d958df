/* Rules of dynamic_padder for reshape and dynamic-reshape: elements that count stay together in
 * row-major order. */
#include "passes/expand/dynamic_padder/padded.h"
#include "shape/reshape_groups.h"

/* ---- packing ---- */

static const hlo_shape *with_type(hlo_padder *p, const hlo_shape *shape, hlo_type type) {
    return hlo_shape_with_type(&p->r->module->shapes, shape, type);
}

/* The size of dimension d in s64, everywhere in an array like `like`. */
static hlo_instr *spread_size(hlo_padder *p, const hlo_shape *shape, hlo_instr *const *sizes,
                              int64_t d, const hlo_shape *like) {
    if (!sizes || !sizes[d]) return hlo_build_integer(p->r, like, shape->dims[d]);
    return hlo_build_spread(p->r, hlo_build_convert(p->r, sizes[d], HLO_S64), like, NULL);
}

/* For each element its number among those that count. */
static hlo_instr *live_numbers(hlo_padder *p, const hlo_shape *numbers, hlo_instr *const *sizes) {
    hlo_instr *number = NULL;
    for (uint32_t d = 0; d < numbers->rank; d++) {
        hlo_instr *place = hlo_build_iota(p->r, numbers, d);
        if (!number) {
            number = place;
            continue;
        }
        hlo_instr *size = spread_size(p, numbers, sizes, d, numbers);
        number = hlo_build_binary(p->r, HLO_OP_MULTIPLY, number, size);
        number = hlo_build_binary(p->r, HLO_OP_ADD, number, place);
    }
    return number ? number : hlo_build_integer(p->r, numbers, 0);
}

/* Where the element of that number lies in an array of `shape`, counted with its padding. */
static hlo_instr *places_of(hlo_padder *p, hlo_instr *number, const hlo_shape *shape,
                            hlo_instr *const *sizes) {
    hlo_rewriter *r = p->r;
    hlo_instr *place = NULL;
    int64_t stride = 1;
    for (uint32_t d = shape->rank; d-- > 0; stride *= shape->dims[d]) {
        hlo_instr *coordinate = number;
        if (d > 0) {
            hlo_instr *size = spread_size(p, shape, sizes, d, number->shape);
            coordinate = hlo_build_binary(r, HLO_OP_REMAINDER, number, size);
            number = hlo_build_binary(r, HLO_OP_DIVIDE, number, size);
        }
        if (stride != 1) {
            hlo_instr *factor = hlo_build_integer(r, number->shape, stride);
            coordinate = hlo_build_binary(r, HLO_OP_MULTIPLY, coordinate, factor);
        }
        place = place ? hlo_build_binary(r, HLO_OP_ADD, place, coordinate) : coordinate;
    }
    return place ? place : hlo_build_integer(r, number->shape, 0);
}

/* flat[places] */
static hlo_instr *taken(hlo_padder *p, hlo_instr *flat, hlo_instr *places) {
    hlo_rewriter *r = p->r;
    int64_t zero = 0, one = 1;
    hlo_attr attrs[] = {hlo_attr_of_ints(r, HLO_ATTR_OFFSET_DIMS, NULL, 0),
                        hlo_attr_of_ints(r, HLO_ATTR_COLLAPSED_SLICE_DIMS, &zero, 1),
                        hlo_attr_of_ints(r, HLO_ATTR_START_INDEX_MAP, &zero, 1),
                        hlo_attr_of_int(HLO_ATTR_INDEX_VECTOR_DIM, places->shape->rank),
                        hlo_attr_of_ints(r, HLO_ATTR_SLICE_SIZES, &one, 1)};
    const hlo_shape *shape = with_type(p, places->shape, (hlo_type)flat->shape->type);
    return hlo_emit(r, HLO_OP_GATHER, shape, (hlo_instr *[]){flat, places}, 2, attrs,
                    sizeof attrs / sizeof *attrs);
}

/* The elements of x that count become the first ones, in row-major order, of what counts in an
 * array of `shape` and `sizes`. */
static hlo_padded *repacked(hlo_padder *p, const hlo_padded *x, const hlo_shape *shape,
                            hlo_instr *const *sizes) {
    int64_t count = hlo_shape_elements(x->data->shape);
    if (count == 0 || hlo_shape_elements(shape) == 0)
        return hlo_padded_new(p, hlo_build_integer(p->r, shape, 0), sizes);
    hlo_instr *number = live_numbers(p, with_type(p, shape, HLO_S64), sizes);
    hlo_instr *places = places_of(p, number, x->data->shape, x->sizes);
    hlo_instr *all = taken(p, hlo_build_reshape(p->r, x->data, &count, 1), places);
    hlo_instr *live = hlo_padded_live(p, shape, sizes, NULL);
    if (live) all = hlo_build_select(p->r, live, all, hlo_build_integer(p->r, all->shape, 0));
    return hlo_padded_new(p, all, sizes);
}

/* ---- reshape ---- */

static bool is_sized(const hlo_padded *x, const hlo_reshape_group *group) {
    bool sized = false;
    for (uint32_t d = group->from; d < group->from_end; d++) sized |= hlo_has_size(x, d);
    return sized;
}

/* Elements stay where they are while just outermost dimensions of a group are short. */
static bool group_moves(const hlo_padded *x, const hlo_shape *to, const hlo_reshape_group *group,
                        uint32_t t) {
    uint32_t f = group->from;
    bool moves = false;
    while (f + 1 < group->from_end && x->data->shape->dims[f] == 1) f++;
    for (uint32_t d = f + 1; d < group->from_end; d++) moves |= hlo_has_size(x, d);
    for (uint32_t d = group->to; d < t; d++) moves |= to->dims[d] != 1;
    return moves;
}

/* What counts in the group, divided by what the other dimensions of the result hold. */
static hlo_instr *taken_size(hlo_padder *p, const hlo_padded *x, const hlo_reshape_group *group,
                             int64_t others) {
    int64_t fixed = 1, bound = 1;
    hlo_instr *size = NULL;
    for (uint32_t d = group->from; d < group->from_end; d++)
        *(hlo_has_size(x, d) ? &bound : &fixed) *= x->data->shape->dims[d];
    if (fixed % others == 0) {
        fixed /= others;
        others = 1;
    }
    bool is_wide = !hlo_fit_sizes(&(__int128){(__int128)bound * fixed}, 1);
    for (uint32_t d = group->from; d < group->from_end; d++) {
        if (!hlo_has_size(x, d)) continue;
        hlo_instr *own = is_wide ? hlo_build_convert(p->r, x->sizes[d], HLO_S64) : x->sizes[d];
        size = size ? hlo_build_binary(p->r, HLO_OP_MULTIPLY, size, own) : own;
    }
    if (fixed != 1) size = hlo_padded_count(p, HLO_OP_MULTIPLY, size, fixed);
    if (others != 1) size = hlo_padded_count(p, HLO_OP_DIVIDE, size, others);
    return hlo_build_convert(p->r, size, HLO_S32);
}

/* False when a group has no dimension for what it has at run time. */
static bool reshape_groups(hlo_padder *p, const hlo_padded *x, const hlo_shape *to,
                           hlo_instr **sizes, bool *moves) {
    hlo_reshape_group group = {0};
    while (hlo_reshape_next_group(x->data->shape, to, &group)) {
        if (!is_sized(x, &group)) continue;
        uint32_t t = hlo_reshape_taker(to, &group);
        int64_t others = 1;
        for (uint32_t d = group.to; d < group.to_end; d++)
            if (d != t) others *= to->dims[d];
        if (t >= group.to_end || others == 0) return false;
        sizes[t] = taken_size(p, x, &group, others);
        *moves |= group_moves(x, to, &group, t);
    }
    return true;
}

hlo_padded *hlo_pad_reshape(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    const hlo_shape *shape = hlo_padded_shape(p, instr->shape);
    hlo_instr **sizes = hlo_padded_sizes(p, shape->rank);
    bool moves = false, same = hlo_shape_compatible(x->data->shape, shape);
    if (same && x->sizes) memcpy(sizes, x->sizes, shape->rank * sizeof *sizes);
    if (!same && hlo_shape_elements(shape) && !reshape_groups(p, x, instr->shape, sizes, &moves))
        return hlo_padding_refuse(p, instr, "mixes dynamic dimensions");
    if (moves) return repacked(p, x, shape, sizes);
    return hlo_padded_new(p, hlo_emit_like(p->r, instr, shape, &x->data, 1), sizes);
}

hlo_padded *hlo_pad_dynamic_reshape(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    const hlo_shape *shape = hlo_padded_shape(p, instr->shape);
    hlo_instr **sizes = hlo_padded_sizes(p, shape->rank);
    for (uint32_t d = 0; d < shape->rank; d++) {
        if (!instr->shape->is_dynamic || !instr->shape->is_dynamic[d]) continue;
        hlo_instr *size = hlo_padded_operand(p, instr, d + 1)->data;
        if (size->shape->rank != 0)
            return hlo_padding_refuse(p, instr, "has a size that is not a scalar");
        sizes[d] = hlo_padded_valid_size(p, size, shape->dims[d]);
    }
    return repacked(p, x, shape, sizes);
}
