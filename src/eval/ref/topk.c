/* topk by its definition: of each line, the largest (smallest) element that has not been taken yet,
 * k times, the lower position where they are equal. */
#include "base/floats.h"
#include "eval/ref/element.h"

typedef struct {
    bool largest;
    uint32_t last;   /* the dimension of the lines */
    int64_t n, k;    /* elements of a line, and how many are taken */
    size_t keys_at;  /* in scratch memory: a number in their order for each element */
    size_t taken_at; /* whether it has been taken */
} topk_state;

static bool prepare_topk(hlo_preparation *p) {
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    topk_state *s = HLO_NEW_STATE(p, topk_state);
    s->largest = hlo_attr_int(p->instr, HLO_ATTR_LARGEST) != 0;
    s->last = shape->rank - 1;
    s->n = shape->dims[s->last];
    s->k = hlo_attr_int(p->instr, HLO_ATTR_K);
    s->keys_at = hlo_prepare_scratch(p, (size_t)s->n * sizeof(uint64_t));
    s->taken_at = hlo_prepare_scratch(p, (size_t)s->n * sizeof(bool));
    p->state = s;
    return true;
}

/* A number in the order of the elements; floats are in total order. */
static uint64_t key_of(const hlo_value *x, int64_t at) {
    const uint64_t sign = UINT64_C(1) << 63;
    hlo_number number = hlo_load_from(x, at);
    switch (hlo_types[x->shape->type].class) {
    case HLO_CLASS_FLOAT: {
        uint64_t bits = hlo_f64_bits(number.re);
        return bits & sign ? ~bits : bits | sign;
    }
    case HLO_CLASS_SIGNED: return number.integer ^ sign;
    default: return number.integer;
    }
}

/* The position of the next element, among those that are there at run time; the first one that has
 * not been taken when none of these is left. */
static int64_t best_of(const topk_state *s, const uint64_t *keys, const bool *taken, int64_t live) {
    int64_t best = -1;
    for (int64_t i = 0; i < live; i++) {
        if (taken[i]) continue;
        if (best < 0 || (s->largest ? keys[i] > keys[best] : keys[i] < keys[best])) best = i;
    }
    for (int64_t i = live; i < s->n && best < 0; i++)
        if (!taken[i]) best = i;
    return best;
}

static void take_top(const hlo_call *call, int64_t line) {
    const topk_state *s = call->state;
    const hlo_value *x = call->in[0];
    hlo_value *const *results = call->out->elements;
    uint64_t *keys = (uint64_t *)((char *)call->scratch + s->keys_at);
    bool *taken = (bool *)((char *)call->scratch + s->taken_at);
    for (int64_t i = 0; i < s->n; i++) {
        keys[i] = key_of(x, line * s->n + i);
        taken[i] = false;
    }
    for (int64_t i = 0; i < s->k; i++) {
        int64_t best = best_of(s, keys, taken, hlo_value_size(x, s->last));
        taken[best] = true;
        hlo_copy_element(results[0], line * s->k + i, x, line * s->n + best);
        hlo_store_to(results[1], line * s->k + i, (hlo_number){.integer = (uint64_t)best});
    }
}

static bool run_topk(hlo_call *call) {
    const topk_state *s = call->state;
    const hlo_value *x = call->in[0];
    hlo_type type = (hlo_type)x->shape->type;
    int64_t elements = hlo_shape_elements(x->shape);
    if (hlo_type_is_complex(type))
        return hlo_call_rule_error(call, HLO_RULE_UNSUPPORTED,
                                   "does not support elements of type %s", hlo_types[type].text);
    for (uint32_t d = 0; x->sizes && d < s->last; d++)
        for (int i = 0; i < 2; i++) hlo_result_sizes(call->out->elements[i])[d] = x->sizes[d];
    for (int64_t line = 0; elements > 0 && line < elements / s->n; line++) take_top(call, line);
    return true;
}

const hlo_kernel hlo_plain_topk = {prepare_topk, run_topk};
