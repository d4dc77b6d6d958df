/* operand_upcaster: matrix products and convolutions whose result has a wider type than their
 * operands get operands of that type. Patterns. */
#include "passes/pipeline/expression.h"
#include "shape/compatible.h"

/* The type that follows from the operands may widen to the result's, and something is narrower. */
static bool widens(const hlo_instr *instr) {
    hlo_type a = (hlo_type)hlo_operand(instr, 0)->shape->type;
    hlo_type b = (hlo_type)hlo_operand(instr, 1)->shape->type;
    hlo_type result = (hlo_type)instr->shape->type, natural = hlo_higher_precision(a, b);
    return (a != result || b != result) && hlo_higher_precision(natural, result) == result;
}

static hlo_instr *upcast(hlo_rewriter *r, hlo_instr *instr) {
    if (!widens(instr)) return NULL;
    hlo_instr *operands[2];
    for (uint32_t i = 0; i < 2; i++)
        operands[i] = hlo_build_convert(r, hlo_operand(instr, i), (hlo_type)instr->shape->type);
    return hlo_emit_like(r, instr, instr->shape, operands, 2);
}

hlo_instr *hlo_rewrite_upcast_dot(hlo_rewriter *r, hlo_instr *dot) {
    return upcast(r, dot);
}

hlo_instr *hlo_rewrite_upcast_convolution(hlo_rewriter *r, hlo_instr *convolution) {
    return upcast(r, convolution);
}
