/* Diagonals, triangles and transposes of matrices in the last two dimensions: XLA's matrix.h. */
#include "base/math.h"
#include "build/lib/matrices.h"

hlo_term hlo_lib_iota(hlo_builder *b, hlo_type type, int64_t size) {
    return hlo_builder_iota(b, hlo_lib_shape(b, type, (hlo_int_list){1, &size}), 0);
}

static bool is_matrix(hlo_builder *b, const char *function, hlo_term x) {
    return hlo_lib_has_rank(b, function, x, 2);
}

/* ---- masks ---- */

hlo_term hlo_lib_identity_matrix(hlo_builder *b, hlo_element_type type, int64_t m, int64_t n) {
    HLO_BUILDER_CALL(b, NULL);
    if (m < 0 || n < 0)
        return hlo_builder_misuse(b, "%s: sizes %lld and %lld", __func__, (long long)m,
                                  (long long)n);
    hlo_term rows = hlo_lib_iota(b, HLO_U32, m), columns = hlo_lib_iota(b, HLO_U32, n);
    columns = hlo_builder_broadcast(b, columns, HLO_INTS(m));
    hlo_term equal = hlo_builder_eq(b, rows, columns, HLO_INTS(0));
    return hlo_builder_convert_element_type(b, equal, type);
}

typedef hlo_term two_terms(hlo_builder *, hlo_term, hlo_term, hlo_int_list);

/* Where row + diagonal compares with the column, for each matrix. */
static hlo_term mask_of(hlo_builder *b, hlo_term x, int64_t diagonal, two_terms *compare) {
    hlo_term columns = hlo_lib_iota(b, HLO_S32, hlo_lib_columns(x));
    hlo_term rows = hlo_lib_iota(b, HLO_S32, hlo_lib_rows(x));
    rows = hlo_builder_add(b, rows, hlo_lib_integer(b, HLO_S32, diagonal), HLO_NO_DIMS);
    columns = hlo_builder_broadcast(b, columns, HLO_INTS(hlo_lib_rows(x)));
    hlo_term mask = compare(b, rows, columns, HLO_INTS(0));
    return hlo_builder_broadcast(b, mask, hlo_lib_major_dims(x, 2));
}

static bool check_diagonal(hlo_builder *b, const char *function, hlo_term x, int64_t k) {
    if (!is_matrix(b, function, x)) return false;
    if (k >= INT32_MIN && k <= INT32_MAX) return true;
    hlo_builder_misuse(b, "%s: diagonal %lld", function, (long long)k);
    return false;
}

hlo_term hlo_lib_get_diagonal_mask(hlo_builder *b, hlo_term x, int64_t diagonal) {
    HLO_BUILDER_TAKES(b, x);
    if (!check_diagonal(b, "GetDiagonalMask", x, diagonal)) return NULL;
    return mask_of(b, x, diagonal, hlo_builder_eq);
}

hlo_term hlo_lib_triangle_mask(hlo_builder *b, hlo_term x, int64_t diagonal) {
    HLO_BUILDER_TAKES(b, x);
    if (!check_diagonal(b, "TriangleMask", x, diagonal)) return NULL;
    return mask_of(b, x, diagonal, hlo_builder_ge);
}

/* ---- diagonals ---- */

/* Of a type whose zero is neutral for it. */
static hlo_term sum_of(hlo_builder *b, hlo_term x, int64_t dimension) {
    if (!x) return NULL;
    bool bits = hlo_type_is_in((hlo_type)x->shape->type, HLO_ELEMENTS_BITS);
    return hlo_lib_reduced(b, x, 0, bits ? "or" : "add", HLO_INTS(dimension));
}

static hlo_term empty_diagonal(hlo_builder *b, hlo_term x) {
    hlo_int_list dims = hlo_lib_major_dims(x, 1);
    int64_t *sizes = hlo_lib_copied(b, dims);
    sizes[dims.count - 1] = 0;
    hlo_array nothing = {.type = hlo_lib_public((hlo_type)x->shape->type),
                         .rank = (uint32_t)dims.count,
                         .dims = sizes};
    return hlo_builder_constant(b, &nothing);
}

