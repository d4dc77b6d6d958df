/* Lint: dead code: instructions, computations, parameters. */
#include "lint/linter.h"

typedef struct {
    uint8_t *live; /* by instruction */
    hlo_instr **stack;
    uint32_t depth;
} liveness;

static void reach(liveness *w, hlo_instr *instr) {
    if (w->live[instr->index]) return;
    w->live[instr->index] = 1;
    w->stack[w->depth++] = instr; /* each instruction once */
}

static void reach_all(liveness *w) {
    while (w->depth) {
        hlo_instr *instr = w->stack[--w->depth];
        for (uint32_t i = 0; i < instr->operand_count; i++) reach(w, hlo_operand(instr, i));
        const hlo_attr *before = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
        for (uint32_t i = 0; before && i < before->u.instructions->n; i++)
            reach(w, before->u.instructions->v[i]);
    }
}

/* False for parameters, and for elements of tuples that no program can leave out: JAX unpacks every
 * tuple whole, a loop carries its state, and a sort or a custom call makes all of its results. */
static bool is_computed(const hlo_instr *value) {
    enum { CHAIN = 16 };  /* chains of tuples are short; the bound keeps the question cheap */
    int64_t element = -1; /* of the value, a tuple; -1: the value itself */
    for (int i = 0; i < CHAIN; i++) {
        if (element < 0 && value->opcode != HLO_OP_GET_TUPLE_ELEMENT)
            return value->opcode != HLO_OP_PARAMETER;
        switch (value->opcode) {
        case HLO_OP_GET_TUPLE_ELEMENT:
            if (element >= 0) return false;
            element = hlo_attr_int(value, HLO_ATTR_INDEX);
            value = hlo_operand(value, 0);
            break;
        case HLO_OP_TUPLE:
            value = hlo_operand(value, (uint32_t)element);
            element = -1;
            break;
        case HLO_OP_CALL:
        case HLO_OP_FUSION: value = hlo_called(value, 0)->root; break;
        default: return false;
        }
    }
    return false;
}

/* Where sharded functions end, JAX writes an identity for each result, used or not, which may carry
 * a sharding. The rule identity-operation reports those without. */
static bool is_boundary(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_RESHAPE && instr->shape == hlo_operand(instr, 0)->shape;
}

/* In an uncalled computation only the computation is reported. */
static void dead_instructions(hlo_linter *l, const liveness *w, const hlo_computation *c) {
    for (const hlo_instr *instr = c->first; instr; instr = instr->next) {
        if (w->live[instr->index] || !is_computed(instr) || is_boundary(instr)) continue;
        hlo_lint_report(l, HLO_RULE_DEAD_CODE, instr,
                        instr->first_use ? "only dead instructions use it" : "it is unused");
    }
}

void hlo_lint_dead_code(hlo_linter *l) {
    liveness w = {HLO_NEW_ARRAY(&l->scratch, uint8_t, l->instr_count),
                  HLO_NEW_ARRAY(&l->scratch, hlo_instr *, l->instr_count), 0};
    uint8_t *called = HLO_NEW_ARRAY(&l->scratch, uint8_t, l->module->next_id);
    called[l->module->entry->id] = 1;
    for (uint32_t i = 0; i < l->graph.count; i++) { /* callers first */
        hlo_computation *c = l->graph.order[i];
        if (!called[c->id]) {
            hlo_lint_report_computation(l, HLO_RULE_DEAD_CODE, c, "it is never called");
            continue;
        }
        reach(&w, c->root);
        for (hlo_instr *instr = c->first; instr; instr = instr->next) {
            if (hlo_call_graph_effect(&l->graph, instr)) reach(&w, instr);
            for (uint32_t k = 0; k < hlo_called_count(instr); k++)
                called[hlo_called(instr, k)->id] = 1;
        }
        reach_all(&w);
        dead_instructions(l, &w, c);
    }
}

static bool is_function(const hlo_linter *l, const hlo_computation *c) {
    const hlo_instr *caller = l->graph.caller[c->id];
    return c == l->module->entry || (caller && caller->opcode == HLO_OP_CALL);
}

void hlo_lint_unused_parameter(hlo_linter *l) {
    for (const hlo_computation *c = l->module->first; c; c = c->next) {
        if (!is_function(l, c)) continue;
        for (uint32_t i = 0; i < c->parameter_count; i++) {
            const hlo_instr *p = c->parameters[i];
            if (p->first_use || p == c->root) continue;
            hlo_lint_report(l, HLO_RULE_UNUSED_PARAMETER, p, "parameter %u, %s, is unused", i,
                            hlo_lint_text(l, p->shape));
        }
    }
}
