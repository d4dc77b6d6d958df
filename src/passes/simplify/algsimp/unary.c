/* algsimp: operations on one array that undo, repeat or see through another. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

hlo_instr *hlo_rewrite_negate_negate(hlo_rewriter *r, hlo_instr *negate) {
    (void)r;
    return hlo_negated(hlo_operand(negate, 0));
}

hlo_instr *hlo_rewrite_not_not(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return hlo_inside(instr, HLO_OP_NOT);
}

hlo_instr *hlo_rewrite_abs_of_negate(hlo_rewriter *r, hlo_instr *abs) {
    hlo_instr *a = hlo_negated(hlo_operand(abs, 0));
    return a ? hlo_emit_unary(r, HLO_OP_ABS, abs->shape, a) : NULL;
}

hlo_instr *hlo_rewrite_abs_of_non_negative(hlo_rewriter *r, hlo_instr *abs) {
    (void)r;
    hlo_instr *a = hlo_operand(abs, 0);
    bool is_complex = hlo_type_is_complex((hlo_type)a->shape->type);
    return !is_complex && hlo_is_non_negative(a) ? a : NULL;
}

hlo_instr *hlo_rewrite_exponential_zero(hlo_rewriter *r, hlo_instr *exponential) {
    bool fits = hlo_is_all(hlo_operand(exponential, 0), 0);
    return fits ? hlo_emit_filled(r, exponential->shape, 1) : NULL;
}

/* ---- rounding twice ---- */

hlo_instr *hlo_rewrite_rounded_already(hlo_rewriter *r, hlo_instr *round) {
    (void)r;
    switch ((hlo_opcode)hlo_operand(round, 0)->opcode) {
    case HLO_OP_FLOOR:
    case HLO_OP_CEIL:
    case HLO_OP_ROUND_NEAREST_AFZ:
    case HLO_OP_ROUND_NEAREST_EVEN: return hlo_operand(round, 0);
    case HLO_OP_CONVERT:
        return hlo_is_integral(hlo_operand(hlo_operand(round, 0), 0)) ? hlo_operand(round, 0)
                                                                      : NULL;
    default: return NULL;
    }
}

/* ---- complex numbers ---- */

hlo_instr *hlo_rewrite_real_of_complex(hlo_rewriter *r, hlo_instr *real) {
    (void)r;
    return hlo_inside(real, HLO_OP_COMPLEX);
}

hlo_instr *hlo_rewrite_imag_of_complex(hlo_rewriter *r, hlo_instr *imag) {
    (void)r;
    hlo_instr *complex = hlo_operand(imag, 0);
    return complex->opcode == HLO_OP_COMPLEX ? hlo_operand(complex, 1) : NULL;
}

hlo_instr *hlo_rewrite_real_of_real(hlo_rewriter *r, hlo_instr *real) {
    (void)r;
    bool is_complex = hlo_type_is_complex((hlo_type)hlo_operand(real, 0)->shape->type);
    return is_complex ? NULL : hlo_operand(real, 0);
}

hlo_instr *hlo_rewrite_imag_of_real(hlo_rewriter *r, hlo_instr *imag) {
    hlo_type type = (hlo_type)hlo_operand(imag, 0)->shape->type;
    bool has_zero = type != HLO_F8E8M0FNU; /* whose bits 0 are the least number */
    return hlo_type_is_complex(type) || !has_zero ? NULL : hlo_emit_filled(r, imag->shape, 0);
}

hlo_instr *hlo_rewrite_complex_of_parts(hlo_rewriter *r, hlo_instr *complex) {
    (void)r;
    const hlo_instr *real = hlo_operand(complex, 0), *imag = hlo_operand(complex, 1);
    bool fits = real->opcode == HLO_OP_REAL && imag->opcode == HLO_OP_IMAG &&
                hlo_operand(real, 0) == hlo_operand(imag, 0);
    return fits ? hlo_operand(real, 0) : NULL;
}

/* ---- conversions ---- */

hlo_instr *hlo_rewrite_operand_of_same_shape(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return hlo_operand(instr, 0)->shape == instr->shape ? hlo_operand(instr, 0) : NULL;
}

hlo_instr *hlo_rewrite_convert_there_and_back(hlo_rewriter *r, hlo_instr *convert) {
    (void)r;
    hlo_instr *inner = hlo_operand(convert, 0), *a = hlo_inside(convert, HLO_OP_CONVERT);
    if (!a || a->shape != convert->shape) return NULL;
    return hlo_type_holds((hlo_type)inner->shape->type, (hlo_type)a->shape->type) ? a : NULL;
}

hlo_instr *hlo_rewrite_convert_of_widened(hlo_rewriter *r, hlo_instr *convert) {
    hlo_instr *inner = hlo_operand(convert, 0), *a = hlo_inside(convert, HLO_OP_CONVERT);
    if (!a || a->shape->type == convert->shape->type || a->shape->type == HLO_PRED) return NULL;
    if (hlo_type_is_integral((hlo_type)convert->shape->type) &&
        !hlo_type_is_integral((hlo_type)inner->shape->type))
        return NULL; /* floats saturate where integers wrap around */
    if (!hlo_type_holds((hlo_type)inner->shape->type, (hlo_type)a->shape->type)) return NULL;
    return hlo_emit_unary(r, HLO_OP_CONVERT, convert->shape, a);
}

