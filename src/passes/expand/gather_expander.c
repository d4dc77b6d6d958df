/* gather_expander: gather as a loop that copies one window per iteration. */
#include "passes/expand/indexed_parts.h"

typedef struct {
    hlo_index_rows rows;
    hlo_window_place place;
} gather_case;

/* State: the windows so far, [count, window...]; the operand; the rows. */
static void gather_step(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                        void *context) {
    const gather_case *g = context;
    (void)n;
    hlo_instr *operand = state[1];
    uint32_t rank = operand->shape->rank;
    hlo_instr **starts = hlo_window_starts_at(r, iteration, state[2], &g->rows, &g->place, rank);
    hlo_instr *window = hlo_build_dynamic_slice(r, operand, starts, g->place.sizes);
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    sizes[0] = 1;
    memcpy(sizes + 1, g->place.sizes, rank * sizeof *sizes);
    hlo_instr **places = hlo_realloc(starts, (rank + 1) * sizeof(hlo_instr *));
    hlo_instr *zero = hlo_build_integer(r, iteration->shape, 0);
    for (uint32_t i = 0; i <= rank; i++) places[i] = i ? zero : iteration;
    state[0] = hlo_build_dynamic_update(r, state[0], hlo_build_reshape(r, window, sizes, rank + 1),
                                        places);
    hlo_free(sizes);
    hlo_free(places);
}

/* [count, window...] in the order of the result: batch dimensions and offsets where offset_dims
 * has them. */
static hlo_instr *in_result_order(hlo_rewriter *r, hlo_instr *windows, const hlo_instr *gather,
                                  const hlo_index_rows *rows) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    uint32_t rank = gather->shape->rank;
    const hlo_ints *offsets = hlo_attr_ints(gather, HLO_ATTR_OFFSET_DIMS);
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes),
            *order = hlo_calloc(rank + 1, sizeof *order);
    uint32_t batch = 0, offset = 0;
    for (uint32_t d = 0; d < rank; d++) {
        bool is_offset = hlo_ints_contain(offsets, d);
        uint32_t from = is_offset ? rows->batch_rank + offset++ : batch++;
        sizes[from] = gather->shape->dims[d];
        order[d] = from;
    }
    hlo_instr *flat = hlo_build_reshape(r, windows, sizes, rank);
    hlo_instr *out = hlo_build_transpose(r, flat, order);
    hlo_free(sizes);
    hlo_free(order);
    return hlo_build_as(out, gather->shape);
}

/* A window of size 0 has no element to put where the result has one. */
hlo_instr *hlo_rewrite_expand_gather(hlo_rewriter *r, hlo_instr *gather) {
    hlo_instr *operand = hlo_operand(gather, 0), *indices = hlo_operand(gather, 1);
    uint32_t rank = operand->shape->rank;
    if (hlo_shape_elements(gather->shape) == 0) return NULL;
    if (hlo_ints_contain(hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES), 0)) return NULL;
    gather_case g = {
        .place = {hlo_index_dims_of(gather), hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES)->v}};
    g.rows = hlo_index_rows_of(r, indices, g.place.numbers.vector_dim);
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    sizes[0] = g.rows.count;
    memcpy(sizes + 1, g.place.sizes, rank * sizeof *sizes);
    const hlo_shape *windows =
        hlo_shape_of_sizes(r, (hlo_type)operand->shape->type, sizes, rank + 1);
    hlo_instr *state[] = {hlo_build_integer(r, windows, 0), operand, g.rows.rows};
    hlo_instr *out = hlo_build_loop(r, g.rows.count, state, 3, gather_step, &g);
    out = in_result_order(r, out, gather, &g.rows);
    hlo_free(sizes);
    hlo_free(g.rows.batch_sizes);
    return out;
}
