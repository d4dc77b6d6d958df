/* Counting, replacing, inheriting: see rewrite.h. */
#include "passes/pipeline/rewrite.h"

const hlo_rewrite_info hlo_rewrites[HLO_REWRITE_COUNT] = {
#define HLO_REWRITE(pass, name, kind, about) \
    [HLO_REWRITE_##                          \
        name] = {#name, HLO_PASS_##pass, HLO_KIND_##kind, about, HLO_OP_NONE, NULL, false},
#define ROW(pass, opcode, name, function, kind, about, effects)                              \
    [HLO_REWRITE_##name] = {#name,           HLO_PASS_##pass,        HLO_KIND_##kind, about, \
                            HLO_OP_##opcode, hlo_rewrite_##function, effects},
#define HLO_PATTERN(pass, opcode, name, kind, about) \
    ROW(pass, opcode, name, name, kind, about, false)
#define HLO_PATTERN_AS(pass, opcode, name, function, kind, about) \
    ROW(pass, opcode, name, function, kind, about, false)
#define HLO_EFFECT_PATTERN(pass, opcode, name, kind, about) \
    ROW(pass, opcode, name, name, kind, about, true)
#include "passes/pipeline/rewrites.def"
};

const char *hlo_rewrite_kind_name(hlo_rewrite_kind kind) {
    HLO_ASSERT(kind <= HLO_KIND_OTHER);
    static const char *const names[] = {
        [HLO_KIND_EXACT] = "exact",
        [HLO_KIND_ROUNDING] = "rounding",
        [HLO_KIND_FAST_MATH] = "fast-math",
        [HLO_KIND_OTHER] = "other values",
    };
    return names[kind];
}

/* ---- control dependencies ---- */

bool hlo_is_tied(const hlo_rewriter *r, const hlo_instr *instr) {
    return hlo_ties_has(&r->tied, instr);
}

bool hlo_ties_something(const hlo_rewriter *r, const hlo_computation *c) {
    for (const hlo_instr *i = c->first; i && r->tied.instrs.n; i = i->next)
        if (hlo_is_tied(r, i)) return true;
    return false;
}

/* ---- one pass ---- */

void hlo_rewriter_init(hlo_rewriter *r, hlo_module *module, const bool *enabled,
                       hlo_rewrite_log *log) {
    *r = (hlo_rewriter){.module = module, .enabled = enabled, .log = log};
    hlo_diags_init(&r->refusals);
    for (const hlo_computation *c = module->first; c; c = c->next) hlo_ties_add_all(&r->tied, c);
}

void hlo_rewriter_free(hlo_rewriter *r) {
    HLO_ASSERT(!r->tied.instrs.n || r->module);
    hlo_list_free(&r->fresh);
    hlo_list_free(&r->touched);
    hlo_ties_free(&r->tied);
    hlo_diags_drop(&r->refusals);
}

bool hlo_rewriter_is_done(const hlo_rewriter *r) {
    return r->log->total >= r->log->limit;
}

bool hlo_rewrite_allowed(const hlo_rewriter *r, hlo_rewrite_id id) {
    HLO_ASSERT(id < HLO_REWRITE_COUNT);
    return r->enabled[id] && !hlo_rewriter_is_done(r);
}

void hlo_rewrite_count(hlo_rewriter *r, hlo_rewrite_id id, const hlo_name *place) {
    HLO_ASSERT(id < HLO_REWRITE_COUNT && !hlo_rewriter_is_done(r));
    hlo_rewrite_log *log = r->log;
    log->total++;
    log->fired[id]++;
    log->last = id;
    size_t n = place->len < sizeof log->last_place - 1 ? place->len : sizeof log->last_place - 1;
    memcpy(log->last_place, place->ptr, n);
    log->last_place[n] = 0;
}

void hlo_rewriter_aim(hlo_rewriter *r, hlo_instr *target) {
    HLO_ASSERT(target && target->parent);
    r->target = target;
    r->fresh.n = 0;
}

void hlo_rewriter_withdraw(hlo_rewriter *r) {
    while (r->fresh.n) {
        hlo_instr *instr = hlo_list_pop(&r->fresh);
        hlo_instr_remove(instr);
        instr->parent = NULL;
    }
}

/* ---- removing ---- */

bool hlo_ends_asynchronous_call(hlo_opcode opcode) {
    return opcode == HLO_OP_ASYNC_UPDATE || opcode == HLO_OP_ASYNC_DONE ||
           opcode == HLO_OP_ALL_REDUCE_DONE;
}

/* What it calls, or the start that it belongs to calls, may have an effect: dce knows. */
static bool may_call(const hlo_instr *instr) {
    return hlo_called(instr, 0) || hlo_ends_asynchronous_call((hlo_opcode)instr->opcode);
}

static bool may_follow(const hlo_rewriter *r, const hlo_instr *instr) {
    return instr->parent && !instr->first_use && instr->parent->root != instr &&
           instr->opcode != HLO_OP_PARAMETER && !hlo_instr_has_side_effect(instr) &&
           !may_call(instr) && !hlo_is_tied(r, instr);
}

/* A worklist instead of recursion: chains of operands are as long as modules. Only what lost its
 * last user goes along; others are worth another look. */
void hlo_rewriter_remove(hlo_rewriter *r, hlo_instr *instr) {
    HLO_ASSERT(instr->parent && !instr->first_use);
    hlo_instr_list worklist = {0};
    hlo_list_push(&worklist, instr);
    while (worklist.n) {
        hlo_instr *gone = hlo_list_pop(&worklist);
        if (gone != instr && !may_follow(r, gone)) {
            if (gone->parent) hlo_list_push(&r->touched, gone);
            continue;
        }
        for (uint32_t i = 0; i < gone->operand_count; i++)
            if (!i || hlo_operand(gone, i) != hlo_operand(gone, i - 1))
                hlo_list_push(&worklist, hlo_operand(gone, i));
        hlo_instr_remove(gone);
        gone->parent = NULL;
    }
    hlo_list_free(&worklist);
}

void hlo_remove_unused(const hlo_rewriter *r, const hlo_call_graph *graph,
                       hlo_instr_list *worklist) {
    while (worklist->n) {
        hlo_instr *i = hlo_list_pop(worklist);
        if (!i->parent || i->first_use || i == i->parent->root || i->opcode == HLO_OP_PARAMETER ||
            hlo_call_graph_effect(graph, i) || hlo_is_tied(r, i))
            continue;
        for (uint32_t k = 0; k < i->operand_count; k++) hlo_list_push(worklist, hlo_operand(i, k));
        hlo_instr_remove(i);
        i->parent = NULL;
    }
}

/* ---- replacing ---- */

static bool is_fresh(const hlo_rewriter *r, const hlo_instr *instr) {
    for (size_t i = 0; i < r->fresh.n; i++)
        if (r->fresh.v[i] == instr) return true;
    return false;
}

static void inherit_attr(const hlo_instr *from, hlo_instr *to, hlo_attr_id id) {
    const hlo_attr *attr = hlo_instr_attr(from, id);
    if (attr && !hlo_instr_attr(to, id)) hlo_instr_set_attr(to, *attr);
}

void hlo_inherit_metadata(const hlo_instr *from, hlo_instr *to) {
    const hlo_attr *attr = hlo_instr_attr(from, HLO_ATTR_METADATA);
    if (!attr) return;
    const hlo_attr *own = hlo_instr_attr(to, HLO_ATTR_METADATA);
    bool own_is_better = own && (own->u.metadata->op_name.len || !attr->u.metadata->op_name.len);
    if (!own_is_better) hlo_instr_set_attr(to, *attr);
}

/* What the new instruction keeps of the one whose place it takes, as XLA does it. */
static void inherit(hlo_rewriter *r, const hlo_instr *old, hlo_instr *by) {
    HLO_ASSERT(old->parent && by->parent);
    for (size_t i = 0; i < r->fresh.n; i++) {
        if (!r->keeps_metadata) hlo_inherit_metadata(old, r->fresh.v[i]);
        if (!r->fresh.v[i]->at.hi) r->fresh.v[i]->at = old->at;
    }
    hlo_inherit_metadata(old, by);
    inherit_attr(old, by, HLO_ATTR_FRONTEND_ATTRIBUTES);
    inherit_attr(old, by, HLO_ATTR_SHARDING);
    if (!r->keeps_metadata) inherit_attr(old, by, HLO_ATTR_ORIGIN);
    if (old->opcode == by->opcode && is_fresh(r, by)) {
        hlo_instr_take_name(by, old->name);
    }
}

/* The sharding of a parameter does not apply to the module's result. */
static bool shardings_agree(const hlo_instr *old, const hlo_instr *by) {
    const hlo_attr *a = hlo_instr_attr(old, HLO_ATTR_SHARDING);
    const hlo_attr *b = hlo_instr_attr(by, HLO_ATTR_SHARDING);
    bool is_result = old->parent->root == old && old->parent == old->parent->module->entry;
    if (a && !b) return !is_result || by->opcode != HLO_OP_PARAMETER;
    return !a || hlo_attr_equal(a, b);
}

static void move_uses(hlo_rewriter *r, hlo_instr *old, hlo_instr *by) {
    HLO_ASSERT(old != by && by->parent == old->parent);
    while (old->first_use) {
        hlo_instr *user = old->first_use->user;
        hlo_list_push(&r->touched, user);
        HLO_ASSERT(user->parent == old->parent);
        hlo_instr_set_operand(user, (uint32_t)(old->first_use - user->operands), by);
    }
    if (old->parent->root == old) old->parent->root = by;
}

bool hlo_rewrite_replace(hlo_rewriter *r, hlo_rewrite_id id, hlo_instr *old, hlo_instr *by) {
    if (!hlo_is_tied(r, old)) return hlo_rewrite_replace_tied(r, id, old, by);
    hlo_rewriter_withdraw(r);
    return false;
}

/* Everything that can refuse comes before the first change, so that refusing leaves the module as
 * it was. */
bool hlo_rewrite_replace_tied(hlo_rewriter *r, hlo_rewrite_id id, hlo_instr *old, hlo_instr *by) {
    if (!hlo_rewrite_allowed(r, id) || by->shape != old->shape || !shardings_agree(old, by)) {
        hlo_rewriter_withdraw(r);
        return false;
    }
    hlo_rewrite_count(r, id, old->name);
    inherit(r, old, by);
    for (size_t i = 0; i < r->fresh.n; i++) hlo_list_push(&r->touched, r->fresh.v[i]);
    hlo_list_push(&r->touched, by);
    move_uses(r, old, by);
    HLO_ASSERT(!old->first_use && old->parent->root != old);
    hlo_rewriter_remove(r, old);
    r->fresh.n = 0;
    return true;
}
