/* cholesky and triangular-solve, computed in double precision; threads share the matrices, or the
 * right sides of a large one. */
#include <complex.h>
#include <math.h>

#include "base/pool.h"
#include "eval/kernel/combine.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/words.h"
#include "eval/kernel/work_memory.h"
#include "eval/kernels/linalg/linalg.h"
#include "eval/kernels/linalg/triangle_strips.h"

#define TYPE f64
#define T double
#define CONJUGATE(x) (x)
#define REAL(x) (x)
#include "eval/kernels/linalg/linalg.inc"

#define TYPE c128
#define T double _Complex
#define CONJUGATE(x) conj(x)
#define REAL(x) creal(x)
#include "eval/kernels/linalg/linalg.inc"

/* ---- double precision ---- */

/* An array's elements as numbers of double precision: its own, or converted in scratch memory. */
typedef struct {
    hlo_type type, wide;
    int64_t elements;
    size_t at; /* in scratch memory, when the types differ */
} widening;

static widening prepare_widening(hlo_preparation *p, const hlo_shape *shape) {
    widening w = {.type = (hlo_type)shape->type, .elements = hlo_shape_elements(shape)};
    w.wide = hlo_type_is_complex(w.type) ? HLO_C128 : HLO_F64;
    if (w.elements > 0 && w.type != w.wide)
        w.at = hlo_prepare_scratch(p, (size_t)w.elements * hlo_types[w.wide].bytes);
    return w;
}

static int64_t wide_bytes(const widening *w) {
    return hlo_types[w->wide].bytes;
}

/* The wide elements of a result that starts as `x`, to be changed. */
static char *start_wide(const widening *w, const hlo_call *call, const hlo_value *x) {
    char *wide = w->type == w->wide ? call->out->data : (char *)call->scratch + w->at;
    hlo_convert_elements(w->type, w->wide, x->data, wide, (size_t)w->elements);
    return wide;
}

/* Makes them the elements of the result. */
static void store_wide(const widening *w, const hlo_call *call, const char *wide) {
    if (w->type != w->wide)
        hlo_convert_elements(w->wide, w->type, wide, call->out->data, (size_t)w->elements);
}

/* The wide elements of an operand. */
static const char *wide_operand(const widening *w, const hlo_call *call, const hlo_value *x) {
    if (w->type == w->wide) return x->data;
    char *wide = (char *)call->scratch + w->at;
    hlo_convert_elements(w->type, w->wide, x->data, wide, (size_t)w->elements);
    return wide;
}

/* About how long the n * n * m multiplications of a triangle take. */
static int64_t triangle_cost(int64_t n, int64_t m) {
    int64_t square, cost;
    if (__builtin_mul_overflow(n, n, &square) || __builtin_mul_overflow(square, m, &cost))
        return INT64_MAX;
    return cost / 2;
}

/* ---- cholesky ---- */

typedef struct {
    widening matrices; /* one after the other */
    int64_t n, count;
    bool lower;
} cholesky_state;

/* Matrices that are factored in place. */
typedef struct {
    const cholesky_state *state;
    char *matrices;
} factoring;

static bool prepare_cholesky(hlo_preparation *p) {
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    cholesky_state *state = HLO_NEW_STATE(p, cholesky_state);
    state->matrices = prepare_widening(p, shape);
    state->n = shape->dims[shape->rank - 1];
    state->count = state->matrices.elements ? state->matrices.elements / (state->n * state->n) : 0;
    state->lower = hlo_attr_int(p->instr, HLO_ATTR_LOWER) != 0;
    p->state = state;
    return true;
}

static void factor_matrices(void *context, int64_t first, int64_t last) {
    const factoring *f = context;
    const cholesky_state *s = f->state;
    int64_t bytes = s->n * s->n * wide_bytes(&s->matrices);
    for (int64_t i = first; i < last; i++)
        (s->matrices.wide == HLO_C128 ? cholesky_c128 : cholesky_f64)(f->matrices + i * bytes, s->n,
                                                                      s->lower);
}

static bool run_cholesky(hlo_call *call) {
    const cholesky_state *state = call->state;
    if (!hlo_operands_are_full(call)) return false;
    factoring f = {state, start_wide(&state->matrices, call, call->in[0])};
    hlo_parallel(state->count, hlo_grain(triangle_cost(state->n, state->n)), factor_matrices, &f);
    store_wide(&state->matrices, call, f.matrices);
    return true;
}

