/* Values of a loop's body or a branch that its gradient needs and that nothing outside knows. While
 * the gradient is made, an instruction that computes nothing holds the place of each. At the end it
 * is known what they are used for, and what to keep of them. */
#ifndef HLO_PASSES_AUTODIFF_RESIDUALS_H
#define HLO_PASSES_AUTODIFF_RESIDUALS_H

#include "passes/autodiff/scope.h"

/* What holds the place of the value of an instruction of g->scope's computation. */
hlo_instr *hlo_hold_place(hlo_gradient *g, hlo_instr *instr);
/* Puts values where places were held; false after an error. */
bool hlo_fill_places(hlo_gradient *g, hlo_scope *scope);

#endif
