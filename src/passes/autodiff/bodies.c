/* Computations of gradients: see bodies.h. */
#include "passes/autodiff/bodies.h"

#include "passes/autodiff/residuals.h"

hlo_body hlo_open_gradient(hlo_gradient *g, hlo_scope *scope, const char *name) {
    hlo_enter_scope(g, scope->parent);
    hlo_body body = hlo_build_open(g->r, name);
    const hlo_shape *shape = hlo_shape_tuple(&g->r->module->shapes, NULL, 0);
    scope->parameter = hlo_build_parameter(g->r, &body, 0, shape);
    scope->place = body.place;
    hlo_enter_scope(g, scope);
    return body;
}

hlo_instr *hlo_in_shape(hlo_gradient *g, hlo_instr *value, const hlo_shape *shape) {
    bool fits = value->shape == shape || !hlo_shape_compatible(value->shape, shape);
    return fits ? value : hlo_emit_unary(g->r, HLO_OP_COPY, shape, value);
}

static const hlo_shape *shape_of_elements(hlo_gradient *g, const hlo_scope *scope) {
    uint32_t n = scope->elements.n;
    const hlo_shape **shapes = hlo_malloc((n + 1u) * sizeof *shapes);
    for (uint32_t i = 0; i < n; i++) shapes[i] = scope->elements.v[i].inner->shape;
    const hlo_shape *shape = hlo_shape_tuple(&g->r->module->shapes, shapes, n);
    hlo_free(shapes);
    return shape;
}

hlo_instr *hlo_end_gradient(hlo_gradient *g, hlo_scope *scope, hlo_instr *const *results,
                            uint32_t n) {
    hlo_enter_scope(g, scope);
    hlo_instr *root = hlo_emit_tuple(g->r, results, n);
    return hlo_fill_places(g, scope) ? root : NULL;
}

hlo_computation *hlo_close_gradient(hlo_gradient *g, hlo_scope *scope, const hlo_body *body,
                                    hlo_instr *root, hlo_instr *const *more, uint32_t n) {
    hlo_instr_list results = {0};
    for (uint32_t i = 0; i < root->operand_count; i++)
        hlo_list_push(&results, hlo_operand(root, i));
    for (uint32_t i = 0; i < n; i++) hlo_list_push(&results, more[i]);
    hlo_enter_scope(g, scope);
    scope->parameter->shape = shape_of_elements(g, scope);
    hlo_instr_remove(root);
    root->parent = NULL;
    hlo_instr *whole = hlo_emit_tuple(g->r, results.v, results.n);
    hlo_list_free(&results);
    hlo_computation *c = hlo_build_close(g->r, body, whole);
    hlo_enter_scope(g, scope->parent);
    return c;
}

hlo_instr *hlo_gradient_arguments(hlo_gradient *g, hlo_scope *scope) {
    uint32_t n = scope->elements.n;
    for (uint32_t i = 0; i < scope->threads.n; i++) {
        const hlo_held_thread *held = &scope->threads.v[i];
        scope->elements.v[held->element].init = hlo_thread_in(g, scope->parent, held->thread);
    }
    hlo_instr **inits = hlo_malloc((n + 1u) * sizeof *inits);
    for (uint32_t i = 0; i < n; i++)
        inits[i] = hlo_in_shape(g, scope->elements.v[i].init, scope->elements.v[i].inner->shape);
    hlo_instr *tuple = hlo_emit_tuple(g->r, inits, n);
    hlo_free(inits);
    return tuple;
}

hlo_instr *hlo_zeros_inside(hlo_gradient *g, hlo_scope *scope, hlo_instr *outer) {
    if (!outer->shape->dynamic) return hlo_build_number(g->r, outer->shape, 0);
    hlo_scope *before = hlo_enter_scope(g, scope->parent);
    hlo_instr *zeros = hlo_gradient_zeros(g, outer);
    hlo_enter_scope(g, before);
    return hlo_add_element(g, scope, zeros, zeros->shape);
}
