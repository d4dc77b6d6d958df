/* The order of a list scheduler: of the instructions that can run, the one after which least is in
 * memory, and of those the one with most users. See orders.h. */
#include "passes/memory/orders.h"

typedef struct {
    double freed; /* bytes, less those that it takes */
    uint64_t users;
    uint32_t turn; /* later ones first */
    uint32_t at;   /* the instruction's index */
} candidate;

typedef struct {
    const hlo_dependences *d;
    uint32_t *waits;     /* by index: for how many of those before it */
    uint32_t *uses;      /* by buffer: instructions that use it and have not run */
    uint32_t *remaining; /* by buffer: their indices, combined by exclusive or */
    uint32_t *met;       /* by buffer: the turn in which it was last met */
    uint32_t turn;
    bool *is_done;            /* by index */
    HLO_LIST(uint32_t) last;  /* which are the last to use a buffer now */
    HLO_LIST(candidate) heap; /* one that was put in again is in it twice, the better one first */
} scheduler;

/* ---- the heap ---- */

static bool goes_before(const candidate *a, const candidate *b) {
    if (a->freed > b->freed) return true;
    if (a->freed < b->freed) return false;
    if (a->users != b->users) return a->users > b->users;
    return a->turn > b->turn;
}

static void swap(candidate *a, candidate *b) {
    candidate old = *a;
    *a = *b;
    *b = old;
}

static void push(scheduler *s, candidate c) {
    hlo_list_push(&s->heap, c);
    candidate *v = s->heap.v;
    for (uint32_t i = s->heap.n - 1; i && goes_before(&v[i], &v[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&v[i], &v[(i - 1) / 2]);
}

static candidate pop(scheduler *s) {
    candidate *v = s->heap.v, top = v[0];
    v[0] = hlo_list_pop(&s->heap);
    for (uint32_t i = 0, child; (child = 2 * i + 1) < s->heap.n; i = child) {
        if (child + 1 < s->heap.n && goes_before(&v[child + 1], &v[child])) child++;
        if (!goes_before(&v[child], &v[i])) break;
        swap(&v[i], &v[child]);
    }
    return top;
}

/* ---- uses ---- */

/* What is done about a buffer that the instruction's operands hold. */
typedef void use_function(scheduler *s, uint32_t at, uint32_t buffer, double *sum);

static double for_uses(scheduler *s, uint32_t at, use_function *use) {
    const hlo_instr *instr = s->d->instr[at];
    const hlo_dataflow *flow = &s->d->flow;
    uint32_t turn = ++s->turn;
    double sum = 0;
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const uint32_t *leaves = hlo_dataflow_leaves(flow, hlo_operand(instr, k));
        uint32_t n = hlo_dataflow_leaf_count(flow, hlo_operand(instr, k));
        for (uint32_t leaf = 0; leaf < n; leaf++) {
            if (s->met[leaves[leaf]] == turn) continue;
            s->met[leaves[leaf]] = turn;
            use(s, at, leaves[leaf], &sum);
        }
    }
    return sum;
}

static void add_use(scheduler *s, uint32_t at, uint32_t buffer, double *sum) {
    (void)sum;
    s->uses[buffer]++;
    s->remaining[buffer] ^= at;
}

static void drop_use(scheduler *s, uint32_t at, uint32_t buffer, double *sum) {
    (void)sum;
    s->remaining[buffer] ^= at;
    if (--s->uses[buffer] == 1) hlo_list_push(&s->last, s->remaining[buffer]);
}

static void add_freed(scheduler *s, uint32_t at, uint32_t buffer, double *sum) {
    (void)at;
    if (s->uses[buffer] == 1) *sum += s->d->size[buffer];
}

/* The result is used once more, at the end. */
static void add_end(scheduler *s) {
    const hlo_instr *root = s->d->computation->root;
    const uint32_t *leaves = hlo_dataflow_leaves(&s->d->flow, root);
    for (uint32_t leaf = 0; leaf < hlo_dataflow_leaf_count(&s->d->flow, root); leaf++) {
        if (s->met[leaves[leaf]] == UINT32_MAX) continue;
        s->met[leaves[leaf]] = UINT32_MAX;
        add_use(s, s->d->count, leaves[leaf], NULL);
    }
}

/* ---- scheduling ---- */

static bool has_one_element(const hlo_shape *shape) {
    bool one = hlo_shape_is_array(shape);
    for (uint32_t i = 0; one && i < shape->rank; i++) one = shape->dims[i] == 1;
    return one;
}

/* Single numbers go as soon as they can, so that they are near what uses them; what the host waits
 * for goes first, what it has to give goes last. */
static double bytes_freed(scheduler *s, uint32_t at) {
    const hlo_instr *instr = s->d->instr[at];
    if (has_one_element(instr->shape)) return 1e300;
    if (instr->opcode == HLO_OP_OUTFEED && hlo_instr_attr(instr, HLO_ATTR_OUTFEED_CONFIG))
        return INT32_MAX;
    if (instr->opcode == HLO_OP_INFEED && hlo_instr_attr(instr, HLO_ATTR_INFEED_CONFIG))
        return INT32_MIN;
    return for_uses(s, at, add_freed) - s->d->made[at];
}

static void offer(scheduler *s, uint32_t at) {
    double freed = bytes_freed(s, at);
    bool is_number = freed >= 1e300;
    push(s, (candidate){freed, is_number ? UINT64_MAX : s->d->users[at], ++s->turn, at});
}

static void run(scheduler *s, uint32_t at) {
    const hlo_dependences *d = s->d;
    s->is_done[at] = true;
    s->last.n = 0;
    for_uses(s, at, drop_use);
    for (uint32_t k = 0; k < s->last.n; k++)
        if (s->last.v[k] < d->count && !s->waits[s->last.v[k]]) offer(s, s->last.v[k]);
    for (uint32_t k = d->first_after[at]; k < d->first_after[at + 1]; k++)
        if (--s->waits[d->after[k]] == 0) offer(s, d->after[k]);
}

static void init(scheduler *s, const hlo_dependences *d) {
    *s = (scheduler){.d = d};
    s->waits = hlo_calloc(d->count + 1u, sizeof *s->waits);
    s->is_done = hlo_calloc(d->count + 1u, sizeof *s->is_done);
    s->uses = hlo_calloc(d->flow.buffers.n + 1u, sizeof *s->uses);
    s->remaining = hlo_calloc(d->flow.buffers.n + 1u, sizeof *s->remaining);
    s->met = hlo_calloc(d->flow.buffers.n + 1u, sizeof *s->met);
    for (uint32_t i = 0; i < d->count; i++) {
        s->waits[i] = d->first_before[i + 1] - d->first_before[i];
        for_uses(s, i, add_use);
    }
    add_end(s);
}

static void release(scheduler *s) {
    hlo_free(s->waits);
    hlo_free(s->is_done);
    hlo_free(s->uses);
    hlo_free(s->remaining);
    hlo_free(s->met);
    hlo_list_free(&s->last);
    hlo_list_free(&s->heap);
}

void hlo_list_order(const hlo_dependences *d, hlo_instr **order) {
    scheduler s;
    uint32_t n = 0;
    init(&s, d);
    for (uint32_t i = 0; i < d->count; i++)
        if (!s.waits[i]) offer(&s, i);
    while (s.heap.n) {
        candidate next = pop(&s);
        if (s.is_done[next.at]) continue;
        order[n++] = d->instr[next.at];
        run(&s, next.at);
    }
    release(&s);
}