const hlo_kernel hlo_kernel_cholesky = {prepare_cholesky, run_cholesky};

/* ---- triangular-solve ---- */

typedef struct {
    hlo_triangle_case rule;
    int64_t count; /* of systems */
    widening triangles, values;
    hlo_work_memory of_piece; /* a triangle and values */
    /* Of real numbers: strips of each system; whether threads share these, and then where the
     * triangle is. */
    const hlo_gemm_set *set;
    int64_t strips;
    bool is_shared;
    size_t shared_at;
} solve_state;

/* ---- complex systems ---- */

typedef double _Complex number;

/* b[n,m] becomes x with l x = b, where l[n,n] is lower triangular. */
static void substitute(const number *l, number *b, int64_t n, int64_t m, bool unit_diagonal) {
    for (int64_t i = 0; i < n; i++) {
        number *row = b + i * m;
        for (int64_t k = 0; k < i; k++) {
            number factor = l[i * n + k];
            for (int64_t j = 0; j < m; j++) row[j] -= factor * b[k * m + j];
        }
        for (int64_t j = 0; j < m && !unit_diagonal; j++) row[j] /= l[i * n + i];
    }
}

/* Brings every case to a lower triangle on the left: by transposing, and by counting backwards.
 * `memory` has n * (n + m) numbers. */
static void solve_complex(const void *triangle, void *values, const hlo_triangle_case *s,
                          void *memory) {
    const number *a = triangle;
    number *b = values;
    int64_t n = s->n, m = s->m;
    number *l = memory, *x = l + n * n;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = s->backward ? n - 1 - i : i;
        for (int64_t j = 0; j <= i; j++) {
            int64_t column = s->backward ? n - 1 - j : j;
            number element = s->transposed ? a[column * n + row] : a[row * n + column];
            l[i * n + j] = s->conjugated ? conj(element) : element;
        }
        for (int64_t j = 0; j < m; j++) x[i * m + j] = s->right ? b[j * n + row] : b[row * m + j];
    }
    substitute(l, x, n, m, s->unit_diagonal);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = s->backward ? n - 1 - i : i;
        for (int64_t j = 0; j < m; j++)
            *(s->right ? &b[j * n + row] : &b[row * m + j]) = x[i * m + j];
    }
}

/* ---- systems ---- */

/* Systems one after the other; the values become the solutions. */
typedef struct {
    const solve_state *state;
    const hlo_call *call;
    const char *triangles;
    char *values;
    const double *l; /* of the system whose strips are shared */
} solving;

static hlo_triangle_case case_of(hlo_triangle triangle, const hlo_shape *b) {
    hlo_triangle_case s = {.right = !triangle.left,
                           .conjugated = triangle.conjugated,
                           .unit_diagonal = triangle.unit_diagonal};
    s.transposed = triangle.transposed != s.right;
    s.backward = triangle.lower == s.transposed;
    s.n = b->dims[b->rank - (s.right ? 1 : 2)];
    s.m = b->dims[b->rank - (s.right ? 2 : 1)];
    return s;
}

/* A system is shared where it is work enough for several threads. */
static void prepare_strips(hlo_preparation *p, solve_state *state) {
    int64_t n = state->rule.n, m = state->rule.m;
    state->set = hlo_gemm_chosen();
    int64_t width = hlo_strip_width(state->set);
    state->strips = hlo_units(m, width);
    state->is_shared = state->strips > 1 && triangle_cost(n, m) / 2 >= HLO_PIECE_COST;
    int64_t numbers = n * (width + 1) + (state->is_shared ? 0 : n * n);
    if (state->is_shared)
        state->shared_at = hlo_prepare_scratch(p, (size_t)(n * n) * sizeof(double));
    state->of_piece = hlo_prepare_work(p, (size_t)numbers * sizeof(double),
                                       !state->is_shared && state->count == 1);
}

