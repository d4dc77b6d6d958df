/* dce: dead instructions, unused outputs and parameters of fusions, unreachable computations; as
 * options, unused parameters of calls, and dead state of loops and operands of conditionals. */
#include "passes/pipeline/fusion_bodies.h"

#include <strings.h>

#include "analysis/call_graph.h"
#include "passes/control_flow/branch_operands.h"
#include "passes/control_flow/loop_state.h"
#include "passes/pipeline/rewrite.h"
#include "passes/simplify/async_parameters.h"

/* Calls by the computation that they name: those of id c are calls[start[c]] up to
 * calls[start[c + 1]]. */
typedef struct {
    hlo_instr **calls;
    uint32_t *start;
    bool *fixed; /* something else names the computation, too */
} call_sites;

typedef struct {
    hlo_module *module;
    hlo_rewriter *rewriter;
    hlo_call_graph calls;
    bool drop_collectives, drops_call_parameters; /* options of the pass */
    call_sites sites;                             /* empty unless parameters of calls may go */
    bool *live;              /* by id: reached from the entry by live instructions */
    uint32_t tied;           /* mark of instructions with control dependencies */
    hlo_instr_list worklist; /* to be removed when dead */
    bool changed;
} sweep;

static bool is_dead(const hlo_instr *instr) {
    return !instr->first_use && instr->parent->root != instr;
}

/* ---- what keeps a dead instruction ---- */

/* An instruction is removed when it has no users, is not the root, has no control dependencies, and
 * neither it nor its callees have side effects; then its operands are visited. Parameters stay,
 * except those of a fusion's body. */

static bool is_true_word(hlo_str value) {
    static const char *const words[] = {"true", "yes", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == value.len && strncasecmp(words[i], value.ptr, value.len) == 0)
            return true;
    return false;
}

static bool has_true_frontend(const hlo_instr *instr, const char *const *keys, size_t n) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    for (uint32_t i = 0; attr && i < attr->u.frontend->n; i++)
        for (size_t k = 0; k < n; k++)
            if (hlo_str_is(attr->u.frontend->v[i].key, keys[k]))
                return is_true_word(attr->u.frontend->v[i].value);
    return false;
}

static bool is_protected(const hlo_instr *instr) {
    static const char *const keys[] = {"xla_disable_while_loop_dce", "xla.disable_while_loop_dce",
                                       "xla_preserve_tuple_indices", "xla.preserve_tuple_indices"};
    return has_true_frontend(instr, keys, sizeof keys / sizeof *keys);
}

static bool is_custom_call(const hlo_instr *instr, const char *target) {
    if (instr->opcode != HLO_OP_CUSTOM_CALL) return false;
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET);
    return attr && hlo_str_is(*attr->u.string, target);
}

static bool has_other_user(const hlo_instr *def, const hlo_instr *user) {
    for (const hlo_use *use = def->first_use; use; use = use->next)
        if (use->user != user) return true;
    return false;
}

/* An unused "Sharding" custom call still annotates its operand, so it is kept while the operand is
 * otherwise live. */
static bool annotates_live_value(const hlo_instr *instr) {
    if (!is_custom_call(instr, "Sharding") || instr->operand_count == 0) return false;
    const hlo_instr *operand = hlo_operand(instr, 0);
    return operand == operand->parent->root || operand->opcode == HLO_OP_PARAMETER ||
           has_other_user(operand, instr);
}

/* A token that gathers the tokens of effects keeps their order visible. */
static bool gathers_effects(const sweep *s, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_AFTER_ALL) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *source = hlo_operand(instr, i);
        if (source->opcode == HLO_OP_GET_TUPLE_ELEMENT && source->operand_count)
            source = hlo_operand(source, 0);
        if (hlo_call_graph_effect(&s->calls, source)) return true;
    }
    return false;
}

