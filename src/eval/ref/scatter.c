/* scatter by its definition: index vector after index vector, the window of updates is combined
 * into the operands element by element; a window that does not lie within the operand is dropped.
 */
#include "eval/ref/fold.h"
#include "eval/ref/indexed_windows.h"

/* Indices of updates: PLACE is 0 along the window's dimensions, WITHIN along the others; what they
 * run over. */
enum { PLACE, PLACE_SIZES, WITHIN, WITHIN_SIZES, INDICES };

typedef struct {
    uint32_t operands, rank; /* of the updates */
    hlo_plain_windows windows;
    hlo_plain_fold fold;
    hlo_indices of_updates, of_operand;
} scatter_state;

static bool prepare_scatter(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    scatter_state *s = HLO_NEW_STATE(p, scatter_state);
    s->operands = p->updates = instr->operand_count / 2;
    const hlo_shape *operand = hlo_operand(instr, 0)->shape;
    const hlo_shape *indices = hlo_operand(instr, s->operands)->shape;
    const hlo_shape *updates = hlo_operand(instr, s->operands + 1)->shape;
    if (!hlo_plain_windows_prepare(&s->windows, p,
                                   (hlo_indexed_windows_dims){.numbers = hlo_index_dims_of(instr)},
                                   operand, indices, updates))
        return false;
    s->rank = updates->rank;
    s->of_updates = hlo_prepare_indices(p, INDICES, updates->rank);
    s->of_operand = hlo_prepare_indices(p, 1, operand->rank);
    p->state = s;
    return hlo_plain_fold_prepare(&s->fold, p, hlo_called(instr, 0), s->operands);
}

/* Whether the window at `start` lies within the operand. */
static bool window_fits_operand(const hlo_plain_windows *windows, const hlo_shape *operand,
                                const int64_t *start) {
    for (uint32_t d = 0; d < operand->rank; d++)
        if (start[d] < 0 || start[d] > operand->dims[d] - windows->window_sizes[d]) return false;
    return true;
}

/* Combines the window of updates at `place` into the one of the results at `start`. */
static bool combine_window(hlo_call *call, hlo_value *const *results, const int64_t *place,
                           const int64_t *start) {
    const scatter_state *s = call->state;
    hlo_value *const *updates = call->in + s->operands + 1;
    int64_t *within = hlo_index(call, s->of_updates, WITHIN);
    int64_t *sizes = hlo_index(call, s->of_updates, WITHIN_SIZES);
    int64_t first = hlo_offset_in(updates[0], place);
    for (bool more = hlo_first_index(s->rank, sizes, within); more;
         more = hlo_next_index(s->rank, sizes, within)) {
        int64_t to = hlo_plain_window_element(&s->windows, results[0], start, within);
        int64_t from = first + hlo_offset_in(updates[0], within);
        hlo_plain_fold_start(&s->fold, call, results, to);
        if (!hlo_plain_fold_add(&s->fold, call, updates, from)) return false;
        hlo_plain_fold_end(&s->fold, call, results, to);
    }
    return true;
}

/* Index vectors and updates beyond run-time sizes take no part. */
static void set_ranges(const hlo_call *call, int64_t *places, int64_t *within) {
    const scatter_state *s = call->state;
    const hlo_value *indices = call->in[s->operands], *updates = call->in[s->operands + 1];
    for (uint32_t d = 0; d < s->rank; d++) {
        int64_t from = s->windows.from_indices[d], size = hlo_value_size(updates, d);
        int64_t vectors = from < 0 ? 1 : hlo_value_size(indices, (uint32_t)from);
        places[d] = from >= 0 && size < vectors ? size : vectors;
        within[d] = from < 0 ? size : 1;
    }
}

static bool combine_windows(hlo_call *call, hlo_value *const *results) {
    const scatter_state *s = call->state;
    const hlo_value *indices = call->in[s->operands];
    int64_t *place = hlo_index(call, s->of_updates, PLACE);
    int64_t *sizes = hlo_index(call, s->of_updates, PLACE_SIZES);
    int64_t *start = hlo_index(call, s->of_operand, 0);
    set_ranges(call, sizes, hlo_index(call, s->of_updates, WITHIN_SIZES));
    for (bool more = hlo_first_index(s->rank, sizes, place); more;
         more = hlo_next_index(s->rank, sizes, place)) {
        hlo_plain_window_start(&s->windows, call, indices, place, start);
        if (!window_fits_operand(&s->windows, results[0]->shape, start)) continue;
        if (!combine_window(call, results, place, start)) return false;
    }
    return true;
}

static bool run_scatter(hlo_call *call) {
    const scatter_state *s = call->state;
    hlo_value **results = call->out->elements ? call->out->elements : &call->out;
    return hlo_scatter_check(call, &s->windows.dims) && combine_windows(call, results);
}

const hlo_kernel hlo_plain_scatter = {prepare_scatter, run_scatter};
