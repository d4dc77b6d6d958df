/* Seconds of a profile, summed up over calls: see seconds.h. */
#include "graph/model/seconds.h"

#include <math.h>

#include "analysis/call_graph.h"

static void add(double *sum, double more) {
    if (more >= 0) *sum = fmax(*sum, 0) + more;
}

static double called_seconds(const hlo_dot_seconds *s, const hlo_call_graph *graph,
                             const hlo_instr *instr) {
    double sum = -1;
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (graph->call_count[called->id] == 1) add(&sum, s->computations[called->id]);
    return sum;
}

static void sum_computation(hlo_dot_seconds *s, const hlo_call_graph *graph,
                            const hlo_computation *c, const double *own, uint32_t number) {
    double *sum = &s->computations[c->id];
    *sum = -1;
    for (const hlo_instr *i = c->first; i; i = i->next, number++) {
        s->instrs[number] = own[number];
        add(&s->instrs[number], called_seconds(s, graph, i));
        add(sum, s->instrs[number]);
    }
}

void hlo_dot_seconds_init(hlo_dot_seconds *s, hlo_module *module, const double *own) {
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    uint32_t total = 0, *base = hlo_calloc(module->next_id + 1u, sizeof *base);
    for (const hlo_computation *c = module->first; c; c = c->next) {
        base[c->id] = total;
        total += c->instr_count;
    }
    s->instrs = hlo_calloc(total + 1u, sizeof *s->instrs);
    s->computations = hlo_calloc(module->next_id + 1u, sizeof *s->computations);
    for (uint32_t n = graph.count; n-- > 0;)
        sum_computation(s, &graph, graph.order[n], own, base[graph.order[n]->id]);
    hlo_free(base);
    hlo_call_graph_free(&graph);
}

void hlo_dot_seconds_free(hlo_dot_seconds *s) {
    hlo_free(s->instrs);
    hlo_free(s->computations);
}
