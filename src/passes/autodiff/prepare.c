/* Makes a program ready for differentiation: calls, fusions and maps that a gradient may go through
 * become what they call, and loops and conditionals get separate computations, in one form. */
#include "analysis/call_graph.h"
#include "analysis/communication.h"
#include "analysis/iteration_count.h"
#include "passes/autodiff/canonical.h"
#include "passes/autodiff/prepared.h"
#include "passes/autodiff/scope.h"
#include "passes/pipeline/inline.h"

/* Computations nest deeper than the C stack only in modules that no compiler makes. */
enum { DEEPEST = 500 };

typedef struct {
    hlo_gradient *g;
    uint32_t reached;           /* the mark of values that depend on chosen parameters */
    HLO_LIST(uint32_t) callers; /* how many instructions call a computation, by its id */
    unsigned depth;
} preparation;

static bool refuse(const preparation *p, const hlo_instr *instr, const char *why) {
    hlo_module *module = p->g->r->module;
    hlo_error(p->g->diags, HLO_RULE_LIMIT, module->source, instr->at, "operation '%s' of %s %s",
              hlo_info(instr)->text, hlo_name_quoted(&module->arena, instr->name), why);
    return false;
}

/* ---- callers ---- */

static void count_caller(preparation *p, const hlo_computation *c, int by) {
    while (p->callers.n <= c->id) hlo_list_push(&p->callers, 0);
    p->callers.v[c->id] += (uint32_t)by;
}

static void count_calls_from(preparation *p, const hlo_instr *first, const hlo_instr *end, int by) {
    for (const hlo_instr *i = first; i != end; i = i->next)
        for (uint32_t k = 0, n = hlo_called_count(i); k < n; k++)
            count_caller(p, hlo_called(i, k), by);
}

static void count_calls(preparation *p, const hlo_computation *c, int by) {
    count_calls_from(p, c->first, NULL, by);
}

/* Copies of bodies that were made after `last`. */
static void count_calls_after(preparation *p, const hlo_computation *last) {
    for (const hlo_computation *c = last->next; c; c = c->next) count_calls(p, c, 1);
}

/* A computation that nothing calls any more calls nothing. */
static void drop_caller(preparation *p, hlo_computation *c) {
    count_caller(p, c, -1);
    if (p->callers.v[c->id]) return;
    count_calls(p, c, -1);
    hlo_computation_remove(c);
}

static hlo_computation *own(preparation *p, hlo_computation *c, bool *fits) {
    hlo_rewriter *r = p->g->r;
    if (p->callers.v[c->id] <= 1 || !*fits) return c;
    *fits = hlo_inline_fits(r, c);
    if (!*fits) return c;
    hlo_inline_count(r, c);
    const hlo_computation *last = r->module->last;
    hlo_computation *copy = hlo_computation_clone(c, "clone");
    count_caller(p, c, -1);
    count_caller(p, copy, 1);
    count_calls_after(p, last);
    return copy;
}

static bool own_all(preparation *p, hlo_instr *instr) {
    bool fits = true;
    uint32_t n = hlo_called_count(instr);
    hlo_computation **called = hlo_malloc((n + 1u) * sizeof *called);
    for (uint32_t k = 0; k < n; k++) called[k] = own(p, hlo_called(instr, k), &fits);
    hlo_set_called(p->g->r, instr, called);
    hlo_free(called);
    return fits || refuse(p, instr, "needs too many copies of called computations");
}

/* ---- calls ---- */

static bool may_be_inlined(const preparation *p, const hlo_instr *caller) {
    const hlo_computation *body = hlo_called(caller, 0);
    if (!hlo_inline_accepts(body, caller, 0))
        return refuse(p, caller, "passes an array of dynamic sizes to a user of a static one");
    return hlo_inline_fits(p->g->r, body) ||
           refuse(p, caller, "calls computations that are too large to copy");
}

