/* sort: lines along one dimension are sorted by keys, where the comparator compares such, else
 * ordered as permutations, which are then applied to all operands. */
#include <stdatomic.h>

#include "base/pool.h"
#include "eval/kernel/work_memory.h"
#include "eval/kernels/gemm/products.h"
#include "eval/kernels/sort/key_sort.h"

/* Elements of lines that are ordered together; from how many on threads share a line. */
enum { BATCH = 1 << 14, LONG = 1 << 17 };

typedef struct {
    uint32_t arrays, dimension;
    const uint32_t *bytes; /* of an element, by array */
    int64_t length, count; /* of a line; of lines, 0 when there are no elements */
    /* By array: how the sorted dimension becomes the last one, and where in scratch memory the
     * result has it as the last one. NULL: it is. */
    hlo_packing *packings;
    size_t *sorted_at;
    size_t data_at, results_at; /* in scratch memory: of hlo_lines.data and sorter.results */
    const hlo_scalar_program *before;
    bool compares;                 /* `before` is a comparator of the operands' elements */
    bool is_shared;                /* several threads may run it */
    const hlo_key_sorter *by_keys; /* or NULL */
    hlo_work_memory of_piece;      /* orders of a batch's lines, then what it takes to find them */
    size_t scratch_at;             /* offset of the latter */
} sort_state;

typedef struct {
    const sort_state *state;
    hlo_call *call;
    hlo_lines lines;
    char **results;     /* dense, the sorted dimension last */
    atomic_bool failed; /* by a comparator, or stopped */
} sorter;

/* ---- what is known before a run ---- */

static bool prepare_comparator(hlo_preparation *p, sort_state *s) {
    hlo_computation *computation = hlo_called(p->instr, 0);
    s->before = hlo_prepare_scalar(p, computation);
    if (!s->before) return false;
    s->compares = hlo_scalar_is_comparator(s->before, p->instr, p->instr->operand_count);
    s->is_shared = hlo_scalar_is_shared(s->before);
    if (s->compares) s->by_keys = hlo_prepare_key_sorter(p, s->length);
    return true;
}

/* Reserves memory for the arrays with the sorted dimension last, which it is not. */
static void prepare_packings(hlo_preparation *p, sort_state *s) {
    uint32_t rank = hlo_operand(p->instr, 0)->shape->rank, n = 0;
    uint32_t *order = HLO_NEW_ARRAY(p->arena, uint32_t, rank);
    for (uint32_t d = 0; d < rank; d++)
        if (d != s->dimension) order[n++] = d;
    order[n] = s->dimension;
    s->packings = HLO_NEW_ARRAY(p->arena, hlo_packing, s->arrays);
    s->sorted_at = HLO_NEW_ARRAY(p->arena, size_t, s->arrays);
    for (uint32_t i = 0; i < s->arrays; i++) {
        const hlo_shape *shape = hlo_operand(p->instr, i)->shape;
        hlo_type type = (hlo_type)shape->type;
        hlo_prepare_packing(p, &s->packings[i], shape, type, order, type);
        s->sorted_at[i] = hlo_prepare_scratch(p, (size_t)(s->count * s->length) * s->bytes[i]);
    }
}

/* How many lines of n elements make a batch. */
static int64_t lines_at_once(const sort_state *s, int64_t n) {
    int64_t fit = BATCH / n + 1;
    return fit < s->count ? fit : s->count;
}

/* Whether lines are sorted one after the other, by all threads together. */
static bool is_one_by_one(const sort_state *s) {
    return lines_at_once(s, s->length) == s->count || (s->length >= LONG && s->count < 4);
}

/* Lines that are shorter at run time make batches of more lines, but of no more elements than a
 * batch and one line. */
static void prepare_batches(hlo_preparation *p, sort_state *s) {
    int64_t all = s->count * s->length, most = BATCH + s->length;
    if (most > all) most = all;
    s->scratch_at = ((size_t)most * sizeof(int64_t) + 63) / 64 * 64;
    size_t by_keys = s->by_keys ? hlo_key_sorter_scratch(s->by_keys) : 0;
    size_t by_comparator = s->scratch_at + hlo_comparator_scratch(s->arrays, most);
    s->of_piece = hlo_prepare_work(p, by_keys > by_comparator ? by_keys : by_comparator,
                                   !s->is_shared || is_one_by_one(s));
}

static bool prepare_sort(hlo_preparation *p) {
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    sort_state *s = HLO_NEW_STATE(p, sort_state);
    p->state = s;
    int64_t elements = hlo_shape_elements(shape);
    if (elements <= 0) return true;
    s->arrays = p->instr->operand_count;
    s->dimension = (uint32_t)hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS)->v[0];
    s->length = shape->dims[s->dimension];
    s->count = elements / s->length;
    if (!prepare_comparator(p, s)) return false;
    uint32_t *bytes = HLO_NEW_ARRAY(p->arena, uint32_t, s->arrays);
    for (uint32_t i = 0; i < s->arrays; i++)
        bytes[i] = hlo_element_bytes(hlo_operand(p->instr, i)->shape);
    s->bytes = bytes;
    s->data_at = hlo_prepare_scratch(p, s->arrays * sizeof(char *));
    s->results_at = hlo_prepare_scratch(p, s->arrays * sizeof(char *));
    if (s->dimension + 1 < shape->rank) prepare_packings(p, s);
    prepare_batches(p, s);
    return true;
}

