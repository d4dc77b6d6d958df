/* select-and-scatter: every source element's window selects an operand element, where the source
 * elements are combined in their order. Windows of a few hundred source elements are searched
 * together, element by element of the window; rows of them along the last dimension meet rows of
 * the operand. */
#include <stdatomic.h>

#include "base/blocks.h"
#include "base/pool.h"
#include "eval/kernel/kernel.h"
#include "eval/kernel/scalar.h"
#include "eval/kernel/strides.h"
#include "eval/kernels/moves/move_kernels.h"
#include "eval/kernels/moves/scatter_elements.h"

/* Windows that are searched together. */
enum { LANES = 256, LANES_BYTES = LANES * HLO_LANES_MAX_BYTES };
/* With so many independent parts each of them is searched and combined at once. */
enum { ENOUGH_PARTS = 4 };

/* The dimensions of windows. */
typedef struct {
    uint32_t rank;
    hlo_window_dim *window;
    int64_t *strides, *sizes; /* of the operand, in elements */
    int64_t *source_dims;
} search_dims;

typedef struct {
    search_dims dims, joined; /* joined: those at the end that windows leave alone are one */
    uint32_t bytes;           /* of an element of the operand */
    const hlo_scalar_program *select;
    hlo_combiner scatter;
    hlo_accumulators sums; /* one for each operand element */
    hlo_type source_type;
    int64_t sources;  /* 0 when the operand has no elements */
    int64_t parts;    /* whose windows meet no element of another part's */
    bool at_once;     /* a part is searched and combined at once */
    size_t chosen_at; /* in scratch memory, unless so */
} search_state;

typedef struct {
    const search_state *state;
    const search_dims *dims;
    hlo_call *call;
    const hlo_value *operand, *source;
    char *sums;
    int64_t *chosen; /* by source element: the operand element that its window selects, -1: none */
    atomic_bool failed;
} search;

/* Lanes of a group that are neighbours along the last dimension, and the position of the first. */
typedef struct {
    size_t lane, count;
    const int64_t *place;
} lane_row;

/* The windows of up to LANES source elements, which one thread searches. */
typedef struct {
    const search_state *state;
    const search_dims *dims;
    const search *s;
    int64_t *index;  /* of the element in the window */
    int64_t *places; /* of rows: `rank` numbers each */
    lane_row rows[LANES];
    size_t row_count;
    int64_t *chosen; /* by lane */
    int64_t choices[LANES], candidates[LANES];
    char *chosen_values, *candidate_values;
    uint8_t keeps[LANES];
} window_group;

/* ---- what an element of the windows meets ---- */

/* How many operand elements a dimension has. */
static int64_t live_size(const window_group *g, uint32_t d) {
    return g->s->operand->sizes ? g->s->operand->sizes[d] : g->dims->sizes[d];
}

/* Where the current window element of a place lies along a dimension of the dilated operand. */
static int64_t position(const window_group *g, const int64_t *place, uint32_t d) {
    const hlo_window_dim *dim = &g->dims->window[d];
    return place[d] * dim->stride + g->index[d] * dim->window_dilation - dim->pad_low;
}

/* The element at a position, or -1 for padding and for what lies between the elements of a dilated
 * operand. */
static int64_t element_at(const window_group *g, uint32_t d, int64_t at) {
    int64_t dilation = g->dims->window[d].base_dilation;
    if (at < 0 || at % dilation || at / dilation >= live_size(g, d)) return -1;
    return at / dilation * g->dims->strides[d];
}

/* The first element of the row that the row of lanes meets, all but the last dimension; or -1. */
static int64_t row_of_operand(const window_group *g, const int64_t *place) {
    int64_t element = 0;
    for (uint32_t d = 0; d + 1 < g->dims->rank; d++) {
        int64_t at = element_at(g, d, position(g, place, d));
        if (at < 0) return -1;
        element += at;
    }
    return element;
}

/* No candidates for some lanes: element 0 stands in, since select is computed for all lanes at
 * once; its result is not used. */