static bool inline_call(preparation *p, hlo_instr *call) {
    HLO_ASSERT(call->parent);
    hlo_rewriter *r = p->g->r;
    hlo_computation *body = hlo_called(call, 0);
    if (!may_be_inlined(p, call)) return false;
    const hlo_instr *before = call->prev;
    hlo_instr **args = hlo_malloc((call->operand_count + 1u) * sizeof *args);
    for (uint32_t i = 0; i < call->operand_count; i++) args[i] = hlo_operand(call, i);
    const hlo_computation *last = r->module->last;
    r->target = call;
    hlo_instr *root = hlo_inline_body(r, body, args);
    hlo_free(args);
    count_calls_after(p, last);
    count_calls_from(p, before ? before->next : call->parent->first, call, 1);
    hlo_put_in_place(r, call, root);
    drop_caller(p, body);
    return true;
}

/* A map of something that is not elementwise stays, and has no rule. */
static void inline_map(preparation *p, hlo_instr *map) {
    HLO_ASSERT(map->opcode == HLO_OP_MAP);
    hlo_computation *body = hlo_called(map, 0);
    p->g->r->target = map;
    hlo_instr *root = hlo_rewrite_inline_map(p->g->r, map);
    if (!root) return;
    hlo_put_in_place(p->g->r, map, root);
    drop_caller(p, body);
}

/* ---- operations that become others ---- */

/* Has what was made since then, of which the last stands for the instruction, take its place. */
static void replace(preparation *p, hlo_instr *instr, const hlo_instr *before,
                    const hlo_computation *last, hlo_instr *by) {
    count_calls_after(p, last);
    count_calls_from(p, before ? before->next : instr->parent->first, instr, 1);
    hlo_computation *called = hlo_called_count(instr) ? hlo_called(instr, 0) : NULL;
    hlo_put_in_place(p->g->r, instr, by);
    if (called) drop_caller(p, called);
}

/* A rewrite that makes something else of an instruction, or nothing (NULL). */
static void rewrite(preparation *p, hlo_instr *instr, hlo_pattern *pattern) {
    hlo_module *module = p->g->r->module;
    const hlo_instr *before = instr->prev;
    const hlo_computation *last = module->last;
    p->g->r->target = instr;
    hlo_instr *by = pattern(p->g->r, instr);
    if (by) replace(p, instr, before, last, by);
}

/* A batch norm as sums and products. One of dynamic sizes, or without elements, stays. */
static bool expand_norm(preparation *p, hlo_instr *instr, hlo_pattern *pattern) {
    if (!hlo_operand(instr, 0)->shape->dynamic) rewrite(p, instr, pattern);
    return true;
}

/* ---- starts and dones ---- */

/* What goes on with, or ends, what the start began; NULL: nothing, or more than one. */
static hlo_instr *next_of(const hlo_instr *start) {
    HLO_ASSERT(start->first_use);
    const hlo_use *use = start->first_use;
    if (!use || use->next || start->parent->root == start) return NULL;
    bool goes_on = use->user->opcode == HLO_OP_ASYNC_UPDATE ||
                   (hlo_info(use->user)->flags & HLO_OP_ENDS_ASYNC);
    return goes_on ? use->user : NULL;
}

/* The operation that a start of the same name begins. */
static hlo_instr *operation_of(hlo_rewriter *r, const hlo_instr *start, const hlo_shape *shape,
                               hlo_instr *const *operands) {
    bool is_copy = start->opcode == HLO_OP_COPY_START;
    hlo_opcode opcode = is_copy ? HLO_OP_COPY : hlo_transfer_kind(start);
    hlo_attr *attrs = hlo_malloc((start->attr_count + 1u) * sizeof *attrs);
    uint32_t n = 0;
    for (uint32_t i = 0; i < start->attr_count; i++)
        if (hlo_op_attr(opcode, start->attrs[i].id) != HLO_ATTR_COUNT &&
            start->attrs[i].id != HLO_ATTR_SHARDING && start->attrs[i].id != HLO_ATTR_ORIGIN)
            attrs[n++] = start->attrs[i];
    hlo_instr *by = hlo_emit(r, opcode, shape, operands, start->operand_count, attrs, n);
    hlo_free(attrs);
    return by;
}

static void remove_instr(preparation *p, hlo_instr *instr) {
    for (uint32_t k = 0, n = hlo_called_count(instr); k < n; k++)
        drop_caller(p, hlo_called(instr, k));
    hlo_instr_remove(instr);
    instr->parent = NULL;
}

