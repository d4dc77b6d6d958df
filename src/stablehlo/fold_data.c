/* Folding of operations that move elements of constants, or that ask for sizes. */
#include "stablehlo/simplify.h"

enum { MOST_RANK = 64 };

static bool is_of(const hlo_mlir_type *type, unsigned elements) {
    return hlo_mlir_is_static(type) && !type->other && hlo_type_is_in(type->element, elements) &&
           type->rank <= MOST_RANK;
}

static bool has_few(const hlo_mlir_type *type) {
    return hlo_mlir_element_count(type) <= HLO_SIMPLIFY_MOST_ELEMENTS;
}

bool hlo_simplify_fold_broadcast(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (!is_of(type, HLO_ELEMENTS_ARRAY) || !hlo_dense_of(hlo_mlir_operand(op, 0), &a) ||
        !a.is_splat)
        return false;
    return hlo_simplify_replace_constant(s, op, hlo_dense_reshape(s->module, &a, type));
}

bool hlo_simplify_fold_reshape(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (!is_of(type, HLO_ELEMENTS_ARRAY) || !hlo_dense_of(hlo_mlir_operand(op, 0), &a))
        return false;
    return hlo_simplify_replace_constant(s, op, hlo_dense_reshape(s->module, &a, type));
}

/* ---- concatenate ---- */

static void put_elements(char *to, const hlo_dense *from, int64_t begin, int64_t n) {
    if (!from->is_splat) {
        if (n) memcpy(to, hlo_dense_at(from, begin), (size_t)n * from->bytes);
        return;
    }
    for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)i * from->bytes, from->data, from->bytes);
}

bool hlo_simplify_fold_concatenate(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_simplify_type(op);
    int64_t dim = hlo_mlir_number_of(op, "dimension", 0), outer = 1;
    if (!is_of(type, HLO_ELEMENTS_REAL) || !has_few(type) || dim < 0 || dim >= type->rank)
        return false;
    for (int64_t i = 0; i < dim; i++) outer *= type->dims[i];
    hlo_dense *parts = HLO_NEW_ARRAY(&s->module->arena, hlo_dense, op->operand_count);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!hlo_dense_of(hlo_mlir_operand(op, i), &parts[i])) return false;
    char *data = hlo_dense_new(s->module, type, hlo_mlir_element_count(type)), *to = data;
    for (int64_t k = 0; k < outer; k++)
        for (uint32_t i = 0; i < op->operand_count; i++) {
            int64_t n = parts[i].n / outer;
            put_elements(to, &parts[i], k * n, n);
            to += (size_t)n * parts[i].bytes;
        }
    return hlo_simplify_replace_constant(s, op, hlo_dense_attr(s->module, type, data, false));
}

static bool splat_of(const hlo_mlir_value *value, hlo_dense *out) {
    return hlo_dense_of(value, out) && out->is_splat;
}

/* How many operands from the `i`-th on are the same splat. */
static uint32_t equal_splats(const hlo_mlir_op *op, uint32_t i) {
    hlo_dense first, next;
    uint32_t n = 1;
    if (!splat_of(hlo_mlir_operand(op, i), &first)) return 1;
    while (i + n < op->operand_count && splat_of(hlo_mlir_operand(op, i + n), &next) &&
           hlo_dense_same(&first, &next))
        n++;
    return n;
}

bool hlo_simplify_join_splats(hlo_simplifier *s, hlo_mlir_op *op) {
    int64_t dim = hlo_mlir_number_of(op, "dimension", 0);
    hlo_mlir_value **values = HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_value *, op->operand_count);
    uint32_t n = 0;
    for (uint32_t i = 0, equal; i < op->operand_count; i += equal) {
        hlo_dense splat;
        int64_t dims[MOST_RANK];
        values[n++] = hlo_mlir_operand(op, i);
        equal = equal_splats(op, i);
        if (equal == 1 || !hlo_dense_of(values[n - 1], &splat) || splat.type->rank > MOST_RANK ||
            dim < 0 || dim >= splat.type->rank) {
            equal = 1;
            continue;
        }
        memcpy(dims, splat.type->dims, splat.type->rank * sizeof *dims);
        dims[dim] *= equal;
        const hlo_mlir_type *type = hlo_mlir_tensor(s->module, splat.type, splat.type->rank, dims);
        values[n - 1] =
            hlo_simplify_constant(s, op->location, hlo_dense_reshape(s->module, &splat, type));
    }
    if (n == op->operand_count) return false;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_op *joined = hlo_simplify_new(s, op->id, op->location, 1, &type, n, values, 0);
    hlo_mlir_set_attr(s->module, joined, "dimension", hlo_mlir_attr_of(op, "dimension"));
    return hlo_simplify_replace_by(s, op, &joined->results[0]);
}

/* ---- elements at strides ---- */

/* Elements of `from`, at `start` and from there by `step` elements in each dimension of the result.
 */
static const hlo_mlir_attr *take(hlo_simplifier *s, const hlo_dense *from,
                                 const hlo_mlir_type *type, int64_t start, const int64_t *step) {
    int64_t n = hlo_mlir_element_count(type), at = start, index[MOST_RANK] = {0};
    char *data = hlo_dense_new(s->module, type, n);
    for (int64_t i = 0; i < n; i++) {
        memcpy(data + (size_t)i * from->bytes, hlo_dense_at(from, at), from->bytes);
        for (uint32_t d = type->rank; d-- > 0;) {
            at += step[d];
            if (++index[d] < type->dims[d]) break;
            at -= index[d] * step[d];
            index[d] = 0;
        }
    }
    return hlo_dense_attr(s->module, type, data, false);
}

