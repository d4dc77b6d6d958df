/* Arrays with the default layout in the place of arrays with others: see normal_form.h. */
#include "passes/layout/normal_form.h"

#include "analysis/match.h"

/* ---- layouts ---- */

/* An order of dimensions, and how wide elements are. */
static bool is_order(const hlo_layout *layout) {
    const hlo_layout_parts *parts = layout->parts;
    return !parts || (parts->tile_count == 0 && parts->split_count == 0 &&
                      parts->tail_padding_alignment == 1 && parts->memory_space == 0 &&
                      parts->metadata_prefix_bytes == 0 && parts->index_type == HLO_TYPE_COUNT &&
                      parts->pointer_type == HLO_TYPE_COUNT);
}

/* Of an array, or of a tuple of arrays. */
static bool layouts_are_orders(const hlo_shape *shape, bool *is_other) {
    for (uint32_t i = 0; i < hlo_shape_part_count(shape); i++) {
        const hlo_shape *part = hlo_shape_part(shape, i);
        if (!hlo_shape_is_array(part)) continue;
        if (!is_order(part->layout)) return false;
        *is_other |= !hlo_shape_is_row_major(part);
    }
    return true;
}

bool hlo_has_other_layout(const hlo_instr *instr) {
    bool is_other = false, good = layouts_are_orders(instr->shape, &is_other);
    for (uint32_t i = 0; good && i < instr->operand_count; i++)
        good = layouts_are_orders(hlo_operand(instr, i)->shape, &is_other);
    return good && is_other;
}

/* ---- orders ---- */

hlo_ints *hlo_layout_order(hlo_rewriter *r, const hlo_shape *array) {
    hlo_ints *order = hlo_ints_new(&r->module->arena, array->rank);
    for (uint32_t k = 0; k < array->rank; k++)
        order->v[k] = array->layout->minor_to_major[array->rank - 1 - k];
    return order;
}

hlo_ints *hlo_default_order(hlo_rewriter *r, uint32_t rank) {
    hlo_ints *order = hlo_ints_new(&r->module->arena, rank);
    for (uint32_t k = 0; k < rank; k++) order->v[k] = k;
    return order;
}

hlo_ints *hlo_order_places(hlo_rewriter *r, const hlo_ints *order) {
    hlo_ints *places = hlo_ints_new(&r->module->arena, order->n);
    for (uint32_t k = 0; k < order->n; k++) places->v[order->v[k]] = k;
    return places;
}

hlo_ints *hlo_places_of(hlo_rewriter *r, const hlo_ints *dims, const hlo_ints *places) {
    hlo_ints *mapped = hlo_ints_new(&r->module->arena, dims->n);
    for (uint32_t i = 0; i < dims->n; i++) mapped->v[i] = places->v[dims->v[i]];
    return mapped;
}

hlo_ints *hlo_places_in_order(hlo_rewriter *r, const hlo_ints *dims, const hlo_ints *order) {
    hlo_ints *places = hlo_ints_new(&r->module->arena, dims->n);
    uint32_t n = 0;
    for (uint32_t k = 0; k < order->n; k++)
        if (hlo_ints_contain(dims, order->v[k])) places->v[n++] = k;
    return places;
}

const hlo_shape *hlo_shape_in_order(hlo_rewriter *r, const hlo_shape *array,
                                    const hlo_ints *order) {
    hlo_ints *sizes = hlo_ints_new(&r->module->arena, array->rank);
    for (uint32_t k = 0; k < array->rank; k++) sizes->v[k] = array->dims[order->v[k]];
    return hlo_shape_array(&r->module->shapes, (hlo_type)array->type, sizes->v, array->rank, NULL,
                           NULL, array->layout->parts);
}

/* ---- arrays ---- */

/* What a bitcast of the array into that shape has made already. */
static hlo_instr *bitcast_there(const hlo_rewriter *r, const hlo_instr *array,
                                const hlo_shape *shape) {
    for (const hlo_use *use = array->first_use; use; use = use->next) {
        hlo_instr *user = use->user;
        if (user->opcode == HLO_OP_BITCAST && user->shape == shape && !hlo_is_tied(r, user))
            return user;
    }
    return NULL;
}

/* It stands next to the array, so that all users of the array may be its users. */
static hlo_instr *bitcast_of(hlo_rewriter *r, hlo_instr *array, const hlo_shape *shape) {
    if (array->shape == shape) return array;
    hlo_instr *bitcast = bitcast_there(r, array, shape);
    if (!bitcast) bitcast = hlo_emit_unary(r, HLO_OP_BITCAST, shape, array);
    if (array->next != bitcast) hlo_instr_move_before(bitcast, array->next);
    return bitcast;
}

static int64_t element_bits(const hlo_shape *array) {
    return array->layout->parts ? array->layout->parts->element_bits : 0;
}

/* Without run-time sizes, elements are all that a bitcast passes on. */
static bool is_plain_bitcast(const hlo_instr *instr, const hlo_shape *operand) {
    return instr->opcode == HLO_OP_BITCAST && hlo_shape_is_array(operand) &&
           operand->type == instr->shape->type && !operand->dynamic && is_order(operand->layout) &&
           is_order(instr->shape->layout) && element_bits(operand) == element_bits(instr->shape);
}

hlo_instr *hlo_bitcast_origin(hlo_instr *array) {
    while (array->operand_count) {
        hlo_instr *operand = hlo_operand(array, 0);
        if (array->opcode == HLO_OP_GET_TUPLE_ELEMENT && operand->opcode == HLO_OP_TUPLE) {
            operand = hlo_operand(operand, (uint32_t)hlo_attr_int(array, HLO_ATTR_INDEX));
            if (operand->shape != array->shape) break;
        } else if (!is_plain_bitcast(array, operand->shape)) {
            break;
        }
        array = operand;
    }
    return array;
}

hlo_instr *hlo_normal_form(hlo_rewriter *r, hlo_instr *array) {
    if (hlo_shape_is_row_major(array->shape)) return array;
    const hlo_shape *shape = hlo_shape_in_order(r, array->shape, hlo_layout_order(r, array->shape));
    return bitcast_of(r, hlo_bitcast_origin(array), shape);
}

/* `array` has its dimensions in order `has`, and gets them in order `wants`. */
static hlo_instr *reordered(hlo_rewriter *r, hlo_instr *array, const hlo_ints *has,
                            const hlo_ints *wants) {
    const hlo_ints *moves = hlo_places_of(r, wants, hlo_order_places(r, has));
    if (hlo_is_identity_order(moves)) return array;
    return hlo_emit_transpose(r, hlo_shape_in_order(r, array->shape, moves), array, moves->v);
}

hlo_instr *hlo_in_order(hlo_rewriter *r, hlo_instr *array, const hlo_ints *order) {
    hlo_instr *normal = hlo_normal_form(r, array);
    return reordered(r, normal, hlo_layout_order(r, array->shape), order);
}

hlo_instr *hlo_from_order(hlo_rewriter *r, hlo_instr *array, const hlo_ints *order,
                          const hlo_shape *shape) {
    hlo_instr *normal = reordered(r, array, order, hlo_layout_order(r, shape));
    return normal->shape == shape ? normal : hlo_emit_unary(r, HLO_OP_BITCAST, shape, normal);
}
