/* What the steps of a program cost: guesses of src/analysis, added up over called computations. */
#include "analysis/cost.h"
#include "eval/program/plan.h"

static const double IN_PROGRESS = -1;

static double cost_of_computation(hlo_planner *planner, const hlo_computation *computation) {
    double *known = &planner->costs[computation->id];
    if (*known > 0) return *known;
    /* What calls itself, or is called too deep, the run reports. */
    if (*known == IN_PROGRESS || planner->cost_depth >= HLO_EVAL_MAX_DEPTH) return 0;
    *known = IN_PROGRESS;
    planner->cost_depth++;
    double sum = 0;
    for (const hlo_instr *instr = computation->first; instr; instr = instr->next)
        sum += hlo_planner_cost(planner, instr);
    HLO_ASSERT(planner->cost_depth > 0);
    planner->cost_depth--;
    *known = sum;
    return sum;
}

double hlo_planner_cost(hlo_planner *planner, const hlo_instr *instr) {
    double called = 0;
    uint32_t count = hlo_called_count(instr);
    for (uint32_t k = 0; k < count; k++)
        if (hlo_called(instr, k)) called += cost_of_computation(planner, hlo_called(instr, k));
    return hlo_instr_nanoseconds(instr, called);
}
