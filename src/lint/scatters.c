/* Lint: scatters whose result depends on the order in which updates arrive. */
#include "lint/linter.h"

/* Updates that may meet: with one there is no order. */
static bool has_several_updates(const hlo_instr *scatter) {
    const hlo_shape *updates = hlo_operand(scatter, scatter->operand_count - 1)->shape;
    const hlo_ints *windows = hlo_attr_ints(scatter, HLO_ATTR_UPDATE_WINDOW_DIMS);
    int64_t count = 1;
    for (uint32_t d = 0; d < updates->rank; d++) {
        bool in_window = false;
        for (uint32_t i = 0; i < windows->n; i++) in_window |= windows->v[i] == (int64_t)d;
        if (!in_window && updates->dims[d] != 1) count = updates->dims[d] == 0 && count ? 0 : 2;
    }
    return count > 1;
}

static bool is_parameter(const hlo_instr *instr, int64_t number) {
    return instr->opcode == HLO_OP_PARAMETER &&
           hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER) == number;
}

/* Why the order matters for one result of the combiner, or NULL: of `count` results, number `i`. */
static const char *order_matters(const hlo_instr *result, int64_t i, int64_t count) {
    if (is_parameter(result, i)) return NULL;
    if (is_parameter(result, count + i)) return "the last update wins";
    bool combines =
        result->operand_count == 2 && ((is_parameter(hlo_operand(result, 0), i) &&
                                        is_parameter(hlo_operand(result, 1), count + i)) ||
                                       (is_parameter(hlo_operand(result, 1), i) &&
                                        is_parameter(hlo_operand(result, 0), count + i)));
    if (!combines) return "its combiner may depend on it";
    bool rounds =
        !hlo_type_is_integral((hlo_type)result->shape->type) && result->shape->type != HLO_PRED;
    switch (result->opcode) {
    case HLO_OP_ADD:
    case HLO_OP_MULTIPLY: return rounds ? "each step rounds" : NULL;
    case HLO_OP_AND:
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM:
    case HLO_OP_OR:
    case HLO_OP_XOR: return NULL;
    default: return "its combiner does not commute";
    }
}

void hlo_lint_unordered_scatter(hlo_linter *l, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_SCATTER || hlo_attr_int(instr, HLO_ATTR_UNIQUE_INDICES)) return;
    if (!has_several_updates(instr)) return;
    const hlo_computation *combiner = hlo_instr_attr(instr, HLO_ATTR_TO_APPLY)->u.computation;
    const hlo_instr *root = combiner->root;
    uint32_t count = (instr->operand_count - 1) / 2;
    bool tuple = root->opcode == HLO_OP_TUPLE;
    const char *why = tuple || count == 1 ? NULL : "its combiner may depend on it";
    for (uint32_t i = 0; i < count && (tuple || count == 1) && !why; i++)
        why = order_matters(tuple ? hlo_operand(root, i) : root, i, count);
    if (!why) return;
    if (!hlo_lint_report(l, HLO_RULE_UNORDERED_SCATTER, instr,
                         "where indices repeat, the result depends on the order of updates: %s",
                         why))
        return;
    hlo_lint_note(l, combiner->at, "the combiner");
    hlo_hint(l->diags, "unique_indices=true says that no index repeats");
}
