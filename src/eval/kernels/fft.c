/* fft: transforms of the last dimensions, one line after the other in double precision. Called
 * through the kernel table. */
#include "base/pool.h"
#include "eval/kernels/combine.h"
#include "eval/kernels/dynamic.h"
#include "eval/kernels/fft_plan.h"
#include "eval/kernels/words.h"
#include "eval/kernels/work_memory.h"

typedef double _Complex number;

/* One dimension that is transformed: lines of n elements that are `stride` apart. */
typedef struct {
    const hlo_fft_plan *plan;
    int64_t n, stride;
} dimension;

typedef struct {
    hlo_type from, to;
    bool from_real, to_real, inverse;
    uint32_t rank; /* dimensions that are transformed; 0: none, or there are no elements */
    const dimension *dimensions; /* the last one first */
    int64_t elements, last; /* of the grid: a complex array of the operand's dimensions but for the
                             * last, which has as many elements as its transform */
    int64_t there, kept;    /* elements of the last dimension of the operand and of the result */
    size_t grid_at;         /* in scratch memory */
    hlo_work_memory of_piece; /* a line, then what its transform needs */
} fft_state;

/* ---- what is known before a run ---- */

/* XLA's verifier compares the lengths of RFFT and IRFFT only; what its backends make of other
 * lengths in FFT and IFFT is an assertion or uninitialised bytes. */
bool hlo_check_fft_lengths(hlo_preparation *p) {
    const hlo_ints *lengths = hlo_attr_ints(p->instr, HLO_ATTR_FFT_LENGTH);
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    uint32_t first = shape->rank - lengths->n;
    for (uint32_t i = 0; i < lengths->n; i++)
        if (lengths->v[i] != shape->dims[first + i])
            return hlo_prepare_error(
                p, HLO_RULE_FFT_LENGTH, "has the length %lld for dimension %u of %s",
                (long long)lengths->v[i], first + i, hlo_shape_name(p->arena, shape));
    return true;
}

/* The plan for lines of n elements: that of an earlier dimension as long, or a new one. */
static const hlo_fft_plan *plan_of(hlo_preparation *p, const dimension *dimensions, uint32_t count,
                                   int64_t n) {
    for (uint32_t i = 0; i < count; i++)
        if (dimensions[i].n == n) return dimensions[i].plan;
    return hlo_fft_plan_new(p->arena, n);
}

/* The transformed dimensions, and memory for their lines. */
static void prepare_dimensions(hlo_preparation *p, fft_state *state, const hlo_shape *shape) {
    dimension *dimensions = HLO_NEW_ARRAY(p->arena, dimension, state->rank);
    int64_t stride = 1, most = 0;
    bool is_one_line = true;
    for (uint32_t i = 0; i < state->rank; i++) {
        int64_t n = i ? shape->dims[shape->rank - 1 - i] : state->last;
        dimensions[i] = (dimension){plan_of(p, dimensions, i, n), n, stride};
        int64_t numbers = n + hlo_fft_scratch(dimensions[i].plan);
        if (numbers > most) most = numbers;
        is_one_line &= n == state->elements;
        stride *= n;
    }
    state->dimensions = dimensions;
    state->of_piece = hlo_prepare_work(p, (size_t)most * sizeof(number), is_one_line);
}

static bool prepare_fft(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    const hlo_ints *lengths = hlo_attr_ints(instr, HLO_ATTR_FFT_LENGTH);
    const hlo_shape *shape = hlo_operand(instr, 0)->shape, *out = instr->shape;
    fft_state *state = HLO_NEW_STATE(p, fft_state);
    p->state = state;
    state->from_real = hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "RFFT");
    state->to_real = hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "IRFFT");
    state->inverse = state->to_real || hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "IFFT");
    if (!state->from_real && !state->to_real && !hlo_check_fft_lengths(p)) return false;
    if (!lengths->n || hlo_shape_elements(shape) <= 0 || hlo_shape_elements(out) <= 0) return true;
    state->from = (hlo_type)shape->type;
    state->to = (hlo_type)out->type;
    state->rank = lengths->n;
    state->there = shape->dims[shape->rank - 1];
    state->kept = out->dims[out->rank - 1];
    state->last = lengths->v[lengths->n - 1];
    state->elements = hlo_shape_elements(shape) / state->there * state->last;
    state->grid_at = hlo_prepare_scratch(p, (size_t)state->elements * sizeof(number));
    prepare_dimensions(p, state, shape);
    return true;
}

