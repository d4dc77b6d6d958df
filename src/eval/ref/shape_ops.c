/* Plain kernels that only move elements: for each index of the result the index of the operand that
 * it comes from. */
#include "eval/kernel/dynamic.h"
#include "eval/ref/element.h"
#include "eval/ref/index.h"

/* What these kernels need: two indices, and the attribute that relates them. */
typedef struct {
    hlo_indices indices;
    uint32_t count;
    const int64_t *dimensions; /* `count` of them */
    const hlo_slice *slice;
    const hlo_padding *padding;
} move_state;

static move_state *new_state(hlo_preparation *p) {
    move_state *state = HLO_NEW_STATE(p, move_state);
    uint32_t rank = hlo_shape_held(p->instr->shape)->rank;
    for (uint32_t i = 0; i < p->instr->operand_count; i++) {
        const hlo_shape *operand = hlo_shape_held(hlo_operand(p->instr, i)->shape);
        if (operand->rank > rank) rank = operand->rank;
    }
    state->indices = hlo_prepare_indices(p, 2, rank);
    p->state = state;
    return state;
}

static bool prepare(hlo_preparation *p) {
    new_state(p);
    return true;
}

static bool prepare_dimensions(hlo_preparation *p) {
    const hlo_ints *dimensions = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    move_state *state = new_state(p);
    state->count = dimensions->n;
    state->dimensions =
        hlo_arena_copy(p->arena, dimensions->v, dimensions->n * sizeof *dimensions->v);
    return true;
}

/* An element of the result at one index becomes that of an operand at another. */
static void move(const hlo_call *call, const int64_t *to, const hlo_value *x, const int64_t *from) {
    hlo_copy_element(call->out, hlo_offset_in(call->out, to), x, hlo_offset_in(x, from));
}

/* ---- broadcast and iota ---- */

/* Dimension i of the operand is the result's dimensions[i]. */
static bool run_broadcast(hlo_call *call) {
    const move_state *s = call->state;
    const hlo_value *x = call->in[0];
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_index(call, s->indices, 0), *from = hlo_index(call, s->indices, 1);
    for (uint32_t i = 0; x->sizes && i < s->count; i++)
        hlo_result_sizes(call->out)[s->dimensions[i]] = x->sizes[i];
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index)) {
        for (uint32_t i = 0; i < s->count; i++) from[i] = index[s->dimensions[i]];
        move(call, index, x, from);
    }
    return true;
}

const hlo_kernel hlo_plain_broadcast = {prepare_dimensions, run_broadcast};

static bool prepare_iota(hlo_preparation *p) {
    int64_t dimension = hlo_attr_int(p->instr, HLO_ATTR_IOTA_DIMENSION);
    new_state(p)->dimensions = hlo_arena_copy(p->arena, &dimension, sizeof dimension);
    return true;
}

static bool run_iota(hlo_call *call) {
    const move_state *s = call->state;
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_index(call, s->indices, 0);
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index)) {
        int64_t i = index[s->dimensions[0]];
        hlo_number number = {.integer = (uint64_t)i, .re = (double)i};
        hlo_store_to(call->out, hlo_offset_in(call->out, index), number);
    }
    return true;
}

const hlo_kernel hlo_plain_iota = {prepare_iota, run_iota};

/* ---- transpose ---- */

/* Dimension d of the result is the operand's dimensions[d]. */
static bool run_transpose(hlo_call *call) {
    const move_state *s = call->state;
    const hlo_value *x = call->in[0];
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_index(call, s->indices, 0), *from = hlo_index(call, s->indices, 1);
    for (uint32_t d = 0; x->sizes && d < to->rank; d++)
        hlo_result_sizes(call->out)[d] = x->sizes[s->dimensions[d]];
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index)) {
        for (uint32_t d = 0; d < to->rank; d++) from[s->dimensions[d]] = index[d];
        move(call, index, x, from);
    }
    return true;
}

const hlo_kernel hlo_plain_transpose = {prepare_dimensions, run_transpose};

/* ---- slice ---- */

