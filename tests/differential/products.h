/* Products whose factors leave the range of their type in some orders and not in others. */
#ifndef TESTS_DIFFERENTIAL_PRODUCTS_H
#define TESTS_DIFFERENTIAL_PRODUCTS_H

#include "passes/pipeline/expression.h"

/* With `other` in the place of each element of a product that depends on the order of its factors;
 * the instruction itself when it is none. */
hlo_instr *product_in_any_order(hlo_rewriter *r, hlo_instr *instr, double other);

#endif
