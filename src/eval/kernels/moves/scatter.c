/* scatter: windows of updates combined into operands at indexed places, one index vector after the
 * other; a window that does not fit entirely is dropped. Threads share the operand's elements, not
 * the index vectors, so that every element is combined in their order. */
#include <stdatomic.h>

#include "base/pool.h"
#include "eval/kernel/combine.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/kernel.h"
#include "eval/kernels/moves/indexed_windows.h"
#include "eval/kernels/moves/scatter_elements.h"

/* Lanes that are staged together when the elements of a window row are not neighbours. */
enum { STAGE = 256, STAGE_BYTES = STAGE * HLO_LANES_MAX_BYTES };

typedef struct {
    hlo_combiner combiner;
    uint32_t operands;
    bool is_empty; /* the operands have no elements */
    hlo_indexed_windows_dims dims;
    hlo_indexed_windows windows; /* counted in elements, for operands without run-time sizes */
    /* Offsets in scratch memory: of `starts` and `froms` below, and of windows that are cut off by
     * run-time sizes. */
    size_t starts_at, froms_at, cut_at;
} scatter_state;

typedef struct {
    const scatter_state *state;
    hlo_call *call;
    hlo_value **results;
    hlo_value *const *updates;
    const hlo_value *indices;
    hlo_indexed_windows windows;
    /* By index vector: where its window starts in the operand, -1 when it does not fit, and in the
     * updates; counted in elements. */
    int64_t *starts, *froms;
    int64_t places;            /* index vectors */
    int64_t slab, slabs;       /* elements in a slab of the operand, and how many: see find_slabs */
    int64_t height;            /* slabs that a window spans */
    uint32_t height_dimension; /* along which it does */
    atomic_bool failed;
} scatter;

/* One thread's accumulators. */
typedef struct {
    scatter *s;
    void **accumulators; /* of the current lanes, one for each operand */
    const void **elements;
    char *stage; /* 2 * operands * STAGE elements of any type */
} scatter_lanes;

static void find_starts(scatter *s, hlo_walk *places, int64_t k) {
    for (bool more = hlo_walk_start(places); more; more = hlo_walk_next(places)) {
        hlo_find_fitting_starts(&s->windows, places, 0, places->row, s->indices, s->starts + k);
        for (int64_t i = 0; i < places->row; i++, k++)
            s->froms[k] = places->at[0] + i * places->row_stride[0];
    }
}

static void find_some_starts(void *context, int64_t first, int64_t last) {
    scatter *s = context;
    hlo_walk part;
    hlo_walk_part(&part, &s->windows.places, 0, first, last);
    find_starts(s, &part, first);
}

/* Finds where every index vector's window starts. */
static void find_all_starts(scatter *s) {
    enum { COST = 2 };
    s->places = hlo_walk_elements(&s->windows.places);
    s->starts = (int64_t *)((char *)s->call->scratch + s->state->starts_at);
    s->froms = (int64_t *)((char *)s->call->scratch + s->state->froms_at);
    if (s->windows.places.rank == 1) hlo_parallel(s->places, hlo_grain(COST), find_some_starts, s);
    else find_starts(s, &s->windows.places, 0);
}

/* ---- combining windows ---- */

/* Combines neighbouring elements in place. */
static bool combine_dense(scatter_lanes *l, int64_t to, int64_t from, int64_t n) {
    scatter *s = l->s;
    for (uint32_t i = 0; i < s->state->operands; i++) {
        uint32_t bytes = hlo_element_bytes(s->results[i]->shape);
        l->accumulators[i] = (char *)s->results[i]->data + to * bytes;
        l->elements[i] = (const char *)s->updates[i]->data + from * bytes;
    }
    return hlo_combine(&s->state->combiner, s->call, l->accumulators, l->elements, (size_t)n);
}

/* Combines elements at distances through the stage; n is at most STAGE. */
static bool combine_staged(scatter_lanes *l, int64_t to, int64_t to_stride, int64_t from,
                           int64_t from_stride, int64_t n) {
    scatter *s = l->s;
    for (uint32_t i = 0; i < s->state->operands; i++) {
        int64_t bytes = hlo_element_bytes(s->results[i]->shape);
        char *place = l->stage + (size_t)i * 2 * STAGE_BYTES;
        l->accumulators[i] = place;
        l->elements[i] = place + STAGE_BYTES;
        hlo_copy_row(place, bytes, (char *)s->results[i]->data + to * bytes, to_stride * bytes,
                     (uint32_t)bytes, n);
        hlo_copy_row(place + STAGE_BYTES, bytes, (const char *)s->updates[i]->data + from * bytes,
                     from_stride * bytes, (uint32_t)bytes, n);
    }
    if (!hlo_combine(&s->state->combiner, s->call, l->accumulators, l->elements, (size_t)n))
        return false;
    for (uint32_t i = 0; i < s->state->operands; i++) {
        int64_t bytes = hlo_element_bytes(s->results[i]->shape);
        hlo_copy_row((char *)s->results[i]->data + to * bytes, to_stride * bytes,
                     l->accumulators[i], bytes, (uint32_t)bytes, n);
    }
    return true;
}

