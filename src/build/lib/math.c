/* Functions of XLA's math.h that are one expression (math.def), tests of floats, polynomials, and
 * the next number after another one. */
#include <float.h>
#include <math.h>

#include "build/lib/formula.h"
#include "build/lib/upcast.h"
#include "ir/float_types.h"

#define NO_DIMS ((hlo_int_list){0, NULL})

/* ---- the functions of the table ---- */

typedef enum { REAL, ANY } operand_kind;

typedef struct {
    const char *name;
    operand_kind operands;
    hlo_upcast upcast;
    const char *formula, *of_f64, *of_complex;
} unary_row;

static hlo_term compute_row(hlo_builder *b, const hlo_term *terms, const void *context) {
    const unary_row *row = context;
    hlo_type type = (hlo_type)terms[0]->shape->type;
    if (hlo_type_is_complex(type)) {
        if (row->of_complex) return HLO_FORMULA(b, row->of_complex, "x", terms[0]);
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE, "%s takes no complex numbers", row->name);
    }
    bool double_width = type == HLO_F64 && row->of_f64;
    return HLO_FORMULA(b, double_width ? row->of_f64 : row->formula, "x", terms[0]);
}

static hlo_term apply_row(hlo_builder *b, const unary_row *row, hlo_term x) {
    if (!hlo_lib_has_rank(b, row->name, x, 0)) return NULL;
    if (row->operands == REAL && !hlo_lib_is_real_float(b, row->name, x)) return NULL;
    return hlo_lib_upcast(b, row->upcast, &x, 1, compute_row, row);
}

#define HLO_LIB_UNARY(name, text, operands, upcast, ...)                                 \
    hlo_term hlo_lib_##name(hlo_builder *b, hlo_term operand) {                          \
        static const unary_row row = {text, operands, HLO_UPCAST_##upcast, __VA_ARGS__}; \
        HLO_BUILDER_TAKES(b, operand);                                                   \
        return apply_row(b, &row, operand);                                              \
    }
#include "build/lib/math.def"

/* ---- infinities, zeros, parts ---- */

static hlo_term is_extreme(hlo_builder *b, const char *function, hlo_term x, bool positive) {
    if (!hlo_lib_is_real_float(b, function, x)) return NULL;
    hlo_type type = (hlo_type)x->shape->type;
    if (hlo_type_float_format(type)->specials != HLO_FLOAT_IEEE)
        return hlo_lib_spread(b, hlo_builder_constant_pred(b, false), x->shape);
    return HLO_FORMULA(b, positive ? "x == max_value(x)" : "x == min_value(x)", "x", x);
}

hlo_term hlo_lib_is_pos_inf(hlo_builder *b, hlo_term operand) {
    HLO_BUILDER_TAKES(b, operand);
    return is_extreme(b, "IsPosInf", operand, true);
}

hlo_term hlo_lib_is_neg_inf(hlo_builder *b, hlo_term operand) {
    HLO_BUILDER_TAKES(b, operand);
    return is_extreme(b, "IsNegInf", operand, false);
}

/* The bits of a zero with a sign; XLA's library knows them only of these types. */
static hlo_term has_bits_of_minus_zero(hlo_builder *b, hlo_term x, hlo_type bits) {
    hlo_term as_bits = hlo_builder_bitcast_convert_type(b, x, hlo_lib_public(bits));
    hlo_term sign = hlo_lib_bits(b, bits, (uint64_t)1 << (hlo_types[bits].bits - 1));
    return hlo_builder_eq(b, as_bits, sign, NO_DIMS);
}

hlo_term hlo_lib_is_neg_zero(hlo_builder *b, hlo_term operand) {
    HLO_BUILDER_TAKES(b, operand);
    if (!hlo_lib_is_real_float(b, "IsNegZero", operand)) return NULL;
    hlo_type type = (hlo_type)operand->shape->type;
    hlo_float_specials specials = hlo_type_float_format(type)->specials;
    if (type == HLO_F64) return has_bits_of_minus_zero(b, operand, HLO_U64);
    if (type == HLO_F32) return has_bits_of_minus_zero(b, operand, HLO_U32);
    if (specials == HLO_FLOAT_FNUZ || specials == HLO_FLOAT_SCALE)
        return hlo_lib_spread(b, hlo_builder_constant_pred(b, false), operand->shape);
    return has_bits_of_minus_zero(b, hlo_lib_convert(b, operand, HLO_F32), HLO_U32);
}

