/* convolution: operands are brought to [batch, spatial..., feature] and [window..., input, output],
 * windows are laid out as rows of a matrix ("patches") and multiplied; convolutions of many small
 * groups are summed directly, all groups at once. Called through the kernel table. */
#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/products.h"

/* Bytes of patches that are made at a time, so that they stay in a cache close to the core. */
enum { PATCH_BYTES = 1 << 20, LEAST_ROWS = 16 };
/* Groups of fewer output features than this are too narrow for matrix products. */
enum { SMALL_GROUP = 4 };

typedef struct {
    const hlo_window *window;
    uint32_t spatial; /* spatial dimensions; arrays below have as many entries */
    int64_t *input_sizes, *out_sizes;
    int64_t window_volume, out_volume, input_volume;
    int64_t groups; /* feature groups or batch groups */
    bool batch_groups;
    int64_t out_batch;           /* batches of the result */
    int64_t features;            /* of the input */
    int64_t in_group, out_group; /* input and output features of one group */
    int64_t out_features;
    hlo_type type;
    int64_t bytes;
    const char *input, *kernel;
    char *sums; /* [out_batch, out spatial..., out_features] */
} convolution;

/* One thread's way over the outputs. */
typedef struct {
    const convolution *c;
    int64_t *place, *index; /* of the current output; scratch of visit_window */
    int64_t **taps;         /* by dimension and window element: see fill_taps */
} visitor;

/* ---- windows ---- */

/* A visitor that has not yet been anywhere. */
static visitor new_visitor(const convolution *c) {
    size_t n = c->spatial;
    visitor v = {c, hlo_malloc(2 * n * sizeof *v.place), NULL, hlo_malloc(n * sizeof *v.taps)};
    v.index = v.place + n;
    for (size_t d = 0; d < n; d++) {
        v.place[d] = -1;
        v.taps[d] = hlo_malloc((size_t)c->window->v[d].size * sizeof *v.taps[d]);
    }
    return v;
}

static void free_visitor(visitor *v) {
    for (uint32_t d = 0; d < v->c->spatial; d++) hlo_free(v->taps[d]);
    hlo_free(v->taps);
    hlo_free(v->place);
}

/* Where element `w` of the window at output position `o` lies in the input, or -1 for padding. */
static int64_t input_position(const hlo_window_dim *dim, int64_t size, int64_t o, int64_t w) {
    int64_t at = o * dim->stride + w * dim->window_dilation - dim->pad_low;
    if (at < 0) return -1;
    if (dim->base_dilation > 1) {
        if (at % dim->base_dilation) return -1;
        at /= dim->base_dilation;
    }
    return at < size ? at : -1;
}

/* Fills the taps of dimension d: for every element of the window the distance in input elements,
 * features not counted, that it adds, or -1. */
static void fill_taps(visitor *v, uint32_t d) {
    const convolution *c = v->c;
    int64_t unit = 1;
    for (uint32_t e = d + 1; e < c->spatial; e++) unit *= c->input_sizes[e];
    for (int64_t w = 0; w < c->window->v[d].size; w++) {
        int64_t at = input_position(&c->window->v[d], c->input_sizes[d], v->place[d], w);
        v->taps[d][w] = at < 0 ? -1 : at * unit;
    }
}

/* Moves to the output position that is number `flat` in row-major order. Neighbouring positions
 * share most taps. */
static void set_place(visitor *v, int64_t flat) {
    const convolution *c = v->c;
    for (uint32_t d = c->spatial; d-- > 0; flat /= c->out_sizes[d]) {
        int64_t place = flat % c->out_sizes[d];
        if (place == v->place[d]) continue;
        v->place[d] = place;
        fill_taps(v, d);
    }
}

/* Called with the number of a window element and the input element it meets, or -1. */
typedef void window_visitor(void *state, int64_t window, int64_t input);

