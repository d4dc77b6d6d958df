/* reduce-window: for each element of the window, all windows at once. Operands are padded and dilated
 * first, where necessary. Running sums and the like, windows as long as their dimension, take one
 * step an element. Called through the kernel table. */
#include "eval/ref/combine.h"
#include "eval/ref/padding.h"
#include "eval/ref/products.h"

enum { STAGE = 512 };

typedef struct {
    hlo_combiner *combiner;
    bool is_promoted;             /* one associative instruction: see hlo_combiner_promote */
    const hlo_window *window;
    const hlo_shape *operand, *result; /* of any operand: all have the same dimensions */
    uint32_t operands;
    bool is_padded;
    int64_t *padded_sizes, *padded_strides, *out_strides; /* counted in elements */
    int64_t *index;               /* of the window's element */
    hlo_type *types;              /* of accumulators and elements, by operand */
    char **inits;                 /* in these types */
    const char **data;            /* the elements, padded */
    void **copies;                /* what was allocated for them, or NULL */
    char **sums;
    char **stages;                /* STAGE elements each */
    void **accumulators;
    const void **elements;
} windows;

static int64_t bytes_of(const windows *w, uint32_t i) {
    return hlo_types[w->types[i]].bytes;
}

/* ---- operands ---- */

/* False when the padded operand has no representable size. */
static bool find_sizes(windows *w) {
    int64_t unit = 1;
    for (uint32_t d = w->window->n; d-- > 0;) {
        const hlo_window_dim *dim = &w->window->v[d];
        int64_t size = w->operand->dims[d];
        w->is_padded |= dim->pad_low || dim->pad_high || dim->base_dilation != 1;
        __int128 padded = size ? (__int128)(size - 1) * dim->base_dilation + 1 : 0;
        padded += (__int128)dim->pad_low + dim->pad_high;
        if (padded > INT64_MAX) return false;
        w->padded_sizes[d] = padded < 0 ? 0 : (int64_t)padded;
        w->padded_strides[d] = unit;
        if (__builtin_mul_overflow(unit, w->padded_sizes[d], &unit)) return false;
    }
    hlo_row_major(w->result, 1, w->out_strides);
    return unit <= INT64_MAX / HLO_LANES_MAX_BYTES;
}

/* Operand i in the type of its accumulators. */
static void convert_operand(windows *w, uint32_t i, const hlo_value *x) {
    w->data[i] = x->data;
    if (x->shape->type == w->types[i]) return;
    size_t elements = (size_t)hlo_shape_elements(x->shape);
    w->copies[i] = hlo_malloc(elements * (size_t)bytes_of(w, i));
    hlo_convert_elements((hlo_type)x->shape->type, w->types[i], x->data, w->copies[i], elements);
    w->data[i] = w->copies[i];
}

/* Puts operand i between its padding, where it has any. */
static void pad_operand(windows *w, uint32_t i, const hlo_value *x) {
    if (!w->is_padded && !x->sizes) return;
    uint32_t bytes = (uint32_t)bytes_of(w, i), rank = w->window->n;
    int64_t elements = 1;
    hlo_pad_dim *dims = hlo_malloc(rank * sizeof *dims);
    for (uint32_t d = 0; d < rank; d++) {
        const hlo_window_dim *dim = &w->window->v[d];
        dims[d] = (hlo_pad_dim){x->shape->dims[d], hlo_value_size(x, d), w->padded_sizes[d],
                                dim->pad_low, dim->base_dilation - 1};
        elements *= w->padded_sizes[d];
    }
    char *padded = hlo_malloc((size_t)elements * bytes);
    hlo_fill_elements(padded, w->inits[i], bytes, elements);
    hlo_copy_padded(padded, w->data[i], dims, rank, bytes);
    hlo_free(w->copies[i]);
    w->copies[i] = padded;
    w->data[i] = padded;
    hlo_free(dims);
}

/* ---- all windows at once ---- */

/* Combines the elements that lie `offset` behind each window's first one. */
static bool combine_row(windows *w, int64_t to, int64_t from, int64_t stride, int64_t n) {
    for (uint32_t i = 0; i < w->operands; i++) {
        int64_t bytes = bytes_of(w, i);
        const char *row = w->data[i] + from * bytes;
        w->accumulators[i] = w->sums[i] + to * bytes;
        w->elements[i] = row;
        if (stride == 1 || n == 1) continue;
        hlo_copy_row(w->stages[i], bytes, row, stride * bytes, (uint32_t)bytes, n);
        w->elements[i] = w->stages[i];
    }
    return hlo_combine(w->combiner, w->accumulators, w->elements, (size_t)n);
}

