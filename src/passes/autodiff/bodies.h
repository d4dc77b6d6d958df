/* Computations of gradients: of a loop's body, and of the branches of a conditional. */
#ifndef HLO_PASSES_AUTODIFF_BODIES_H
#define HLO_PASSES_AUTODIFF_BODIES_H

#include "passes/autodiff/threads.h"

/* Opens the computation that is the gradient of a scope, which has a tuple as parameter: elements
 * are added as they are needed. What is made next belongs there. */
hlo_body hlo_open_gradient(hlo_gradient *g, hlo_scope *scope, const char *name);
/* Ends it with a tuple. After that the scope may have more threads; NULL after an error. */
hlo_instr *hlo_end_gradient(hlo_gradient *g, hlo_scope *scope, hlo_instr *const *results,
                            uint32_t n);
/* Results of threads come after the others. What is made next belongs to the gradient of the
 * parent. */
hlo_computation *hlo_close_gradient(hlo_gradient *g, hlo_scope *scope, const hlo_body *body,
                                    hlo_instr *root, hlo_instr *const *more, uint32_t n);
/* The tuple that goes in, in the gradient of the parent. */
hlo_instr *hlo_gradient_arguments(hlo_gradient *g, hlo_scope *scope);

/* Whatever of it has another layout gets that of the shape. */
hlo_instr *hlo_in_shape(hlo_gradient *g, hlo_instr *value, const hlo_shape *shape);
/* Zeros for the gradient of an instruction of the scope, when its array has no dynamic sizes; else
 * made outside, of what goes in as `outer`. */
hlo_instr *hlo_zeros_inside(hlo_gradient *g, hlo_scope *scope, hlo_instr *outer);

#endif
