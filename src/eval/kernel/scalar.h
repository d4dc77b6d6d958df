/* Scalar programs: a computation over scalars (a combiner, a comparator, a map body) run over many
 * lanes at a time. */
#ifndef HLO_EVAL_KERNEL_SCALAR_H
#define HLO_EVAL_KERNEL_SCALAR_H

#include "eval/kernel/kernel.h"

/* Programs are made by hlo_prepare_scalar, once per computation. Bodies that the register machine
 * does not cover (loops, conditionals) get one too: it calls the computation once per lane. */

/* Whether pieces of a hlo_parallel may run the program; if not, only the call's own thread may. */
bool hlo_scalar_is_shared(const hlo_scalar_program *program);

/* Flat leaves: parameter 0 first, tuples depth first. */
uint32_t hlo_scalar_input_count(const hlo_scalar_program *program);
uint32_t hlo_scalar_output_count(const hlo_scalar_program *program);
hlo_type hlo_scalar_input_type(const hlo_scalar_program *program, uint32_t i);
hlo_type hlo_scalar_output_type(const hlo_scalar_program *program, uint32_t i);

/* Whether the program takes two elements of each of the first n operands, in turn, and returns a
 * predicate of them: a sort's comparator, the select of select-and-scatter. */
bool hlo_scalar_is_comparator(const hlo_scalar_program *program, const hlo_instr *instr,
                              uint32_t n);

/* Runs `lanes` lanes (any number): lane k of output i is computed from lane k of every input.
 * inputs[i] points to `lanes` elements of the input's type, or to a single one when broadcast[i] is
 * true (`broadcast` NULL: none is). outputs[i] takes `lanes` elements; an output may be the
 * same array as an input (acc = op(acc, x)), other overlaps are not allowed. False after an error,
 * which has been reported. */
bool hlo_scalar_run(const hlo_scalar_program *program, hlo_call *call, const void *const *inputs,
                    const bool *broadcast, void *const *outputs, size_t lanes);

/* The opcode when the computation is exactly ROOT op(parameter 0, parameter 1), in either order
 * when the opcode is commutative; parameters and result have one element type. Else HLO_OP_COUNT.
 */
hlo_opcode hlo_scalar_binary_op(const hlo_computation *computation);
/* The same of one instruction, and what its operands shall be. */
hlo_opcode hlo_scalar_binary_of(const hlo_instr *instr, const hlo_instr *a, const hlo_instr *b);

#endif