/* Combines the elements of a walk, which is placed. */
static bool combine_window(scatter_lanes *l, hlo_walk *window) {
    for (bool more = hlo_walk_start(window); more; more = hlo_walk_next(window)) {
        int64_t from = window->at[0], from_stride = window->row_stride[0];
        int64_t to = window->at[1], to_stride = window->row_stride[1];
        bool dense = window->row == 1 || (from_stride == 1 && to_stride == 1);
        if (dense && !combine_dense(l, to, from, window->row)) return false;
        for (int64_t k = 0; k < window->row && !dense; k += STAGE) {
            int64_t n = window->row - k < STAGE ? window->row - k : STAGE;
            if (!combine_staged(l, to + k * to_stride, to_stride, from + k * from_stride,
                                from_stride, n))
                return false;
        }
    }
    return true;
}

/* ---- threads ---- */

/* Cuts the operand into slabs along its first dimensions, as many as make enough slabs; windows
 * have one element along all of these but the last, so that the slabs of a window follow each
 * other. */
static void find_slabs(scatter *s, const hlo_shape *operand) {
    enum { ENOUGH = 64 };
    s->slab = hlo_shape_elements(operand);
    s->slabs = s->height = 1;
    for (uint32_t d = 0; d < operand->rank && s->slabs < ENOUGH && s->height == 1; d++) {
        s->slabs *= operand->dims[d];
        s->slab /= operand->dims[d];
        s->height = s->windows.extents[d].size;
        s->height_dimension = d;
    }
}

/* What lies in slabs first to last - 1 of a window, counted from its own first one. */
static void take_slabs(const scatter *s, hlo_walk *part, int64_t first, int64_t last) {
    hlo_walk_init(part, 2);
    for (uint32_t d = 0; d < s->results[0]->shape->rank; d++) {
        hlo_window_extent extent = s->windows.extents[d];
        if (d == s->height_dimension) {
            part->at[0] = first * extent.in_slices;
            part->at[1] = first * extent.in_operand;
            extent.size = last - first;
        }
        hlo_walk_dim2(part, extent.size, extent.in_slices, extent.in_operand);
    }
}

/* Combines what lies in slabs first to last - 1 of the window of one index vector. */
static bool combine_in_slabs(scatter_lanes *l, hlo_walk *window, int64_t k, int64_t first,
                             int64_t last) {
    const scatter *s = l->s;
    int64_t top = s->height > 1 ? s->starts[k] / s->slab : first;
    bool is_whole = top >= first && top + s->height <= last;
    if (is_whole) {
        window->at[0] = s->froms[k];
        window->at[1] = s->starts[k];
        return combine_window(l, window);
    }
    hlo_walk part;
    int64_t end = last - top < s->height ? last - top : s->height;
    take_slabs(s, &part, first > top ? first - top : 0, end);
    part.at[0] += s->froms[k];
    part.at[1] += s->starts[k];
    return combine_window(l, &part);
}

static bool combine_slabs(scatter_lanes *l, int64_t first, int64_t last) {
    enum { CHUNK = 1024 };
    const scatter *s = l->s;
    int64_t from = first < s->height ? 0 : (first - s->height + 1) * s->slab, hits[CHUNK];
    uint64_t span = (uint64_t)(last * s->slab - from);
    bool are_elements = hlo_walk_elements(&s->windows.window) == 1;
    hlo_walk window;
    hlo_walk_part(&window, &s->windows.window, s->windows.window.rank, 0, 1);
    for (int64_t k = 0; k < s->places;) {
        size_t n = 0; /* found without branches, which no processor could predict */
        for (int64_t end = k + CHUNK < s->places ? k + CHUNK : s->places; k < end; k++) {
            hits[n] = k;
            n += (uint64_t)(s->starts[k] - from) < span;
        }
        for (size_t i = 0; i < n && !hlo_pool_is_stopped(); i++) {
            bool ok = are_elements ? combine_dense(l, s->starts[hits[i]], s->froms[hits[i]], 1)
                                   : combine_in_slabs(l, &window, hits[i], first, last);
            if (!ok) return false;
        }
    }
    return true;
}

