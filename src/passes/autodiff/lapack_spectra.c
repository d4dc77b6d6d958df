/* Rules of LAPACK's eigenvalues and singular values. Formulas are for cotangents by the inner
 * product, that is conjugates of those of the walk. */
#include <string.h>

#include "passes/autodiff/lapack.h"

/* ---- vectors and diagonals ---- */

/* Over the columns (the last dimension) or the rows of a matrix. */
static hlo_instr *along(hlo_gradient *g, hlo_instr *vector, hlo_instr *matrix, bool columns) {
    const hlo_shape *like =
        hlo_shape_with_type(&g->r->module->shapes, matrix->shape, (hlo_type)vector->shape->type);
    uint32_t rank = like->rank;
    int64_t *dims = hlo_malloc(rank * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++) dims[i] = i;
    if (columns) dims[rank - 2] = rank - 1;
    hlo_instr *out = hlo_build_spread(g->r, vector, like, dims);
    hlo_free(dims);
    return out;
}

static hlo_instr *as_type_of(hlo_gradient *g, hlo_instr *a, const hlo_instr *of) {
    return hlo_build_convert(g->r, a, (hlo_type)of->shape->type);
}

static hlo_instr *on_diagonal(hlo_gradient *g, hlo_instr *vector, hlo_instr *matrix) {
    hlo_instr *spread = as_type_of(g, along(g, vector, matrix, true), matrix);
    return where(g, hlo_matrix_where(g, matrix->shape, "EQ"), spread);
}

/* 1 / x, and 0 of 0. */
static hlo_instr *inverse(hlo_gradient *g, hlo_instr *x) {
    hlo_instr *is_zero = hlo_build_compare(g->r, x, number(g, x, 0), "EQ");
    hlo_instr *safe = hlo_build_select(g->r, is_zero, number(g, x, 1), x);
    hlo_instr *reciprocal = over(g, number(g, x, 1), safe);
    return hlo_build_select(g->r, is_zero, number(g, x, 0), reciprocal);
}

/* Whether the diagonal or not, 1 / (f(column) - f(row)) elsewhere, f being the vector or its
 * square.
 */
static hlo_instr *gaps(hlo_gradient *g, hlo_instr *vector, hlo_instr *matrix) {
    hlo_instr *of_column = along(g, vector, matrix, true);
    hlo_instr *difference = minus(g, of_column, along(g, vector, matrix, false));
    hlo_instr *is_diagonal = hlo_matrix_where(g, difference->shape, "EQ");
    hlo_instr *safe = hlo_build_select(g->r, is_diagonal, number(g, difference, 1), difference);
    hlo_instr *gap = over(g, number(g, difference, 1), safe);
    gap = hlo_build_select(g->r, is_diagonal, number(g, difference, 0), gap);
    return as_type_of(g, gap, matrix);
}

/* The same call with letters of flags exchanged and results of other shapes; arrays of the shape's
 * elements. */
static hlo_instr *called_again(hlo_gradient *g, hlo_instr *instr, const char *const *flags,
                               const hlo_shape *shape) {
    hlo_instr *a = hlo_gradient_operand(g, instr, 0);
    if (a->shape != hlo_operand(instr, 0)->shape)
        a = hlo_emit_unary(g->r, HLO_OP_COPY, hlo_operand(instr, 0)->shape, a);
    hlo_instr *again = hlo_emit_like(g->r, instr, shape, &a, 1);
    hlo_str config = *hlo_instr_attr(instr, HLO_ATTR_BACKEND_CONFIG)->u.string;
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_printf(&text, "%.*s", (int)config.len, config.ptr);
    for (int i = 0; flags[2 * i]; i++) {
        hlo_buf_char(&text, '\0');
        char *at = strstr(text.data, flags[2 * i]);
        HLO_ASSERT(text.len > 0);
        text.len--;
        at = at ? strstr(at, "78") : NULL; /* N */
        if (at) memcpy(at, flags[2 * i + 1], 2);
    }
    hlo_str *changed = HLO_NEW(&g->r->module->arena, hlo_str);
    *changed =
        (hlo_str){hlo_arena_copy(&g->r->module->arena, text.data, text.len), (uint32_t)text.len, 0};
    hlo_buf_free(&text);
    hlo_instr_set_attr(again, (hlo_attr){.id = HLO_ATTR_BACKEND_CONFIG, .u.string = changed});
    return again;
}

