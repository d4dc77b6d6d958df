/* Orders in which what an instruction needs stands right before it: see orders.h. */
#include <stdlib.h>

#include "passes/memory/orders.h"

/* What decides which operand comes first. */
typedef struct {
    int64_t users; /* beyond the first, of the instruction and all that leads to it */
    double bytes;  /* that the same make */
    const hlo_instr *instr;
} weight;

typedef struct {
    const hlo_dependences *d;
    const weight *weights; /* by index; NULL: operands in their order */
    uint8_t *states;       /* by index: 1 on the stack, 2 in the order */
    HLO_LIST(uint32_t) stack;
    HLO_LIST(weight) next; /* of one instruction */
    hlo_instr **order;
    uint32_t n;
} walk;

/* ---- weights ---- */

/* Sums over all paths: what several paths lead over counts several times, up to a limit. */
static void add_operands(const hlo_dependences *d, weight *weights, uint32_t i) {
    const hlo_instr *instr = d->instr[i];
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const weight *operand = &weights[hlo_operand(instr, k)->index];
        if (k && hlo_operand(instr, k) == hlo_operand(instr, k - 1)) continue;
        weights[i].users += operand->users;
        weights[i].bytes += operand->bytes;
    }
}

static weight *weigh(const hlo_dependences *d) {
    weight *weights = hlo_calloc(d->count + 1u, sizeof *weights);
    double bytes = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        weight *own = &weights[i];
        *own = (weight){0, d->made[i], d->instr[i]};
        bytes += d->made[i];
        if (own->instr->opcode == HLO_OP_PARAMETER || own->instr->opcode == HLO_OP_CONSTANT)
            continue;
        own->users = d->users[i] ? d->users[i] - 1 : 0;
        add_operands(d, weights, i);
        if (own->users > d->count) own->users = d->count;
        if (own->bytes > bytes) own->bytes = bytes;
    }
    return weights;
}

static hlo_str name_of(const hlo_instr *instr) {
    return (hlo_str){instr->name->ptr, instr->name->len, 0};
}

/* What comes first goes to the end of the stack. */
static int last_on_top(const void *x, const void *y) {
    const weight *a = x, *b = y;
    if (a->users != b->users) return a->users < b->users ? -1 : 1;
    if (a->bytes < b->bytes) return -1;
    if (a->bytes > b->bytes) return 1;
    return hlo_str_compare(name_of(b->instr), name_of(a->instr));
}

/* ---- the walk ---- */

static void push_next(walk *w, uint32_t at) {
    const hlo_dependences *d = w->d;
    w->next.n = 0;
    for (uint32_t k = d->first_before[at + 1]; k-- > d->first_before[at];) {
        uint32_t before = d->before[k];
        if (w->states[before] == 2) continue;
        if (w->weights) hlo_list_push(&w->next, w->weights[before]);
        else hlo_list_push(&w->stack, before);
    }
    if (w->next.n) qsort(w->next.v, w->next.n, sizeof *w->next.v, last_on_top);
    for (uint32_t k = 0; k < w->next.n; k++) hlo_list_push(&w->stack, w->next.v[k].instr->index);
}

static void visit(walk *w, uint32_t from) {
    hlo_list_push(&w->stack, from);
    while (w->stack.n) {
        uint32_t top = w->stack.v[w->stack.n - 1];
        if (!w->states[top]) {
            w->states[top] = 1;
            push_next(w, top);
            continue;
        }
        HLO_ASSERT(w->stack.n > 0);
        w->stack.n--;
        if (w->states[top] == 2) continue;
        w->states[top] = 2;
        w->order[w->n++] = w->d->instr[top];
    }
}

/* What nothing waits for begins a walk, the result the last one. */
static void find_order(const hlo_dependences *d, const weight *weights, hlo_instr **order) {
    walk w = {.d = d, .weights = weights, .order = order};
    w.states = hlo_calloc(d->count + 1u, sizeof *w.states);
    uint32_t root = d->computation->root->index;
    for (uint32_t i = 0; i < d->count; i++)
        if (i != root && d->first_after[i] == d->first_after[i + 1]) visit(&w, i);
    visit(&w, root);
    for (uint32_t i = 0; i < d->count; i++) visit(&w, i); /* that wait for the result */
    hlo_free(w.states);
    hlo_list_free(&w.stack);
    hlo_list_free(&w.next);
}

void hlo_depth_first_order(const hlo_dependences *d, hlo_instr **order) {
    weight *weights = weigh(d);
    find_order(d, weights, order);
    hlo_free(weights);
}

void hlo_operands_first_order(const hlo_dependences *d, hlo_instr **order) {
    find_order(d, NULL, order);
}
