/* autodiff: the program with gradients, in reverse mode. It gets a cotangent for each floating
 * array of its result and returns, after these arrays, the gradients of the chosen parameters.
 * docs/autodiff.md describes what comes out. */
#include <stdlib.h>

#include "passes/autodiff/canonical.h"
#include "passes/autodiff/scope.h"
#include "passes/tools/program.h"

/* ---- which parameters ---- */

static bool choose_one(const hlo_pass_call *call, unsigned long number, bool *chosen) {
    const hlo_computation *entry = call->module->entry;
    if (number < entry->parameter_count &&
        hlo_has_floating_leaf(entry->parameters[number]->shape)) {
        chosen[number] = true;
        return true;
    }
    hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
              number < entry->parameter_count ? "autodiff: parameter %lu has no floating array"
                                              : "autodiff: there is no parameter %lu",
              number);
    return false;
}

/* One flag a parameter. */
static bool choose_parameters(const hlo_pass_call *call, bool *chosen) {
    const hlo_computation *entry = call->module->entry;
    const char *at = HLO_TEXT_OPTION(call, AUTODIFF, wrt);
    for (uint32_t i = 0; !at[0] && i < entry->parameter_count; i++)
        chosen[i] = hlo_has_floating_leaf(entry->parameters[i]->shape);
    while (*at) {
        char *end;
        if (!choose_one(call, strtoul(at, &end, 10), chosen)) return false;
        at = end + (*end == ',');
    }
    return true;
}

static void mark_parameters(hlo_scope *scope, const bool *chosen) {
    for (uint32_t p = 0; p < scope->forward->parameter_count; p++) {
        hlo_instr *parameter = scope->forward->parameters[p];
        hlo_leaf *leaves = hlo_scope_leaves(scope, parameter);
        uint32_t n = hlo_shape_leaf_count(parameter->shape);
        for (uint32_t i = 0; chosen[p] && i < n; i++)
            leaves[i].is_active = hlo_is_floating(hlo_shape_leaf(parameter->shape, i));
    }
}

/* ---- the new signature ---- */

/* A cotangent for each floating leaf of the result, and those that have something to do with the
 * parameters take their way from there. */
static void add_cotangents(hlo_gradient *g, hlo_instr *root, hlo_instr_list *results) {
    hlo_leaf *leaves = hlo_scope_leaves(g->scope, root);
    uint32_t n = hlo_shape_leaf_count(root->shape), number = root->parent->parameter_count;
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *result = hlo_leaf_of(g->r, root, i);
        hlo_list_push(results, result);
        if (!hlo_is_floating(result->shape)) continue;
        hlo_instr *cotangent =
            hlo_parameter_new(root->parent, result->shape, "cotangent", number++);
        hlo_instr_move_before(cotangent, g->r->target);
        if (leaves[i].is_active) leaves[i].cotangent = cotangent;
    }
}

/* What has reached a leaf of a parameter, in the parameter's layout. */
static hlo_instr *gradient_of_leaf(hlo_gradient *g, hlo_instr *parameter, uint32_t leaf) {
    const hlo_shape *shape = hlo_shape_leaf(parameter->shape, leaf);
    hlo_instr *gradient = hlo_gradient_cotangent(g, parameter, leaf);
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER &&
               leaf < hlo_shape_leaf_count(parameter->shape));
    if (!gradient && !shape->dynamic) return hlo_build_number(g->r, shape, 0);
    if (!gradient) return hlo_gradient_zeros(g, hlo_leaf_of(g->r, parameter, leaf));
    bool is_same = gradient->shape == shape || !hlo_shape_compatible(gradient->shape, shape);
    return is_same ? gradient : hlo_emit_unary(g->r, HLO_OP_COPY, shape, gradient);
}

/* Of a tuple: a tuple of its floating leaves' gradients, nested as it is. */
static hlo_instr *gradient_of(hlo_gradient *g, hlo_instr *parameter, const hlo_shape *part,
                              uint32_t leaf) {
    if (!hlo_shape_is_tuple(part)) return gradient_of_leaf(g, parameter, leaf);
    hlo_instr_list elements = {0};
    for (uint32_t i = 0; i < part->rank; i++) {
        if (hlo_has_floating_leaf(part->elements[i]))
            hlo_list_push(&elements, gradient_of(g, parameter, part->elements[i], leaf));
        leaf += hlo_shape_leaf_count(part->elements[i]);
    }
    hlo_instr *tuple = hlo_emit_tuple(g->r, elements.v, elements.n);
    hlo_list_free(&elements);
    return tuple;
}

