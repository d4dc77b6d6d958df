/* gather by its definition: each element of the result comes from the window that its index vector
 * asks for, moved so that it lies within the operand. Called by the runner. */
#include "eval/kernels/dynamic.h"
#include "eval/ref/element.h"
#include "eval/ref/indexed_windows.h"

typedef struct {
    hlo_plain_windows windows;
    hlo_indices of_result, of_operand; /* one each */
} gather_state;

static bool prepare_gather(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    const hlo_shape *operand = hlo_operand(instr, 0)->shape;
    const hlo_shape *indices = hlo_operand(instr, 1)->shape;
    gather_state *s = HLO_NEW_STATE(p, gather_state);
    hlo_indexed_windows_dims dims = {
        .window_dims = hlo_attr_ints(instr, HLO_ATTR_OFFSET_DIMS),
        .absent_dims = hlo_attr_ints(instr, HLO_ATTR_COLLAPSED_SLICE_DIMS),
        .index_map = hlo_attr_ints(instr, HLO_ATTR_START_INDEX_MAP),
        .operand_batching = hlo_attr_ints(instr, HLO_ATTR_OPERAND_BATCHING_DIMS),
        .indices_batching = hlo_attr_ints(instr, HLO_ATTR_START_INDICES_BATCHING_DIMS),
        .index_vector_dim = hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM),
    };
    hlo_plain_windows_prepare(&s->windows, p, dims, operand, indices, instr->shape);
    s->of_result = hlo_prepare_indices(p, 1, instr->shape->rank);
    s->of_operand = hlo_prepare_indices(p, 1, operand->rank);
    p->state = s;
    return true;
}

/* Where in the operand the element of the result at `slice` comes from. */
static int64_t find_element(const hlo_call *call, const int64_t *slice) {
    const gather_state *s = call->state;
    const hlo_value *operand = call->in[0];
    int64_t *start = hlo_index(call, s->of_operand, 0);
    hlo_plain_window_start(&s->windows, call, call->in[1], slice, start);
    for (uint32_t d = 0; d < operand->shape->rank; d++) {
        int64_t last = operand->shape->dims[d] - s->windows.window_sizes[d];
        if (start[d] > last) start[d] = last;
        if (start[d] < 0) start[d] = 0;
    }
    return hlo_plain_window_element(&s->windows, operand, start, slice);
}

/* Gives the result the run-time sizes of indices, and of operand dimensions that are taken whole; a
 * part of one is taken as it lies in memory. False after refusing others. */
static bool set_sizes(hlo_call *call, const hlo_indexed_windows_dims *dims) {
    const hlo_value *indices = call->in[1];
    bool has_vector = dims->index_vector_dim < indices->shape->rank;
    if (has_vector && hlo_is_short(indices, (uint32_t)dims->index_vector_dim))
        return hlo_refuse_short(call, 1, (uint32_t)dims->index_vector_dim,
                                "which counts the entries of an index vector");
    hlo_indexed_windows_sizes(dims, call->in[0], indices, call->out);
    return true;
}

static bool run_gather(hlo_call *call) {
    const gather_state *s = call->state;
    const hlo_indexed_windows_dims *dims = &s->windows.dims;
    const hlo_shape *shape = call->shape;
    int64_t *slice = hlo_index(call, s->of_result, 0), to = 0;
    if (hlo_shape_elements(call->in[0]->shape) == 0) { /* along a collapsed dimension, perhaps */
        hlo_value_clear(call->out);
        return true;
    }
    if (!hlo_indexed_windows_batches_fit(call, dims, call->in[0]->shape, call->in[1]->shape) ||
        !set_sizes(call, dims))
        return false;
    for (bool more = hlo_first_index(shape->rank, shape->dims, slice); more;
         more = hlo_next_index(shape->rank, shape->dims, slice))
        hlo_copy_element(call->out, to++, call->in[0], find_element(call, slice));
    return true;
}

const hlo_kernel hlo_plain_gather = {prepare_gather, run_gather};
