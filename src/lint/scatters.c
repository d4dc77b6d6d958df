/* Lint: scatters whose result depends on the order in which updates arrive. */
#include "lint/linter.h"

/* Updates that may meet: with one there is no order, and those of different batches never meet. The
 * non-window dimensions of the updates are the dimensions of the indices without the index vector.
 */
static bool has_several_updates(const hlo_instr *scatter) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    const hlo_shape *updates = hlo_operand(scatter, scatter->operand_count - 1)->shape;
    const hlo_ints *windows = hlo_attr_ints(scatter, HLO_ATTR_UPDATE_WINDOW_DIMS);
    const hlo_ints *batches = hlo_attr_ints(scatter, HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS);
    int64_t vector = hlo_attr_int(scatter, HLO_ATTR_INDEX_VECTOR_DIM), index = 0;
    bool several = false;
    for (uint32_t d = 0; d < updates->rank; d++) {
        if (updates->dims[d] == 0) return false;
        if (hlo_ints_contain(windows, d)) continue;
        if (index == vector) index++;
        several |= updates->dims[d] != 1 && !hlo_ints_contain(batches, index);
        index++;
    }
    return several;
}

/* One value in all elements. */
static bool is_uniform(const hlo_instr *instr) {
    enum { CHAIN = 8 };
    for (int i = 0; i < CHAIN; i++) {
        if (hlo_shape_elements(instr->shape) == 1) return true;
        if (instr->opcode != HLO_OP_CONVERT && !hlo_lint_moves_only(instr)) return false;
        instr = hlo_operand(instr, 0);
    }
    return false;
}

/* Equal updates may come in any order. */
static bool has_equal_updates(const hlo_instr *scatter, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!is_uniform(hlo_operand(scatter, count + 1 + i))) return false;
    return true;
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
    uint32_t count = (instr->operand_count - 1) / 2;
    if (has_equal_updates(instr, count)) return;
    const hlo_computation *combiner = hlo_instr_attr(instr, HLO_ATTR_TO_APPLY)->u.computation;
    const hlo_instr *root = combiner->root;
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
    hlo_hint(l->diags, "unique_indices=true asserts that no index repeats");
}
