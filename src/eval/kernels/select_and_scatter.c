/* select-and-scatter: first every source element's window selects an operand element, then the
 * source elements are combined there in their order. Called by the runner. */
#include <stdatomic.h>

#include "base/pool.h"
#include "eval/kernel.h"
#include "eval/kernels/combine.h"
#include "eval/kernels/strides.h"
#include "eval/scalar.h"

/* Windows that are searched together. */
enum { LANES = 256, LANES_BYTES = LANES * HLO_LANES_MAX_BYTES };

typedef struct {
    const hlo_window *window;
    uint32_t rank, bytes; /* of an element of the operand */
    const hlo_scalar_program *select;
    hlo_combiner scatter;
    hlo_accumulators sums; /* one for each operand element */
    int64_t *strides;      /* of the operand, in elements */
    hlo_type source_type;
    int64_t *source_dims;
    int64_t sources;  /* 0 when the operand has no elements */
    size_t chosen_at; /* in scratch memory */
} search_state;

typedef struct {
    const search_state *state;
    hlo_call *call;
    const hlo_value *operand, *source;
    char *sums;
    int64_t *chosen; /* by source element: the operand element that its window selects, -1: none */
    atomic_bool failed;
} search;

/* The windows of up to LANES source elements, which one thread searches. */
typedef struct {
    const search_state *state;
    const search *s;
    int64_t *index;  /* of the element in the window */
    int64_t *places; /* LANES rows of rank: the position of each lane's window */
    int64_t *chosen; /* by lane */
    int64_t candidates[LANES];
    char *chosen_values, *candidate_values;
    uint8_t keeps[LANES];
} window_group;

/* The operand element that the current window element of a lane meets, or -1 for padding and for
 * what lies between the elements of a dilated operand. */
static int64_t candidate(const window_group *g, const int64_t *place) {
    int64_t element = 0;
    for (uint32_t d = 0; d < g->state->rank; d++) {
        const hlo_window_dim *dim = &g->state->window->v[d];
        int64_t at = place[d] * dim->stride + g->index[d] * dim->window_dilation - dim->pad_low;
        if (at < 0 || at % dim->base_dilation) return -1;
        at /= dim->base_dilation;
        if (at >= hlo_value_size(g->s->operand, d)) return -1;
        element += at * g->state->strides[d];
    }
    return element;
}

/* Compares each lane's choice with its candidate and takes the candidate where select says no. In a
 * lane without a candidate (padding) or without a choice yet, element 0 stands in: select is asked
 * for all lanes at once, and its answer for that lane is not used. */
static bool challenge(window_group *g, size_t n) {
    uint32_t bytes = g->state->bytes;
    const char *data = g->s->operand->data;
    for (size_t k = 0; k < n; k++) {
        g->candidates[k] = candidate(g, g->places + k * g->state->rank);
        int64_t from = g->candidates[k] < 0 ? 0 : g->candidates[k];
        memcpy(g->candidate_values + k * bytes, data + from * bytes, bytes);
        if (g->chosen[k] < 0) memcpy(g->chosen_values + k * bytes, data, bytes);
    }
    const void *inputs[] = {g->chosen_values, g->candidate_values};
    void *outputs[] = {g->keeps};
    if (!hlo_scalar_run(g->state->select, g->s->call, inputs, NULL, outputs, n)) return false;
    for (size_t k = 0; k < n; k++) {
        if (g->candidates[k] < 0 || (g->chosen[k] >= 0 && g->keeps[k])) continue;
        g->chosen[k] = g->candidates[k];
        memcpy(g->chosen_values + k * bytes, g->candidate_values + k * bytes, bytes);
    }
    return true;
}

static bool next_element(window_group *g) {
    for (uint32_t d = g->state->rank; d-- > 0;) {
        if (++g->index[d] < g->state->window->v[d].size) return true;
        g->index[d] = 0;
    }
    return false;
}

