/* Small questions about instructions that several lint rules ask. */
#include "ir/float_types.h"
#include "lint/linter.h"

bool hlo_lint_moves_only(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_BITCAST: return instr->shape->type == hlo_operand(instr, 0)->shape->type;
    case HLO_OP_BROADCAST:
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE:
    case HLO_OP_TRANSPOSE: return true;
    default: return false;
    }
}

/* The value of a literal's only element; false for other literals. */
static bool single_value(const hlo_literal *literal, double *value) {
    const hlo_shape *shape = literal->shape;
    if (!hlo_shape_is_array(shape) || hlo_shape_elements(shape) != 1) return false;
    hlo_type type = (hlo_type)shape->type;
    unsigned bytes = hlo_types[type].bytes;
    if (hlo_type_is_complex(type)) return false;
    uint64_t bits = hlo_element_bits(hlo_literal_data(literal), bytes);
    if (hlo_type_is_float(type)) *value = hlo_float_decode(type, bits);
    else if (hlo_types[type].class == HLO_CLASS_SIGNED)
        *value = (double)((int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    else *value = (double)bits;
    return true;
}

/* Chains of conversions are short; the bound keeps the question cheap in any module. */
enum { CHAIN = 8 };

static const hlo_literal *literal_of(const hlo_instr *instr) {
    for (int i = 0; i < CHAIN; i++) {
        if (instr->opcode == HLO_OP_CONSTANT)
            return hlo_instr_attr(instr, HLO_ATTR_VALUE)->u.literal;
        bool passes = hlo_lint_moves_only(instr) || instr->opcode == HLO_OP_CONVERT;
        if (!passes || instr->operand_count != 1) return NULL;
        instr = hlo_operand(instr, 0);
    }
    return NULL;
}

bool hlo_lint_is_constant(const hlo_instr *instr, double value) {
    const hlo_literal *literal = literal_of(instr);
    double found;
    return literal && single_value(literal, &found) && found == value;
}

bool hlo_lint_integer(const hlo_instr *instr, int64_t *value) {
    const hlo_literal *literal = literal_of(instr);
    double found;
    if (!literal || !hlo_type_is_integral((hlo_type)literal->shape->type)) return false;
    if (!single_value(literal, &found) || found < -0x1p53 || found > 0x1p53) return false;
    *value = (int64_t)found;
    return true;
}
