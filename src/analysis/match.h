/* What rewrites ask about instructions: constants and their values, single users, inverse
 * permutations. */
#ifndef HLO_ANALYSIS_MATCH_H
#define HLO_ANALYSIS_MATCH_H

#include "ir/ir.h"

/* The literal of a constant, or NULL. */
const hlo_literal *hlo_constant_of(const hlo_instr *instr);
/* One element when the instruction is an array of equal elements that are known: a constant, or the
 * broadcast of a scalar constant; else NULL. Zero-sized arrays have none. */
const void *hlo_splat_of(const hlo_instr *instr);
/* Every element is known and equals `value` (for complex types: and 0i). Zeros of either sign are
 * 0. */
bool hlo_is_all(const hlo_instr *instr, double value);
/* A scalar integer or pred constant (or a splat of one): its value. */
bool hlo_integer_of(const hlo_instr *instr, int64_t *value);
/* Element `i` of an array of integers or pred; false for other types and for numbers that int64_t
 * cannot hold. */
bool hlo_integer_at(const hlo_literal *literal, int64_t i, int64_t *value);
/* A splat of a real type as a number; false for 64-bit integers that a double cannot hold. */
bool hlo_number_of(const hlo_instr *instr, double *value);
/* The same for one stored element. */
bool hlo_element_number(hlo_type type, const void *element, double *value);

/* Every value of `from` is one of `to`: converting there and back changes nothing, not even which
 * NaN it is. */
bool hlo_type_holds(hlo_type to, hlo_type from);

/* An array of integers; pred is none. */
static inline bool hlo_is_integral(const hlo_instr *instr) {
    return hlo_type_is_integral((hlo_type)instr->shape->type);
}
/* Floats, not complex. */
static inline bool hlo_is_real(const hlo_instr *instr) {
    return hlo_type_is_float((hlo_type)instr->shape->type);
}
/* f8e8m0fnu has no sign: what is below zero is NaN there. */
static inline bool hlo_has_negatives(const hlo_instr *instr) {
    return instr->shape->type != HLO_F8E8M0FNU;
}
/* What a negation negates that another one undoes; NULL: it is none. */
static inline hlo_instr *hlo_negated(const hlo_instr *instr) {
    bool is = instr->opcode == HLO_OP_NEGATE && hlo_has_negatives(instr);
    return is ? hlo_operand(instr, 0) : NULL;
}
/* A power of two everywhere, of either sign: products with it do not round. */
bool hlo_is_power_of_two(const hlo_instr *instr);
/* One known factor that sums may be multiplied by instead of their terms: an integer (they wrap
 * around) or a power of two. */
bool hlo_is_exact_factor(const hlo_instr *instr);
/* Never below zero, nor a zero with a sign, nor a nan that has one; by shape and opcodes. */
bool hlo_is_non_negative(const hlo_instr *instr);

/* Combining it with a value by the operation gives that value (but for the sign of a zero). */
bool hlo_is_neutral(hlo_opcode opcode, const hlo_instr *instr);
/* The same with every bit: the sum of -0 and 0 is 0, so that only -0 is exactly neutral there. */
bool hlo_is_exactly_neutral(hlo_opcode opcode, const hlo_instr *instr);
/* More terms like that change no bit of what the operation makes of others and `init`: a sum with 0
 * in it is no -0. */
bool hlo_changes_nothing(hlo_opcode opcode, const hlo_instr *term, const hlo_instr *init);
/* No element is a negative zero; by type and opcodes. */
bool hlo_is_never_negative_zero(const hlo_instr *instr);
/* Combining values by the operation in any order gives the same bits, but those of nans. */
bool hlo_is_exact_in_any_order(hlo_opcode opcode, hlo_type type);

/* A tuple that only get-tuple-element uses, and that is not the root. */
bool hlo_is_only_taken_apart(const hlo_instr *tuple);
/* The operand's operand when the operand has that opcode, or NULL. */
static inline hlo_instr *hlo_inside(const hlo_instr *instr, hlo_opcode opcode) {
    hlo_instr *operand = hlo_operand(instr, 0);
    return operand->opcode == opcode ? hlo_operand(operand, 0) : NULL;
}
/* The scalar that a broadcast repeats, or NULL. */
static inline hlo_instr *hlo_repeated_scalar(const hlo_instr *instr) {
    bool fits = instr->opcode == HLO_OP_BROADCAST && hlo_operand(instr, 0)->shape->rank == 0;
    return fits ? hlo_operand(instr, 0) : NULL;
}
static inline const hlo_dim_labels *hlo_labels_of(const hlo_instr *convolution) {
    return hlo_instr_attr(convolution, HLO_ATTR_DIM_LABELS)->u.dim_labels;
}
static inline bool hlo_has_batching_dims(const hlo_instr *gather) {
    return hlo_attr_ints(gather, HLO_ATTR_OPERAND_BATCHING_DIMS)->n != 0;
}
/* Exactly one operand edge leads to it, and it is not the root. */
bool hlo_has_one_user(const hlo_instr *instr);

/* A gather or scatter one of whose batching dimensions has another role besides: the verifier, like
 * XLA's, lets it be, and it has no meaning. */
bool hlo_has_dim_of_two_roles(const hlo_instr *instr);

/* Whether the kernel is a tuple of values and their places, or an operand has another form of
 * sparsity. */
bool hlo_has_sparse_operand(const hlo_instr *convolution);

/* The first operand of a batch norm that is neither of the operand's shape nor a vector of its
 * features, as it should be; 0: none. The verifier, like XLA's, lets other ranks be. */
uint32_t hlo_misfit_of_norm(const hlo_instr *norm);

bool hlo_is_identity_order(const hlo_ints *order);
static inline bool hlo_is_effective_scalar(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) && hlo_shape_elements(shape) == 1;
}
/* Writes the inverse of a permutation. */
void hlo_invert_order(const hlo_ints *order, int64_t *inverse);

/* Dimensions of size 1 may come or go between the shapes, and no other: place[i] is the position of
 * dimension i of `from` in `to`, -1 when it is dropped. False when others change. */
bool hlo_follow_dims(const hlo_shape *from, const hlo_shape *to, int64_t *place);
/* The computation is root(parameter 0, parameter 1), in either order when that makes no difference:
 * the opcode of the root, or HLO_OP_COUNT. */
hlo_opcode hlo_binary_computation(const hlo_computation *computation);
/* The same of an instruction, and what its operands shall be. */
hlo_opcode hlo_binary_of(const hlo_instr *instr, const hlo_instr *a, const hlo_instr *b);
/* Of a computation that combines n values (parameters 0, 1 ...) with n others, as a reduce or a
 * scatter has it: the operation of parameters i and n + i that is result i; HLO_OP_PARAMETER:
 * parameter n + i itself; or HLO_OP_COUNT. */
hlo_opcode hlo_combiner_of(const hlo_computation *computation, uint32_t i, uint32_t n);

#endif
