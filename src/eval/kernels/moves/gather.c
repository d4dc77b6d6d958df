/* gather: windows of the operand at starts that are clamped so that they fit. The addressing is
 * shared with scatter (indexed_windows.h). */
#include "base/pool.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/kernel.h"
#include "eval/kernels/moves/indexed_windows.h"
#include "eval/kernels/moves/move_kernels.h"

typedef struct {
    hlo_indexed_windows_dims dims;
    hlo_indexed_windows windows; /* counted in bytes */
    uint32_t bytes;              /* of an element */
    bool is_empty;               /* the operand has no elements */
    uint32_t dimension;          /* of the places, along which they are split */
    int64_t count, grain;
    int64_t row_bytes; /* of a window whose elements are neighbours in both arrays; 0: it is none */
    bool streams;      /* long rows, and too many for the caches */
    bool fetches;      /* single elements from beyond the second cache */
} gather_state;

/* Nearer elements come sooner than they would be asked for. */
enum { FAR_BYTES = 1 << 20 };

/* The bytes of the operand that index vectors choose from. */
static int64_t reach_of(const hlo_indexed_windows *windows) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < windows->index_count; i++)
        bytes += windows->starts[i].last * windows->starts[i].stride;
    return bytes;
}

static bool prepare_gather(hlo_preparation *p) {
    const hlo_shape *operand = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *indices = hlo_operand(p->instr, 1)->shape, *out = p->instr->shape;
    gather_state *state = HLO_NEW_STATE(p, gather_state);
    state->dims = (hlo_indexed_windows_dims){.numbers = hlo_index_dims_of(p->instr)};
    state->bytes = hlo_element_bytes(operand);
    state->is_empty = hlo_shape_elements(operand) == 0;
    p->state = state;
    if (!hlo_check_windows_dims(p, &state->dims)) return false;
    if (state->is_empty) return true;
    size_t memory = hlo_indexed_windows_bytes(&state->dims, operand, indices, out);
    const hlo_walk *all = &state->windows.places;
    hlo_indexed_windows_init(&state->windows, &state->dims, operand, indices, out, state->bytes,
                             hlo_arena_alloc(p->arena, memory));
    state->row_bytes = hlo_window_row_bytes(&state->windows.window, state->bytes);
    state->fetches = reach_of(&state->windows) > FAR_BYTES;
    state->streams = state->row_bytes >= 512 && hlo_shape_bytes(out) >= hlo_stream_least();
    int64_t places = hlo_walk_elements(all), slice = hlo_walk_elements(&state->windows.window);
    state->dimension = hlo_walk_longest(all, 1);
    state->count = state->dimension < all->rank ? all->size[state->dimension] : 1;
    int64_t others = places > state->count ? places / state->count : 1;
    int64_t cost = state->row_bytes == state->bytes ? 2 : slice + 20;
    state->grain = hlo_grain(others < HLO_PIECE_COST ? others * cost : others);
    return true;
}

/* ---- windows, one after the other, from the starts that were found ---- */

typedef struct {
    const gather_state *state;
    hlo_walk window;
    char *to; /* of the first window, and how far the next ones are from each other */
    int64_t to_stride;
    const char *from;
    const int64_t *starts;
    int64_t count;
} taking;

/* Elements far from each other take a walk through page tables each: many have to be under way. */
static void fetch_elements(const taking *t) {
    const char *from = t->from;
    const int64_t *starts = t->starts;
    for (int64_t i = 0, n = t->count; i < n; i++) __builtin_prefetch(from + starts[i]);
}

/* Cells may be of any type: what is in memory would be read again after each of them. */
#define DEFINE_TAKE(bytes)                                                                 \
    static void take_elements_##bytes(const taking *t) {                                   \
        const char *from = t->from;                                                        \
        const int64_t *starts = t->starts;                                                 \
        char *to = t->to;                                                                  \
        for (int64_t i = 0, n = t->count, stride = t->to_stride; i < n; i++, to += stride) \
            *(hlo_cell_##bytes *)to = *(const hlo_cell_##bytes *)(from + starts[i]);       \
    }
DEFINE_TAKE(1)
DEFINE_TAKE(2)
DEFINE_TAKE(4)
DEFINE_TAKE(8)
DEFINE_TAKE(16)

static void take_elements(const taking *t) {
    static void (*const take[HLO_CELLS])(const taking *) = {
        take_elements_1, take_elements_2, take_elements_4, take_elements_8, take_elements_16};
    if (t->state->fetches) fetch_elements(t);
    take[hlo_cell_number(t->state->bytes)](t);
}

static void take_rows(const taking *t) {
    enum { AHEAD = 4 };
    int64_t bytes = t->state->row_bytes;
    const hlo_move_set *moves = hlo_move_chosen();
    for (int64_t i = 0; i < t->count; i++) {
        if (i + AHEAD < t->count) hlo_fetch_row(t->from + t->starts[i + AHEAD], bytes);
        char *to = t->to + i * t->to_stride;
        if (t->state->streams) moves->stream(to, t->from + t->starts[i], bytes);
        else memcpy(to, t->from + t->starts[i], (size_t)bytes);
    }
}

static void take_windows(taking *t) {
    for (int64_t i = 0; i < t->count; i++) {
        t->window.at[0] = i * t->to_stride;
        t->window.at[1] = t->starts[i];
        hlo_copy_walk(&t->window, t->to, t->from, t->state->bytes);
    }
}

/* ---- running ---- */

typedef struct {
    const gather_state *state;
    const hlo_value *operand, *indices;
    hlo_value *out;
} loop;

static void gather_row(const loop *l, const hlo_walk *places, taking *t) {
    enum { AT_ONCE = 256 };
    int64_t starts[AT_ONCE];
    t->starts = starts;
    t->to_stride = places->row_stride[0];
    for (int64_t k = 0; k < places->row && !hlo_pool_is_stopped(); k += t->count) {
        t->count = places->row - k < AT_ONCE ? places->row - k : AT_ONCE;
        hlo_find_clamped_starts(&l->state->windows, places, k, t->count, l->indices, starts);
        t->to = (char *)l->out->data + places->at[0] + k * t->to_stride;
        if (l->state->row_bytes == l->state->bytes) take_elements(t);
        else if (l->state->row_bytes) take_rows(t);
        else take_windows(t);
    }
}

/* The windows whose places lie between two of one dimension. */
static void gather_part(void *context, int64_t first, int64_t last) {
    const loop *l = context;
    const hlo_indexed_windows *w = &l->state->windows;
    taking t = {.state = l->state, .from = l->operand->data};
    hlo_walk places;
    hlo_walk_part(&places, &w->places, l->state->dimension, first, last);
    hlo_walk_part(&t.window, &w->window, w->window.rank, 0, 1);
    for (bool more = hlo_walk_start(&places); more; more = hlo_walk_next(&places))
        gather_row(l, &places, &t);
    if (l->state->streams) hlo_end_stream();
}

/* A collapsed dimension may be empty, and yet the result is not. */
static bool run_gather(hlo_call *call) {
    const gather_state *state = call->state;
    const hlo_value *operand = call->in[0], *indices = call->in[1];
    if (state->is_empty) {
        hlo_value_clear(call->out);
        return true;
    }
    if (!hlo_gather_set_sizes(call, &state->dims)) return false;
    loop l = {state, operand, indices, call->out};
    hlo_parallel(state->count, state->grain, gather_part, &l);
    return true;
}

const hlo_kernel hlo_kernel_gather = {prepare_gather, run_gather};
