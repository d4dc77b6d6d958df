/* Applies the patterns of simplify.def to each function, in the order in which MLIR's greedy driver
 * does it: rounds over lists of operations, in each of which equal constants become one first. */
#include "stablehlo/simplify.h"

#include "stablehlo/prepare.h"

enum { MOST_ROUNDS = 10 };

/* ---- the list ---- */

static void push(hlo_simplifier *s, hlo_mlir_op *op) {
    if (op->place) return;
    hlo_list_push(&s->worklist, op);
    op->place = s->worklist.n;
}

static void take_out(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!op->place) return;
    s->worklist.v[op->place - 1] = NULL;
    op->place = 0;
}

static hlo_mlir_op *pop(hlo_simplifier *s) {
    while (s->worklist.n) {
        hlo_mlir_op *op = hlo_list_pop(&s->worklist);
        if (!op) continue;
        op->place = 0;
        return op;
    }
    return NULL;
}

/* With the operations around it. */
void hlo_simplify_notify(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!hlo_mlir_is_within(op, s->scope)) return;
    for (;;) {
        push(s, op);
        if (op->block->region == s->scope) return;
        op = op->block->region->op;
    }
}

/* ---- changing ---- */

/* Definitions of the operands are visited again if few uses remain without this operation. */
static void push_operands(hlo_simplifier *s, const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_value *value = hlo_mlir_operand(op, i);
        if (!value || !value->op || value->made == op) continue;
        value->made = (void *)(uintptr_t)op; /* each value once: an operation may use one often */
        const hlo_mlir_op *other = NULL;
        bool has_more = false;
        for (const hlo_mlir_use *use = value->first_use; use && !has_more; use = use->next) {
            if (use->user == op || use->user == other) continue;
            if (other) has_more = true;
            else other = use->user;
        }
        if (!has_more) hlo_simplify_notify(s, value->op);
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (hlo_mlir_operand(op, i)) hlo_mlir_operand(op, i)->made = NULL;
}

void hlo_simplify_erase(hlo_simplifier *s, hlo_mlir_op *op) {
    if (s->before == op) s->before = op->next;
    for (uint32_t i = op->region_count; i-- > 0;) {
        for (hlo_mlir_block *block = op->regions[i].first; block; block = block->next)
            while (block->last) hlo_simplify_erase(s, block->last);
        op->regions[i].first = op->regions[i].last = NULL;
    }
    HLO_ASSERT(!hlo_mlir_is_used(op));
    push_operands(s, op);
    take_out(s, op);
    hlo_mlir_remove(op);
}

void hlo_simplify_replace_uses(hlo_simplifier *s, hlo_mlir_value *old, hlo_mlir_value *value) {
    if (old == value) return;
    for (hlo_mlir_use *use = old->first_use, *next; use; use = next) {
        next = use->next;
        hlo_mlir_op *user = use->user;
        hlo_mlir_set_operand(user, (uint32_t)(use - user->operands), value);
        hlo_simplify_notify(s, user);
    }
}

void hlo_simplify_replace(hlo_simplifier *s, hlo_mlir_op *op, hlo_mlir_value *const *values) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (values[i]) hlo_simplify_replace_uses(s, &op->results[i], values[i]);
    hlo_simplify_erase(s, op);
}

bool hlo_simplify_replace_by(hlo_simplifier *s, hlo_mlir_op *op, hlo_mlir_value *value) {
    HLO_ASSERT(op->result_count == 1);
    hlo_simplify_replace(s, op, &value);
    return true;
}

bool hlo_simplify_replace_constant(hlo_simplifier *s, hlo_mlir_op *op, const hlo_mlir_attr *value) {
    return hlo_simplify_replace_by(s, op, hlo_simplify_constant(s, op->location, value));
}

/* ---- dead operations ---- */

static bool has_effects(const hlo_mlir_op *op) {
    switch (hlo_mlir_effects_of(op)) {
    case HLO_MLIR_NO_EFFECTS: return false;
    case HLO_MLIR_NESTED_EFFECTS: break;
    default: return true;
    }
    for (uint32_t i = 0; i < op->region_count; i++)
        for (hlo_mlir_block *block = op->regions[i].first; block; block = block->next)
            for (hlo_mlir_op *inner = block->first; inner; inner = inner->next)
                if (has_effects(inner)) return true;
    return false;
}

bool hlo_simplify_is_dead(const hlo_mlir_op *op) {
    return !hlo_mlir_is_used(op) && !hlo_mlir_is_terminator(op) && !has_effects(op);
}

/* ---- constants ---- */

static uint64_t hash_of(const hlo_mlir_op *op, const hlo_mlir_attr *value) {
    uint64_t h = hlo_hash_mix(op->id, value->kind);
    h = hlo_hash_pointer(op->results[0].type, h);
    if (value->kind == HLO_MLIR_DENSE && value->literal) h = hlo_literal_hash(h, value->literal);
    return h;
}

static bool same_value(const hlo_mlir_attr *a, const hlo_mlir_attr *b) {
    hlo_dense x, y;
    if (a == b) return true;
    if (a->kind == HLO_MLIR_RESOURCE && b->kind == HLO_MLIR_RESOURCE)
        return a->type == b->type && hlo_str_equal(hlo_mlir_text_of(a), hlo_mlir_text_of(b));
    return hlo_dense_from(a, &x) && hlo_dense_from(b, &y) && hlo_dense_same(&x, &y);
}

