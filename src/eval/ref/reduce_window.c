/* reduce-window: for each element of the window, all windows at once. Padding and the gaps of a
 * dilated operand take no part: a window that meets nothing else gives the initial value. Running
 * sums and the like, windows as long as their dimension, take one step an element. Called through
 * the kernel table. */
#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/combine.h"
#include "eval/ref/old_products.h"

/* Lanes that are staged together when elements are not neighbours. */
enum { STAGE = 512 };

typedef struct {
    hlo_combiner *combiner;
    bool is_promoted; /* one associative instruction: see hlo_combiner_promote */
    const hlo_window *window;
    const hlo_value *operand; /* the first; all have the same dimensions */
    const hlo_shape *result;
    uint32_t operands;
    int64_t *strides, *result_strides; /* counted in elements */
    int64_t *index;                    /* of the window's element */
    hlo_type *types;                   /* of accumulators and elements, by operand */
    const char **data;                 /* the elements */
    void **copies;                     /* what was allocated for them, or NULL */
    char **sums;
    char **stages; /* STAGE accumulators and STAGE elements each */
    void **accumulators;
    const void **elements;
    uint32_t cut;        /* the dimension of the result that threads share, */
    int64_t first, last; /* and the windows along it that are ours */
    bool failed;
} windows;

static int64_t bytes_of(const windows *w, uint32_t i) {
    return hlo_types[w->types[i]].bytes;
}

/* ---- one element of all windows ---- */

/* The windows of one dimension whose element `at` lies on an operand element: the first of them,
 * how many and how far apart; the operand's elements likewise. */
typedef struct {
    int64_t first, count, step;
    int64_t element, element_step;
} hits;

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Of the windows from `least` on below `outputs`. */
static hits hits_of(const hlo_window_dim *dim, int64_t size, int64_t least, int64_t outputs,
                    int64_t at) {
    int64_t offset = at * dim->window_dilation - dim->pad_low;
    int64_t reach = (size - 1) * dim->base_dilation - offset; /* of the last element */
    hits h = {.step = dim->base_dilation / common_divisor(dim->stride, dim->base_dilation)};
    if (size <= 0 || reach < 0) return h;
    int64_t last = reach / dim->stride < outputs - 1 ? reach / dim->stride : outputs - 1;
    h.first = offset < 0 ? (-offset + dim->stride - 1) / dim->stride : 0;
    if (h.first < least) h.first = least;
    while (h.first <= last && (h.first * dim->stride + offset) % dim->base_dilation) h.first++;
    if (h.first > last) return h;
    h.count = (last - h.first) / h.step + 1;
    h.element = (h.first * dim->stride + offset) / dim->base_dilation;
    h.element_step = h.step * dim->stride / dim->base_dilation;
    return h;
}

/* Combines n elements at distances into as many accumulators; n is at most STAGE unless both are
 * neighbours. */
static bool combine_row(windows *w, int64_t to, int64_t to_stride, int64_t from,
                        int64_t from_stride, int64_t n) {
    bool stage_sums = to_stride != 1 && n > 1, stage_elements = from_stride != 1 && n > 1;
    for (uint32_t i = 0; i < w->operands; i++) {
        int64_t bytes = bytes_of(w, i);
        const char *elements = w->data[i] + from * bytes;
        w->accumulators[i] = stage_sums ? w->stages[i] : w->sums[i] + to * bytes;
        w->elements[i] = stage_elements ? w->stages[i] + STAGE * bytes : elements;
        if (stage_sums)
            hlo_copy_row(w->stages[i], bytes, w->sums[i] + to * bytes, to_stride * bytes,
                         (uint32_t)bytes, n);
        if (stage_elements)
            hlo_copy_row(w->stages[i] + STAGE * bytes, bytes, elements, from_stride * bytes,
                         (uint32_t)bytes, n);
    }
    if (!hlo_combine(w->combiner, w->combiner->call, w->accumulators, w->elements, (size_t)n))
        return false;
    for (uint32_t i = 0; i < w->operands && stage_sums; i++) {
        int64_t bytes = bytes_of(w, i);
        hlo_copy_row(w->sums[i] + to * bytes, to_stride * bytes, w->stages[i], bytes,
                     (uint32_t)bytes, n);
    }
    return true;
}

/* Combines the current element of every window that has it. */
static bool combine_element(windows *w) {
    hlo_walk walk; /* array 0 are the results, array 1 the operand */
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < w->window->n; d++) {
        bool is_cut = d == w->cut;
        hits h = hits_of(&w->window->v[d], hlo_value_size(w->operand, d), is_cut ? w->first : 0,
                         is_cut ? w->last : w->result->dims[d], w->index[d]);
        walk.at[0] += h.first * w->result_strides[d];
        walk.at[1] += h.element * w->strides[d];
        hlo_walk_dim2(&walk, h.count, h.step * w->result_strides[d],
                      h.element_step * w->strides[d]);
    }
    for (bool more = hlo_walk_start(&walk); more; more = hlo_walk_next(&walk)) {
        int64_t to_stride = walk.row_stride[0], from_stride = walk.row_stride[1];
        int64_t step = to_stride == 1 && from_stride == 1 ? walk.row : STAGE;
        for (int64_t k = 0; k < walk.row; k += step) {
            int64_t n = walk.row - k < step ? walk.row - k : step;
            if (!combine_row(w, walk.at[0] + k * to_stride, to_stride, walk.at[1] + k * from_stride,
                             from_stride, n))
                return false;
        }
    }
    return true;
}