/* Visits the window at the current place in row-major order. */
static void visit_window(visitor *v, window_visitor *visit, void *state) {
    const convolution *c = v->c;
    int64_t flat = 0, step = 0;
    if (!c->spatial) {
        visit(state, 0, 0);
        return;
    }
    uint32_t last = c->spatial - 1;
    for (uint32_t d = 0; d < last; d++) v->index[d] = 0;
    while (flat < c->window_volume) {
        int64_t outer = 0;
        for (uint32_t d = 0; d < last && outer >= 0; d++) {
            step = v->taps[d][v->index[d]];
            outer = step < 0 ? -1 : outer + step;
        }
        for (int64_t w = 0; w < c->window->v[last].size; w++, flat++) {
            step = v->taps[last][w];
            visit(state, flat, outer < 0 || step < 0 ? -1 : outer + step);
        }
        for (uint32_t d = last; d-- > 0;) {
            if (++v->index[d] < c->window->v[d].size) break;
            v->index[d] = 0;
        }
    }
}

/* ---- patches ---- */

typedef struct {
    char *to;
    const char *from; /* the batch's first element, at the group's first feature */
    size_t run, step; /* bytes of the group's features and of all features */
} patch;

static void copy_to_patch(void *state, int64_t window, int64_t input) {
    patch *p = state;
    if (input < 0) memset(p->to + (size_t)window * p->run, 0, p->run);
    else memcpy(p->to + (size_t)window * p->run, p->from + (size_t)input * p->step, p->run);
}

/* Fills rows of patches for the output rows from `first` on; a row is a batch and a position. */
static void fill_patches(visitor *v, int64_t group, int64_t first, int64_t rows, char *patches) {
    const convolution *c = v->c;
    int64_t depth = c->window_volume * c->in_group;
    for (int64_t r = 0; r < rows; r++) {
        int64_t batch = (first + r) / c->out_volume;
        int64_t feature = c->batch_groups ? 0 : group * c->in_group;
        if (c->batch_groups) batch += group * c->out_batch;
        set_place(v, (first + r) % c->out_volume);
        patch p = {
            .to = patches + r * depth * c->bytes,
            .from = c->input + (batch * c->input_volume * c->features + feature) * c->bytes,
            .run = (size_t)(c->in_group * c->bytes),
            .step = (size_t)(c->features * c->bytes),
        };
        visit_window(v, copy_to_patch, &p);
    }
}

/* A 1x1 window that steps through the whole input: the input itself is the matrix of patches. */
static bool is_pointwise(const convolution *c) {
    for (uint32_t d = 0; d < c->spatial; d++) {
        const hlo_window_dim *dim = &c->window->v[d];
        if (dim->size != 1 || dim->stride != 1 || dim->base_dilation != 1 || dim->pad_low ||
            c->input_sizes[d] != c->out_sizes[d])
            return false;
    }
    return true;
}

static void multiply_rows(const convolution *c, int64_t group, int64_t first, int64_t rows,
                          hlo_matrix patches) {
    int64_t feature = group * c->out_group;
    hlo_matmul(c->type, rows, c->out_group, c->window_volume * c->in_group, patches,
               (hlo_matrix){c->kernel + feature * c->bytes, c->out_features},
               c->sums + (first * c->out_features + feature) * c->bytes, c->out_features);
}

static void convolve_pointwise(const convolution *c) {
    int64_t rows = c->out_batch * c->out_volume;
    for (int64_t g = 0; g < c->groups; g++) {
        int64_t first = c->batch_groups ? g * rows * c->features : g * c->in_group;
        multiply_rows(c, g, 0, rows, (hlo_matrix){c->input + first * c->bytes, c->features});
    }
}

/* How many rows of patches fit. */
static int64_t rows_at_once(const convolution *c) {
    int64_t rows = c->out_batch * c->out_volume;
    int64_t fit = PATCH_BYTES / (c->window_volume * c->in_group * c->bytes);
    if (fit < LEAST_ROWS) fit = LEAST_ROWS;
    return fit < rows ? fit : rows;
}

