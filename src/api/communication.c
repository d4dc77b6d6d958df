/* What the collectives of a module exchange: the public side of analysis/communication.h. */
#include <hlo.h>

#include "analysis/communication.h"

#include "base/list.h"

typedef struct {
    hlo_links links;
    const double *counts;
    const bool *known;
    hlo_transfer_visitor *visit;
    void *context;
} tour;

static void show(const tour *t, const hlo_instr *instr, hlo_opcode kind) {
    const hlo_computation *c = instr->parent;
    hlo_transfer exchange = {.kind = hlo_ops[kind].text,
                             .instruction = instr->name->ptr,
                             .instruction_len = instr->name->len,
                             .computation = c->name->ptr,
                             .computation_len = c->name->len,
                             .times = t->counts[c->id],
                             .times_known = t->known[c->id]};
    hlo_transfer_cost(instr, &t->links, &exchange);
    exchange.bytes_sent *= exchange.times;
    exchange.bytes_received *= exchange.times;
    exchange.seconds *= exchange.times;
    t->visit(t->context, &exchange);
}

/* Computations that nothing runs have none. */
static void show_all(const tour *t, hlo_module *module) {
    hlo_computation **order = hlo_malloc((module->computation_count + 1u) * sizeof *order);
    uint32_t n = hlo_print_order(module, order);
    for (uint32_t k = 0; k < n; k++)
        for (const hlo_instr *i = order[k]->first; i; i = i->next) {
            hlo_opcode kind = hlo_transfer_kind(i);
            if (kind != HLO_OP_COUNT && t->counts[order[k]->id] > 0) show(t, i, kind);
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
    bool *known;
    hlo_call_graph_init(&graph, module);
    double *counts = hlo_run_counts(&graph, &known);
    tour t = {hlo_links_of(&given), counts, known, visit, context};
    show_all(&t, module);
    hlo_free(counts);
    hlo_free(known);
    hlo_call_graph_free(&graph);
    return HLO_OK;
}
