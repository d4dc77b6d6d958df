/* raise-control-flow: a dataflow graph as a module with loops and conditionals (reference:
 * Implementation of Control Flow in TensorFlow, 2017). */
#include "analysis/call_graph.h"
#include "ir/places.h"
#include "passes/dataflow/raise.h"
#include "shape/verify.h"

/* ---- errors ---- */

bool hlo_raise_refuse(hlo_raising *r, const hlo_instr *at, const char *message) {
    hlo_error(r->call->diags, HLO_RULE_DATAFLOW_STRUCTURE, r->from->module->source, at->at,
              "%s: %s", hlo_info(at)->text, message);
    hlo_place_finding(r->call->diags, at->parent, at->name);
    r->failed = true;
    return false;
}

/* ---- the entry ---- */

static bool copy_parameters(hlo_raising *r, hlo_raise_body *body) {
    for (uint32_t i = 0; i < r->from->parameter_count; i++) {
        hlo_instr *parameter = r->from->parameters[i];
        if (hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER) != i)
            return hlo_raise_refuse(r, parameter, "parameters with lower numbers are missing");
        hlo_raise_copy(r, body, parameter);
    }
    return true;
}

static hlo_computation *raise_entry(hlo_raising *r) {
    hlo_raise_body body;
    hlo_raise_list nodes = {0};
    hlo_instr *root = NULL;
    hlo_raise_open(r, &body, 0, NULL, "raised");
    for (const hlo_instr *i = r->from->first; i; i = i->next)
        if (i->opcode != HLO_OP_PARAMETER && hlo_raise_at(r, i)->literal != i)
            hlo_list_push_in(&r->scratch, &nodes, i->index);
    if (copy_parameters(r, &body) && hlo_raise_fill(r, &body, &nodes))
        root = hlo_raise_value(r, &body, r->from->root, r->from->root);
    if (!root) return NULL;
    hlo_raise_tuple result = {.n = 1, .shapes = &root->shape};
    return hlo_raise_close(r, &body, &result, &root);
}

/* ---- the module ---- */

static void become_module(hlo_raising *r, hlo_computation *to) {
    hlo_module *module = r->r->module;
    hlo_name *name = to->name;
    to->name = r->from->name;
    r->from->name = name;
    to->execution_thread = r->from->execution_thread;
    to->at = r->from->at;
    module->entry = to;
    module->names_are_unique = false;
    hlo_module_set_attr(module, (hlo_attr){.id = HLO_ATTR_IS_DATAFLOW, .u.i = false});
    while (r->elements.n) {
        hlo_instr *element = hlo_list_pop(&r->elements);
        if (!element->first_use && element != element->parent->root) hlo_instr_remove(element);
    }
    hlo_remove_unreachable(module);
}

/* What was made of a graph that cannot be raised. */
static void forget_since(hlo_module *module, uint32_t first) {
    for (hlo_computation *c = module->first, *next; c; c = next) {
        next = c->next;
        if (c->id >= first) hlo_computation_remove(c);
    }
}

static bool raise(hlo_raising *r) {
    r->frames = hlo_static_frames_find(r->r->module, NULL, NULL);
    r->has_merge = HLO_NEW_ARRAY(&r->scratch, bool, r->frames.count);
    if (!hlo_raise_find_regions(r)) return false;
    if (hlo_raise_at(r, r->from->root)->region)
        return hlo_raise_refuse(r, r->from->root, "the result is inside a branch");
    hlo_rewriter_aim(r->r, r->from->root);
    hlo_computation *to = raise_entry(r);
    if (to) become_module(r, to);
    return to != NULL;
}

static hlo_pass_result raise_module(const hlo_pass_call *call) {
    uint32_t computations = call->module->next_id;
    hlo_raising r = {.call = call,
                     .r = call->rewriter,
                     .from = call->module->entry,
                     .seen = hlo_module_new_mark(call->module)};
    hlo_arena_init(&r.scratch);
    bool good = raise(&r);
    if (!good) forget_since(call->module, computations);
    hlo_static_frames_free(&r.frames);
    hlo_list_free(&r.regions);
    hlo_list_free(&r.nodes);
    hlo_list_free(&r.elements);
    hlo_arena_free(&r.scratch);
    return good ? HLO_CHANGED : HLO_PASS_FAILED;
}

hlo_pass_result hlo_pass_raise_control_flow(const hlo_pass_call *call) {
    hlo_module *module = call->module;
    if (!hlo_module_flag(module, HLO_ATTR_IS_DATAFLOW)) return HLO_UNCHANGED;
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_raised)) return HLO_UNCHANGED;
    if (hlo_verify_with(module, call->strictness, call->diags) != HLO_OK) return HLO_PASS_FAILED;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_raised, module->entry->name);
    return raise_module(call);
}