/* Whether the source has an element there at run time. */
static bool is_live(const search *s, const int64_t *place) {
    for (uint32_t d = 0; s->source->sizes && d < s->state->rank; d++)
        if (place[d] >= s->source->sizes[d]) return false;
    return true;
}

/* Finds what the windows of source elements first ... first + n - 1 select. */
static bool choose(window_group *g, int64_t first, size_t n) {
    uint32_t rank = g->state->rank;
    g->chosen = g->s->chosen + first;
    for (size_t k = 0; k < n; k++) {
        int64_t rest = first + (int64_t)k;
        for (uint32_t d = rank; d-- > 0; rest /= g->state->source_dims[d])
            g->places[k * rank + d] = rest % g->state->source_dims[d];
        g->chosen[k] = -1;
    }
    for (uint32_t d = 0; d < rank; d++) g->index[d] = 0;
    do {
        if (!challenge(g, n)) return false;
    } while (next_element(g));
    for (size_t k = 0; k < n; k++)
        if (!is_live(g->s, g->places + k * rank)) g->chosen[k] = -1;
    return true;
}

/* Bytes of a group and its arrays. */
static size_t group_bytes(uint32_t rank) {
    return 2 * (size_t)LANES_BYTES + sizeof(window_group) + (LANES + 1) * rank * sizeof(int64_t);
}

/* A group in a piece's memory. */
static window_group *new_group(const search *s, char *memory) {
    window_group *g = (window_group *)(memory + 2 * (size_t)LANES_BYTES);
    g->s = s;
    g->state = s->state;
    g->chosen_values = memory;
    g->candidate_values = memory + LANES_BYTES;
    g->index = (int64_t *)(g + 1);
    g->places = g->index + s->state->rank;
    return g;
}

/* Groups of LANES source elements. */
static void choose_groups(void *context, int64_t first, int64_t last) {
    search *s = context;
    char *memory = hlo_piece_take(s->call);
    window_group *g = new_group(s, memory);
    int64_t sources = s->state->sources;
    bool ok = true;
    for (int64_t at = first * LANES; at < sources && at < last * LANES && ok; at += LANES)
        ok = !hlo_pool_is_stopped() &&
             choose(g, at, (size_t)(sources - at < LANES ? sources - at : LANES));
    if (!ok) atomic_store(&s->failed, true);
    hlo_piece_leave(s->call, memory);
}

static bool choose_all(search *s) {
    const search_state *state = s->state;
    int64_t groups = (state->sources + LANES - 1) / LANES, cost = LANES;
    for (uint32_t d = 0; d < state->rank && cost < HLO_PIECE_COST; d++)
        cost *= state->window->v[d].size;
    bool alone = !hlo_scalar_is_shared(state->select);
    hlo_parallel(groups, alone ? groups : hlo_grain(cost * 10), choose_groups, s);
    return !atomic_load(&s->failed);
}

/* Element by element: several windows may have chosen the same place, and are combined there in the
 * order of the source. */
static bool scatter_chosen(search *s, int64_t first, int64_t last) {
    hlo_type from = s->state->source_type, type = s->state->sums.type;
    size_t bytes = hlo_types[type].bytes;
    _Alignas(16) char values[LANES_BYTES];
    for (int64_t at = first; at < last && !hlo_pool_is_stopped(); at += LANES) {
        size_t n = (size_t)(last - at < LANES ? last - at : LANES);
        hlo_convert_elements(from, type, (const char *)s->source->data + at * hlo_types[from].bytes,
                             values, n);
        for (size_t k = 0; k < n; k++) {
            int64_t to = s->chosen[at + (int64_t)k];
            if (to < 0) continue;
            void *sum = s->sums + (size_t)to * bytes;
            const void *value = values + k * bytes;
            if (!hlo_combine(&s->state->scatter, s->call, &sum, &value, 1)) return false;
        }
    }
    return true;
}

/* How many parts there are whose windows meet no element of another part's: what lies along the
 * first dimensions, as long as windows are single elements there. */