/* The opcodes that remove_cross_partition_collective_ops gives up. */
static bool is_droppable_collective(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_ALL_GATHER:
    case HLO_OP_ALL_GATHER_START:
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_ALL_REDUCE_START:
    case HLO_OP_ALL_TO_ALL:
    case HLO_OP_COLLECTIVE_BROADCAST:
    case HLO_OP_RAGGED_ALL_TO_ALL:
    case HLO_OP_REDUCE_SCATTER: return hlo_attr_int(instr, HLO_ATTR_CONSTRAIN_LAYOUT) == 0;
    default: return false;
    }
}

static bool is_droppable_while(const sweep *s, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_WHILE) return false;
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        for (const hlo_instr *i = called->first; i; i = i->next)
            if (hlo_call_graph_effect(&s->calls, i) && !is_droppable_collective(i)) return false;
    return true;
}

static bool effect_may_go(const sweep *s, const hlo_instr *instr) {
    static const char *const allowed[] = {"xla_allow_dce_side_effecting_op"};
    if (is_custom_call(instr, "tpu_custom_call") && has_true_frontend(instr, allowed, 1))
        return true;
    return s->drop_collectives && (is_droppable_collective(instr) || is_droppable_while(s, instr));
}

/* What may follow the last user it had. Parameters have a separate rule. */
static bool may_follow(const sweep *s, const hlo_instr *instr) {
    return instr->opcode != HLO_OP_PARAMETER && instr->mark != s->tied &&
           !hlo_call_graph_effect(&s->calls, instr);
}

/* What may go although nothing that used it went: XLA is stricter there. */
static bool may_go(const sweep *s, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_PARAMETER || instr->mark == s->tied) return false;
    if (is_protected(instr) || annotates_live_value(instr) || gathers_effects(s, instr))
        return false;
    return !hlo_call_graph_effect(&s->calls, instr) || effect_may_go(s, instr);
}

/* ---- removing ---- */

static void forget_calls(sweep *s, const hlo_instr *instr) {
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++) {
        s->calls.call_count[called->id]--;
        if (s->calls.caller[called->id] == instr) s->calls.caller[called->id] = NULL;
    }
}

static bool allows(const sweep *s, hlo_rewrite_id id) {
    return hlo_rewrite_allowed(s->rewriter, id);
}

/* Whether it is counted is the caller's business. */
static void unlink_one(sweep *s, hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *operand = hlo_operand(instr, i);
        bool again = i && operand == hlo_operand(instr, i - 1);
        if (!again) hlo_list_push(&s->worklist, operand);
    }
    forget_calls(s, instr);
    hlo_instr_remove(instr);
    instr->parent = NULL; /* marks it removed for the worklist */
    s->changed = true;
}

static void remove_one(sweep *s, hlo_instr *instr) {
    hlo_rewrite_count(s->rewriter, HLO_REWRITE_dead_instruction, instr->name);
    unlink_one(s, instr);
}

/* Down to the `base` entries that the worklist had before. */
static void remove_followers(sweep *s, size_t base) {
    while (s->worklist.n > base) {
        hlo_instr *instr = hlo_list_pop(&s->worklist);
        if (instr->parent && is_dead(instr) && may_follow(s, instr) &&
            allows(s, HLO_REWRITE_dead_instruction))
            remove_one(s, instr);
    }
}

/* Which instructions start is decided before the first one goes: an annotation is judged by the
 * users that its operand has then. */
static void remove_dead(sweep *s, hlo_computation *c) {
    for (hlo_instr *i = c->first; i; i = i->next)
        if (is_dead(i) && may_go(s, i)) hlo_list_push(&s->worklist, i);
    size_t starts = s->worklist.n;
    for (size_t k = 0; k < starts && allows(s, HLO_REWRITE_dead_instruction); k++) {
        remove_one(s, s->worklist.v[k]);
        remove_followers(s, starts);
    }
    s->worklist.n = 0;
}

static void mark_control(sweep *s) {
    s->tied = hlo_module_new_mark(s->module);
    for (hlo_computation *c = s->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            const hlo_attr *control = hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS);
            if (!control || control->u.instructions->n == 0) continue;
            i->mark = s->tied;
            for (uint32_t k = 0; k < control->u.instructions->n; k++)
                control->u.instructions->v[k]->mark = s->tied;
        }
}

