/* XLA's orders: instructions of a computation in post-order, computations in printed order
 * (docs/text-format.md, 8.3 and 3.2). No recursion: dumps nest deeper than a C stack. */
#include "base/list.h"
#include "ir/ir.h"

typedef HLO_LIST(hlo_instr *) instr_stack;

static void push_predecessors(instr_stack *stack, const hlo_instr *instr, uint32_t visited) {
    for (uint32_t i = instr->operand_count; i-- > 0;) {
        hlo_instr *def = hlo_operand(instr, i);
        if (def->mark != visited) hlo_list_push(stack, def);
    }
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t i = 0; control && i < control->u.instructions->n; i++) {
        hlo_instr *before = control->u.instructions->v[i];
        if (before->mark != visited) hlo_list_push(stack, before);
    }
}

uint32_t hlo_post_order(hlo_computation *c, hlo_instr **order) {
    uint32_t visiting = hlo_module_new_mark(c->module), visited = visiting + 1, n = 0;
    instr_stack stack = {0};
    for (hlo_instr *from = c->first; from; from = from->next) {
        if (from->first_use || from->mark == visited) continue;
        hlo_list_push(&stack, from);
        while (stack.n) {
            hlo_instr *top = stack.v[stack.n - 1];
            if (top->mark != visiting && top->mark != visited) {
                top->mark = visiting;
                push_predecessors(&stack, top, visited);
                continue;
            }
            HLO_ASSERT(stack.n > 0);
            stack.n--;
            if (top->mark == visited) continue;
            top->mark = visited;
            HLO_ASSERT(n < c->instr_count);
            order[n++] = top;
        }
    }
    hlo_list_free(&stack);
    return n;
}

/* A schedule fixes the order everywhere but in the bodies of fusions; a dataflow graph keeps that
 * of its text, where a merge stands before what its back edge names. */
static bool is_ordered(const hlo_computation *c) {
    if (c == c->module->entry && hlo_module_flag(c->module, HLO_ATTR_IS_DATAFLOW)) return true;
    return hlo_module_flag(c->module, HLO_ATTR_IS_SCHEDULED) && !c->is_fusion_body;
}

uint32_t hlo_run_order(hlo_computation *c, hlo_instr **order) {
    if (!is_ordered(c)) return hlo_post_order(c, order);
    uint32_t n = 0;
    for (hlo_instr *i = c->first; i; i = i->next) order[n++] = i;
    return n;
}

void hlo_number_instructions(hlo_computation *c) {
    uint32_t n = 0;
    for (hlo_instr *i = c->first; i; i = i->next) i->index = n++;
}

/* ---- computations ---- */

typedef struct {
    hlo_computation *computation;
    hlo_instr *at; /* whose calls come next */
} open_computation;

typedef struct {
    HLO_LIST(open_computation) stack;
    uint32_t waiting, open, printed; /* marks */
    bool callees_first;
    bool left; /* some computation follows what calls it, or may */
    hlo_computation **order;
    uint32_t n;
} print_walk;

static bool is_among(const open_computation *first, size_t count, const hlo_computation *c) {
    while (count && first[count - 1].computation != c) count--;
    return count;
}

/* A computation that still waits for its turn, pushed by an earlier instruction, is left there by
 * XLA's walk, so that it follows the caller that is open now. With callees first it is pushed once
 * more, and the older entry will find it printed. */
static bool is_on_its_way(print_walk *walk, uint32_t before, const hlo_computation *called) {
    if (called->mark == walk->open || called->mark == walk->printed) return true;
    if (called->mark != walk->waiting) return false;
    if (is_among(walk->stack.v + before, walk->stack.n - before, called)) return true;
    walk->left = true;
    return !walk->callees_first;
}

static void push_called(print_walk *walk, const hlo_instr *instr) {
    uint32_t before = walk->stack.n;
    for (uint32_t k = hlo_called_count(instr); k-- > 0;) {
        hlo_computation *called = hlo_called(instr, k);
        if (is_on_its_way(walk, before, called)) continue;
        called->mark = walk->waiting;
        hlo_list_push(&walk->stack, (open_computation){called, called->first});
    }
}

static void emit(print_walk *walk, hlo_computation *c) {
    if (c->mark == walk->printed) return;
    c->mark = walk->printed;
    HLO_ASSERT(walk->n < c->module->computation_count);
    walk->order[walk->n++] = c;
}

static void emit_callees(print_walk *walk, hlo_computation *root) {
    for (hlo_instr *i = root->first; i; i = i->next) {
        push_called(walk, i);
        while (walk->stack.n) {
            open_computation *top = &walk->stack.v[walk->stack.n - 1];
            if (!top->at || top->computation->mark == walk->printed) {
                walk->stack.n--;
                emit(walk, top->computation);
                continue;
            }
            top->computation->mark = walk->open;
            hlo_instr *at = top->at;
            top->at = at->next;
            push_called(walk, at);
        }
    }
}

/* Uncalled computations, in module order, each after its callees. A mark of "called" is
 * made first: it is the mark value after those used by the walk. */
static uint32_t walk_calls(hlo_module *module, bool callees_first, hlo_computation **order,
                           bool *left) {
    uint32_t mark = hlo_module_new_mark(module), called = mark + 3;
    print_walk walk = {.waiting = mark, .open = mark + 1, .printed = mark + 2, .order = order};
    walk.callees_first = callees_first;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t k = 0, n = hlo_called_count(i); k < n; k++)
                hlo_called(i, k)->mark = called;
    for (hlo_computation *c = module->first, *next; c; c = next) {
        next = c->next;
        if (c->mark >= mark && c->mark <= called) continue;
        emit_callees(&walk, c);
        emit(&walk, c);
    }
    HLO_ASSERT(!walk.stack.n);
    hlo_list_free(&walk.stack);
    *left = walk.left;
    return walk.n;
}

/* Whether each computation stands after what it calls, as it must to be read again. */
static bool is_readable(hlo_module *module, hlo_computation *const *order, uint32_t n) {
    uint32_t before = hlo_module_new_mark(module);
    for (uint32_t c = 0; c < n; c++) {
        for (const hlo_instr *i = order[c]->first; i; i = i->next)
            for (uint32_t k = 0, called = hlo_called_count(i); k < called; k++)
                if (hlo_called(i, k)->mark != before) return false;
        order[c]->mark = before;
    }
    return true;
}

uint32_t hlo_print_order(hlo_module *module, hlo_computation **order) {
    bool left;
    uint32_t n = walk_calls(module, module->is_rewritten, order, &left);
    if (module->is_rewritten || !left || is_readable(module, order, n)) return n;
    return walk_calls(module, true, order, &left);
}

uint32_t hlo_callees_first_order(hlo_module *module, hlo_computation **order) {
    bool left;
    return walk_calls(module, true, order, &left);
}
