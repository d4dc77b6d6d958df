/* sort by its definition: each line of elements along the sorted dimension is put in the order of
 * the comparator, by a stable merge sort. */
#include "eval/kernel/scalar.h"
#include "eval/ref/element.h"
#include "eval/ref/index.h"

/* An index of the operands, 0 along the sorted dimension, and what it runs over. */
enum { LINE, SIZES, INDICES };

typedef struct {
    uint32_t arrays, rank, dimension;
    int64_t length;                   /* of a line */
    const hlo_scalar_program *before; /* two elements of each array in turn: is the first less? */
    bool compares;                    /* `before` takes the operands' elements */
    hlo_indices indices;
    size_t inputs_at;          /* in scratch memory: of `before` */
    size_t order_at, spare_at; /* positions in a line in order, and space to merge them */
} sort_state;

/* One line; array elements `first` + position * stride. */
typedef struct {
    hlo_call *call;
    int64_t first, stride;
    int64_t *order, *spare;
} line;

static bool prepare_sort(hlo_preparation *p) {
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    sort_state *s = HLO_NEW_STATE(p, sort_state);
    p->state = s;
    s->before = hlo_prepare_scalar(p, hlo_called(p->instr, 0));
    if (!s->before) return false;
    s->compares = hlo_scalar_is_comparator(s->before, p->instr, p->instr->operand_count);
    s->arrays = p->instr->operand_count;
    s->rank = shape->rank;
    s->dimension = (uint32_t)hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS)->v[0];
    s->length = hlo_shape_elements(shape) ? shape->dims[s->dimension] : 0;
    s->indices = hlo_prepare_indices(p, INDICES, s->rank);
    s->inputs_at = hlo_prepare_scratch(p, 2 * (size_t)s->arrays * sizeof(void *));
    s->order_at = hlo_prepare_scratch(p, (size_t)s->length * sizeof(int64_t));
    s->spare_at = hlo_prepare_scratch(p, (size_t)s->length * sizeof(int64_t));
    return true;
}

/* ---- one line ---- */

/* Whether the element at position a comes before the one at position b. */
static bool comes_before(const line *l, int64_t a, int64_t b, bool *answer) {
    const sort_state *s = l->call->state;
    const void **inputs = (const void **)((char *)l->call->scratch + s->inputs_at);
    uint8_t is_before = 0;
    void *outputs[] = {&is_before};
    for (uint32_t i = 0; i < s->arrays; i++) {
        const hlo_value *x = l->call->in[i];
        int64_t bytes = hlo_types[x->shape->type].bytes;
        inputs[2 * i] = (const char *)x->data + (l->first + a * l->stride) * bytes;
        inputs[2 * i + 1] = (const char *)x->data + (l->first + b * l->stride) * bytes;
    }
    bool ok = hlo_scalar_run(s->before, l->call, inputs, NULL, outputs, 1);
    *answer = is_before;
    return ok;
}

/* Merges order[from .. middle) and order[middle .. to), which are in order. */
static bool merge(const line *l, int64_t from, int64_t middle, int64_t to) {
    int64_t left = from, right = middle;
    for (int64_t k = from; k < to; k++) {
        bool takes_right = left == middle;
        if (left < middle && right < to &&
            !comes_before(l, l->order[right], l->order[left], &takes_right))
            return false;
        l->spare[k] = l->order[takes_right ? right++ : left++];
    }
    for (int64_t k = from; k < to; k++) l->order[k] = l->spare[k];
    return true;
}

static bool sort_range(const line *l, int64_t from, int64_t to) {
    if (to - from < 2) return true;
    int64_t middle = from + (to - from) / 2;
    return sort_range(l, from, middle) && sort_range(l, middle, to) && merge(l, from, middle, to);
}

/* Sorts the first `live` elements of a line. */
static bool sort_line(const line *l, int64_t live) {
    const sort_state *s = l->call->state;
    for (int64_t k = 0; k < live; k++) l->order[k] = k;
    if (!sort_range(l, 0, live)) return false;
    for (uint32_t i = 0; i < s->arrays; i++)
        for (int64_t k = 0; k < live; k++)
            hlo_copy_element(hlo_call_result(l->call, i), l->first + k * l->stride, l->call->in[i],
                             l->first + l->order[k] * l->stride);
    return true;
}

/* ---- all lines ---- */

static bool sort_lines(hlo_call *call, int64_t live) {
    const sort_state *s = call->state;
    const hlo_shape *shape = call->in[0]->shape;
    int64_t *index = hlo_index(call, s->indices, LINE), *sizes = hlo_index(call, s->indices, SIZES);
    line l = {.call = call, .stride = 1};
    l.order = (int64_t *)((char *)call->scratch + s->order_at);
    l.spare = (int64_t *)((char *)call->scratch + s->spare_at);
    for (uint32_t d = 0; d < s->rank; d++) {
        sizes[d] = d == s->dimension ? 1 : shape->dims[d];
        if (d > s->dimension) l.stride *= shape->dims[d];
    }
    for (bool more = hlo_first_index(s->rank, sizes, index); more;
         more = hlo_next_index(s->rank, sizes, index)) {
        l.first = hlo_offset_in(call->in[0], index);
        if (!sort_line(&l, live)) return false;
    }
    return true;
}

static bool run_sort(hlo_call *call) {
    const sort_state *s = call->state;
    int64_t live = s->length; /* at run time; what comes after it is not sorted */
    for (uint32_t i = 0; i < s->arrays; i++) {
        int64_t size = hlo_value_size(call->in[i], s->dimension);
        if (size < live) live = size;
        hlo_value_copy_sizes(hlo_call_result(call, i), call->in[i]);
    }
    if (!s->length) return true; /* of any number of lines */
    if (live < s->length) hlo_value_clear(call->out);
    if (!s->compares)
        return hlo_call_error(call,
                              "has a computation that does not compare its operands' elements");
    return sort_lines(call, live);
}

const hlo_kernel hlo_plain_sort = {prepare_sort, run_sort};
