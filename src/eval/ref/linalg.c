/* cholesky and triangular-solve, computed in double precision. Called through the kernel table. */
#include <complex.h>
#include <math.h>

#include "eval/ref/combine.h"
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

hlo_value *hlo_eval_cholesky(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!hlo_operands_are_full(eval, instr, args)) return NULL;
    const hlo_shape *shape = args[0]->shape;
    int64_t n = shape->dims[shape->rank - 1], elements = hlo_shape_elements(shape);
    bool lower = hlo_attr_int(instr, HLO_ATTR_LOWER) != 0;
    bool is_complex = hlo_type_is_complex((hlo_type)shape->type);
    char *matrices = new_wide_copy(args[0]);
    int64_t bytes = hlo_types[wide_type(shape)].bytes;
    for (int64_t at = 0; at < elements; at += n * n)
        (is_complex ? cholesky_c128 : cholesky_f64)(matrices + at * bytes, n, lower);
    return new_result(instr, matrices);
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

hlo_value *hlo_eval_triangular_solve(hlo_eval *eval, const hlo_instr *instr,
                                     hlo_value *const *args) {
    if (!hlo_operands_are_full(eval, instr, args)) return NULL;
    const hlo_shape *shape = args[1]->shape;
    triangle_case s = case_of(instr, shape);
    bool is_complex = hlo_type_is_complex((hlo_type)shape->type);
    int64_t bytes = hlo_types[wide_type(shape)].bytes, elements = hlo_shape_elements(shape);
    char *triangles = new_wide_copy(args[0]), *values = new_wide_copy(args[1]);
    int64_t systems = elements ? elements / (s.n * s.m) : 0;
    for (int64_t i = 0; i < systems; i++)
        (is_complex ? solve_c128 : solve_f64)(triangles + i * s.n * s.n * bytes,
                                              values + i * s.n * s.m * bytes, &s);
    hlo_free(triangles);
    return new_result(instr, values);
}
