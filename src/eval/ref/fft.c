/* fft: transforms of the last dimensions, one line after the other in double precision. Called
 * through the kernel table. */
#include "base/blocks.h"
#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/combine.h"
#include "eval/ref/fft_plan.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/strides.h"
#include "eval/ref/words.h"

typedef double _Complex number;

/* A complex array of the operand's dimensions but for the last, `last` long. */
typedef struct {
    number *data;
    int64_t elements, last;
} grid;

/* Widens x; a last dimension of the transform that is longer than x's is left zero for now. */
static grid new_grid(const hlo_value *x, int64_t last) {
    hlo_type type = (hlo_type)x->shape->type;
    int64_t elements = hlo_shape_elements(x->shape), there = x->shape->dims[x->shape->rank - 1];
    int64_t lines = elements / there, taken = there < last ? there : last;
    number *wide = hlo_scratch_new((size_t)elements * sizeof *wide);
    hlo_convert_elements(type, HLO_C128, x->data, wide, (size_t)elements);
    grid g = {.elements = lines * last, .last = last};
    g.data = hlo_scratch_zeros((size_t)g.elements * sizeof *g.data);
    for (int64_t i = 0; i < lines; i++)
        memcpy(g.data + i * last, wide + i * there, (size_t)taken * sizeof *wide);
    hlo_block_free(wide);
    return g;
}

/* Lines of n elements that are `stride` apart. */
typedef struct {
    const hlo_fft_plan *plan;
    number *data;
    int64_t n, stride;
    bool inverse;
} line_loop;

static void transform_range(void *context, int64_t from, int64_t to) {
    const line_loop *l = context;
    number *line = hlo_malloc((size_t)l->n * sizeof *line);
    for (int64_t i = from; i < to; i++) {
        number *first = l->data + i / l->stride * l->n * l->stride + i % l->stride;
        for (int64_t k = 0; k < l->n; k++) line[k] = first[k * l->stride];
        hlo_fft_run(l->plan, line, l->inverse);
        for (int64_t k = 0; k < l->n; k++) first[k * l->stride] = line[k];
    }
    hlo_free(line);
}

/* Transforms along a dimension of n elements that are `stride` apart. */
static void transform_lines(grid *g, int64_t n, int64_t stride, bool inverse) {
    enum { PER_ELEMENT = 32 };
    hlo_fft_plan *plan = hlo_fft_plan_new(n);
    line_loop l = {plan, g->data, n, stride, inverse};
    hlo_parallel(g->elements / n, hlo_grain(n < HLO_PIECE_COST ? n * PER_ELEMENT : n),
                 transform_range, &l);
    hlo_fft_plan_free(plan);
}

/* Completes lines of a real signal's spectrum: what is missing mirrors what is there. */
static void mirror_lines(grid *g) {
    for (int64_t at = 0; at < g->elements; at += g->last)
        for (int64_t k = g->last / 2 + 1; k < g->last; k++)
            g->data[at + k] = conj(g->data[at + g->last - k]);
}

/* The first elements of each line as the result. */
static void store(const grid *g, hlo_value *out) {
    hlo_type type = (hlo_type)out->shape->type;
    int64_t kept = out->shape->dims[out->shape->rank - 1], bytes = hlo_types[type].bytes;
    char *to = out->data;
    for (int64_t at = 0; at < g->elements; at += g->last, to += kept * bytes)
        hlo_convert_elements(HLO_C128, type, g->data + at, to, (size_t)kept);
}

hlo_value *hlo_eval_fft(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    const hlo_ints *lengths = hlo_attr_ints(instr, HLO_ATTR_FFT_LENGTH);
    const hlo_shape *shape = args[0]->shape;
    hlo_value *out = hlo_value_zeros(instr->shape);
    if (!out || !lengths->n) return out;
    if (hlo_shape_elements(shape) <= 0 || hlo_shape_elements(out->shape) <= 0) return out;
    bool from_real = hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "RFFT");
    bool to_real = hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "IRFFT");
    bool inverse = to_real || hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "IFFT");
    grid g = new_grid(args[0], lengths->v[lengths->n - 1]);
    int64_t stride = g.last;
    if (from_real) transform_lines(&g, g.last, 1, false);
    for (uint32_t i = 1; i < lengths->n; i++) {
        int64_t n = shape->dims[shape->rank - 1 - i];
        transform_lines(&g, n, stride, inverse);
        stride *= n;
    }
    if (to_real) mirror_lines(&g);
    if (!from_real) transform_lines(&g, g.last, 1, inverse);
    store(&g, out);
    hlo_block_free(g.data);
    return out;
}
