/* reduce-window by its definition: for each element of the result, the operand's elements that its
 * window meets are combined into the initial value in row-major order of the window. Padding and
 * the gaps of a dilated operand take no part. */
#include "eval/kernel/dynamic.h"
#include "eval/ref/fold.h"
#include "eval/ref/index.h"

/* Indices of a result, in its window, of the operand's element there. */
enum { RESULT, IN_WINDOW, ELEMENT, INDICES };

typedef struct {
    uint32_t operands, rank;
    const hlo_window *window;
    const int64_t *window_sizes;
    hlo_plain_fold fold;
    hlo_indices indices;
} window_state;

static bool prepare_reduce_window(hlo_preparation *p) {
    static const hlo_window no_window = {0};
    const hlo_attr *window = hlo_instr_attr(p->instr, HLO_ATTR_WINDOW);
    window_state *s = HLO_NEW_STATE(p, window_state);
    p->state = s;
    s->operands = p->instr->operand_count / 2;
    s->window = window ? window->u.window : &no_window;
    s->rank = s->window->n;
    int64_t *sizes = HLO_NEW_ARRAY(p->arena, int64_t, s->rank);
    for (uint32_t d = 0; d < s->rank; d++) sizes[d] = s->window->v[d].size;
    s->window_sizes = sizes;
    s->indices = hlo_prepare_indices(p, INDICES, s->rank);
    return hlo_plain_fold_prepare(&s->fold, p, hlo_called(p->instr, 0), s->operands);
}

/* Sets `element` to the operand's index that a place in the window of a result has; false when that
 * is padding or a gap. */
static bool find_element(const hlo_call *call, const int64_t *result, const int64_t *in_window,
                         int64_t *element) {
    const window_state *s = call->state;
    for (uint32_t d = 0; d < s->rank; d++) {
        const hlo_window_dim *dim = &s->window->v[d];
        int64_t at = result[d] * dim->stride + in_window[d] * dim->window_dilation - dim->pad_low;
        if (at < 0 || at % dim->base_dilation) return false;
        element[d] = at / dim->base_dilation;
        if (element[d] >= hlo_value_size(call->in[0], d)) return false;
    }
    return true;
}

/* Combines the elements in the window of one result. */
static bool reduce_at(hlo_call *call, const int64_t *result) {
    const window_state *s = call->state;
    int64_t *in_window = hlo_index(call, s->indices, IN_WINDOW);
    int64_t *element = hlo_index(call, s->indices, ELEMENT);
    for (bool more = hlo_first_index(s->rank, s->window_sizes, in_window); more;
         more = hlo_next_index(s->rank, s->window_sizes, in_window)) {
        if (!find_element(call, result, in_window, element)) continue;
        int64_t at = hlo_offset_in(call->in[0], element);
        if (!hlo_plain_fold_add(&s->fold, call, call->in, at)) return false;
    }
    return true;
}

static bool run_reduce_window(hlo_call *call) {
    const window_state *s = call->state;
    hlo_value **results = call->out->elements ? call->out->elements : &call->out;
    const int64_t *dims = results[0]->shape->dims;
    int64_t *index = hlo_index(call, s->indices, RESULT), result = 0;
    for (uint32_t i = 0; i < s->operands; i++)
        hlo_set_windowed_sizes(results[i], call->in[i], s->window);
    for (bool more = hlo_first_index(s->rank, dims, index); more;
         more = hlo_next_index(s->rank, dims, index)) {
        hlo_plain_fold_start(&s->fold, call, call->in + s->operands, 0);
        if (!reduce_at(call, index)) return false;
        hlo_plain_fold_end(&s->fold, call, results, result++);
    }
    return true;
}

const hlo_kernel hlo_plain_reduce_window = {prepare_reduce_window, run_reduce_window};
