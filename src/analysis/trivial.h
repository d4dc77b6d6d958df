/* Computations that one line describes: a root of one operation on parameters, or a tuple of such.
 */
#ifndef HLO_ANALYSIS_TRIVIAL_H
#define HLO_ANALYSIS_TRIVIAL_H

#include "ir/ir.h"

/* Whether it is one: it only defines what reduces, compares or updates. */
bool hlo_is_trivial(const hlo_computation *computation);
/* Appends that line: `add`, `a < b`, `subtract(b, a)`, `(add, maximum)`. The parameters are a and
 * b; of several values those of one side are a0, a1, ..., those of the other b0, b1, ... (sort: a0,
 * b0, a1, b1, ...). `computation` is trivial. */
void hlo_describe_trivial(hlo_buf *to, const hlo_instr *caller, const hlo_computation *computation);
/* What the computation that an attribute names is to the instruction: `reducer`, `comparator`,
 * `update`, or the attribute's name. */
const char *hlo_callee_role(const hlo_instr *caller, hlo_attr_id attr);

#endif
