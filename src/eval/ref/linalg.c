/* cholesky and triangular-solve, computed in double precision; threads share the matrices. Called
 * through the kernel table. */
#include <complex.h>
#include <math.h>

#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/combine.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/strides.h"
#include "eval/ref/words.h"

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
#include "eval/ref/linalg.inc"

#define TYPE c128
#define T double _Complex
#define CONJUGATE(x) conj(x)
#define REAL(x) creal(x)
#include "eval/ref/linalg.inc"

static hlo_type wide_type(const hlo_shape *shape) {
    return hlo_type_is_complex((hlo_type)shape->type) ? HLO_C128 : HLO_F64;
}

/* All elements in double precision, to be freed with hlo_free. */
static char *new_wide_copy(const hlo_value *x) {
    hlo_type type = wide_type(x->shape);
    size_t n = (size_t)hlo_shape_elements(x->shape);
    char *copy = hlo_malloc(n * hlo_types[type].bytes);
    hlo_convert_elements((hlo_type)x->shape->type, type, x->data, copy, n);
    return copy;
}

static hlo_value *new_result(const hlo_instr *instr, char *wide) {
    hlo_value *out = hlo_value_new(instr->shape);
    if (out)
        hlo_convert_elements(wide_type(instr->shape), (hlo_type)instr->shape->type, wide, out->data,
                             (size_t)hlo_shape_elements(instr->shape));
    hlo_free(wide);
    return out;
}

/* Matrices behind each other that are factored in place. */
typedef struct {
    char *matrices;
    int64_t n, bytes; /* of one matrix */
    bool lower, is_complex;
} factoring;

static void factor_matrices(void *context, int64_t first, int64_t last) {
    const factoring *f = context;
    for (int64_t i = first; i < last; i++)
        (f->is_complex ? cholesky_c128 : cholesky_f64)(f->matrices + i * f->bytes, f->n, f->lower);
}

/* About how long the n * n * m multiplications of a triangle take. */
static int64_t triangle_cost(int64_t n, int64_t m) {
    int64_t cost;
    if (__builtin_mul_overflow(n * n, m, &cost)) return INT64_MAX;
    return cost / 2;
}

hlo_value *hlo_eval_cholesky(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    const hlo_shape *shape = args[0]->shape;
    int64_t n = shape->dims[shape->rank - 1], elements = hlo_shape_elements(shape);
    factoring f = {.matrices = new_wide_copy(args[0]), .n = n};
    f.bytes = n * n * hlo_types[wide_type(shape)].bytes;
    f.lower = hlo_attr_int(instr, HLO_ATTR_LOWER) != 0;
    f.is_complex = hlo_type_is_complex((hlo_type)shape->type);
    hlo_parallel(elements ? elements / (n * n) : 0, hlo_grain(triangle_cost(n, n)), factor_matrices,
                 &f);
    return new_result(instr, f.matrices);
}

static triangle_case case_of(const hlo_instr *instr, const hlo_shape *b) {
    bool transposes = hlo_attr_is(instr, HLO_ATTR_TRANSPOSE_A, "TRANSPOSE");
    bool adjoint = hlo_attr_is(instr, HLO_ATTR_TRANSPOSE_A, "ADJOINT");
    bool lower = hlo_attr_int(instr, HLO_ATTR_LOWER) != 0;
    triangle_case s = {.conjugated = adjoint};
    s.right = !hlo_attr_int(instr, HLO_ATTR_LEFT_SIDE);
    s.transposed = (transposes || adjoint) != s.right;
    s.backward = lower == s.transposed;
    s.unit_diagonal = hlo_attr_int(instr, HLO_ATTR_UNIT_DIAGONAL) != 0;
    s.n = b->dims[b->rank - (s.right ? 1 : 2)];
    s.m = b->dims[b->rank - (s.right ? 2 : 1)];
    return s;
}

/* Systems behind each other; the values become the solutions. */
typedef struct {
    const triangle_case *rule;
    const char *triangles;
    char *values;
    int64_t bytes; /* of an element */
    bool is_complex;
} solving;

static void solve_systems(void *context, int64_t first, int64_t last) {
    const solving *s = context;
    int64_t triangle = s->rule->n * s->rule->n * s->bytes;
    int64_t values = s->rule->n * s->rule->m * s->bytes;
    for (int64_t i = first; i < last; i++)
        (s->is_complex ? solve_c128 : solve_f64)(s->triangles + i * triangle,
                                                 s->values + i * values, s->rule);
}

hlo_value *hlo_eval_triangular_solve(hlo_eval *eval, const hlo_instr *instr,
                                     hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    const hlo_shape *shape = args[1]->shape;
    triangle_case rule = case_of(instr, shape);
    int64_t elements = hlo_shape_elements(shape);
    char *triangles = new_wide_copy(args[0]), *values = new_wide_copy(args[1]);
    solving s = {.rule = &rule, .triangles = triangles, .values = values};
    s.bytes = hlo_types[wide_type(shape)].bytes;
    s.is_complex = hlo_type_is_complex((hlo_type)shape->type);
    hlo_parallel(elements ? elements / (rule.n * rule.m) : 0,
                 hlo_grain(triangle_cost(rule.n, rule.m)), solve_systems, &s);
    hlo_free(triangles);
    return new_result(instr, values);
}
