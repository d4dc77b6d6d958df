/* Patterns of elementwise operations: constants on the right, neutral elements, inverses. */
#include "stablehlo/simplify.h"

/* The constant that is the operand, NULL: none. */
static const hlo_mlir_attr *constant(const hlo_mlir_op *op, uint32_t i) {
    return hlo_mlir_constant_of(hlo_mlir_operand(op, i));
}

/* The operand takes the operation's place, and its attributes that are not properties. */
static bool keep_operand(hlo_simplifier *s, hlo_mlir_op *op, uint32_t i) {
    hlo_mlir_value *kept = hlo_mlir_operand(op, i);
    hlo_simplify_merge_attrs(s, op, kept->op);
    return hlo_simplify_replace_by(s, op, kept);
}

bool hlo_simplify_constant_to_right(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_value *left = hlo_mlir_operand(op, 0), *right = hlo_mlir_operand(op, 1);
    if (!hlo_mlir_defined_by(left, HLO_MLIR_OP_STABLEHLO_CONSTANT) ||
        hlo_mlir_defined_by(right, HLO_MLIR_OP_STABLEHLO_CONSTANT))
        return false;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    const hlo_mlir_location *place = hlo_simplify_fuse(s, 2, (hlo_mlir_op *[]){op, left->op});
    hlo_mlir_op *swapped =
        hlo_simplify_new(s, op->id, place, 1, &type, 2, (hlo_mlir_value *[]){right, left}, 0);
    hlo_simplify_merge_attrs(s, op, swapped);
    return hlo_simplify_replace_by(s, op, &swapped->results[0]);
}

bool hlo_simplify_add_zero(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_dense_is_zero(constant(op, 1)) && keep_operand(s, op, 0);
}

bool hlo_simplify_subtract_zero(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_dense_is_zero(constant(op, 1)) && keep_operand(s, op, 0);
}

bool hlo_simplify_multiply_one(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_dense_is_one(constant(op, 1)) && keep_operand(s, op, 0);
}

bool hlo_simplify_multiply_zero(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_dense_is_int_zero(constant(op, 1)) && keep_operand(s, op, 1);
}

bool hlo_simplify_right_zero(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_dense_is_int_zero(constant(op, 1)) &&
           hlo_simplify_replace_by(s, op, hlo_mlir_operand(op, 1));
}

bool hlo_simplify_and_ones(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_dense_is_all_ones(constant(op, 1)) && keep_operand(s, op, 0);
}

bool hlo_simplify_or_ones(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_dense_is_all_ones(constant(op, 1)) && keep_operand(s, op, 1);
}

bool hlo_simplify_or_zero(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_dense_is_int_zero(constant(op, 1)) && keep_operand(s, op, 0);
}

bool hlo_simplify_xor_zero(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_dense_is_int_zero(constant(op, 1)) &&
           hlo_simplify_replace_by(s, op, hlo_mlir_operand(op, 0));
}

/* x OP x is 0. */
static bool cancels(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_mlir_operand(op, 0)->type;
    if (hlo_mlir_operand(op, 0) != hlo_mlir_operand(op, 1) || !hlo_mlir_is_static(type) ||
        type->other || !hlo_type_is_in(type->element, HLO_ELEMENTS_BITS))
        return false;
    return hlo_simplify_replace_constant(s, op, hlo_dense_zeros(s->module, type));
}

bool hlo_simplify_subtract_itself(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_mlir_operand(op, 0)->type->element != HLO_PRED && cancels(s, op);
}

bool hlo_simplify_xor_itself(hlo_simplifier *s, hlo_mlir_op *op) {
    return cancels(s, op);
}

/* convert and reshape */
bool hlo_simplify_of_same_type(hlo_simplifier *s, hlo_mlir_op *op) {
    return hlo_mlir_operand(op, 0)->type == hlo_simplify_type(op) && keep_operand(s, op, 0);
}

/* ---- complex numbers ---- */

bool hlo_simplify_complex_of_parts(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *real = hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_REAL);
    hlo_mlir_op *imag = hlo_mlir_defined_by(hlo_mlir_operand(op, 1), HLO_MLIR_OP_STABLEHLO_IMAG);
    if (!real || !imag || hlo_mlir_operand(real, 0) != hlo_mlir_operand(imag, 0)) return false;
    return hlo_simplify_replace_by(s, op, hlo_mlir_operand(real, 0));
}

static bool part_of_complex(hlo_simplifier *s, hlo_mlir_op *op, uint32_t part) {
    hlo_mlir_op *whole =
        hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_COMPLEX);
    return whole && hlo_simplify_replace_by(s, op, hlo_mlir_operand(whole, part));
}

bool hlo_simplify_real_of_complex(hlo_simplifier *s, hlo_mlir_op *op) {
    return part_of_complex(s, op, 0);
}

bool hlo_simplify_imag_of_complex(hlo_simplifier *s, hlo_mlir_op *op) {
    return part_of_complex(s, op, 1);
}

/* ---- compare ---- */

static bool goes(const hlo_mlir_op *op, const char *direction) {
    return hlo_str_is(hlo_mlir_word_of(hlo_mlir_attr_of(op, "comparison_direction")), direction);
}