hlo_instr *hlo_rewrite_bitcast_convert_twice(hlo_rewriter *r, hlo_instr *convert) {
    hlo_instr *a = hlo_inside(convert, HLO_OP_BITCAST_CONVERT);
    if (!a || a->shape->rank != convert->shape->rank) return NULL;
    if (hlo_types[a->shape->type].bits != hlo_types[convert->shape->type].bits ||
        a->shape->rank != hlo_operand(convert, 0)->shape->rank)
        return NULL;
    if (a->shape == convert->shape) return a;
    return hlo_emit_unary(r, HLO_OP_BITCAST_CONVERT, convert->shape, a);
}

hlo_instr *hlo_rewrite_copy_of_copy(hlo_rewriter *r, hlo_instr *copy) {
    hlo_instr *a = hlo_inside(copy, HLO_OP_COPY);
    return a ? hlo_emit_unary(r, HLO_OP_COPY, copy->shape, a) : NULL;
}

/* Rounds to no fewer bits than the type has. */
hlo_instr *hlo_rewrite_reduce_precision_to_own(hlo_rewriter *r, hlo_instr *reduce) {
    (void)r;
    const hlo_type_info *type = &hlo_types[reduce->shape->type];
    bool fits = (reduce->shape->type == HLO_F32 || reduce->shape->type == HLO_F64 ||
                 reduce->shape->type == HLO_F16 || reduce->shape->type == HLO_BF16) &&
                hlo_attr_int(reduce, HLO_ATTR_EXPONENT_BITS) == type->exponent_bits &&
                hlo_attr_int(reduce, HLO_ATTR_MANTISSA_BITS) == type->mantissa_bits;
    return fits ? hlo_operand(reduce, 0) : NULL;
}

/* ---- types around an operation ---- */

/* Integers of which only the low bits are kept: those of sums and products depend on no others. */
static bool needs_low_bits_only(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_ADD:
    case HLO_OP_SUBTRACT:
    case HLO_OP_MULTIPLY:
    case HLO_OP_AND:
    case HLO_OP_OR:
    case HLO_OP_XOR: return hlo_is_integral(instr) && hlo_has_one_user(instr);
    default: return false;
    }
}

/* convert(op(convert(a), convert(b))) to the type of a and b, which is narrower. */
hlo_instr *hlo_rewrite_convert_around_integers(hlo_rewriter *r, hlo_instr *convert) {
    const hlo_instr *op = hlo_operand(convert, 0);
    const hlo_type_info *narrow = &hlo_types[convert->shape->type];
    const hlo_type_info *wide = &hlo_types[op->shape->type];
    if (!needs_low_bits_only(op) || !hlo_is_integral(convert) || narrow->bits >= wide->bits ||
        narrow->bits < 8)
        return NULL;
    hlo_instr *operands[2];
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_instr *inner = hlo_operand(op, i);
        if (inner->opcode != HLO_OP_CONVERT) return NULL;
        operands[i] = hlo_operand(inner, 0);
        if (operands[i]->shape->type != convert->shape->type) return NULL;
    }
    return hlo_emit_binary(r, (hlo_opcode)op->opcode, convert->shape, operands[0], operands[1]);
}

/* Each part was made of the type that all of it becomes. */
hlo_instr *hlo_rewrite_bitcast_convert_of_parts(hlo_rewriter *r, hlo_instr *bitcast) {
    const hlo_instr *concatenate = hlo_operand(bitcast, 0);
    if (concatenate->opcode != HLO_OP_CONCATENATE ||
        concatenate->shape->rank != bitcast->shape->rank)
        return NULL;
    uint32_t n = concatenate->operand_count;
    for (uint32_t i = 0; i < n; i++) {
        const hlo_instr *part = hlo_operand(concatenate, i);
        if (part->opcode != HLO_OP_BITCAST_CONVERT ||
            hlo_operand(part, 0)->shape->type != bitcast->shape->type)
            return NULL;
    }
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    for (uint32_t i = 0; i < n; i++) parts[i] = hlo_operand(hlo_operand(concatenate, i), 0);
    hlo_instr *by = hlo_emit_like(r, concatenate, bitcast->shape, parts, n);
    hlo_free(parts);
    return by;
}

hlo_instr *hlo_rewrite_reduce_precision_twice(hlo_rewriter *r, hlo_instr *reduce) {
    (void)r;
    hlo_instr *inner = hlo_operand(reduce, 0);
    bool fits =
        inner->opcode == HLO_OP_REDUCE_PRECISION &&
        hlo_attr_int(inner, HLO_ATTR_EXPONENT_BITS) ==
            hlo_attr_int(reduce, HLO_ATTR_EXPONENT_BITS) &&
        hlo_attr_int(inner, HLO_ATTR_MANTISSA_BITS) == hlo_attr_int(reduce, HLO_ATTR_MANTISSA_BITS);
    return fits ? inner : NULL;
}