/* ---- syevd, heevd ---- */

/* For a v = v diag(w): with m = (v^H gv) / gaps and gw on its diagonal, a gets v m v^H, of which
 * the triangle that is read gets the lower half of it and its adjoint. */
bool hlo_gradient_syevd(hlo_gradient *g, hlo_instr *instr, hlo_instr *none) {
    (void)none;
    hlo_instr *of_v = hlo_gradient_cotangent(g, instr, 0);
    hlo_instr *of_w = hlo_gradient_cotangent(g, instr, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    hlo_instr *v, *w;
    if (!hlo_shape_elements(hlo_operand(instr, 0)->shape)) return true;
    if (hlo_lapack_flag(instr, "mode") == 'N') {
        if (of_v)
            return hlo_gradient_refuse(g, instr,
                                       "has no gradient for vectors that it does not compute");
        hlo_instr *again =
            called_again(g, instr, (const char *const[]){"mode", "86", NULL}, instr->shape);
        v = hlo_emit_element(g->r, again, 0);
        w = hlo_emit_element(g->r, again, 1);
    } else {
        v = hlo_gradient_element(g, instr, 0);
        w = hlo_gradient_element(g, instr, 1);
    }
    hlo_instr *m = NULL;
    if (of_v) {
        hlo_instr *right = conjugated(g, of_v);
        m = hlo_matrix_product(g, hlo_matrix_adjoint(g, v), right);
        m = times(g, m, gaps(g, w, m));
    }
    if (of_w) {
        hlo_instr *diagonal = on_diagonal(g, of_w, v);
        m = m ? plus(g, m, diagonal) : diagonal;
    }
    hlo_instr *adjoint = hlo_matrix_adjoint(g, v);
    hlo_instr *of_a = hlo_matrix_product(g, hlo_matrix_product(g, v, m), adjoint);
    of_a = plus(g, of_a, hlo_matrix_adjoint(g, of_a));
    of_a = hlo_matrix_half(g, of_a, hlo_lapack_flag(instr, "uplo") == 'L');
    hlo_gradient_add(g, instr, 0, conjugated(g, of_a));
    return true;
}

/* ---- gesdd, gesvd ---- */

typedef struct {
    hlo_instr *s, *u, *vt;     /* values */
    hlo_instr *of_s, *gu, *gv; /* cotangents; gv is of v, the adjoint of vt. NULL: none */
} decomposition;

/* Columns times s, or times 1 / s. */
static hlo_instr *scaled(hlo_gradient *g, hlo_instr *a, hlo_instr *s, bool columns) {
    return times(g, a, as_type_of(g, along(g, s, a, columns), a));
}

/* (q + q^H) for q = (x^H gx) / gaps of squares. */
static hlo_instr *turned(hlo_gradient *g, hlo_instr *xh, hlo_instr *gx, hlo_instr *s,
                         hlo_instr **product) {
    *product = hlo_matrix_product(g, xh, gx);
    hlo_instr *q = times(g, *product, gaps(g, squared(g, s), *product));
    return plus(g, q, hlo_matrix_adjoint(g, q));
}

static hlo_instr *sum(hlo_gradient *g, hlo_instr *a, hlo_instr *b) {
    return a && b ? plus(g, a, b) : a ? a : b;
}

/* Of u^H a v, square: from u (q + q^H) s, from v s (r + r^H), and of complex numbers what turns u
 * and v by the same phase. */
static hlo_instr *of_core(hlo_gradient *g, const decomposition *d) {
    hlo_instr *core =
        d->of_s
            ? on_diagonal(g, d->of_s, hlo_matrix_product(g, d->vt, hlo_matrix_adjoint(g, d->vt)))
            : NULL;
    hlo_instr *product;
    if (d->gu) {
        hlo_instr *q = turned(g, hlo_matrix_adjoint(g, d->u), d->gu, d->s, &product);
        core = sum(g, core, scaled(g, q, d->s, true));
        if (hlo_type_is_complex((hlo_type)product->shape->type)) {
            hlo_instr *skew = minus(g, product, hlo_matrix_adjoint(g, product));
            hlo_instr *factor = inverse(g, d->s);
            skew = scaled(g, times_number(g, skew, 0.5), factor, true);
            skew = where(g, hlo_matrix_where(g, skew->shape, "EQ"), skew);
            core = plus(g, core, skew);
        }
    }
    if (d->gv) {
        hlo_instr *r = turned(g, d->vt, d->gv, d->s, &product);
        core = sum(g, core, scaled(g, r, d->s, false));
    }
    return core;
}

/* gx without its part in the span of x, divided by s: (1 - x x^H) gx / s. */
static hlo_instr *outside(hlo_gradient *g, hlo_instr *x, hlo_instr *xh, hlo_instr *gx,
                          hlo_instr *s) {
    hlo_instr *inside = hlo_matrix_product(g, x, hlo_matrix_product(g, xh, gx));
    hlo_instr *factor = inverse(g, s);
    return scaled(g, minus(g, gx, inside), factor, true);
}

static hlo_instr *through_svd(hlo_gradient *g, const decomposition *d, int64_t m, int64_t n) {
    hlo_instr *core = of_core(g, d);
    hlo_instr *of_a = hlo_matrix_product(g, hlo_matrix_product(g, d->u, core), d->vt);
    if (m > n && d->gu) {
        hlo_instr *part = outside(g, d->u, hlo_matrix_adjoint(g, d->u), d->gu, d->s);
        of_a = plus(g, of_a, hlo_matrix_product(g, part, d->vt));
    }
    if (n > m && d->gv) {
        hlo_instr *part = outside(g, hlo_matrix_adjoint(g, d->vt), d->vt, d->gv, d->s);
        of_a = plus(g, of_a, hlo_matrix_product(g, d->u, hlo_matrix_adjoint(g, part)));
    }
    return of_a;
}

/* The shape of the call's result with vectors of the smaller number. */
static const hlo_shape *with_vectors(hlo_gradient *g, const hlo_instr *instr) {
    const hlo_shape *parts[5];
    const hlo_shape *a = hlo_operand(instr, 0)->shape;
    uint32_t rank = a->rank;
    int64_t m = a->dims[rank - 2], n = a->dims[rank - 1], k = m < n ? m : n;
    int64_t *sizes = hlo_malloc(rank * sizeof *sizes);
    for (uint32_t i = 0; i < 5; i++) parts[i] = instr->shape->elements[i];
    for (uint32_t i = 0; i < rank; i++) sizes[i] = a->dims[i];
    sizes[rank - 1] = k;
    parts[2] = hlo_shape_of_sizes(g->r, (hlo_type)a->type, sizes, rank);
    sizes[rank - 2] = k;
    sizes[rank - 1] = n;
    parts[3] = hlo_shape_of_sizes(g->r, (hlo_type)a->type, sizes, rank);
    hlo_free(sizes);
    return hlo_shape_tuple(&g->r->module->shapes, parts, 5);
}

bool hlo_gradient_gesvd(hlo_gradient *g, hlo_instr *instr, hlo_instr *none) {
    (void)none;
    const hlo_shape *a = hlo_operand(instr, 0)->shape;
    int64_t m = a->dims[a->rank - 2], n = a->dims[a->rank - 1];
    int64_t mode = hlo_lapack_flag(instr, "mode");
    hlo_instr *of_u = hlo_gradient_cotangent(g, instr, 2);
    hlo_instr *of_vt = hlo_gradient_cotangent(g, instr, 3);
    if (!hlo_shape_elements(a)) return true;
    if (hlo_gradient_cotangent(g, instr, 0))
        return hlo_gradient_refuse(g, instr, "has no gradient for its overwritten operand");
    bool needs_more = mode == 'A' && m != n;
    if ((of_u || of_vt) && (mode == 'N' || needs_more))
        return hlo_gradient_refuse(g, instr, "has a gradient only for as many vectors as values");
    hlo_instr *from = instr;
    if (mode == 'N')
        from = called_again(g, instr, (const char *const[]){"mode", "83", NULL},
                            with_vectors(g, instr));
    decomposition d = {.of_s = hlo_gradient_cotangent(g, instr, 1)};
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    hlo_instr **parts[] = {&d.s, &d.u, &d.vt};
    for (uint32_t i = 0; i < 3; i++)
        *parts[i] = from == instr ? hlo_gradient_element(g, instr, i + 1)
                                  : hlo_emit_element(g->r, from, i + 1);
    int64_t k = m < n ? m : n;
    d.u = hlo_matrix_resized(g, d.u, a->rank - 1, k);
    d.vt = hlo_matrix_resized(g, d.vt, a->rank - 2, k);
    if (of_u) d.gu = conjugated(g, of_u);
    if (of_vt) d.gv = hlo_matrix_transposed(g, of_vt);
    hlo_gradient_add(g, instr, 0, conjugated(g, through_svd(g, &d, m, n)));
    return true;
}

/* ---- geev ---- */

/* The sum over the rows of conj(u) v. */
static hlo_instr *inner_products(hlo_gradient *g, hlo_instr *u, hlo_instr *v) {
    int64_t rows = u->shape->rank - 2;
    return hlo_build_reduce(g->r, times(g, conjugated(g, u), v), HLO_OP_ADD, &rows, 1);
}

/* What has reached eigenvalues, as complex numbers; of a real matrix two results hold them. */
static hlo_instr *of_eigenvalues(hlo_gradient *g, hlo_instr *instr, bool is_complex,
                                 const hlo_instr *vectors) {
    if (is_complex) return hlo_gradient_cotangent(g, instr, 0);
    hlo_instr *real = hlo_gradient_cotangent_or_zeros(g, instr, 0);
    hlo_instr *imag = negated(g, hlo_gradient_cotangent_or_zeros(g, instr, 1));
    const hlo_shape *shape =
        hlo_shape_with_type(&g->r->module->shapes, real->shape, (hlo_type)vectors->shape->type);
    return hlo_emit_binary(g->r, HLO_OP_COMPLEX, shape, real, imag);
}

/* An eigenvalue with the left vector u and the right one v changes by u^H da v / u^H v. */
bool hlo_gradient_geev(hlo_gradient *g, hlo_instr *instr, hlo_instr *none) {
    (void)none;
    const hlo_shape *a = hlo_operand(instr, 0)->shape;
    bool is_complex = hlo_type_is_complex((hlo_type)a->type);
    uint32_t first = is_complex ? 1 : 2; /* result with vectors */
    if (hlo_gradient_cotangent(g, instr, first) || hlo_gradient_cotangent(g, instr, first + 1))
        return hlo_gradient_refuse(g, instr, "has a gradient only for eigenvalues");
    if (!hlo_shape_elements(a)) return true;
    static const char *const both[] = {"compute_left", "86", "compute_right", "86", NULL};
    hlo_instr *again = called_again(g, instr, both, instr->shape);
    hlo_instr *u = hlo_emit_element(g->r, again, first);
    hlo_instr *v = hlo_emit_element(g->r, again, first + 1);
    hlo_instr *c = of_eigenvalues(g, instr, is_complex, u);
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    hlo_instr *weights = over(g, c, inner_products(g, u, v));
    hlo_instr *spread = along(g, weights, u, true);
    hlo_instr *weighted = times(g, conjugated(g, u), spread);
    hlo_instr *of_a = hlo_build_matmul(g->r, weighted, v, true);
    if (!is_complex) {
        const hlo_shape *part =
            hlo_shape_with_type(&g->r->module->shapes, of_a->shape, (hlo_type)a->type);
        of_a = hlo_emit_unary(g->r, HLO_OP_REAL, part, of_a);
    }
    hlo_gradient_add(g, instr, 0, of_a);
    return true;
}
