/* Sums whose terms leave the range of their type in some orders and not in others. */
#ifndef TESTS_DIFFERENTIAL_SUMS_H
#define TESTS_DIFFERENTIAL_SUMS_H

#include "passes/pipeline/expression.h"

/* With `other` in the place of each element of a sum (also of products, as dot has them) that
 * depends on the order of its terms; the instruction itself when it is none. */
hlo_instr *sum_in_any_order(hlo_rewriter *r, hlo_instr *instr, double other);

/* The instruction, which combines elements by a computation or multiplies and adds, with these
 * operands: it adds, in f64. */
hlo_instr *added_up(hlo_rewriter *r, const hlo_instr *instr, hlo_instr *const *operands);

/* Each element with one number, by a direction as compare has them. */
hlo_instr *compared_with(hlo_rewriter *r, hlo_instr *value, const char *direction, double number);

#endif
