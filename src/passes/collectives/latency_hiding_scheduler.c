/* latency-hiding-scheduler: an order in which collectives are on their way while other instructions
 * run. An order gives way only to one that takes less time. */
#include <math.h>
#include <stdlib.h>

#include "analysis/communication.h"
#include "analysis/cost.h"
#include "passes/collectives/collective.h"
#include "passes/collectives/effect_order.h"
#include "passes/memory/schedule.h"

typedef struct {
    double key; /* the greatest first */
    uint32_t at;
} candidate;

typedef HLO_LIST(candidate) candidate_heap;

typedef struct {
    const hlo_pass_call *call;
    hlo_call_graph graph;
    hlo_cost *costs; /* by computation id */
    hlo_links links;
    /* of one computation, by index in its order: */
    hlo_effect_order effects;
    hlo_instr **instr;
    uint32_t count;
    double *run;                   /* seconds that it runs */
    double *transfer;              /* of starts: seconds until the done can go on */
    bool *is_on_link;              /* of starts: a collective\'s */
    double *height;                /* from its begin to the end, at least */
    double *finish;                /* of starts that have been placed: when the done can go on */
    uint32_t *waits;               /* how many of its needs have not been placed */
    uint32_t *first_after, *after; /* whose needs it is */
} scheduling;

/* ---- time ---- */

/* Time is estimated: instructions run one after the other, as long as their operations and bytes
 * take; what collectives have begun moves over one link, one after the other. */

static bool is_start(const hlo_instr *instr) {
    unsigned flags = hlo_info(instr)->flags;
    return (flags & HLO_OP_IS_ASYNC) && !(flags & HLO_OP_ENDS_ASYNC) &&
           instr->opcode != HLO_OP_ASYNC_UPDATE;
}

static bool is_done(const hlo_instr *instr) {
    return (hlo_info(instr)->flags & HLO_OP_ENDS_ASYNC) && instr->operand_count == 1;
}

static double compute_seconds(const scheduling *s, const hlo_instr *instr) {
    hlo_cost cost = hlo_instr_cost(instr, s->costs);
    double flops = cost.flops + cost.transcendentals;
    return flops / (1e9 * (double)HLO_OPTION(s->call, LATENCY_HIDING_SCHEDULER, gigaflops)) +
           cost.bytes / (1e9 * (double)HLO_OPTION(s->call, LATENCY_HIDING_SCHEDULER, gigabytes));
}

static double transfer_seconds(const scheduling *s, const hlo_instr *collective) {
    hlo_transfer moved = {0};
    hlo_transfer_cost(collective, &s->links, &moved);
    return moved.seconds;
}

static bool is_free(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_PARAMETER || instr->opcode == HLO_OP_CONSTANT ||
           (hlo_info(instr)->flags & HLO_OP_IS_ALIAS) || is_done(instr);
}

/* What an asynchronous call runs is a collective, or runs elsewhere. */
static void measure_start(scheduling *s, const hlo_instr *start) {
    const hlo_instr *work = start;
    if (start->opcode == HLO_OP_ASYNC_START) work = hlo_called(start, 0)->root;
    bool moves = hlo_transfer_kind(work) != HLO_OP_COUNT;
    s->is_on_link[start->index] = moves;
    s->transfer[start->index] = moves ? transfer_seconds(s, work) : compute_seconds(s, work);
}

static void measure(scheduling *s, const hlo_instr *instr) {
    if (is_free(instr)) return;
    if (is_start(instr)) measure_start(s, instr);
    else if (hlo_transfer_kind(instr) != HLO_OP_COUNT)
        s->run[instr->index] = transfer_seconds(s, instr);
    else s->run[instr->index] = compute_seconds(s, instr);
}

/* The state of a run up to some instruction. */
typedef struct {
    double now, link; /* when what was placed has run; when the link is free */
} clock_state;

static void advance_clock(scheduling *s, clock_state *clock, const hlo_instr *instr) {
    uint32_t at = instr->index;
    if (is_start(instr)) {
        double begin = s->is_on_link[at] ? fmax(clock->now, clock->link) : clock->now;
        s->finish[at] = begin + s->transfer[at];
        if (s->is_on_link[at]) clock->link = s->finish[at];
    } else if (is_done(instr)) {
        clock->now = fmax(clock->now, s->finish[hlo_operand(instr, 0)->index]);
    }
    clock->now += s->run[at];
}

