/* shardy-xla: attributes and custom calls by which JAX states shardings for Shardy become those of
 * HLO, which sharding-propagation and spmd-partitioner read. What Shardy would propagate is left to
 * the former. */
#include "analysis/tiles.h"
#include "passes/spmd/shardy_import.h"

static bool begins_with(hlo_str text, const char *prefix) {
    size_t n = strlen(prefix);
    return text.len >= n && memcmp(text.ptr, prefix, n) == 0;
}

/* ---- computations ---- */

/* The computation for callers in the region: itself for those of the first region, a copy for each
 * other one. */
static hlo_computation *enter(hlo_shardy_import *s, hlo_computation *c,
                              const hlo_manual_region *region) {
    for (;;) {
        while (s->entered.n <= s->module->next_id) hlo_list_push(&s->entered, (hlo_entered){0});
        hlo_entered *entered = &s->entered.v[c->id];
        if (!entered->is_entered) break;
        if (hlo_region_equal(entered->region, region)) return c;
        if (!entered->copy) entered->copy = hlo_computation_clone(c, "clone");
        c = entered->copy;
    }
    s->entered.v[c->id] = (hlo_entered){.is_entered = true, .region = region};
    hlo_list_push(&s->computations, c);
    return c;
}

/* What an element of a tuple is taken from. */
static hlo_instr *whole_of(hlo_instr *instr) {
    return instr->opcode == HLO_OP_GET_TUPLE_ELEMENT ? hlo_operand(instr, 0) : instr;
}

/* Of values: one of nothing is ignored, as in XLA, where values are never tuples. */
static bool is_conversion(const hlo_instr *instr, const char *target) {
    return hlo_calls_target(instr, target) && !hlo_shardy_converts_nothing(instr);
}

/* The conversion among the operands of a call or among its users; NULL: none. */
static hlo_instr *conversion_at(hlo_instr *call) {
    for (uint32_t i = 0; i < call->operand_count; i++) {
        hlo_instr *from = whole_of(hlo_operand(call, i));
        if (is_conversion(from, "xla.sdy.GlobalToLocalShape")) return from;
    }
    for (hlo_use *use = call->first_use; use; use = use->next) {
        if (is_conversion(use->user, "xla.sdy.LocalToGlobalShape")) return use->user;
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT) continue;
        for (hlo_use *next = use->user->first_use; next; next = next->next)
            if (is_conversion(next->user, "xla.sdy.LocalToGlobalShape")) return next->user;
    }
    return NULL;
}

/* Of a call whose computation has the name of a manual region's: the region around, when nothing
 * goes in or out. NULL after an error too. */