/* ---- unused outputs of fusions ---- */

/* Fills used[] by the outputs that the fusion's users take or that have an effect; false when the
 * fusion must keep its shape. */
static bool find_used_outputs(const sweep *s, const hlo_instr *fusion, const hlo_instr *root,
                              bool *used) {
    for (const hlo_use *use = fusion->first_use; use; use = use->next) {
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT) return false;
        int64_t index = hlo_attr_int(use->user, HLO_ATTR_INDEX);
        if (index < 0 || index >= root->operand_count) return false;
        used[index] = true;
    }
    for (uint32_t i = 0; i < root->operand_count; i++)
        used[i] |= hlo_call_graph_effect(&s->calls, hlo_operand(root, i));
    return true;
}

static bool is_custom_fusion(const hlo_instr *fusion) {
    const char *kind = hlo_word_text(HLO_WORDS_FUSION_KIND, hlo_attr_int(fusion, HLO_ATTR_KIND));
    return kind && strcmp(kind, "kCustom") == 0;
}

static bool keeps_shape(const sweep *s, const hlo_instr *fusion, const hlo_instr *root) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    return root->opcode != HLO_OP_TUPLE || root->first_use || !hlo_shape_is_tuple(fusion->shape) ||
           fusion->shape->rank != root->operand_count || is_custom_fusion(fusion) ||
           hlo_instr_attr(root, HLO_ATTR_SHARDING) || hlo_instr_attr(fusion, HLO_ATTR_SHARDING) ||
           hlo_instr_attr(fusion, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING) || fusion->mark == s->tied ||
           is_dead(fusion) || fusion == fusion->parent->root;
}

static void set_int(hlo_instr *instr, hlo_attr_id id, int64_t value) {
    hlo_instr_set_attr(instr, (hlo_attr){.id = (uint16_t)id, .u.i = value});
}

/* `instr` and its uses keep their control dependencies; it has no predecessors itself. */
static void take_place_of(sweep *s, hlo_instr *instr, hlo_instr *new_def) {
    if (instr->mark == s->tied) {
        hlo_instr_replace_all_uses(instr, new_def);
        new_def->mark = s->tied;
    }
    while (instr->first_use) {
        hlo_instr *user = instr->first_use->user;
        hlo_instr_set_operand(user, (uint32_t)(instr->first_use - user->operands), new_def);
    }
    if (instr->parent->root == instr) instr->parent->root = new_def;
}

static const hlo_shape *narrowed_shape(sweep *s, const hlo_shape *tuple, const bool *used,
                                       uint32_t count) {
    const hlo_shape **elements = hlo_calloc(count, sizeof *elements);
    uint32_t n = 0;
    for (uint32_t i = 0; i < tuple->rank; i++)
        if (used[i]) elements[n++] = tuple->elements[i];
    const hlo_shape *shape =
        count == 1 ? elements[0] : hlo_shape_tuple(&s->module->shapes, elements, count);
    hlo_free(elements);
    return shape;
}

/* The number that an output gets: how many used ones stand before it. */
static int64_t *new_indices(const bool *used, uint32_t n) {
    int64_t *indices = hlo_calloc(n, sizeof *indices), next = 0;
    for (uint32_t i = 0; i < n; i++) {
        indices[i] = next;
        next += used[i];
    }
    return indices;
}

/* The users become uses of the fusion itself; those appended meanwhile are not visited. */
static void take_only_output(sweep *s, hlo_instr *fusion) {
    const hlo_use *last = fusion->last_use;
    for (hlo_use *use = fusion->first_use, *next; use; use = next) {
        next = use == last ? NULL : use->next;
        hlo_instr *element = use->user;
        take_place_of(s, element, fusion);
        hlo_instr_remove(element);
        element->parent = NULL;
    }
}

