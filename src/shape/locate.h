/* Where the parts of an instruction stand in its text: found by reading its line again, only when
 * an error is shown. Called by shape inference and the verifier. */
#ifndef HLO_SHAPE_LOCATE_H
#define HLO_SHAPE_LOCATE_H

#include "ir/ir.h"

/* Each returns `name`, the span of the instruction's name, when the part cannot be found or does
 * not stand on the same line: a message is to be found at its instruction. */
hlo_span hlo_locate_operand(hlo_source *source, hlo_span name, uint32_t operand);
hlo_span hlo_locate_shape(hlo_source *source,
                          hlo_span name); /* the result's, where it is written */
hlo_span hlo_locate_opcode(hlo_source *source, hlo_span name);
hlo_span hlo_locate_attr(hlo_source *source, hlo_span name, const hlo_attr *attr); /* NAME=VALUE */

/* The same for an attribute of the module header; 0,0 when it was not written. */
hlo_span hlo_locate_header(hlo_source *source, const hlo_attr *attr);

#endif
