/* Operands of conditionals without what no branch needs: see branch_operands.h. */
#include "passes/control_flow/branch_operands.h"

static bool has_per_element_attrs(const hlo_instr *instr) {
    return hlo_instr_attr(instr, HLO_ATTR_SHARDING) != NULL;
}

/* A tuple that is built in the caller and used only by get-tuple-elements of the branch. */
static bool can_be_narrowed(const hlo_rewriter *r, const hlo_call_graph *graph,
                            const hlo_instr *operand, const hlo_computation *branch) {
    if (operand->opcode != HLO_OP_TUPLE || operand->shape->dynamic || branch->parameter_count != 1)
        return false;
    const hlo_instr *parameter = branch->parameters[0];
    if (graph->call_count[branch->id] != 1 || branch->root == parameter ||
        parameter->shape != operand->shape || hlo_is_tied(r, parameter))
        return false;
    for (const hlo_use *use = parameter->first_use; use; use = use->next)
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT) return false;
    return !has_per_element_attrs(operand) && !has_per_element_attrs(parameter);
}

/* Fills keep[]; how many elements the branch takes. */
static uint32_t find_taken(const hlo_instr *parameter, bool *keep) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    uint32_t n = 0;
    for (const hlo_use *use = parameter->first_use; use; use = use->next)
        keep[hlo_attr_int(use->user, HLO_ATTR_INDEX)] = true;
    for (uint32_t i = 0; i < parameter->shape->rank; i++) n += keep[i];
    return n;
}

/* The number that each element gets: how many that stay stand before it. */
static void renumber(hlo_instr *parameter, const bool *keep) {
    uint32_t rank = parameter->shape->rank;
    int64_t *numbers = hlo_calloc(rank + 1u, sizeof *numbers);
    for (uint32_t i = 0; i < rank; i++) numbers[i + 1] = numbers[i] + keep[i];
    for (hlo_use *use = parameter->first_use; use; use = use->next) {
        int64_t number = numbers[hlo_attr_int(use->user, HLO_ATTR_INDEX)];
        hlo_instr_set_attr(use->user, hlo_attr_of_int(HLO_ATTR_INDEX, number));
    }
    hlo_free(numbers);
}

static void narrow(hlo_rewriter *r, hlo_instr *conditional, uint32_t branch, const bool *keep) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    hlo_instr *old = hlo_operand(conditional, branch + 1);
    hlo_instr *parameter = hlo_called(conditional, branch)->parameters[0];
    hlo_instr **elements = hlo_malloc((old->operand_count + 1u) * sizeof *elements);
    uint32_t n = 0;
    for (uint32_t i = 0; i < old->operand_count; i++)
        if (keep[i]) elements[n++] = hlo_operand(old, i);
    hlo_rewriter_aim(r, conditional);
    hlo_instr *tuple = hlo_emit_tuple(r, elements, n);
    hlo_instr_set_operand(conditional, branch + 1, tuple);
    renumber(parameter, keep);
    parameter->shape = tuple->shape;
    hlo_instr_remove_attr(parameter, HLO_ATTR_ORIGIN);
    if (!old->first_use && old->parent->root != old && !hlo_is_tied(r, old))
        hlo_rewriter_remove(r, old);
    r->fresh.n = 0;
    hlo_free(elements);
}

bool hlo_drop_branch_elements(hlo_rewriter *r, hlo_rewrite_id id, const hlo_call_graph *graph,
                              hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    bool changed = false;
    for (uint32_t k = 0; k < hlo_called_count(conditional); k++) {
        const hlo_computation *branch = hlo_called(conditional, k);
        const hlo_instr *operand = hlo_operand(conditional, k + 1);
        if (!hlo_rewrite_allowed(r, id) || !can_be_narrowed(r, graph, operand, branch)) continue;
        bool *keep = hlo_calloc(operand->operand_count + 1u, sizeof *keep);
        if (find_taken(branch->parameters[0], keep) < operand->operand_count) {
            hlo_rewrite_count(r, id, conditional->name);
            narrow(r, conditional, k, keep);
            changed = true;
        }
        hlo_free(keep);
    }
    return changed;
}
