/* What a text shows of the dialects of the operation semantics, whose editions of 2018 to 2025 have
 * forms that plain HLO does not have. */
#ifndef HLO_SHAPE_DIALECTS_H
#define HLO_SHAPE_DIALECTS_H

#include "ir/ir.h"

typedef enum {
    HLO_DIALECT_OPCODE,
    HLO_DIALECT_ATTRIBUTE,
    HLO_DIALECT_VALUE,
    HLO_DIALECT_MISSING,
    HLO_DIALECT_COUNT,
    HLO_DIALECT_SHAPE,
} hlo_dialect_form;

/* When a row of dialects.def has this form: gives the newest error the rule of that row and a hint
 * that names the dialects and the plain form. `op` is HLO_OP_COUNT for an unknown opcode. */
bool hlo_dialect_claims(hlo_diags *diags, hlo_dialect_form form, hlo_opcode op, const char *word,
                        size_t n);

#endif