/* From the done, in whose place something stands, back to the start. */
static void remove_back_to(preparation *p, hlo_instr *done, hlo_instr *start) {
    while (done != start) {
        hlo_instr *before = hlo_operand(done, 0);
        remove_instr(p, done);
        done = before;
    }
    remove_instr(p, start);
}

/* Updates may bring operands that the body waits for: a start just before its done takes all. */
static void bind_at_start(preparation *p, hlo_instr *start) {
    HLO_ASSERT(start->opcode == HLO_OP_ASYNC_START);
    hlo_rewriter *r = p->g->r;
    hlo_instr_list operands = {0};
    hlo_instr *last = start, *next = next_of(start);
    bool is_tied = hlo_is_tied(r, start);
    for (uint32_t i = 0; i < start->operand_count; i++)
        hlo_list_push(&operands, hlo_operand(start, i));
    for (; next && next->opcode == HLO_OP_ASYNC_UPDATE; last = next, next = next_of(next)) {
        for (uint32_t i = 1; i < next->operand_count; i++)
            hlo_list_push(&operands, hlo_operand(next, i));
        is_tied |= hlo_is_tied(r, next);
    }
    if (next && !is_tied && operands.n > start->operand_count) {
        r->target = next;
        hlo_instr *by = hlo_emit_like(r, start, last->shape, operands.v, (uint32_t)operands.n);
        count_calls_from(p, by, next, 1);
        hlo_instr_set_operand(next, 0, by);
        remove_back_to(p, last, start);
    }
    hlo_list_free(&operands);
}

/* What is begun, in the place of its start. */
static hlo_instr *done_at_once(hlo_rewriter *r, const hlo_instr *start, const hlo_shape *shape) {
    hlo_instr **operands = hlo_malloc((start->operand_count + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < start->operand_count; i++) operands[i] = hlo_operand(start, i);
    hlo_instr *by = start->opcode == HLO_OP_ASYNC_START
                        ? hlo_inline_body(r, hlo_called(start, 0), operands)
                        : operation_of(r, start, shape, operands);
    hlo_free(operands);
    return by;
}

/* A start is done when it is begun. One whose done is not found stays, and has no rule. */
static bool finish_start(preparation *p, hlo_instr *start) {
    hlo_rewriter *r = p->g->r;
    hlo_instr *done = next_of(start);
    while (done && done->opcode == HLO_OP_ASYNC_UPDATE) done = next_of(done);
    if (!done) return true;
    for (const hlo_instr *i = done;; i = hlo_operand(i, 0)) {
        if (hlo_is_tied(r, i)) return refuse(p, i, "has control dependencies");
        if (i == start) break;
    }
    if (start->opcode == HLO_OP_ASYNC_START && !may_be_inlined(p, start)) return false;
    const hlo_computation *last = r->module->last;
    const hlo_instr *before = start->prev;
    r->target = start;
    hlo_instr *by = done_at_once(r, start, done->shape);
    HLO_ASSERT(start->parent);
    count_calls_after(p, last);
    count_calls_from(p, before ? before->next : start->parent->first, start, 1);
    hlo_instr_replace_all_uses(done, by);
    remove_back_to(p, done, start);
    return true;
}

/* ---- the walk ---- */

static bool prepare_computation(preparation *p, hlo_computation *c);

static bool prepare_called(preparation *p, hlo_instr *caller, uint32_t k) {
    hlo_computation *c = hlo_called(caller, k);
    if (p->depth == DEEPEST) return refuse(p, caller, "is nested too deeply");
    c->parameters[0]->mark = p->reached;
    p->depth++;
    bool good = prepare_computation(p, c);
    HLO_ASSERT(p->depth > 0);
    p->depth--;
    return good;
}

static bool prepare_loop(preparation *p, hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    if (!own_all(p, loop)) return false;
    hlo_flatten_loop(p->g->r, loop);
    return prepare_called(p, loop, 0); /* the body, not the condition */
}

static bool prepare_conditional(preparation *p, hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    if (!own_all(p, conditional)) return false;
    hlo_flatten_conditional(p->g->r, conditional);
    for (uint32_t k = 0; k < hlo_called_count(conditional); k++)
        if (!prepare_called(p, conditional, k)) return false;
    return true;
}

/* Some floating leaf may depend on a parameter. */
static bool is_reached(const preparation *p, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_PARAMETER) return instr->mark == p->reached;
    bool reached = false;
    for (uint32_t i = 0; i < instr->operand_count && !reached; i++)
        reached = hlo_operand(instr, i)->mark == p->reached;
    return reached && hlo_has_floating_leaf(instr->shape) &&
           hlo_gradient_rule_of((hlo_opcode)instr->opcode) != hlo_gradient_none;
}