static void add_gradients(hlo_gradient *g, const bool *chosen, hlo_instr_list *results) {
    hlo_computation *entry = g->scope->forward;
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        hlo_instr *parameter = entry->parameters[i];
        if (chosen[i]) hlo_list_push(results, gradient_of(g, parameter, parameter->shape, 0));
    }
}

/* ---- the program ---- */

static void reach_results(hlo_scope *scope) {
    hlo_leaf *leaves = hlo_scope_leaves(scope, scope->forward->root);
    uint32_t n = hlo_scope_leaf_count(scope, scope->forward->root);
    for (uint32_t i = 0; i < n; i++) leaves[i].is_reached = leaves[i].is_active;
    for (uint32_t i = 0; i < n; i++) leaves[i].first_zeros = HLO_ZEROS_NONE;
}

static bool differentiate(hlo_gradient *g, const bool *chosen) {
    hlo_computation *entry = g->r->module->entry;
    hlo_scope *whole = g->scope = hlo_scope_new(HLO_SCOPE_ENTRY, entry);
    mark_parameters(g->scope, chosen);
    hlo_find_active(g->scope);
    reach_results(g->scope);
    hlo_find_reached(g->scope);
    hlo_find_zeros(g->scope);
    hlo_instr *old_root = entry->root;
    g->scope->place = hlo_open_end(g->r, entry);
    hlo_instr_list results = {0};
    add_cotangents(g, old_root, &results);
    bool good = hlo_gradient_walk(g);
    if (good) {
        add_gradients(g, chosen, &results);
        hlo_settle(g->r, g->scope);
        entry->root = hlo_emit_tuple(g->r, results.v, results.n);
        hlo_computation_index_parameters(entry);
        hlo_set_program(g->r->module, entry);
        bool is_left = old_root->first_use || old_root->opcode == HLO_OP_PARAMETER ||
                       hlo_is_tied(g->r, old_root);
        if (!is_left) hlo_rewriter_remove(g->r, old_root);
    }
    hlo_list_free(&results);
    hlo_close_end(whole->place);
    hlo_scope_free(whole); /* what is refused may be in a scope inside */
    return good;
}

/* ---- the pass ---- */

/* Values would go through stacks unseen. */
static bool has_no_stacks(const hlo_pass_call *call) {
    hlo_module *module = call->module;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            if (i->opcode != HLO_OP_STACK_CREATE) continue;
            hlo_error(call->diags, HLO_RULE_GRADIENT, module->source, i->at,
                      "operation 'stack-create' of %s has no gradient: values on a stack are not "
                      "differentiated",
                      hlo_name_quoted(&module->arena, i->name));
            return false;
        }
    return true;
}

/* A gradient that turns out not to exist leaves the module as it was. */
static hlo_pass_result run(const hlo_pass_call *call, const bool *chosen) {
    hlo_module *module = call->module, *copy = hlo_module_clone(module);
    hlo_gradient g = {.r = call->rewriter,
                      .diags = call->diags,
                      .is_static = HLO_OPTION(call, AUTODIFF, static) != 0};
    bool good = hlo_prepare(&g, chosen) && differentiate(&g, chosen);
    if (good) hlo_rewrite_count(call->rewriter, HLO_REWRITE_differentiate, module->entry->name);
    else hlo_module_restore(module, copy);
    hlo_module_free(copy);
    return good ? HLO_CHANGED : HLO_PASS_FAILED;
}

hlo_pass_result hlo_pass_autodiff(const hlo_pass_call *call) {
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_differentiate)) return HLO_UNCHANGED;
    if (!has_no_stacks(call)) return HLO_PASS_FAILED;
    bool *chosen = hlo_calloc(call->module->entry->parameter_count + 1u, sizeof *chosen);
    hlo_pass_result result = choose_parameters(call, chosen) ? run(call, chosen) : HLO_PASS_FAILED;
    hlo_free(chosen);
    return result;
}
