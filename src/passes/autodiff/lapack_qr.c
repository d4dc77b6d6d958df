/* Rules of LAPACK's QR, of a matrix and of the orthogonal matrix that is made of its reflectors:
 * together, since reflectors have no simple derivative, and what is made of them has. */
#include "passes/autodiff/lapack.h"
#include "passes/autodiff/scope.h"

/* ---- orgqr, ungqr ---- */

static bool is_routine(const hlo_instr *call, const char *name) {
    const hlo_attr *attr = hlo_instr_attr(call, HLO_ATTR_CUSTOM_CALL_TARGET);
    char ending[32];
    int n = snprintf(ending, sizeof ending, "%s_ffi", name);
    hlo_str target = *attr->u.string;
    return target.len == strlen("lapack_d") + (uint32_t)n &&
           memcmp(target.ptr + strlen("lapack_d"), ending, (size_t)n) == 0;
}

static bool is_pivoted(const hlo_instr *factored) {
    return is_routine(factored, "geqp3");
}

/* Which result has the scales of the reflectors: the last one. */
static uint32_t scales_number(const hlo_instr *factored) {
    return is_pivoted(factored) ? 2 : 1;
}

/* The QR whose matrix, or scales, it is, perhaps cut or filled up; NULL: another value. */
static hlo_instr *factored_by(hlo_instr *part, bool is_scales) {
    while (part->opcode == HLO_OP_PAD || part->opcode == HLO_OP_SLICE ||
           part->opcode == HLO_OP_COPY)
        part = hlo_operand(part, 0);
    if (part->opcode != HLO_OP_GET_TUPLE_ELEMENT) return NULL;
    hlo_instr *call = hlo_operand(part, 0);
    if (call->opcode != HLO_OP_CUSTOM_CALL || (!is_routine(call, "geqrf") && !is_pivoted(call)))
        return NULL;
    return hlo_attr_int(part, HLO_ATTR_INDEX) == (is_scales ? scales_number(call) : 0) ? call
                                                                                       : NULL;
}

bool hlo_gradient_orgqr(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    hlo_instr *factored = factored_by(hlo_operand(instr, 0), false);
    hlo_instr *scales = hlo_operand(instr, 1);
    uint32_t rank = instr->shape->rank;
    if (!factored || factored_by(scales, true) != factored ||
        scales->opcode != HLO_OP_GET_TUPLE_ELEMENT)
        return hlo_gradient_refuse(g, instr, "has a gradient only for results of geqrf or geqp3");
    if (instr->shape->dims[rank - 1] != scales->shape->dims[rank - 2])
        return hlo_gradient_refuse(g, instr, "has a gradient only with one column per reflector");
    for (uint32_t i = 0; i < g->scope->orthogonals.n; i++)
        if (g->scope->orthogonals.v[i].factored == factored)
            return hlo_gradient_refuse(g, instr,
                                       "uses reflectors that another instruction uses too");
    hlo_instr *mark = number(g, scales, 0);
    hlo_list_push(&g->scope->orthogonals, ((hlo_orthogonal){factored, instr, c, mark}));
    hlo_gradient_add(g, instr, 1, mark);
    return true;
}

/* ---- geqrf, geqp3 ---- */

typedef struct {
    hlo_instr *q, *r; /* of the first columns, as many as there are values on the diagonal */
    hlo_instr *gq, *gr;
} factors;

/* For a = q r and cotangents by the inner product: with t the upper half of gr r^H - q^H gq,
 * (gq + q (t + t^H)) r^-H (see Walter and Lehmann, Algorithmic differentiation of linear algebra
 * functions, 2010). */
static hlo_instr *through_qr(hlo_gradient *g, const factors *f) {
    hlo_instr *t = NULL;
    if (f->gr) t = hlo_matrix_product(g, f->gr, hlo_matrix_adjoint(g, f->r));
    if (f->gq) {
        hlo_instr *part = hlo_matrix_product(g, hlo_matrix_adjoint(g, f->q), f->gq);
        t = t ? minus(g, t, part) : negated(g, part);
    }
    t = hlo_matrix_half(g, t, false);
    t = plus(g, t, hlo_matrix_adjoint(g, t));
    hlo_instr *of_q = hlo_matrix_product(g, f->q, t);
    if (f->gq) of_q = plus(g, f->gq, of_q);
    return hlo_matrix_solution(g, f->r, of_q, (hlo_system){.form = HLO_ADJOINT});
}

/* Columns after the first k: a2 = q r2. */
static hlo_instr *through_rest(hlo_gradient *g, factors *f, hlo_instr *a, hlo_instr *gr,
                               int64_t k) {
    uint32_t column = a->shape->rank - 1;
    int64_t n = a->shape->dims[column];
    hlo_instr *a2 = hlo_build_slice(g->r, a, column, k, n);
    if (!gr) return number(g, a2, 0);
    hlo_instr *gr2 = hlo_build_slice(g->r, gr, column, k, n);
    hlo_instr *of_q = hlo_matrix_product(g, a2, hlo_matrix_adjoint(g, gr2));
    f->gq = f->gq ? plus(g, f->gq, of_q) : of_q;
    return hlo_matrix_product(g, f->q, gr2);
}