static void leave_out(window_group *g, size_t lane, size_t count) {
    uint32_t bytes = g->state->bytes;
    for (size_t k = lane; k < lane + count; k++) g->candidates[k] = -1;
    hlo_fill_elements(g->candidate_values + lane * bytes, g->s->operand->data, bytes,
                      (int64_t)count);
}

/* Candidates that lie `step` elements apart. */
static void take_row(window_group *g, size_t lane, size_t count, int64_t element, int64_t step) {
    uint32_t bytes = g->state->bytes;
    hlo_move_chosen()->count_up(g->candidates + lane, element, step, (int64_t)count);
    hlo_copy_row(g->candidate_values + lane * bytes, bytes,
                 (const char *)g->s->operand->data + element * bytes, step * bytes, bytes,
                 (int64_t)count);
}

/* The first of `count` lanes whose position is `least` or more, the first lane's being `at`. */
static size_t first_from(int64_t at, int64_t least, int64_t stride, size_t count) {
    if (at >= least) return 0;
    int64_t lane = (least - at - 1) / stride + 1;
    return lane < (int64_t)count ? (size_t)lane : count;
}

/* Candidates of a row of lanes; whether all have one. */
static bool meet_row(window_group *g, const lane_row *row) {
    uint32_t last = g->dims->rank - 1;
    const hlo_window_dim *dim = &g->dims->window[last];
    int64_t element = row_of_operand(g, row->place);
    int64_t at = position(g, row->place, last), size = live_size(g, last);
    if (element < 0 || dim->base_dilation > 1) {
        leave_out(g, row->lane, row->count);
        for (size_t k = 0; k < row->count && element >= 0; k++) {
            int64_t there = element_at(g, last, at + (int64_t)k * dim->stride);
            if (there >= 0) take_row(g, row->lane + k, 1, element + there, 1);
        }
        return false;
    }
    size_t low = first_from(at, 0, dim->stride, row->count);
    size_t high = first_from(at, size, dim->stride, row->count);
    if (low > high) low = high;
    leave_out(g, row->lane, low);
    if (low < high)
        take_row(g, row->lane + low, high - low, element + at + (int64_t)low * dim->stride,
                 dim->stride);
    leave_out(g, row->lane + high, row->count - high);
    return low == 0 && high == row->count;
}

/* ---- choosing ---- */

/* How far a group is. */
typedef enum { NONE_CHOSEN, SOME_CHOSEN, ALL_CHOSEN } progress;

/* The first candidates of all lanes. */
static void take_all(window_group *g, size_t n) {
    memcpy(g->chosen, g->candidates, n * sizeof *g->chosen);
    memcpy(g->chosen_values, g->candidate_values, n * g->state->bytes);
}

/* Compares each lane's choice with its candidate, which wins where select is false or there is no
 * choice yet. `all`: every lane has a candidate. */
static bool challenge(window_group *g, size_t n, progress chosen, bool all) {
    const hlo_move_set *move = hlo_move_chosen();
    const void *inputs[] = {g->chosen_values, g->candidate_values};
    void *outputs[] = {g->keeps};
    if (!hlo_scalar_run(g->state->select, g->s->call, inputs, NULL, outputs, n)) return false;
    for (size_t k = 0; k < n && !(all && chosen == ALL_CHOSEN); k++)
        g->keeps[k] = g->candidates[k] < 0 || (g->chosen[k] >= 0 && g->keeps[k]);
    move->replace[hlo_cell_number(g->state->bytes)](g->chosen_values, g->candidate_values, g->keeps,
                                                    (int64_t)n);
    move->replace[hlo_cell_number(sizeof *g->chosen)](
        (char *)g->chosen, (const char *)g->candidates, g->keeps, (int64_t)n);
    return true;
}

/* The current element of the windows. */
static bool meet_element(window_group *g, size_t n, progress *chosen) {
    bool all = true;
    for (size_t i = 0; i < g->row_count; i++) all &= meet_row(g, &g->rows[i]);
    if (all && *chosen == NONE_CHOSEN) take_all(g, n);
    else if (!challenge(g, n, *chosen, all)) return false;
    if (*chosen != ALL_CHOSEN) *chosen = all ? ALL_CHOSEN : SOME_CHOSEN;
    return true;
}

