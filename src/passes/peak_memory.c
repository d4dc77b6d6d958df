/* How much memory is alive at once: see cost.h. */
#include "passes/cost.h"

/* What the walk over one computation knows; arrays by hlo_instr.index. */
typedef struct {
    uint32_t *last; /* the last instruction that reads a buffer of this one */
    double *bytes;  /* of its own buffer */
} lives;

static bool is_alias(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_TUPLE:
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_BITCAST:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_DOMAIN:
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_AFTER_ALL:
    case HLO_OP_WHILE: return true;
    default: return false;
    }
}

/* The instruction's result takes the memory of operand 0 when nobody reads that later. */
static bool is_update_in_place(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE || instr->opcode == HLO_OP_SCATTER;
}

static double bytes_of(const hlo_shape *shape) {
    int64_t bytes = hlo_shape_bytes(shape);
    return bytes < 0 ? 0 : (double)bytes;
}

/* Buffers live as long as what is made of them without a copy: back to front, so that the users of
 * an alias are known before its operands are told. */
static void find_lives(hlo_computation *c, lives *l) {
    for (hlo_instr *i = c->last; i; i = i->prev) {
        uint32_t last = i->index;
        for (const hlo_use *use = i->first_use; use; use = use->next) {
            uint32_t at = use->user->index;
            bool passes_on = is_alias(use->user) ||
                             (is_update_in_place(use->user) && use == &use->user->operands[0]);
            if (passes_on && l->last[at] > at) at = l->last[at];
            if (at > last) last = at;
        }
        l->last[i->index] = i == c->root ? c->instr_count : last;
        bool shares = is_alias(i) || (is_update_in_place(i) && i->operand_count);
        l->bytes[i->index] = shares ? 0 : bytes_of(i->shape);
    }
}

static double most_of_callees(const hlo_instr *instr, const double *peaks) {
    double most = 0;
    const hlo_computation *called;
    if (instr->opcode == HLO_OP_FUSION) return 0;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (peaks[called->id] > most) most = peaks[called->id];
    return most;
}

/* Parameters of a called computation are its caller's memory. */
static double peak_of(hlo_computation *c, const double *peaks, bool is_entry) {
    hlo_number_instructions(c);
    lives l = {hlo_calloc(c->instr_count + 1u, sizeof *l.last),
               hlo_calloc(c->instr_count + 1u, sizeof *l.bytes)};
    double *freed = hlo_calloc(c->instr_count + 2u, sizeof *freed), now = 0, most = 0;
    find_lives(c, &l);
    for (const hlo_instr *i = c->first; i; i = i->next) {
        double own = i->opcode == HLO_OP_PARAMETER && !is_entry ? 0 : l.bytes[i->index];
        now += own;
        freed[l.last[i->index]] += own;
        double with_callees = now + most_of_callees(i, peaks);
        if (with_callees > most) most = with_callees;
        now -= freed[i->index];
    }
    hlo_free(l.last);
    hlo_free(l.bytes);
    hlo_free(freed);
    return most;
}

double hlo_peak_bytes(hlo_module *module, const hlo_call_graph *graph) {
    double *peaks = hlo_calloc(module->next_id + 1u, sizeof *peaks);
    for (uint32_t n = graph->count; n-- > 0;) {
        hlo_computation *c = graph->order[n];
        peaks[c->id] = peak_of(c, peaks, c == module->entry);
    }
    double peak = module->entry ? peaks[module->entry->id] : 0;
    hlo_free(peaks);
    return peak;
}

hlo_module_cost hlo_module_estimate(hlo_module *module) {
    hlo_module_cost estimate = {0};
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    hlo_cost *costs = hlo_computation_costs(&graph);
    if (module->entry) {
        const hlo_cost *entry = &costs[module->entry->id];
        estimate.flops = entry->flops;
        estimate.transcendentals = entry->transcendentals;
        estimate.bytes = entry->bytes;
        estimate.peak_bytes = hlo_peak_bytes(module, &graph);
    }
    hlo_free(costs);
    hlo_call_graph_free(&graph);
    return estimate;
}
