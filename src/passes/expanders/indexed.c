/* gather and scatter as loops over their index vectors. Patterns, called by patterns.c. */
#include "passes/build.h"
#include "passes/match.h"

/* Index vectors as rows of [count, size], in a type that holds every index and every count. */
typedef struct {
    hlo_instr *rows;
    int64_t count, size;
    int64_t *batch_sizes; /* of the indices without the vectors' dimension */
    uint32_t batch_rank;
} index_rows;

/* Where a window lies in the operand, dimension by dimension. */
typedef struct {
    const hlo_ints *from_vector; /* operand dimension of each entry of a vector */
    const hlo_ints *batching;    /* operand dimensions that ... */
    const hlo_ints *batching_of; /* ... follow these dimensions of the indices */
    int64_t vector_dim;          /* of the indices */
    const int64_t *sizes;        /* of the window, by operand dimension */
} window_place;

static index_rows rows_of(hlo_rewriter *r, hlo_instr *indices, int64_t vector_dim) {
    const hlo_shape *shape = indices->shape;
    index_rows rows = {.count = 1, .size = 1};
    int64_t *order = hlo_calloc(shape->rank + 1, sizeof *order);
    rows.batch_sizes = hlo_calloc(shape->rank + 1, sizeof *rows.batch_sizes);
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i == vector_dim) continue;
        order[rows.batch_rank] = i;
        rows.batch_sizes[rows.batch_rank++] = shape->dims[i];
        rows.count *= shape->dims[i];
    }
    if (vector_dim < shape->rank) {
        order[rows.batch_rank] = vector_dim;
        rows.size = shape->dims[vector_dim];
    }
    /* Unsigned 64-bit indices beyond the signed ones shall stay large. */
    hlo_type type = shape->type == HLO_U64 ? HLO_U64 : HLO_S64;
    hlo_instr *sorted = hlo_build_transpose(r, hlo_build_convert(r, indices, type), order);
    rows.rows = hlo_build_reshape(r, sorted, (int64_t[]){rows.count, rows.size}, 2);
    hlo_free(order);
    return rows;
}

/* Number of the round along one of the batch dimensions. */
static hlo_instr *coordinate(hlo_rewriter *r, hlo_instr *round, const index_rows *rows,
                             uint32_t dimension) {
    int64_t stride = 1;
    for (uint32_t i = dimension + 1; i < rows->batch_rank; i++) stride *= rows->batch_sizes[i];
    hlo_instr *quotient =
        hlo_build_binary(r, HLO_OP_DIVIDE, round, hlo_build_integer(r, round->shape, stride));
    return hlo_build_binary(r, HLO_OP_REMAINDER, quotient,
                            hlo_build_integer(r, round->shape, rows->batch_sizes[dimension]));
}

/* Row `round` of a [count, ...] array, without the first dimension. */
static hlo_instr *row_at(hlo_rewriter *r, hlo_instr *a, hlo_instr *round) {
    uint32_t rank = a->shape->rank;
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    hlo_instr **starts = hlo_calloc(rank + 1, sizeof(hlo_instr *));
    hlo_instr *zero = hlo_build_integer(r, round->shape, 0);
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = i ? a->shape->dims[i] : 1;
        starts[i] = i ? zero : round;
    }
    hlo_instr *row = hlo_build_dynamic_slice(r, a, starts, sizes);
    hlo_instr *out = hlo_build_reshape(r, row, sizes + 1, rank - 1);
    hlo_free(sizes);
    hlo_free(starts);
    return out;
}

/* One start for each dimension of the operand, in the type of the rows. */
static hlo_instr **starts_at(hlo_rewriter *r, hlo_instr *round, hlo_instr *table,
                             const index_rows *rows, const window_place *place, uint32_t rank) {
    hlo_instr **starts = hlo_calloc(rank + 1, sizeof(hlo_instr *));
    hlo_instr *vector = row_at(r, table, round);
    hlo_type type = (hlo_type)table->shape->type;
    const hlo_shape *scalar = hlo_shape_scalar(&r->module->shapes, type);
    for (uint32_t k = 0; k < place->from_vector->n; k++)
        starts[place->from_vector->v[k]] =
            hlo_build_reshape(r, hlo_build_slice(r, vector, 0, k, k + 1), NULL, 0);
    for (uint32_t k = 0; k < place->batching->n; k++) {
        int64_t of = place->batching_of->v[k];
        hlo_instr *at = coordinate(r, round, rows, (uint32_t)(of - (of > place->vector_dim)));
        starts[place->batching->v[k]] = hlo_build_convert(r, at, type);
    }
    hlo_instr *zero = hlo_build_integer(r, scalar, 0);
    for (uint32_t d = 0; d < rank; d++)
        if (!starts[d]) starts[d] = zero;
    return starts;
}

