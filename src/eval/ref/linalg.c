/* Plain cholesky and triangular-solve: the textbook's sums in double precision, matrix after
 * matrix. */
#include <math.h>

#include "base/cmplx.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/words.h"
#include "eval/ref/element.h"

typedef double _Complex number;

static number load(const hlo_value *x, int64_t at) {
    hlo_number element = hlo_load_from(x, at);
    return CMPLX(element.re, element.im);
}

static void store(hlo_value *out, int64_t at, number element) {
    hlo_store_to(out, at, (hlo_number){.re = creal(element), .im = cimag(element)});
}

/* ---- cholesky ---- */

typedef struct {
    bool lower;
    int64_t n;
} cholesky_state;

static bool prepare_cholesky(hlo_preparation *p) {
    cholesky_state *s = HLO_NEW_STATE(p, cholesky_state);
    s->lower = hlo_attr_int(p->instr, HLO_ATTR_LOWER) != 0;
    s->n = p->instr->shape->dims[p->instr->shape->rank - 1];
    if (hlo_shape_elements(p->instr->shape) > 0)
        hlo_prepare_scratch(p, (size_t)(s->n * s->n) * sizeof(number));
    p->result = HLO_RESULT_FRESH;
    p->state = s;
    return true;
}

/* l with a = l l^H, from the lower triangle of a or from that of its conjugate transpose. False
 * when a is not positive definite. */
static bool factor(const cholesky_state *s, const hlo_value *a, int64_t first, number *l) {
    int64_t n = s->n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            number sum = s->lower ? load(a, first + i * n + j) : conj(load(a, first + j * n + i));
            for (int64_t k = 0; k < j; k++) sum -= l[i * n + k] * conj(l[j * n + k]);
            if (i == j && !(creal(sum) > 0)) return false;
            l[i * n + j] = i == j ? sqrt(creal(sum)) : sum / creal(l[j * n + j]);
        }
    return true;
}

/* The element of the result: l, or for upper triangles l^H; nan where there is no l. */
static number factored(const cholesky_state *s, const number *l, bool exists, int64_t i,
                       int64_t j) {
    if (!exists) return NAN;
    if (s->lower) return j <= i ? l[i * s->n + j] : 0;
    return i <= j ? conj(l[j * s->n + i]) : 0;
}

static bool run_cholesky(hlo_call *call) {
    const cholesky_state *s = call->state;
    int64_t count = hlo_shape_elements(call->shape), n = s->n;
    number *l = call->scratch;
    if (!hlo_operands_are_full(call)) return false;
    for (int64_t first = 0; first < count; first += n * n) {
        bool exists = factor(s, call->in[0], first, l);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                store(call->out, first + i * n + j, factored(s, l, exists, i, j));
    }
    return true;
}

const hlo_kernel hlo_plain_cholesky = {prepare_cholesky, run_cholesky};

/* ---- triangular-solve ---- */

/* op(a) x = b with columns x and b; x op(a) = b is the same of transposed matrices. */
typedef struct {
    int64_t n, m;                /* of a, and columns of b */
    bool right;                  /* b's columns are its rows */
    bool transposed, conjugated; /* how a is read */
    bool lower, unit_diagonal;   /* of a as it is read */
} solve_state;

static bool prepare_triangular_solve(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    const hlo_shape *b = hlo_operand(instr, 1)->shape;
    solve_state *s = HLO_NEW_STATE(p, solve_state);
    s->right = hlo_attr_int(instr, HLO_ATTR_LEFT_SIDE) == 0;
    s->conjugated = hlo_attr_is(instr, HLO_ATTR_TRANSPOSE_A, "ADJOINT");
    bool op = s->conjugated || hlo_attr_is(instr, HLO_ATTR_TRANSPOSE_A, "TRANSPOSE");
    s->transposed = op != s->right;
    s->lower = (hlo_attr_int(instr, HLO_ATTR_LOWER) != 0) != s->transposed;
    s->unit_diagonal = hlo_attr_int(instr, HLO_ATTR_UNIT_DIAGONAL) != 0;
    s->n = b->dims[b->rank - (s->right ? 1 : 2)];
    s->m = b->dims[b->rank - (s->right ? 2 : 1)];
    hlo_prepare_scratch(p, (size_t)s->n * sizeof(number));
    p->result = HLO_RESULT_FRESH;
    p->state = s;
    return true;
}

static number triangle_element(const solve_state *s, const hlo_value *a, int64_t matrix, int64_t i,
                               int64_t j) {
    int64_t at = s->transposed ? j * s->n + i : i * s->n + j;
    number element = load(a, matrix * s->n * s->n + at);
    return s->conjugated ? conj(element) : element;
}

/* One column: from the end of the triangle that has one element in its row, each x from the ones
 * that are known. */
static void solve_column(const solve_state *s, const hlo_call *call, int64_t matrix, int64_t column,
                         number *x) {
    const hlo_value *a = call->in[0], *b = call->in[1];
    for (int64_t step = 0; step < s->n; step++) {
        int64_t i = s->lower ? step : s->n - 1 - step;
        int64_t at = s->right ? column * s->n + i : i * s->m + column;
        x[i] = load(b, matrix * s->n * s->m + at);
        for (int64_t known = 0; known < step; known++) {
            int64_t k = s->lower ? known : s->n - 1 - known;
            x[i] -= triangle_element(s, a, matrix, i, k) * x[k];
        }
        if (!s->unit_diagonal) x[i] /= triangle_element(s, a, matrix, i, i);
        store(call->out, matrix * s->n * s->m + at, x[i]);
    }
}

static bool run_triangular_solve(hlo_call *call) {
    const solve_state *s = call->state;
    int64_t elements = hlo_shape_elements(call->shape);
    if (!hlo_operands_are_full(call)) return false;
    for (int64_t matrix = 0; matrix * s->n * s->m < elements; matrix++)
        for (int64_t column = 0; column < s->m; column++)
            solve_column(s, call, matrix, column, call->scratch);
    return true;
}

const hlo_kernel hlo_plain_triangular_solve = {prepare_triangular_solve, run_triangular_solve};