/* Batches of rows of all groups, one group after the other. */
static void convolve_batches(void *context, int64_t first, int64_t last) {
    const convolution *c = context;
    int64_t depth = c->window_volume * c->in_group, rows = c->out_batch * c->out_volume;
    int64_t at_once = rows_at_once(c), batches = (rows + at_once - 1) / at_once;
    char *patches = hlo_scratch_new((size_t)(at_once * depth * c->bytes));
    visitor v = new_visitor(c);
    for (int64_t b = first; b < last; b++) {
        int64_t group = b / batches, row = b % batches * at_once;
        int64_t n = rows - row < at_once ? rows - row : at_once;
        fill_patches(&v, group, row, n, patches);
        multiply_rows(c, group, row, n, (hlo_matrix){patches, depth});
    }
    free_visitor(&v);
    hlo_block_free(patches);
}

static void convolve_patches(convolution *c) {
    int64_t at_once = rows_at_once(c), depth = c->window_volume * c->in_group;
    int64_t batches = (c->out_batch * c->out_volume + at_once - 1) / at_once;
    hlo_parallel(c->groups * batches, hlo_grain(at_once * depth * (c->out_group / 16 + 1)),
                 convolve_batches, c);
}

/* ---- many small groups ---- */

typedef struct {
    const convolution *c;
    char *to;         /* the output's features */
    char *run;        /* sums of the last `added` products, so that long chains stay accurate */
    const char *from; /* the batch's first element */
    int64_t added;
} grouped_row;

enum { LONGEST_RUN = 256 };

static void end_run(grouped_row *s) {
    const convolution *c = s->c;
    if (s->added) hlo_add_elements(c->type, c->out_features, s->run, s->to);
    memset(s->run, 0, (size_t)(c->out_features * c->bytes));
    s->added = 0;
}

/* sums[g, q] += input[g, i] kernel[i, g, q] over all groups g. */
static void add_grouped(void *state, int64_t window, int64_t input) {
    grouped_row *s = state;
    const convolution *c = s->c;
    if (input < 0) return;
    if (++s->added > LONGEST_RUN) end_run(s);
    hlo_multiply_grouped(c->type, c->groups, c->in_group, c->out_group,
                         s->from + input * c->features * c->bytes,
                         c->kernel + window * c->in_group * c->out_features * c->bytes, s->run);
}

/* The same for batch groups: the input has its batches innermost. */
static void add_batch_grouped(void *state, int64_t window, int64_t input) {
    grouped_row *s = state;
    const convolution *c = s->c;
    if (input < 0) return;
    for (int64_t i = 0; i < c->in_group; i++) {
        if (++s->added > LONGEST_RUN) end_run(s);
        hlo_multiply_grouped(c->type, c->groups, 1, c->out_group,
                             s->from + (input * c->features + i) * c->groups * c->bytes,
                             c->kernel + (window * c->in_group + i) * c->out_features * c->bytes,
                             s->run);
    }
}

/* Outputs, a row being a batch and a position. */
static void convolve_grouped_rows(void *context, int64_t first, int64_t last) {
    const convolution *c = context;
    char *run = hlo_scratch_zeros((size_t)(c->out_features * c->bytes));
    visitor v = new_visitor(c);
    for (int64_t r = first; r < last; r++) {
        set_place(&v, r % c->out_volume);
        int64_t batch = c->batch_groups ? 0 : r / c->out_volume;
        grouped_row s = {.c = c,
                         .to = c->sums + r * c->out_features * c->bytes,
                         .run = run,
                         .from = c->input + batch * c->input_volume * c->features * c->bytes};
        visit_window(&v, c->batch_groups ? add_batch_grouped : add_grouped, &s);
        end_run(&s);
    }
    free_visitor(&v);
    hlo_block_free(run);
}

static void convolve_grouped(convolution *c) {
    int64_t cost = c->window_volume * c->in_group * (c->out_features / 8 + 1);
    hlo_parallel(c->out_batch * c->out_volume, hlo_grain(cost), convolve_grouped_rows, c);
}

/* ---- setting up ---- */

/* The order that brings dimensions to first, spatial..., last. */
static void channels_last(uint32_t *order, uint32_t n, int64_t first, const int64_t *spatial,
                          int64_t last) {
    order[0] = (uint32_t)first;
    for (uint32_t i = 0; i < n; i++) order[1 + i] = (uint32_t)spatial[i];
    order[1 + n] = (uint32_t)last;
}

