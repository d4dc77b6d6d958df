/* What the collectives of a module exchange: the public side of analysis/communication.h. */
#include <hlo.h>

#include "analysis/communication.h"

#include "base/list.h"

typedef struct {
    hlo_links links;
    hlo_runs runs;
    hlo_transfer_visitor *visit;
    void *context;
} tour;

/* Computations that nothing runs have none. */
static void show_all(const tour *t, hlo_module *module) {
    hlo_computation **order = hlo_malloc((module->computation_count + 1u) * sizeof *order);
    uint32_t n = hlo_print_order(module, order);
    for (uint32_t k = 0; k < n; k++)
        for (const hlo_instr *i = order[k]->first; i; i = i->next) {
            if (hlo_transfer_kind(i) == HLO_OP_COUNT || !(t->runs.times[order[k]->id] > 0))
                continue;
            hlo_transfer transfer = hlo_transfer_of(i, &t->links, &t->runs);
            t->visit(t->context, &transfer);
        }
    hlo_free(order);
}

static bool are_sound(const hlo_link_options *links, hlo_diags *diags) {
    bool sound = links->gigabits > 0 && links->microseconds >= 0 && links->topology <= HLO_TORUS;
    if (!sound)
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0},
                  "links require a bandwidth, and a latency that is not negative");
    return sound;
}

hlo_status hlo_module_transfers(hlo_module *module, const hlo_link_options *links,
                                hlo_transfer_visitor *visit, void *context, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, visit);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_link_options given = HLO_LINK_OPTIONS_INIT;
    if (hlo_take_options(links, &given, sizeof given, diags) != HLO_OK) return HLO_BAD_USE;
    if (!are_sound(&given, diags)) return HLO_BAD_USE;
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    tour t = {hlo_links_of(&given), hlo_count_runs(&graph), visit, context};
    show_all(&t, module);
    hlo_runs_free(&t.runs);
    hlo_call_graph_free(&graph);
    return HLO_OK;
}
