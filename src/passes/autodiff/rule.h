/* What a rule of differentiation sees: the instruction, what has reached its result, and functions
 * that hand contributions on to its operands. Rules are in the files rules_*.c, one for each family
 * of operations. */
#ifndef HLO_PASSES_AUTODIFF_RULE_H
#define HLO_PASSES_AUTODIFF_RULE_H

#include "passes/pipeline/expression.h"

typedef struct hlo_scope hlo_scope; /* scope.h */

/* A cotangent is 0 wherever `source` is; if `is_due`, it may be nan there instead, since a slope
 * was, and has to be made 0 before elements meet others (guard.c). source NULL: nothing is known.
 */
typedef struct {
    hlo_instr *source;
    bool is_due;
} hlo_guard;

typedef struct hlo_gradient {
    hlo_rewriter *r;
    hlo_diags *diags;
    hlo_scope *scope; /* whose instructions are being walked */
    bool is_static;   /* arrays instead of stacks */
    hlo_guard guard;  /* of the cotangent whose rule runs */
} hlo_gradient;

/* Adds what the cotangent of the result gives to operands. `cotangent` has the result's shape; it
 * is NULL where the result is a tuple: see hlo_gradient_cotangent. False after hlo_gradient_refuse.
 *
 * A rule makes its instructions in the computation of the gradient, by the functions of
 * expression.h and formula.h with g->r. That need not be the computation of `instr`: in a loop or a
 * branch forward values come from elsewhere, and each one requested may cost a stack. So a rule
 * requests only what the operands that want something need.
 *
 * Complex numbers follow the convention of JAX's vjp: a cotangent is multiplied by the derivative,
 * without conjugating it. */
typedef bool hlo_gradient_rule(hlo_gradient *g, hlo_instr *instr, hlo_instr *cotangent);

#define HLO_GRADIENT(opcode, function, zeros) hlo_gradient_rule hlo_gradient_##function;
#include "passes/autodiff/rules.def"
#undef HLO_GRADIENT

/* The operand depends on a parameter that is differentiated by, and is floating (or a tuple with
 * such a leaf). What is added to others is ignored. */
bool hlo_gradient_is_needed(const hlo_gradient *g, const hlo_instr *instr, uint32_t operand);
bool hlo_gradient_leaf_is_needed(const hlo_gradient *g, const hlo_instr *value, uint32_t leaf);

/* The value that an instruction of the walked computation, one that is no tuple, has had. */
hlo_instr *hlo_gradient_value(hlo_gradient *g, hlo_instr *instr);
/* The same of an operand. */
hlo_instr *hlo_gradient_operand(hlo_gradient *g, const hlo_instr *instr, uint32_t operand);
/* The value of element i of a result that is a tuple; of an array: itself. */
hlo_instr *hlo_gradient_element(hlo_gradient *g, hlo_instr *instr, uint32_t i);
/* s32[]: the size that a dynamic dimension has had. Costs less than the value. */
hlo_instr *hlo_gradient_size(hlo_gradient *g, hlo_instr *instr, int64_t dimension);

/* What has reached a leaf (counted depth first) of the result; NULL: nothing, which is zero. */
hlo_instr *hlo_gradient_cotangent(const hlo_gradient *g, const hlo_instr *instr, uint32_t leaf);
/* The same with zeros for nothing. */
hlo_instr *hlo_gradient_cotangent_or_zeros(hlo_gradient *g, const hlo_instr *instr, uint32_t leaf);

/* Adds to the cotangent of an operand that is an array; NULL adds nothing. Floats of another type
 * than the operand's are converted. Where a mask
 * made the cotangent of the result 0, the contribution is 0 too, whatever slope it has. */
void hlo_gradient_add(hlo_gradient *g, hlo_instr *instr, uint32_t operand, hlo_instr *contribution);
/* Adds to a leaf of another instruction of the walked computation, on behalf of `instr`. */
void hlo_gradient_add_leaf(hlo_gradient *g, hlo_instr *instr, hlo_instr *to, uint32_t leaf,
                           hlo_instr *contribution);

/* An error at the instruction, with the path from the result over it to a parameter; `why` goes on
 * after "operation 'OPCODE' ". Returns false. */
bool hlo_gradient_refuse(hlo_gradient *g, const hlo_instr *instr, const char *why);
static inline bool hlo_gradient_refuse_dynamic(hlo_gradient *g, const hlo_instr *instr) {
    return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
}

/* Zeros as large as the value has been, dynamic sizes too. */
hlo_instr *hlo_gradient_zeros(hlo_gradient *g, hlo_instr *like);
/* Dimension i of `a` becomes dimension dims[i] of an array as large as `like` has been. */
hlo_instr *hlo_gradient_spread(hlo_gradient *g, hlo_instr *a, hlo_instr *like, const int64_t *dims);

#endif