static bool next_element(window_group *g) {
    for (uint32_t d = g->dims->rank; d-- > 0;) {
        if (++g->index[d] < g->dims->window[d].size) return true;
        g->index[d] = 0;
    }
    return false;
}

/* Source elements from number `first` on, as rows. */
static void set_rows(window_group *g, int64_t first, size_t n) {
    uint32_t rank = g->dims->rank;
    g->row_count = 0;
    for (size_t lane = 0; lane < n; g->row_count++) {
        int64_t rest = first + (int64_t)lane, *place = g->places + g->row_count * rank;
        for (uint32_t d = rank; d-- > 0; rest /= g->dims->source_dims[d])
            place[d] = rest % g->dims->source_dims[d];
        size_t count = (size_t)(g->dims->source_dims[rank - 1] - place[rank - 1]);
        if (count > n - lane) count = n - lane;
        g->rows[g->row_count] = (lane_row){lane, count, place};
        lane += count;
    }
}

/* No choice for lanes beyond the source's run-time sizes. */
static void drop_dead(window_group *g) {
    const int64_t *sizes = g->s->source->sizes;
    for (size_t i = 0; sizes && i < g->row_count; i++)
        for (size_t k = 0; k < g->rows[i].count; k++) {
            bool is_live = true;
            for (uint32_t d = 0; d < g->dims->rank; d++) {
                bool is_last = d + 1 == g->dims->rank;
                is_live &= g->rows[i].place[d] + (is_last ? (int64_t)k : 0) < sizes[d];
            }
            if (!is_live) g->chosen[g->rows[i].lane + k] = -1;
        }
}

/* Finds what the windows of source elements first ... first + n - 1 select. */
static bool choose_elements(window_group *g, int64_t first, size_t n, int64_t *chosen) {
    progress far = NONE_CHOSEN;
    g->chosen = chosen;
    set_rows(g, first, n);
    for (size_t k = 0; k < n; k++) chosen[k] = -1;
    hlo_fill_elements(g->chosen_values, g->s->operand->data, g->state->bytes, (int64_t)n);
    for (uint32_t d = 0; d < g->dims->rank; d++) g->index[d] = 0;
    do {
        if (!meet_element(g, n, &far)) return false;
    } while (next_element(g));
    drop_dead(g);
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
    g->dims = s->dims;
    g->chosen_values = memory;
    g->candidate_values = memory + LANES_BYTES;
    g->index = (int64_t *)(g + 1);
    g->places = g->index + s->dims->rank;
    return g;
}

/* ---- combining ---- */

/* One by one: the combiner runs a program. */
static bool combine_each(const search *s, const char *values, const int64_t *chosen, size_t n) {
    size_t bytes = hlo_types[s->state->sums.type].bytes;
    for (size_t k = 0; k < n; k++) {
        void *sum = s->sums + (size_t)chosen[k] * bytes;
        const void *value = values + k * bytes;
        if (!hlo_combine(&s->state->scatter, s->call, &sum, &value, 1)) return false;
    }
    return true;
}

/* Takes what has a choice to the front; returns how much that is. */
static size_t keep_chosen(const search *s, int64_t *chosen, char *values, size_t n) {
    size_t bytes = hlo_types[s->state->sums.type].bytes, kept = 0;
    for (size_t k = 0; k < n; k++) {
        if (chosen[k] < 0) continue;
        if (kept < k) memcpy(values + kept * bytes, values + k * bytes, bytes);
        chosen[kept++] = chosen[k];
    }
    return kept;
}

/* Several windows may have chosen the same place, and are combined there in the order of the
 * source. */
static bool scatter_group(const search *s, int64_t first, int64_t *chosen, size_t n) {
    hlo_type from = s->state->source_type;
    _Alignas(16) char values[LANES_BYTES];
    hlo_convert_elements(from, s->state->sums.type,
                         (const char *)s->source->data + first * hlo_types[from].bytes, values, n);
    n = keep_chosen(s, chosen, values, n);
    if (s->state->scatter.program) return combine_each(s, values, chosen, n);
    hlo_combine_at(&s->state->scatter, s->sums, values, chosen, (int64_t)n);
    return true;
}

