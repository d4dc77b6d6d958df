/* Arithmetic of folding on single elements: whole numbers of the type's width, floats by way of
 * double, which holds every narrower result of one operation well enough that rounding it again
 * gives what rounding once would. */
#include "stablehlo/dense.h"

#include <math.h>

#include "ir/float_types.h"

/* ---- whole numbers ---- */

static uint64_t cut(uint64_t bits, unsigned width) {
    return width >= 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static int64_t with_sign(uint64_t bits, unsigned width) {
    unsigned rest = 64 - width;
    return (int64_t)(bits << rest) >> rest;
}

static bool is_unsigned(hlo_type type) {
    return hlo_types[type].class == HLO_CLASS_UNSIGNED;
}

static bool divide(hlo_type type, bool wants_rest, uint64_t a, uint64_t b, uint64_t *out) {
    unsigned width = hlo_width(type);
    if (!b) return false;
    if (is_unsigned(type)) {
        *out = wants_rest ? a % b : a / b;
        return true;
    }
    int64_t x = with_sign(a, width), y = with_sign(b, width);
    if (y == -1) *out = wants_rest ? 0 : cut(-(uint64_t)x, width);
    else *out = cut((uint64_t)(wants_rest ? x % y : x / y), width);
    return true;
}

static bool whole_two(hlo_mlir_op_id op, hlo_type type, uint64_t a, uint64_t b, uint64_t *out) {
    unsigned width = hlo_width(type);
    bool is_less =
        is_unsigned(type) || type == HLO_PRED ? a < b : with_sign(a, width) < with_sign(b, width);
    switch (op) {
    case HLO_MLIR_OP_STABLEHLO_ADD: *out = cut(a + b, width); return true;
    case HLO_MLIR_OP_STABLEHLO_SUBTRACT: *out = cut(a - b, width); return true;
    case HLO_MLIR_OP_STABLEHLO_MULTIPLY: *out = cut(a * b, width); return true;
    case HLO_MLIR_OP_STABLEHLO_AND: *out = a & b; return true;
    case HLO_MLIR_OP_STABLEHLO_OR: *out = a | b; return true;
    case HLO_MLIR_OP_STABLEHLO_XOR: *out = a ^ b; return true;
    case HLO_MLIR_OP_STABLEHLO_MAXIMUM: *out = is_less ? b : a; return true;
    case HLO_MLIR_OP_STABLEHLO_MINIMUM: *out = is_less ? a : b; return true;
    case HLO_MLIR_OP_STABLEHLO_DIVIDE: return divide(type, false, a, b, out);
    case HLO_MLIR_OP_STABLEHLO_REMAINDER: return divide(type, true, a, b, out);
    default: return false;
    }
}

static bool whole_one(hlo_mlir_op_id op, hlo_type type, uint64_t a, uint64_t *out) {
    unsigned width = hlo_width(type);
    int64_t value = with_sign(a, width);
    switch (op) {
    case HLO_MLIR_OP_STABLEHLO_ABS: *out = value < 0 ? cut(-a, width) : a; return true;
    case HLO_MLIR_OP_STABLEHLO_NEGATE: *out = cut(-a, width); return true;
    case HLO_MLIR_OP_STABLEHLO_NOT: *out = cut(~a, width); return true;
    case HLO_MLIR_OP_STABLEHLO_SIGN:
        if (is_unsigned(type)) return false;
        *out = value < 0 ? cut(UINT64_MAX, width) : value > 0;
        return true;
    default: return false;
    }
}

/* ---- floats ---- */

/* The bits with which a nan does not signal. */
static uint64_t quiet(const hlo_float_format *format, uint64_t bits) {
    if (format->specials != HLO_FLOAT_IEEE) return bits;
    return bits | UINT64_C(1) << (format->mantissa_bits - 1);
}

bool hlo_bits_are_nan(hlo_type type, uint64_t bits) {
    return isnan(hlo_float_decode(type, bits));
}

static uint64_t encode(const hlo_float_format *format, double value) {
    return isnan(value) ? format->nan : hlo_float_from_double(format, value);
}

static bool float_extreme(bool greatest, hlo_type type, uint64_t a, uint64_t b, uint64_t *out) {
    double x = hlo_float_decode(type, a), y = hlo_float_decode(type, b);
    if (x == 0 && y == 0) *out = !signbit(x) == greatest ? a : b;
    else *out = (x < y) == greatest ? b : a;
    return true;
}

static bool float_two(hlo_mlir_op_id op, hlo_type type, uint64_t a, uint64_t b, uint64_t *out) {
    const hlo_float_format *format = hlo_type_float_format(type);
    double x = hlo_float_decode(type, a), y = hlo_float_decode(type, b), result;
    switch (op) {
    case HLO_MLIR_OP_STABLEHLO_ADD: result = x + y; break;
    case HLO_MLIR_OP_STABLEHLO_SUBTRACT: result = x - y; break;
    case HLO_MLIR_OP_STABLEHLO_MULTIPLY: result = x * y; break;
    case HLO_MLIR_OP_STABLEHLO_DIVIDE: result = x / y; break;
    case HLO_MLIR_OP_STABLEHLO_REMAINDER: result = fmod(x, y); break;
    case HLO_MLIR_OP_STABLEHLO_MAXIMUM:
    case HLO_MLIR_OP_STABLEHLO_MINIMUM: result = 0; break;
    default: return false;
    }
    if (isnan(x) || isnan(y)) {
        *out = quiet(format, isnan(x) ? a : b);
        return true;
    }
    if (op == HLO_MLIR_OP_STABLEHLO_MAXIMUM || op == HLO_MLIR_OP_STABLEHLO_MINIMUM)
        return float_extreme(op == HLO_MLIR_OP_STABLEHLO_MAXIMUM, type, a, b, out);
    *out = encode(format, result);
    return true;
}

/* What is computed as double, of any type; false: nothing is folded there. */
static bool by_double(hlo_mlir_op_id op, double x, double *out) {
    switch (op) {
    case HLO_MLIR_OP_STABLEHLO_COSINE: *out = cos(x); return true;
    case HLO_MLIR_OP_STABLEHLO_EXPONENTIAL: *out = exp(x); return true;
    case HLO_MLIR_OP_STABLEHLO_LOG: *out = log(x); return !(x <= 0);
    case HLO_MLIR_OP_STABLEHLO_LOGISTIC: *out = 1.0 / (1.0 + exp(-x)); return true;
    case HLO_MLIR_OP_STABLEHLO_RSQRT: *out = 1.0 / sqrt(x); return !(x <= 0);
    case HLO_MLIR_OP_STABLEHLO_SINE: *out = sin(x); return true;
    case HLO_MLIR_OP_STABLEHLO_SQRT: *out = sqrt(x); return !(x < 0);
    case HLO_MLIR_OP_STABLEHLO_TAN: *out = tan(x); return true;
    case HLO_MLIR_OP_STABLEHLO_TANH: *out = tanh(x); return true;
    default: return false;
    }
}

static bool float_one(hlo_mlir_op_id op, hlo_type type, uint64_t a, uint64_t *out) {
    const hlo_float_format *format = hlo_type_float_format(type);
    double x = hlo_float_decode(type, a), result;
    bool keeps_zero = format->specials == HLO_FLOAT_FNUZ;
    switch (op) {
    case HLO_MLIR_OP_STABLEHLO_ABS:
        *out = keeps_zero && isnan(x) ? a : a & ~format->sign;
        return true;
    case HLO_MLIR_OP_STABLEHLO_NEGATE:
        *out = keeps_zero && (isnan(x) || x == 0) ? a : a ^ format->sign;
        return true;
    case HLO_MLIR_OP_STABLEHLO_SIGN:
        if (isnan(x)) return false;
        *out = hlo_float_from_double(format, x < 0 ? -1.0 : x > 0 ? 1.0 : 0.0);
        return true;
    case HLO_MLIR_OP_STABLEHLO_ROUND_NEAREST_AFZ:
    case HLO_MLIR_OP_STABLEHLO_ROUND_NEAREST_EVEN:
        result = op == HLO_MLIR_OP_STABLEHLO_ROUND_NEAREST_AFZ ? round(x) : nearbyint(x);
        *out = isnan(x) ? quiet(format, a) : hlo_float_from_double(format, result);
        return true;
    default: break;
    }
    if (!by_double(op, x, &result)) return false;
    *out = hlo_float_from_double(format, result);
    return true;
}

bool hlo_fold_two(hlo_mlir_op_id op, hlo_type type, uint64_t a, uint64_t b, uint64_t *out) {
    if (hlo_is_whole(type)) return whole_two(op, type, a, b, out);
    return hlo_type_is_float(type) && float_two(op, type, a, b, out);
}

bool hlo_fold_one(hlo_mlir_op_id op, hlo_type type, uint64_t a, uint64_t *out) {
    if (hlo_is_whole(type)) return whole_one(op, type, a, out);
    return hlo_type_is_float(type) && float_one(op, type, a, out);
}

/* ---- comparing ---- */

/* -1, 0 or 1; 2: a nan is among them. */
static int order(hlo_type type, bool as_unsigned, uint64_t a, uint64_t b) {
    if (hlo_type_is_float(type)) {
        double x = hlo_float_decode(type, a), y = hlo_float_decode(type, b);
        return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
    }
    if (as_unsigned) return (a > b) - (a < b);
    int64_t x = with_sign(a, hlo_width(type)), y = with_sign(b, hlo_width(type));
    return (x > y) - (x < y);
}

bool hlo_fold_compare(const char *direction, hlo_type type, bool as_unsigned, uint64_t a,
                      uint64_t b) {
    int found = order(type, as_unsigned, a, b);
    switch (direction[0]) {
    case 'E': return found == 0;
    case 'N': return found != 0;
    case 'G': return found == 1 || (found == 0 && direction[1] == 'E');
    default: return found == -1 || (found == 0 && direction[1] == 'E');
    }
}

/* ---- converting ---- */

/* A nan of another format keeps the upper bits of what it carries. */
static uint64_t convert_nan(const hlo_float_format *from, const hlo_float_format *to,
                            uint64_t bits) {
    bool negative = (bits & from->sign) != 0;
    if (from->specials != HLO_FLOAT_IEEE || to->specials != HLO_FLOAT_IEEE)
        return hlo_float_from_double(to, negative ? -(double)NAN : (double)NAN);
    uint64_t carried = bits & ((UINT64_C(1) << from->mantissa_bits) - 1);
    int shift = to->mantissa_bits - from->mantissa_bits;
    carried = shift >= 0 ? carried << shift : carried >> -shift;
    uint64_t exponent = ((UINT64_C(1) << to->exponent_bits) - 1) << to->mantissa_bits;
    return quiet(to, (negative ? to->sign : 0) | exponent | carried);
}

static bool float_to_float(hlo_type from, hlo_type to, uint64_t a, uint64_t *out) {
    const hlo_float_format *source = hlo_type_float_format(from),
                           *format = hlo_type_float_format(to);
    double value = hlo_float_decode(from, a);
    if (isnan(value)) {
        if (quiet(source, a) != a) return false;
        *out = convert_nan(source, format, a);
        return true;
    }
    *out = hlo_float_from_double(format, value);
    return true;
}

static bool float_to_whole(hlo_type from, hlo_type to, uint64_t a, uint64_t *out) {
    double value = hlo_float_decode(from, a);
    if (to == HLO_PRED) {
        *out = value != 0 || isnan(value);
        return true;
    }
    if (isnan(value) || isinf(value) || (value == 0 && signbit(value))) return false;
    unsigned width = hlo_width(to);
    value = trunc(value);
    if (is_unsigned(to)) {
        if (value < 0 || value >= ldexp(1, (int)width)) return false;
        *out = (uint64_t)value;
    } else {
        double limit = ldexp(1, (int)width - 1);
        if (value < -limit || value >= limit) return false;
        *out = cut((uint64_t)(int64_t)value, width);
    }
    return true;
}

/* Rounded once: a number with more bits than a double has is cut there, its last bit set where
 * something was lost. */
static uint64_t whole_to_float(bool negative, uint64_t magnitude, hlo_type to) {
    const hlo_float_format *format = hlo_type_float_format(to);
    if (to != HLO_F64 && magnitude >> 53) {
        unsigned lost = 11 - (unsigned)__builtin_clzll(magnitude);
        uint64_t rest = magnitude & ((UINT64_C(1) << lost) - 1);
        magnitude = (magnitude >> lost | (rest != 0)) << lost;
    }
    double value = (double)magnitude;
    return hlo_float_from_double(format, negative ? -value : value);
}

bool hlo_fold_convert(hlo_type from, hlo_type to, uint64_t a, uint64_t *out) {
    bool from_float = hlo_type_is_float(from), to_float = hlo_type_is_float(to);
    if ((!from_float && !hlo_is_whole(from)) || (!to_float && !hlo_is_whole(to))) return false;
    if (from_float)
        return to_float ? float_to_float(from, to, a, out) : float_to_whole(from, to, a, out);
    bool has_sign = !is_unsigned(from) && from != HLO_PRED;
    int64_t value = has_sign ? with_sign(a, hlo_width(from)) : (int64_t)a;
    bool negative = has_sign && value < 0;
    if (to_float)
        *out = whole_to_float(negative, negative ? -(uint64_t)value : (uint64_t)value, to);
    else if (to == HLO_PRED) *out = a != 0;
    else *out = cut((uint64_t)value, hlo_width(to));
    return true;
}