static bool compares_with(hlo_simplifier *s, hlo_mlir_op *op, const char *direction, bool value) {
    const hlo_mlir_attr *right = constant(op, 1);
    if (!right || !goes(op, direction) || right->type->element != HLO_PRED || right->type->other)
        return false;
    return (value ? hlo_dense_is_int_one(right) : hlo_dense_is_int_zero(right)) &&
           hlo_simplify_replace_by(s, op, hlo_mlir_operand(op, 0));
}

bool hlo_simplify_equal_to_true(hlo_simplifier *s, hlo_mlir_op *op) {
    return compares_with(s, op, "EQ", true);
}

bool hlo_simplify_differs_from_false(hlo_simplifier *s, hlo_mlir_op *op) {
    return compares_with(s, op, "NE", false);
}

/* The same attribute with another word. */
static const hlo_mlir_attr *with_word(hlo_simplifier *s, const hlo_mlir_attr *attr, hlo_str word) {
    hlo_arena *arena = &s->module->arena;
    hlo_mlir_attr *copy = hlo_arena_copy(arena, attr, sizeof *attr);
    if (attr->kind == HLO_MLIR_STRUCT) {
        hlo_mlir_named *list = hlo_arena_copy(arena, attr->list.v, attr->list.n * sizeof *list);
        list[0].value = with_word(s, list[0].value, word);
        copy->list.v = list;
    } else {
        copy->u.text = word;
    }
    return copy;
}

static hlo_str turned(const hlo_mlir_op *op) {
    return goes(op, "GE")   ? HLO_STR("LE")
           : goes(op, "GT") ? HLO_STR("LT")
           : goes(op, "LE") ? HLO_STR("GE")
           : goes(op, "LT") ? HLO_STR("GT")
           : goes(op, "EQ") ? HLO_STR("EQ")
                            : HLO_STR("NE");
}

bool hlo_simplify_compare_order(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_str kind = hlo_mlir_word_of(hlo_mlir_attr_of(op, "compare_type"));
    if (!hlo_str_is(kind, "SIGNED") && !hlo_str_is(kind, "UNSIGNED")) return false;
    hlo_mlir_value *left = hlo_mlir_operand(op, 0), *right = hlo_mlir_operand(op, 1);
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (left == right) {
        if (!hlo_mlir_is_static(type)) return false;
        char *holds = hlo_arena_alloc(&s->module->arena, 1);
        *holds = goes(op, "EQ") || goes(op, "GE") || goes(op, "LE");
        return hlo_simplify_replace_constant(s, op, hlo_dense_attr(s->module, type, holds, true));
    }
    if (!hlo_mlir_constant_of(left) || hlo_mlir_constant_of(right)) return false;
    const hlo_mlir_attr *direction = hlo_mlir_attr_of(op, "comparison_direction");
    hlo_mlir_set_attr(s->module, op, "comparison_direction", with_word(s, direction, turned(op)));
    hlo_mlir_set_operand(op, 0, right);
    hlo_mlir_set_operand(op, 1, left);
    hlo_simplify_notify(s, op);
    return true;
}

/* ---- select ---- */

bool hlo_simplify_select_by_not(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *not = hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_NOT);
    if (!not ) return false;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    const hlo_mlir_location *place = hlo_simplify_fuse(s, 2, (hlo_mlir_op *[]){op, not });
    hlo_mlir_value *values[] = {hlo_mlir_operand(not, 0), hlo_mlir_operand(op, 2),
                                hlo_mlir_operand(op, 1)};
    hlo_mlir_op *swapped = hlo_simplify_new(s, op->id, place, 1, &type, 3, values, 0);
    hlo_simplify_merge_attrs(s, op, swapped);
    return hlo_simplify_replace_by(s, op, &swapped->results[0]);
}

bool hlo_simplify_select_by_broadcast_not(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *broadcast =
        hlo_mlir_defined_by(hlo_mlir_operand(op, 0), HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM);
    if (!broadcast || !hlo_mlir_has_one_use(&broadcast->results[0])) return false;
    hlo_mlir_op *not =
        hlo_mlir_defined_by(hlo_mlir_operand(broadcast, 0), HLO_MLIR_OP_STABLEHLO_NOT);
    if (!not ) return false;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    const hlo_mlir_location *place =
        hlo_simplify_fuse(s, 3, (hlo_mlir_op *[]){op, broadcast, not });
    hlo_mlir_op *spread = hlo_simplify_new_unary(
        s, broadcast->id, place, broadcast->results[0].type, hlo_mlir_operand(not, 0));
    hlo_mlir_set_attr(s->module, spread, "broadcast_dimensions",
                      hlo_mlir_attr_of(broadcast, "broadcast_dimensions"));
    hlo_mlir_value *values[] = {&spread->results[0], hlo_mlir_operand(op, 2),
                                hlo_mlir_operand(op, 1)};
    hlo_mlir_op *swapped = hlo_simplify_new(s, op->id, place, 1, &type, 3, values, 0);
    return hlo_simplify_replace_by(s, op, &swapped->results[0]);
}
