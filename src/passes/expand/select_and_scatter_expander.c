/* select_and_scatter_expander: a reduce-window that finds places, and a scatter to them. */
#include "passes/expand/parts.h"

/* (kept value, its place) against (value, place): the kept one stays when it is one, and the other
 * is none (place -1) or `select` prefers the kept. */
static hlo_computation *chooser(hlo_rewriter *r, hlo_computation *select, const hlo_shape *value,
                                const hlo_shape *place) {
    hlo_body body = hlo_build_open(r, "choose");
    hlo_instr *kept = hlo_build_parameter(r, &body, 0, value);
    hlo_instr *kept_place = hlo_build_parameter(r, &body, 1, place);
    hlo_instr *other = hlo_build_parameter(r, &body, 2, value);
    hlo_instr *other_place = hlo_build_parameter(r, &body, 3, place);
    hlo_instr *none = hlo_build_integer(r, place, -1);
    hlo_instr *preferred = hlo_build_call(r, select, (hlo_instr *[]){kept, other}, 2);
    hlo_instr *is_one = hlo_build_compare(r, kept_place, none, "NE");
    hlo_instr *wins = hlo_build_binary(r, HLO_OP_AND, is_one, preferred);
    hlo_instr *alone = hlo_build_compare(r, other_place, none, "EQ");
    hlo_instr *stays = hlo_build_binary(r, HLO_OP_OR, wins, alone), *chosen[2];
    chosen[0] = hlo_build_select(r, stays, kept, other);
    chosen[1] = hlo_build_select(r, stays, kept_place, other_place);
    return hlo_build_close(r, &body, hlo_emit_tuple(r, chosen, 2));
}

/* -1 where the element does not count. */
static hlo_instr *masked_places(hlo_rewriter *r, hlo_instr *places, hlo_instr *live) {
    return live ? hlo_build_select(r, live, places, hlo_build_integer(r, places->shape, -1))
                : places;
}

hlo_instr *hlo_selected_places(hlo_rewriter *r, const hlo_instr *instr, const hlo_scattered *s) {
    const hlo_attr *window = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    hlo_instr *x = s->operand, *source = s->source;
    hlo_shapes_table *shapes = &r->module->shapes;
    int64_t elements = hlo_shape_elements(x->shape);
    const hlo_shape *value = hlo_shape_scalar(shapes, (hlo_type)x->shape->type);
    const hlo_shape *place = hlo_shape_scalar(shapes, HLO_S64);
    hlo_instr *count = hlo_build_iota(r, hlo_shape_of_sizes(r, HLO_S64, &elements, 1), 0);
    hlo_instr *numbers = hlo_build_reshape(r, count, x->shape->dims, x->shape->rank);
    numbers = masked_places(r, numbers, s->operand_live);
    hlo_instr *no_value = hlo_build_integer(r, value, 0),
              *no_place = hlo_build_integer(r, place, -1);
    hlo_instr *operands[] = {x, numbers, no_value, no_place};
    hlo_computation *select = hlo_instr_attr(instr, HLO_ATTR_SELECT)->u.computation;
    hlo_attr attrs[] = {
        *window, {.id = HLO_ATTR_TO_APPLY, .u.computation = chooser(r, select, value, place)}};
    const hlo_shape *results[] = {
        hlo_shape_with_type(shapes, source->shape, (hlo_type)x->shape->type),
        hlo_shape_with_type(shapes, source->shape, HLO_S64)};
    hlo_instr *both = hlo_emit(r, HLO_OP_REDUCE_WINDOW, hlo_shape_tuple(shapes, results, 2),
                               operands, 4, attrs, 2);
    return masked_places(r, hlo_emit_element(r, both, 1), s->source_live);
}

/* Windows choose places; a scatter adds the source there. */
hlo_instr *hlo_expand_scattered(hlo_rewriter *r, const hlo_instr *instr, const hlo_scattered *s) {
    bool has_window = hlo_instr_attr(instr, HLO_ATTR_WINDOW) != NULL;
    int64_t elements = hlo_shape_elements(instr->shape);
    int64_t sources = hlo_shape_elements(s->source->shape), zero = 0;
    if (!has_window || elements <= 0 || sources <= 0) return NULL;
    hlo_instr *places = hlo_build_reshape(r, hlo_selected_places(r, instr, s), &sources, 1);
    hlo_instr *updates = hlo_build_reshape(r, s->source, &sources, 1);
    const hlo_shape *flat = hlo_shape_of_sizes(r, (hlo_type)instr->shape->type, &elements, 1);
    hlo_instr *start = hlo_emit_broadcast(r, flat, hlo_operand(instr, 2), NULL, 0);
    hlo_attr attrs[] = {hlo_attr_of_ints(r, HLO_ATTR_UPDATE_WINDOW_DIMS, NULL, 0),
                        hlo_attr_of_ints(r, HLO_ATTR_INSERTED_WINDOW_DIMS, &zero, 1),
                        hlo_attr_of_ints(r, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS, &zero, 1),
                        hlo_attr_of_int(HLO_ATTR_INDEX_VECTOR_DIM, 1),
                        {.id = HLO_ATTR_TO_APPLY,
                         .u.computation = hlo_instr_attr(instr, HLO_ATTR_SCATTER)->u.computation}};
    hlo_instr *added = hlo_emit(r, HLO_OP_SCATTER, flat, (hlo_instr *[]){start, places, updates}, 3,
                                attrs, sizeof attrs / sizeof *attrs);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, s->operand->shape, added);
}

hlo_instr *hlo_rewrite_expand_select_and_scatter(hlo_rewriter *r, hlo_instr *instr) {
    hlo_scattered s = {.operand = hlo_operand(instr, 0), .source = hlo_operand(instr, 1)};
    hlo_instr *out = hlo_expand_scattered(r, instr, &s);
    return out ? hlo_build_as(out, instr->shape) : NULL;
}