/* Convolutions whose groups are summed together: small ones, and of groups of batches those that
 * have a single batch in each (the gradients of depthwise kernels). */
static bool is_grouped(const convolution *c) {
    return c->groups > 1 && c->out_group < SMALL_GROUP && !hlo_type_is_complex(c->type) &&
           (!c->batch_groups || c->out_batch == 1);
}

static void input_order(uint32_t *order, const convolution *c, const hlo_dim_labels *labels) {
    if (!c->batch_groups || !is_grouped(c)) {
        channels_last(order, c->spatial, labels->input_batch, labels->input_spatial,
                      labels->input_feature);
        return;
    }
    for (uint32_t i = 0; i < c->spatial; i++) order[i] = (uint32_t)labels->input_spatial[i];
    order[c->spatial] = (uint32_t)labels->input_feature;
    order[c->spatial + 1] = (uint32_t)labels->input_batch;
}

static void kernel_order(uint32_t *order, const hlo_dim_labels *labels) {
    for (uint32_t i = 0; i < labels->n; i++) order[i] = (uint32_t)labels->kernel_spatial[i];
    order[labels->n] = (uint32_t)labels->kernel_input_feature;
    order[labels->n + 1] = (uint32_t)labels->kernel_output_feature;
}

/* Turns the window dimensions of a packed kernel around that the window reverses. */
static void reverse_kernel(const convolution *c, hlo_packed *kernel) {
    bool any = false;
    for (uint32_t d = 0; d < c->spatial; d++) any |= c->window->v[d].reversed;
    if (!any) return;
    int64_t unit = c->in_group * c->out_features, size = c->window_volume * unit;
    char *turned = hlo_scratch_new((size_t)(size * c->bytes));
    int64_t *strides = hlo_malloc(c->spatial * sizeof *strides), stride = unit * c->bytes;
    for (uint32_t d = c->spatial; d-- > 0; stride *= c->window->v[d].size) strides[d] = stride;
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < c->spatial; d++) {
        const hlo_window_dim *dim = &c->window->v[d];
        walk.at[1] += dim->reversed ? (dim->size - 1) * strides[d] : 0;
        hlo_walk_dim2(&walk, dim->size, strides[d], dim->reversed ? -strides[d] : strides[d]);
    }
    hlo_walk_dim2(&walk, unit, c->bytes, c->bytes);
    hlo_copy_walk(&walk, turned, kernel->data, (uint32_t)c->bytes);
    hlo_free(strides);
    hlo_block_free(kernel->copy);
    kernel->data = kernel->copy = turned;
}

static void set_sizes(convolution *c, const hlo_instr *instr, const hlo_dim_labels *labels) {
    const int64_t *input = hlo_operand(instr, 0)->shape->dims, *out = instr->shape->dims;
    const int64_t *kernel = hlo_operand(instr, 1)->shape->dims;
    int64_t feature_groups = hlo_attr_int(instr, HLO_ATTR_FEATURE_GROUP_COUNT);
    int64_t batch_groups = hlo_attr_int(instr, HLO_ATTR_BATCH_GROUP_COUNT);
    c->batch_groups = batch_groups > 1;
    c->groups = c->batch_groups ? batch_groups : feature_groups;
    c->out_batch = out[labels->output_batch];
    c->features = input[labels->input_feature];
    c->in_group = kernel[labels->kernel_input_feature];
    c->out_features = out[labels->output_feature];
    c->out_group = c->out_features / c->groups;
    c->window_volume = c->out_volume = c->input_volume = 1;
    for (uint32_t d = 0; d < c->spatial; d++) {
        c->input_sizes[d] = input[labels->input_spatial[d]];
        c->out_sizes[d] = out[labels->output_spatial[d]];
        c->window_volume *= c->window->v[d].size;
        c->input_volume *= c->input_sizes[d];
        c->out_volume *= c->out_sizes[d];
    }
}

