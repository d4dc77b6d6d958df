/* Costs as JSON: see costs.h. */
#include "graph/html/costs.h"

#include <math.h>

#include <hlo/verify.h>

#include "analysis/communication.h"
#include "analysis/cost.h"
#include "graph/html/json.h"

/* By number of the instruction and of the computation. */
typedef struct {
    const hlo_page_model *m;
    hlo_cost *instrs, *computations;
    double *runs;
} costs;

/* The estimates look at shapes and attributes as the verifier wants them. */
static bool can_count(hlo_module *module) {
    hlo_diags unheard;
    hlo_diags_init(&unheard);
    bool good = hlo_verify(module, &unheard) == HLO_OK;
    hlo_diags_drop(&unheard);
    return good;
}

/* The verifier numbers separately: the numbers of the page are counted here. */
static void count_computation(costs *all, const hlo_computation *c, const hlo_cost *sums,
                              double runs) {
    uint32_t k = hlo_page_computation_number(all->m, c), number = all->m->first_instr[k];
    all->computations[k] = sums[c->id];
    all->runs[k] = runs;
    for (const hlo_instr *i = c->first; i; i = i->next)
        all->instrs[number++] = hlo_instr_cost(i, sums);
}

/* Of a computation with a counterpart in the module, those that only the other module has. */
static void count_lone(costs *all, const hlo_cost *sums) {
    uint32_t number = all->m->first_instr[all->m->computation_count];
    for (uint32_t k = 0; k < all->m->extras->lone_count; k++)
        all->instrs[number++] = hlo_instr_cost(all->m->extras->lone[k].instr, sums);
}

static void count_part(costs *all, hlo_module *part) {
    hlo_call_graph graph;
    bool is_other = part == all->m->extras->other;
    hlo_call_graph_init(&graph, part);
    hlo_cost *sums = hlo_known_costs(&graph);
    hlo_runs runs = hlo_count_runs(&graph);
    for (const hlo_computation *c = part->first; c; c = c->next)
        if (!is_other || !all->m->extras->counterparts[c->id])
            count_computation(all, c, sums, runs.known[c->id] ? runs.times[c->id] : -1);
    if (is_other) count_lone(all, sums);
    hlo_runs_free(&runs);
    hlo_free(sums);
    hlo_call_graph_free(&graph);
}

/* ---- numbers ---- */

static void put_number(hlo_buf *out, double number) {
    hlo_page_separate(out);
    if (!isfinite(number) || number < 0) hlo_buf_lit(out, "-1");
    else if (number < 1e15) hlo_buf_int(out, llround(number));
    else hlo_buf_printf(out, "%.15g", number);
}

static void put_cost(hlo_buf *out, const char *prefix, const hlo_cost *v, uint32_t n) {
    hlo_buf_printf(out, ",\n\"%sflops\":[", prefix);
    for (uint32_t i = 0; i < n; i++) put_number(out, v[i].flops);
    hlo_buf_printf(out, "],\n\"%stranscendentals\":[", prefix);
    for (uint32_t i = 0; i < n; i++) put_number(out, v[i].transcendentals);
    hlo_buf_printf(out, "],\n\"%sbytes\":[", prefix);
    for (uint32_t i = 0; i < n; i++) put_number(out, v[i].bytes);
    hlo_buf_char(out, ']');
}

void hlo_page_put_costs(hlo_buf *out, const hlo_page_model *m) {
    bool counted = can_count(m->first);
    uint32_t instrs = counted ? hlo_page_instr_count(m) : 0;
    uint32_t computations = counted ? m->computation_count : 0;
    costs all = {.m = m};
    all.instrs = hlo_calloc(instrs + 1u, sizeof *all.instrs);
    all.computations = hlo_calloc(computations + 1u, sizeof *all.computations);
    all.runs = hlo_calloc(computations + 1u, sizeof *all.runs);
    for (uint32_t i = 0; i < instrs; i++) all.instrs[i] = (hlo_cost){-1, -1, -1};
    for (uint32_t k = 0; counted && k < m->part_count; k++)
        count_part(&all, (hlo_module *)m->parts[k].module);
    if (counted && m->extras->other && can_count(m->extras->other))
        count_part(&all, m->extras->other);
    put_cost(out, "", all.instrs, instrs);
    put_cost(out, "total_", all.computations, computations);
    hlo_buf_lit(out, ",\n\"runs\":[");
    for (uint32_t k = 0; k < computations; k++) put_number(out, all.runs[k]);
    hlo_buf_char(out, ']');
    hlo_free(all.instrs);
    hlo_free(all.computations);
    hlo_free(all.runs);
}
