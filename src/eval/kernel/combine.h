/* Combiners: the computation of reduce, reduce-window, scatter and select-and-scatter applied to
 * many lanes, by a plain lane function where the computation is a single instruction. */
#ifndef HLO_EVAL_KERNEL_COMBINE_H
#define HLO_EVAL_KERNEL_COMBINE_H

#include "eval/kernel/kernel.h"
#include "eval/kernel/lanes.h"

typedef struct {
    uint32_t operands; /* accumulators; the computation takes twice as many */
    bool replaces;     /* the computation returns its second parameter */
    hlo_opcode opcode; /* the computation is this binary instruction, or HLO_OP_COUNT */
    hlo_lanes lanes;   /* with `opcode`: its lane function, of the operand's type */
    uint32_t bytes;    /* of an element of the first operand */
    const hlo_scalar_program *program; /* in all other cases */
} hlo_combiner;

/* The combiner of p->instr over `operands` accumulators whose computation is `computation`, which
 * takes accumulators before elements. Both are of the types of the results. False after an error,
 * which has been reported. It keeps nothing to be freed. */
bool hlo_combiner_prepare(hlo_combiner *combiner, hlo_preparation *p, hlo_computation *computation,
                          uint32_t operands);

/* The combiner of a computation that is one instruction of operands of `type`; false: it is
 * another. `plain` as in hlo_lanes_find. */
bool hlo_combiner_of_one(hlo_combiner *combiner, const hlo_computation *computation, hlo_type type,
                         bool plain);

/* The same of one instruction of a computation, whose operands are its parameters a and b. */
bool hlo_combiner_of_pair(hlo_combiner *combiner, const hlo_instr *instr, const hlo_instr *a,
                          const hlo_instr *b, hlo_type type, bool plain);

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

/* Memory for accumulators of `type` that become the elements of a result: its own when it is of the
 * type, else scratch memory. */
typedef struct {
    hlo_type type, result;
    int64_t elements;
    size_t at; /* offset in the kernel's scratch memory */
} hlo_accumulators;

void hlo_prepare_accumulators(hlo_preparation *p, hlo_accumulators *accumulators,
                              const hlo_shape *result, hlo_type type);
/* The memory, uninitialised; `out` is the result. */
void *hlo_accumulators_at(const hlo_accumulators *accumulators, const hlo_call *call,
                          hlo_value *out);
/* The accumulators, each of them the scalar `init`. */
void *hlo_accumulators_start(const hlo_accumulators *accumulators, const hlo_call *call,
                             hlo_value *out, const hlo_value *init);
/* Converts those at `from` to the result's elements, unless they are there already. */
void hlo_accumulators_finish(const hlo_accumulators *accumulators, hlo_value *out,
                             const void *from);

/* The same of elements [first, last). */
void hlo_accumulators_finish_part(const hlo_accumulators *accumulators, hlo_value *out,
                                  const void *from, int64_t first, int64_t last);

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