static bool combine_element(windows *w, hlo_walk *outputs, int64_t offset) {
    outputs->at[0] = 0;
    outputs->at[1] = offset;
    for (bool more = hlo_walk_start(outputs); more; more = hlo_walk_next(outputs)) {
        int64_t stride = outputs->row_stride[1];
        int64_t step = stride == 1 ? outputs->row : STAGE;
        for (int64_t k = 0; k < outputs->row; k += step) {
            int64_t n = outputs->row - k < step ? outputs->row - k : step;
            if (!combine_row(w, outputs->at[0] + k, outputs->at[1] + k * stride, stride, n))
                return false;
        }
    }
    return true;
}

/* Steps to the next element of the window in row-major order; moves the offset along. */
static bool next_element(windows *w, int64_t *offset) {
    for (uint32_t d = w->window->n; d-- > 0;) {
        const hlo_window_dim *dim = &w->window->v[d];
        int64_t step = dim->window_dilation * w->padded_strides[d];
        if (++w->index[d] < dim->size) {
            *offset += step;
            return true;
        }
        *offset -= (dim->size - 1) * step;
        w->index[d] = 0;
    }
    return false;
}

static bool combine_windows(windows *w) {
    hlo_walk outputs;
    hlo_walk_init(&outputs, 2);
    for (uint32_t d = 0; d < w->window->n; d++)
        hlo_walk_dim2(&outputs, w->result->dims[d], w->out_strides[d],
                      w->window->v[d].stride * w->padded_strides[d]);
    for (uint32_t d = 0; d < w->window->n; d++) w->index[d] = 0;
    int64_t offset = 0;
    do {
        if (!combine_element(w, &outputs, offset)) return false;
    } while (next_element(w, &offset));
    return true;
}

/* ---- running combinations ---- */

typedef enum { NOT_RUNNING, FORWARD, BACKWARD } direction;

/* Whether every result combines what comes before it (behind it) in one dimension, all of it. */
static direction running_along(const windows *w, uint32_t *dimension) {
    direction found = NOT_RUNNING;
    for (uint32_t d = 0; d < w->window->n; d++) {
        const hlo_window_dim *dim = &w->window->v[d];
        if (dim->stride != 1 || dim->base_dilation != 1 || dim->window_dilation != 1)
            return NOT_RUNNING;
        if (dim->size == 1 && !dim->pad_low && !dim->pad_high) continue;
        if (found != NOT_RUNNING || dim->size < w->operand->dims[d]) return NOT_RUNNING;
        if (dim->pad_low == dim->size - 1 && dim->pad_high == 0)
            found = FORWARD;
        else if (dim->pad_high == dim->size - 1 && dim->pad_low == 0)
            found = BACKWARD;
        else
            return NOT_RUNNING;
        *dimension = d;
    }
    return found;
}

/* Whether padding leaves the initial value as it is: init combined with init. */
static bool init_is_neutral(windows *w, bool *ok) {
    bool same = true;
    for (uint32_t i = 0; i < w->operands; i++) {
        memcpy(w->stages[i], w->inits[i], (size_t)bytes_of(w, i));
        w->accumulators[i] = w->stages[i];
        w->elements[i] = w->inits[i];
    }
    *ok = hlo_combine(w->combiner, w->accumulators, w->elements, 1);
    for (uint32_t i = 0; i < w->operands; i++)
        same &= !memcmp(w->stages[i], w->inits[i], (size_t)bytes_of(w, i));
    return same;
}

/* Each row of `inner` results continues the one before it. */
static bool run_along(windows *w, uint32_t dimension, direction way) {
    int64_t outer = 1, inner = 1, size = w->result->dims[dimension];
    for (uint32_t d = 0; d < dimension; d++) outer *= w->result->dims[d];
    for (uint32_t d = dimension + 1; d < w->window->n; d++) inner *= w->result->dims[d];
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t s = 0; s < size; s++) {
            int64_t row = (o * size + (way == FORWARD ? s : size - 1 - s)) * inner;
            int64_t before = row + (way == FORWARD ? -inner : inner);
            for (uint32_t i = 0; i < w->operands && s; i++) {
                int64_t bytes = bytes_of(w, i);
                memcpy(w->sums[i] + row * bytes, w->sums[i] + before * bytes,
                       (size_t)(inner * bytes));
            }
            if (!combine_row(w, row, row, 1, inner)) return false;
        }
    }
    return true;
}

/* ---- the kernel ---- */