static const hlo_manual_region *region_of_call(hlo_shardy_import *s, hlo_instr *call, bool *good) {
    const hlo_computation *body = hlo_called(call, 0);
    const hlo_manual_region *around = hlo_region_of(s, call->parent);
    if (call->opcode != HLO_OP_CALL || !begins_with((hlo_str){body->name->ptr, body->name->len, 0},
                                                    "xla.sdy.manual_computation_body"))
        return around;
    hlo_shardy_shardings shardings;
    hlo_instr *conversion = conversion_at(call);
    if (!conversion) return around;
    bool to_local = hlo_calls_target(conversion, "xla.sdy.GlobalToLocalShape");
    *good = hlo_shardy_read(
        s, conversion, to_local ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings", &shardings);
    const hlo_manual_region *region = *good ? hlo_region_inside(s, conversion, &shardings) : NULL;
    *good &= region != NULL;
    return region;
}

static bool enter_called(hlo_shardy_import *s, hlo_instr *instr) {
    uint32_t n = hlo_called_count(instr);
    bool good = true, changed = false;
    if (n == 0) return true;
    hlo_computation **called = HLO_NEW_ARRAY(&s->arena, hlo_computation *, n);
    const hlo_manual_region *region = region_of_call(s, instr, &good);
    for (uint32_t k = 0; good && k < n; k++) {
        called[k] = enter(s, hlo_called(instr, k), region);
        changed |= called[k] != hlo_called(instr, k);
    }
    if (changed) hlo_set_called(s->r, instr, called);
    return good;
}

/* What a call of a region gives is manual where all is; other regions are inlined. */
static void visit_call(hlo_shardy_import *s, hlo_instr *call) {
    const hlo_manual_region *inside = hlo_region_of(s, hlo_called(call, 0));
    if (hlo_region_equal(inside, hlo_region_of(s, call->parent))) return;
    if (!hlo_region_covers_mesh(inside)) {
        hlo_list_push(&s->partly_manual, call);
        return;
    }
    hlo_shardy_set_manual(s, call);
    for (hlo_use *use = call->first_use; use; use = use->next)
        if (use->user->opcode == HLO_OP_GET_TUPLE_ELEMENT) hlo_shardy_set_manual(s, use->user);
}

static bool visit(hlo_shardy_import *s, hlo_instr *instr) {
    if (instr->opcode == HLO_OP_CALL) visit_call(s, instr);
    if (hlo_calls_target(instr, "xla.sdy.GlobalToLocalShape"))
        return hlo_shardy_convert(s, instr, true);
    if (hlo_calls_target(instr, "xla.sdy.LocalToGlobalShape"))
        return hlo_shardy_convert(s, instr, false);
    if (hlo_calls_target(instr, "xla.sdy.ShardingGroup")) return hlo_shardy_join_group(s, instr);
    if (hlo_calls_target(instr, "xla.sdy.PropagationBarrier"))
        return hlo_shardy_set_barrier(s, instr);
    if (hlo_calls_target(instr, "Sharding") ||
        hlo_calls_target(instr, "xla.sdy.FuncResultSharding"))
        return hlo_shardy_restate(s, instr);
    if (hlo_region_covers_mesh(hlo_region_of(s, instr->parent))) {
        hlo_shardy_set_manual(s, instr);
        return true;
    }
    return hlo_shardy_state_own(s, instr);
}

/* Removes Shardy's frontend attributes, and what keeps a region's computation separate. */
static const hlo_frontend *plain_frontend(hlo_shardy_import *s, const hlo_frontend *all,
                                          bool is_region) {
    hlo_frontend *rest =
        hlo_arena_copy(&s->module->arena, all, sizeof *all + all->n * sizeof *all->v);
    rest->n = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        hlo_str key = all->v[i].key;
        bool ours = begins_with(key, "xla.sdy.");
        if (!ours && !(is_region && hlo_str_is(key, "inlineable"))) rest->v[rest->n++] = all->v[i];
    }
    return rest;
}

static void forget(hlo_shardy_import *s, hlo_instr *instr, bool is_region) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    if (!attr) return;
    const hlo_frontend *rest = plain_frontend(s, attr->u.frontend, is_region);
    if (rest->n == attr->u.frontend->n) return;
    if (rest->n) hlo_instr_set_attr(instr, (hlo_attr){.id = attr->id, .u.frontend = rest});
    else hlo_instr_remove_attr(instr, attr->id);
}

/* Every computation has its region before any is changed, so that copies are of what was read. */
static bool find_regions(hlo_shardy_import *s) {
    enter(s, s->module->entry, NULL);
    for (uint32_t n = 0; n < s->computations.n; n++)
        for (hlo_instr *i = s->computations.v[n]->first; i; i = i->next)
            if (!enter_called(s, i)) return false;
    return true;
}

static bool import_computation(hlo_shardy_import *s, hlo_computation *c) {
    hlo_list_reserve(&s->order, c->instr_count);
    s->order.n = 0;
    for (hlo_instr *i = c->first; i; i = i->next) hlo_list_push(&s->order, i);
    for (uint32_t i = 0; i < s->order.n; i++)
        if (s->order.v[i]->parent && !visit(s, s->order.v[i])) return false;
    for (hlo_instr *i = c->first; i; i = i->next) forget(s, i, i->opcode == HLO_OP_CALL);
    return true;
}

/* ---- the module ---- */

/* Shardings of all parameters or results, which frontends other than JAX state in the header. */
static bool set_from_header(hlo_shardy_import *s, const char *key, hlo_instr *const *to,
                            uint32_t n) {
    const hlo_str *text = hlo_module_frontend_value(s->module, key);
    const char *why = NULL;
    hlo_shardy_shardings all;
    if (!text) return true;
    if (!hlo_shardy_read_shardings(&s->arena, &s->meshes, *text, &all, &why))
        return hlo_shardy_refuse(s, NULL, key, why);
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t leaves = hlo_sharding_leaves(to[i]->shape);
        if (all.n - at < leaves)
            return hlo_shardy_refuse(s, NULL, key, "there must be one for each array");
        hlo_shardy_shardings part = {.v = all.v + at, .n = leaves};
        if (!hlo_shardy_set_stated(s, to[i], &part)) return false;
        at += leaves;
    }
    return at == all.n || hlo_shardy_refuse(s, NULL, key, "there must be one for each array");
}