/* What led to outputs that went goes with them: a fusion's body has no dead instructions. */
static void remove_leftovers(sweep *s) {
    while (s->worklist.n) {
        hlo_instr *instr = hlo_list_pop(&s->worklist);
        if (instr->parent && is_dead(instr) && may_follow(s, instr)) unlink_one(s, instr);
    }
}

static void narrow(sweep *s, hlo_instr *fusion, hlo_computation *body, const bool *used,
                   uint32_t count) {
    hlo_rewrite_count(s->rewriter, HLO_REWRITE_unused_fusion_output, fusion->name);
    hlo_instr *root = body->root;
    int64_t *indices = new_indices(used, root->operand_count);
    fusion->shape = narrowed_shape(s, fusion->shape, used, count);
    hlo_instr_remove_attr(fusion, HLO_ATTR_ORIGIN); /* its tree follows the old shape */
    if (count == 1) {
        uint32_t only = 0;
        while (!used[only]) only++;
        take_only_output(s, fusion);
        body->root = hlo_operand(root, only);
        unlink_one(s, root);
    } else {
        for (hlo_use *use = fusion->first_use; use; use = use->next)
            set_int(use->user, HLO_ATTR_INDEX, indices[hlo_attr_int(use->user, HLO_ATTR_INDEX)]);
        root->shape = narrowed_shape(s, root->shape, used, count);
        hlo_instr_remove_attr(root, HLO_ATTR_ORIGIN);
        for (uint32_t i = 0; i < root->operand_count; i++)
            if (!used[i]) hlo_list_push(&s->worklist, hlo_operand(root, i));
        hlo_instr_keep_operands(root, used);
    }
    remove_leftovers(s);
    hlo_free(indices);
    s->changed = true;
}

/* Control predecessors of an element would have to become the fusion's, which is earlier; and a
 * bitcast may read it by its own layout. */
static bool an_element_stays(const hlo_instr *fusion) {
    for (const hlo_use *use = fusion->first_use; use; use = use->next) {
        const hlo_instr *element = use->user;
        int64_t index = hlo_attr_int(element, HLO_ATTR_INDEX);
        if (hlo_instr_attr(element, HLO_ATTR_CONTROL_PREDECESSORS) ||
            hlo_shape_has_other_order(fusion->shape->elements[index], element->shape))
            return true;
    }
    return false;
}

static void trim_outputs(sweep *s, hlo_computation *body) {
    hlo_instr *fusion = hlo_call_graph_fusion(&s->calls, body);
    if (!fusion || !body->root || keeps_shape(s, fusion, body->root)) return;
    if (!allows(s, HLO_REWRITE_unused_fusion_output)) return;
    uint32_t all = body->root->operand_count, count = 0;
    bool *used = hlo_calloc(all ? all : 1, sizeof *used);
    if (find_used_outputs(s, fusion, body->root, used)) {
        for (uint32_t i = 0; i < all; i++) count += used[i];
        if (count && count < all && (count > 1 || !an_element_stays(fusion)))
            narrow(s, fusion, body, used, count);
    }
    hlo_free(used);
}

/* ---- unused parameters of fusions ---- */

static uint32_t find_needed(const sweep *s, const hlo_computation *body, bool *needed) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < body->parameter_count; n++) {
        const hlo_instr *parameter = body->parameters[n];
        needed[n] = !is_dead(parameter) || parameter->mark == s->tied;
        count += needed[n];
    }
    return count;
}

/* Operands beyond the parameters, which the verifier takes as XLA's does, go too. */
static void drop_parameters(sweep *s, hlo_computation *body) {
    hlo_instr *fusion = hlo_call_graph_fusion(&s->calls, body);
    if (!fusion || fusion->operand_count < body->parameter_count) return;
    uint32_t all = fusion->operand_count;
    bool *needed = hlo_calloc(all ? all : 1, sizeof *needed);
    bool on = s->rewriter->enabled[HLO_REWRITE_unused_fusion_parameter]; /* whatever the limit */
    if (find_needed(s, body, needed) < all && on) {
        hlo_rewrite_count(s->rewriter, HLO_REWRITE_unused_fusion_parameter, fusion->name);
        for (uint32_t n = 0; n < all; n++)
            if (!needed[n]) hlo_list_push(&s->worklist, hlo_operand(fusion, n));
        hlo_drop_fusion_operands(fusion, needed);
        remove_followers(s, 0);
        s->changed = true;
    }
    hlo_free(needed);
}

