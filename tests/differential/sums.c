/* Sums whose terms leave the range of their type in some orders and not in others: an infinity of
 * one sign stays, two of different signs make NaN, and another order meets neither.
 *
 * Scans have no other order: each step takes what the one before gave. */
#include "differential/sums.h"

#include <math.h>

#include "analysis/match.h"
#include "base/floats.h"
#include "ir/float_types.h"

/* ---- which ---- */

static bool adds(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_REDUCE && instr->opcode != HLO_OP_REDUCE_WINDOW &&
        instr->opcode != HLO_OP_SCATTER)
        return false;
    return hlo_binary_computation(hlo_called(instr, 0)) == HLO_OP_ADD;
}

/* Terms are products of elements of the first two operands. */
static bool multiplies(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_DOT || instr->opcode == HLO_OP_RAGGED_DOT ||
           (instr->opcode == HLO_OP_CONVOLUTION && !hlo_has_sparse_operand(instr));
}

static bool has_dynamic_shape(const hlo_instr *instr) {
    bool has = instr->shape->dynamic;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        has |= hlo_operand(instr, i)->shape->dynamic;
    return has;
}

/* The format of the sums; NULL where what is too large stays finite. */
static const hlo_float_format *format_of(const hlo_instr *instr) {
    if (!hlo_shape_is_array(instr->shape)) return NULL;
    const hlo_float_format *format =
        hlo_type_float_format(hlo_type_part((hlo_type)instr->shape->type));
    bool overflows =
        format && !isfinite(hlo_float_to_double(format, hlo_float_from_double(format, INFINITY)));
    return overflows ? format : NULL;
}

/* ---- in f64 ---- */

static const hlo_shape *in_f64(hlo_rewriter *r, const hlo_shape *shape) {
    return hlo_shape_array(&r->module->shapes, HLO_F64, shape->dims, shape->rank, shape->is_dynamic,
                           shape->layout->minor_to_major, NULL);
}

hlo_instr *added_up(hlo_rewriter *r, const hlo_instr *instr, hlo_instr *const *operands) {
    hlo_instr *sum =
        hlo_emit_like(r, instr, in_f64(r, instr->shape), operands, instr->operand_count);
    hlo_instr_remove_attr(sum, HLO_ATTR_ALGORITHM);
    if (!hlo_called(instr, 0)) return sum;
    hlo_computation *adder = hlo_build_reducer(r, HLO_OP_ADD, HLO_F64);
    hlo_set_called(r, sum, &adder);
    return sum;
}

/* The real or the imaginary part. */
static hlo_instr *part_of(hlo_rewriter *r, hlo_instr *value, hlo_opcode part) {
    hlo_type type = (hlo_type)value->shape->type;
    if (hlo_type_is_complex(type)) {
        const hlo_shape *reals =
            hlo_shape_with_type(&r->module->shapes, value->shape, hlo_type_part(type));
        value = hlo_emit_unary(r, part, reals, value);
    } else if (part == HLO_OP_IMAG) {
        return hlo_build_number(r, in_f64(r, value->shape), 0);
    }
    return hlo_emit_unary(r, HLO_OP_CONVERT, in_f64(r, value->shape), value);
}

/* Operands with what is added, or multiplied, as reals in f64. */
typedef struct {
    const hlo_instr *instr;
    hlo_instr **operands;
    double scale; /* of what is added or multiplied, so that sums do not overflow */
} real_terms;

static bool is_taken(const hlo_instr *instr, uint32_t i) {
    if (multiplies(instr)) return i < 2;
    return hlo_type_is_float(hlo_type_part((hlo_type)hlo_operand(instr, i)->shape->type));
}

/* `first` is the part of the first operand, `rest` that of others. */
static real_terms terms_of(hlo_rewriter *r, const hlo_instr *instr, hlo_opcode first,
                           hlo_opcode rest) {
    real_terms terms = {.instr = instr, .scale = 1};
    if (hlo_type_part((hlo_type)instr->shape->type) == HLO_F64) terms.scale = ldexp(1, -600);
    terms.operands = hlo_malloc(instr->operand_count * sizeof *terms.operands);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *operand = hlo_operand(instr, i);
        terms.operands[i] = is_taken(instr, i) ? part_of(r, operand, i ? rest : first) : operand;
    }
    return terms;
}

/* ---- terms of either sign ---- */

typedef enum {
    POSITIVE, /* finite, the others as zeros */
    NEGATIVE, /* the same of the negated terms */
    SPECIAL   /* infinities and NaN; -1, 0 and 1 for the others */
} selection;

static hlo_instr *selected(hlo_rewriter *r, hlo_instr *x, selection which, double scale) {
    const hlo_shape *is = hlo_shape_with_type(&r->module->shapes, x->shape, HLO_PRED);
    hlo_instr *is_finite = hlo_emit_unary(r, HLO_OP_IS_FINITE, is, x);
    if (which == SPECIAL) {
        hlo_instr *sign = hlo_build_unary(r, HLO_OP_SIGN, x);
        return hlo_build_select(r, is_finite, sign, x);
    }
    hlo_instr *none = hlo_build_number(r, x->shape, 0);
    hlo_instr *factor = hlo_build_number(r, x->shape, which == POSITIVE ? scale : -scale);
    hlo_instr *positive = hlo_build_binary(r, HLO_OP_MULTIPLY, x, factor);
    positive = hlo_build_binary(r, HLO_OP_MAXIMUM, positive, none);
    return hlo_build_select(r, is_finite, positive, none);
}