static bool next_element(windows *w) {
    for (uint32_t d = w->window->n; d-- > 0;) {
        if (++w->index[d] < w->window->v[d].size) return true;
        w->index[d] = 0;
    }
    return false;
}

/* Scratch of a thread. */
static void new_scratch(windows *w, hlo_arena *arena) {
    uint32_t n = w->operands;
    w->index = HLO_NEW_ARRAY(arena, int64_t, w->result->rank);
    w->stages = HLO_NEW_ARRAY(arena, char *, n);
    w->accumulators = HLO_NEW_ARRAY(arena, void *, n);
    w->elements = HLO_NEW_ARRAY(arena, const void *, n);
    for (uint32_t i = 0; i < n; i++)
        w->stages[i] = hlo_arena_aligned(arena, 2 * (size_t)STAGE * (size_t)bytes_of(w, i), 64);
}

/* The windows between two places of the dimension that is cut. */
static void combine_range(void *context, int64_t first, int64_t last) {
    windows *whole = context, mine = *whole;
    hlo_arena arena;
    hlo_arena_init(&arena);
    new_scratch(&mine, &arena);
    mine.first = first;
    mine.last = last;
    bool ok = true;
    do ok = combine_element(&mine);
    while (ok && next_element(&mine));
    if (!ok) whole->failed = true;
    hlo_arena_free(&arena);
}

/* The dimension of the result that threads share: a long one, and the last one only when it is much
 * longer than the others, because rows are best left whole. */
static uint32_t best_cut(const hlo_shape *result) {
    enum { MUCH = 16 };
    uint32_t best = 0;
    for (uint32_t d = 1; d < result->rank; d++) {
        bool is_last = d + 1 == result->rank;
        if (result->dims[d] / (is_last ? MUCH : 1) > result->dims[best]) best = d;
    }
    return best;
}

static bool combine_windows(windows *w) {
    double count = 1;
    w->cut = best_cut(w->result);
    int64_t longest = w->window->n ? w->result->dims[w->cut] : 1;
    for (uint32_t d = 0; d < w->window->n; d++)
        count *= (double)w->window->v[d].size * (double)w->result->dims[d];
    double cost = count / (double)longest * 2;
    int64_t grain = hlo_grain(cost < HLO_PIECE_COST ? (int64_t)cost : HLO_PIECE_COST);
    bool alone = !hlo_combiner_is_shared(w->combiner);
    hlo_parallel(longest, alone ? longest : grain, combine_range, w);
    return !w->failed;
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
        if (found != NOT_RUNNING || dim->size < w->operand->shape->dims[d]) return NOT_RUNNING;
        if (dim->pad_low == dim->size - 1 && dim->pad_high == 0) found = FORWARD;
        else if (dim->pad_high == dim->size - 1 && dim->pad_low == 0) found = BACKWARD;
        else return NOT_RUNNING;
        *dimension = d;
    }
    return found;
}

typedef struct {
    windows *windows;
    direction way;
    int64_t inner, size; /* elements of a row; rows of a line */
} running;

/* Each row of `inner` results continues the one before it. */
static bool run_line(windows *w, const running *r, int64_t line) {
    for (int64_t s = 0; s < r->size; s++) {
        int64_t row = (line * r->size + (r->way == FORWARD ? s : r->size - 1 - s)) * r->inner;
        int64_t before = row + (r->way == FORWARD ? -r->inner : r->inner);
        for (uint32_t i = 0; i < w->operands && s; i++) {
            int64_t bytes = bytes_of(w, i);
            memcpy(w->sums[i] + row * bytes, w->sums[i] + before * bytes,
                   (size_t)(r->inner * bytes));
        }
        if (!combine_row(w, row, 1, row, 1, r->inner)) return false;
    }
    return true;
}

static void run_lines(void *context, int64_t first, int64_t last) {
    const running *r = context;
    windows mine = *r->windows;
    hlo_arena arena;
    hlo_arena_init(&arena);
    new_scratch(&mine, &arena);
    bool ok = true;
    for (int64_t line = first; line < last && ok; line++) ok = run_line(&mine, r, line);
    if (!ok) r->windows->failed = true;
    hlo_arena_free(&arena);
}

