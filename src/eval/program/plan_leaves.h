/* The leaves of the values of a plan's steps, as numbers whose meaning is the caller's: how they go
 * through tuples and their elements. */
#ifndef HLO_EVAL_PROGRAM_PLAN_LEAVES_H
#define HLO_EVAL_PROGRAM_PLAN_LEAVES_H

#include "eval/program/plan.h"

typedef struct {
    const hlo_plan *plan;
    uint32_t **of;       /* by step: a number for each leaf of its value, which the caller sets */
    uint32_t *arguments; /* by parameter: leaves of those before it */
} hlo_plan_leaves;

void hlo_plan_leaves_init(hlo_plan_leaves *leaves, const hlo_plan *plan, hlo_arena *arena);

const uint32_t *hlo_operand_leaves(const hlo_plan_leaves *leaves, const hlo_plan_step *step,
                                   uint32_t i);
/* The leaves of the operands from `first` on, one after the other. Returns their number. */
uint32_t hlo_join_operand_leaves(const hlo_plan_leaves *leaves, const hlo_plan_step *step,
                                 uint32_t first, uint32_t *to);
uint32_t hlo_operand_leaf_count(const hlo_instr *instr, uint32_t first);
/* Of a get-tuple-element. */
void hlo_take_element_leaves(const hlo_plan_leaves *leaves, const hlo_plan_step *step,
                             uint32_t *to);
/* The number of a parameter's first leaf among all of its computation. */
uint32_t hlo_first_argument_leaf(const hlo_plan_leaves *leaves, const hlo_instr *parameter);
/* Whether each leaf of the result is one of operand 0: no part of it, and nothing besides. */
bool hlo_is_whole_operand(const hlo_instr *instr);

static inline void hlo_copy_leaves(uint32_t *to, const uint32_t *from, uint32_t n) {
    if (n) memcpy(to, from, n * sizeof *to);
}

/* Bytes of the arrays of a shape, as far as they are known. */
uint64_t hlo_tree_bytes(const hlo_shape *shape);

#endif
