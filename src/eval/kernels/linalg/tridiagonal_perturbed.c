/* The custom call tridiagonal_solve_perturbed_ffi: tridiagonal systems by elimination with partial
 * pivoting, where a pivot that has vanished is replaced so that results stay finite. */
#include <float.h>
#include <math.h>

#include "base/cmplx.h"
#include "base/pool.h"
#include "eval/kernel/combine.h"
#include "eval/kernel/custom_call.h"
#include "eval/kernel/work_memory.h"

typedef double _Complex number;

/* One system after the other; numbers of f32 and c64 are rounded to them after every step. */
typedef struct {
    int64_t rows, columns;
    bool is_single;
    const number *lower, *middle, *upper; /* of the system */
    number *values;                       /* the right-hand sides, then the solution */
    number *factor[3];                    /* U: diagonal and the two above it */
} perturbed_solver;

static number rounded(const perturbed_solver *s, number x) {
    if (!s->is_single) return x;
    /* Volatile because gcc 12 vectorises two roundings under a condition into none. */
    volatile float re = (float)creal(x), im = (float)cimag(x);
    return CMPLX((double)re, (double)im);
}

static void swap(number *a, number *b) {
    number saved = *a;
    *a = *b;
    *b = saved;
}

/* Row i + 1 with row i eliminated from it; its unknowns begin at column i + 1 then. */
static void eliminate(perturbed_solver *s, int64_t i) {
    number row[3] = {s->lower[i + 1], s->middle[i + 1], s->upper[i + 1]};
    number *next = s->values + (i + 1) * s->columns, *own = next - s->columns;
    if (i + 2 == s->rows) row[2] = 0;
    if (cabs(row[0]) > cabs(s->factor[0][i])) {
        for (int k = 0; k < 3; k++) swap(&row[k], &s->factor[k][i]);
        for (int64_t j = 0; j < s->columns; j++) swap(&own[j], &next[j]);
    }
    bool is_zero = s->factor[0][i] == 0; /* then so is what it would eliminate */
    number times = is_zero ? 0 : rounded(s, row[0] / s->factor[0][i]);
    s->factor[0][i + 1] = rounded(s, row[1] - rounded(s, times * s->factor[1][i]));
    s->factor[1][i + 1] = rounded(s, row[2] - rounded(s, times * s->factor[2][i]));
    s->factor[2][i + 1] = 0;
    for (int64_t j = 0; j < s->columns; j++)
        next[j] = rounded(s, next[j] - rounded(s, times * own[j]));
}

static double least_normal(const perturbed_solver *s) {
    return s->is_single ? (double)FLT_MIN : DBL_MIN;
}

/* By how much a pivot is first moved: as much as rounding moves numbers of this matrix. */
static double step_of(const perturbed_solver *s) {
    double largest = 0;
    for (int64_t i = 0; i < s->rows; i++)
        for (int k = 0; k < 3; k++) largest = fmax(largest, cabs(s->factor[k][i]));
    return fmax(largest * (s->is_single ? (double)FLT_EPSILON : DBL_EPSILON), least_normal(s));
}

/* sum / pivot; the pivot is moved away from zero, twice as far every time, until that is finite. */
static number divide(const perturbed_solver *s, number sum, number pivot, double step) {
    double least = least_normal(s), move = copysign(step, creal(pivot));
    if (cabs(pivot) < least) pivot = 0;
    for (; cabs(pivot) < least || cabs(sum) * least > cabs(pivot); move *= 2) pivot += move;
    return rounded(s, sum / pivot);
}

static void substitute(perturbed_solver *s) {
    double step = step_of(s);
    for (int64_t i = s->rows; i-- > 0;) {
        number *x = s->values + i * s->columns;
        for (int64_t j = 0; j < s->columns; j++) {
            number sum = x[j];
            for (int k = 1; k < 3 && i + k < s->rows; k++)
                sum = rounded(s, sum - rounded(s, s->factor[k][i] * x[k * s->columns + j]));
            x[j] = divide(s, sum, s->factor[0][i], step);
        }
    }
}

static void solve(perturbed_solver *s) {
    s->factor[0][0] = s->middle[0];
    s->factor[1][0] = s->rows > 1 ? s->upper[0] : 0;
    s->factor[2][0] = 0;
    for (int64_t i = 0; i + 1 < s->rows; i++) eliminate(s, i);
    substitute(s);
}

