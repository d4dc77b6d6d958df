/* The costs of a module by computation, loops once or as often as they run: see cost.h. */
#include "analysis/cost.h"
#include "analysis/run_counts.h"

static bool calls(const hlo_instr *instr) {
    hlo_op_work work = hlo_info(instr)->work;
    return work == HLO_WORK_CALL || work == HLO_WORK_FUSION;
}

hlo_cost hlo_own_cost(const hlo_instr *instr, const hlo_cost *computations) {
    if (calls(instr)) return (hlo_cost){.bytes = hlo_touched_bytes(instr)};
    return hlo_instr_cost(instr, computations);
}

static void add(hlo_cost *to, const hlo_cost *cost, double times) {
    to->flops += cost->flops * times;
    to->transcendentals += cost->transcendentals * times;
    to->bytes += cost->bytes * times;
}

/* ---- costs ---- */

static hlo_cost cost_by_runs(const hlo_instr *instr, const hlo_cost *computations) {
    hlo_cost cost = {0};
    const hlo_computation *called;
    bool known;
    if (instr->opcode != HLO_OP_WHILE) return hlo_instr_cost(instr, computations);
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        add(&cost, &computations[called->id], hlo_callee_runs(instr, called, &known));
    return cost;
}

hlo_cost *hlo_run_costs(const hlo_call_graph *graph) {
    hlo_cost *costs = hlo_calloc(graph->ids + 1u, sizeof *costs);
    for (uint32_t n = graph->count; n-- > 0;) {
        hlo_cost *sum = &costs[graph->order[n]->id];
        for (const hlo_instr *i = graph->order[n]->first; i; i = i->next) {
            hlo_cost one = cost_by_runs(i, costs);
            add(sum, &one, 1);
        }
    }
    return costs;
}

/* ---- how often they count ---- */

/* Of the branches, those that a conditional's cost is made of. */
typedef struct {
    uint32_t flops, transcendentals, bytes;
} costly_branches;

static costly_branches find_costly(const hlo_instr *conditional, const hlo_cost *costs) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    costly_branches most = {0};
    const hlo_computation *called;
    for (uint32_t k = 1; (called = hlo_called(conditional, k)); k++) {
        const hlo_cost *one = &costs[called->id];
        if (one->flops > costs[hlo_called(conditional, most.flops)->id].flops) most.flops = k;
        if (one->bytes > costs[hlo_called(conditional, most.bytes)->id].bytes) most.bytes = k;
        if (one->transcendentals >
            costs[hlo_called(conditional, most.transcendentals)->id].transcendentals)
            most.transcendentals = k;
    }
    return most;
}

static void share_with_branches(hlo_cost_shares *shares, const hlo_instr *conditional,
                                const hlo_cost *times) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    costly_branches most = find_costly(conditional, shares->costs);
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(conditional, k)); k++) {
        hlo_cost *to = &shares->own_times[called->id];
        if (k == most.flops) to->flops += times->flops;
        if (k == most.transcendentals) to->transcendentals += times->transcendentals;
        if (k == most.bytes) to->bytes += times->bytes;
    }
}

static void share_with_callees(hlo_cost_shares *shares, const hlo_instr *instr,
                               const hlo_cost *times, bool by_runs) {
    const hlo_computation *called;
    bool known;
    if (instr->opcode == HLO_OP_CONDITIONAL) {
        share_with_branches(shares, instr, times);
        return;
    }
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++) {
        hlo_cost part = *times;
        if (instr->opcode == HLO_OP_FUSION) part.bytes = 0;
        add(&shares->own_times[called->id], &part,
            by_runs ? hlo_callee_runs(instr, called, &known) : 1);
    }
}

hlo_cost_shares hlo_share_costs(const hlo_call_graph *graph, bool by_runs) {
    hlo_cost_shares shares = {by_runs ? hlo_run_costs(graph) : hlo_computation_costs(graph),
                              hlo_calloc(graph->ids + 1u, sizeof *shares.own_times)};
    for (uint32_t n = 0; n < graph->count; n++) {
        const hlo_computation *c = graph->order[n];
        hlo_cost *times = &shares.own_times[c->id];
        if (c == c->module->entry) *times = (hlo_cost){1, 1, 1};
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (calls(i)) share_with_callees(&shares, i, times, by_runs);
    }
    return shares;
}
