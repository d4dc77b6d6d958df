/* select-and-scatter by its definition: each source element's window selects one of the operand's
 * elements, and the source element is combined into the result there. */
#include "eval/ref/fold.h"
#include "eval/ref/index.h"

/* Indices of a source element, in its window, of the operand's element there. */
enum { SOURCE, IN_WINDOW, ELEMENT, INDICES };

typedef struct {
    uint32_t rank, bytes; /* of the operand; of an element of it */
    const hlo_window *window;
    const int64_t *window_sizes;
    const hlo_scalar_program *select; /* whether its first element stays chosen */
    hlo_plain_fold scatter;
    hlo_indices indices;
} select_state;

static bool prepare_computations(hlo_preparation *p, select_state *s) {
    s->select = hlo_prepare_scalar(p, hlo_called(p->instr, 0));
    if (!s->select) return false;
    if (!hlo_scalar_is_comparator(s->select, p->instr, 1))
        return hlo_prepare_error(
            p, HLO_RULE_RUN, "has a select that does not compare two of its operand's elements");
    return hlo_plain_fold_prepare(&s->scatter, p, hlo_called(p->instr, 1), 1);
}

static bool prepare_select_and_scatter(hlo_preparation *p) {
    static const hlo_window no_window = {0};
    const hlo_attr *window = hlo_instr_attr(p->instr, HLO_ATTR_WINDOW);
    select_state *s = HLO_NEW_STATE(p, select_state);
    p->state = s;
    s->window = window ? window->u.window : &no_window;
    s->rank = s->window->n;
    s->bytes = hlo_types[hlo_operand(p->instr, 0)->shape->type].bytes;
    int64_t *sizes = HLO_NEW_ARRAY(p->arena, int64_t, s->rank);
    for (uint32_t d = 0; d < s->rank; d++) sizes[d] = s->window->v[d].size;
    s->window_sizes = sizes;
    s->indices = hlo_prepare_indices(p, INDICES, s->rank);
    return prepare_computations(p, s);
}

/* Sets `element` to the operand's index at a place in the window of a source element; false when
 * that is padding, or lies between elements of a dilated operand. */
static bool find_element(const hlo_call *call, const int64_t *source, const int64_t *in_window,
                         int64_t *element) {
    const select_state *s = call->state;
    for (uint32_t d = 0; d < s->rank; d++) {
        const hlo_window_dim *dim = &s->window->v[d];
        int64_t at = source[d] * dim->stride + in_window[d] * dim->window_dilation - dim->pad_low;
        if (at < 0 || at % dim->base_dilation) return false;
        element[d] = at / dim->base_dilation;
        if (element[d] >= hlo_value_size(call->in[0], d)) return false;
    }
    return true;
}

/* Whether the operand's element `chosen` stays chosen when compared with `candidate`; false in `ok`
 * after an error. */
static bool stays(hlo_call *call, int64_t chosen, int64_t candidate, bool *ok) {
    const select_state *s = call->state;
    const char *data = call->in[0]->data;
    const void *inputs[] = {data + chosen * s->bytes, data + candidate * s->bytes};
    uint8_t answer = 0;
    void *outputs[] = {&answer};
    *ok = hlo_scalar_run(s->select, call, inputs, NULL, outputs, 1);
    return answer;
}

/* Finds the operand's element that the window of a source element selects, -1: none. */
static bool choose_element(hlo_call *call, const int64_t *source, int64_t *chosen) {
    const select_state *s = call->state;
    int64_t *in_window = hlo_index(call, s->indices, IN_WINDOW);
    int64_t *element = hlo_index(call, s->indices, ELEMENT);
    bool ok = true;
    *chosen = -1;
    for (bool more = hlo_first_index(s->rank, s->window_sizes, in_window); more && ok;
         more = hlo_next_index(s->rank, s->window_sizes, in_window)) {
        if (!find_element(call, source, in_window, element)) continue;
        int64_t candidate = hlo_offset_in(call->in[0], element);
        if (*chosen < 0 || !stays(call, *chosen, candidate, &ok)) *chosen = candidate;
    }
    return ok;
}

/* Combines the source element `from` into the result's element `to`. */
static bool scatter_element(hlo_call *call, int64_t to, int64_t from) {
    const select_state *s = call->state;
    hlo_plain_fold_start(&s->scatter, call, &call->out, to);
    if (!hlo_plain_fold_add(&s->scatter, call, &call->in[1], from)) return false;
    hlo_plain_fold_end(&s->scatter, call, &call->out, to);
    return true;
}

static void start_with(const hlo_call *call, hlo_value *init) {
    const select_state *s = call->state;
    for (int64_t at = 0; at < hlo_shape_elements(call->shape); at++) {
        hlo_plain_fold_start(&s->scatter, call, &init, 0);
        hlo_plain_fold_end(&s->scatter, call, &call->out, at);
    }
}

static bool run_select_and_scatter(hlo_call *call) {
    const select_state *s = call->state;
    const int64_t *sizes = hlo_live_sizes(call->in[1]);
    int64_t *source = hlo_index(call, s->indices, SOURCE), chosen;
    start_with(call, call->in[2]);
    hlo_value_copy_sizes(call->out, call->in[0]);
    for (bool more = hlo_first_index(s->rank, sizes, source); more;
         more = hlo_next_index(s->rank, sizes, source)) {
        if (!choose_element(call, source, &chosen)) return false;
        int64_t from = hlo_offset_in(call->in[1], source);
        if (chosen >= 0 && !scatter_element(call, chosen, from)) return false;
    }
    return true;
}

const hlo_kernel hlo_plain_select_and_scatter = {prepare_select_and_scatter,
                                                 run_select_and_scatter};