/* ---- unused parameters of calls ---- */

/* The operands of a composite are part of its interface. */
static bool is_plain_call(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_CALL && !hlo_attr_int(instr, HLO_ATTR_IS_COMPOSITE);
}

static void count_site(call_sites *sites, const hlo_instr *instr) {
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++) {
        if (is_plain_call(instr)) sites->start[called->id + 1]++;
        else sites->fixed[called->id] = true;
    }
}

static bool has_plain_calls(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (is_plain_call(i)) return true;
    return false;
}

static void find_sites(call_sites *sites, const hlo_module *module) {
    uint32_t ids = module->next_id;
    if (!has_plain_calls(module)) return;
    sites->start = hlo_calloc(ids + 2u, sizeof *sites->start);
    sites->fixed = hlo_calloc(ids + 1u, sizeof *sites->fixed);
    sites->fixed[module->entry->id] = true;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) count_site(sites, i);
    for (uint32_t id = 0; id <= ids; id++) sites->start[id + 1] += sites->start[id];
    sites->calls = hlo_calloc(sites->start[ids] + 1u, sizeof(hlo_instr *));
    uint32_t *next = hlo_malloc((ids + 1u) * sizeof *next);
    memcpy(next, sites->start, (ids + 1u) * sizeof *next);
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            if (is_plain_call(i)) sites->calls[next[hlo_called(i, 0)->id]++] = i;
    hlo_free(next);
}

static void free_sites(call_sites *sites) {
    hlo_free(sites->calls);
    hlo_free(sites->start);
    hlo_free(sites->fixed);
}

static void drop_call_parameters(sweep *s, hlo_computation *c) {
    const call_sites *sites = &s->sites;
    if (!sites->start || sites->fixed[c->id] || !allows(s, HLO_REWRITE_unused_call_parameter))
        return;
    uint32_t all = c->parameter_count;
    bool *needed = hlo_calloc(all ? all : 1, sizeof *needed);
    if (find_needed(s, c, needed) < all) {
        hlo_rewrite_count(s->rewriter, HLO_REWRITE_unused_call_parameter, c->name);
        for (uint32_t k = sites->start[c->id]; k < sites->start[c->id + 1]; k++) {
            hlo_instr *call = sites->calls[k];
            if (!call->parent) continue;
            for (uint32_t n = 0; n < all; n++)
                if (!needed[n]) hlo_list_push(&s->worklist, hlo_operand(call, n));
            hlo_instr_keep_operands(call, needed);
        }
        hlo_drop_parameters(c, needed);
        remove_followers(s, 0);
        s->changed = true;
    }
    hlo_free(needed);
}

/* The same for an asynchronous call, whose computation has one. */
static void drop_start_parameters(sweep *s, hlo_computation *c) {
    hlo_instr *start = s->calls.call_count[c->id] == 1 ? s->calls.caller[c->id] : NULL;
    uint32_t all = c->parameter_count;
    if (!start || !start->parent || start->opcode != HLO_OP_ASYNC_START || start->mark == s->tied ||
        start->operand_count != all || !allows(s, HLO_REWRITE_unused_call_parameter))
        return;
    bool *needed = hlo_calloc(all ? all : 1, sizeof *needed);
    if (find_needed(s, c, needed) < all && hlo_async_start_can_lose_operands(start)) {
        hlo_rewrite_count(s->rewriter, HLO_REWRITE_unused_call_parameter, c->name);
        for (uint32_t n = 0; n < all; n++)
            if (!needed[n]) hlo_list_push(&s->worklist, hlo_operand(start, n));
        hlo_async_start_keep_operands(start, needed);
        hlo_drop_parameters(c, needed);
        remove_followers(s, 0);
        s->changed = true;
    }
    hlo_free(needed);
}