static double time_of(scheduling *s, hlo_instr *const *order) {
    clock_state clock = {0};
    for (uint32_t i = 0; i < s->count; i++) advance_clock(s, &clock, order[i]);
    return clock.now;
}

/* ---- what waits for what ---- */

static void link_needs(scheduling *s) {
    hlo_instr_list needs = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        needs.n = 0;
        hlo_effect_order_needs(&s->effects, s->instr[i], &needs);
        for (size_t k = 0; k < needs.n; k++) s->first_after[needs.v[k]->index + 1]++;
        s->waits[i] = (uint32_t)needs.n;
    }
    for (uint32_t i = 0; i < s->count; i++) s->first_after[i + 1] += s->first_after[i];
    s->after = hlo_malloc((s->first_after[s->count] + 1u) * sizeof *s->after);
    uint32_t *place = hlo_malloc((s->count + 1u) * sizeof *place);
    memcpy(place, s->first_after, (s->count + 1u) * sizeof *place);
    for (uint32_t i = 0; i < s->count; i++) {
        needs.n = 0;
        hlo_effect_order_needs(&s->effects, s->instr[i], &needs);
        for (size_t k = 0; k < needs.n; k++) s->after[place[needs.v[k]->index]++] = i;
    }
    hlo_free(place);
    hlo_list_free(&needs);
}

static void find_heights(scheduling *s) {
    for (uint32_t i = s->count; i-- > 0;) {
        double most = 0;
        for (uint32_t k = s->first_after[i]; k < s->first_after[i + 1]; k++)
            most = fmax(most, s->height[s->after[k]]);
        s->height[i] = most + s->run[i] + s->transfer[i];
    }
}

/* ---- candidates ---- */

static bool goes_before(const candidate *a, const candidate *b) {
    if (a->key > b->key) return true;
    if (a->key < b->key) return false;
    return a->at < b->at;
}

static void swap(candidate *a, candidate *b) {
    candidate old = *a;
    *a = *b;
    *b = old;
}

static void push(candidate_heap *heap, candidate c) {
    hlo_list_push(heap, c);
    candidate *v = heap->v;
    for (size_t i = heap->n - 1; i && goes_before(&v[i], &v[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&v[i], &v[(i - 1) / 2]);
}

static candidate pop(candidate_heap *heap) {
    candidate *v = heap->v, top = v[0];
    v[0] = hlo_list_pop(heap);
    for (size_t i = 0, child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n && goes_before(&v[child + 1], &v[child])) child++;
        if (!goes_before(&v[child], &v[i])) break;
        swap(&v[i], &v[child]);
    }
    return top;
}

static void offer(const scheduling *s, uint32_t at, candidate_heap *others, candidate_heap *dones) {
    const hlo_instr *instr = s->instr[at];
    if (is_done(instr)) push(dones, (candidate){-s->finish[hlo_operand(instr, 0)->index], at});
    else push(others, (candidate){is_start(instr) ? INFINITY : s->height[at], at});
}

/* A done that need not wait, else anything else, else the done that waits least. */
static uint32_t choose(const clock_state *clock, candidate_heap *others, candidate_heap *dones) {
    bool is_over = dones->n && -dones->v[0].key <= clock->now;
    return is_over || !others->n ? pop(dones).at : pop(others).at;
}

/* Starts go as soon as they can, dones when they have nothing left to wait for, or nothing else can
 * run; of all others first what most time depends on. */
static void find_order(scheduling *s, hlo_instr **order) {
    candidate_heap others = {0}, dones = {0};
    clock_state clock = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->waits[i]) offer(s, i, &others, &dones);
    while (others.n || dones.n) {
        uint32_t at = choose(&clock, &others, &dones);
        order[n++] = s->instr[at];
        advance_clock(s, &clock, s->instr[at]);
        for (uint32_t k = s->first_after[at]; k < s->first_after[at + 1]; k++)
            if (--s->waits[s->after[k]] == 0) offer(s, s->after[k], &others, &dones);
    }
    hlo_list_free(&others);
    hlo_list_free(&dones);
}

/* ---- the pass ---- */

