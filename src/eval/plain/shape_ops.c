/* Plain kernels that only move elements: for each index of the result the index of the operand that
 * it comes from. Called through the kernel table. */
#include "eval/plain/element.h"
#include "eval/plain/index.h"
#include "eval/ref/dynamic.h"

/* What these kernels need: a list of dimensions, two indices. */
typedef struct {
    hlo_indices indices;
    uint32_t count;
    const int64_t *dimensions;
} dimensions_state;

static bool prepare_dimensions(hlo_preparation *p) {
    const hlo_ints *dimensions = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    dimensions_state *state = HLO_NEW_STATE(p, dimensions_state);
    state->indices = hlo_prepare_indices(p, 2, p->instr->shape->rank);
    state->count = dimensions->n;
    state->dimensions =
        hlo_arena_copy(p->arena, dimensions->v, dimensions->n * sizeof *dimensions->v);
    p->state = state;
    return true;
}

/* ---- transpose ---- */

/* Dimension d of the result is the operand's dimensions[d]. */
static bool run_transpose(hlo_call *call) {
    const dimensions_state *s = call->state;
    const hlo_value *x = call->in[0];
    const hlo_shape *to = call->shape;
    int64_t *index = hlo_index(call, s->indices, 0), *from = hlo_index(call, s->indices, 1);
    for (uint32_t d = 0; x->sizes && d < to->rank; d++)
        hlo_result_sizes(call->out)[d] = x->sizes[s->dimensions[d]];
    for (bool more = hlo_first_index(to->rank, to->dims, index); more;
         more = hlo_next_index(to->rank, to->dims, index)) {
        for (uint32_t d = 0; d < to->rank; d++) from[s->dimensions[d]] = index[d];
        hlo_copy_element(call->out, hlo_offset_in(call->out, index), x, hlo_offset_in(x, from));
    }
    return true;
}

const hlo_kernel hlo_plain_transpose = {prepare_dimensions, run_transpose};
