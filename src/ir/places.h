/* Where the parts of an instruction stand in the text that its module was read from. A module knows
 * where its names and attributes begin; the rest is found by reading the line again, when an error
 * is shown, by what the parser leaves in hlo_module.locator. */
#ifndef HLO_IR_PLACES_H
#define HLO_IR_PLACES_H

#include "ir/ir.h"

/* How a form of text is read again. Each function returns `name`, the span of the instruction's
 * name, when the part cannot be found or does not stand on the same line: a message is to be found
 * at its instruction. */
struct hlo_locator {
    hlo_span (*operand)(const hlo_source *source, hlo_span name, uint32_t operand);
    hlo_span (*shape)(const hlo_source *source, hlo_span name); /* the result's, as written */
    hlo_span (*attr)(const hlo_source *source, hlo_span name,
                     const hlo_attr *attr);                             /* NAME=VALUE */
    hlo_span (*header)(const hlo_source *source, const hlo_attr *attr); /* of the module; or 0,0 */
};

/* The same for a module; `name`, or 0,0 for an attribute of the header, when it has no text or none
 * that can be read again. `attr` may be NULL. */
hlo_span hlo_place_of_operand(const hlo_module *module, hlo_span name, uint32_t operand);
hlo_span hlo_place_of_shape(const hlo_module *module, hlo_span name);
hlo_span hlo_place_of_attr(const hlo_module *module, hlo_span name, const hlo_attr *attr);
hlo_span hlo_place_of_header(const hlo_module *module, const hlo_attr *attr);

/* Says of the newest finding, when it is kept, that it is in this instruction (or NULL), or only in
 * this computation. */
void hlo_place_finding(hlo_diags *diags, const hlo_computation *computation,
                       const hlo_name *instruction);

#endif