/* Three diagonals and the right-hand sides, of one type and one batch. */
static bool are_shapes(const hlo_instr *instr) {
    const hlo_shape *b = instr->shape;
    if (instr->operand_count != 4 || !hlo_shape_is_array(b) || b->rank < 2 ||
        !hlo_shape_compatible(b, hlo_operand(instr, 3)->shape))
        return false;
    if (b->type != HLO_F32 && b->type != HLO_F64 && !hlo_type_is_complex((hlo_type)b->type))
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        const hlo_shape *diagonal = hlo_operand(instr, i)->shape;
        if (diagonal->type != b->type || diagonal->rank != b->rank - 1) return false;
        for (uint32_t d = 0; d < diagonal->rank; d++)
            if (diagonal->dims[d] != b->dims[d]) return false;
    }
    return true;
}

typedef struct {
    int64_t rows, columns;
    bool is_single;
    hlo_type type;
    int64_t elements, systems;         /* of the result; 0 when it is empty */
    size_t diagonals_at[3], values_at; /* in scratch memory, wide */
    int64_t grain;
    hlo_work_memory of_piece; /* factors */
} perturbed_state;

/* Systems one after the other. */
typedef struct {
    const perturbed_state *state;
    const hlo_call *call;
    const number *diagonals[3];
    number *values;
} perturbed_systems;

static const char *prepare_perturbed(hlo_preparation *p) {
    enum { PER_NUMBER = 20 };
    const hlo_shape *shape = p->instr->shape;
    if (!are_shapes(p->instr))
        return "does not have the operands and result of a tridiagonal solver";
    perturbed_state *state = HLO_NEW_STATE(p, perturbed_state);
    p->state = state;
    state->elements = hlo_shape_elements(shape);
    if (!state->elements) return NULL;
    state->type = (hlo_type)shape->type;
    state->rows = shape->dims[shape->rank - 2];
    state->columns = shape->dims[shape->rank - 1];
    state->is_single = shape->type == HLO_F32 || shape->type == HLO_C64;
    int64_t size = state->rows * state->columns;
    state->systems = state->elements / size;
    for (int i = 0; i < 3; i++)
        state->diagonals_at[i] =
            hlo_prepare_scratch(p, (size_t)(state->systems * state->rows) * sizeof(number));
    state->values_at = hlo_prepare_scratch(p, (size_t)state->elements * sizeof(number));
    state->grain = hlo_grain(size < HLO_PIECE_COST ? size * PER_NUMBER : size);
    state->of_piece =
        hlo_prepare_work(p, (size_t)state->rows * 3 * sizeof(number), state->systems == 1);
    return NULL;
}

static void solve_systems(void *context, int64_t first, int64_t last) {
    const perturbed_systems *all = context;
    const perturbed_state *state = all->state;
    perturbed_solver s = {
        .rows = state->rows, .columns = state->columns, .is_single = state->is_single};
    number *factors = hlo_work_take(&state->of_piece, all->call);
    for (int i = 0; i < 3; i++) s.factor[i] = factors + i * s.rows;
    for (int64_t k = first; k < last; k++) {
        s.lower = all->diagonals[0] + k * s.rows;
        s.middle = all->diagonals[1] + k * s.rows;
        s.upper = all->diagonals[2] + k * s.rows;
        s.values = all->values + k * s.rows * s.columns;
        solve(&s);
    }
    hlo_work_leave(&state->of_piece, all->call, factors);
}

static number *widen(const hlo_call *call, uint32_t i, size_t at, int64_t elements) {
    const perturbed_state *state = call->state;
    number *wide = (number *)((char *)call->scratch + at);
    hlo_convert_elements(state->type, HLO_C128, call->in[i]->data, wide, (size_t)elements);
    return wide;
}

static bool run_perturbed(hlo_call *call) {
    const perturbed_state *state = call->state;
    if (!state->systems) return true;
    perturbed_systems all = {.state = state, .call = call};
    for (uint32_t i = 0; i < 3; i++)
        all.diagonals[i] = widen(call, i, state->diagonals_at[i], state->systems * state->rows);
    all.values = widen(call, 3, state->values_at, state->elements);
    hlo_parallel(state->systems, state->grain, solve_systems, &all);
    hlo_convert_elements(HLO_C128, state->type, all.values, call->out->data,
                         (size_t)state->elements);
    return true;
}

const hlo_target hlo_target_tridiagonal_perturbed = {prepare_perturbed, run_perturbed, true};
