/* Decompositions of matrices, as the custom calls that XLA's qr.h, lu_decomposition.h and
 * self_adjoint_eig.h make, and determinants by them (logdet.h). */
#include <math.h>
#include <stdio.h>

#include "base/math.h"
#include "build/lib/matrices.h"

/* The batch dimensions and one more. */
static const hlo_shape *vectors(hlo_builder *b, hlo_term a, hlo_type type, int64_t size) {
    hlo_int_list dims = hlo_lib_major_dims(a, 1);
    int64_t *sizes = hlo_lib_copied(b, dims);
    sizes[dims.count - 1] = size;
    return hlo_lib_shape(b, type, (hlo_int_list){dims.count, sizes});
}

static const hlo_shape *like(hlo_builder *b, hlo_term a) {
    return hlo_lib_shape(b, (hlo_type)a->shape->type, hlo_lib_dims(a));
}

/* ---- QR ---- */

hlo_term hlo_lib_qr(hlo_builder *b, hlo_term a) {
    HLO_BUILDER_TAKES(b, a);
    if (!hlo_lib_has_rank(b, "QR", a, 2)) return NULL;
    int64_t size = hlo_smaller(hlo_lib_rows(a), hlo_lib_columns(a));
    const hlo_shape *parts[] = {like(b, a), vectors(b, a, (hlo_type)a->shape->type, size)};
    const hlo_shape *both = hlo_builder_tuple_shape(b, parts, 2);
    return hlo_builder_custom_call(b, "Qr", HLO_INSTRS(a), both, NULL, false);
}

hlo_term hlo_lib_product_of_elementary_householder_reflectors(hlo_builder *b, hlo_term a,
                                                              hlo_term taus) {
    HLO_BUILDER_TAKES(b, a, taus);
    static const char name[] = "ProductOfElementaryHouseholderReflectors";
    if (!hlo_lib_has_rank(b, name, a, 2) || !hlo_lib_has_rank(b, name, taus, 1)) return NULL;
    const hlo_shape *x = a->shape, *t = taus->shape;
    bool good = t->rank + 1 == x->rank && x->type == t->type &&
                hlo_lib_rows(a) >= hlo_lib_columns(a) &&
                hlo_lib_size(taus, -1) <= hlo_lib_columns(a);
    for (uint32_t i = 0; i + 2 < x->rank && good; i++) good = x->dims[i] == t->dims[i];
    if (!good)
        return hlo_builder_fail(
            b, HLO_RULE_OPERAND_DIMENSIONS, "%s: invalid shapes, got a=%s and taus=%s", name,
            hlo_shape_name(&b->module->arena, x), hlo_shape_name(&b->module->arena, t));
    return hlo_builder_custom_call(b, name, HLO_INSTRS(a, taus), like(b, a), NULL, false);
}

/* The reflectors as a matrix whose product has the wanted columns. */
static hlo_term reflectors(hlo_builder *b, hlo_term q_and_r, bool full_matrices) {
    int64_t m = hlo_lib_rows(q_and_r), n = hlo_lib_columns(q_and_r);
    if (m < n) return hlo_lib_slice_in_minor_dims(b, q_and_r, HLO_INTS(0, 0), HLO_INTS(m, m));
    if (!full_matrices) return q_and_r;
    hlo_term zero = hlo_lib_like(b, q_and_r, 0);
    return hlo_lib_pad_in_dim(b, q_and_r, zero, q_and_r->shape->rank - 1, 0, m - n);
}

static hlo_term explicit_parts(hlo_builder *b, hlo_term q_and_r, hlo_term taus, bool full) {
    int64_t m = hlo_lib_rows(q_and_r), n = hlo_lib_columns(q_and_r), p = hlo_smaller(m, n);
    hlo_term t = reflectors(b, q_and_r, full), r = q_and_r;
    hlo_term q = t ? hlo_lib_product_of_elementary_householder_reflectors(b, t, taus) : NULL;
    if (!q) return NULL;
    if (!full) q = hlo_lib_slice_in_minor_dims(b, q, HLO_INTS(0, 0), HLO_INTS(m, p));
    if (!full) r = hlo_lib_slice_in_minor_dims(b, r, HLO_INTS(0, 0), HLO_INTS(p, n));
    r = r ? hlo_lib_upper_triangle(b, r) : NULL;
    return r ? hlo_builder_tuple(b, HLO_INSTRS(q, r)) : NULL;
}

hlo_term hlo_lib_qr_explicit(hlo_builder *b, hlo_term a, bool full_matrices) {
    HLO_BUILDER_TAKES(b, a);
    hlo_term qr = hlo_lib_qr(b, a);
    if (!qr) return NULL;
    hlo_term q_and_r = hlo_builder_get_tuple_element(b, qr, 0);
    hlo_term taus = hlo_builder_get_tuple_element(b, qr, 1);
    return explicit_parts(b, q_and_r, taus, full_matrices);
}

/* ---- LU, eigenvalues ---- */

