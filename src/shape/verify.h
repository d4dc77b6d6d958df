/* The verifier: every constraint on operations and on the module that parsing alone does not
 * settle, by the rules of XLA's plain verifier. */
#ifndef HLO_SHAPE_VERIFY_H
#define HLO_SHAPE_VERIFY_H

#include <hlo/verify.h>

#include "ir/ir.h"

/* The rows of verify_options.def. The public name is that of hlo.h. */
struct hlo_verify_options {
#define HLO_VERIFY_SWITCH(member, name, fallback, text) bool member;
#define HLO_VERIFY_OPERATIONS(member, name, text) bool member[HLO_OP_COUNT];
#include "shape/verify_options.def"
#undef HLO_VERIFY_SWITCH
#undef HLO_VERIFY_OPERATIONS
};

/* The defaults: XLA's plain verifier. */
extern const hlo_verify_options hlo_verify_plain;

/* Adds the operations that a text lists to an option of the group OPERATIONS. */
hlo_status hlo_verify_options_add(hlo_verify_options *options, const char *name, hlo_source *list,
                                  hlo_diags *diags);

/* Only shapes: operand counts, written shapes against inferred ones, layouts, mixed precision. */
bool hlo_verify_shapes(hlo_module *module, hlo_diags *diags);
/* Whether the plain verifier takes the shapes of the instruction and of its operands: it mixes no
 * floating-point types where its kernel takes one. */
bool hlo_has_plain_shapes(const hlo_instr *instr);

#endif