/* The constant goes to the front of the function, or to the others that are there. An equal one
 * takes its place: then it is erased, and the result is true. */
static bool share_constant(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_attr *value = hlo_mlir_is_constant(op) ? hlo_mlir_attr_of(op, "value") : NULL;
    if (!value) return false;
    uint64_t hash = hash_of(op, value);
    hlo_hash_each (number, &s->shared_by_hash, hash) {
        hlo_mlir_op *other = s->shared.v[number - 1];
        if (other->id != op->id || other->results[0].type != op->results[0].type ||
            !same_value(hlo_mlir_attr_of(other, "value"), value))
            continue;
        hlo_simplify_replace_by(s, op, &other->results[0]);
        other->location = NULL;
        return true;
    }
    hlo_mlir_block *front = s->scope->first;
    bool moves_out = op->block != front;
    if (moves_out || (front->first != op && (!op->prev || op->prev->round != s->round)))
        hlo_mlir_move(op, front, front->first);
    if (moves_out) op->location = NULL;
    op->round = s->round;
    hlo_list_push(&s->shared, op);
    hlo_hash_add(&s->shared_by_hash, hash, s->shared.n);
    return false;
}

/* ---- the rows ---- */

static const struct {
    hlo_mlir_op_id op;
    hlo_simplification *function;
} rows[] = {
#define HLO_SIMPLIFY(op, function, ...) {HLO_MLIR_OP_##op, hlo_simplify_##function},
#include "stablehlo/simplify.def"
#undef HLO_SIMPLIFY
};

enum { ROWS = sizeof rows / sizeof *rows };

static uint8_t first_row[HLO_MLIR_OP_COUNT + 1]; /* from 1; 0: none */

__attribute__((constructor)) static void find_rows(void) {
    _Static_assert(ROWS < UINT8_MAX, "numbers of rows are bytes");
    for (unsigned i = ROWS; i-- > 0;) first_row[rows[i].op] = (uint8_t)(i + 1);
}

static bool apply(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op_id id = op->id;
    unsigned first = first_row[id];
    for (unsigned i = first ? first - 1 : ROWS; i < ROWS && rows[i].op == id; i++) {
        s->block = op->block;
        s->before = op;
        if (rows[i].function(s, op)) return true;
    }
    s->block = op->block;
    s->before = op;
    return hlo_simplify_empty(s, op);
}

static const hlo_simplify_plan simplification = {apply, false, MOST_ROUNDS};

/* ---- rounds ---- */

static void enter(hlo_mlir_op *op, void *context) {
    hlo_simplifier *s = context;
    if (!share_constant(s, op)) hlo_simplify_notify(s, op);
}

static void enter_top_down(hlo_simplifier *s, hlo_mlir_region *region) {
    for (hlo_mlir_block *block = region->first; block; block = block->next) {
        for (hlo_mlir_op *op = block->first, *next; op; op = next) {
            next = op->next;
            if (share_constant(s, op)) continue;
            hlo_simplify_notify(s, op);
            for (uint32_t i = 0; i < op->region_count; i++) enter_top_down(s, &op->regions[i]);
        }
    }
}

/* The first one that was pushed is the next. */
static void reverse(hlo_simplifier *s) {
    uint32_t n = s->worklist.n;
    hlo_mlir_op **v = s->worklist.v;
    for (uint32_t i = 0; i < n / 2; i++) {
        hlo_mlir_op *op = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = op;
    }
    for (uint32_t i = 0; i < n; i++)
        if (v[i]) v[i]->place = i + 1;
}

static void fill(hlo_simplifier *s) {
    if (!s->plan->top_down) {
        hlo_mlir_walk(s->scope, enter, s);
        return;
    }
    enter_top_down(s, s->scope);
    reverse(s);
}

static void forget_round(hlo_mlir_op *op, void *context) {
    (void)context;
    op->place = op->round = 0;
}

static bool run_round(hlo_simplifier *s) {
    bool changed = false;
    s->round++;
    s->shared.n = 0;
    hlo_hash_clear(&s->shared_by_hash);
    fill(s);
    for (hlo_mlir_op *op; (op = pop(s));) {
        if (hlo_simplify_is_dead(op)) {
            hlo_simplify_erase(s, op);
            changed = true;
        } else {
            s->block = op->block;
            s->before = op;
            changed |= s->plan->apply(s, op);
        }
    }
    return changed;
}

void hlo_simplify_function(hlo_mlir_module *module, hlo_mlir_op *function,
                           const hlo_simplify_plan *plan) {
    if (!function->region_count || !function->regions[0].first) return; /* a declaration */
    hlo_simplifier s = {.module = module, .plan = plan, .scope = &function->regions[0]};
    hlo_mlir_walk(s.scope, forget_round, NULL);
    while (s.round < plan->most_rounds && run_round(&s)) {
    }
    hlo_list_free(&s.worklist);
    hlo_list_free(&s.shared);
    hlo_hash_free(&s.shared_by_hash);
}

void hlo_stablehlo_simplify(hlo_mlir_module *module) {
    hlo_mlir_block *top = module->root->regions[0].first;
    for (hlo_mlir_op *op = top ? top->first : NULL; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC) hlo_simplify_function(module, op, &simplification);
}
