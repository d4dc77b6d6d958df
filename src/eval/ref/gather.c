/* gather by its definition: each element of the result comes from the window that its index vector
 * specifies, moved so that it lies within the operand. */
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
    if (!hlo_plain_windows_prepare(&s->windows, p,
                                   (hlo_indexed_windows_dims){.numbers = hlo_index_dims_of(instr)},
                                   operand, indices, instr->shape))
        return false;
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

static bool run_gather(hlo_call *call) {
    const gather_state *s = call->state;
    const hlo_shape *shape = call->shape;
    int64_t *slice = hlo_index(call, s->of_result, 0), to = 0;
    if (hlo_shape_elements(call->in[0]->shape) == 0) { /* along a collapsed dimension, perhaps */
        hlo_value_clear(call->out);
        return true;
    }
    if (!hlo_gather_set_sizes(call, &s->windows.dims)) return false;
    for (bool more = hlo_first_index(shape->rank, shape->dims, slice); more;
         more = hlo_next_index(shape->rank, shape->dims, slice))
        hlo_copy_element(call->out, to++, call->in[0], find_element(call, slice));
    return true;
}

const hlo_kernel hlo_plain_gather = {prepare_gather, run_gather};