/* ---- ordering ---- */

/* Elements of a line to their places; checks now and then whether the run goes on. */
static void move_line(char *to, const char *from, const int64_t *order, int64_t n, int64_t bytes) {
    for (int64_t k = 0, end; k < n && !hlo_pool_is_stopped(); k = end) {
        end = hlo_range_end(k, n);
        for (int64_t i = k; i < end; i++)
            memcpy(to + i * bytes, from + order[i] * bytes, (size_t)bytes);
    }
}

static void apply_order(const sorter *s, int64_t first, int64_t count, const int64_t *order) {
    int64_t n = s->lines.n;
    for (uint32_t i = 0; i < s->lines.arrays; i++) {
        int64_t bytes = s->lines.bytes[i], length = s->lines.length * bytes;
        for (int64_t line = 0; line < count; line++)
            move_line(s->results[i] + (first + line) * length,
                      s->lines.data[i] + (first + line) * length, order + line * n, n, bytes);
    }
}

static bool sort_by_comparator(const sorter *s, int64_t first, int64_t count, char *memory) {
    int64_t *order = (int64_t *)memory;
    if (!hlo_order_by_comparator(&s->lines, first, count, order, memory + s->state->scratch_at))
        return false;
    apply_order(s, first, count, order);
    return true;
}

/* A line without a key for each element is left to the comparator. */
static bool sort_by_keys(const sorter *s, int64_t first, int64_t count, char *memory) {
    bool ok = true;
    for (int64_t line = first; line < first + count && ok; line++)
        ok = hlo_sort_line_by_keys(s->state->by_keys, &s->lines, line, s->results, memory) ||
             sort_by_comparator(s, line, 1, memory);
    return ok;
}

/* Batches of lines. */
static void sort_batches(void *context, int64_t from, int64_t to) {
    sorter *s = context;
    const sort_state *state = s->state;
    int64_t at_once = lines_at_once(state, s->lines.n);
    char *memory = hlo_work_take(&state->of_piece, s->call);
    bool ok = true;
    for (int64_t first = from * at_once; first < state->count && first < to * at_once && ok;
         first += at_once) {
        int64_t count = state->count - first < at_once ? state->count - first : at_once;
        ok = state->by_keys ? sort_by_keys(s, first, count, memory)
                            : sort_by_comparator(s, first, count, memory);
    }
    if (!ok) atomic_store(&s->failed, true);
    hlo_work_leave(&state->of_piece, s->call, memory);
}

static bool sort_lines(sorter *s) {
    int64_t at_once = lines_at_once(s->state, s->lines.n);
    int64_t batches = (s->state->count + at_once - 1) / at_once;
    bool is_one = s->state->of_piece.is_one;
    hlo_parallel(batches, is_one ? batches : 1, sort_batches, s);
    return !atomic_load(&s->failed);
}

/* ---- running ---- */

/* The length of lines at run time; elements after it are not sorted. */
static int64_t live_size(const hlo_call *call, const sort_state *state) {
    int64_t live = state->length;
    for (uint32_t i = 0; i < state->arrays; i++) {
        int64_t size = hlo_value_size(call->in[i], state->dimension);
        if (size < live) live = size;
    }
    return live;
}

static void start_sorter(sorter *s, int64_t live) {
    const sort_state *state = s->state;
    char *scratch = s->call->scratch;
    s->results = (char **)(scratch + state->results_at);
    s->lines = (hlo_lines){.call = s->call,
                           .before = state->before,
                           .arrays = state->arrays,
                           .data = (const char **)(scratch + state->data_at),
                           .bytes = state->bytes,
                           .length = state->length,
                           .n = live};
    for (uint32_t i = 0; i < state->arrays; i++) {
        const void *data = s->call->in[i]->data;
        s->lines.data[i] = state->packings ? hlo_pack(&state->packings[i], s->call, data) : data;
        s->results[i] =
            state->packings ? scratch + state->sorted_at[i] : hlo_call_result(s->call, i)->data;
    }
}

/* Puts the sorted dimension of a result back to its place: of its elements, those that are there.
 */
static void store_result(const sorter *s, uint32_t i) {
    const hlo_packing *packing = &s->state->packings[i];
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < packing->rank; d++)
        hlo_walk_dim2(&walk, d + 1 < packing->rank ? packing->sizes[d] : s->lines.n,
                      packing->from_strides[d], packing->to_strides[d]);
    hlo_copy_walk(&walk, hlo_call_result(s->call, i)->data, s->results[i], s->state->bytes[i]);
}

static bool run_sort(hlo_call *call) {
    const sort_state *state = call->state;
    for (uint32_t i = 0; i < call->count; i++)
        hlo_value_copy_sizes(hlo_call_result(call, i), call->in[i]);
    if (!state->count) return true;
    if (!state->compares)
        return hlo_call_error(call,
                              "has a computation that does not compare its operands' elements");
    int64_t live = live_size(call, state);
    if (live < state->length) hlo_value_clear(call->out);
    if (live == 0) return true;
    sorter s = {.state = state, .call = call};
    start_sorter(&s, live);
    if (!sort_lines(&s)) return false;
    for (uint32_t i = 0; state->packings && i < state->arrays; i++) store_result(&s, i);
    return true;
}

const hlo_kernel hlo_kernel_sort = {prepare_sort, run_sort};