hlo_term hlo_lib_conj(hlo_builder *b, hlo_term operand) {
    HLO_BUILDER_TAKES(b, operand);
    return HLO_FORMULA(b, "complex(real(x), -imag(x))", "x", operand);
}

hlo_term hlo_lib_maybe_conjugate(hlo_builder *b, hlo_term operand, bool conjugate) {
    HLO_BUILDER_TAKES(b, operand);
    bool changes = conjugate && hlo_type_is_complex((hlo_type)operand->shape->type);
    return changes ? hlo_lib_conj(b, operand) : operand;
}

/* ---- select ---- */

static hlo_term raised(hlo_builder *b, hlo_term term, const hlo_shape *to) {
    if (!hlo_shape_is_scalar(term->shape) || hlo_shape_is_scalar(to)) return term;
    return hlo_lib_spread(b, term, to);
}

/* The first of the shapes that is no scalar. */
static const hlo_shape *widest(hlo_term x, hlo_term y, hlo_term z) {
    if (!hlo_shape_is_scalar(x->shape)) return x->shape;
    return hlo_shape_is_scalar(y->shape) ? z->shape : y->shape;
}

static hlo_term select_arrays(hlo_builder *b, hlo_term pred, hlo_term on_true, hlo_term on_false) {
    const hlo_shape *to = widest(pred, on_true, on_false);
    pred = raised(b, pred, to);
    on_true = raised(b, on_true, to);
    on_false = raised(b, on_false, to);
    return hlo_builder_select(b, pred, on_true, on_false);
}

hlo_term hlo_lib_select(hlo_builder *b, hlo_term pred, hlo_term on_true, hlo_term on_false) {
    HLO_BUILDER_TAKES(b, pred, on_true, on_false);
    bool arrays = hlo_shape_is_array(pred->shape) && hlo_shape_is_array(on_true->shape) &&
                  hlo_shape_is_array(on_false->shape);
    return arrays ? select_arrays(b, pred, on_true, on_false)
                  : hlo_builder_select(b, pred, on_true, on_false);
}

/* ---- polynomials ---- */

/* Rounded coefficients would define another polynomial. */
static bool check_coefficients(hlo_builder *b, const char *function, hlo_term x,
                               const double *coefficients, size_t count) {
    if (count && !coefficients) hlo_builder_misuse(b, "%s: coefficients is NULL", function);
    else if (!hlo_type_float_format((hlo_type)x->shape->type))
        hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE, "%s: a polynomial of %s", function,
                         hlo_shape_name(&b->module->arena, x->shape));
    return !hlo_builder_failed(b);
}

hlo_term hlo_lib_evaluate_polynomial(hlo_builder *b, hlo_term x, const double *coefficients,
                                     size_t count) {
    HLO_BUILDER_TAKES(b, x);
    if (!check_coefficients(b, __func__, x, coefficients, count)) return NULL;
    hlo_formula f = hlo_formula_of(b, "x", &x);
    hlo_formula_set_number(&f, "c", count ? coefficients[0] : 0);
    hlo_term sum = hlo_formula_run(&f, "p = c");
    for (size_t i = 1; i < count; i++) {
        hlo_formula_set_number(&f, "c", coefficients[i]);
        sum = hlo_formula_run(&f, "p = p * x + c");
    }
    return sum;
}

hlo_term hlo_lib_evaluate_chebyshev_polynomial(hlo_builder *b, hlo_term x,
                                               const double *coefficients, size_t count) {
    HLO_BUILDER_TAKES(b, x);
    if (!check_coefficients(b, __func__, x, coefficients, count)) return NULL;
    hlo_formula f = hlo_formula_of(b, "x", &x);
    hlo_formula_run(&f, "b0 = 0; b1 = 0; b2 = 0");
    for (size_t i = 0; i < count; i++) {
        hlo_formula_set_number(&f, "c", coefficients[i]);
        hlo_formula_run(&f, "b2 = b1; b1 = b0; b0 = x * b1 - b2 + c");
    }
    return hlo_formula_run(&f, "0.5 * (b0 - b2)");
}

/* ---- asin ---- */

/* asin(z) = asin(x / a) + i ln(a + sqrt(a^2 - 1)), a = (|z + 1| + |z - 1|) / 2: T. Hull, T.
 * Fairgrieve, P. Tang, Implementing the complex arcsine and arccosine functions using exception
 * handling, 1997, with fewer regions. r and s are |z + 1| and |z - 1|. */