static bool prepare_one(preparation *p, hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_ALL_GATHER_START:
    case HLO_OP_ALL_REDUCE_START:
    case HLO_OP_ASYNC_START:
    case HLO_OP_COLLECTIVE_PERMUTE_START:
    case HLO_OP_COPY_START: return finish_start(p, instr);
    case HLO_OP_ALL_REDUCE: rewrite(p, instr, hlo_product_by_all_gather); return true;
    case HLO_OP_BATCH_NORM_GRAD: return expand_norm(p, instr, hlo_rewrite_expand_batch_norm_grad);
    case HLO_OP_BATCH_NORM_INFERENCE:
        return expand_norm(p, instr, hlo_rewrite_expand_batch_norm_inference);
    case HLO_OP_BATCH_NORM_TRAINING:
        return expand_norm(p, instr, hlo_rewrite_expand_batch_norm_training);
    case HLO_OP_CALL:
    case HLO_OP_FUSION: return inline_call(p, instr);
    case HLO_OP_MAP: inline_map(p, instr); return true;
    case HLO_OP_RAGGED_DOT: rewrite(p, instr, hlo_ragged_dot_as_dot); return true;
    case HLO_OP_REDUCE: rewrite(p, instr, hlo_reduce_as_tree); return true;
    case HLO_OP_REDUCE_WINDOW: rewrite(p, instr, hlo_windows_as_tree); return true;
    case HLO_OP_SCALED_DOT: rewrite(p, instr, hlo_scaled_dot_as_dot); return true;
    case HLO_OP_SCAN: rewrite(p, instr, hlo_scan_as_loop); return true;
    case HLO_OP_SCATTER: rewrite(p, instr, hlo_scatter_as_loop); return true;
    case HLO_OP_SORT: rewrite(p, instr, hlo_sort_with_places); return true;
    case HLO_OP_WHILE: return prepare_loop(p, instr);
    case HLO_OP_CONDITIONAL: return prepare_conditional(p, instr);
    default: return true;
    }
}

/* What takes the place of an instruction is walked over too. */
static bool prepare_computation(preparation *p, hlo_computation *c) {
    hlo_instr *place = hlo_open_end(p->g->r, c), *before, *next;
    bool good = true;
    for (hlo_instr *i = place->prev; i; i = before) {
        before = i->prev; /* not a part of what it starts */
        if (i->opcode == HLO_OP_ASYNC_START) bind_at_start(p, i);
    }
    for (hlo_instr *i = c->first; good && i != place; i = next) {
        before = i->prev;
        bool reached = is_reached(p, i);
        if (reached) i->mark = p->reached;
        good = !reached || prepare_one(p, i);
        next = i->parent ? i->next : before ? before->next : c->first;
    }
    hlo_close_end(place);
    return good;
}

bool hlo_prepare(hlo_gradient *g, const bool *chosen) {
    hlo_module *module = g->r->module;
    preparation p = {.g = g, .reached = hlo_module_new_mark(module)};
    hlo_remove_unreachable(module);
    for (hlo_computation *c = module->first; c; c = c->next) count_calls(&p, c, 1);
    count_caller(&p, module->entry, 1);
    for (uint32_t i = 0; i < module->entry->parameter_count; i++)
        if (chosen[i]) module->entry->parameters[i]->mark = p.reached;
    bool good = prepare_computation(&p, module->entry);
    hlo_list_free(&p.callers);
    return good;
}
