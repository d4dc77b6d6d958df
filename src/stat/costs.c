/* What instructions cost in the figures of the module. */
#include <math.h>

#include "stat/stat.h"

/* Negative figures are unknown. */
static bool is_foreign(const hlo_instr *instr) {
    return hlo_info(instr)->work == HLO_WORK_FOREIGN;
}

static hlo_cost known_part(hlo_cost cost) {
    return (hlo_cost){fmax(cost.flops, 0), fmax(cost.transcendentals, 0), fmax(cost.bytes, 0)};
}

static bool is_call(const hlo_instr *instr) {
    return hlo_info(instr)->work == HLO_WORK_CALL;
}

static hlo_cost cost_alone(const hlo_stat_counting *c, const hlo_instr *instr, bool whole) {
    const hlo_cost *computations = c->part->shares.costs;
    bool is_own = !whole || is_call(instr);
    return known_part(is_own ? hlo_own_cost(instr, computations)
                             : hlo_instr_cost(instr, computations));
}

/* ---- times ---- */

static double part_of(double amount, double peak) {
    return peak > 0 ? amount / peak : 0;
}

static double link_seconds(const hlo_stat_counting *c, const hlo_instr *instr) {
    hlo_transfer transfer = {0};
    if (!c->options.links || hlo_transfer_kind(instr) == HLO_OP_COUNT) return 0;
    hlo_transfer_cost(instr, &c->links, &transfer);
    return transfer.seconds;
}

/* Of a conditional's branches the one that touches most bytes takes time. */
static double times_of(const hlo_stat_counting *c, const hlo_instr *instr) {
    return c->part->shares.own_times[instr->parent->id].bytes;
}

static void find_times(const hlo_stat_counting *c, const hlo_instr *instr, const hlo_cost *once,
                       double seconds[HLO_STAT_RESOURCES]) {
    double times = times_of(c, instr);
    seconds[HLO_STAT_COMPUTE] = times * part_of(once->flops, c->options.peak_flops);
    seconds[HLO_STAT_MEMORY] = times * part_of(once->bytes, c->options.peak_bandwidth);
    seconds[HLO_STAT_LINKS] = times * link_seconds(c, instr);
}

/* Only the longest is left. */
static void keep_longest(double seconds[HLO_STAT_RESOURCES]) {
    int longest = 0;
    for (int r = 1; r < HLO_STAT_RESOURCES; r++)
        if (seconds[r] > seconds[longest]) longest = r;
    for (int r = 0; r < HLO_STAT_RESOURCES; r++)
        if (r != longest) seconds[r] = 0;
}

hlo_stat_cost hlo_stat_cost_of(const hlo_stat_counting *c, const hlo_instr *instr, bool whole) {
    const hlo_cost *times = &c->part->shares.own_times[instr->parent->id];
    hlo_cost once = cost_alone(c, instr, whole);
    hlo_stat_cost cost = {.count = 1,
                          .unknown = is_foreign(instr),
                          .cost = {once.flops * times->flops,
                                   once.transcendentals * times->transcendentals,
                                   once.bytes * times->bytes}};
    if (whole) find_times(c, instr, &once, cost.seconds);
    if (whole) keep_longest(cost.seconds);
    return cost;
}

/* ---- sums ---- */

void hlo_stat_add_cost(hlo_stat_cost *to, const hlo_stat_cost *cost) {
    to->count += cost->count;
    to->unknown += cost->unknown;
    to->cost.flops += cost->cost.flops;
    to->cost.transcendentals += cost->cost.transcendentals;
    to->cost.bytes += cost->cost.bytes;
    for (int r = 0; r < HLO_STAT_RESOURCES; r++) to->seconds[r] += cost->seconds[r];
}

double hlo_stat_seconds(const hlo_stat_cost *cost) {
    double sum = 0;
    for (int r = 0; r < HLO_STAT_RESOURCES; r++) sum += cost->seconds[r];
    return sum;
}

hlo_str hlo_stat_bound(const hlo_stat_cost *cost) {
    static const char *const names[HLO_STAT_RESOURCES] = {"compute", "memory", "links"};
    int longest = 0;
    for (int r = 1; r < HLO_STAT_RESOURCES; r++)
        if (cost->seconds[r] > cost->seconds[longest]) longest = r;
    return hlo_str_from(cost->seconds[longest] > 0 ? names[longest] : "");
}

static void count_instr(hlo_stat_counting *c, const hlo_instr *instr) {
    hlo_stat_cost own = hlo_stat_cost_of(c, instr, false);
    bool known = true;
    hlo_stat_add_cost(&c->total, &own);
    if (instr->opcode == HLO_OP_WHILE) hlo_callee_runs(instr, hlo_called(instr, 0), &known);
    c->unknown_loops += !known;
    if (!c->stats->has_times || !c->part->is_run[instr->parent->id]) return;
    hlo_stat_cost whole = hlo_stat_cost_of(c, instr, true);
    for (int r = 0; r < HLO_STAT_RESOURCES; r++) c->total.seconds[r] += whole.seconds[r];
    c->link_seconds += times_of(c, instr) * link_seconds(c, instr);
}

void hlo_stat_count_totals(hlo_stat_counting *c) {
    for (uint32_t p = 0; p < c->parts.n; p++) {
        c->part = &c->parts.v[p];
        for (uint32_t n = 0; n < c->part->graph.count; n++)
            for (const hlo_instr *i = c->part->graph.order[n]->first; i; i = i->next)
                count_instr(c, i);
    }
}

/* ---- cells ---- */

static double percent(double part, double of) {
    return of > 0 ? 100 * part / of : 0;
}

void hlo_stat_put_costs(const hlo_stat_counting *c, hlo_stat_table *table,
                        const hlo_stat_cost *cost) {
    const hlo_cost *one = &cost->cost, *all = &c->total.cost;
    double unknown = cost->unknown > 0 && cost->unknown >= cost->count ? NAN : 0;
    hlo_stat_put_number(table, one->flops + unknown);
    hlo_stat_put_number(table, percent(one->flops, all->flops) + unknown);
    hlo_stat_put_number(table, one->transcendentals + unknown);
    hlo_stat_put_number(table, one->bytes + unknown);
    hlo_stat_put_number(table, percent(one->bytes, all->bytes) + unknown);
    hlo_stat_put_number(table, one->bytes > 0 ? one->flops / one->bytes : NAN);
    hlo_stat_put_number(table, hlo_stat_seconds(cost));
    hlo_stat_put_text(table, hlo_stat_bound(cost));
}