static void convolve(convolution *c) {
    if (is_grouped(c)) convolve_grouped(c);
    else if (is_pointwise(c)) convolve_pointwise(c);
    else convolve_patches(c);
}

/* Sums are [batch, spatial..., feature]; the result has its own order and type. */
static void store_sums(const convolution *c, const hlo_dim_labels *labels, hlo_value *out) {
    int64_t *to = hlo_new_strides(out->shape, c->bytes);
    bool same_type = out->shape->type == c->type;
    size_t bytes = (size_t)(hlo_shape_elements(out->shape) * c->bytes);
    void *ordered = same_type ? out->data : hlo_scratch_new(bytes);
    int64_t from = c->bytes * c->out_features * c->out_volume;
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    hlo_walk_dim2(&walk, c->out_batch, to[labels->output_batch], from);
    for (uint32_t d = 0; d < c->spatial; d++) {
        from /= c->out_sizes[d];
        hlo_walk_dim2(&walk, c->out_sizes[d], to[labels->output_spatial[d]], from);
    }
    hlo_walk_dim2(&walk, c->out_features, to[labels->output_feature], c->bytes);
    hlo_copy_walk(&walk, ordered, c->sums, (uint32_t)c->bytes);
    hlo_free(to);
    hlo_finish_sums(out, c->type, ordered);
}

static void convolve_values(convolution *c, const hlo_instr *instr, const hlo_dim_labels *labels,
                            hlo_value *const *args, hlo_value *out) {
    c->input_sizes = hlo_malloc(2 * (size_t)c->spatial * sizeof(int64_t));
    c->out_sizes = c->input_sizes + c->spatial;
    set_sizes(c, instr, labels);
    uint32_t *order = hlo_malloc((c->spatial + 2) * sizeof *order);
    input_order(order, c, labels);
    hlo_packed input = hlo_pack(args[0], order, c->type);
    kernel_order(order, labels);
    hlo_packed kernel = hlo_pack(args[1], order, c->type);
    reverse_kernel(c, &kernel);
    c->input = input.data;
    c->kernel = kernel.data;
    c->sums = hlo_scratch_zeros((size_t)(hlo_shape_elements(out->shape) * c->bytes));
    convolve(c);
    store_sums(c, labels, out);
    hlo_block_free(c->sums);
    hlo_block_free(input.copy);
    hlo_block_free(kernel.copy);
    hlo_free(order);
    hlo_free(c->input_sizes);
}

/* What is missing at run time counts as zero, along the features and batches of the input: where a
 * window moves, a shorter dimension would need another padding. */
static bool check_sizes(hlo_eval *eval, hlo_value *const *args, const hlo_dim_labels *labels) {
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t d = 0; args[i]->sizes && d < args[i]->shape->rank; d++) {
            bool is_input = d == labels->input_batch || d == labels->input_feature;
            if (!hlo_is_short(args[i], d) || (i ? d == labels->kernel_input_feature : is_input))
                continue;
            return hlo_refuse_short(eval->call, i, d, "along which a convolution has a fixed size");
        }
    return true;
}

hlo_value *hlo_eval_convolution(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    static const hlo_window no_window = {0};
    const hlo_attr *window = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    const hlo_dim_labels *labels = hlo_instr_attr(instr, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    const hlo_shape *input = args[0]->shape, *kernel = args[1]->shape;
    if (!check_sizes(eval, args, labels)) return NULL;
    if (hlo_shape_elements(input) <= 0 || hlo_shape_elements(kernel) <= 0 ||
        hlo_shape_elements(instr->shape) <= 0)
        return hlo_value_zeros(instr->shape);
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out) return NULL;
    convolution c = {.window = window ? window->u.window : &no_window, .spatial = labels->n};
    c.type = hlo_product_type(input, kernel, instr->shape);
    c.bytes = hlo_types[c.type].bytes;
    convolve_values(&c, instr, labels, args, out);
    if (hlo_is_short(args[0], (uint32_t)labels->input_batch))
        hlo_result_sizes(out)[labels->output_batch] = args[0]->sizes[labels->input_batch];
    return out;
}