/* What has reached reflectors below the diagonal is unknown until the program runs: nan then. */
static hlo_instr *unless_reflectors(hlo_gradient *g, hlo_instr *c, hlo_instr *of_a) {
    uint32_t rank = c->shape->rank;
    int64_t dims[] = {rank - 2, rank - 1};
    hlo_instr *low = hlo_matrix_triangle(g, c, "LT");
    hlo_instr *reached = hlo_build_compare(g->r, low, number(g, low, 0), "NE");
    reached = hlo_build_reduce(g->r, reached, HLO_OP_OR, dims, 2);
    const hlo_shape *pred = hlo_shape_with_type(&g->r->module->shapes, of_a->shape, HLO_PRED);
    int64_t *batch = hlo_malloc(rank * sizeof *batch);
    for (uint32_t i = 0; i < rank; i++) batch[i] = i;
    reached = hlo_build_spread(g->r, reached, pred, batch);
    hlo_free(batch);
    return hlo_build_select(g->r, reached, number(g, of_a, __builtin_nan("")), of_a);
}

static const hlo_orthogonal *orthogonal_of(const hlo_gradient *g, const hlo_instr *factored) {
    for (uint32_t i = 0; i < g->scope->orthogonals.n; i++)
        if (g->scope->orthogonals.v[i].factored == factored) return &g->scope->orthogonals.v[i];
    return NULL;
}

/* The matrix that has 1 where column j of what is factored is column i of the operand, which pivots
 * number from 1 on; NULL: it is the operand. */
static hlo_instr *order_of_columns(hlo_gradient *g, hlo_instr *instr, hlo_instr *a) {
    if (!is_pivoted(instr)) return NULL;
    hlo_rewriter *r = g->r;
    uint32_t rank = a->shape->rank;
    hlo_instr *pivots = hlo_gradient_element(g, instr, 1);
    const hlo_shape *square = hlo_matrix_resized(g, a, rank - 2, a->shape->dims[rank - 1])->shape;
    const hlo_shape *numbers =
        hlo_shape_with_type(&r->module->shapes, square, (hlo_type)pivots->shape->type);
    int64_t *dims = hlo_malloc(rank * sizeof *dims);
    for (uint32_t i = 0; i + 1 < rank; i++) dims[i] = i + 2 < rank ? i : i + 1;
    pivots = hlo_build_binary(r, HLO_OP_SUBTRACT, pivots, hlo_build_integer(r, pivots->shape, 1));
    hlo_instr *columns = hlo_build_spread(r, pivots, numbers, dims);
    hlo_free(dims);
    hlo_instr *is_it =
        hlo_build_compare(r, hlo_build_iota(r, numbers, (int64_t)rank - 2), columns, "EQ");
    hlo_instr *zero = hlo_build_integer(r, square, 0), *one = hlo_build_integer(r, square, 1);
    return hlo_build_select(r, is_it, one, zero);
}

bool hlo_gradient_geqrf(hlo_gradient *g, hlo_instr *instr, hlo_instr *none) {
    (void)none;
    const hlo_orthogonal *o = orthogonal_of(g, instr);
    hlo_instr *c = hlo_gradient_cotangent(g, instr, 0);
    hlo_instr *of_scales = hlo_gradient_cotangent(g, instr, scales_number(instr));
    if (of_scales && (!o || of_scales != o->mark))
        return hlo_gradient_refuse(g, instr,
                                   "has a gradient only for its triangle, and through orgqr");
    hlo_instr *a = hlo_gradient_operand(g, instr, 0);
    if (!hlo_shape_elements(a->shape)) return true;
    hlo_instr *order = order_of_columns(g, instr, a);
    if (order) a = hlo_matrix_product(g, a, order);
    uint32_t rank = a->shape->rank;
    int64_t m = a->shape->dims[rank - 2], n = a->shape->dims[rank - 1], k = m < n ? m : n;
    hlo_instr *packed = hlo_matrix_resized(g, hlo_gradient_element(g, instr, 0), rank - 2, k);
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    packed = hlo_matrix_resized(g, packed, rank - 1, k);
    factors f = {.r = hlo_matrix_triangle(g, packed, "GE")};
    hlo_instr *first = hlo_matrix_resized(g, a, rank - 1, k);
    f.q = o ? hlo_gradient_value(g, o->made)
            : hlo_matrix_solution(g, f.r, first, (hlo_system){.form = HLO_PLAIN});
    if (o) f.gq = conjugated(g, o->cotangent);
    hlo_instr *gr = c ? conjugated(g, hlo_matrix_triangle(g, c, "GE")) : NULL;
    if (gr) gr = hlo_matrix_resized(g, gr, rank - 2, k);
    hlo_instr *rest = n > k ? through_rest(g, &f, a, gr, k) : NULL;
    if (gr) f.gr = hlo_matrix_resized(g, gr, rank - 1, k);
    hlo_instr *of_a = through_qr(g, &f);
    if (rest) of_a = hlo_build_concatenate(g->r, (hlo_instr *[]){of_a, rest}, 2, rank - 1);
    if (order) of_a = hlo_matrix_product(g, of_a, hlo_matrix_adjoint(g, order));
    if (c) of_a = unless_reflectors(g, c, of_a);
    hlo_gradient_add(g, instr, 0, conjugated(g, of_a));
    return true;
}

bool hlo_gradient_geqp3(hlo_gradient *g, hlo_instr *instr, hlo_instr *none) {
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    return hlo_gradient_geqrf(g, instr, none);
}
