/* sharding-propagation: shardings of some instructions spread to users and operands in rounds, the
 * later ones with fewer restrictions, until nothing changes, as in XLA's pass for GSPMD. */
#include "passes/spmd/propagation.h"

#include "passes/control_flow/flatten.h"

/* Each pass over the module makes some sharding better, which has an end; this is for modules that
 * find a way around it. */
enum { MOST_ITERATIONS = 100000 };

/* Instructions of each computation in post-order, one computation after the other. */
typedef struct {
    hlo_instr **order;
    uint32_t *begin; /* of each computation, and the end */
    uint32_t computations;
} propagation_order;

/* ---- what has to be looked at again ---- */

static void look_at_parameters(hlo_propagation *p, const hlo_instr *user) {
    for (uint32_t k = 0; k < hlo_called_count(user); k++) {
        const hlo_computation *c = hlo_called(user, k);
        for (uint32_t i = 0; c && i < c->parameter_count; i++)
            hlo_node(p, c->parameters[i])->seen_operands = false;
    }
}

/* Around an instruction that changed. Its users are those of the conversion after it, if there is
 * one. */
static void look_around(hlo_propagation *p, const hlo_instr *instr, const hlo_instr *conversion) {
    const hlo_shard_node *node = hlo_node(p, instr);
    const hlo_shard_node *used = conversion ? hlo_node(p, conversion) : node;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        hlo_node(p, hlo_operand(instr, i))->seen_users = false;
    for (uint32_t i = 0; i < used->user_count; i++) {
        hlo_node(p, used->users[i])->seen_operands = false;
        look_at_parameters(p, used->users[i]);
    }
    if (node->group < 0) return;
    const hlo_instr_list *members = &p->groups.v[node->group].members;
    for (uint32_t i = 0; i < members->n; i++)
        if (members->v[i] != instr) hlo_node(p, members->v[i])->seen_group = false;
}

/* The instruction has another sharding now: so have those across calls. */
static void spread_across_calls(hlo_propagation *p, hlo_instr *instr) {
    hlo_instr_list changed = {0};
    hlo_shard_across_calls(p, instr, &changed);
    look_around(p, instr, NULL);
    for (uint32_t i = 0; i < changed.n; i++) look_around(p, changed.v[i], NULL);
    hlo_list_free(&changed);
}

/* ---- one look at one instruction ---- */

/* An annotation changes only where it leaves dimensions open. */
static bool is_open(const hlo_propagation *p, const hlo_shard_node *node) {
    return hlo_may_combine(p) && node->unspecified;
}

static bool visit_group(hlo_propagation *p, hlo_instr *instr) {
    hlo_shard_node *node = hlo_node(p, instr);
    if (node->seen_group || node->group < 0) return false;
    const hlo_shard_group *group = &p->groups.v[node->group];
    if (node->is_provided) {
        if (!is_open(p, node) || !hlo_refine_from_group(p, instr, group)) return false;
        look_around(p, instr, NULL);
        return node->seen_group = true;
    }
    node->seen_group = true;
    if (!hlo_shard_from_group(p, instr, group)) return false;
    spread_across_calls(p, instr);
    return true;
}

static bool visit_operands(hlo_propagation *p, hlo_instr *instr) {
    hlo_shard_node *node = hlo_node(p, instr);
    hlo_instr *conversion = NULL;
    if (node->seen_operands) return false;
    if (node->is_provided) {
        if (!is_open(p, node) || !hlo_refine_from_operand(p, instr, &conversion)) return false;
        look_around(p, instr, conversion);
        return node->seen_operands = true;
    }
    node->seen_operands = true;
    if (!hlo_shard_from_operands(p, instr)) return false;
    spread_across_calls(p, instr);
    return true;
}

/* A conversion is refined together with the annotation before it. */
static void wake_annotation(hlo_propagation *p, const hlo_instr *instr) {
    if (!hlo_node(p, instr)->seen_users && instr->operand_count &&
        (hlo_calls_target(instr, "SPMDFullToShardShape") ||
         hlo_calls_target(instr, "SPMDShardToFullShape")))
        hlo_node(p, hlo_operand(instr, 0))->seen_users = false;
}

