/* Scalar programs: a computation over scalars (a combiner, a comparator, a map body) run over many
 * lanes at a time. Called by the kernels of reduce, reduce-window, select-and-scatter, scatter,
 * sort, scan and map. */
#ifndef HLO_EVAL_SCALAR_H
#define HLO_EVAL_SCALAR_H

#include "eval/eval.h"

typedef struct hlo_scalar_program hlo_scalar_program;

/* The program of a computation whose parameter leaves and result leaves are scalars. Made once per
 * computation, owned by `eval`. Bodies that the register machine does not cover (loops,
 * conditionals) still get a program: it calls the computation once per lane. NULL after reporting
 * an error at `user`: a leaf is not a scalar. */
hlo_scalar_program *hlo_scalar_compile(hlo_eval *eval, const hlo_instr *user,
                                       hlo_computation *computation);

/* Frees what is not the evaluator's own; NULL is fine. */
void hlo_scalar_free(hlo_scalar_program *program);
/* Whether several threads may run the program at once. */
bool hlo_scalar_is_shared(const hlo_scalar_program *program);

/* Flat leaves: parameter 0 first, tuples depth first. */
uint32_t hlo_scalar_input_count(const hlo_scalar_program *program);
uint32_t hlo_scalar_output_count(const hlo_scalar_program *program);
hlo_type hlo_scalar_input_type(const hlo_scalar_program *program, uint32_t i);
hlo_type hlo_scalar_output_type(const hlo_scalar_program *program, uint32_t i);

/* Runs `lanes` lanes (any number): lane k of output i is computed from lane k of every input.
 * inputs[i] points to `lanes` elements of the input's type, or to a single one when broadcast[i] is
 * true (`broadcast` NULL: none is). outputs[i] has room for `lanes` elements; an output may be the
 * same array as an input (acc = op(acc, x)), other overlaps are not allowed. False after an error,
 * which has been reported. */
bool hlo_scalar_run(hlo_scalar_program *program, const void *const *inputs, const bool *broadcast,
                    void *const *outputs, size_t lanes);

/* The opcode when the computation is exactly ROOT op(parameter 0, parameter 1), in either order
 * when the opcode is commutative; parameters and result have one element type. Else HLO_OP_COUNT.
 */
hlo_opcode hlo_scalar_binary_op(const hlo_computation *computation);

#endif
