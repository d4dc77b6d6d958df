/* Rules of dynamic_padder for dot and convolution. What is not there at run time becomes zero in
 * both operands, or in the sum, so that nothing meets it: zero times infinity would be a NaN. */
#include "analysis/match.h"
#include "passes/expand/dynamic_padder/padded.h"

static hlo_instr *both(hlo_padder *p, hlo_instr *a, hlo_instr *b) {
    return a && b ? hlo_build_binary(p->r, HLO_OP_AND, a, b) : a ? a : b;
}

/* The array with zeros where `live` (NULL: everywhere) does not hold; as f32 where its type has no
 * zero. */
static hlo_instr *zeroed(hlo_padder *p, hlo_instr *data, hlo_instr *live) {
    if (!live) return data;
    if (data->shape->type == HLO_F8E8M0FNU) data = hlo_build_convert(p->r, data, HLO_F32);
    return hlo_build_select(p->r, live, data, hlo_build_integer(p->r, data->shape, 0));
}

/* ---- dot ---- */

/* One side, masked along what is contracted by its own sizes and by those of the other side. */
static hlo_instr *dot_side(hlo_padder *p, const hlo_padded *x, const hlo_ints *dims,
                           const hlo_padded *other, const hlo_ints *other_dims) {
    const hlo_shape *shape = x->data->shape;
    hlo_instr **own = hlo_padded_sizes(p, shape->rank), **its = hlo_padded_sizes(p, shape->rank);
    for (uint32_t k = 0; k < dims->n; k++) {
        int64_t d = dims->v[k], at = other_dims->v[k];
        if (hlo_has_size(x, d)) own[d] = x->sizes[d];
        if (hlo_has_size(other, at) && other->sizes[at] != own[d]) its[d] = other->sizes[at];
    }
    hlo_instr *live = hlo_padded_live(p, shape, own, NULL);
    return zeroed(p, x->data, both(p, live, hlo_padded_live(p, shape, its, NULL)));
}

static uint32_t add_free_sizes(const hlo_padded *x, const hlo_ints *contracted,
                               const hlo_ints *batch, hlo_instr **sizes, uint32_t n) {
    for (uint32_t d = 0; d < x->data->shape->rank; d++)
        if (!hlo_ints_contain(contracted, d) && !hlo_ints_contain(batch, d))
            sizes[n++] = hlo_has_size(x, d) ? x->sizes[d] : NULL;
    return n;
}

hlo_padded *hlo_pad_dot(hlo_padder *p, hlo_instr *instr) {
    if (instr->operand_count != 2)
        return hlo_padding_refuse(p, instr, "has sparse operands with run-time sizes");
    hlo_padded *a = hlo_padded_operand(p, instr, 0), *b = hlo_padded_operand(p, instr, 1);
    const hlo_ints *a_batch = hlo_attr_ints(instr, HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *b_batch = hlo_attr_ints(instr, HLO_ATTR_RHS_BATCH_DIMS);
    const hlo_ints *a_sum = hlo_attr_ints(instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *b_sum = hlo_attr_ints(instr, HLO_ATTR_RHS_CONTRACTING_DIMS);
    hlo_instr **sizes = hlo_padded_sizes(p, instr->shape->rank);
    uint32_t n = 0;
    for (; n < a_batch->n; n++) {
        const hlo_padded *sized = hlo_has_size(a, a_batch->v[n]) ? a : b;
        int64_t d = (sized == a ? a_batch : b_batch)->v[n];
        if (hlo_has_size(sized, d)) sizes[n] = sized->sizes[d];
    }
    n = add_free_sizes(a, a_sum, a_batch, sizes, n);
    add_free_sizes(b, b_sum, b_batch, sizes, n);
    hlo_instr *operands[2] = {dot_side(p, a, a_sum, b, b_sum), dot_side(p, b, b_sum, a, a_sum)};
    hlo_instr *made = hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), operands, 2);
    HLO_ASSERT(instr->opcode == HLO_OP_DOT);
    return hlo_padded_new(p, made, instr->shape->dynamic ? sizes : NULL);
}

/* ---- convolution: features ---- */