hlo_term hlo_lib_get_matrix_diagonal(hlo_builder *b, hlo_term x, int64_t k) {
    HLO_BUILDER_TAKES(b, x);
    if (!check_diagonal(b, "GetMatrixDiagonal", x, k)) return NULL;
    int64_t m = hlo_lib_rows(x), n = hlo_lib_columns(x), rank = x->shape->rank;
    if (k <= -m || k >= n) return empty_diagonal(b, x);
    hlo_term mask = hlo_lib_get_diagonal_mask(b, x, k);
    hlo_term masked = hlo_builder_select(b, mask, x, hlo_lib_zeros_like(b, x));
    hlo_term sum = sum_of(b, masked, rank - ((k == 0 && m >= n) || k < 0 ? 2 : 1));
    if (k == 0) return sum;
    return hlo_lib_slice_in_minor_dims(
        b, sum, HLO_INTS(0), HLO_INTS(k > 0 ? hlo_smaller(m, n - k) : hlo_smaller(n, m + k)));
}

/* Row and column of each element of the diagonal, s32[length, 2]. */
static hlo_term diagonal_indices(hlo_builder *b, int64_t length, int64_t k) {
    int64_t two = 2;
    int32_t start[] = {(int32_t)(k < 0 ? -k : 0), (int32_t)(k > 0 ? k : 0)};
    hlo_array vector = {HLO_TYPE_S32, 1, &two, NULL, start};
    hlo_term base = hlo_lib_iota(b, HLO_S32, length);
    base = hlo_builder_broadcast_in_dim(b, base, HLO_INTS(length, 2), HLO_INTS(0));
    hlo_term offset = k ? hlo_builder_constant(b, &vector)
                        : hlo_builder_broadcast(b, hlo_lib_integer(b, HLO_S32, 0), HLO_INTS(2));
    offset = hlo_builder_broadcast(b, offset, HLO_INTS(length));
    return hlo_builder_add(b, base, offset, HLO_NO_DIMS);
}

hlo_term hlo_lib_get_matrix_diagonal_via_gather(hlo_builder *b, hlo_term x, int64_t k) {
    HLO_BUILDER_TAKES(b, x);
    if (!check_diagonal(b, "GetMatrixDiagonalViaGather", x, k)) return NULL;
    int64_t m = hlo_lib_rows(x), n = hlo_lib_columns(x);
    int64_t length = hlo_smaller(m + hlo_smaller(k, 0), n - (k > 0 ? k : 0));
    hlo_term indices = diagonal_indices(b, length > 0 ? length : 0, k);
    size_t rank = x->shape->rank;
    int64_t *sizes = hlo_lib_copied(b, hlo_lib_dims(x)), *dims = hlo_lib_counting(b, rank);
    for (size_t i = rank - 2; i < rank; i++) sizes[i] = sizes[i] ? 1 : 0;
    hlo_int_list indexed = {2, dims + rank - 2};
    return hlo_builder_gather(b, x, indices, 1, (hlo_int_list){rank - 2, dims},
                              (hlo_int_list){rank, sizes}, indexed, indexed, true);
}

/* The diagonal in the first rows, or for k < 0 the first columns, of an array like the matrix. */
static hlo_term spread_diagonal(hlo_builder *b, hlo_term matrix, hlo_term diag, int64_t k) {
    size_t rank = diag->shape->rank;
    int64_t length = hlo_lib_size(diag, -1);
    int64_t high = (k < 0 ? hlo_lib_columns(matrix) : hlo_lib_rows(matrix)) - length;
    int64_t *places = hlo_lib_counting(b, rank);
    if (k < 0) places[rank - 1]++;
    if (high != 0)
        diag = hlo_lib_pad_in_dim(b, diag, hlo_lib_like(b, diag, 0), (int64_t)rank - 1, 0, high);
    return hlo_builder_broadcast_in_dim(b, diag, hlo_lib_dims(matrix),
                                        (hlo_int_list){rank, places});
}

