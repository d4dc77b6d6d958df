/* Singular values of matrices: Householder reflections make them bidiagonal, then one-sided Jacobi
 * rotations diagonal, as XLA's svd.h does it. */
#include "build/lib/matrices.h"

/* ---- small steps ---- */

static hlo_term block(hlo_builder *b, hlo_term x, hlo_term row, hlo_term column, int64_t rows,
                      int64_t columns) {
    if (!x || !row || !column) return NULL;
    return hlo_lib_dynamic_slice_in_minor_dims(b, x, HLO_INSTRS(row, column),
                                               HLO_INTS(rows, columns));
}

static hlo_term with_block(hlo_builder *b, hlo_term x, hlo_term part, hlo_term row,
                           hlo_term column) {
    if (!x || !part || !row || !column) return NULL;
    return hlo_lib_dynamic_update_slice_in_minor_dims(b, x, part, HLO_INSTRS(row, column));
}

/* The sum of squares along a dimension, which stays with size 1. */
static hlo_term squares(hlo_builder *b, hlo_term x, int64_t dimension) {
    if (!x) return NULL;
    int64_t *sizes = hlo_lib_copied(b, hlo_lib_dims(x));
    sizes[dimension] = 1;
    hlo_term sum = hlo_lib_reduced(b, hlo_lib_square(b, x), 0, "add", HLO_INTS(dimension));
    return hlo_builder_reshape(b, sum, HLO_NO_DIMS, (hlo_int_list){x->shape->rank, sizes});
}

static hlo_term spread(hlo_builder *b, hlo_term x, hlo_term like) {
    if (!x || !like) return NULL;
    hlo_int_list all = {like->shape->rank, hlo_lib_counting(b, like->shape->rank)};
    return hlo_builder_broadcast_in_dim(b, x, hlo_lib_dims(like), all);
}

/* ---- reflections ---- */

typedef struct {
    const hlo_lib_einsum_options *options;
    hlo_term eps;
} accuracy;

typedef struct {
    hlo_term v, beta;
} reflection;

/* H = I - beta v v', v being 1 at the pivot, makes zeros of what follows it in row i or column j.
 */
static reflection reflect(hlo_builder *b, hlo_term a, hlo_term i, hlo_term j, bool is_row,
                          hlo_term eps) {
    reflection none = {NULL, NULL};
    int64_t along = (int64_t)a->shape->rank - (is_row ? 1 : 2);
    hlo_term zero = hlo_lib_like(b, i, 0), pivot = is_row ? j : i;
    hlo_term x = is_row ? block(b, a, i, zero, 1, hlo_lib_columns(a))
                        : block(b, a, zero, j, hlo_lib_rows(a), 1);
    if (!x) return none;
    hlo_term index = hlo_builder_iota(b, hlo_lib_shape(b, HLO_S32, hlo_lib_dims(x)), along);
    hlo_formula f =
        hlo_formula_of(b, "x index pivot eps", (const hlo_term[]){x, index, pivot, eps});
    hlo_formula_run(&f, "v = select(index > pivot, x, zeros(x))");
    hlo_formula_set(&f, "sum", squares(b, hlo_formula_get(&f, "v"), along));
    hlo_formula_set(&f, "x0", is_row ? block(b, x, zero, j, 1, 1) : block(b, x, i, zero, 1, 1));
    hlo_formula_run(&f, "sigma = sqrt(sum); mu = sigma * sqrt(square(x0 / sigma) + 1);"
                        "v0 = select(x0 <= 0, x0 - mu, -(sigma * (sigma / (x0 + mu))));"
                        "beta = 2 / (square(sigma / v0) + 1); small = sigma < eps;"
                        "beta = select(small, zeros(beta), beta)");
    hlo_formula_set(&f, "all_small", spread(b, hlo_formula_get(&f, "small"), x));
    hlo_term v = hlo_formula_run(
        &f, "v = select(all_small, v, v / v0); select(index == pivot, full(v, 1), v)");
    return v ? (reflection){v, hlo_formula_get(&f, "beta")} : none;
}

/* x (I - beta v v') for v as a row, or as a column that stands on the right. */
static hlo_term times(hlo_builder *b, hlo_term x, reflection h, bool is_row,
                      const hlo_lib_einsum_options *o) {
    if (!x || !h.v) return NULL;
    hlo_term inner = hlo_lib_batch_dot(b, x, false, h.v, is_row, o);
    hlo_term outer = inner ? hlo_lib_batch_dot(b, inner, false, h.v, !is_row, o) : NULL;
    return outer ? HLO_FORMULA(b, "x - beta * y", "x beta y", x, h.beta, outer) : NULL;
}

