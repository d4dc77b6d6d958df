/* Lint: loops with an unknown trip count. Known are loops with an induction variable that the body
 * changes by a constant and the condition compares with an invariant, loops whose iterations can be
 * counted, and loops whose trip count is in backend_config. */
#include "analysis/iteration_count.h"
#include "lint/linter.h"

/* The value with copies and conversions taken off. */
static const hlo_instr *plain(const hlo_instr *instr) {
    enum { CHAIN = 8 };
    for (int i = 0; i < CHAIN; i++) {
        bool same = instr->opcode == HLO_OP_COPY || instr->opcode == HLO_OP_CONVERT ||
                    instr->opcode == HLO_OP_BITCAST || instr->opcode == HLO_OP_RESHAPE;
        if (!same) break;
        instr = hlo_operand(instr, 0);
    }
    return instr;
}

/* Which part of the loop's state a value of condition or body is: -1 for none, 0 when the state is
 * no tuple. */
static int64_t state_part(const hlo_instr *instr) {
    instr = plain(instr);
    if (instr->opcode == HLO_OP_PARAMETER && !hlo_shape_is_tuple(instr->shape)) return 0;
    if (instr->opcode != HLO_OP_GET_TUPLE_ELEMENT) return -1;
    if (hlo_operand(instr, 0)->opcode != HLO_OP_PARAMETER) return -1;
    return hlo_attr_int(instr, HLO_ATTR_INDEX);
}

/* What the body makes of a part of the state. */
static const hlo_instr *next_part(const hlo_computation *body, int64_t part) {
    const hlo_instr *root = body->root;
    if (!hlo_shape_is_tuple(root->shape)) return plain(root);
    if (root->opcode != HLO_OP_TUPLE || part >= root->operand_count) return NULL;
    return plain(hlo_operand(root, (uint32_t)part));
}

static bool is_counter(const hlo_computation *body, int64_t part) {
    const hlo_instr *next = part < 0 ? NULL : next_part(body, part);
    if (!next || (next->opcode != HLO_OP_ADD && next->opcode != HLO_OP_SUBTRACT)) return false;
    int64_t step;
    const hlo_instr *a = hlo_operand(next, 0), *b = hlo_operand(next, 1);
    if (state_part(a) == part && hlo_lint_integer(b, &step)) return step != 0;
    return next->opcode == HLO_OP_ADD && state_part(b) == part && hlo_lint_integer(a, &step) &&
           step != 0;
}

/* A constant, or a part of the state that the body passes on. */
static bool is_bound(const hlo_computation *body, const hlo_instr *instr) {
    int64_t value, part = state_part(instr);
    if (part < 0) return hlo_lint_integer(plain(instr), &value);
    const hlo_instr *next = next_part(body, part);
    return next && state_part(next) == part;
}

/* Either side of an `and` is enough. Comparators are small; the bound is for those that are not. */
static bool bounds_iterations(const hlo_instr *test, const hlo_computation *body, int depth) {
    test = plain(test);
    if (test->opcode == HLO_OP_AND && depth < 8)
        return bounds_iterations(hlo_operand(test, 0), body, depth + 1) ||
               bounds_iterations(hlo_operand(test, 1), body, depth + 1);
    if (test->opcode != HLO_OP_COMPARE) return false;
    const hlo_instr *a = hlo_operand(test, 0), *b = hlo_operand(test, 1);
    return (is_counter(body, state_part(a)) && is_bound(body, b)) ||
           (is_counter(body, state_part(b)) && is_bound(body, a));
}

static bool is_told(const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    static const char key[] = "known_trip_count";
    const hlo_attr *config = hlo_instr_attr(loop, HLO_ATTR_BACKEND_CONFIG);
    return config && memmem(config->u.string->ptr, config->u.string->len, key, sizeof key - 1);
}

void hlo_lint_unbounded_while(hlo_linter *l, const hlo_instr *instr) {
    hlo_iterations iterations;
    if (instr->opcode != HLO_OP_WHILE || is_told(instr) || hlo_count_iterations(instr, &iterations))
        return;
    const hlo_computation *body = hlo_instr_attr(instr, HLO_ATTR_BODY)->u.computation;
    const hlo_computation *condition = hlo_instr_attr(instr, HLO_ATTR_CONDITION)->u.computation;
    if (bounds_iterations(condition->root, body, 0)) return;
    if (hlo_lint_report(l, HLO_RULE_UNBOUNDED_WHILE, instr, "its trip count is not known"))
        hlo_lint_note(l, condition->root->at,
                      "this does not compare an induction variable with a loop-invariant bound");
}