/* ---- running ---- */

/* Widens x. Lines of the transform that are longer than those of x end with zeros, which
 * mirror_lines replaces for a real result. */
static void fill_grid(const fft_state *s, number *grid, const void *x) {
    if (s->there == s->last) {
        hlo_convert_elements(s->from, HLO_C128, x, grid, (size_t)s->elements);
        return;
    }
    int64_t taken = s->there < s->last ? s->there : s->last, bytes = hlo_types[s->from].bytes;
    const char *line = x;
    for (int64_t at = 0; at < s->elements; at += s->last, line += s->there * bytes) {
        hlo_convert_elements(s->from, HLO_C128, line, grid + at, (size_t)taken);
        memset(grid + at + taken, 0, (size_t)(s->last - taken) * sizeof *grid);
    }
}

/* The lines of one dimension. */
typedef struct {
    const hlo_call *call;
    const dimension *dimension;
    number *grid;
    bool inverse;
} line_loop;

static void transform_range(void *context, int64_t from, int64_t to) {
    const line_loop *l = context;
    const hlo_work_memory *work = &((const fft_state *)l->call->state)->of_piece;
    int64_t n = l->dimension->n, stride = l->dimension->stride;
    number *line = hlo_work_take(work, l->call);
    for (int64_t i = from; i < to; i++) {
        number *first = l->grid + i / stride * n * stride + i % stride;
        for (int64_t k = 0; k < n; k++) line[k] = first[k * stride];
        hlo_fft_run(l->dimension->plan, line, line + n, l->inverse);
        for (int64_t k = 0; k < n; k++) first[k * stride] = line[k];
    }
    hlo_work_leave(work, l->call, line);
}

static void transform_lines(const hlo_call *call, number *grid, uint32_t i, bool inverse) {
    enum { PER_ELEMENT = 32 };
    const fft_state *state = call->state;
    const dimension *d = &state->dimensions[i];
    line_loop l = {call, d, grid, inverse};
    hlo_parallel(state->elements / d->n,
                 hlo_grain(d->n < HLO_PIECE_COST ? d->n * PER_ELEMENT : d->n), transform_range, &l);
}

/* Completes lines of a real signal's spectrum: what is missing mirrors what is there. */
static void mirror_lines(const fft_state *s, number *grid) {
    for (int64_t at = 0; at < s->elements; at += s->last)
        for (int64_t k = s->last / 2 + 1; k < s->last; k++)
            grid[at + k] = conj(grid[at + s->last - k]);
}

/* The first elements of each line as the result. */
static void store(const fft_state *s, const number *grid, char *to) {
    int64_t bytes = hlo_types[s->to].bytes;
    for (int64_t at = 0; at < s->elements; at += s->last, to += s->kept * bytes)
        hlo_convert_elements(HLO_C128, s->to, grid + at, to, (size_t)s->kept);
}

static bool run_fft(hlo_call *call) {
    const fft_state *state = call->state;
    if (!hlo_operands_are_full(call)) return false;
    if (!state->rank) {
        hlo_value_clear(call->out);
        return true;
    }
    number *grid = (number *)((char *)call->scratch + state->grid_at);
    fill_grid(state, grid, call->in[0]->data);
    if (state->from_real) transform_lines(call, grid, 0, false);
    for (uint32_t i = 1; i < state->rank; i++) transform_lines(call, grid, i, state->inverse);
    if (state->to_real) mirror_lines(state, grid);
    if (!state->from_real) transform_lines(call, grid, 0, state->inverse);
    store(state, grid, call->out->data);
    return true;
}

const hlo_kernel hlo_kernel_fft = {prepare_fft, run_fft};