/* Where some axes are not manual shardings spread over the edge of a region: it becomes part of the
 * computation around it. Inner regions first. */
static void inline_regions(hlo_shardy_import *s) {
    for (uint32_t i = s->partly_manual.n; i-- > 0;) {
        hlo_instr *call = s->partly_manual.v[i], **args;
        hlo_computation *body = hlo_called(call, 0);
        bool fits = hlo_inline_accepts(body, call, 0) && hlo_inline_fits(s->r, body) &&
                    !hlo_ties_parameters(body) && !hlo_is_tied(s->r, call);
        if (!fits) continue;
        args = HLO_NEW_ARRAY(&s->arena, hlo_instr *, call->operand_count);
        for (uint32_t k = 0; k < call->operand_count; k++) args[k] = hlo_operand(call, k);
        hlo_rewriter_aim(s->r, call);
        hlo_shardy_replace(call, hlo_inline_body(s->r, body, args));
    }
}

/* JAX writes no num_partitions in the text of a function that it has lowered: the meshes have as
 * many devices. */
static void set_partitions(hlo_shardy_import *s) {
    int64_t most = hlo_module_int(s->module, HLO_ATTR_NUM_PARTITIONS);
    if (most > 1) return;
    for (uint32_t i = 0; i < s->meshes.n; i++) {
        hlo_sharding whole = {.kind = HLO_SHARDING_NAMED, .mesh = s->meshes.v[i].mesh};
        most = hlo_larger(most, hlo_sharding_device_count(&whole));
    }
    if (most > 1 && most < INT32_MAX)
        hlo_module_set_attr(s->module, hlo_attr_of_int(HLO_ATTR_NUM_PARTITIONS, most));
}

static bool import_module(hlo_shardy_import *s) {
    hlo_module *module = s->module;
    hlo_computation *entry = module->entry;
    const hlo_str *meshes = hlo_module_frontend_value(module, "xla.sdy.meshes");
    const char *why = NULL;
    if (meshes && !hlo_shardy_read_meshes(&s->arena, *meshes, &s->meshes, &why))
        return hlo_shardy_refuse(s, NULL, "xla.sdy.meshes", why);
    set_partitions(s);
    if (!find_regions(s) ||
        !set_from_header(s, "xla.sdy.tuple_args_shardings", entry->parameters,
                         entry->parameter_count) ||
        !set_from_header(s, "xla.sdy.tuple_results_shardings", &entry->root, 1))
        return false;
    for (uint32_t n = 0; n < s->computations.n; n++)
        if (!import_computation(s, s->computations.v[n])) return false;
    inline_regions(s);
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES);
    if (attr)
        hlo_module_set_attr(
            module,
            (hlo_attr){.id = attr->id, .u.frontend = plain_frontend(s, attr->u.frontend, false)});
    return true;
}

/* Whether something in the module is Shardy's. */
static bool is_shardy(const hlo_module *module) {
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES);
    for (uint32_t i = 0; attr && i < attr->u.frontend->n; i++)
        if (begins_with(attr->u.frontend->v[i].key, "xla.sdy.")) return true;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) {
            const hlo_attr *target = hlo_instr_attr(i, HLO_ATTR_CUSTOM_CALL_TARGET);
            if (target && begins_with(*target->u.string, "xla.sdy.")) return true;
        }
    return false;
}

hlo_pass_result hlo_pass_shardy_xla(const hlo_pass_call *call) {
    hlo_module *module = call->module;
    if (!is_shardy(module) || !hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_import_shardy))
        return HLO_UNCHANGED;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_import_shardy, module->entry->name);
    hlo_shardy_import s = {.r = call->rewriter, .diags = call->diags, .module = module};
    hlo_arena_init(&s.arena);
    bool good = import_module(&s);
    hlo_arena_free(&s.arena);
    hlo_list_free(&s.entered);
    hlo_list_free(&s.computations);
    hlo_list_free(&s.order);
    hlo_list_free(&s.partly_manual);
    if (!good) return HLO_PASS_FAILED;
    hlo_remove_unreachable(module);
    return HLO_CHANGED;
}
