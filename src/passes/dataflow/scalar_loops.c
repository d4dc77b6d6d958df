/* Loops over scalars, which lower-control-flow can leave as they are: one step of the graph then
 * computes all iterations. */
#include "analysis/call_graph.h"
#include "passes/dataflow/lower.h"

enum { MOST_DEPTH = 50, MOST_INSTRUCTIONS = 5000 };

typedef struct {
    uint32_t depth, instructions;
} scalar_search;

static bool is_of_scalars(const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return hlo_shape_is_scalar(shape);
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!is_of_scalars(shape->elements[i])) return false;
    return true;
}

static bool calls_scalars(scalar_search *s, const hlo_instr *instr);

static bool is_scalar(scalar_search *s, const hlo_instr *instr) {
    uint32_t flags = hlo_info(instr)->flags;
    if (s->instructions++ == MOST_INSTRUCTIONS || !is_of_scalars(instr->shape)) return false;
    if (flags & HLO_OP_HAS_SIDE_EFFECT || instr->opcode == HLO_OP_CUSTOM_CALL) return false;
    return calls_scalars(s, instr);
}

static bool has_scalars(scalar_search *s, const hlo_computation *c) {
    if (s->depth == MOST_DEPTH) return false;
    s->depth++;
    const hlo_instr *i = c->first;
    while (i && is_scalar(s, i)) i = i->next;
    HLO_ASSERT(s->depth > 0);
    s->depth--;
    return !i;
}

static bool calls_scalars(scalar_search *s, const hlo_instr *instr) {
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (!has_scalars(s, called)) return false;
    return true;
}

bool hlo_flow_is_scalar_loop(const hlo_instr *instr) {
    scalar_search s = {0};
    return instr->opcode == HLO_OP_WHILE && is_scalar(&s, instr);
}