static bool visit_users(hlo_propagation *p, hlo_instr *instr) {
    hlo_shard_node *node = hlo_node(p, instr);
    hlo_instr *conversion = NULL;
    wake_annotation(p, instr);
    if (node->seen_users) return false;
    if (node->is_provided) {
        if (!is_open(p, node) || !hlo_refine_from_users(p, instr, &conversion)) return false;
        look_around(p, instr, conversion);
        if (conversion) hlo_node(p, conversion)->seen_users = true;
        return node->seen_users = true;
    }
    node->seen_users = true;
    if (!hlo_shard_from_users(p, instr)) return false;
    spread_across_calls(p, instr);
    return true;
}

/* ---- to the end ---- */

static bool visit_computation(hlo_propagation *p, hlo_instr **order, uint32_t n) {
    bool changed = false;
    for (uint32_t i = 0; i < n; i++) {
        changed |= visit_group(p, order[i]);
        hlo_arena_reset(&p->arena);
    }
    for (uint32_t i = 0; i < n; i++) {
        changed |= visit_operands(p, order[i]);
        hlo_arena_reset(&p->arena);
    }
    for (uint32_t i = n; i-- > 0;) {
        changed |= visit_users(p, order[i]);
        hlo_arena_reset(&p->arena);
    }
    return changed;
}

static bool run_level(hlo_propagation *p, const propagation_order *o, int level) {
    bool changed = true;
    p->level = level;
    for (uint32_t i = 0; i < p->node_count; i++)
        p->nodes[i].seen_group = p->nodes[i].seen_operands = p->nodes[i].seen_users = false;
    for (uint32_t k = 0; changed && k < MOST_ITERATIONS; k++) {
        changed = false;
        for (uint32_t c = 0; c < o->computations; c++)
            changed |= visit_computation(p, o->order + o->begin[c], o->begin[c + 1] - o->begin[c]);
    }
    if (changed)
        hlo_error(p->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                  "sharding-propagation: shardings still change after %d rounds", MOST_ITERATIONS);
    return !changed;
}

static void order_init(propagation_order *o, const hlo_propagation *p) {
    uint32_t n = 0;
    o->order = hlo_malloc((p->node_count + 1u) * sizeof *o->order);
    o->begin = hlo_malloc((p->module->computation_count + 1u) * sizeof *o->begin);
    o->computations = 0;
    for (hlo_computation *c = p->module->first; c; c = c->next) {
        o->begin[o->computations++] = n;
        n += hlo_post_order(c, o->order + n);
    }
    o->begin[o->computations] = n;
}

static bool run_levels(hlo_propagation *p) {
    propagation_order o;
    order_init(&o, p);
    bool good = true;
    for (int level = 0; good && level < HLO_LEVELS; level++) good = run_level(p, &o, level);
    if (good) {
        hlo_align_groups(p);
        hlo_relay_barriers(p);
        good = run_level(p, &o, HLO_LEVELS - 1);
    }
    hlo_free(o.order);
    hlo_free(o.begin);
    return good;
}

/* ---- after ---- */

/* The operand has what the barrier had, if it has nothing itself. */
static void remove_barrier(hlo_propagation *p, hlo_instr *barrier) {
    hlo_instr *operand = hlo_operand(barrier, 0);
    if (!hlo_sharding_on(p, operand)) hlo_set_sharding(p, operand, hlo_sharding_on(p, barrier));
    hlo_rewrite_count(p->rewriter, HLO_REWRITE_remove_shard_barrier, barrier->name);
    hlo_inherit_metadata(barrier, operand);
    hlo_instr_replace_all_uses(barrier, operand);
    hlo_instr_remove(barrier);
    barrier->parent = NULL;
    p->changed = true;
}

static void remove_barriers(hlo_propagation *p) {
    for (uint32_t i = 0; i < p->node_count; i++) {
        hlo_instr *instr = p->nodes[i].instr;
        if (!instr->parent || instr->operand_count != 1 || hlo_is_tied(p->rewriter, instr))
            continue;
        if ((hlo_is_shard_barrier_from(instr) || hlo_is_shard_barrier_to(instr)) &&
            hlo_rewrite_allowed(p->rewriter, HLO_REWRITE_remove_shard_barrier))
            remove_barrier(p, instr);
    }
}

