/* Rounding made visible: a module in which the results that implementations round differently, and
 * the terms of sums, are off by a last bit here and there. */
#include <math.h>
#include <string.h>

#include "base/floats.h"
#include "differential/differential.h"
#include "differential/products.h"
#include "differential/sums.h"
#include "ir/float_types.h"
#include "ir/ir.h"
#include "passes/pipeline/expression.h"
#include "shape/compatible.h"

typedef struct {
    hlo_rewriter rewriter;
    dice dice;
    noise_kind kind;
    bool is_opposite; /* to that of the number before */
    bool is_snapped;
} noise;

/* ---- numbers ---- */

static bool has_noise(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) && !hlo_shape_has_unbounded(shape) &&
           hlo_type_is_float(hlo_type_part((hlo_type)shape->type));
}

static void put_bits(uint64_t bits, hlo_type part, uint8_t *to) {
    memcpy(to, &bits, (size_t)hlo_types[part].bytes);
}

/* -1, 0 or 1. */
static int64_t any_sign(noise *n) {
    int64_t sign = (int64_t) throw(&n->dice, 3) - 1;
    return n->is_opposite ? -sign : sign;
}

/* 1 or a neighbour. */
static void put_real(noise *n, hlo_type part, uint8_t *to) {
    uint64_t one = hlo_float_from_double(hlo_type_float_format(part), 1);
    put_bits(one + (uint64_t)any_sign(n), part, to);
}

/* 0, or as much as 1 and its neighbour differ. */
static void put_imaginary(noise *n, hlo_type part, uint8_t *to) {
    double number = ldexp((double) throw(&n->dice, 3) - 1, -hlo_types[part].mantissa_bits);
    put_bits(hlo_float_from_double(hlo_type_float_format(part), number), part, to);
}

/* With a sign that is any, where it has one. */
static void put_nan(noise *n, hlo_type part, uint8_t *to) {
    const hlo_float_format *format = hlo_type_float_format(part);
    uint64_t nan = hlo_float_from_double(format, NAN);
    uint64_t other = nan ^ UINT64_C(1) << (hlo_types[part].bits - 1);
    bool takes =
        (throw(&n->dice, 2) != n->is_opposite) && isnan(hlo_float_to_double(format, other));
    put_bits(takes ? other : nan, part, to);
}

typedef void put(noise *n, hlo_type part, uint8_t *to);

/* As many as the array has at most. */
static hlo_instr *numbers(noise *n, const hlo_shape *like, put *real, put *imaginary) {
    const hlo_shape *shape =
        hlo_shape_of_sizes(&n->rewriter, (hlo_type)like->type, like->dims, like->rank);
    hlo_literal *made = hlo_literal_new(&n->rewriter.module->arena, shape);
    hlo_type part = hlo_type_part((hlo_type)shape->type);
    size_t size = (size_t)hlo_types[part].bytes;
    uint8_t *at = (uint8_t *)(uintptr_t)hlo_literal_data(made);
    for (int64_t i = 0; i < hlo_shape_elements(shape); i++, at += size) {
        real(n, part, at);
        if (part != (hlo_type)shape->type) imaginary(n, part, at += size);
    }
    return hlo_emit_constant(&n->rewriter, made);
}

/* ---- values with noise ---- */

/* Nothing defines the sign of a NaN that is computed. */
static hlo_instr *any_nan(noise *n, hlo_instr *value) {
    const hlo_shape *shape = value->shape;
    if (!hlo_type_is_float((hlo_type)shape->type)) return value;
    hlo_shapes_table *shapes = &n->rewriter.module->shapes;
    hlo_instr *is_nan = hlo_emit_compare(&n->rewriter, hlo_shape_with_type(shapes, shape, HLO_PRED),
                                         value, value, "NE");
    hlo_instr *operands[] = {is_nan, numbers(n, shape, put_nan, NULL), value};
    return hlo_emit(&n->rewriter, HLO_OP_SELECT, shape, operands, 3, NULL, 0);
}

/* Factors around 1, those of complex numbers turned a bit, too. */
static hlo_instr *rounded(noise *n, hlo_instr *value) {
    return hlo_emit_binary(&n->rewriter, HLO_OP_MULTIPLY, value->shape, value,
                           numbers(n, value->shape, put_real, put_imaginary));
}