static size_t lanes_bytes(uint32_t operands) {
    return operands * (2 * (size_t)STAGE_BYTES + 2 * sizeof(void *));
}

static void run_slabs(void *context, int64_t first, int64_t last) {
    scatter *s = context;
    scatter_lanes l = {.s = s, .stage = hlo_piece_take(s->call)};
    l.accumulators = (void **)(l.stage + s->state->operands * 2 * (size_t)STAGE_BYTES);
    l.elements = (const void **)(l.accumulators + s->state->operands);
    if (!combine_slabs(&l, first, last)) atomic_store(&s->failed, true);
    hlo_piece_leave(s->call, l.stage);
}

/* Slabs that are one piece of work. Every piece looks at all index vectors, so that there are no
 * more pieces than threads can use; no bit depends on how many there are. */
static int64_t slabs_at_once(const scatter *s) {
    enum { PER_WINDOW = 20 };
    uint32_t threads = hlo_pool_available();
    if (threads == 1 || !hlo_combiner_is_shared(&s->state->combiner)) return s->slabs;
    double window = PER_WINDOW + (double)hlo_walk_elements(&s->windows.window);
    double pieces = (double)s->places * window / HLO_PIECE_COST;
    if (pieces > 2 * threads) pieces = 2 * threads;
    if (pieces < 2) return s->slabs;
    return (int64_t)((double)s->slabs / pieces) + 1;
}

/* ---- preparing ---- */

static bool prepare_scatter(hlo_preparation *p) {
    uint32_t operands = p->instr->operand_count / 2;
    const hlo_shape *operand = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *indices = hlo_operand(p->instr, operands)->shape;
    const hlo_shape *updates = hlo_operand(p->instr, operands + 1)->shape;
    scatter_state *state = HLO_NEW_STATE(p, scatter_state);
    state->operands = p->updates = operands;
    state->dims = (hlo_indexed_windows_dims){.numbers = hlo_index_dims_of(p->instr)};
    state->is_empty = hlo_shape_elements(operand) == 0;
    p->state = state;
    if (!hlo_check_windows_dims(p, &state->dims)) return false;
    if (!hlo_combiner_prepare(&state->combiner, p, hlo_called(p->instr, 0), operands)) return false;
    if (state->is_empty) return true;
    size_t bytes = hlo_indexed_windows_bytes(&state->dims, operand, indices, updates);
    hlo_indexed_windows_init(&state->windows, &state->dims, operand, indices, updates, 1,
                             hlo_arena_alloc(p->arena, bytes));
    size_t places = (size_t)hlo_walk_elements(&state->windows.places);
    state->cut_at = hlo_prepare_scratch(p, bytes);
    if (hlo_scatters_elements(&state->windows, &state->combiner)) return true;
    state->starts_at = hlo_prepare_scratch(p, places * sizeof(int64_t));
    state->froms_at = hlo_prepare_scratch(p, places * sizeof(int64_t));
    p->piece_bytes = lanes_bytes(operands);
    return true;
}

/* ---- running ---- */

/* Run-time sizes cut the windows that were prepared: these are set up again, in scratch memory. */
static void set_windows(scatter *s) {
    hlo_indexed_windows_dims dims = s->state->dims;
    dims.index_sizes = s->indices->sizes;
    dims.slice_sizes = s->updates[0]->sizes;
    if (dims.index_sizes || dims.slice_sizes)
        hlo_indexed_windows_init(&s->windows, &dims, s->results[0]->shape, s->indices->shape,
                                 s->updates[0]->shape, 1,
                                 (char *)s->call->scratch + s->state->cut_at);
    else s->windows = s->state->windows;
}

static bool combine_windows(scatter *s) {
    set_windows(s);
    if (hlo_scatters_elements(&s->windows, &s->state->combiner)) {
        hlo_scatter_elements(&(hlo_element_scatter){&s->state->combiner, &s->windows, s->indices,
                                                    s->updates[0], s->results[0]});
        return true;
    }
    find_all_starts(s);
    find_slabs(s, s->results[0]->shape);
    hlo_parallel(s->slabs, slabs_at_once(s), run_slabs, s);
    return !atomic_load(&s->failed);
}

static bool run_scatter(hlo_call *call) {
    const scatter_state *state = call->state;
    uint32_t operands = state->operands;
    scatter s = {.state = state, .call = call, .indices = call->in[operands]};
    s.updates = call->in + operands + 1;
    s.results = call->out->elements ? call->out->elements : &call->out;
    return hlo_scatter_check(call, &state->dims) && (state->is_empty || combine_windows(&s));
}

const hlo_kernel hlo_kernel_scatter = {prepare_scatter, run_scatter};