/* ---- all windows ---- */

static size_t group_size(int64_t at, int64_t last) {
    return (size_t)(last - at < LANES ? last - at : LANES);
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
             choose_elements(g, at, group_size(at, sources), s->chosen + at);
    if (!ok) atomic_store(&s->failed, true);
    hlo_piece_leave(s->call, memory);
}

/* Of a source element, in quarters of a nanosecond or so. */
static int64_t cost_of_window(const search_state *state) {
    int64_t cost = 1;
    for (uint32_t d = 0; d < state->dims.rank && cost < HLO_PIECE_COST; d++)
        cost *= state->dims.window[d].size;
    return cost;
}

static bool choose_all(search *s) {
    int64_t groups = (s->state->sources + LANES - 1) / LANES;
    bool alone = !hlo_scalar_is_shared(s->state->select);
    hlo_parallel(groups, alone ? groups : hlo_grain(cost_of_window(s->state) * LANES * 4),
                 choose_groups, s);
    return !atomic_load(&s->failed);
}

static void scatter_parts(void *context, int64_t first, int64_t last) {
    search *s = context;
    int64_t sources = s->state->sources / s->state->parts, end = last * sources;
    bool ok = true;
    for (int64_t at = first * sources; at < end && ok; at += LANES)
        ok = !hlo_pool_is_stopped() && scatter_group(s, at, s->chosen + at, group_size(at, end));
    if (!ok) atomic_store(&s->failed, true);
}

static bool scatter_all(search *s) {
    enum { COST = 4 };
    int64_t parts = s->state->parts, sources = s->state->sources / parts;
    bool alone = !hlo_combiner_is_shared(&s->state->scatter);
    int64_t cost = sources < HLO_PIECE_COST ? sources * COST : sources;
    hlo_parallel(parts, alone ? parts : hlo_grain(cost), scatter_parts, s);
    return !atomic_load(&s->failed);
}

static void search_parts(void *context, int64_t first, int64_t last) {
    search *s = context;
    char *memory = hlo_piece_take(s->call);
    window_group *g = new_group(s, memory);
    int64_t sources = s->state->sources / s->state->parts, end = last * sources;
    bool ok = true;
    for (int64_t at = first * sources; at < end && ok; at += LANES) {
        size_t n = group_size(at, end);
        ok = !hlo_pool_is_stopped() && choose_elements(g, at, n, g->choices) &&
             scatter_group(s, at, g->choices, n);
    }
    if (!ok) atomic_store(&s->failed, true);
    hlo_piece_leave(s->call, memory);
}