static void strides_of(const hlo_mlir_type *type, int64_t *out) {
    int64_t n = 1;
    for (uint32_t d = type->rank; d-- > 0; n *= type->dims[d]) out[d] = n;
}

bool hlo_simplify_fold_slice(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_numbers starts, steps;
    if (!is_of(type, HLO_ELEMENTS_REAL) || !hlo_dense_of(hlo_mlir_operand(op, 0), &a)) return false;
    if (a.is_splat)
        return hlo_simplify_replace_constant(s, op, hlo_dense_reshape(s->module, &a, type));
    if (!hlo_mlir_numbers_of(s->module, op, "start_indices", &starts) ||
        !hlo_mlir_numbers_of(s->module, op, "strides", &steps) || starts.n != a.type->rank ||
        steps.n != a.type->rank || type->rank != a.type->rank)
        return false;
    int64_t strides[MOST_RANK], start = 0;
    strides_of(a.type, strides);
    for (uint32_t d = 0; d < type->rank; d++) {
        start += starts.v[d] * strides[d];
        strides[d] *= steps.v[d];
    }
    return hlo_simplify_replace_constant(s, op, take(s, &a, type, start, strides));
}

bool hlo_simplify_fold_dynamic_slice(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (!hlo_mlir_is_static(type) || !splat_of(hlo_mlir_operand(op, 0), &a)) return false;
    return hlo_simplify_replace_constant(s, op, hlo_dense_reshape(s->module, &a, type));
}

bool hlo_simplify_fold_transpose(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_numbers order;
    if (!is_of(type, HLO_ELEMENTS_ARRAY) || !hlo_dense_of(hlo_mlir_operand(op, 0), &a))
        return false;
    if (a.is_splat)
        return hlo_simplify_replace_constant(s, op, hlo_dense_reshape(s->module, &a, type));
    if (hlo_type_is_complex(a.element) ||
        !hlo_mlir_numbers_of(s->module, op, "permutation", &order) || order.n != type->rank)
        return false;
    int64_t strides[MOST_RANK], steps[MOST_RANK];
    strides_of(a.type, strides);
    for (uint32_t d = 0; d < type->rank; d++) steps[d] = strides[order.v[d]];
    return hlo_simplify_replace_constant(s, op, take(s, &a, type, 0, steps));
}

bool hlo_simplify_fold_reverse(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense a;
    const hlo_mlir_type *type = hlo_simplify_type(op);
    hlo_mlir_numbers dims;
    if (!is_of(type, HLO_ELEMENTS_REAL) || !has_few(type) ||
        !hlo_dense_of(hlo_mlir_operand(op, 0), &a) || a.is_splat || a.n <= 1 ||
        !hlo_mlir_numbers_of(s->module, op, "dimensions", &dims))
        return false;
    bool reverses = false;
    int64_t strides[MOST_RANK], start = 0;
    strides_of(a.type, strides);
    for (uint32_t i = 0; i < dims.n; i++) {
        int64_t d = dims.v[i];
        reverses |= type->dims[d] != 1;
        start += (type->dims[d] - 1) * strides[d];
        strides[d] = -strides[d];
    }
    return reverses && hlo_simplify_replace_constant(s, op, take(s, &a, type, start, strides));
}

/* ---- iota, sizes ---- */

bool hlo_simplify_fold_iota(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_simplify_type(op);
    if (!is_of(type, HLO_ELEMENTS_BITS) || hlo_mlir_element_count(type) > 1) return false;
    return hlo_simplify_replace_constant(s, op, hlo_dense_zeros(s->module, type));
}

bool hlo_simplify_iota_of_one(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_simplify_type(op);
    int64_t dim = hlo_mlir_number_of(op, "iota_dimension", 0);
    if (!is_of(type, HLO_ELEMENTS_ARRAY) || dim < 0 || dim >= type->rank || type->dims[dim] != 1)
        return false;
    return hlo_simplify_replace_constant(s, op, hlo_dense_zeros(s->module, type));
}

bool hlo_simplify_fold_dimension_size(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_simplify_type(op), *of = hlo_mlir_operand(op, 0)->type;
    int64_t dim = hlo_mlir_number_of(op, "dimension", -1);
    if (!is_of(type, HLO_ELEMENTS_BITS) || of->kind != HLO_MLIR_TENSOR || dim < 0 ||
        dim >= of->rank || of->dims[dim] == HLO_UNBOUNDED)
        return false;
    char *data = hlo_dense_new(s->module, type, 1);
    hlo_dense_set(type->element, data, 0, (uint64_t)of->dims[dim]);
    return hlo_simplify_replace_constant(s, op, hlo_dense_attr(s->module, type, data, true));
}

bool hlo_simplify_set_size_of_all(hlo_simplifier *s, hlo_mlir_op *op) {
    const hlo_mlir_type *type = hlo_simplify_type(op);
    int64_t dim = hlo_mlir_number_of(op, "dimension", -1);
    hlo_dense size;
    if (hlo_mlir_operand(op, 0)->type != type || !splat_of(hlo_mlir_operand(op, 1), &size) ||
        dim < 0 || dim >= type->rank || !hlo_is_whole(size.element) ||
        hlo_dense_signed(&size, 0) != type->dims[dim])
        return false;
    hlo_simplify_replace_uses(s, &op->results[0], hlo_mlir_operand(op, 0));
    return true;
}