hlo_term hlo_lib_lu_decomposition(hlo_builder *b, hlo_term a) {
    HLO_BUILDER_TAKES(b, a);
    if (!hlo_lib_has_rank(b, "LuDecomposition", a, 2)) return NULL;
    int64_t m = hlo_lib_rows(a);
    const hlo_shape *parts[] = {like(b, a),
                                vectors(b, a, HLO_S32, hlo_smaller(m, hlo_lib_columns(a))),
                                vectors(b, a, HLO_S32, m)};
    const hlo_shape *all = hlo_builder_tuple_shape(b, parts, 3);
    return hlo_builder_custom_call(b, "LuDecomposition", HLO_INSTRS(a), all, NULL, false);
}

static bool is_square(hlo_builder *b, const char *function, hlo_term a) {
    if (!hlo_lib_has_rank(b, function, a, 2)) return false;
    if (hlo_lib_rows(a) == hlo_lib_columns(a)) return true;
    hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                     "arguments to %s must be (batched) square matrices, got: %s", function,
                     hlo_shape_name(&b->module->arena, a->shape));
    return false;
}

/* A float in decimal with six digits, whatever the locale. */
static void put_config(char *to, size_t size, bool lower, bool sorted, int64_t max_iter,
                       float tol) {
    int64_t millionths = (int64_t)llround((double)tol * 1e6);
    snprintf(to, size, "%d,%d,%lld,%lld.%06lld", lower, sorted, (long long)max_iter,
             (long long)(millionths / 1000000), (long long)(millionths % 1000000));
}

hlo_term hlo_lib_self_adjoint_eig(hlo_builder *b, hlo_term a, bool lower, int64_t max_iter,
                                  float tol, bool sort_eigenvalues) {
    HLO_BUILDER_TAKES(b, a);
    if (!is_square(b, "SelfAdjointEig", a)) return NULL;
    hlo_type type = (hlo_type)a->shape->type;
    if (!hlo_type_is_in(type, HLO_ELEMENTS_FLOAT_OR_COMPLEX))
        return hlo_builder_fail(
            b, HLO_RULE_ELEMENT_TYPE,
            "type of the input matrix must be floating point or complex: got %s",
            hlo_shape_name(&b->module->arena, a->shape));
    if (!(tol >= 0) || tol > 1e6f)
        return hlo_builder_misuse(b, "%s: tol is not a small positive number", __func__);
    char config[128];
    put_config(config, sizeof config, lower, sort_eigenvalues, max_iter, tol);
    const hlo_shape *parts[] = {like(b, a), vectors(b, a, hlo_type_part(type), hlo_lib_rows(a))};
    const hlo_shape *both = hlo_builder_tuple_shape(b, parts, 2);
    return hlo_builder_custom_call(b, "Eigh", HLO_INSTRS(a), both, config, false);
}

/* ---- determinants ---- */

/* The sign of each number of R's diagonal, and one change for each reflector that there is. */
static hlo_term sign_of(hlo_builder *b, hlo_term q_and_r, hlo_term taus) {
    int64_t last = q_and_r->shape->rank - 2, n = hlo_lib_columns(q_and_r);
    hlo_term diagonal = hlo_lib_einsum_of_one(b, q_and_r, "...aa->...a", NULL);
    hlo_term of_r = hlo_lib_reduced(b, hlo_builder_sign(b, diagonal), 1, "mul", HLO_INTS(last));
    hlo_term some = hlo_lib_slice_in_minor_dims(b, taus, HLO_INTS(0), HLO_INTS(n - 1));
    if (!some) return NULL;
    hlo_term changes = HLO_FORMULA(b, "select(t != zeros(t), full(t, -1), full(t, 1))", "t", some);
    hlo_term of_taus = hlo_lib_reduced(b, changes, 1, "mul", HLO_INTS(last));
    return hlo_builder_mul(b, of_r, of_taus, HLO_NO_DIMS);
}

hlo_lib_sign_and_log_det hlo_lib_slogdet(hlo_builder *b, hlo_term a) {
    static const hlo_lib_sign_and_log_det nothing = {NULL, NULL};
    HLO_BUILDER_CALL(b, nothing);
    if (!hlo_builder_has_all(b, __func__, (const void *const[]){a}, 1) ||
        !is_square(b, "logdet", a))
        return nothing;
    hlo_term qr = hlo_lib_qr(b, a);
    hlo_term q_and_r = qr ? hlo_builder_get_tuple_element(b, qr, 0) : NULL;
    hlo_term taus = qr ? hlo_builder_get_tuple_element(b, qr, 1) : NULL;
    if (!taus) return nothing;
    hlo_term logs = HLO_FORMULA(b, "log(abs(x))", "x", q_and_r);
    hlo_term sum = logs ? hlo_lib_einsum_of_one(b, logs, "...aa->...", NULL) : NULL;
    hlo_term sign = sum ? sign_of(b, q_and_r, taus) : NULL;
    return sign ? (hlo_lib_sign_and_log_det){sign, sum} : nothing;
}

hlo_term hlo_lib_logdet(hlo_builder *b, hlo_term a) {
    HLO_BUILDER_TAKES(b, a);
    hlo_lib_sign_and_log_det d = hlo_lib_slogdet(b, a);
    if (!d.sign) return NULL;
    return HLO_FORMULA(b, "select(s >= zeros(s), d, full(d, nan))", "s d", d.sign, d.log_det);
}
