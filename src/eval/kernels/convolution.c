/* convolution: operands are brought to [batch, spatial..., feature] and [window..., input, output],
 * windows are laid out as rows of a matrix ("patches") and multiplied; convolutions of many small
 * groups are summed directly, all groups at once. Called through the kernel table. */
#include "base/blocks.h"
#include "base/pool.h"
#include "eval/kernels/combine.h"
#include "eval/kernels/convolution.h"
#include "eval/kernels/dynamic.h"
#include "eval/kernels/products.h"

/* Bytes of patches that are made at a time, so that they stay in a cache close to the core. */
enum { PATCH_BYTES = 1 << 20, LEAST_ROWS = 16 };
/* Groups of fewer output features than this are too narrow for matrix products. */
enum { SMALL_GROUP = 4 };

/* What is known when the kernel is prepared, and below it the arrays of one run. */
typedef struct {
    const hlo_window *window;
    const hlo_dim_labels *labels;
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
    bool is_empty; /* an operand or the result has no elements: the result is zero */
    hlo_packing pack_input, pack_kernel;
    hlo_walk reverse, store; /* of the kernel's window dimensions; of the sums to the result */
    bool reverses;
    hlo_accumulators result;
    size_t sums_at, reversed_at; /* offsets in scratch memory */
    size_t work_bytes;           /* of a piece: patches, or the sums of a row; a visitor's follow */

    const hlo_call *call;
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

/* Bytes of a visitor's arrays. */
/* In a piece's memory and not on the stack: windows may be as long as their dimension. */
static size_t visitor_bytes(const convolution *c) {
    size_t bytes = c->spatial * (2 * sizeof(int64_t) + sizeof(int64_t *));
    for (uint32_t d = 0; d < c->spatial; d++)
        bytes += (size_t)c->window->v[d].size * sizeof(int64_t);
    return bytes;
}

/* A visitor that has not yet been anywhere, with its arrays in a piece's memory. */
static visitor new_visitor(const convolution *c, char *memory) {
    size_t n = c->spatial;
    int64_t *numbers = (int64_t *)(memory + c->work_bytes);
    visitor v = {c, numbers, numbers + n, (int64_t **)(numbers + 2 * n)};
    int64_t *taps = (int64_t *)(v.taps + n);
    for (size_t d = 0; d < n; d++) {
        v.place[d] = -1;
        v.taps[d] = taps;
        taps += c->window->v[d].size;
    }
    return v;
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
    char *patches = hlo_piece_take(c->call);
    visitor v = new_visitor(c, patches);
    for (int64_t b = first; b < last; b++) {
        int64_t group = b / batches, row = b % batches * at_once;
        int64_t n = rows - row < at_once ? rows - row : at_once;
        fill_patches(&v, group, row, n, patches);
        multiply_rows(c, group, row, n, (hlo_matrix){patches, depth});
    }
    hlo_piece_leave(c->call, patches);
}

static void convolve_patches(const convolution *c) {
    int64_t at_once = rows_at_once(c), depth = c->window_volume * c->in_group;
    int64_t batches = (c->out_batch * c->out_volume + at_once - 1) / at_once;
    hlo_parallel(c->groups * batches, hlo_grain(at_once * depth * (c->out_group / 16 + 1)),
                 convolve_batches, (void *)c);
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
    char *run = hlo_piece_take(c->call);
    visitor v = new_visitor(c, run);
    memset(run, 0, (size_t)(c->out_features * c->bytes));
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
    hlo_piece_leave(c->call, run);
}

static void convolve_grouped(const convolution *c) {
    int64_t cost = c->window_volume * c->in_group * (c->out_features / 8 + 1);
    hlo_parallel(c->out_batch * c->out_volume, hlo_grain(cost), convolve_grouped_rows, (void *)c);
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

static void input_order(uint32_t *order, const convolution *c) {
    const hlo_dim_labels *labels = c->labels;
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

/* The walk that turns the window dimensions of a packed kernel around that the window reverses. */
static void prepare_reversal(hlo_preparation *p, convolution *c) {
    int64_t unit = c->in_group * c->out_features, stride = unit * c->bytes;
    int64_t *strides = HLO_NEW_ARRAY(p->arena, int64_t, c->spatial);
    for (uint32_t d = 0; d < c->spatial; d++) c->reverses |= c->window->v[d].reversed;
    if (!c->reverses) return;
    for (uint32_t d = c->spatial; d-- > 0; stride *= c->window->v[d].size) strides[d] = stride;
    hlo_walk_init(&c->reverse, 2);
    for (uint32_t d = 0; d < c->spatial; d++) {
        const hlo_window_dim *dim = &c->window->v[d];
        c->reverse.at[1] += dim->reversed ? (dim->size - 1) * strides[d] : 0;
        hlo_walk_dim2(&c->reverse, dim->size, strides[d], dim->reversed ? -strides[d] : strides[d]);
    }
    hlo_walk_dim2(&c->reverse, unit, c->bytes, c->bytes);
    c->reversed_at = hlo_prepare_scratch(p, (size_t)(c->window_volume * unit * c->bytes));
}

static void set_sizes(convolution *c, const hlo_instr *instr) {
    const hlo_dim_labels *labels = c->labels;
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

static void convolve(const convolution *c) {
    if (is_grouped(c)) convolve_grouped(c);
    else if (is_pointwise(c)) convolve_pointwise(c);
    else convolve_patches(c);
}

/* Sums are [batch, spatial..., feature]; the result has its own order, and perhaps another type. */
static void prepare_store(hlo_preparation *p, convolution *c) {
    const hlo_shape *out = p->instr->shape;
    int64_t *to = HLO_NEW_ARRAY(p->arena, int64_t, out->rank);
    int64_t from = c->bytes * c->out_features * c->out_volume;
    hlo_row_major(out, c->bytes, to);
    hlo_walk_init(&c->store, 2);
    hlo_walk_dim2(&c->store, c->out_batch, to[c->labels->output_batch], from);
    for (uint32_t d = 0; d < c->spatial; d++) {
        from /= c->out_sizes[d];
        hlo_walk_dim2(&c->store, c->out_sizes[d], to[c->labels->output_spatial[d]], from);
    }
    hlo_walk_dim2(&c->store, c->out_features, to[c->labels->output_feature], c->bytes);
    hlo_prepare_accumulators(p, &c->result, out, c->type);
    c->sums_at = hlo_prepare_scratch(p, (size_t)(hlo_shape_elements(out) * c->bytes));
}

/* Memory of the pieces that convolve_grouped and convolve_patches make. */
static void prepare_pieces(hlo_preparation *p, convolution *c) {
    if (is_grouped(c)) c->work_bytes = (size_t)(c->out_features * c->bytes);
    else if (is_pointwise(c)) return;
    else c->work_bytes = (size_t)(rows_at_once(c) * c->window_volume * c->in_group * c->bytes);
    c->work_bytes = (c->work_bytes + 15) / 16 * 16;
    p->piece_bytes = c->work_bytes + visitor_bytes(c);
}

static void prepare_arrays(hlo_preparation *p, convolution *c) {
    const hlo_shape *input = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *kernel = hlo_operand(p->instr, 1)->shape;
    uint32_t *order = HLO_NEW_ARRAY(p->arena, uint32_t, c->spatial + 2);
    c->input_sizes = HLO_NEW_ARRAY(p->arena, int64_t, c->spatial);
    c->out_sizes = HLO_NEW_ARRAY(p->arena, int64_t, c->spatial);
    set_sizes(c, p->instr);
    input_order(order, c);
    hlo_prepare_packing(p, &c->pack_input, input, (hlo_type)input->type, order, c->type);
    kernel_order(order, c->labels);
    hlo_prepare_packing(p, &c->pack_kernel, kernel, (hlo_type)kernel->type, order, c->type);
    prepare_reversal(p, c);
    prepare_store(p, c);
    prepare_pieces(p, c);
}

bool hlo_check_dense_operands(hlo_preparation *p) {
    const hlo_attr *sparsity = hlo_instr_attr(p->instr, HLO_ATTR_SPARSITY_CONFIG);
    const hlo_shape *kernel = hlo_operand(p->instr, 1)->shape;
    if (hlo_shape_is_array(kernel) &&
        !(sparsity && (sparsity->u.sparsity->lhs.given || sparsity->u.sparsity->rhs.given)))
        return true;
    return hlo_prepare_error(p, HLO_RULE_UNSUPPORTED, "has a sparse operand");
}

static bool prepare_convolution(hlo_preparation *p) {
    static const hlo_window no_window = {0};
    if (!hlo_check_dense_operands(p)) return false;
    const hlo_attr *window = hlo_instr_attr(p->instr, HLO_ATTR_WINDOW);
    const hlo_shape *input = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *kernel = hlo_operand(p->instr, 1)->shape;
    convolution *c = HLO_NEW_STATE(p, convolution);
    c->window = window ? window->u.window : &no_window;
    c->labels = hlo_instr_attr(p->instr, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    c->spatial = c->labels->n;
    c->type = hlo_product_type((hlo_type)input->type, (hlo_type)kernel->type,
                               (hlo_type)p->instr->shape->type);
    c->bytes = hlo_types[c->type].bytes;
    c->is_empty = hlo_shape_elements(input) <= 0 || hlo_shape_elements(kernel) <= 0 ||
                  hlo_shape_elements(p->instr->shape) <= 0;
    if (!c->is_empty) prepare_arrays(p, c);
    p->state = c;
    return true;
}

/* ---- running ---- */

static void reverse_kernel(convolution *c) {
    char *reversed = (char *)c->call->scratch + c->reversed_at;
    hlo_copy_walk(&c->reverse, reversed, c->kernel, (uint32_t)c->bytes);
    c->kernel = reversed;
}

static void store_sums(convolution *c) {
    char *ordered = hlo_accumulators_at(&c->result, c->call, c->call->out);
    hlo_copy_walk(&c->store, ordered, c->sums, (uint32_t)c->bytes);
    hlo_accumulators_finish(&c->result, c->call->out, ordered);
}

static void convolve_arrays(const convolution *state, const hlo_call *call, const void *input,
                            const void *kernel) {
    convolution c = *state;
    c.call = call;
    c.input = hlo_pack(&c.pack_input, call, input);
    c.kernel = hlo_pack(&c.pack_kernel, call, kernel);
    c.sums = (char *)call->scratch + c.sums_at;
    if (c.reverses) reverse_kernel(&c);
    hlo_zero_bytes(c.sums, (size_t)(c.result.elements * c.bytes));
    convolve(&c);
    store_sums(&c);
}

static bool run_convolution(hlo_call *call) {
    const convolution *state = call->state;
    if (!hlo_check_convolution_sizes(call, state->labels)) return false;
    if (state->is_empty) {
        hlo_value_clear(call->out);
        return true;
    }
    hlo_value *input = hlo_zero_extended(call, call->in[0]);
    hlo_value *kernel = hlo_zero_extended(call, call->in[1]);
    if (input && kernel) convolve_arrays(state, call, input->data, kernel->data);
    if (hlo_is_short(call->in[0], (uint32_t)state->labels->input_batch))
        hlo_result_sizes(call->out)[state->labels->output_batch] =
            call->in[0]->sizes[state->labels->input_batch];
    hlo_value_release(input);
    hlo_value_release(kernel);
    return input && kernel;
}

const hlo_kernel hlo_kernel_convolution = {prepare_convolution, run_convolution};