/* ---- the pass ---- */

/* NULL when none of them may change: that is the default. */
static const hlo_ints *allowed_list(const hlo_module *module, hlo_attr_id id) {
    const hlo_attr *attr = hlo_module_attr(module, id);
    return attr && hlo_ints_contain(attr->u.ints, 1) ? attr->u.ints : NULL;
}

static bool prepare(hlo_propagation *p) {
    if (!hlo_nodes_init(p)) return false;
    if (!p->cse_prevention_only) hlo_forget_cse_prevention(p);
    hlo_assign_metadata(p);
    if (!hlo_read_annotations(p)) return false;
    hlo_save_boundary(p);
    if (!hlo_check_boundary(p) || !hlo_check_devices(p)) return false;
    hlo_connect_calls(p);
    hlo_mark_provided(p);
    hlo_replace_unknown(p);
    hlo_nodes_link(p);
    return true;
}

static bool propagate(hlo_propagation *p) {
    if (!hlo_rewrite_allowed(p->rewriter, HLO_REWRITE_propagate_shardings)) return true;
    if (!prepare(p) || !run_levels(p)) return false;
    hlo_relay_barriers(p);
    remove_barriers(p);
    if (p->cse_prevention_only) hlo_keep_cse_prevention(p);
    hlo_restore_boundary(p);
    hlo_agree_across_calls(p);
    if (hlo_rewrite_allowed(p->rewriter, HLO_REWRITE_propagate_shardings) && hlo_nodes_write(p)) {
        hlo_rewrite_count(p->rewriter, HLO_REWRITE_propagate_shardings, p->module->entry->name);
        p->changed = true;
    }
    return true;
}

/* The computations of a loop have its sharding, so that loops with different ones share none. */
static hlo_pass_result give_own_computations(const hlo_pass_call *call) {
    if (!hlo_has_shardings(call->module)) return HLO_UNCHANGED;
    int64_t most =
        hlo_growth_limit(call->module, HLO_OPTION(call, SHARDING_PROPAGATION, max_growth));
    if (hlo_flattened_size(call->module) <= most)
        return hlo_flatten_calls(call, HLO_REWRITE_own_computation_to_shard, most);
    hlo_error(call->diags, HLO_RULE_LIMIT, NULL, (hlo_span){0, 0},
              "sharding-propagation: without shared computations the module would have more than "
              "%lld instructions; max_growth sets the limit",
              (long long)most);
    return HLO_PASS_FAILED;
}

hlo_pass_result hlo_pass_sharding_propagation(const hlo_pass_call *call) {
    if (hlo_is_device_program(call->module)) return HLO_UNCHANGED;
    hlo_pass_result own = give_own_computations(call);
    if (own == HLO_PASS_FAILED) return own;
    hlo_propagation p = {
        .module = call->module,
        .rewriter = call->rewriter,
        .diags = call->diags,
        .to_output = allowed_list(call->module, HLO_ATTR_SPMD_TO_OUTPUT),
        .to_parameters = allowed_list(call->module, HLO_ATTR_SPMD_TO_PARAMETERS),
        .is_spmd = HLO_OPTION(call, SHARDING_PROPAGATION, is_spmd),
        .propagate_metadata = HLO_OPTION(call, SHARDING_PROPAGATION, propagate_metadata),
        .cse_prevention_only = HLO_OPTION(call, SHARDING_PROPAGATION, cse_prevention_only),
        .changed = own == HLO_CHANGED,
    };
    hlo_arena_init(&p.arena);
    hlo_arena_init(&p.kept);
    hlo_call_graph_init(&p.graph, p.module);
    p.callers = hlo_calloc(p.module->next_id + 1u, sizeof *p.callers);
    bool good = propagate(&p);
    hlo_free(p.callers);
    hlo_nodes_free(&p);
    hlo_call_graph_free(&p.graph);
    hlo_arena_free(&p.kept);
    hlo_arena_free(&p.arena);
    if (!good) return HLO_PASS_FAILED;
    return p.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