/* The part of the largest element that rounding may leave of a sum that vanishes. */
static hlo_instr *rest_of_sums(noise *n, hlo_instr *value) {
    hlo_rewriter *r = &n->rewriter;
    uint32_t rank = value->shape->rank;
    int64_t *all = hlo_malloc((rank + 1u) * sizeof *all);
    for (uint32_t i = 0; i < rank; i++) all[i] = i;
    hlo_type part = hlo_type_part((hlo_type)value->shape->type);
    const hlo_shape *reals = hlo_shape_with_type(&r->module->shapes, value->shape, part);
    hlo_instr *size = hlo_emit_unary(r, HLO_OP_ABS, reals, value);
    hlo_instr *most = hlo_build_reduce(r, size, HLO_OP_MAXIMUM, all, rank);
    double rest = ldexp(8, -hlo_types[part].mantissa_bits);
    most = hlo_build_binary(r, HLO_OP_MULTIPLY, most, hlo_build_number(r, most->shape, rest));
    hlo_free(all);
    return hlo_build_spread(r, most, reals, NULL);
}

static hlo_instr *snapped_reals(noise *n, hlo_instr *reals, hlo_instr *rest) {
    const hlo_shape *shape = reals->shape;
    hlo_shapes_table *shapes = &n->rewriter.module->shapes;
    hlo_instr *size = hlo_build_unary(&n->rewriter, HLO_OP_ABS, reals);
    hlo_instr *is_rest = hlo_emit_compare(
        &n->rewriter, hlo_shape_with_type(shapes, shape, HLO_PRED), size, rest, "LT");
    hlo_instr *operands[] = {is_rest, hlo_build_number(&n->rewriter, shape, 0), reals};
    return hlo_emit(&n->rewriter, HLO_OP_SELECT, shape, operands, 3, NULL, 0);
}

/* Zeros instead of the remainders of sums that vanish. */
static hlo_instr *snapped(noise *n, hlo_instr *value) {
    if (value->shape->dynamic) return value;
    hlo_rewriter *r = &n->rewriter;
    hlo_instr *rest = rest_of_sums(n, value);
    if (hlo_type_is_float((hlo_type)value->shape->type)) return snapped_reals(n, value, rest);
    hlo_instr *re = hlo_emit_unary(r, HLO_OP_REAL, rest->shape, value);
    hlo_instr *im = hlo_emit_unary(r, HLO_OP_IMAG, rest->shape, value);
    return hlo_emit_binary(r, HLO_OP_COMPLEX, value->shape, snapped_reals(n, re, rest),
                           snapped_reals(n, im, rest));
}

/* `value` with noise in all of its arrays; itself where there are none. */
static hlo_instr *noisy(noise *n, hlo_instr *value, bool is_rounded) {
    const hlo_shape *shape = value->shape;
    if (has_noise(shape)) {
        hlo_instr *moved = is_rounded ? rounded(n, value) : value;
        return any_nan(n, is_rounded && n->is_snapped ? snapped(n, moved) : moved);
    }
    if (!hlo_shape_is_tuple(shape) || shape->rank == 0) return value;
    hlo_instr **parts = hlo_malloc(shape->rank * sizeof *parts);
    for (uint32_t i = 0; i < shape->rank; i++)
        parts[i] = noisy(n, hlo_emit_element(&n->rewriter, value, i), is_rounded);
    hlo_instr *whole = hlo_emit_tuple(&n->rewriter, parts, shape->rank);
    hlo_free(parts);
    return whole;
}

/* ---- where ---- */

static bool chooses(const hlo_instr *instr) {
    const hlo_attr *applied = hlo_instr_attr(instr, HLO_ATTR_TO_APPLY);
    if (!applied) return false;
    hlo_opcode root = applied->u.computation->root->opcode;
    return root == HLO_OP_MAXIMUM || root == HLO_OP_MINIMUM;
}

/* Whether it adds up terms in an unspecified order. */
static bool sums(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_BATCH_NORM_GRAD:
    case HLO_OP_BATCH_NORM_INFERENCE:
    case HLO_OP_BATCH_NORM_TRAINING:
    case HLO_OP_CUSTOM_CALL:
    case HLO_OP_SCAN:
    case HLO_OP_SELECT_AND_SCATTER: return true;
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_ALL_REDUCE_START:
    case HLO_OP_REDUCE:
    case HLO_OP_REDUCE_SCATTER:
    case HLO_OP_REDUCE_WINDOW:
    case HLO_OP_SCATTER: return !chooses(instr);
    default: return hlo_info(instr)->class == HLO_CLASS_DENSE;
    }
}