/* ---- what control flow carries along ---- */

/* After the sweep: what it found dead is not in the way, and its marks are not needed any more. */
static void narrow_control_flow(sweep *s) {
    for (uint32_t n = 0; n < s->calls.count; n++) {
        hlo_computation *c = s->calls.order[n];
        for (hlo_instr *i = c->first, *next; i; i = next) {
            next = i->next;
            if (i->opcode == HLO_OP_WHILE)
                s->changed |=
                    hlo_drop_dead_state(s->rewriter, HLO_REWRITE_dead_state_element, &s->calls, i);
            else if (i->opcode == HLO_OP_CONDITIONAL)
                s->changed |= hlo_drop_branch_elements(
                    s->rewriter, HLO_REWRITE_unused_branch_element, &s->calls, i);
        }
    }
}

/* ---- the sweep ---- */

static void mark_live_callees(sweep *s, const hlo_computation *c) {
    for (hlo_instr *i = c->first; i; i = i->next) {
        hlo_computation *called;
        for (uint32_t k = 0; (called = hlo_called(i, k)); k++) s->live[called->id] = true;
    }
}

/* Callers come first, so that a fusion loses the outputs that have no users before its body is
 * cleaned. One sweep, like XLA's: fix(dce) goes on while parameters that went make more
 * instructions dead. */
static void clean_computations(sweep *s) {
    s->live[s->module->entry->id] = true;
    for (uint32_t n = 0; n < s->calls.count; n++) {
        hlo_computation *c = s->calls.order[n];
        if (!s->live[c->id]) continue;
        trim_outputs(s, c);
        remove_dead(s, c);
        mark_live_callees(s, c);
    }
    for (uint32_t n = s->calls.count; n-- > 0;) {
        hlo_computation *c = s->calls.order[n];
        if (!s->live[c->id]) continue;
        drop_parameters(s, c);
        drop_call_parameters(s, c);
        if (s->drops_call_parameters) drop_start_parameters(s, c);
    }
}

static void remove_unreachable(sweep *s) {
    memset(s->live, 0, s->module->next_id * sizeof *s->live);
    s->live[s->module->entry->id] = true;
    for (uint32_t n = 0; n < s->calls.count; n++) {
        hlo_computation *c = s->calls.order[n];
        if (s->live[c->id]) {
            mark_live_callees(s, c);
        } else if (allows(s, HLO_REWRITE_uncalled_computation)) {
            hlo_rewrite_count(s->rewriter, HLO_REWRITE_uncalled_computation, c->name);
            hlo_computation_remove(c);
            s->changed = true;
        }
    }
}

static void init_sweep(sweep *s, hlo_module *module, hlo_rewriter *rewriter) {
    *s = (sweep){.module = module, .rewriter = rewriter};
    hlo_call_graph_init(&s->calls, module);
    s->live = hlo_calloc(module->next_id, sizeof *s->live);
    mark_control(s);
}

static void free_sweep(sweep *s) {
    hlo_free(s->live);
    hlo_list_free(&s->worklist);
    free_sites(&s->sites);
    hlo_call_graph_free(&s->calls);
}

hlo_pass_result hlo_pass_dce(const hlo_pass_call *call) {
    if (!call->module->entry) return HLO_UNCHANGED;
    sweep s;
    init_sweep(&s, call->module, call->rewriter);
    s.drop_collectives = HLO_OPTION(call, DCE, remove_cross_partition_collective_ops) != 0;
    s.drops_call_parameters = HLO_OPTION(call, DCE, use_call_analysis) != 0;
    if (s.drops_call_parameters) find_sites(&s.sites, call->module);
    clean_computations(&s);
    if (HLO_OPTION(call, DCE, control_flow)) narrow_control_flow(&s);
    remove_unreachable(&s);
    free_sweep(&s);
    return s.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