static bool prepare_slice(hlo_preparation *p) {
    const hlo_slice *slice = hlo_instr_attr(p->instr, HLO_ATTR_SLICE)->u.slice;
    new_state(p)->slice =
        hlo_arena_copy(p->arena, slice, sizeof *slice + slice->n * sizeof *slice->v);
    return true;
}

/* How many of the first `live` elements the slice of dimension d meets. */
static int64_t live_slice(const hlo_slice *slice, uint32_t d, int64_t live, int64_t size) {
    int64_t met = 0;
    while (met < size && slice->v[d].start + met * slice->v[d].stride < live) met++;
    return met;
}

static bool run_slice(hlo_call *call) {
    const move_state *s = call->state;
    const hlo_value *x = call->in[0];
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_index(call, s->indices, 0), *from = hlo_index(call, s->indices, 1);
    for (uint32_t d = 0; x->sizes && d < to->rank; d++)
        hlo_result_sizes(call->out)[d] = live_slice(s->slice, d, x->sizes[d], to->dims[d]);
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index)) {
        for (uint32_t d = 0; d < to->rank; d++)
            from[d] = s->slice->v[d].start + index[d] * s->slice->v[d].stride;
        move(call, index, x, from);
    }
    return true;
}

const hlo_kernel hlo_plain_slice = {prepare_slice, run_slice};

/* ---- pad ---- */

static bool prepare_pad(hlo_preparation *p) {
    const hlo_padding *padding = hlo_instr_attr(p->instr, HLO_ATTR_PADDING)->u.padding;
    new_state(p)->padding =
        hlo_arena_copy(p->arena, padding, sizeof *padding + padding->n * sizeof *padding->v);
    return true;
}

/* The operand's index that a result's index shows; false where that is padding. */
static bool unpadded(const hlo_padding *padding, const hlo_value *x, const int64_t *index,
                     int64_t *from) {
    for (uint32_t d = 0; d < x->shape->rank; d++) {
        int64_t step, place;
        if (__builtin_add_overflow(padding->v[d].interior, 1, &step)) step = INT64_MAX;
        if (__builtin_sub_overflow(index[d], padding->v[d].low, &place)) return false;
        if (place < 0 || place % step) return false;
        from[d] = place / step;
    }
    return hlo_is_inside(x->shape->rank, hlo_live_sizes(x), from);
}

static bool run_pad(hlo_call *call) {
    const move_state *s = call->state;
    const hlo_value *x = call->in[0];
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_index(call, s->indices, 0), *from = hlo_index(call, s->indices, 1);
    for (uint32_t d = 0; x->sizes && d < to->rank; d++)
        hlo_result_sizes(call->out)[d] = hlo_size_when_padded(s->padding, d, x->sizes[d]);
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index)) {
        int64_t at = hlo_offset_in(call->out, index);
        if (unpadded(s->padding, x, index, from))
            hlo_copy_element(call->out, at, x, hlo_offset_in(x, from));
        else hlo_copy_element(call->out, at, call->in[1], 0);
    }
    return true;
}

const hlo_kernel hlo_plain_pad = {prepare_pad, run_pad};

/* ---- concatenate ---- */

/* Elements that are there at run time follow each other; what is beyond them is zero. */
static bool run_concatenate(hlo_call *call) {
    const move_state *s = call->state;
    int64_t *index = hlo_index(call, s->indices, 0), *to = hlo_index(call, s->indices, 1);
    int64_t dimension = s->dimensions[0], place = 0;
    uint32_t rank = call->shape->rank;
    hlo_value_clear(call->out);
    for (uint32_t i = 0; i < call->count; i++) {
        const hlo_value *x = call->in[i];
        const int64_t *sizes = hlo_live_sizes(x);
        for (bool more = hlo_first_index(rank, sizes, index); more;
             more = hlo_next_index(rank, sizes, index)) {
            for (uint32_t d = 0; d < rank; d++) to[d] = index[d] + (d == dimension ? place : 0);
            move(call, to, x, index);
        }
        place += sizes[dimension];
    }
    hlo_set_concatenated_sizes(call, (uint32_t)dimension, place);
    return true;
}

