/* The verifier: every constraint on operations and on the module that parsing alone does not
 * settle, by the rules of XLA's plain verifier. Called by the public API and by passes in tests. */
#ifndef HLO_SHAPE_VERIFY_H
#define HLO_SHAPE_VERIFY_H

#include "ir/ir.h"

typedef struct {
    bool allow_mixed_precision; /* f32 and bf16 (any floating-point types) may meet in an
                                   instruction */
    bool allow_unbounded;       /* dimensions of unbounded size */
} hlo_verify_options;

/* What the plain verifier allows: nothing of that. */
extern const hlo_verify_options hlo_verify_plain;

/* Reports every error, in order of instructions. HLO_OK or HLO_BAD_MODULE. `options` may be NULL.
 * hlo_verify (hlo.h) is the same with NULL. */
hlo_status hlo_verify_with(hlo_module *module, const hlo_verify_options *options, hlo_diags *diags);

/* Only shapes: operand counts, written shapes against inferred ones, layouts, mixed precision. */
bool hlo_verify_shapes(hlo_module *module, hlo_diags *diags);

#endif