/* ---- gather ---- */

typedef struct {
    index_rows rows;
    window_place place;
} gather_case;

/* State: the windows so far, [count, window...]; the operand; the rows. */
static void gather_step(hlo_rewriter *r, hlo_instr *round, hlo_instr **state, uint32_t n,
                        void *context) {
    const gather_case *g = context;
    (void)n;
    hlo_instr *operand = state[1];
    uint32_t rank = operand->shape->rank;
    hlo_instr **starts = starts_at(r, round, state[2], &g->rows, &g->place, rank);
    hlo_instr *window = hlo_build_dynamic_slice(r, operand, starts, g->place.sizes);
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    sizes[0] = 1;
    memcpy(sizes + 1, g->place.sizes, rank * sizeof *sizes);
    hlo_instr **places = hlo_realloc(starts, (rank + 1) * sizeof(hlo_instr *));
    hlo_instr *zero = hlo_build_integer(r, round->shape, 0);
    for (uint32_t i = 0; i <= rank; i++) places[i] = i ? zero : round;
    state[0] = hlo_build_dynamic_update(r, state[0], hlo_build_reshape(r, window, sizes, rank + 1),
                                        places);
    hlo_free(sizes);
    hlo_free(places);
}

/* [count, window...] in the order of the result: batch dimensions and offsets where offset_dims
 * has them. */
static hlo_instr *in_result_order(hlo_rewriter *r, hlo_instr *windows, const hlo_instr *gather,
                                  const index_rows *rows) {
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
    gather_case g = {.place = {hlo_attr_ints(gather, HLO_ATTR_START_INDEX_MAP),
                               hlo_attr_ints(gather, HLO_ATTR_OPERAND_BATCHING_DIMS),
                               hlo_attr_ints(gather, HLO_ATTR_START_INDICES_BATCHING_DIMS),
                               hlo_attr_int(gather, HLO_ATTR_INDEX_VECTOR_DIM),
                               hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES)->v}};
    g.rows = rows_of(r, indices, g.place.vector_dim);
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

/* ---- scatter ---- */

typedef struct {
    index_rows rows;
    window_place place;
    int64_t *window; /* sizes by operand dimension; 1 for those that updates leave out */
    hlo_computation *combine;
} scatter_case;

/* The whole window lies in the operand. */
static hlo_instr *fits(hlo_rewriter *r, const scatter_case *s, hlo_instr *const *starts,
                       const hlo_shape *operand) {
    hlo_instr *all = hlo_build_integer(r, hlo_shape_scalar(&r->module->shapes, HLO_PRED), 1);
    for (uint32_t k = 0; k < s->place.from_vector->n; k++) {
        int64_t d = s->place.from_vector->v[k];
        hlo_instr *start = starts[d];
        hlo_instr *last = hlo_build_integer(r, start->shape, operand->dims[d] - s->window[d]);
        hlo_instr *low = hlo_build_compare(r, start, hlo_build_integer(r, start->shape, 0), "GE");
        all = hlo_build_binary(r, HLO_OP_AND, all, low);
        all = hlo_build_binary(r, HLO_OP_AND, all, hlo_build_compare(r, start, last, "LE"));
    }
    return all;
}

static hlo_instr *combined(hlo_rewriter *r, hlo_computation *combine, hlo_instr *old,
                           hlo_instr *update) {
    int64_t *dims = hlo_calloc(old->shape->rank + 1, sizeof *dims);
    for (uint32_t i = 0; i < old->shape->rank; i++) dims[i] = i;
    hlo_attr attrs[] = {hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, dims, old->shape->rank),
                        {.id = HLO_ATTR_TO_APPLY, .u.computation = combine}};
    hlo_free(dims);
    return hlo_emit(r, HLO_OP_MAP, old->shape, (hlo_instr *[]){old, update}, 2, attrs, 2);
}

