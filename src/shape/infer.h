/* Shape inference: what an instruction's operands, attributes and called computations say about its
 * result. Called by the parser (a line may leave its shape out), the verifier, builders and passes.
 */
#ifndef HLO_SHAPE_INFER_H
#define HLO_SHAPE_INFER_H

#include "ir/ir.h"

/* What a shape is inferred from. The instruction need not exist yet. Attributes may stand in any
 * order, but carry the ids that their opcode lists. */
typedef struct {
    hlo_module
        *module; /* makes the result in its table; its replica counts rule over collectives */
    hlo_opcode opcode;
    uint32_t operand_count;
    const hlo_shape *const *operands; /* or NULL: the shapes of `defs` */
    hlo_instr *const *defs; /* the operands themselves, or NULL; notes point at them, and the rules
                               of async-update and async-done follow their chain */
    const hlo_attr *attrs;
    uint32_t attr_count;
    /* The shape as written or wanted. Opcodes whose result it decides (convert, reshape, iota,
     * infeed ...) check it and return it or what it implies; dot and convolution take its element
     * type; others ignore it. NULL: none. */
    const hlo_shape *stated;
    bool any_precision;   /* floating-point types may meet where the verifier may allow it */
    bool omitted_in_text; /* the text leaves the shape out: infer as little as XLA's parser does */
    hlo_span at;          /* the instruction's name: where errors are reported */
    hlo_source *source;   /* NULL: the module's */
    hlo_diags *diags;
} hlo_infer_request;

/* The inferred shape, or NULL after exactly one error. Layouts: elementwise results and whatever
 * passes data through take the operand's layout, transpose permutes it, the rest is default. The
 * result may differ from `stated`: comparing them is the verifier's job. */
const hlo_shape *hlo_infer(const hlo_infer_request *request);

/* The same for an instruction that exists; its own shape is the stated one. */
const hlo_shape *hlo_infer_instr(const hlo_instr *instr, bool any_precision, hlo_diags *diags);

#endif