static bool compute(windows *w, hlo_value *const *args) {
    uint32_t dimension = 0;
    bool ok = true, is_dynamic = false;
    for (uint32_t i = 0; i < w->operands; i++) is_dynamic |= args[i]->sizes != NULL;
    direction way = is_dynamic ? NOT_RUNNING : running_along(w, &dimension);
    if (way == BACKWARD && !w->is_promoted) way = NOT_RUNNING; /* the order might matter */
    if (way != NOT_RUNNING && init_is_neutral(w, &ok) && ok) return run_along(w, dimension, way);
    for (uint32_t i = 0; i < w->operands && ok; i++) pad_operand(w, i, args[i]);
    return ok && combine_windows(w);
}

/* Sets up what belongs to operand i; its accumulators start with the initial value. */
static void start_operand(windows *w, uint32_t i, hlo_value *const *args, hlo_value *result) {
    const hlo_value *init = args[w->operands + i];
    int64_t elements = hlo_shape_elements(w->result), bytes = bytes_of(w, i);
    w->inits[i] = hlo_malloc((size_t)bytes);
    w->stages[i] = hlo_malloc((size_t)(STAGE * bytes));
    hlo_convert_elements((hlo_type)init->shape->type, w->types[i], init->data, w->inits[i], 1);
    convert_operand(w, i, args[i]);
    bool in_place = result->shape->type == w->types[i];
    w->sums[i] = in_place ? result->data : hlo_malloc((size_t)(elements * bytes));
    hlo_fill_elements(w->sums[i], w->inits[i], (uint32_t)bytes, elements);
}

static void finish_operand(windows *w, uint32_t i, hlo_value *result) {
    hlo_finish_sums(result, w->types[i], w->sums[i]);
    hlo_free(w->inits[i]);
    hlo_free(w->stages[i]);
    hlo_free(w->copies[i]);
}

static bool reduce_windows(windows *w, hlo_value *const *args, hlo_value **results) {
    hlo_type promoted = hlo_combiner_promote(w->combiner);
    w->is_promoted = promoted != HLO_TYPE_COUNT;
    for (uint32_t i = 0; i < w->operands; i++) {
        w->types[i] = w->is_promoted ? promoted : (hlo_type)results[i]->shape->type;
        start_operand(w, i, args, results[i]);
    }
    bool ok = compute(w, args);
    for (uint32_t i = 0; i < w->operands; i++) finish_operand(w, i, results[i]);
    return ok;
}

/* Allocates the arrays by dimension and by operand in `arena`. */
static void new_arrays(windows *w, hlo_arena *arena) {
    uint32_t rank = w->operand->rank, n = w->operands;
    w->padded_sizes = HLO_NEW_ARRAY(arena, int64_t, rank);
    w->padded_strides = HLO_NEW_ARRAY(arena, int64_t, rank);
    w->out_strides = HLO_NEW_ARRAY(arena, int64_t, rank);
    w->index = HLO_NEW_ARRAY(arena, int64_t, rank);
    w->types = HLO_NEW_ARRAY(arena, hlo_type, n);
    w->inits = HLO_NEW_ARRAY(arena, char *, n);
    w->data = HLO_NEW_ARRAY(arena, const char *, n);
    w->copies = HLO_NEW_ARRAY(arena, void *, n);
    w->sums = HLO_NEW_ARRAY(arena, char *, n);
    w->stages = HLO_NEW_ARRAY(arena, char *, n);
    w->accumulators = HLO_NEW_ARRAY(arena, void *, n);
    w->elements = HLO_NEW_ARRAY(arena, const void *, n);
}

hlo_value *hlo_eval_reduce_window(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    static const hlo_window no_window = {0};
    const hlo_attr *window = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    hlo_value *out = hlo_value_zeros(instr->shape);
    if (!out) return NULL;
    hlo_value **results = out->elements ? out->elements : &out;
    if (!hlo_shape_elements(results[0]->shape)) return out;
    hlo_combiner combiner;
    windows w = {.combiner = &combiner, .window = window ? window->u.window : &no_window};
    w.operands = instr->operand_count / 2;
    w.operand = args[0]->shape;
    w.result = results[0]->shape;
    hlo_arena arena;
    hlo_arena_init(&arena);
    new_arrays(&w, &arena);
    bool fits = find_sizes(&w), ok = false;
    if (!fits) hlo_eval_error(eval, instr, "pads its operand beyond any memory");
    if (fits && hlo_combiner_init(&combiner, eval, instr, hlo_called(instr, 0), w.operands)) {
        ok = reduce_windows(&w, args, results);
        hlo_combiner_free(&combiner);
    }
    hlo_arena_free(&arena);
    if (ok) return out;
    hlo_value_release(out);
    return NULL;
}