typedef struct {
    hlo_padder *p;
    hlo_instr *instr;
    const hlo_dim_labels *labels;
    const hlo_window *window; /* NULL where no dimension has one */
    const hlo_padded *input, *kernel;
    int64_t in_group, out_group; /* features of a group of features */
} convolution;

static convolution convolution_of(hlo_padder *p, hlo_instr *instr) {
    convolution c = {.p = p, .instr = instr};
    c.labels = hlo_instr_attr(instr, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    const hlo_attr *window = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    c.window = window ? window->u.window : NULL;
    c.input = hlo_padded_operand(p, instr, 0);
    c.kernel = hlo_padded_operand(p, instr, 1);
    const int64_t *dims = c.kernel->data->shape->dims;
    c.in_group = dims[c.labels->kernel_input_feature];
    c.out_group =
        dims[c.labels->kernel_output_feature] / hlo_attr_int(instr, HLO_ATTR_FEATURE_GROUP_COUNT);
    return c;
}

static hlo_instr *places(const convolution *c, const hlo_padded *x, int64_t d) {
    hlo_shapes_table *table = &c->p->r->module->shapes;
    return hlo_build_iota(c->p->r, hlo_shape_with_type(table, x->data->shape, HLO_S32), d);
}

static hlo_instr *with_number(const convolution *c, hlo_opcode opcode, hlo_instr *a, int64_t n) {
    if (n == 1 && opcode != HLO_OP_REMAINDER) return a;
    return hlo_build_binary(c->p->r, opcode, a, hlo_build_integer(c->p->r, a->shape, n));
}

static hlo_instr *is_less(const convolution *c, hlo_instr *places, hlo_instr *size) {
    hlo_instr *spread = hlo_build_spread(c->p->r, size, places->shape, NULL);
    return hlo_build_compare(c->p->r, places, spread, "LT");
}

static bool is_grouped(const convolution *c) {
    return hlo_attr_int(c->instr, HLO_ATTR_FEATURE_GROUP_COUNT) > 1;
}

/* Which elements of the input meet input features of the kernel that are there; NULL: all. */
static hlo_instr *input_met(const convolution *c) {
    if (!hlo_has_size(c->kernel, c->labels->kernel_input_feature)) return NULL;
    hlo_instr *at = places(c, c->input, c->labels->input_feature);
    if (is_grouped(c)) at = with_number(c, HLO_OP_REMAINDER, at, c->in_group);
    return is_less(c, at, c->kernel->sizes[c->labels->kernel_input_feature]);
}

/* Which elements of the kernel meet features of the input that are there: those of a group are in
 * the input after those of the groups before. */
static hlo_instr *kernel_met(const convolution *c) {
    if (!hlo_has_size(c->input, c->labels->input_feature)) return NULL;
    hlo_instr *at = places(c, c->kernel, c->labels->kernel_input_feature);
    if (is_grouped(c)) {
        hlo_instr *group = places(c, c->kernel, c->labels->kernel_output_feature);
        group = with_number(c, HLO_OP_DIVIDE, group, c->out_group);
        group = with_number(c, HLO_OP_MULTIPLY, group, c->in_group);
        at = hlo_build_binary(c->p->r, HLO_OP_ADD, at, group);
    }
    return is_less(c, at, c->input->sizes[c->labels->input_feature]);
}

/* The input is masked along all dimensions that are summed, the kernel along features. */
static hlo_instr *masked_input(const convolution *c) {
    const hlo_shape *shape = c->input->data->shape;
    bool *counts = HLO_NEW_ARRAY(&c->p->arena, bool, shape->rank + 1);
    counts[c->labels->input_feature] = true;
    for (uint32_t d = 0; d < c->labels->n; d++) counts[c->labels->input_spatial[d]] = true;
    hlo_instr *live = hlo_padded_live(c->p, shape, c->input->sizes, counts);
    return zeroed(c->p, c->input->data, both(c->p, live, input_met(c)));
}

static hlo_instr *masked_kernel(const convolution *c) {
    const hlo_shape *shape = c->kernel->data->shape;
    hlo_instr *live = hlo_padded_live(c->p, shape, c->kernel->sizes, NULL);
    return zeroed(c->p, c->kernel->data, both(c->p, live, kernel_met(c)));
}

/* ---- convolution: windows ---- */

/* Windows that are there reach beyond the run-time size of this dimension: into what is padding
 * after it, where the array of the bound has elements. */
static bool reaches_beyond(const convolution *c, const hlo_window *window, uint32_t d) {
    return hlo_has_size(c->input, c->labels->input_spatial[d]) && window->v[d].pad_high > 0 &&
           hlo_shape_elements(c->kernel->data->shape) > 0 &&
           hlo_shape_elements(c->instr->shape) > 0;
}

static __int128 reach_of(const hlo_window_dim *w) {
    return (__int128)(w->size - 1) * w->window_dilation;
}

/* Whether the windows of window_of_tap can be written. */
static bool can_split(const convolution *c) {
    bool can = true;
    for (uint32_t d = 0; d < c->labels->n; d++)
        if (reaches_beyond(c, c->window, d))
            can &= c->window->v[d].pad_low - reach_of(&c->window->v[d]) >= INT64_MIN;
    return can;
}

static hlo_instr *with_window(const convolution *c, const hlo_window *window, hlo_instr *input,
                              hlo_instr *kernel, const hlo_shape *shape) {
    hlo_instr *made = hlo_emit_like(c->p->r, c->instr, shape, (hlo_instr *[]){input, kernel}, 2);
    if (window != c->window)
        hlo_instr_set_attr(made, (hlo_attr){.id = HLO_ATTR_WINDOW, .u.window = window});
    return made;
}

/* The window of element `tap` of the kernel alone, along dimension d: as many places. */
static const hlo_window *window_of_tap(const convolution *c, const hlo_window *window, uint32_t d,
                                       int64_t offset) {
    hlo_window *one = hlo_arena_copy(&c->p->r->module->arena, window,
                                     sizeof *window + window->n * sizeof window->v[0]);
    hlo_window_dim *w = &one->v[d];
    w->pad_high += offset - (w->size - 1) * w->window_dilation;
    w->pad_low -= offset;
    w->size = w->window_dilation = 1;
    w->reversed = false;
    return one;
}

/* Whether places_met is computed in s32. */
static bool places_fit(const hlo_window_dim *w, int64_t bound, int64_t offset, int64_t count) {
    __int128 end = (__int128)bound * w->base_dilation, from = (__int128)w->pad_low - offset;
    const __int128 steps[] = {w->base_dilation,           w->stride, end, from, end + from,
                              (__int128)count * w->stride};
    return hlo_fit_sizes(steps, sizeof steps / sizeof *steps);
}

/* The first place, counted in strides from the first window's begin, that meets nothing any more
 * `offset` after where windows begin. */
static hlo_instr *end_of_places(const convolution *c, const hlo_window_dim *w, hlo_instr *size,
                                int64_t offset, bool fits) {
    if (!fits) {
        __int128 from = (__int128)w->pad_low - offset;
        if (from < INT64_MIN) from = INT64_MIN; /* as well before any place */
        size = hlo_padded_dilated(c->p, size, w->base_dilation);
        return hlo_padded_count(c->p, HLO_OP_ADD, size, (int64_t)from);
    }
    if (w->base_dilation > 1)
        size = hlo_padded_count(c->p, HLO_OP_MULTIPLY, size, w->base_dilation);
    return hlo_padded_count(c->p, HLO_OP_ADD, size, w->pad_low - offset);
}

/* Which places of the result meet, `offset` after where their windows begin, elements that are
 * there, or lie before them. */
static hlo_instr *places_met(const convolution *c, const hlo_window_dim *w, uint32_t d,
                             int64_t offset, const hlo_shape *shape) {
    hlo_rewriter *r = c->p->r;
    int64_t from = c->labels->input_spatial[d], to = c->labels->output_spatial[d];
    bool fits = places_fit(w, c->input->data->shape->dims[from], offset, shape->dims[to]);
    hlo_instr *end = end_of_places(c, w, c->input->sizes[from], offset, fits);
    const hlo_shape *numbers =
        hlo_shape_with_type(&r->module->shapes, shape, fits ? HLO_S32 : HLO_S64);
    hlo_instr *at = hlo_build_iota(r, numbers, to);
    return is_less(c, with_number(c, HLO_OP_MULTIPLY, at, w->stride), end);
}

/* The sum over the window elements of dimensions that reach beyond, from dimension d on. */
static hlo_instr *convolved(const convolution *c, const hlo_window *window, uint32_t d,
                            hlo_instr *input, hlo_instr *kernel, const hlo_shape *shape) {
    while (d < c->labels->n && !reaches_beyond(c, window, d)) d++;
    if (d == c->labels->n) return with_window(c, window, input, kernel, shape);
    const hlo_window_dim *w = &window->v[d];
    hlo_instr *sum = NULL;
    for (int64_t tap = 0; tap < w->size; tap++) {
        int64_t offset = (w->reversed ? w->size - 1 - tap : tap) * w->window_dilation;
        hlo_instr *part =
            hlo_build_slice(c->p->r, kernel, c->labels->kernel_spatial[d], tap, tap + 1);
        part = convolved(c, window_of_tap(c, window, d, offset), d + 1, input, part, shape);
        part = zeroed(c->p, part, places_met(c, w, d, offset, shape));
        sum = sum ? hlo_build_binary(c->p->r, HLO_OP_ADD, sum, part) : part;
    }
    return sum;
}

/* Sums of small floats are rounded once. */
static hlo_instr *convolve(const convolution *c) {
    hlo_rewriter *r = c->p->r;
    const hlo_window *window = c->window;
    const hlo_shape *shape = hlo_padded_shape(c->p, c->instr->shape), *sums = shape;
    bool is_small = hlo_types[shape->type].class == HLO_CLASS_FLOAT &&
                    hlo_types[shape->type].bytes < hlo_types[HLO_F32].bytes;
    bool is_split = false;
    for (uint32_t d = 0; d < c->labels->n; d++) is_split |= reaches_beyond(c, window, d);
    if (is_split && is_small) sums = hlo_shape_with_type(&r->module->shapes, shape, HLO_F32);
    hlo_instr *made = convolved(c, window, 0, masked_input(c), masked_kernel(c), sums);
    return hlo_build_convert(r, made, (hlo_type)shape->type);
}

/* As the evaluator: all dimensions of the input, input features of the kernel. */
static bool takes_sizes(const convolution *c) {
    bool splits = hlo_attr_int(c->instr, HLO_ATTR_BATCH_GROUP_COUNT) > 1;
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_padded *x = i ? c->kernel : c->input;
        for (uint32_t d = 0; d < x->data->shape->rank; d++) {
            bool may =
                i ? d == c->labels->kernel_input_feature : d != c->labels->input_batch || !splits;
            if (hlo_has_size(x, d) && !may) return false;
        }
    }
    return true;
}

hlo_padded *hlo_pad_convolution(hlo_padder *p, hlo_instr *instr) {
    if (hlo_has_sparse_operand(instr))
        return hlo_padding_refuse(p, instr, "has sparse operands with run-time sizes");
    const convolution c = convolution_of(p, instr);
    hlo_instr **sizes = hlo_padded_sizes(p, instr->shape->rank);
    if (!takes_sizes(&c))
        return hlo_padding_refuse(
            p, instr, "has a run-time size along a dimension where a convolution has a fixed one");
    if (!can_split(&c)) return hlo_padding_refuse(p, instr, "has windows beyond 63 bits");
    if (hlo_has_size(c.input, c.labels->input_batch))
        sizes[c.labels->output_batch] = c.input->sizes[c.labels->input_batch];
    for (uint32_t d = 0; d < c.labels->n; d++) {
        int64_t from = c.labels->input_spatial[d], to = c.labels->output_spatial[d];
        if (hlo_has_size(c.input, from))
            sizes[to] =
                hlo_padded_windows(p, &c.window->v[d], c.input, from, instr->shape->dims[to]);
    }
    return hlo_padded_new(p, convolve(&c), sizes);
}
