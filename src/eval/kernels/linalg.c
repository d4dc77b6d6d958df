/* cholesky and triangular-solve, computed in double precision; threads share the matrices. Called
 * through the kernel table. */
#include <complex.h>
#include <math.h>

#include "base/pool.h"
#include "eval/kernels/combine.h"
#include "eval/kernels/dynamic.h"
#include "eval/kernels/linalg.h"
#include "eval/kernels/words.h"
#include "eval/kernels/work_memory.h"

/* Solving op(a) x = b or x op(a) = b as l x = b with a lower triangle l. */
typedef struct {
    int64_t n, m;
    bool right;                            /* b is [m, n] and gets transposed */
    bool transposed, conjugated, backward; /* how l is read from a */
    bool unit_diagonal;
} triangle_case;

#define TYPE f64
#define T double
#define CONJUGATE(x) (x)
#define REAL(x) (x)
#include "eval/kernels/linalg.inc"

#define TYPE c128
#define T double _Complex
#define CONJUGATE(x) conj(x)
#define REAL(x) creal(x)
#include "eval/kernels/linalg.inc"

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
    triangle_case rule;
    int64_t count; /* of systems */
    widening triangles, values;
    hlo_work_memory of_piece; /* a triangle and values */
} solve_state;

/* Systems one after the other; the values become the solutions. */
typedef struct {
    const solve_state *state;
    const hlo_call *call;
    const char *triangles;
    char *values;
} solving;

static triangle_case case_of(hlo_triangle triangle, const hlo_shape *b) {
    triangle_case s = {.right = !triangle.left,
                       .conjugated = triangle.conjugated,
                       .unit_diagonal = triangle.unit_diagonal};
    s.transposed = triangle.transposed != s.right;
    s.backward = triangle.lower == s.transposed;
    s.n = b->dims[b->rank - (s.right ? 1 : 2)];
    s.m = b->dims[b->rank - (s.right ? 2 : 1)];
    return s;
}

bool hlo_prepare_triangular_solve(hlo_preparation *p, hlo_triangle triangle) {
    const hlo_shape *b = hlo_operand(p->instr, 1)->shape;
    solve_state *state = HLO_NEW_STATE(p, solve_state);
    state->rule = case_of(triangle, b);
    state->triangles = prepare_widening(p, hlo_operand(p->instr, 0)->shape);
    state->values = prepare_widening(p, b);
    p->state = state;
    if (state->values.elements <= 0) return true;
    int64_t n = state->rule.n, m = state->rule.m;
    state->count = state->values.elements / (n * m);
    state->of_piece =
        hlo_prepare_work(p, (size_t)(n * (n + m) * wide_bytes(&state->values)), state->count == 1);
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

static void solve_systems(void *context, int64_t first, int64_t last) {
    const solving *s = context;
    const solve_state *state = s->state;
    int64_t n = state->rule.n, bytes = wide_bytes(&state->values);
    int64_t triangle = n * n * bytes, values = n * state->rule.m * bytes;
    void *memory = hlo_work_take(&state->of_piece, s->call);
    for (int64_t i = first; i < last; i++)
        (state->values.wide == HLO_C128 ? solve_c128 : solve_f64)(
            s->triangles + i * triangle, s->values + i * values, &state->rule, memory);
    hlo_work_leave(&state->of_piece, s->call, memory);
}

static bool run_triangular_solve(hlo_call *call) {
    const solve_state *state = call->state;
    if (!hlo_operands_are_full(call)) return false;
    if (!state->count) return true;
    solving s = {state, call, wide_operand(&state->triangles, call, call->in[0]),
                 start_wide(&state->values, call, call->in[1])};
    hlo_parallel(state->count, hlo_grain(triangle_cost(state->rule.n, state->rule.m)),
                 solve_systems, &s);
    store_wide(&state->values, call, s.values);
    return true;
}

const hlo_kernel hlo_kernel_triangular_solve = {prepare_triangular_solve, run_triangular_solve};
