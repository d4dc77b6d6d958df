/* Products that leave the range of their type in some orders of their factors: 0 times what
 * overflowed is NaN, and what overflowed stays infinite however small the rest is. */
#include "differential/products.h"

#include <math.h>

#include "base/floats.h"
#include "differential/sums.h"
#include "ir/float_types.h"

/* ---- which ---- */

static bool multiplies(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_REDUCE && instr->opcode != HLO_OP_REDUCE_WINDOW &&
        instr->opcode != HLO_OP_SCATTER)
        return false;
    return hlo_called(instr, 0)->root->opcode == HLO_OP_MULTIPLY;
}

static bool has_infinity(hlo_type type) {
    const hlo_float_format *format = hlo_type_float_format(type);
    return format && isinf(hlo_float_to_double(format, hlo_float_from_double(format, INFINITY)));
}

/* ---- sizes of products, as logarithms in f64 ---- */

typedef enum {
    UP,     /* factors above 1 */
    DOWN,   /* below 1 */
    FINITE, /* as UP, without infinities */
    NONZERO /* as DOWN, without zeros */
} factors;

static hlo_instr *log_of(hlo_rewriter *r, hlo_instr *value, factors which) {
    hlo_type part = hlo_type_part((hlo_type)value->shape->type);
    const hlo_shape *reals = hlo_shape_with_type(&r->module->shapes, value->shape, part);
    hlo_instr *size = hlo_build_convert(r, hlo_emit_unary(r, HLO_OP_ABS, reals, value), HLO_F64);
    hlo_instr *log = hlo_build_unary(r, HLO_OP_LOG, size);
    hlo_instr *none = hlo_build_number(r, log->shape, 0);
    bool is_up = which == UP || which == FINITE;
    hlo_instr *cut = hlo_build_binary(r, is_up ? HLO_OP_MAXIMUM : HLO_OP_MINIMUM, log, none);
    if (which == UP || which == DOWN) return cut;
    hlo_instr *end = hlo_build_number(r, log->shape, is_up ? INFINITY : -INFINITY);
    return hlo_build_select(r, hlo_build_compare(r, log, end, "EQ"), none, cut);
}

/* Of the product of some of the factors. */
static hlo_instr *log_of_product(hlo_rewriter *r, const hlo_instr *instr, factors which) {
    hlo_instr **operands = hlo_malloc(instr->operand_count * sizeof *operands);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        operands[i] = hlo_operand(instr, i);
        if (operands[i]->shape->type == instr->shape->type)
            operands[i] = log_of(r, operands[i], which);
    }
    hlo_instr *sum = added_up(r, instr, operands);
    hlo_free(operands);
    return sum;
}

/* ---- whether the order matters ---- */

/* What the factors above 1 make overflows, and those below 1 bring the product back; complex
 * products that overflow are infinite or NaN. */
static hlo_instr *may_overflow(hlo_rewriter *r, const hlo_instr *instr,
                               const hlo_float_format *format) {
    double most = log(hlo_float_to_double(format, format->max_finite));
    hlo_instr *up = log_of_product(r, instr, FINITE);
    if (hlo_type_is_complex((hlo_type)instr->shape->type))
        return compared_with(r, up, "GT", most - log(4));
    hlo_instr *down = log_of_product(r, instr, DOWN);
    hlo_instr *overflows = compared_with(r, up, "GT", most);
    hlo_instr *returns = compared_with(r, hlo_build_binary(r, HLO_OP_ADD, up, down), "LE", most);
    return hlo_build_binary(r, HLO_OP_AND, overflows, returns);
}

/* The same of small numbers, which lose digits before they are zeros. */
static hlo_instr *may_underflow(hlo_rewriter *r, const hlo_instr *instr,
                                const hlo_float_format *format) {
    double normal = (1 - format->bias) * log(2), least = normal - format->mantissa_bits * log(2);
    hlo_instr *down = log_of_product(r, instr, NONZERO);
    hlo_instr *up = log_of_product(r, instr, UP);
    hlo_instr *underflows = compared_with(r, down, "LT", normal);
    hlo_instr *returns = compared_with(r, hlo_build_binary(r, HLO_OP_ADD, up, down), "GE", least);
    return hlo_build_binary(r, HLO_OP_AND, underflows, returns);
}

hlo_instr *product_in_any_order(hlo_rewriter *r, hlo_instr *instr, double other) {
    if (!multiplies(instr) || !hlo_shape_is_array(instr->shape) || instr->shape->dynamic ||
        !has_infinity((hlo_type)instr->shape->type))
        return instr;
    const hlo_float_format *format = hlo_type_float_format((hlo_type)instr->shape->type);
    hlo_instr *overflows = may_overflow(r, instr, format);
    hlo_instr *underflows = may_underflow(r, instr, format);
    hlo_instr *any = hlo_build_number(r, instr->shape, other);
    hlo_instr *may_be_any = hlo_build_binary(r, HLO_OP_OR, overflows, underflows);
    return hlo_build_select(r, may_be_any, any, instr);
}
