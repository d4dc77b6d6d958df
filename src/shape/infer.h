/* Shape inference: the shape of a result from the instruction's operands, attributes and called
 * computations. */
#ifndef HLO_SHAPE_INFER_H
#define HLO_SHAPE_INFER_H

#include "ir/draft.h"

/* The inferred shape, or NULL after exactly one error. Layouts: elementwise results and whatever
 * passes data through take the operand's layout, transpose permutes it, the rest is default. The
 * result may differ from the draft's shape, which only opcodes whose result it decides look at
 * (convert, reshape, iota, infeed ...): comparing them is the verifier's job. any_precision:
 * floating-point types may meet where the verifier may allow it. */
const hlo_shape *hlo_infer(const hlo_draft *draft, bool any_precision);

/* The same for an instruction that exists; its own shape is the stated one. */
const hlo_shape *hlo_infer_instr(const hlo_instr *instr, bool any_precision, hlo_diags *diags);

#endif
