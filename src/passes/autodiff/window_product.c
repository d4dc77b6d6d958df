/* The gradient of a reduce-window by multiply, without a division. Products of 2, 4, 8 ... elements
 * of one dimension after the other make those of whole windows; then cotangents go back through the
 * same steps. */
#include "analysis/match.h"
#include "base/list.h"
#include "passes/autodiff/moves.h"
#include "passes/autodiff/window.h"

/* Element t along a dimension is element t of a former step times element t + start of another. */
typedef struct {
    hlo_instr *value, *c;
    uint32_t a, b; /* numbers of steps */
    int64_t dimension, start;
} product_step;

typedef struct {
    hlo_gradient *g;
    HLO_LIST(product_step) steps; /* the first is the padded operand */
} chain;

/* ---- forwards ---- */

static int64_t length_of(const chain *ch, uint32_t step, int64_t dimension) {
    return ch->steps.v[step].value->shape->dims[dimension];
}

static hlo_instr *part_of(const chain *ch, uint32_t step, int64_t dimension, int64_t start,
                          int64_t length) {
    HLO_ASSERT(step < ch->steps.n);
    hlo_instr *value = ch->steps.v[step].value;
    if (start == 0 && value->shape->dims[dimension] == length) return value;
    return hlo_build_slice(ch->g->r, value, dimension, start, start + length);
}

static uint32_t multiply(chain *ch, uint32_t a, uint32_t b, int64_t dimension, int64_t start) {
    int64_t length = length_of(ch, b, dimension) - start;
    hlo_instr *first = part_of(ch, a, dimension, 0, length);
    hlo_instr *value = times(ch->g, first, part_of(ch, b, dimension, start, length));
    product_step step = {value, NULL, a, b, dimension, start};
    HLO_ASSERT(a < ch->steps.n && b < ch->steps.n);
    hlo_list_push(&ch->steps, step);
    return (uint32_t)ch->steps.n - 1;
}

/* The product of `size` elements that stand `dilation` apart, from each element on. */
static uint32_t multiply_along(chain *ch, uint32_t power, int64_t dimension, int64_t size,
                               int64_t dilation) {
    uint32_t all = power;
    int64_t have = 0;
    for (int64_t n = 1;; n *= 2) {
        if (size & n) {
            all = have ? multiply(ch, all, power, dimension, have * dilation) : power;
            have += n;
        }
        if (n > size / 2) return all;
        power = multiply(ch, power, power, dimension, n * dilation);
    }
}

/* ---- backwards ---- */

/* Adds what a part of a step has got. */
static void give_part(chain *ch, uint32_t to, const product_step *from, int64_t start,
                      hlo_instr *c) {
    HLO_ASSERT(to < ch->steps.n);
    product_step *step = &ch->steps.v[to];
    int64_t d = from->dimension, after = step->value->shape->dims[d] - start - c->shape->dims[d];
    if (start || after)
        c = hlo_build_pad(ch->g->r, c, hlo_gradient_zero_scalar(ch->g, c->shape), d, start, after);
    step->c = step->c ? plus(ch->g, step->c, c) : c;
}

static void go_back(chain *ch) {
    for (uint32_t i = (uint32_t)ch->steps.n - 1; i > 0; i--) {
        const product_step *step = &ch->steps.v[i];
        int64_t d = step->dimension, length = length_of(ch, i, d);
        hlo_instr *second = part_of(ch, step->b, d, step->start, length);
        give_part(ch, step->a, step, 0, times(ch->g, step->c, second));
        hlo_instr *first = part_of(ch, step->a, d, 0, length);
        give_part(ch, step->b, step, step->start, times(ch->g, step->c, first));
    }
}

/* ---- windows ---- */

/* As the window pads and dilates; NULL when nothing is padded. */
static hlo_padding *padding_of(hlo_gradient *g, const hlo_window *window) {
    hlo_padding *padding = hlo_new_padding(g->r, window->n);
    bool pads = false;
    for (uint32_t d = 0; d < window->n; d++) {
        padding->v[d].low = window->v[d].pad_low;
        padding->v[d].high = window->v[d].pad_high;
        padding->v[d].interior = window->v[d].base_dilation - 1;
        pads |= padding->v[d].low || padding->v[d].high || padding->v[d].interior;
    }
    return pads ? padding : NULL;
}

