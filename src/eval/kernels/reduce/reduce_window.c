/* reduce-window: for each element of the window, all windows at once. Padding and the gaps of a
 * dilated operand take no part: a window that meets nothing else gives the initial value. Running
 * sums and the like, windows as long as their dimension, take one step an element. */
#include "base/pool.h"
#include "eval/kernel/combine.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/kernel.h"
#include "eval/kernel/strides.h"
#include "eval/kernels/reduce/running_window.h"

/* Lanes that are staged together when elements are not neighbours. */
enum { STAGE = 512 };

typedef struct {
    hlo_type from, type; /* of the operand's elements; of accumulators and elements */
    int64_t bytes;       /* of an accumulator */
    int64_t elements;
    size_t converted_at; /* in scratch memory, where types differ */
    size_t stage_at;     /* in a piece's memory: STAGE accumulators and STAGE elements */
    hlo_accumulators sums;
} window_operand;

typedef struct {
    hlo_combiner combiner;
    bool is_promoted;    /* one associative instruction: see hlo_combiner_promote */
    bool is_empty;       /* the results have no elements */
    bool runs_in_blocks; /* running_window.h */
    const hlo_window *window;
    const hlo_shape *result; /* of the first operand; all have the same dimensions */
    uint32_t operands;
    int64_t *strides, *result_strides; /* counted in elements */
    window_operand *by_operand;
    hlo_running running;
    hlo_type promoted;       /* with is_promoted: the accumulators' type */
    uint32_t cut;            /* the dimension of the result that threads share */
    int64_t longest, grain;  /* its size, and windows along it that a piece has at least */
    size_t data_at, sums_at; /* of pointers in scratch memory */
    size_t index_at, accumulators_at, elements_at; /* in a piece's memory */
} window_state;

typedef struct {
    const window_state *state;
    hlo_call *call;
    const char **data; /* the elements, by operand */
    char **sums;
    bool failed; /* by a computation that only the owner's thread runs */
} windows;

/* What one thread computes. */
typedef struct {
    const window_state *state;
    windows *windows;
    char *memory;
    int64_t *index; /* of the window's element */
    void **accumulators;
    const void **elements;
    int64_t first, last; /* windows along the dimension that is cut */
} window_part;

static window_part take_part(windows *w) {
    const window_state *s = w->state;
    window_part part = {.state = s, .windows = w, .memory = hlo_piece_take(w->call)};
    part.index = (int64_t *)(part.memory + s->index_at);
    part.accumulators = (void **)(part.memory + s->accumulators_at);
    part.elements = (const void **)(part.memory + s->elements_at);
    for (uint32_t d = 0; d < s->window->n; d++) part.index[d] = 0;
    return part;
}

static void leave_part(const window_part *part, bool ok) {
    if (!ok) part->windows->failed = true;
    hlo_piece_leave(part->windows->call, part->memory);
}

/* ---- one element of all windows ---- */

/* The windows of one dimension whose element `at` lies on an operand element: the first of them,
 * how many and how far apart; the operand's elements likewise. */
typedef struct {
    int64_t first, count, step;
    int64_t element, element_step;
} hits;

/* Of the windows from `least` on below `outputs`. */
static hits hits_of(const hlo_window_dim *dim, int64_t size, int64_t least, int64_t outputs,
                    int64_t at) {
    int64_t offset = at * dim->window_dilation - dim->pad_low;
    int64_t reach = (size - 1) * dim->base_dilation - offset; /* of the last element */
    int64_t step = hlo_window_period(dim);
    hits h = {0};
    if (size <= 0 || reach < 0) return h;
    int64_t last = reach / dim->stride < outputs - 1 ? reach / dim->stride : outputs - 1;
    h.first = offset < 0 ? (-offset + dim->stride - 1) / dim->stride : 0;
    if (h.first < least) h.first = least;
    while (h.first <= last && (h.first * dim->stride + offset) % dim->base_dilation) h.first++;
    if (h.first > last) return h;
    h.count = (last - h.first) / step + 1;
    h.element = (h.first * dim->stride + offset) / dim->base_dilation;
    if (h.count == 1) return h; /* there is nothing to step to, and the product may be too large */
    h.step = step;
    h.element_step = step * dim->stride / dim->base_dilation;
    return h;
}

