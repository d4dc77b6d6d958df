/* fft: transforms of the last dimensions in the precision of their type, one stage for each, or two
 * where one long line is the array. */
#include "eval/kernel/dynamic.h"
#include "eval/kernel/words.h"
#include "eval/kernels/fft/fft_lines.h"

enum { MOST_STAGES = 4 };

typedef struct {
    uint32_t count; /* of stages; 0: there are no dimensions or no elements */
    hlo_fft_stage stages[MOST_STAGES];
    bool grid_is_result;  /* what is between stages stands where the result will */
    size_t grid_at;       /* else: in scratch memory */
    hlo_work_memory work; /* of a piece */
} fft_state;

/* ---- what is known before a run ---- */

/* XLA's verifier compares the lengths of RFFT and IRFFT only; what its backends make of other
 * lengths in FFT and IFFT is an assertion or uninitialised bytes, but an array without elements is
 * its own transform. */
bool hlo_check_fft_lengths(hlo_preparation *p) {
    const hlo_ints *lengths = hlo_attr_ints(p->instr, HLO_ATTR_FFT_LENGTH);
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    if (hlo_shape_elements(shape) == 0) return true;
    uint32_t first = shape->rank - lengths->n;
    for (uint32_t i = 0; i < lengths->n; i++)
        if (lengths->v[i] != shape->dims[first + i])
            return hlo_prepare_error(
                p, HLO_RULE_FFT_LENGTH, "has the length %lld for dimension %u of %s",
                (long long)lengths->v[i], first + i, hlo_shape_name(p->arena, shape));
    return true;
}

/* The same of RFFT and IRFFT, whose last dimension the shapes' rules have compared. */
static bool check_real_length(hlo_preparation *p, int64_t there, int64_t wanted) {
    if (there == wanted) return true;
    return hlo_prepare_error(p, HLO_RULE_FFT_LENGTH,
                             "expects %lld elements along the last dimension, not %lld",
                             (long long)wanted, (long long)there);
}

static hlo_fft_form form_of(const hlo_instr *instr, int64_t last) {
    if (hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "RFFT"))
        return last % 2 ? HLO_FFT_FROM_REAL : HLO_FFT_FROM_HALVES;
    if (hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "IRFFT"))
        return last % 2 ? HLO_FFT_TO_REAL : HLO_FFT_TO_HALVES;
    return HLO_FFT_COMPLEX;
}

/* What stages are made from: they are added in the order of the run, each reads what the one before
 * it wrote. */
typedef struct {
    hlo_preparation *p;
    fft_state *state;
    const hlo_fft_arithmetic *arithmetic;
    hlo_type type; /* of the grid between stages */
    bool inverse;
    const int64_t *dims; /* of the grid's transformed dimensions */
    uint32_t rank;
    int64_t lines; /* of the last dimension */
} stage_maker;

static void add_stage(stage_maker *m, hlo_fft_stage stage) {
    stage.inverse = m->inverse;
    stage.arithmetic = m->arithmetic;
    stage.from.type = stage.to.type = m->type;
    hlo_fft_prepare_stage(m->p->arena, &stage);
    m->state->stages[m->state->count++] = stage;
}

/* Columns of matrices with n rows. */
static void add_columns(stage_maker *m, int64_t n, int64_t columns, const hlo_fft_twist *twist) {
    hlo_fft_place place = {.batch = n * columns, .line = 1, .number = columns};
    int64_t batches = m->lines * m->dims[m->rank - 1] / (n * columns);
    add_stage(m, (hlo_fft_stage){.n = n,
                                 .batches = batches,
                                 .lines = columns,
                                 .from = place,
                                 .to = place,
                                 .twist = twist});
}

/* All dimensions but the last one. */
static void add_outer_dimensions(stage_maker *m) {
    int64_t inner = m->dims[m->rank - 1];
    for (uint32_t d = m->rank - 1; d-- > 0; inner *= m->dims[d])
        add_columns(m, m->dims[d], inner, NULL);
}

/* A long line as a matrix of n1 rows: its columns are transformed, then its rows, which become the
 * columns of the result. */
static void add_long_line(stage_maker *m, int64_t n, int64_t n1) {
    int64_t n2 = n / n1;
    add_columns(m, n1, n2, hlo_fft_twist_new(m->p->arena, m->arithmetic, n1, n2));
    add_stage(m, (hlo_fft_stage){.n = n2,
                                 .batches = m->lines,
                                 .lines = n1,
                                 .from = {.batch = n, .line = n2, .number = 1},
                                 .to = {.batch = n, .line = 1, .number = n1}});
}

/* The rows of the matrix that a line of n numbers is best seen as: nearly a square; 1: none. */
static int64_t rows_of_long_line(int64_t n) {
    enum { LONGEST_LINE = 1 << 14 };
    int64_t rows = 1;
    if (n <= LONGEST_LINE || !hlo_fft_is_smooth(n)) return rows;
    for (int64_t k = 2; k <= n / k; k++)
        if (n % k == 0) rows = k;
    return rows;
}