static void open(scheduling *s, hlo_computation *c) {
    size_t n = c->instr_count + 1u;
    hlo_effect_order_init(&s->effects, &s->graph, c, 0);
    s->count = c->instr_count;
    s->instr = hlo_calloc(n, sizeof(hlo_instr *));
    s->run = hlo_calloc(n, sizeof *s->run);
    s->transfer = hlo_calloc(n, sizeof *s->transfer);
    s->is_on_link = hlo_calloc(n, sizeof *s->is_on_link);
    s->height = hlo_calloc(n, sizeof *s->height);
    s->finish = hlo_calloc(n, sizeof *s->finish);
    s->waits = hlo_calloc(n, sizeof *s->waits);
    s->first_after = hlo_calloc(n + 1, sizeof *s->first_after);
    for (hlo_instr *i = c->first; i; i = i->next) {
        s->instr[i->index] = i;
        measure(s, i);
    }
    link_needs(s);
    find_heights(s);
}

static void close(scheduling *s) {
    hlo_effect_order_free(&s->effects);
    hlo_free(s->instr);
    hlo_free(s->run);
    hlo_free(s->transfer);
    hlo_free(s->is_on_link);
    hlo_free(s->height);
    hlo_free(s->finish);
    hlo_free(s->waits);
    hlo_free(s->first_after);
    hlo_free(s->after);
}

static bool schedule(scheduling *s, hlo_computation *c) {
    hlo_instr **order = hlo_malloc((c->instr_count + 1u) * sizeof *order);
    open(s, c);
    double given = time_of(s, s->instr);
    find_order(s, order);
    bool is_better = time_of(s, order) < given * (1 - 1e-9);
    if (is_better) {
        hlo_set_order(c, order);
        hlo_rewrite_count(s->call->rewriter, HLO_REWRITE_scheduled_to_overlap, c->name);
    }
    close(s);
    hlo_free(order);
    return is_better;
}

static bool has_start(const hlo_computation *c) {
    if (c->is_fusion_body || c->is_async_body) return false;
    for (const hlo_instr *i = c->first; i; i = i->next)
        if (is_start(i)) return true;
    return false;
}

static bool module_has_start(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        if (has_start(c)) return true;
    return false;
}

static bool read_options(const hlo_pass_call *call, hlo_links *links) {
    static const char *const topologies[] = {"ring", "mesh", "torus"};
    hlo_link_options options = HLO_LINK_OPTIONS_INIT;
    const char *name = HLO_TEXT_OPTION(call, LATENCY_HIDING_SCHEDULER, topology);
    size_t k = 0;
    while (*name && k < 3 && strcmp(topologies[k], name) != 0) k++;
    int64_t gigabits = HLO_OPTION(call, LATENCY_HIDING_SCHEDULER, link_gbps);
    int64_t microseconds = HLO_OPTION(call, LATENCY_HIDING_SCHEDULER, link_us);
    bool good = k < 3 && gigabits > 0 && microseconds >= 0 &&
                HLO_OPTION(call, LATENCY_HIDING_SCHEDULER, gigaflops) > 0 &&
                HLO_OPTION(call, LATENCY_HIDING_SCHEDULER, gigabytes) > 0;
    if (!good) {
        hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0},
                  "latency-hiding-scheduler takes rates above 0, and ring, mesh or torus");
        return false;
    }
    options.topology = (hlo_topology)k;
    options.gigabits = (double)gigabits;
    options.microseconds = (double)microseconds;
    *links = hlo_links_of(&options);
    return true;
}

hlo_pass_result hlo_pass_latency_hiding_scheduler(const hlo_pass_call *call) {
    scheduling s = {.call = call};
    bool changed = false;
    if (!read_options(call, &s.links)) return HLO_PASS_FAILED;
    if (!call->module->entry || !module_has_start(call->module) ||
        !hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_scheduled_to_overlap))
        return HLO_UNCHANGED;
    if (hlo_take_schedule(call->module)) {
        hlo_rewrite_count(call->rewriter, HLO_REWRITE_scheduled_to_overlap,
                          call->module->entry->name);
        changed = true;
    }
    hlo_call_graph_init(&s.graph, call->module);
    s.costs = hlo_computation_costs(&s.graph);
    for (hlo_computation *c = call->module->first; c; c = c->next)
        if (has_start(c) && hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_scheduled_to_overlap))
            changed |= schedule(&s, c);
    hlo_free(s.costs);
    hlo_call_graph_free(&s.graph);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
