/* gather: windows of the operand at starts that are clamped so that they fit. Called through the
 * kernel table; the addressing is shared with scatter (indexed_windows.h). */
#include "base/pool.h"
#include "eval/kernel.h"
#include "eval/kernels/dynamic.h"
#include "eval/kernels/indexed_windows.h"

typedef struct {
    hlo_indexed_windows_dims dims;
    hlo_indexed_windows windows; /* counted in bytes */
    uint32_t bytes;              /* of an element */
    bool is_empty;               /* the operand has no elements */
    uint32_t dimension;          /* of the places, along which they are split */
    int64_t count, grain;
} gather_state;

/* The byte offset that the index vector at `element` of the indices asks for, clamped. */
static int64_t clamped_start(const hlo_indexed_windows *w, const hlo_value *indices,
                             int64_t element) {
    int64_t at = 0;
    for (uint32_t i = 0; i < w->index_count; i++) {
        int64_t start = hlo_index_at(indices, element + w->starts[i].place * w->index_stride);
        at += hlo_clamp_index(start, 0, w->starts[i].last) * w->starts[i].stride;
    }
    return at;
}

static bool prepare_gather(hlo_preparation *p) {
    const hlo_shape *operand = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *indices = hlo_operand(p->instr, 1)->shape, *out = p->instr->shape;
    gather_state *state = HLO_NEW_STATE(p, gather_state);
    state->dims = hlo_gather_dims(p->instr);
    state->bytes = hlo_element_bytes(operand);
    state->is_empty = hlo_shape_elements(operand) == 0;
    p->state = state;
    if (!hlo_check_windows_dims(p, &state->dims)) return false;
    if (state->is_empty) return true;
    size_t memory = hlo_indexed_windows_bytes(&state->dims, operand, indices, out);
    const hlo_walk *all = &state->windows.places;
    hlo_indexed_windows_init(&state->windows, &state->dims, operand, indices, out, state->bytes,
                             hlo_arena_alloc(p->arena, memory));
    int64_t places = hlo_walk_elements(all), slice = hlo_walk_elements(&state->windows.window);
    state->dimension = hlo_walk_longest(all, 1);
    state->count = state->dimension < all->rank ? all->size[state->dimension] : 1;
    int64_t others = places > state->count ? places / state->count : 1;
    state->grain = hlo_grain(others < HLO_PIECE_COST ? others * (slice + 20) : others);
    return true;
}

typedef struct {
    const gather_state *state;
    const hlo_value *operand, *indices;
    hlo_value *out;
} loop;

/* The windows whose places lie between two of one dimension. */
static void gather_part(void *context, int64_t first, int64_t last) {
    const loop *l = context;
    const hlo_indexed_windows *w = &l->state->windows;
    hlo_walk places, window;
    hlo_walk_part(&places, &w->places, l->state->dimension, first, last);
    hlo_walk_part(&window, &w->window, w->window.rank, 0, 1);
    for (bool more = hlo_walk_start(&places); more; more = hlo_walk_next(&places)) {
        for (int64_t i = 0; i < places.row; i++) {
            int64_t element = places.at[1] + i * places.row_stride[1];
            window.at[0] = places.at[0] + i * places.row_stride[0];
            window.at[1] =
                places.at[2] + i * places.row_stride[2] + clamped_start(w, l->indices, element);
            hlo_copy_walk(&window, l->out->data, l->operand->data, l->state->bytes);
        }
    }
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