/* (I - beta v v') x for v as a column. */
static hlo_term before(hlo_builder *b, hlo_term x, reflection h, const hlo_lib_einsum_options *o) {
    if (!x || !h.v) return NULL;
    hlo_term inner = hlo_lib_batch_dot(b, h.v, true, x, false, o);
    hlo_term outer = inner ? hlo_lib_batch_dot(b, h.v, false, inner, false, o) : NULL;
    return outer ? HLO_FORMULA(b, "x - beta * y", "x beta y", x, h.beta, outer) : NULL;
}

/* The state of all loops after their counters. */
enum { U, V, D, EPS, STATE };

static bool reflect_column(hlo_builder *b, hlo_term i, const hlo_term *state, hlo_term *updated,
                           const hlo_lib_einsum_options *o) {
    reflection h = reflect(b, state[D], i, i, false, state[EPS]);
    updated[U] = times(b, state[U], h, false, o);
    updated[V] = state[V];
    updated[D] = before(b, state[D], h, o);
    updated[EPS] = state[EPS];
    return !hlo_builder_failed(b);
}

static bool reflect_both(hlo_builder *b, hlo_term i, const hlo_term *values, hlo_term *updated,
                         size_t count, void *context) {
    const hlo_lib_einsum_options *o = context;
    if (count != STATE || !reflect_column(b, i, values, updated, o)) return false;
    hlo_term next = HLO_FORMULA(b, "i + 1", "i", i);
    reflection h = reflect(b, updated[D], i, next, true, values[EPS]);
    updated[V] = times(b, values[V], h, true, o);
    updated[D] = times(b, updated[D], h, true, o);
    return !hlo_builder_failed(b);
}

static bool make_bidiagonal(hlo_builder *b, hlo_term *state, hlo_lib_einsum_options *o) {
    int64_t n = hlo_lib_columns(state[D]);
    hlo_instrs_list all = {STATE, state};
    if (!hlo_lib_for_each_index(b, n - 2, HLO_TYPE_S32, reflect_both, all,
                                "HouseHolderBidiagonalization", o, state))
        return false;
    for (int64_t k = 2; k > 0; k--)
        if (n >= k && !reflect_column(b, hlo_lib_integer(b, HLO_S32, n - k), state, state, o))
            return false;
    return true;
}

/* ---- rotations ---- */

/* Cosines and sines of the rotations on both sides that make the elements at p and q diagonal:
 * first one that makes the four symmetric, then the one of Jacobi. */
static const char rotation[] =
    "t = pp + qq; d = qp - pq; u = t / d; w = rsqrt(1 + square(u)); tiny = abs(d) < eps;"
    "s0 = select(tiny, zeros(w), -w); c0 = select(tiny, full(w, 1), u * w);"
    "pp_ = c0 * pp - s0 * qp; pq_ = c0 * pq - s0 * qq; qq_ = s0 * pq + c0 * qq;"
    "tau = (qq_ - pp_) / (pq_ * 2); root = sqrt(1 + square(tau));"
    "t = select(tau >= 0, 1 / (tau + root), -1 / (root - tau)); c1 = rsqrt(1 + square(t));"
    "s1 = t * c1; large = abs(pq_) >= eps; c = select(large, c1, full(c1, 1));"
    "s = select(large, s1, zeros(s1)); norm = rsqrt(square(c) + square(s));"
    "rc = c * norm; rs = s * norm; lc = c0 * rc - s0 * rs; ls = s0 * rc + c0 * rs";

typedef struct {
    hlo_term p, q, c, s;
} turn;

static hlo_term line(hlo_builder *b, hlo_term x, hlo_term at, bool is_row) {
    hlo_term zero = hlo_lib_like(b, at, 0);
    return is_row ? block(b, x, at, zero, 1, hlo_lib_columns(x))
                  : block(b, x, zero, at, hlo_lib_rows(x), 1);
}

static hlo_term with_line(hlo_builder *b, hlo_term x, hlo_term part, hlo_term at, bool is_row) {
    hlo_term zero = hlo_lib_like(b, at, 0);
    return is_row ? with_block(b, x, part, at, zero) : with_block(b, x, part, zero, at);
}

