/* Combiners: the computation of reduce, reduce-window, scatter and select-and-scatter applied to
 * many lanes, by a plain lane function where the computation is a single instruction. Called by
 * these kernels. */
#ifndef HLO_EVAL_REF_COMBINE_H
#define HLO_EVAL_REF_COMBINE_H

#include "eval/eval.h"
#include "eval/ref/lanes.h"

typedef struct {
    uint32_t operands; /* accumulators; the computation takes twice as many */
    bool replaces;     /* the computation returns its second parameter */
    hlo_opcode opcode; /* the computation is this binary instruction, or HLO_OP_COUNT */
    hlo_lanes lanes;   /* with `opcode`: its lane function, of the operand's type */
    uint32_t bytes;    /* of an element of the first operand */
    const hlo_scalar_program *program; /* in all other cases */
    hlo_call *call;                    /* of old kernels */
} hlo_combiner;

/* The combiner of p->instr over `operands` accumulators whose computation is `computation`, which
 * takes accumulators before elements. Both are of the types of the results. False after an error,
 * which has been reported. It keeps nothing to be freed. */
bool hlo_combiner_prepare(hlo_combiner *combiner, hlo_preparation *p, hlo_computation *computation,
                          uint32_t operands);

/* The same for old kernels; to be freed. */
bool hlo_combiner_init(hlo_combiner *combiner, hlo_eval *eval, const hlo_instr *user,
                       hlo_computation *computation, uint32_t operands);
void hlo_combiner_free(hlo_combiner *combiner);

/* Whether several threads may combine at once. */
bool hlo_combiner_is_shared(const hlo_combiner *combiner);

/* For computations that are one associative instruction: makes the combiner work on accumulators
 * that keep long chains accurate, f64 for sums of floats, f32 for other results of small floats.
 * Returns their type, or HLO_TYPE_COUNT when the computation is something else. */
hlo_type hlo_combiner_promote(hlo_combiner *combiner);

/* accumulators[i][k] = combination of accumulators[i][k] and elements[i][k] for `n` lanes k and all
 * operands i together. False after an error, which has been reported. */
bool hlo_combine(const hlo_combiner *combiner, hlo_call *call, void *const *accumulators,
                 const void *const *elements, size_t n);

/* The lane function of a binary instruction on two arrays of `type`, which is none of the small
 * floats; `run` is NULL when there is none. */
hlo_lanes hlo_binary_lanes(hlo_opcode opcode, hlo_type type);

static inline void hlo_lanes_run2(const hlo_lanes *lanes, void *out, const void *a, const void *b,
                                  size_t n) {
    lanes->run(lanes, out, (const void *[]){a, b}, n);
}

/* Converts n elements from one type to the other; copies when they are the same. Every pair of
 * array types that verified operands and results of one op can have is there. */
void hlo_convert_elements(hlo_type from, hlo_type to, const void *source, void *target, size_t n);

#endif
