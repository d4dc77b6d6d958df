/* A combiner computation applied to one set of elements at a time: an element for each operand into
 * an accumulator for each operand. */
#ifndef HLO_EVAL_REF_FOLD_H
#define HLO_EVAL_REF_FOLD_H

#include "eval/kernel/scalar.h"

typedef struct {
    uint32_t operands;
    const hlo_scalar_program *program; /* (accumulators, elements) -> accumulators */
    const hlo_type *types;             /* of the accumulators, by operand */
    /* ADD for sums of floats, MULTIPLY for products of floats that are smaller than f32: their
     * accumulator is a double, so that long chains stay accurate. Else HLO_OP_COUNT. */
    hlo_opcode in_double;
    size_t values_at;   /* in scratch memory: accumulators, then elements, 16 bytes each */
    size_t pointers_at; /* to them */
} hlo_plain_fold;

/* Element i of a tuple; an array is its own only element. */
static inline const hlo_shape *hlo_plain_part(const hlo_shape *shape, uint32_t i) {
    return hlo_shape_is_tuple(shape) ? shape->elements[i] : shape;
}

/* The fold of p->instr, whose accumulators have the types of its results. False after an error,
 * which has been reported. */
bool hlo_plain_fold_prepare(hlo_plain_fold *fold, hlo_preparation *p, hlo_computation *computation,
                            uint32_t operands);

/* Sets each operand's accumulator to element `at` of its value in `from`. */
void hlo_plain_fold_start(const hlo_plain_fold *fold, const hlo_call *call, hlo_value *const *from,
                          int64_t at);
/* Combines the accumulators with element `at` of each value. False after an error. */
bool hlo_plain_fold_add(const hlo_plain_fold *fold, hlo_call *call, hlo_value *const *elements,
                        int64_t at);
/* Stores the accumulators as element `at` of each result. */
void hlo_plain_fold_end(const hlo_plain_fold *fold, const hlo_call *call, hlo_value *const *results,
                        int64_t at);

#endif
