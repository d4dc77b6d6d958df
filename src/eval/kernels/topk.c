/* topk: the first elements of each line in the order of their values. Called through the kernel
 * table. */
#include "eval/kernels/topk.h"

#include "base/pool.h"
#include "eval/kernels/order.h"
#include "eval/kernels/strides.h"
#include "eval/kernels/work_memory.h"

typedef struct {
    hlo_key_order by;
    uint32_t last;            /* the dimension of the lines */
    int64_t bytes;            /* of an element */
    int64_t n, k;             /* elements of a line, and how many are taken */
    int64_t lines;            /* 0 when there are no elements */
    hlo_work_memory of_piece; /* the order of a line, and what it takes to find it */
} topk_state;

bool hlo_prepare_topk(hlo_preparation *p, int64_t k, bool largest) {
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    topk_state *state = HLO_NEW_STATE(p, topk_state);
    int64_t elements = hlo_shape_elements(shape);
    state->by = (hlo_key_order){(hlo_type)shape->type, true, largest};
    state->last = shape->rank - 1;
    state->bytes = hlo_element_bytes(shape);
    state->n = shape->dims[state->last];
    state->k = k;
    state->lines = elements > 0 ? elements / state->n : 0;
    if (state->lines)
        state->of_piece = hlo_prepare_work(
            p, (size_t)state->n * (1 + HLO_KEYS_SCRATCH) * sizeof(uint64_t), state->lines == 1);
    p->state = state;
    return true;
}

static bool prepare_topk(hlo_preparation *p) {
    return hlo_prepare_topk(p, hlo_attr_int(p->instr, HLO_ATTR_K),
                            hlo_attr_int(p->instr, HLO_ATTR_LARGEST) != 0);
}

/* The first k of each line by value, largest (smallest) first, the lower position where equal; what
 * is not there at run time comes after everything else. */
static void take_top(void *context, int64_t first, int64_t last) {
    const hlo_call *call = context;
    const topk_state *s = call->state;
    const hlo_value *x = call->in[0];
    hlo_value *const *results = call->out->elements;
    int64_t live = hlo_value_size(x, s->last), *order = hlo_work_take(&s->of_piece, call);
    int32_t *position = results[1]->data;
    for (int64_t line = first; line < last && !hlo_pool_is_stopped(); line++) {
        const char *from = (const char *)x->data + line * s->n * s->bytes;
        char *to = (char *)results[0]->data + line * s->k * s->bytes;
        for (int64_t i = live; i < s->n; i++) order[i] = i;
        if (!hlo_order_by_keys(&s->by, from, live, order, (uint64_t *)(order + s->n)))
            break; /* stopped: the order is total, and every element has a key */
        for (int64_t i = 0; i < s->k; i++) {
            memcpy(to + i * s->bytes, from + order[i] * s->bytes, (size_t)s->bytes);
            position[line * s->k + i] = (int32_t)order[i];
        }
    }
    hlo_work_leave(&s->of_piece, call, order);
}

static bool run_topk(hlo_call *call) {
    const topk_state *s = call->state;
    const hlo_value *x = call->in[0];
    if (!hlo_has_keys(s->by.type))
        return hlo_call_rule_error(call, HLO_RULE_UNSUPPORTED,
                                   "does not support elements of type %s",
                                   hlo_types[s->by.type].text);
    for (uint32_t d = 0; x->sizes && d < s->last; d++)
        for (int i = 0; i < 2; i++) hlo_result_sizes(call->out->elements[i])[d] = x->sizes[d];
    int64_t cost = s->n < HLO_PIECE_COST ? s->n * 10 : s->n;
    hlo_parallel(s->lines, hlo_grain(cost), take_top, call);
    return true;
}

const hlo_kernel hlo_kernel_topk = {prepare_topk, run_topk};
