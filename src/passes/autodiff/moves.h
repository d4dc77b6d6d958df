/* Slices and paddings undone, for rules of operations that consist of them. */
#ifndef HLO_PASSES_AUTODIFF_MOVES_H
#define HLO_PASSES_AUTODIFF_MOVES_H

#include "passes/autodiff/formula.h"

hlo_instr *hlo_gradient_zero_scalar(hlo_gradient *g, const hlo_shape *of);
/* `c` where the slice of an array of that shape took it, zeros elsewhere. */
hlo_instr *hlo_gradient_unsliced(hlo_gradient *g, hlo_instr *c, const hlo_shape *shape,
                                 const hlo_slice *slice);
/* The part of `c` where the padded array of that shape stands, zeros for what negative padding has
 * cut off. */
hlo_instr *hlo_gradient_unpadded(hlo_gradient *g, hlo_instr *c, const hlo_shape *shape,
                                 const hlo_padding *padding);

#endif
