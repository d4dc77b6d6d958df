/* The order of a list scheduler: of the instructions that can run, the one after which least is in
 * memory, and of those the one with most users. See orders.h. */
#include "passes/memory/orders.h"

typedef struct {
    double freed; /* bytes, less those that it takes */
    uint64_t users;
    uint32_t turn; /* later ones first */
    uint32_t at;   /* the instruction's index */
} candidate;

/* Instructions that use something and have not run. */
typedef struct {
    uint32_t count;
    uint32_t remaining; /* their indices, combined by exclusive or */
} uses;

/* What takes an element of a tuple uses all buffers in it. A wide tuple has as many of those as
 * buffers, so they are counted by tuple; a buffer counts them as two until there is only one. */
typedef struct {
    const hlo_dependences *d;
    uint32_t *waits;      /* by index: for how many of those before it */
    uses *uses;           /* by buffer */
    uses *element_takers; /* by index of the tuple */
    double *freed;        /* by index: bytes of buffers that only this instruction still uses */
    uint32_t *met;        /* by buffer: the turn in which it was last met */
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

static void drop(uses *u, uint32_t at) {
    HLO_ASSERT(u->count > 0);
    HLO_ASSERT(u->count > 0);
    u->count--;
    u->remaining ^= at;
}

static void add(uses *u, uint32_t at) {
    u->count++;
    u->remaining ^= at;
}

/* What is done about a buffer for the instruction `at`. */
typedef void buffer_function(scheduler *s, uint32_t at, uint32_t buffer);

/* Each buffer that a turn has not met before. */
static void for_buffers(scheduler *s, uint32_t turn, const hlo_instr *value, uint32_t at,
                        buffer_function *use) {
    const uint32_t *leaves = hlo_dataflow_leaves(&s->d->flow, value);
    uint32_t n = hlo_dataflow_leaf_count(&s->d->flow, value);
    for (uint32_t leaf = 0; leaf < n; leaf++) {
        if (s->met[leaves[leaf]] == turn) continue;
        s->met[leaves[leaf]] = turn;
        use(s, at, leaves[leaf]);
    }
}

static void for_operands(scheduler *s, uint32_t at, buffer_function *use) {
    const hlo_instr *instr = s->d->instr[at];
    uint32_t turn = ++s->turn;
    for (uint32_t k = 0; k < instr->operand_count; k++)
        for_buffers(s, turn, hlo_operand(instr, k), at, use);
}

static void add_use(scheduler *s, uint32_t at, uint32_t buffer) {
    add(&s->uses[buffer], at);
}

static void found_last(scheduler *s, uint32_t buffer) {
    uint32_t at = s->uses[buffer].remaining;
    s->freed[at] += s->d->size[buffer];
    if (!s->last.n || s->last.v[s->last.n - 1] != at) hlo_list_push(&s->last, at);
}

static void drop_use(scheduler *s, uint32_t at, uint32_t buffer) {
    drop(&s->uses[buffer], at);
    if (s->uses[buffer].count == 1) found_last(s, buffer);
}

static bool takes_element(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_GET_TUPLE_ELEMENT;
}

/* Two stand for all that take elements, and have indices that cancel out. */
static void add_element_takers(scheduler *s, uint32_t tuple) {
    const uses *takers = &s->element_takers[tuple];
    for (uint32_t k = 0; k < 2 && k < takers->count; k++)
        for_buffers(s, ++s->turn, s->d->instr[tuple], takers->count == 1 ? takers->remaining : 0,
                    add_use);
}

/* The instruction has run. Of takers that become one, it is that one that buffers know now. */
static void drop_uses(scheduler *s, uint32_t at) {
    const hlo_instr *instr = s->d->instr[at];
    if (!takes_element(instr)) {
        for_operands(s, at, drop_use);
        return;
    }
    const hlo_instr *tuple = hlo_operand(instr, 0);
    uses *takers = &s->element_takers[tuple->index];
    drop(takers, at);
    if (takers->count < 2)
        for_buffers(s, ++s->turn, tuple, takers->count ? takers->remaining : at, drop_use);
}

/* The result is used once more, at the end. */
static void add_end(scheduler *s) {
    for_buffers(s, ++s->turn, s->d->computation->root, s->d->count, add_use);
}

/* ---- scheduling ---- */

static bool has_one_element(const hlo_shape *shape) {
    bool one = hlo_shape_is_array(shape);
    for (uint32_t i = 0; one && i < shape->rank; i++) one = shape->dims[i] == 1;
    return one;
}

/* Single numbers go as soon as they can, so that they are near what uses them; what the host waits
 * for goes first, what it has to give goes last. */
static double bytes_freed(const scheduler *s, uint32_t at) {
    const hlo_instr *instr = s->d->instr[at];
    if (has_one_element(instr->shape)) return 1e300;
    if (instr->opcode == HLO_OP_OUTFEED && hlo_instr_attr(instr, HLO_ATTR_OUTFEED_CONFIG))
        return INT32_MAX;
    if (instr->opcode == HLO_OP_INFEED && hlo_instr_attr(instr, HLO_ATTR_INFEED_CONFIG))
        return INT32_MIN;
    return s->freed[at] - s->d->made[at];
}

static void offer(scheduler *s, uint32_t at) {
    double freed = bytes_freed(s, at);
    bool is_number = freed >= 1e300;
    push(s, (candidate){freed, is_number ? UINT64_MAX : s->d->users[at], ++s->turn, at});
}

static void run_instr(scheduler *s, uint32_t at) {
    const hlo_dependences *d = s->d;
    s->is_done[at] = true;
    s->last.n = 0;
    drop_uses(s, at);
    for (uint32_t k = 0; k < s->last.n; k++)
        if (s->last.v[k] < d->count && !s->waits[s->last.v[k]]) offer(s, s->last.v[k]);
    for (uint32_t k = d->first_after[at]; k < d->first_after[at + 1]; k++)
        if (--s->waits[d->after[k]] == 0) offer(s, d->after[k]);
}

static void count_uses(scheduler *s) {
    for (uint32_t i = 0; i < s->d->count; i++) {
        const hlo_instr *instr = s->d->instr[i];
        if (takes_element(instr)) add(&s->element_takers[hlo_operand(instr, 0)->index], i);
        else for_operands(s, i, add_use);
    }
    for (uint32_t i = 0; i < s->d->count; i++) add_element_takers(s, i);
    add_end(s);
    for (uint32_t b = 0; b < s->d->flow.buffers.n; b++)
        if (s->uses[b].count == 1) found_last(s, b);
}

static void init(scheduler *s, const hlo_dependences *d) {
    uint32_t count = d->count + 1u, buffers = d->flow.buffers.n + 1u;
    *s = (scheduler){.d = d};
    s->waits = hlo_calloc(count, sizeof *s->waits);
    s->is_done = hlo_calloc(count, sizeof *s->is_done);
    s->element_takers = hlo_calloc(count, sizeof *s->element_takers);
    s->freed = hlo_calloc(count, sizeof *s->freed);
    s->uses = hlo_calloc(buffers, sizeof *s->uses);
    s->met = hlo_calloc(buffers, sizeof *s->met);
    for (uint32_t i = 0; i < d->count; i++)
        s->waits[i] = d->first_before[i + 1] - d->first_before[i];
    count_uses(s);
}

static void release(scheduler *s) {
    hlo_free(s->waits);
    hlo_free(s->is_done);
    hlo_free(s->element_takers);
    hlo_free(s->freed);
    hlo_free(s->uses);
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
        run_instr(&s, next.at);
    }
    release(&s);
}