/* Columns of an orthogonal matrix keep the length 1. */
static hlo_term unit(hlo_builder *b, hlo_term column) {
    if (!column) return NULL;
    hlo_term sum = squares(b, column, (int64_t)column->shape->rank - 2);
    return sum ? HLO_FORMULA(b, "x * rsqrt(s)", "x s", column, sum) : NULL;
}

/* Rows or columns p and q turned. */
static hlo_term turned(hlo_builder *b, hlo_term x, turn t, bool is_row, bool is_unit) {
    if (!x || hlo_builder_failed(b)) return NULL;
    hlo_term at_p = line(b, x, t.p, is_row), at_q = line(b, x, t.q, is_row);
    if (!at_q) return NULL;
    hlo_term all[] = {at_p, at_q, t.c, t.s};
    hlo_term new_p = hlo_formula_once(b, "c * p - s * q", "p q c s", all);
    hlo_term new_q = hlo_formula_once(b, "s * p + c * q", "p q c s", all);
    if (is_unit) new_p = unit(b, new_p);
    if (is_unit) new_q = unit(b, new_q);
    x = with_line(b, x, new_p, t.p, is_row);
    return with_line(b, x, new_q, t.q, is_row);
}

static void rotate(hlo_builder *b, hlo_term p, hlo_term q, const hlo_term *state,
                   hlo_term *updated) {
    hlo_term d = state[D], pp = block(b, d, p, p, 1, 1), pq = block(b, d, p, q, 1, 1);
    hlo_term qp = block(b, d, q, p, 1, 1), qq = block(b, d, q, q, 1, 1);
    if (!qq) return;
    hlo_formula f =
        hlo_formula_of(b, "pp pq qp qq eps", (const hlo_term[]){pp, pq, qp, qq, state[EPS]});
    hlo_formula_run(&f, rotation);
    turn left = {p, q, hlo_formula_get(&f, "lc"), hlo_formula_get(&f, "ls")};
    turn right = {p, q, hlo_formula_get(&f, "rc"), hlo_formula_get(&f, "rs")};
    d = turned(b, turned(b, d, left, true, false), right, false, false);
    hlo_term zero = hlo_formula_run(&f, "zeros(pp)");
    d = with_block(b, with_block(b, d, zero, p, q), zero, q, p);
    updated[U] = turned(b, state[U], left, false, true);
    updated[V] = turned(b, state[V], right, false, true);
    updated[D] = d;
    updated[EPS] = state[EPS];
}

/* ---- sweeps over all pairs p < q ---- */

typedef struct {
    int64_t n, sweeps;
} limits;

static hlo_term is_below(hlo_builder *b, hlo_term x, int64_t limit) {
    return hlo_builder_lt(b, x, hlo_lib_integer(b, HLO_S32, limit), HLO_NO_DIMS);
}

static hlo_term q_goes_on(hlo_builder *b, const hlo_term *values, size_t count, void *context) {
    (void)count;
    return is_below(b, values[1], ((const limits *)context)->n);
}

static bool turn_pair(hlo_builder *b, const hlo_term *values, hlo_term *updated, size_t count,
                      void *context) {
    (void)context;
    updated[0] = values[0];
    updated[1] = HLO_FORMULA(b, "q + 1", "q", values[1]);
    rotate(b, values[0], values[1], values + 2, updated + 2);
    return count == STATE + 2 && !hlo_builder_failed(b);
}

static hlo_term p_goes_on(hlo_builder *b, const hlo_term *values, size_t count, void *context) {
    (void)count;
    return is_below(b, values[0], ((const limits *)context)->n - 1);
}

static bool turn_with_all(hlo_builder *b, const hlo_term *values, hlo_term *updated, size_t count,
                          void *context) {
    hlo_term inner[STATE + 2] = {values[0], HLO_FORMULA(b, "p + 1", "p", values[0])};
    for (size_t i = 0; i < STATE; i++) inner[2 + i] = values[1 + i];
    if (count != STATE + 1 ||
        !hlo_lib_while_loop(b, q_goes_on, turn_pair, (hlo_instrs_list){STATE + 2, inner},
                            "CyclicOneSidedJacobi-Inner-Innermost", context, inner))
        return false;
    updated[0] = HLO_FORMULA(b, "p + 1", "p", values[0]);
    for (size_t i = 0; i < STATE; i++) updated[1 + i] = inner[2 + i];
    return true;
}