static int64_t independent_parts(const search_state *s) {
    int64_t parts = 1;
    for (uint32_t d = 0; d < s->rank; d++) {
        const hlo_window_dim *dim = &s->window->v[d];
        if (dim->size != 1 || dim->stride != 1 || dim->base_dilation != 1 || dim->pad_low) break;
        parts *= s->source_dims[d];
    }
    return parts;
}

typedef struct {
    search *s;
    int64_t sources; /* of a part */
} parts_of_sources;

static void scatter_parts(void *context, int64_t first, int64_t last) {
    const parts_of_sources *p = context;
    if (!scatter_chosen(p->s, first * p->sources, last * p->sources))
        atomic_store(&p->s->failed, true);
}

static bool scatter_all(search *s) {
    enum { COST = 20 };
    bool alone = !hlo_combiner_is_shared(&s->state->scatter);
    int64_t parts = alone ? 1 : independent_parts(s->state);
    parts_of_sources p = {s, s->state->sources / parts};
    hlo_parallel(parts, hlo_grain(p.sources < HLO_PIECE_COST ? p.sources * COST : p.sources),
                 scatter_parts, &p);
    return !atomic_load(&s->failed);
}

/* ---- the kernel ---- */

static bool prepare_computations(hlo_preparation *p, search_state *s) {
    s->select = hlo_prepare_scalar(p, hlo_called(p->instr, 0));
    if (!s->select) return false;
    if (!hlo_scalar_is_comparator(s->select, p->instr, 1))
        return hlo_prepare_error(
            p, HLO_RULE_RUN, "has a select that does not compare two of its operand's elements");
    return hlo_combiner_prepare(&s->scatter, p, hlo_called(p->instr, 1), 1);
}

static bool prepare_select_and_scatter(hlo_preparation *p) {
    static const hlo_window no_window = {0};
    const hlo_attr *window = hlo_instr_attr(p->instr, HLO_ATTR_WINDOW);
    const hlo_shape *operand = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *source = hlo_operand(p->instr, 1)->shape;
    search_state *s = HLO_NEW_STATE(p, search_state);
    p->state = s;
    if (!prepare_computations(p, s)) return false;
    hlo_type promoted = hlo_combiner_promote(&s->scatter);
    s->window = window ? window->u.window : &no_window;
    s->rank = operand->rank;
    s->bytes = hlo_element_bytes(operand);
    s->strides = HLO_NEW_ARRAY(p->arena, int64_t, s->rank);
    hlo_row_major(operand, 1, s->strides);
    s->source_type = (hlo_type)source->type;
    s->source_dims = hlo_arena_copy(p->arena, source->dims, source->rank * sizeof *source->dims);
    hlo_prepare_accumulators(p, &s->sums, p->instr->shape,
                             promoted == HLO_TYPE_COUNT ? (hlo_type)p->instr->shape->type
                                                        : promoted);
    if (hlo_shape_elements(source) <= 0 || hlo_shape_elements(operand) <= 0) return true;
    s->sources = hlo_shape_elements(source);
    s->chosen_at = hlo_prepare_scratch(p, (size_t)s->sources * sizeof(int64_t));
    p->piece_bytes = group_bytes(s->rank);
    return true;
}

static bool run_select_and_scatter(hlo_call *call) {
    const search_state *state = call->state;
    search s = {.state = state, .call = call, .operand = call->in[0], .source = call->in[1]};
    s.chosen = (int64_t *)((char *)call->scratch + state->chosen_at);
    s.sums = hlo_accumulators_start(&state->sums, call, call->out, call->in[2]);
    bool ok = !state->sources || (choose_all(&s) && scatter_all(&s));
    hlo_accumulators_finish(&state->sums, call->out, s.sums);
    hlo_value_copy_sizes(call->out, call->in[0]);
    return ok;
}

const hlo_kernel hlo_kernel_select_and_scatter = {prepare_select_and_scatter,
                                                  run_select_and_scatter};