static void add_last_dimension(stage_maker *m, hlo_fft_form form, int64_t length) {
    bool from_real = form == HLO_FFT_FROM_HALVES || form == HLO_FFT_FROM_REAL;
    bool halves = form == HLO_FFT_FROM_HALVES || form == HLO_FFT_TO_HALVES;
    int64_t n = halves ? length / 2 : length, spectrum = length / 2 + 1;
    int64_t rows = form == HLO_FFT_COMPLEX ? rows_of_long_line(n) : 1;
    if (rows > 1) {
        add_long_line(m, n, rows);
        return;
    }
    hlo_fft_stage stage = {.n = n,
                           .batches = 1,
                           .lines = m->lines,
                           .form = form,
                           .from = {.line = n, .number = 1},
                           .to = {.line = n, .number = 1}};
    if (from_real) stage.to.line = spectrum;
    else if (form != HLO_FFT_COMPLEX) stage.from.line = spectrum;
    add_stage(m, stage);
}

/* Whether the last stage's lines may end where they were. */
static bool is_in_place(const hlo_fft_stage *last) {
    return last->form == HLO_FFT_COMPLEX && last->from.batch == last->to.batch &&
           last->from.line == last->to.line && last->from.number == last->to.number;
}

/* The types of the operand and the result, as stages see them; and memory. */
static void end_stages(stage_maker *m, const hlo_shape *in, const hlo_shape *out) {
    fft_state *state = m->state;
    hlo_fft_stage *first = &state->stages[0], *last = &state->stages[state->count - 1];
    size_t bytes = 0;
    bool is_one = true;
    first->from.type = (hlo_type)(first->form == HLO_FFT_FROM_HALVES ? out->type : in->type);
    last->to.type = (hlo_type)(last->form == HLO_FFT_TO_HALVES ? in->type : out->type);
    for (uint32_t i = 0; i < state->count; i++) {
        size_t needed = hlo_fft_work_bytes(&state->stages[i]);
        bytes = needed > bytes ? needed : bytes;
        is_one &= hlo_fft_is_one_piece(&state->stages[i]);
    }
    size_t grid = (size_t)(m->lines * m->dims[m->rank - 1]) * hlo_types[m->type].bytes;
    state->grid_is_result = is_in_place(last);
    if (state->count > 1 && !state->grid_is_result)
        state->grid_at = hlo_prepare_scratch(m->p, grid);
    state->work = hlo_prepare_work(m->p, bytes, is_one);
}

static bool prepare_fft(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    const hlo_ints *lengths = hlo_attr_ints(instr, HLO_ATTR_FFT_LENGTH);
    const hlo_shape *in = hlo_operand(instr, 0)->shape, *out = instr->shape;
    fft_state *state = HLO_NEW_STATE(p, fft_state);
    p->state = state;
    int64_t length = lengths->n ? lengths->v[lengths->n - 1] : 0;
    hlo_fft_form form = form_of(instr, length);
    bool from_real = form == HLO_FFT_FROM_HALVES || form == HLO_FFT_FROM_REAL;
    if (form == HLO_FFT_COMPLEX && !hlo_check_fft_lengths(p)) return false;
    if (!lengths->n || hlo_shape_elements(in) <= 0 || hlo_shape_elements(out) <= 0) return true;
    int64_t wanted = form == HLO_FFT_COMPLEX || from_real ? length : length / 2 + 1;
    if (!check_real_length(p, in->dims[in->rank - 1], wanted)) return false;
    const hlo_shape *grid = from_real ? out : in;
    bool is_wide = grid->type == HLO_C128;
    stage_maker m = {.p = p,
                     .state = state,
                     .arithmetic = is_wide ? &hlo_fft_chosen()->f64 : &hlo_fft_chosen()->f32,
                     .type = (hlo_type)grid->type,
                     .inverse = hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "IFFT") ||
                                hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "IRFFT"),
                     .dims = grid->dims + grid->rank - lengths->n,
                     .rank = lengths->n,
                     .lines = hlo_shape_elements(grid) / grid->dims[grid->rank - 1]};
    if (from_real) add_last_dimension(&m, form, length);
    add_outer_dimensions(&m);
    if (!from_real) add_last_dimension(&m, form, length);
    end_stages(&m, in, out);
    return true;
}

/* ---- running ---- */

static bool run_fft(hlo_call *call) {
    const fft_state *state = call->state;
    if (!hlo_operands_are_full(call)) return false;
    if (!state->count) {
        hlo_value_clear(call->out);
        return true;
    }
    void *result = call->out->data;
    void *grid = state->grid_is_result ? result : (char *)call->scratch + state->grid_at;
    for (uint32_t i = 0; i < state->count; i++) {
        const void *from = i ? grid : call->in[0]->data;
        void *to = i + 1 < state->count ? grid : result;
        hlo_fft_run_stage(call, &state->stages[i], &state->work, from, to);
    }
    return true;
}

const hlo_kernel hlo_kernel_fft = {prepare_fft, run_fft};