/* State: the operand; the updates, [count, window...]; the rows. */
static void scatter_step(hlo_rewriter *r, hlo_instr *round, hlo_instr **state, uint32_t n,
                         void *context) {
    const scatter_case *s = context;
    (void)n;
    hlo_instr *operand = state[0];
    uint32_t rank = operand->shape->rank;
    hlo_instr **starts = starts_at(r, round, state[2], &s->rows, &s->place, rank);
    hlo_instr *old = hlo_build_dynamic_slice(r, operand, starts, s->window);
    hlo_instr *update = hlo_build_reshape(r, row_at(r, state[1], round), s->window, rank);
    hlo_instr *changed = combined(r, s->combine, old, update);
    hlo_instr *choice =
        hlo_build_spread(r, fits(r, s, starts, operand->shape),
                         hlo_shape_with_type(&r->module->shapes, old->shape, HLO_PRED), NULL);
    state[0] =
        hlo_build_dynamic_update(r, operand, hlo_build_select(r, choice, changed, old), starts);
    hlo_free(starts);
}

/* Updates with their scatter dimensions in front, as one. */
static hlo_instr *update_rows(hlo_rewriter *r, const hlo_instr *scatter, int64_t count) {
    hlo_instr *updates = hlo_operand(scatter, 2);
    const hlo_ints *window = hlo_attr_ints(scatter, HLO_ATTR_UPDATE_WINDOW_DIMS);
    uint32_t rank = updates->shape->rank, n = 0;
    int64_t *order = hlo_calloc(rank + 1, sizeof *order),
            *sizes = hlo_calloc(rank + 2, sizeof *sizes);
    for (uint32_t d = 0; d < rank; d++)
        if (!hlo_ints_contain(window, d)) order[n++] = d;
    for (uint32_t k = 0; k < window->n; k++) {
        order[n++] = window->v[k];
        sizes[k + 1] = updates->shape->dims[window->v[k]];
    }
    sizes[0] = count;
    hlo_instr *rows =
        hlo_build_reshape(r, hlo_build_transpose(r, updates, order), sizes, window->n + 1);
    hlo_free(order);
    hlo_free(sizes);
    return rows;
}

static int64_t *window_sizes(const hlo_instr *scatter) {
    const hlo_ints *inserted = hlo_attr_ints(scatter, HLO_ATTR_INSERTED_WINDOW_DIMS);
    const hlo_ints *batching = hlo_attr_ints(scatter, HLO_ATTR_INPUT_BATCHING_DIMS);
    const hlo_ints *window = hlo_attr_ints(scatter, HLO_ATTR_UPDATE_WINDOW_DIMS);
    uint32_t rank = hlo_operand(scatter, 0)->shape->rank, k = 0;
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    for (uint32_t d = 0; d < rank; d++) {
        bool left_out = hlo_ints_contain(inserted, d) || hlo_ints_contain(batching, d);
        sizes[d] = left_out ? 1 : hlo_operand(scatter, 2)->shape->dims[window->v[k++]];
    }
    return sizes;
}

hlo_instr *hlo_rewrite_expand_scatter(hlo_rewriter *r, hlo_instr *scatter) {
    if (scatter->operand_count != 3 || hlo_shape_elements(hlo_operand(scatter, 2)->shape) == 0)
        return NULL;
    if (hlo_shape_elements(scatter->shape) == 0) return hlo_operand(scatter, 0);
    hlo_computation *combine = hlo_instr_attr(scatter, HLO_ATTR_TO_APPLY)->u.computation;
    if (combine->root->shape->type != scatter->shape->type) return NULL;
    scatter_case s = {.place = {hlo_attr_ints(scatter, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS),
                                hlo_attr_ints(scatter, HLO_ATTR_INPUT_BATCHING_DIMS),
                                hlo_attr_ints(scatter, HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS),
                                hlo_attr_int(scatter, HLO_ATTR_INDEX_VECTOR_DIM), NULL},
                      .window = window_sizes(scatter),
                      .combine = combine};
    s.rows = rows_of(r, hlo_operand(scatter, 1), s.place.vector_dim);
    hlo_instr *state[] = {hlo_operand(scatter, 0), update_rows(r, scatter, s.rows.count),
                          s.rows.rows};
    hlo_instr *out = hlo_build_loop(r, s.rows.count, state, 3, scatter_step, &s);
    hlo_free(s.window);
    hlo_free(s.rows.batch_sizes);
    return hlo_build_as(out, scatter->shape);
}