static hlo_instr *sum_of(hlo_rewriter *r, const real_terms *terms, selection first,
                         selection rest) {
    const hlo_instr *instr = terms->instr;
    hlo_instr **operands = hlo_malloc(instr->operand_count * sizeof *operands);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        operands[i] = terms->operands[i];
        if (is_taken(instr, i))
            operands[i] = selected(r, operands[i], i ? rest : first, terms->scale);
    }
    hlo_instr *sum = added_up(r, instr, operands);
    hlo_free(operands);
    return sum;
}

/* Sums of the finite terms above zero, of those below without their sign, and one that is infinite
 * or NaN as infinities and NaN among the terms make it, in any order. */
typedef struct {
    hlo_instr *up, *down, *special;
} sums;

static hlo_instr *plus(hlo_rewriter *r, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(r, HLO_OP_ADD, a, b);
}

static sums add_terms(hlo_rewriter *r, const hlo_instr *instr, hlo_opcode first, hlo_opcode rest) {
    real_terms terms = terms_of(r, instr, first, rest);
    sums s = {.up = sum_of(r, &terms, POSITIVE, POSITIVE)};
    if (multiplies(instr)) {
        s.up = plus(r, s.up, sum_of(r, &terms, NEGATIVE, NEGATIVE));
        s.down = sum_of(r, &terms, POSITIVE, NEGATIVE);
        s.down = plus(r, s.down, sum_of(r, &terms, NEGATIVE, POSITIVE));
    } else {
        s.down = sum_of(r, &terms, NEGATIVE, NEGATIVE);
    }
    s.special = sum_of(r, &terms, SPECIAL, SPECIAL);
    hlo_free(terms.operands);
    return s;
}

static sums joined(hlo_rewriter *r, sums a, sums b) {
    sums s = {.up = plus(r, a.up, b.up)};
    s.down = plus(r, a.down, b.down);
    s.special = plus(r, a.special, b.special);
    return s;
}

static sums negated(hlo_rewriter *r, sums a) {
    return (sums){a.down, a.up, hlo_build_unary(r, HLO_OP_NEGATE, a.special)};
}

static sums real_sums(hlo_rewriter *r, const hlo_instr *instr) {
    sums s = add_terms(r, instr, HLO_OP_REAL, HLO_OP_REAL);
    if (!multiplies(instr) || !hlo_type_is_complex((hlo_type)instr->shape->type)) return s;
    return joined(r, s, negated(r, add_terms(r, instr, HLO_OP_IMAG, HLO_OP_IMAG)));
}

static sums imaginary_sums(hlo_rewriter *r, const hlo_instr *instr) {
    if (!multiplies(instr)) return add_terms(r, instr, HLO_OP_IMAG, HLO_OP_IMAG);
    sums s = add_terms(r, instr, HLO_OP_REAL, HLO_OP_IMAG);
    return joined(r, s, add_terms(r, instr, HLO_OP_IMAG, HLO_OP_REAL));
}

/* ---- whether the order matters ---- */

hlo_instr *compared_with(hlo_rewriter *r, hlo_instr *value, const char *direction, double number) {
    return hlo_build_compare(r, value, hlo_build_number(r, value->shape, number), direction);
}

static hlo_instr *either(hlo_rewriter *r, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(r, HLO_OP_OR, a, b);
}

static hlo_instr *both(hlo_rewriter *r, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(r, HLO_OP_AND, a, b);
}

/* Infinities of both signs come out of some order, and not both are among the terms. */
static hlo_instr *may_be_nan(hlo_rewriter *r, sums s, hlo_instr *rises, hlo_instr *falls) {
    hlo_instr *is_up = either(r, rises, compared_with(r, s.special, "EQ", INFINITY));
    hlo_instr *is_down = either(r, falls, compared_with(r, s.special, "EQ", -INFINITY));
    hlo_instr *is_number = hlo_build_compare(r, s.special, s.special, "EQ");
    return both(r, is_number, both(r, is_up, is_down));
}

/* What overflows in some order, though the whole sum is in the range. */
static hlo_instr *may_return(hlo_rewriter *r, sums s, double most, hlo_instr *rises,
                             hlo_instr *falls) {
    hlo_instr *whole = hlo_build_binary(r, HLO_OP_SUBTRACT, s.up, s.down);
    hlo_instr *fits = compared_with(r, hlo_build_unary(r, HLO_OP_ABS, whole), "LE", most);
    hlo_instr *has_end =
        compared_with(r, hlo_build_unary(r, HLO_OP_ABS, s.special), "LT", INFINITY);
    hlo_instr *overflows = either(r, rises, falls);
    return both(r, overflows, both(r, fits, has_end));
}

static hlo_instr *order_matters(hlo_rewriter *r, sums s, double most) {
    hlo_instr *rises = compared_with(r, s.up, "GT", most),
              *falls = compared_with(r, s.down, "GT", most);
    hlo_instr *nan = may_be_nan(r, s, rises, falls);
    return either(r, nan, may_return(r, s, most, rises, falls));
}

hlo_instr *sum_in_any_order(hlo_rewriter *r, hlo_instr *instr, double other) {
    const hlo_float_format *format = format_of(instr);
    if (!format || has_dynamic_shape(instr) || !(adds(instr) || multiplies(instr))) return instr;
    double most = hlo_float_to_double(format, format->max_finite);
    if (format == hlo_type_float_format(HLO_F64))
        most = ldexp(most, multiplies(instr) ? -1200 : -600);
    hlo_instr *any = order_matters(r, real_sums(r, instr), most);
    if (hlo_type_is_complex((hlo_type)instr->shape->type))
        any = either(r, any, order_matters(r, imaginary_sums(r, instr), most));
    return hlo_build_select(r, any, hlo_build_number(r, instr->shape, other), instr);
}
