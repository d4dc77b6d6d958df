/* Expressions of several operations, for rewrites that replace one operation by many: results have
 * their operands' sizes, so that code reads like the formula it makes. On top of emit.h. */
#ifndef HLO_PASSES_PIPELINE_EXPRESSION_H
#define HLO_PASSES_PIPELINE_EXPRESSION_H

#include "passes/pipeline/emit.h"

/* Instructions are made in the computation that is open: the target's, or the one between
 * hlo_build_open and hlo_build_close. Names show the order of creation, and C leaves open in which
 * order arguments are evaluated: at most one argument of a call makes something. */

/* ---- elementwise: the result has the first operand's shape ---- */
hlo_instr *hlo_build_unary(hlo_rewriter *r, hlo_opcode opcode, hlo_instr *a);
hlo_instr *hlo_build_binary(hlo_rewriter *r, hlo_opcode opcode, hlo_instr *a, hlo_instr *b);
hlo_instr *hlo_build_compare(hlo_rewriter *r, hlo_instr *a, hlo_instr *b, const char *direction);
hlo_instr *hlo_build_select(hlo_rewriter *r, hlo_instr *choice, hlo_instr *yes, hlo_instr *no);
/* The operand itself when it has the type already. */
hlo_instr *hlo_build_convert(hlo_rewriter *r, hlo_instr *a, hlo_type type);
/* Between types of the same width. */
hlo_instr *hlo_build_bitcast_convert(hlo_rewriter *r, hlo_instr *a, hlo_type type);
/* Arrays of one number with the shape of `like`: an integer, a real number, stored bits. */
hlo_instr *hlo_build_integer(hlo_rewriter *r, const hlo_shape *like, int64_t value);
hlo_instr *hlo_build_number(hlo_rewriter *r, const hlo_shape *like, double value);
hlo_instr *hlo_build_bits(hlo_rewriter *r, const hlo_shape *like, uint64_t bits);
/* The neutral element of add, multiply, minimum, maximum, and, or; NULL for other operations and
 * types. */
hlo_instr *hlo_build_neutral(hlo_rewriter *r, const hlo_shape *like, hlo_opcode opcode);

/* ---- arrays ---- */
hlo_instr *hlo_build_iota(hlo_rewriter *r, const hlo_shape *shape, int64_t dimension);
hlo_instr *hlo_build_reshape(hlo_rewriter *r, hlo_instr *a, const int64_t *sizes, uint32_t rank);
hlo_instr *hlo_build_transpose(hlo_rewriter *r, hlo_instr *a, const int64_t *order);
/* Dimension i of `a` becomes dimension dims[i] of a result with the sizes of `like`. */
hlo_instr *hlo_build_spread(hlo_rewriter *r, hlo_instr *a, const hlo_shape *like,
                            const int64_t *dims);
/* Elements start up to, and without, limit of one dimension. */
hlo_instr *hlo_build_slice(hlo_rewriter *r, hlo_instr *a, int64_t dimension, int64_t start,
                           int64_t limit);
/* low and high copies of the scalar `value` around one dimension; negative numbers cut. */
hlo_instr *hlo_build_pad(hlo_rewriter *r, hlo_instr *a, hlo_instr *value, int64_t dimension,
                         int64_t low, int64_t high);
hlo_instr *hlo_build_concatenate(hlo_rewriter *r, hlo_instr *const *parts, uint32_t n,
                                 int64_t dimension);
/* Over the dimensions, beginning with the neutral element; `opcode` as for hlo_build_neutral. */
hlo_instr *hlo_build_reduce(hlo_rewriter *r, hlo_instr *a, hlo_opcode opcode, const int64_t *dims,
                            uint32_t n);
/* One start per dimension, scalars of one integer type. */
hlo_instr *hlo_build_dynamic_slice(hlo_rewriter *r, hlo_instr *a, hlo_instr *const *starts,
                                   const int64_t *sizes);
hlo_instr *hlo_build_dynamic_update(hlo_rewriter *r, hlo_instr *a, hlo_instr *update,
                                    hlo_instr *const *starts);
/* [batch..., m, k] times [batch..., k, n]; with transpose_b: [batch..., n, k]. */
hlo_instr *hlo_build_matmul(hlo_rewriter *r, hlo_instr *a, hlo_instr *b, bool transpose_b);

/* ---- computations ---- */
/* A new computation whose body is made by what follows; to be closed in the reverse order. */
typedef struct {
    hlo_computation *computation;
    hlo_instr *outer; /* the target to go back to */
    hlo_instr *place;
} hlo_body;

hlo_body hlo_build_open(hlo_rewriter *r, const char *name);
hlo_instr *hlo_build_parameter(hlo_rewriter *r, const hlo_body *body, int64_t number,
                               const hlo_shape *shape);
hlo_computation *hlo_build_close(hlo_rewriter *r, const hlo_body *body, hlo_instr *root);

/* root(parameter 0, parameter 1) on scalars. */
hlo_computation *hlo_build_reducer(hlo_rewriter *r, hlo_opcode opcode, hlo_type type);
/* Calls the computation, or repeats a root that is one operation of its parameters. */
hlo_instr *hlo_build_call(hlo_rewriter *r, hlo_computation *callee, hlo_instr *const *operands,
                          uint32_t n);
hlo_instr *hlo_build_while(hlo_rewriter *r, hlo_computation *condition, hlo_computation *body,
                           hlo_instr *state);

/* A loop of `count` iterations over a state of arrays. `step` gets the iteration number
 * (s32[]) and the state, and overwrites it with the new state. Returns the first array of the last
 * state. */
typedef void hlo_loop_step(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                           void *context);
hlo_instr *hlo_build_loop(hlo_rewriter *r, int64_t count, hlo_instr *const *state, uint32_t n,
                          hlo_loop_step *step, void *context);
/* The same, and returns the last state: the iteration number and the arrays, as a tuple. */
hlo_instr *hlo_build_whole_loop(hlo_rewriter *r, int64_t count, hlo_instr *const *state, uint32_t n,
                                hlo_loop_step *step, void *context);

/* Gives a new instruction the very shape of what it replaces: same sizes, perhaps another layout.
 */
hlo_instr *hlo_build_as(hlo_instr *instr, const hlo_shape *shape);

#endif