/* Some element beside the diagonal is greater than eps^2 times the two on it, in squares; of narrow
 * types computed in f32. */
static hlo_term is_coarse(hlo_builder *b, hlo_term d, hlo_term eps, int64_t n) {
    hlo_term w = hlo_lib_slice_in_minor_dims(b, d, HLO_INTS(0, 0), HLO_INTS(n, n));
    hlo_term diagonal = w ? hlo_lib_get_matrix_diagonal(b, w, 0) : NULL;
    if (!diagonal) return NULL;
    diagonal = HLO_FORMULA(b, "select(d < zeros(d), -d, d)", "d", diagonal);
    hlo_type type = (hlo_type)d->shape->type;
    bool narrow = hlo_types[type].bits <= 16;
    if (narrow) diagonal = hlo_lib_convert(b, diagonal, HLO_F32);
    if (narrow) eps = hlo_lib_convert(b, eps, HLO_F32);
    size_t rank = w->shape->rank;
    int64_t *places = hlo_lib_counting(b, rank - 1);
    hlo_int_list at = {rank - 1, places};
    hlo_term rows = hlo_builder_broadcast_in_dim(b, diagonal, hlo_lib_dims(w), at);
    places[rank - 2]++;
    hlo_term columns = hlo_builder_broadcast_in_dim(b, diagonal, hlo_lib_dims(w), at);
    hlo_term bound = HLO_FORMULA(b, "r * c * e * e", "r c e", rows, columns, eps);
    if (narrow) bound = hlo_lib_convert(b, bound, type);
    hlo_term mask = hlo_lib_get_diagonal_mask(b, w, 0);
    return HLO_FORMULA(b, "any(t < square(select(m, zeros(w), w)))", "t m w", bound, mask, w);
}

static hlo_term sweeps_go_on(hlo_builder *b, const hlo_term *values, size_t count, void *context) {
    const limits *l = context;
    (void)count;
    hlo_term more = is_below(b, values[0], l->sweeps);
    hlo_term coarse = is_coarse(b, values[1 + D], values[1 + EPS], l->n);
    return coarse ? hlo_builder_and(b, more, coarse, HLO_NO_DIMS) : NULL;
}

static bool sweep(hlo_builder *b, const hlo_term *values, hlo_term *updated, size_t count,
                  void *context) {
    hlo_term inner[STATE + 1] = {hlo_lib_integer(b, HLO_S32, 0)};
    for (size_t i = 0; i < STATE; i++) inner[1 + i] = values[1 + i];
    if (count != STATE + 1 ||
        !hlo_lib_while_loop(b, p_goes_on, turn_with_all, (hlo_instrs_list){STATE + 1, inner},
                            "CyclicOneSidedJacobi-Inner", context, inner))
        return false;
    updated[0] = HLO_FORMULA(b, "k + 1", "k", values[0]);
    for (size_t i = 0; i < STATE; i++) updated[1 + i] = inner[1 + i];
    return true;
}

static bool make_diagonal(hlo_builder *b, hlo_term *state, limits *l) {
    hlo_term all[STATE + 1] = {hlo_lib_integer(b, HLO_S32, 0)};
    for (size_t i = 0; i < STATE; i++) all[1 + i] = state[i];
    if (!hlo_lib_while_loop(b, sweeps_go_on, sweep, (hlo_instrs_list){STATE + 1, all},
                            "CyclicOneSidedJacobi", l, all))
        return false;
    for (size_t i = 0; i < STATE; i++) state[i] = all[1 + i];
    return true;
}

/* ---- the result: values in descending order, none negative ---- */

static hlo_term to_columns(hlo_builder *b, hlo_term vector, hlo_term like) {
    size_t rank = like->shape->rank;
    int64_t *places = hlo_lib_counting(b, rank - 1);
    places[rank - 2]++;
    return hlo_builder_broadcast_in_dim(b, vector, hlo_lib_dims(like),
                                        (hlo_int_list){rank - 1, places});
}

/* The columns in the order of their keys, and the keys. */
static hlo_term sorted_columns(hlo_builder *b, hlo_term keys, hlo_term x, hlo_term *sorted_keys) {
    if (!keys || !x) return NULL;
    hlo_element_type type = hlo_lib_public((hlo_type)x->shape->type);
    const hlo_computation *by = hlo_lib_gt_comparator(b, (hlo_element_type[]){type, type}, 2);
    if (!by) return NULL;
    hlo_term both =
        hlo_builder_sort(b, HLO_INSTRS(keys, x), by, (int64_t)x->shape->rank - 1, false);
    *sorted_keys = hlo_builder_get_tuple_element(b, both, 0);
    return hlo_builder_get_tuple_element(b, both, 1);
}

