/* Plain fft: each element of a transform is the sum that defines it, dimension after dimension, in
 * double precision. */
#include <math.h>

#include "base/cmplx.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/words.h"
#include "eval/kernels/fft/fft_plan.h"
#include "eval/ref/element.h"

typedef double _Complex number;

typedef struct {
    bool to_real, inverse;
    uint32_t rank;          /* dimensions that are transformed, the last ones of the operand */
    const int64_t *lengths; /* of them */
    int64_t elements;    /* of the grid: an array of the operand's outer dimensions and `lengths` */
    int64_t there, kept; /* elements of the last dimension of the operand and of the result */
    size_t grid_at, line_at;
} fft_state;

static bool prepare_fft(hlo_preparation *p) {
    const hlo_ints *lengths = hlo_attr_ints(p->instr, HLO_ATTR_FFT_LENGTH);
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape, *out = p->instr->shape;
    fft_state *s = HLO_NEW_STATE(p, fft_state);
    bool from_real = hlo_attr_is(p->instr, HLO_ATTR_FFT_TYPE, "RFFT");
    int64_t longest = 0;
    p->state = s;
    s->to_real = hlo_attr_is(p->instr, HLO_ATTR_FFT_TYPE, "IRFFT");
    s->inverse = s->to_real || hlo_attr_is(p->instr, HLO_ATTR_FFT_TYPE, "IFFT");
    if (!from_real && !s->to_real && !hlo_check_fft_lengths(p)) return false;
    if (!lengths->n || hlo_shape_elements(shape) <= 0 || hlo_shape_elements(out) <= 0) return true;
    s->rank = lengths->n;
    s->there = shape->dims[shape->rank - 1];
    s->kept = out->dims[out->rank - 1];
    int64_t *sizes =
        hlo_arena_copy(p->arena, shape->dims + shape->rank - s->rank, s->rank * sizeof *sizes);
    sizes[s->rank - 1] = lengths->v[s->rank - 1];
    s->lengths = sizes;
    s->elements = hlo_shape_elements(shape) / s->there * sizes[s->rank - 1];
    for (uint32_t d = 0; d < s->rank; d++) longest = sizes[d] > longest ? sizes[d] : longest;
    s->grid_at = hlo_prepare_scratch(p, (size_t)s->elements * sizeof(number));
    s->line_at = hlo_prepare_scratch(p, (size_t)longest * sizeof(number));
    return true;
}

/* out[k] = sum of in[j] exp(-2 pi i j k / n); the inverse has the other sign and divides by n. */
static void transform_line(number *in, number *out, int64_t n, int64_t stride, bool inverse) {
    const double pi = 3.14159265358979323846;
    for (int64_t k = 0; k < n; k++) {
        out[k] = 0;
        for (int64_t j = 0; j < n; j++) {
            int64_t part = (int64_t)((__int128)j * k % n);
            double angle = (inverse ? 2 : -2) * pi * (double)part / (double)n;
            out[k] += in[j * stride] * CMPLX(cos(angle), sin(angle));
        }
        if (inverse) out[k] /= (double)n;
    }
    for (int64_t k = 0; k < n; k++) in[k * stride] = out[k];
}

static void transform_dimension(const fft_state *s, uint32_t dimension, number *grid,
                                number *line) {
    int64_t n = s->lengths[dimension], stride = 1;
    for (uint32_t d = dimension + 1; d < s->rank; d++) stride *= s->lengths[d];
    for (int64_t i = 0; i < s->elements / n; i++)
        transform_line(grid + i / stride * n * stride + i % stride, line, n, stride, s->inverse);
}

/* The operand's lines, cut off or with zeros to the length of the transform. */
static void fill_grid(const fft_state *s, number *grid, const hlo_value *x) {
    int64_t last = s->lengths[s->rank - 1];
    for (int64_t i = 0; i < s->elements; i++) {
        hlo_number element = {0};
        if (i % last < s->there) element = hlo_load_from(x, i / last * s->there + i % last);
        grid[i] = CMPLX(element.re, element.im);
    }
}

/* Completes lines of a real signal's spectrum: the missing elements mirror the others. */
static void mirror_lines(const fft_state *s, number *grid) {
    int64_t last = s->lengths[s->rank - 1];
    for (int64_t line = 0; line < s->elements; line += last)
        for (int64_t k = last / 2 + 1; k < last; k++) grid[line + k] = conj(grid[line + last - k]);
}

static void store(const fft_state *s, const number *grid, hlo_value *out) {
    int64_t last = s->lengths[s->rank - 1], count = hlo_shape_elements(out->shape);
    for (int64_t i = 0; i < count; i++) {
        number element = grid[i / s->kept * last + i % s->kept];
        hlo_store_to(out, i, (hlo_number){.re = creal(element), .im = cimag(element)});
    }
}

static bool run_fft(hlo_call *call) {
    const fft_state *s = call->state;
    if (!hlo_operands_are_full(call)) return false;
    if (!s->rank) {
        hlo_value_clear(call->out);
        return true;
    }
    number *grid = (number *)((char *)call->scratch + s->grid_at);
    number *line = (number *)((char *)call->scratch + s->line_at);
    fill_grid(s, grid, call->in[0]);
    for (uint32_t d = 0; d + 1 < s->rank; d++) transform_dimension(s, d, grid, line);
    if (s->to_real) mirror_lines(s, grid);
    transform_dimension(s, s->rank - 1, grid, line);
    store(s, grid, call->out);
    return true;
}

const hlo_kernel hlo_plain_fft = {prepare_fft, run_fft};