const hlo_kernel hlo_plain_concatenate = {prepare_dimensions, run_concatenate};

/* ---- reverse ---- */

static bool run_reverse(hlo_call *call) {
    const move_state *s = call->state;
    const hlo_value *x = call->in[0];
    const int64_t *sizes = hlo_live_sizes(x);
    int64_t *index = hlo_index(call, s->indices, 0), *from = hlo_index(call, s->indices, 1);
    uint32_t rank = call->shape->rank;
    hlo_value_clear(call->out);
    for (bool more = hlo_first_index(rank, sizes, index); more;
         more = hlo_next_index(rank, sizes, index)) {
        memcpy(from, index, rank * sizeof *from);
        for (uint32_t i = 0; i < s->count; i++) {
            int64_t d = s->dimensions[i];
            from[d] = sizes[d] - 1 - index[d];
        }
        move(call, index, x, from);
    }
    hlo_value_copy_sizes(call->out, x);
    return true;
}

const hlo_kernel hlo_plain_reverse = {prepare_dimensions, run_reverse};

/* ---- dynamic slices ---- */

/* Where a window of the shape begins in the array along dimension d, moved so that it fits.
 * Operands from `first` on are the starts: one vector, or scalars. */
static int64_t clamped_start(const hlo_call *call, uint32_t first, const hlo_shape *array,
                             const hlo_shape *window, uint32_t d) {
    HLO_ASSERT(d < array->rank);
    HLO_ASSERT(d < window->rank);
    bool is_vector = call->in[first]->shape->rank == 1;
    int64_t start =
        is_vector ? hlo_index_at(call->in[first], d) : hlo_index_at(call->in[first + d], 0);
    return hlo_clamp_index(start, 0, array->dims[d] - window->dims[d]);
}

static bool run_dynamic_slice(hlo_call *call) {
    const move_state *s = call->state;
    const hlo_value *x = call->in[0];
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_index(call, s->indices, 0), *from = hlo_index(call, s->indices, 1);
    if (!hlo_check_slice_sizes(call)) return false;
    for (uint32_t d = 0; x->sizes && d < to->rank; d++)
        if (hlo_is_short(x, d) && to->dims[d] == x->shape->dims[d])
            hlo_result_sizes(call->out)[d] = x->sizes[d];
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index)) {
        for (uint32_t d = 0; d < to->rank; d++)
            from[d] = index[d] + clamped_start(call, 1, x->shape, to, d);
        move(call, index, x, from);
    }
    return true;
}

const hlo_kernel hlo_plain_dynamic_slice = {prepare, run_dynamic_slice};

static bool prepare_update(hlo_preparation *p) {
    p->result = HLO_RESULT_FRESH;
    return prepare(p);
}

/* A copy of operand 0, then the live elements of operand 1 in their place. */
static bool run_dynamic_update_slice(hlo_call *call) {
    const move_state *s = call->state;
    const hlo_value *x = call->in[0], *update = call->in[1];
    const int64_t *sizes = hlo_live_sizes(update);
    int64_t *index = hlo_index(call, s->indices, 0), *to = hlo_index(call, s->indices, 1);
    const hlo_shape *array = hlo_shape_held(call->shape);
    uint32_t rank = array->rank;
    int64_t elements = hlo_shape_elements(array);
    for (int64_t i = 0; i < elements; i++) hlo_copy_element(call->out, i, x, i);
    hlo_value_copy_sizes(call->out, x);
    for (uint32_t d = 0; update->sizes && d < rank; d++) /* replaced as a whole */
        if (hlo_is_short(update, d) && update->shape->dims[d] == array->dims[d])
            hlo_result_sizes(call->out)[d] = update->sizes[d];
    for (bool more = hlo_first_index(rank, sizes, index); more;
         more = hlo_next_index(rank, sizes, index)) {
        for (uint32_t d = 0; d < rank; d++)
            to[d] = index[d] + clamped_start(call, 2, array, update->shape, d);
        move(call, to, update, index);
    }
    return true;
}

const hlo_kernel hlo_plain_dynamic_update_slice = {prepare_update, run_dynamic_update_slice};
