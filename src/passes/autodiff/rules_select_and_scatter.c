/* The rule of select-and-scatter, and what scatters cotangents of maxima and minima to the elements
 * that windows select. */
#include "analysis/match.h"
#include "passes/autodiff/formula.h"
#include "passes/autodiff/window.h"
#include "passes/expand/parts.h"
#include "shape/compatible.h"

/* ---- cotangents of maxima and minima ---- */

static hlo_computation *comparison(hlo_rewriter *r, hlo_type type, const char *direction) {
    const hlo_shape *scalar = hlo_shape_scalar(&r->module->shapes, type);
    hlo_body body = hlo_build_open(r, "select");
    hlo_instr *kept = hlo_build_parameter(r, &body, 0, scalar);
    hlo_instr *other = hlo_build_parameter(r, &body, 1, scalar);
    return hlo_build_close(r, &body, hlo_build_compare(r, kept, other, direction));
}

/* XLA's compilers take no select-and-scatter whose windows are dilated. */
static bool is_dilated(const hlo_window *window) {
    bool dilated = false;
    for (uint32_t d = 0; d < window->n; d++)
        dilated |= window->v[d].base_dilation != 1 || window->v[d].window_dilation != 1;
    return dilated;
}

hlo_instr *hlo_gradient_scattered(hlo_gradient *g, hlo_instr *x, hlo_instr *c,
                                  const hlo_window *window, const char *direction) {
    hlo_rewriter *r = g->r;
    hlo_type type = hlo_higher_precision((hlo_type)x->shape->type, (hlo_type)c->shape->type);
    x = hlo_build_convert(r, x, type);
    c = hlo_build_convert(r, c, type);
    hlo_attr attrs[3] = {{.id = HLO_ATTR_SELECT, .u.computation = comparison(r, type, direction)}};
    attrs[1] =
        (hlo_attr){.id = HLO_ATTR_SCATTER, .u.computation = hlo_build_reducer(r, HLO_OP_ADD, type)};
    attrs[2] = (hlo_attr){.id = HLO_ATTR_WINDOW, .u.window = window};
    hlo_instr *operands[] = {x, c, hlo_gradient_zero_scalar(g, x->shape)};
    hlo_instr *scattered =
        hlo_emit(r, HLO_OP_SELECT_AND_SCATTER, x->shape, operands, 3, attrs, window->n ? 3 : 2);
    if (!is_dilated(window)) return scattered;
    hlo_scattered s = {.operand = x, .source = c};
    hlo_instr *expanded = hlo_expand_scattered(r, scattered, &s);
    hlo_rewriter_remove(r, scattered);
    return expanded;
}

/* ---- select-and-scatter ---- */

static hlo_instr *gathered(hlo_gradient *g, hlo_instr *flat, hlo_instr *places) {
    int64_t zero = 0, one = 1;
    hlo_attr attrs[] = {hlo_attr_of_ints(g->r, HLO_ATTR_OFFSET_DIMS, NULL, 0),
                        hlo_attr_of_ints(g->r, HLO_ATTR_COLLAPSED_SLICE_DIMS, &zero, 1),
                        hlo_attr_of_ints(g->r, HLO_ATTR_START_INDEX_MAP, &zero, 1),
                        hlo_attr_of_int(HLO_ATTR_INDEX_VECTOR_DIM, places->shape->rank),
                        hlo_attr_of_ints(g->r, HLO_ATTR_SLICE_SIZES, &one, 1)};
    return hlo_emit(g->r, HLO_OP_GATHER, NULL, (hlo_instr *[]){flat, places}, 2, attrs,
                    sizeof attrs / sizeof *attrs);
}

/* What each element of the source was added to. A window in which there is only padding selects
 * nothing. */
static hlo_instr *selected(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    if (!c->shape->rank) return c;
    hlo_scattered s = {.operand = hlo_gradient_operand(g, instr, 0),
                       .source = hlo_operand(instr, 1)};
    hlo_instr *places = hlo_selected_places(g->r, instr, &s);
    int64_t elements = hlo_shape_elements(c->shape);
    hlo_instr *taken = gathered(g, hlo_build_reshape(g->r, c, &elements, 1), places);
    hlo_instr *none = hlo_build_integer(g->r, places->shape, -1);
    return where(g, hlo_build_compare(g->r, places, none, "NE"), taken);
}

bool hlo_gradient_select_and_scatter(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    bool wants_source = hlo_gradient_is_needed(g, instr, 1),
         wants_init = hlo_gradient_is_needed(g, instr, 2);
    HLO_ASSERT(instr->opcode == HLO_OP_SELECT_AND_SCATTER);
    const hlo_shape *source = hlo_operand(instr, 1)->shape;
    const hlo_attr *scatter = hlo_instr_attr(instr, HLO_ATTR_SCATTER);
    if (!wants_source && !wants_init) return true;
    if (hlo_binary_computation(scatter->u.computation) != HLO_OP_ADD)
        return hlo_gradient_refuse(g, instr,
                                   "has a gradient only for scatter computations that add");
    if (instr->shape->dynamic || source->dynamic)
        return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
    if (wants_init) hlo_gradient_add(g, instr, 2, sum_of_all(g, c));
    if (wants_source && hlo_shape_elements(source) && hlo_shape_elements(c->shape))
        hlo_gradient_add(g, instr, 1, selected(g, instr, c));
    return true;
}