static bool padded_fits(const hlo_shape *shape, const hlo_window *window) {
    int64_t elements = 1, length;
    for (uint32_t d = 0; d < window->n; d++)
        if (!hlo_dilated_extent(shape->dims[d], window->v[d].base_dilation, &length) ||
            __builtin_mul_overflow(elements, length + window->v[d].pad_low + window->v[d].pad_high,
                                   &elements))
            return false;
    return elements <= INT64_MAX / 16; /* bytes */
}

static hlo_instr *padded(hlo_gradient *g, hlo_instr *x, const hlo_padding *padding) {
    const hlo_shape *scalar = hlo_shape_scalar(&g->r->module->shapes, (hlo_type)x->shape->type);
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    hlo_instr *operands[] = {x, hlo_build_number(g->r, scalar, 1)};
    return padding ? hlo_emit(g->r, HLO_OP_PAD, NULL, operands, 2, &attr, 1) : x;
}

/* The windows that count among those that begin at every element. */
static hlo_slice *strided(hlo_gradient *g, const hlo_window *window, const hlo_shape *every,
                          const hlo_shape *result) {
    hlo_slice *slice = hlo_new_whole_slice(g->r, every);
    for (uint32_t d = 0; d < window->n; d++) {
        slice->v[d].stride = window->v[d].stride;
        slice->v[d].limit = (result->dims[d] - 1) * window->v[d].stride + 1;
    }
    return slice;
}

static hlo_instr *with_init(const hlo_windowed *w, hlo_instr *c) {
    hlo_instr *init = hlo_gradient_operand(w->g, w->instr, w->init);
    if (hlo_is_all(init, 1)) return c;
    init = hlo_build_convert(w->g->r, init, (hlo_type)c->shape->type);
    return times(w->g, c, hlo_build_spread(w->g->r, init, c->shape, NULL));
}

/* The products of the windows have been made. */
static void add_products(const hlo_windowed *w, chain *ch, const hlo_window *window,
                         const hlo_padding *padding) {
    hlo_gradient *g = w->g;
    product_step *last = &ch->steps.v[ch->steps.n - 1];
    const hlo_shape *every = last->value->shape;
    const hlo_slice *slice = strided(g, window, every, w->c->shape);
    if (hlo_gradient_is_needed(g, w->instr, w->init)) {
        hlo_instr *products = hlo_emit_slice(g->r, w->c->shape, last->value, slice);
        hlo_gradient_add(g, w->instr, w->init, sum_of_all(g, times(g, w->c, products)));
    }
    if (!hlo_gradient_is_needed(g, w->instr, w->operand)) return;
    last->c = hlo_gradient_unsliced(g, with_init(w, w->c), every, slice);
    go_back(ch);
    hlo_instr *c = ch->steps.v[0].c;
    const hlo_shape *shape = hlo_shape_with_type(
        &g->r->module->shapes, hlo_operand(w->instr, w->operand)->shape, (hlo_type)c->shape->type);
    if (padding) c = hlo_gradient_unpadded(g, c, shape, padding);
    hlo_gradient_add(g, w->instr, w->operand, c);
}

bool hlo_gradient_window_product(const hlo_windowed *w) {
    hlo_gradient *g = w->g;
    hlo_instr *x = hlo_operand(w->instr, w->operand);
    const hlo_window *window = hlo_gradient_window(g, w->instr, x->shape->rank);
    if (w->is_empty) {
        hlo_gradient_add(g, w->instr, w->init, sum_of_all(g, w->c));
        return true;
    }
    if (!padded_fits(x->shape, window))
        return hlo_gradient_refuse(g, w->instr, "has a gradient that is padded beyond 63 bits");
    const hlo_padding *padding = padding_of(g, window);
    x = hlo_build_convert(g->r, hlo_gradient_operand(g, w->instr, w->operand),
                          (hlo_type)w->c->shape->type);
    chain ch = {.g = g};
    hlo_list_push(&ch.steps, ((product_step){.value = padded(g, x, padding)}));
    uint32_t all = 0;
    for (uint32_t d = 0; d < window->n; d++)
        all = multiply_along(&ch, all, d, window->v[d].size, window->v[d].window_dilation);
    add_products(w, &ch, window, padding);
    hlo_list_free(&ch.steps);
    return true;
}
