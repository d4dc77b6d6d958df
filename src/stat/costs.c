/* What instructions cost in the figures of the module. */
#include <math.h>

#include "stat/stat.h"

/* Negative figures are unknown. */
static bool is_foreign(const hlo_instr *instr) {
    return hlo_info(instr)->work == HLO_WORK_FOREIGN;
}

static bool is_call(const hlo_instr *instr) {
    return hlo_info(instr)->work == HLO_WORK_CALL;
}

/* What the instruction adds to the costs that `shares` divides: its own part, or with what a fusion
 * holds. */
static hlo_cost shared_cost(const hlo_cost_shares *shares, const hlo_instr *instr, bool whole) {
    const hlo_cost *times = &shares->own_times[instr->parent->id];
    bool is_own = !whole || is_call(instr);
    hlo_cost once = hlo_known_part(is_own ? hlo_own_cost(instr, shares->costs)
                                          : hlo_instr_cost(instr, shares->costs));
    return (hlo_cost){once.flops * times->flops, once.transcendentals * times->transcendentals,
                      once.bytes * times->bytes};
}

/* ---- times ---- */

static double part_of(double amount, double peak) {
    return peak > 0 ? amount / peak : 0;
}

static double link_seconds(const hlo_stat_counting *c, const hlo_instr *instr) {
    if (!c->options.links || hlo_transfer_kind(instr) == HLO_OP_COUNT) return 0;
    return hlo_transfer_of(instr, &c->links, &c->part->runs).seconds;
}

static void find_times(const hlo_stat_counting *c, const hlo_instr *instr,
                       double seconds[HLO_STAT_RESOURCES]) {
    hlo_cost all = shared_cost(&c->part->run_shares, instr, true);
    seconds[HLO_STAT_COMPUTE] = part_of(all.flops, c->options.peak_flops);
    seconds[HLO_STAT_MEMORY] = part_of(all.bytes, c->options.peak_bandwidth);
    seconds[HLO_STAT_LINKS] = link_seconds(c, instr);
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
    hlo_stat_cost cost = {.count = 1,
                          .unknown = is_foreign(instr),
                          .cost = shared_cost(&c->part->shares, instr, whole)};
    if (whole) find_times(c, instr, cost.seconds);
    if (whole) keep_longest(cost.seconds);
    return cost;
}

/* ---- sums ---- */

static void add(hlo_cost *to, const hlo_cost *cost) {
    to->flops += cost->flops;
    to->transcendentals += cost->transcendentals;
    to->bytes += cost->bytes;
}

void hlo_stat_add_cost(hlo_stat_cost *to, const hlo_stat_cost *cost) {
    to->count += cost->count;
    to->unknown += cost->unknown;
    add(&to->cost, &cost->cost);
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
    hlo_cost all = shared_cost(&c->part->run_shares, instr, false);
    hlo_stat_add_cost(&c->total, &own);
    add(&c->run_total, &all);
    if (!c->stats->has_times || !c->part->is_run[instr->parent->id]) return;
    hlo_stat_cost whole = hlo_stat_cost_of(c, instr, true);
    for (int r = 0; r < HLO_STAT_RESOURCES; r++) c->total.seconds[r] += whole.seconds[r];
    c->link_seconds += link_seconds(c, instr);
}

void hlo_stat_count_totals(hlo_stat_counting *c) {
    for (uint32_t p = 0; p < c->parts.n; p++) {
        c->part = &c->parts.v[p];
        c->unknown_loops += c->part->runs.unknown_loops;
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
