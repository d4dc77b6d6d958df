/* Folding of elementwise operations on constants. */
#include "stablehlo/simplify.h"

/* Whole numbers or floats, of static sizes. */
static bool is_plain(const hlo_mlir_type *type) {
    return hlo_mlir_is_static(type) && !type->other &&
           hlo_type_is_in(type->element, HLO_ELEMENTS_REAL);
}

/* How many elements are computed: one of splats. */
static int64_t distinct(bool is_splat, int64_t n) {
    return is_splat ? 1 : n;
}

bool hlo_simplify_fold_unary(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a;
    if (!is_plain(hlo_simplify_type(op)) || !hlo_dense_of(hlo_mlir_operand(op, 0), &a) ||
        hlo_type_is_complex(a.element))
        return false;
    int64_t n = distinct(a.is_splat, a.n);
    char *data = hlo_dense_new(s->module, a.type, n);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        if (!hlo_fold_one(op->id, a.element, hlo_dense_bits(&a, i), &bits)) return false;
        hlo_dense_set(a.element, data, i, bits);
    }
    return hlo_simplify_replace_constant(s, op,
                                         hlo_dense_attr(s->module, a.type, data, a.is_splat));
}

/* a OP b, both of one type; NULL: not folded. */
static const hlo_mlir_attr *fold_two(hlo_simplifier *s, hlo_mlir_op_id id, const hlo_dense *a,
                                     const hlo_dense *b) {
    if (a->type != b->type || hlo_type_is_complex(a->element)) return NULL;
    bool is_splat = a->is_splat && b->is_splat;
    int64_t n = distinct(is_splat, a->n);
    char *data = hlo_dense_new(s->module, a->type, n);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        if (!hlo_fold_two(id, a->element, hlo_dense_bits(a, i), hlo_dense_bits(b, i), &bits))
            return NULL;
        hlo_dense_set(a->element, data, i, bits);
    }
    return hlo_dense_attr(s->module, a->type, data, is_splat);
}

bool hlo_simplify_fold_binary(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a, b;
    if (!is_plain(hlo_simplify_type(op)) || !hlo_dense_of(hlo_mlir_operand(op, 0), &a) ||
        !hlo_dense_of(hlo_mlir_operand(op, 1), &b) || a.type != hlo_simplify_type(op))
        return false;
    const hlo_mlir_attr *result = fold_two(s, op->id, &a, &b);
    return result && hlo_simplify_replace_constant(s, op, result);
}

bool hlo_simplify_fold_clamp(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense least, x, most, raised;
    if (!is_plain(hlo_simplify_type(op)) || !hlo_dense_of(hlo_mlir_operand(op, 0), &least) ||
        !hlo_dense_of(hlo_mlir_operand(op, 1), &x) || !hlo_dense_of(hlo_mlir_operand(op, 2), &most))
        return false;
    const hlo_mlir_attr *attr = fold_two(s, HLO_MLIR_OP_STABLEHLO_MAXIMUM, &least, &x);
    if (!attr || !hlo_dense_from(attr, &raised)) return false;
    attr = fold_two(s, HLO_MLIR_OP_STABLEHLO_MINIMUM, &most, &raised);
    return attr && hlo_simplify_replace_constant(s, op, attr);
}

bool hlo_simplify_fold_compare(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a, b;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (!is_plain(type) || !hlo_dense_of(hlo_mlir_operand(op, 0), &a) ||
        !hlo_dense_of(hlo_mlir_operand(op, 1), &b) || a.type != b.type ||
        hlo_type_is_complex(a.element))
        return false;
    hlo_str kind = hlo_mlir_word_of(hlo_mlir_attr_of(op, "compare_type"));
    hlo_str direction = hlo_mlir_word_of(hlo_mlir_attr_of(op, "comparison_direction"));
    if (direction.len != 2) return false;
    bool as_unsigned = a.element == HLO_PRED || hlo_types[a.element].class == HLO_CLASS_UNSIGNED;
    if (kind.len && !hlo_str_is(kind, "NOTYPE")) as_unsigned = hlo_str_is(kind, "UNSIGNED");
    bool is_splat = a.is_splat && b.is_splat;
    int64_t n = distinct(is_splat, a.n);
    char *data = hlo_dense_new(s->module, type, n);
    for (int64_t i = 0; i < n; i++)
        data[i] = hlo_fold_compare(direction.ptr, a.element, as_unsigned, hlo_dense_bits(&a, i),
                                   hlo_dense_bits(&b, i));
    return hlo_simplify_replace_constant(s, op, hlo_dense_attr(s->module, type, data, is_splat));
}

bool hlo_simplify_fold_convert(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (!is_plain(type) || hlo_mlir_element_count(type) > HLO_SIMPLIFY_MOST_ELEMENTS ||
        !hlo_dense_of(hlo_mlir_operand(op, 0), &a))
        return false;
    int64_t n = distinct(a.is_splat, a.n);
    if (hlo_type_is_complex(a.element)) return false;
    char *data = hlo_dense_new(s->module, type, n);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        if (!hlo_fold_convert(a.element, type->element, hlo_dense_bits(&a, i), &bits)) return false;
        hlo_dense_set(type->element, data, i, bits);
    }
    return hlo_simplify_replace_constant(s, op, hlo_dense_attr(s->module, type, data, a.is_splat));
}

/* Element by element from x or y; all three of the same sizes, or the predicate a splat. */
static const hlo_mlir_attr *choose(hlo_simplifier *s, const hlo_dense *p, const hlo_dense *x,
                                   const hlo_dense *y) {
    char *data = hlo_dense_new(s->module, x->type, p->n);
    for (int64_t i = 0; i < p->n; i++)
        memcpy(data + (size_t)i * x->bytes, hlo_dense_at(hlo_dense_bits(p, i) ? x : y, i),
               x->bytes);
    return hlo_dense_attr(s->module, x->type, data, false);
}

static bool constant_arms(const hlo_mlir_op *op, hlo_dense *x, hlo_dense *y) {
    return hlo_dense_of(hlo_mlir_operand(op, 1), x) && hlo_dense_of(hlo_mlir_operand(op, 2), y) &&
           x->type == y->type;
}

bool hlo_simplify_fold_select(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense p, x, y;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (!is_plain(type) || !hlo_dense_of(hlo_mlir_operand(op, 0), &p) || !constant_arms(op, &x, &y))
        return false;
    if (p.is_splat) {
        hlo_mlir_value *arm = hlo_mlir_operand(op, hlo_dense_bits(&p, 0) ? 1 : 2);
        return hlo_simplify_replace_constant(s, op, hlo_mlir_constant_of(arm));
    }
    if (hlo_type_is_float(type->element) || p.n > HLO_SIMPLIFY_MOST_ELEMENTS || p.n != x.n)
        return false;
    return hlo_simplify_replace_constant(s, op, choose(s, &p, &x, &y));
}

bool hlo_simplify_select_known(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_value *on_true = hlo_mlir_operand(op, 1), *on_false = hlo_mlir_operand(op, 2);
    if (on_true == on_false) return hlo_simplify_replace_by(s, op, on_true);
    hlo_dense p, x, y;
    if (!hlo_dense_of(hlo_mlir_operand(op, 0), &p)) return false;
    if (p.is_splat)
        return hlo_simplify_replace_by(s, op, hlo_dense_bits(&p, 0) ? on_true : on_false);
    if (p.n > HLO_SIMPLIFY_MOST_ELEMENTS || !constant_arms(op, &x, &y) || p.n != x.n) return false;
    return hlo_simplify_replace_constant(s, op, choose(s, &p, &x, &y));
}