/* Combines n elements at distances into as many accumulators; n is at most STAGE unless both are
 * neighbours. */
static bool combine_row(window_part *w, int64_t to, int64_t to_stride, int64_t from,
                        int64_t from_stride, int64_t n) {
    const window_state *s = w->state;
    bool stage_sums = to_stride != 1 && n > 1, stage_elements = from_stride != 1 && n > 1;
    for (uint32_t i = 0; i < s->operands; i++) {
        int64_t bytes = s->by_operand[i].bytes;
        char *stage = w->memory + s->by_operand[i].stage_at, *sums = w->windows->sums[i];
        const char *elements = w->windows->data[i] + from * bytes;
        w->accumulators[i] = stage_sums ? stage : sums + to * bytes;
        w->elements[i] = stage_elements ? stage + STAGE * bytes : elements;
        if (stage_sums)
            hlo_copy_row(stage, bytes, sums + to * bytes, to_stride * bytes, (uint32_t)bytes, n);
        if (stage_elements)
            hlo_copy_row(stage + STAGE * bytes, bytes, elements, from_stride * bytes,
                         (uint32_t)bytes, n);
    }
    if (!hlo_combine(&s->combiner, w->windows->call, w->accumulators, w->elements, (size_t)n))
        return false;
    for (uint32_t i = 0; i < s->operands && stage_sums; i++) {
        int64_t bytes = s->by_operand[i].bytes;
        hlo_copy_row(w->windows->sums[i] + to * bytes, to_stride * bytes,
                     w->memory + s->by_operand[i].stage_at, bytes, (uint32_t)bytes, n);
    }
    return true;
}