static hlo_lib_svd_result finished(hlo_builder *b, hlo_term *state, int64_t m, int64_t n) {
    hlo_lib_svd_result r = {NULL, NULL, NULL};
    hlo_term d = hlo_lib_get_matrix_diagonal(b, state[D], 0), keys = NULL;
    if (!d) return r;
    hlo_term sign = HLO_FORMULA(b, "select(d >= zeros(d), full(d, 1), full(d, -1))", "d", d);
    d = HLO_FORMULA(b, "select(d >= zeros(d), d, -d)", "d", d);
    if (!d) return r;
    hlo_term v = hlo_builder_mul(b, state[V], to_columns(b, sign, state[V]), HLO_NO_DIMS);
    hlo_term wide = to_columns(b, d, state[D]);
    hlo_term head = hlo_lib_slice_in_minor_dims(b, state[U], HLO_INTS(0, 0), HLO_INTS(m, n));
    hlo_term u = sorted_columns(b, wide, head, &keys);
    hlo_term rest = hlo_lib_slice_in_minor_dims(b, state[U], HLO_INTS(0, n), HLO_INTS(m, m));
    hlo_term square = hlo_lib_slice_in_minor_dims(b, wide, HLO_INTS(0, 0), HLO_INTS(n, n));
    v = sorted_columns(b, square, v, &keys);
    if (hlo_builder_failed(b)) return r;
    u = hlo_builder_concatenate(b, HLO_INSTRS(u, rest), (int64_t)u->shape->rank - 1);
    r.d = hlo_lib_get_matrix_diagonal(b, keys, 0);
    r.v = unit(b, v);
    r.u = unit(b, u);
    return r;
}

static hlo_term identities(hlo_builder *b, hlo_term a, int64_t size) {
    hlo_term one = hlo_lib_identity_matrix(b, hlo_lib_public((hlo_type)a->shape->type), size, size);
    return hlo_builder_broadcast(b, one, hlo_lib_major_dims(a, 2));
}

static hlo_lib_svd_result tall_svd(hlo_builder *b, hlo_term a, int64_t max_iter, float epsilon,
                                   hlo_lib_precision precision) {
    hlo_lib_svd_result none = {NULL, NULL, NULL};
    if (hlo_builder_failed(b)) return none;
    int64_t m = hlo_lib_rows(a), n = hlo_lib_columns(a);
    hlo_lib_einsum_options options = {.precision = precision};
    limits l = {n, max_iter};
    hlo_term state[STATE];
    state[U] = identities(b, a, m);
    state[V] = identities(b, a, n);
    state[D] = a;
    state[EPS] = hlo_lib_like(b, a, (double)epsilon);
    if (!make_bidiagonal(b, state, &options) || !make_diagonal(b, state, &l)) return none;
    return finished(b, state, m, n);
}

static bool check(hlo_builder *b, hlo_term a, int64_t max_iter) {
    if (!hlo_lib_has_rank(b, "SVD", a, 2) || !hlo_lib_is_real_float(b, "SVD", a)) return false;
    if (max_iter >= 0 && max_iter <= INT32_MAX) return true;
    hlo_builder_misuse(b, "SVD: %lld iterations", (long long)max_iter);
    return false;
}

hlo_lib_svd_result hlo_lib_svd(hlo_builder *b, hlo_term a, int64_t max_iter, float epsilon,
                               hlo_lib_precision precision) {
    static const hlo_lib_svd_result none = {NULL, NULL, NULL};
    HLO_BUILDER_CALL(b, none);
    if (!hlo_builder_has_all(b, __func__, (const void *const[]){a}, 1) || !check(b, a, max_iter))
        return none;
    if (hlo_lib_rows(a) >= hlo_lib_columns(a)) return tall_svd(b, a, max_iter, epsilon, precision);
    hlo_lib_svd_result r =
        tall_svd(b, hlo_lib_transpose_in_minor_dims(b, a), max_iter, epsilon, precision);
    return (hlo_lib_svd_result){r.v, r.d, r.u};
}