bool hlo_prepare_triangular_solve(hlo_preparation *p, hlo_triangle triangle) {
    const hlo_shape *a = hlo_operand(p->instr, 0)->shape, *b = hlo_operand(p->instr, 1)->shape;
    solve_state *state = HLO_NEW_STATE(p, solve_state);
    state->rule = case_of(triangle, b);
    state->triangles = prepare_widening(p, a);
    p->state = state;
    int64_t n = state->rule.n, m = state->rule.m, elements = hlo_shape_elements(b);
    state->count = elements > 0 ? elements / (n * m) : 0;
    if (!hlo_type_is_complex((hlo_type)b->type)) {
        state->values = (widening){.type = (hlo_type)b->type, .wide = (hlo_type)b->type};
        state->values.elements = elements;
        if (state->count) prepare_strips(p, state);
        return true;
    }
    state->values = prepare_widening(p, b);
    if (state->count)
        state->of_piece = hlo_prepare_work(p, (size_t)(n * (n + m) * wide_bytes(&state->values)),
                                           state->count == 1);
    return true;
}

static bool prepare_triangular_solve(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    hlo_triangle triangle = {.left = hlo_attr_int(instr, HLO_ATTR_LEFT_SIDE) != 0,
                             .lower = hlo_attr_int(instr, HLO_ATTR_LOWER) != 0,
                             .unit_diagonal = hlo_attr_int(instr, HLO_ATTR_UNIT_DIAGONAL) != 0,
                             .conjugated = hlo_attr_is(instr, HLO_ATTR_TRANSPOSE_A, "ADJOINT")};
    triangle.transposed =
        triangle.conjugated || hlo_attr_is(instr, HLO_ATTR_TRANSPOSE_A, "TRANSPOSE");
    return hlo_prepare_triangular_solve(p, triangle);
}

/* One system, alone on its thread. */
static void solve_one(const solving *s, const void *triangle, void *values, void *memory) {
    const solve_state *state = s->state;
    const hlo_triangle_case *rule = &state->rule;
    if (!state->set) {
        solve_complex(triangle, values, rule, memory);
        return;
    }
    double *l = memory;
    hlo_strip_triangle(rule, triangle, l, 0, rule->n);
    hlo_strip_solve(state->set, rule, l, state->values.type, values, l + rule->n * rule->n, 0,
                    state->strips);
}

static void solve_systems(void *context, int64_t first, int64_t last) {
    const solving *s = context;
    const solve_state *state = s->state;
    int64_t n = state->rule.n, triangle = n * n * wide_bytes(&state->triangles);
    int64_t values = n * state->rule.m * wide_bytes(&state->values);
    void *memory = hlo_work_take(&state->of_piece, s->call);
    for (int64_t i = first; i < last; i++)
        solve_one(s, s->triangles + i * triangle, s->values + i * values, memory);
    hlo_work_leave(&state->of_piece, s->call, memory);
}

static void solve_strips(void *context, int64_t first, int64_t last) {
    const solving *s = context;
    const solve_state *state = s->state;
    void *memory = hlo_work_take(&state->of_piece, s->call);
    hlo_strip_solve(state->set, &state->rule, s->l, state->values.type, s->values, memory, first,
                    last);
    hlo_work_leave(&state->of_piece, s->call, memory);
}

/* Large systems, one after the other. */
static void share_systems(solving *s) {
    const solve_state *state = s->state;
    int64_t n = state->rule.n, bytes = n * state->rule.m * wide_bytes(&state->values);
    double *l = (double *)((char *)s->call->scratch + state->shared_at);
    s->l = l;
    for (int64_t i = 0; i < state->count; i++, s->values += bytes) {
        hlo_strip_triangle(&state->rule, (const double *)s->triangles + i * n * n, l, 0, n);
        hlo_parallel(state->strips, hlo_grain(triangle_cost(n, state->rule.m) / state->strips),
                     solve_strips, s);
    }
}

static bool run_triangular_solve(hlo_call *call) {
    const solve_state *state = call->state;
    if (!hlo_operands_are_full(call)) return false;
    if (!state->count) return true;
    solving s = {state, call, wide_operand(&state->triangles, call, call->in[0]),
                 start_wide(&state->values, call, call->in[1]), NULL};
    if (state->is_shared) share_systems(&s);
    else
        hlo_parallel(state->count, hlo_grain(triangle_cost(state->rule.n, state->rule.m)),
                     solve_systems, &s);
    if (!state->set) store_wide(&state->values, call, s.values);
    return true;
}

const hlo_kernel hlo_kernel_triangular_solve = {prepare_triangular_solve, run_triangular_solve};