/* Combines the current element of every window that has it. */
static bool combine_element(window_part *w) {
    const window_state *s = w->state;
    const hlo_value *operand = w->windows->call->in[0];
    hlo_walk walk; /* array 0 are the results, array 1 the operand */
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < s->window->n; d++) {
        bool is_cut = d == s->cut;
        hits h = hits_of(&s->window->v[d], hlo_value_size(operand, d), is_cut ? w->first : 0,
                         is_cut ? w->last : s->result->dims[d], w->index[d]);
        walk.at[0] += h.first * s->result_strides[d];
        walk.at[1] += h.element * s->strides[d];
        hlo_walk_dim2(&walk, h.count, h.step * s->result_strides[d],
                      h.element_step * s->strides[d]);
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

static bool next_element(window_part *w) {
    const hlo_window *window = w->state->window;
    for (uint32_t d = window->n; d-- > 0;) {
        if (++w->index[d] < window->v[d].size) return true;
        w->index[d] = 0;
    }
    return false;
}

/* The windows between two places of the dimension that is cut. */
static void combine_range(void *context, int64_t first, int64_t last) {
    window_part mine = take_part(context);
    mine.first = first;
    mine.last = last;
    bool ok = true;
    do ok = combine_element(&mine);
    while (ok && next_element(&mine));
    leave_part(&mine, ok);
}

static bool combine_windows(windows *w) {
    bool alone = !hlo_combiner_is_shared(&w->state->combiner);
    int64_t longest = w->state->longest;
    hlo_parallel(longest, alone ? longest : w->state->grain, combine_range, w);
    return !w->failed;
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

static void prepare_cut(window_state *s) {
    double count = 1;
    s->cut = best_cut(s->result);
    s->longest = s->window->n ? s->result->dims[s->cut] : 1;
    for (uint32_t d = 0; d < s->window->n; d++)
        count *= (double)s->window->v[d].size * (double)s->result->dims[d];
    double cost = count / (double)s->longest * 2;
    s->grain = hlo_grain(cost < HLO_PIECE_COST ? (int64_t)cost : HLO_PIECE_COST);
}

/* ---- running combinations ---- */

/* Each row of `inner` results continues the one before it. */
static bool run_line(window_part *w, const hlo_running *r, int64_t line) {
    for (int64_t s = 0; s < r->size; s++) {
        int64_t row = (line * r->size + (r->way == HLO_FORWARD ? s : r->size - 1 - s)) * r->inner;
        int64_t before = row + (r->way == HLO_FORWARD ? -r->inner : r->inner);
        for (uint32_t i = 0; i < w->state->operands && s; i++) {
            int64_t bytes = w->state->by_operand[i].bytes;
            char *sums = w->windows->sums[i];
            memcpy(sums + row * bytes, sums + before * bytes, (size_t)(r->inner * bytes));
        }
        if (!combine_row(w, row, 1, row, 1, r->inner)) return false;
    }
    return true;
}

static void run_lines(void *context, int64_t first, int64_t last) {
    window_part mine = take_part(context);
    bool ok = true;
    for (int64_t line = first; line < last && ok; line++)
        ok = run_line(&mine, &mine.state->running, line);
    leave_part(&mine, ok);
}

static bool run_along(windows *w) {
    const hlo_running *r = &w->state->running;
    bool alone = !hlo_combiner_is_shared(&w->state->combiner);
    int64_t grain = hlo_grain(r->size * (r->inner + 10));
    hlo_parallel(r->lines, alone ? r->lines : grain, run_lines, w);
    return !w->failed;
}

/* ---- preparing ---- */

static void prepare_operand(hlo_preparation *p, window_operand *o, uint32_t i, hlo_type type) {
    const hlo_shape *x = hlo_operand(p->instr, i)->shape;
    o->from = (hlo_type)x->type;
    o->type = type;
    o->bytes = hlo_types[type].bytes;
    o->elements = hlo_shape_elements(x);
    if (o->elements > 0 && o->from != type)
        o->converted_at = hlo_prepare_scratch(p, (size_t)o->elements * hlo_types[type].bytes);
    hlo_prepare_accumulators(p, &o->sums, hlo_shape_part(p->instr->shape, i), type);
}

/* Makes `bytes` more of a piece's memory; returns where they begin in it. */
static size_t prepare_piece(hlo_preparation *p, size_t bytes) {
    size_t at = (p->piece_bytes + 63) / 64 * 64;
    p->piece_bytes = at + bytes;
    return at;
}

static void prepare_memory(hlo_preparation *p, window_state *s) {
    s->data_at = hlo_prepare_scratch(p, s->operands * sizeof(char *));
    s->sums_at = hlo_prepare_scratch(p, s->operands * sizeof(char *));
    s->index_at = prepare_piece(p, s->result->rank * sizeof(int64_t));
    s->accumulators_at = prepare_piece(p, s->operands * sizeof(void *));
    s->elements_at = prepare_piece(p, s->operands * sizeof(void *));
    for (uint32_t i = 0; i < s->operands; i++)
        s->by_operand[i].stage_at =
            prepare_piece(p, 2 * (size_t)STAGE * (size_t)s->by_operand[i].bytes);
}

static void prepare_arrays(hlo_preparation *p, window_state *s) {
    const hlo_shape *operand = hlo_operand(p->instr, 0)->shape;
    s->by_operand = HLO_NEW_ARRAY(p->arena, window_operand, s->operands);
    for (uint32_t i = 0; i < s->operands; i++)
        prepare_operand(p, &s->by_operand[i], i,
                        s->is_promoted ? s->promoted
                                       : (hlo_type)hlo_shape_part(p->instr->shape, i)->type);
    s->strides = HLO_NEW_ARRAY(p->arena, int64_t, operand->rank);
    s->result_strides = HLO_NEW_ARRAY(p->arena, int64_t, s->result->rank);
    hlo_row_major(operand, 1, s->strides);
    hlo_row_major(s->result, 1, s->result_strides);
    prepare_cut(s);
    prepare_memory(p, s);
}

/* Whether hlo_run_combination does it all. */
static bool prepare_running(window_state *s, const hlo_shape *operand) {
    s->promoted = hlo_combiner_promote(&s->combiner);
    s->is_promoted = s->promoted != HLO_TYPE_COUNT;
    s->running = hlo_find_running(s->window, operand, s->result);
    /* The order might matter, and it would begin with elements that are not there. */
    if (s->running.way == HLO_BACKWARD && (!s->is_promoted || operand->is_dynamic))
        s->running.way = HLO_NOT_RUNNING;
    return s->running.way != HLO_NOT_RUNNING && s->is_promoted;
}

static bool prepare_reduce_window(hlo_preparation *p) {
    static const hlo_window no_window = {0};
    const hlo_attr *window = hlo_instr_attr(p->instr, HLO_ATTR_WINDOW);
    window_state *s = HLO_NEW_STATE(p, window_state);
    p->state = s;
    s->window = window ? window->u.window : &no_window;
    s->operands = p->instr->operand_count / 2;
    s->result = hlo_shape_part(p->instr->shape, 0);
    s->is_empty = hlo_shape_elements(s->result) <= 0;
    if (s->is_empty) return true;
    if (!hlo_combiner_prepare(&s->combiner, p, hlo_called(p->instr, 0), s->operands)) return false;
    s->runs_in_blocks = prepare_running(s, hlo_operand(p->instr, 0)->shape);
    if (!s->runs_in_blocks) prepare_arrays(p, s);
    return true;
}

/* ---- running ---- */

static bool compute(windows *w) {
    bool is_dynamic = false;
    for (uint32_t i = 0; i < w->state->operands; i++) is_dynamic |= w->call->in[i]->sizes != NULL;
    bool runs = !is_dynamic && w->state->running.way != HLO_NOT_RUNNING;
    return runs ? run_along(w) : combine_windows(w);
}

/* The elements of operand i in the type of its accumulators, which start with the initial value. */
static void start_operand(windows *w, uint32_t i, hlo_value *result) {
    const window_operand *o = &w->state->by_operand[i];
    const void *data = w->call->in[i]->data;
    w->data[i] = data;
    if (o->elements > 0 && o->from != o->type) {
        char *converted = (char *)w->call->scratch + o->converted_at;
        hlo_convert_elements(o->from, o->type, data, converted, (size_t)o->elements);
        w->data[i] = converted;
    }
    w->sums[i] =
        hlo_accumulators_start(&o->sums, w->call, result, w->call->in[w->state->operands + i]);
}

static bool reduce_windows(windows *w, hlo_value **results) {
    const window_state *s = w->state;
    for (uint32_t i = 0; i < s->operands; i++) start_operand(w, i, results[i]);
    bool ok = compute(w);
    for (uint32_t i = 0; i < s->operands; i++)
        hlo_accumulators_finish(&s->by_operand[i].sums, results[i], w->sums[i]);
    return ok;
}

static bool run_reduce_window(hlo_call *call) {
    const window_state *state = call->state;
    char *scratch = call->scratch;
    hlo_value **results = call->out->elements ? call->out->elements : &call->out;
    windows w = {.state = state, .call = call};
    w.data = (const char **)(scratch + state->data_at);
    w.sums = (char **)(scratch + state->sums_at);
    bool ok = true;
    if (state->runs_in_blocks)
        hlo_run_combination(&state->running, &state->combiner, state->promoted, call);
    else ok = state->is_empty || reduce_windows(&w, results);
    for (uint32_t i = 0; i < state->operands; i++)
        hlo_set_windowed_sizes(results[i], call->in[i], state->window);
    return ok;
}

const hlo_kernel hlo_kernel_reduce_window = {prepare_reduce_window, run_reduce_window};