hlo_term hlo_lib_set_matrix_diagonal(hlo_builder *b, hlo_term matrix, hlo_term diag, int64_t k) {
    HLO_BUILDER_TAKES(b, matrix, diag);
    if (!check_diagonal(b, "SetMatrixDiagonal", matrix, k) ||
        !hlo_lib_has_rank(b, "SetMatrixDiagonal", diag, 1))
        return NULL;
    if (diag->shape->rank + 1 != matrix->shape->rank)
        return hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                                "SetMatrixDiagonal: %s is not a diagonal of %s",
                                hlo_shape_name(&b->module->arena, diag->shape),
                                hlo_shape_name(&b->module->arena, matrix->shape));
    hlo_term spread = spread_diagonal(b, matrix, diag, k);
    hlo_term mask = hlo_lib_get_diagonal_mask(b, matrix, k);
    return spread ? hlo_builder_select(b, mask, spread, matrix) : NULL;
}

/* ---- triangles ---- */

hlo_term hlo_lib_triangle(hlo_builder *b, hlo_term x, bool lower) {
    HLO_BUILDER_TAKES(b, x);
    hlo_term mask = hlo_lib_triangle_mask(b, x, lower ? 0 : -1);
    if (!mask) return NULL;
    hlo_term zeros = hlo_lib_zeros_like(b, x);
    return lower ? hlo_builder_select(b, mask, x, zeros) : hlo_builder_select(b, mask, zeros, x);
}

hlo_term hlo_lib_upper_triangle(hlo_builder *b, hlo_term x) {
    return hlo_lib_triangle(b, x, false);
}

hlo_term hlo_lib_lower_triangle(hlo_builder *b, hlo_term x) {
    return hlo_lib_triangle(b, x, true);
}

hlo_term hlo_lib_transpose_in_minor_dims(hlo_builder *b, hlo_term x) {
    HLO_BUILDER_TAKES(b, x);
    if (!is_matrix(b, "TransposeInMinorDims", x)) return NULL;
    size_t rank = x->shape->rank;
    int64_t *order = hlo_lib_counting(b, rank);
    order[rank - 1] = (int64_t)rank - 2;
    order[rank - 2] = (int64_t)rank - 1;
    return hlo_builder_transpose(b, x, (hlo_int_list){rank, order});
}

hlo_term hlo_lib_maybe_transpose_in_minor_dims(hlo_builder *b, hlo_term x, bool transpose) {
    HLO_BUILDER_TAKES(b, x);
    return transpose ? hlo_lib_transpose_in_minor_dims(b, x) : x;
}

static bool is_square(hlo_builder *b, const char *function, hlo_term x) {
    if (!is_matrix(b, function, x)) return false;
    if (hlo_lib_rows(x) == hlo_lib_columns(x)) return true;
    hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS, "%s: the matrices of %s are not square",
                     function, hlo_shape_name(&b->module->arena, x->shape));
    return false;
}

/* The triangle with its diagonal, or without it. */
static hlo_term side_mask(hlo_builder *b, hlo_term x, bool lower, bool with_diagonal) {
    if (lower) return hlo_lib_triangle_mask(b, x, with_diagonal ? 0 : -1);
    return hlo_builder_not(b, hlo_lib_triangle_mask(b, x, with_diagonal ? -1 : 0));
}

/* Hermitian: the diagonal has no imaginary part, the other triangle the opposite one. */
static hlo_term hermitian(hlo_builder *b, hlo_term x, hlo_term mask, bool lower) {
    hlo_term re = hlo_builder_real(b, x), im = hlo_builder_imag(b, x);
    re = hlo_builder_select(b, mask, re, hlo_lib_transpose_in_minor_dims(b, re));
    hlo_term inside = side_mask(b, x, lower, false);
    im = hlo_builder_select(b, inside, im, hlo_lib_zeros_like(b, im));
    hlo_term other = hlo_builder_neg(b, hlo_lib_transpose_in_minor_dims(b, im));
    return hlo_builder_complex(b, re, hlo_builder_select(b, mask, im, other), HLO_NO_DIMS);
}

hlo_term hlo_lib_symmetrize(hlo_builder *b, hlo_term x, bool lower) {
    HLO_BUILDER_TAKES(b, x);
    if (!is_square(b, "Symmetrize", x)) return NULL;
    hlo_term mask = side_mask(b, x, lower, true);
    if (hlo_type_is_complex((hlo_type)x->shape->type)) return hermitian(b, x, mask, lower);
    return hlo_builder_select(b, mask, x, hlo_lib_transpose_in_minor_dims(b, x));
}
