/* Leaves of steps through tuples: see plan_leaves.h. Called while a program is made. */
#include "eval/program/plan_leaves.h"

void hlo_plan_leaves_init(hlo_plan_leaves *leaves, const hlo_plan *plan, hlo_arena *arena) {
    leaves->plan = plan;
    leaves->of = HLO_NEW_ARRAY(arena, uint32_t *, plan->count);
    for (uint32_t k = 0; k < plan->count; k++) {
        uint32_t n = hlo_shape_leaf_count(plan->steps[k].instr->shape);
        leaves->of[k] = HLO_NEW_ARRAY(arena, uint32_t, n + 1);
    }
    const hlo_computation *computation = plan->computation;
    uint32_t count = computation->parameter_count;
    leaves->arguments = HLO_NEW_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t p = 0; p < count; p++)
        leaves->arguments[p + 1] =
            leaves->arguments[p] + hlo_shape_leaf_count(computation->parameters[p]->shape);
}

const uint32_t *hlo_operand_leaves(const hlo_plan_leaves *leaves, const hlo_plan_step *step,
                                   uint32_t i) {
    HLO_ASSERT(i < step->instr->operand_count);
    return leaves->of[leaves->plan->operand_steps[step->operands + i]];
}

uint32_t hlo_operand_leaf_count(const hlo_instr *instr, uint32_t first) {
    uint32_t count = 0;
    for (uint32_t i = first; i < instr->operand_count; i++)
        count += hlo_shape_leaf_count(hlo_operand(instr, i)->shape);
    return count;
}

uint32_t hlo_join_operand_leaves(const hlo_plan_leaves *leaves, const hlo_plan_step *step,
                                 uint32_t first, uint32_t *to) {
    uint32_t count = 0;
    for (uint32_t i = first; i < step->instr->operand_count; i++) {
        uint32_t n = hlo_shape_leaf_count(hlo_operand(step->instr, i)->shape);
        hlo_copy_leaves(to + count, hlo_operand_leaves(leaves, step, i), n);
        count += n;
    }
    return count;
}

void hlo_take_element_leaves(const hlo_plan_leaves *leaves, const hlo_plan_step *step,
                             uint32_t *to) {
    const hlo_shape *tuple = hlo_operand(step->instr, 0)->shape;
    int64_t index = hlo_attr_int(step->instr, HLO_ATTR_INDEX), first = 0;
    for (int64_t i = 0; i < index; i++) first += hlo_shape_leaf_count(tuple->elements[i]);
    HLO_ASSERT(index >= 0 && index < tuple->rank);
    hlo_copy_leaves(to, hlo_operand_leaves(leaves, step, 0) + first,
                    hlo_shape_leaf_count(step->instr->shape));
}

uint32_t hlo_first_argument_leaf(const hlo_plan_leaves *leaves, const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    uint32_t count = parameter->parent->parameter_count;
    int64_t number = hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER);
    return leaves->arguments[number >= 0 && number < count ? number : count];
}

bool hlo_is_whole_operand(const hlo_instr *instr) {
    if (!instr->operand_count) return false; /* stack-create */
    const hlo_shape *operand = hlo_operand(instr, 0)->shape;
    return hlo_shape_leaf_count(instr->shape) == hlo_shape_leaf_count(operand) &&
           hlo_tree_bytes(instr->shape) == hlo_tree_bytes(operand);
}

uint64_t hlo_tree_bytes(const hlo_shape *shape) {
    shape = hlo_shape_held(shape);
    int64_t bytes = hlo_shape_is_array(shape) ? hlo_shape_bytes(shape) : -1;
    uint64_t sum = bytes > 0 ? (uint64_t)bytes : 0;
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++)
        sum += hlo_tree_bytes(shape->elements[i]);
    return sum;
}