static bool run_along(windows *w, uint32_t dimension, direction way) {
    int64_t lines = 1;
    running r = {w, way, 1, w->result->dims[dimension]};
    for (uint32_t d = 0; d < dimension; d++) lines *= w->result->dims[d];
    for (uint32_t d = dimension + 1; d < w->window->n; d++) r.inner *= w->result->dims[d];
    bool alone = !hlo_combiner_is_shared(w->combiner);
    hlo_parallel(lines, alone ? lines : hlo_grain(r.size * (r.inner + 10)), run_lines, &r);
    return !w->failed;
}

/* ---- the kernel ---- */

static bool compute(windows *w, hlo_value *const *args) {
    uint32_t dimension = 0;
    bool is_dynamic = false;
    for (uint32_t i = 0; i < w->operands; i++) is_dynamic |= args[i]->sizes != NULL;
    direction way = is_dynamic ? NOT_RUNNING : running_along(w, &dimension);
    if (way == BACKWARD && !w->is_promoted) way = NOT_RUNNING; /* the order might matter */
    return way == NOT_RUNNING ? combine_windows(w) : run_along(w, dimension, way);
}

/* Operand i in the type of its accumulators. */
static void convert_operand(windows *w, uint32_t i, const hlo_value *x) {
    w->data[i] = x->data;
    if (x->shape->type == w->types[i]) return;
    size_t elements = (size_t)hlo_shape_elements(x->shape);
    w->copies[i] = hlo_scratch_new(elements * (size_t)bytes_of(w, i));
    hlo_convert_elements((hlo_type)x->shape->type, w->types[i], x->data, w->copies[i], elements);
    w->data[i] = w->copies[i];
}

/* Sets up what belongs to operand i; its accumulators start with the initial value. */
static void start_operand(windows *w, uint32_t i, hlo_value *const *args, hlo_value *result) {
    const hlo_value *init = args[w->operands + i];
    int64_t elements = hlo_shape_elements(w->result), bytes = bytes_of(w, i);
    _Alignas(16) char first[HLO_LANES_MAX_BYTES];
    hlo_convert_elements((hlo_type)init->shape->type, w->types[i], init->data, first, 1);
    convert_operand(w, i, args[i]);
    bool in_place = result->shape->type == w->types[i];
    w->sums[i] = in_place ? result->data : hlo_scratch_new((size_t)(elements * bytes));
    hlo_fill_elements(w->sums[i], first, (uint32_t)bytes, elements);
}

static void finish_operand(windows *w, uint32_t i, hlo_value *result) {
    hlo_finish_sums(result, w->types[i], w->sums[i]);
    hlo_block_free(w->copies[i]);
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
    uint32_t rank = w->result->rank, n = w->operands;
    w->strides = HLO_NEW_ARRAY(arena, int64_t, rank);
    w->result_strides = HLO_NEW_ARRAY(arena, int64_t, rank);
    hlo_row_major(w->operand->shape, 1, w->strides);
    hlo_row_major(w->result, 1, w->result_strides);
    w->types = HLO_NEW_ARRAY(arena, hlo_type, n);
    w->data = HLO_NEW_ARRAY(arena, const char *, n);
    w->copies = HLO_NEW_ARRAY(arena, void *, n);
    w->sums = HLO_NEW_ARRAY(arena, char *, n);
}

/* How many windows a dimension of `live` elements has at run time. XLA counts those that fit
 * without padding or dilation of the operand, however the bound was computed; a window of one
 * element that does not move in its own way changes nothing. */
static int64_t live_windows(const hlo_window_dim *dim, int64_t live, int64_t bound) {
    bool is_trivial = dim->size == 1 && dim->stride == 1 && dim->pad_low == 0 &&
                      dim->pad_high == 0 && dim->base_dilation == 1 && dim->window_dilation == 1;
    if (is_trivial) return live;
    int64_t room = live - (dim->size - 1) * dim->window_dilation - 1;
    return room < 0 ? 0 : hlo_clamp_index(room / dim->stride + 1, 0, bound);
}

static void set_sizes(hlo_value *out, const hlo_value *x, const hlo_window *window) {
    for (uint32_t d = 0; x->sizes && d < window->n; d++) {
        bool is_dynamic =
            x->sizes[d] != x->shape->dims[d] || (x->shape->is_dynamic && x->shape->is_dynamic[d]);
        if (!is_dynamic) continue;
        hlo_result_sizes(out)[d] = live_windows(&window->v[d], x->sizes[d], out->shape->dims[d]);
    }
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
    w.operand = args[0];
    w.result = results[0]->shape;
    bool ok = hlo_combiner_init(&combiner, eval, instr, hlo_called(instr, 0), w.operands);
    if (ok) {
        hlo_arena arena;
        hlo_arena_init(&arena);
        new_arrays(&w, &arena);
        ok = reduce_windows(&w, args, results);
        for (uint32_t i = 0; i < w.operands; i++) set_sizes(results[i], args[i], w.window);
        hlo_arena_free(&arena);
        hlo_combiner_free(&combiner);
    }
    if (ok) return out;
    hlo_value_release(out);
    return NULL;
}