static bool is_complex(const hlo_instr *instr) {
    return hlo_type_is_complex((hlo_type)hlo_operand(instr, 0)->shape->type);
}

static bool computes(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_ABS: return is_complex(instr);
    case HLO_OP_ADD:
    case HLO_OP_CLAMP:
    case HLO_OP_CONVERT:
    case HLO_OP_DIVIDE:
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM:
    case HLO_OP_MULTIPLY:
    case HLO_OP_REDUCE_PRECISION:
    case HLO_OP_REMAINDER:
    case HLO_OP_SUBTRACT: return true;
    default: return hlo_info(instr)->class == HLO_CLASS_TRANSCENDENTAL || sums(instr);
    }
}

/* Whether its results are no more than rounded right. */
static bool is_rounded(const noise *n, const hlo_instr *instr) {
    if (n->kind == NOISE_OF_NANS) return false;
    switch (instr->opcode) {
    case HLO_OP_CLAMP:
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM:
    case HLO_OP_REMAINDER: return false;
    case HLO_OP_DIVIDE:
    case HLO_OP_MULTIPLY: return n->kind == NOISE_OF_PASSES || is_complex(instr);
    case HLO_OP_ADD:
    case HLO_OP_CONVERT:
    case HLO_OP_REDUCE_PRECISION:
    case HLO_OP_SUBTRACT: return n->kind == NOISE_OF_PASSES;
    default: return computes(instr);
    }
}

/* With a number that is any where the order of factors or terms decides it. */
static hlo_instr *in_any_order(noise *n, hlo_instr *instr) {
    double any = n->is_opposite ? NAN : 0;
    hlo_instr *product = product_in_any_order(&n->rewriter, instr, any);
    return product == instr ? sum_in_any_order(&n->rewriter, instr, any) : product;
}

static void move_result(noise *n, hlo_instr *instr) {
    hlo_rewriter_aim(&n->rewriter, instr);
    hlo_instr *before = instr->prev, *value = instr;
    if (n->kind != NOISE_OF_NANS) value = in_any_order(n, instr);
    hlo_instr *moved = noisy(n, value, is_rounded(n, instr));
    if (moved == instr) return;
    hlo_instr *first = before ? before->next : instr->parent->first;
    hlo_instr_move_before(instr, first);
    hlo_instr_replace_operand_uses(instr, moved);
    for (hlo_instr *made = first; made; made = made == moved ? NULL : made->next)
        for (uint32_t i = 0; i < made->operand_count; i++)
            if (hlo_operand(made, i) == moved) hlo_instr_set_operand(made, i, instr);
}

static void move_operands(noise *n, hlo_instr *instr) {
    hlo_rewriter_aim(&n->rewriter, instr);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (has_noise(hlo_operand(instr, i)->shape))
            hlo_instr_set_operand(instr, i, rounded(n, hlo_operand(instr, i)));
}

static void add_to(noise *n, hlo_computation *computation) {
    for (hlo_instr *i = computation->first, *next; i; i = next) {
        next = i->next;
        if (sums(i) && n->kind != NOISE_OF_NANS) move_operands(n, i);
        if (computes(i) && hlo_info(i)->class != HLO_CLASS_COLLECTIVE) move_result(n, i);
    }
}

/* Whether elements go through it one by one, as its caller defines it. */
static bool is_applied(const hlo_module *module, const hlo_computation *computation) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) {
            const hlo_attr *applied = hlo_instr_attr(i, HLO_ATTR_TO_APPLY);
            bool is_call = i->opcode == HLO_OP_CALL || i->opcode == HLO_OP_MAP;
            if (applied && applied->u.computation == computation && !is_call) return true;
        }
    return false;
}

void add_noise(hlo_module *module, noise_kind kind, uint32_t number) {
    noise n = {.dice = {number / 2}, .kind = kind};
    n.is_opposite = number % 2;
    n.is_snapped = number % 4 < 2;
    hlo_rewriter_init(&n.rewriter, module, NULL, NULL);
    n.rewriter.keeps_metadata = true;
    for (hlo_computation *c = module->first; c; c = c->next)
        if (!is_applied(module, c)) add_to(&n, c);
    hlo_rewriter_free(&n.rewriter);
}