static const char complex_asin[] =
    "x = abs(sx); sy = imag(z); y = abs(sy); safe_max = safe; one = 1; half = 0.5;"
    "xp1 = x + one; p = abs(xp1); mx1 = max(p, y); mn1 = min(p, y); root2 = 1.4142135623730951;"
    "q1 = square(mn1 / mx1); sq1 = sqrt(one + q1); zero = 0; two = 2;"
    "r = select(mx1 == mn1, root2 * mx1, select(sq1 == one && q1 > zero, mx1 + mx1 * q1 / two,"
    "           mx1 * sq1));"
    "xm1 = x - one; m = abs(xm1); mx2 = max(m, y); mn2 = min(m, y); q2 = square(mn2 / mx2);"
    "sq2 = sqrt(one + q2);"
    "s = select(mx2 == mn2, root2 * mx2, select(sq2 == one && q2 > zero, mx2 + mx2 * q2 / two,"
    "           mx2 * sq2));"
    "a = half * (r + s); ha = half * (a + x); yy = y * y; rp = r + xp1; sm = s - xm1; sp = s + xm1";

static const char complex_asin_real[] =
    "re = atan2(sx, select(max(x, y) >= safe_max, y, select(x <= one,"
    "           sqrt(ha * (yy / rp + sm)), y * sqrt(ha / rp + ha / sp))))";

static const char complex_asin_imaginary[] =
    "opt = select(x < safe_far, safe_small, safe_large); beyond = y >= opt;"
    "mx = select(beyond, y, x); xoy = select(beyond && !(y == inf), x / y, zero);"
    "near = y < tiny && x < one; ap1 = a + one; hyy = half * yy; d = hyy / rp;"
    "other = select(x >= one, d + half * sp, select(a <= 1.5, d + hyy / sm, a - one));"
    "am1 = select(near, -(xp1 * xm1 / ap1), other); sq = sqrt(am1 * ap1);"
    "im = select(mx >= select(beyond, opt, safe_max), 0.69314718055994529 + log(mx) +"
    "            half * log1p(xoy * xoy), select(near, y / sq, log1p(am1 + sq)));"
    "complex(re, select(sy < zero, -im, im))";

static hlo_term asin_of_complex(hlo_builder *b, hlo_term z) {
    bool single = z->shape->type == HLO_C64;
    double safe = single ? (double)(sqrtf(FLT_MAX) / 8) : sqrt(DBL_MAX) / 8;
    hlo_formula f = hlo_formula_of(b, "z", &z);
    f.like = hlo_formula_run(&f, "sx = real(z)");
    hlo_formula_set_number(&f, "safe", safe);
    hlo_formula_set_number(&f, "safe_far", safe * 1e12);
    hlo_formula_set_number(&f, "safe_small", safe * 1e-6);
    hlo_formula_set_number(&f, "safe_large", safe * 100);
    hlo_formula_set_number(&f, "tiny", 4 * sqrt(single ? (double)FLT_MIN : DBL_MIN));
    hlo_formula_run(&f, complex_asin);
    hlo_formula_run(&f, complex_asin_real);
    return hlo_formula_run(&f, complex_asin_imaginary);
}

static hlo_term compute_asin(hlo_builder *b, const hlo_term *terms, const void *context) {
    (void)context;
    hlo_type type = (hlo_type)terms[0]->shape->type;
    if (hlo_type_is_complex(type)) return asin_of_complex(b, terms[0]);
    if (type == HLO_F32 || type == HLO_F64)
        return HLO_FORMULA(b, "one = 1; 2 * atan2(x, one + sqrt((one - x) * (one + x)))", "x",
                           terms[0]);
    return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE, "Asin got unsupported element type %s",
                            hlo_types[type].text);
}

hlo_term hlo_lib_asin(hlo_builder *b, hlo_term operand) {
    HLO_BUILDER_TAKES(b, operand);
    if (!hlo_lib_has_rank(b, "Asin", operand, 0)) return NULL;
    hlo_type type = (hlo_type)operand->shape->type;
    hlo_upcast upcast = hlo_type_is_float(type) ? HLO_UPCAST_NARROW : HLO_UPCAST_NONE;
    return hlo_lib_upcast(b, upcast, &operand, 1, compute_asin, NULL);
}