static bool search_all(search *s) {
    const search_state *state = s->state;
    if (!state->at_once) return choose_all(s) && scatter_all(s);
    int64_t sources = state->sources / state->parts, cost = cost_of_window(state) * 4;
    hlo_parallel(state->parts, hlo_grain(sources < HLO_PIECE_COST ? sources * cost : sources),
                 search_parts, s);
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

/* Whether the dimension's windows are its elements, one by one. */
static bool is_plain(const hlo_window_dim *dim) {
    return dim->size == 1 && dim->stride == 1 && dim->base_dilation == 1 && !dim->pad_low &&
           !dim->pad_high;
}

/* Whether no element is in two windows along the dimension. */
static bool is_disjoint(const hlo_window_dim *dim) {
    return dim->size - 1 <= (dim->stride - 1) / dim->window_dilation;
}

/* Those of p->instr; a scalar has one dimension here. */
static search_dims dims_of(hlo_preparation *p) {
    const hlo_attr *window = hlo_instr_attr(p->instr, HLO_ATTR_WINDOW);
    const hlo_shape *operand = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *source = hlo_operand(p->instr, 1)->shape;
    search_dims dims = {.rank = operand->rank ? operand->rank : 1};
    dims.window = HLO_NEW_ARRAY(p->arena, hlo_window_dim, dims.rank);
    dims.strides = HLO_NEW_ARRAY(p->arena, int64_t, dims.rank);
    dims.sizes = HLO_NEW_ARRAY(p->arena, int64_t, dims.rank);
    dims.source_dims = HLO_NEW_ARRAY(p->arena, int64_t, dims.rank);
    if (!operand->rank) {
        *dims.window =
            (hlo_window_dim){.size = 1, .stride = 1, .window_dilation = 1, .base_dilation = 1};
        *dims.strides = *dims.sizes = *dims.source_dims = 1;
    }
    hlo_row_major(operand, 1, dims.strides);
    for (uint32_t d = 0; d < operand->rank; d++) {
        dims.window[d] = window->u.window->v[d];
        dims.sizes[d] = operand->dims[d];
        dims.source_dims[d] = source->dims[d];
    }
    return dims;
}

/* The same where plain dimensions at the end are one. */
static search_dims joined_dims(hlo_preparation *p) {
    search_dims dims = dims_of(p);
    while (dims.rank > 1 && is_plain(&dims.window[dims.rank - 1]) &&
           is_plain(&dims.window[dims.rank - 2])) {
        uint32_t last = --dims.rank;
        dims.sizes[last - 1] *= dims.sizes[last];
        dims.source_dims[last - 1] *= dims.source_dims[last];
        dims.strides[last - 1] = dims.strides[last];
    }
    return dims;
}

static int64_t independent_parts(const search_dims *dims) {
    int64_t parts = 1;
    for (uint32_t d = 0; d < dims->rank && is_disjoint(&dims->window[d]); d++)
        parts *= dims->source_dims[d];
    return parts;
}

/* Accumulators keep long chains accurate: an element that at most one window can choose has none,
 * and a sum of two f32 in f64 rounds to what it is in f32. */
static hlo_type accumulators_type(search_state *s, hlo_type result) {
    bool single = s->parts == s->sources && s->scatter.opcode == HLO_OP_ADD && result == HLO_F32;
    hlo_type promoted = single ? HLO_TYPE_COUNT : hlo_combiner_promote(&s->scatter);
    return promoted == HLO_TYPE_COUNT ? result : promoted;
}

static bool prepare_select_and_scatter(hlo_preparation *p) {
    const hlo_shape *operand = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *source = hlo_operand(p->instr, 1)->shape;
    search_state *s = HLO_NEW_STATE(p, search_state);
    p->state = s;
    if (!prepare_computations(p, s)) return false;
    bool is_empty = hlo_shape_elements(source) <= 0 || hlo_shape_elements(operand) <= 0;
    s->bytes = hlo_element_bytes(operand);
    s->source_type = (hlo_type)source->type;
    if (!is_empty) {
        s->dims = dims_of(p);
        s->joined = joined_dims(p);
        s->parts = independent_parts(&s->dims);
        s->sources = hlo_shape_elements(source);
    }
    hlo_prepare_accumulators(p, &s->sums, p->instr->shape,
                             accumulators_type(s, (hlo_type)p->instr->shape->type));
    if (is_empty) return true;
    s->at_once = s->parts >= ENOUGH_PARTS && hlo_combiner_is_shared(&s->scatter) &&
                 hlo_scalar_is_shared(s->select);
    if (!s->at_once) s->chosen_at = hlo_prepare_scratch(p, (size_t)s->sources * sizeof(int64_t));
    p->piece_bytes = group_bytes(s->dims.rank);
    return true;
}

static bool run_select_and_scatter(hlo_call *call) {
    const search_state *state = call->state;
    search s = {.state = state, .call = call, .operand = call->in[0], .source = call->in[1]};
    s.dims = s.operand->sizes || s.source->sizes ? &state->dims : &state->joined;
    s.chosen = (int64_t *)((char *)call->scratch + state->chosen_at);
    s.sums = hlo_accumulators_start(&state->sums, call, call->out, call->in[2]);
    bool ok = !state->sources || search_all(&s);
    hlo_accumulators_finish(&state->sums, call->out, s.sums);
    hlo_value_copy_sizes(call->out, call->in[0]);
    return ok;
}

const hlo_kernel hlo_kernel_select_and_scatter = {prepare_select_and_scatter,
                                                  run_select_and_scatter};
