/* gather and scatter as loops over their index vectors. Patterns, called by patterns.c. */
#include "analysis/match.h"
#include "ir/index_dims.h"
#include "passes/pipeline/expression.h"

/* Index vectors as rows of [count, size], in a type that holds every index and every count. */
typedef struct {
    hlo_instr *rows;
    int64_t count, size;
    int64_t *batch_sizes; /* of the indices without the vectors' dimension */
    uint32_t batch_rank;
} index_rows;

/* Where a window lies in the operand, dimension by dimension. */
typedef struct {
    hlo_index_dims numbers;
    const int64_t *sizes; /* of the window, by operand dimension */
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
    /* Unsigned 64-bit indices above INT64_MAX must not become negative. */
    hlo_type type = shape->type == HLO_U64 ? HLO_U64 : HLO_S64;
    hlo_instr *sorted = hlo_build_transpose(r, hlo_build_convert(r, indices, type), order);
    rows.rows = hlo_build_reshape(r, sorted, (int64_t[]){rows.count, rows.size}, 2);
    hlo_free(order);
    return rows;
}

/* The iteration number as a coordinate along one of the batch dimensions. */
static hlo_instr *coordinate(hlo_rewriter *r, hlo_instr *iteration, const index_rows *rows,
                             uint32_t dimension) {
    int64_t stride = 1;
    for (uint32_t i = dimension + 1; i < rows->batch_rank; i++) stride *= rows->batch_sizes[i];
    hlo_instr *quotient = hlo_build_binary(r, HLO_OP_DIVIDE, iteration,
                                           hlo_build_integer(r, iteration->shape, stride));
    return hlo_build_binary(r, HLO_OP_REMAINDER, quotient,
                            hlo_build_integer(r, iteration->shape, rows->batch_sizes[dimension]));
}

/* Row `iteration` of a [count, ...] array, without the first dimension. */
static hlo_instr *row_at(hlo_rewriter *r, hlo_instr *a, hlo_instr *iteration) {
    uint32_t rank = a->shape->rank;
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    hlo_instr **starts = hlo_calloc(rank + 1, sizeof(hlo_instr *));
    hlo_instr *zero = hlo_build_integer(r, iteration->shape, 0);
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = i ? a->shape->dims[i] : 1;
        starts[i] = i ? zero : iteration;
    }
    hlo_instr *row = hlo_build_dynamic_slice(r, a, starts, sizes);
    hlo_instr *out = hlo_build_reshape(r, row, sizes + 1, rank - 1);
    hlo_free(sizes);
    hlo_free(starts);
    return out;
}

/* One start for each dimension of the operand, in the type of the rows. */
static hlo_instr **starts_at(hlo_rewriter *r, hlo_instr *iteration, hlo_instr *table,
                             const index_rows *rows, const window_place *place, uint32_t rank) {
    hlo_instr **starts = hlo_calloc(rank + 1, sizeof(hlo_instr *));
    hlo_instr *vector = row_at(r, table, iteration);
    hlo_type type = (hlo_type)table->shape->type;
    const hlo_shape *scalar = hlo_shape_scalar(&r->module->shapes, type);
    for (uint32_t k = 0; k < place->numbers.map->n; k++)
        starts[place->numbers.map->v[k]] =
            hlo_build_reshape(r, hlo_build_slice(r, vector, 0, k, k + 1), NULL, 0);
    for (uint32_t k = 0; k < place->numbers.operand_batching->n; k++) {
        int64_t of = place->numbers.indices_batching->v[k];
        hlo_instr *at =
            coordinate(r, iteration, rows, (uint32_t)(of - (of > place->numbers.vector_dim)));
        starts[place->numbers.operand_batching->v[k]] = hlo_build_convert(r, at, type);
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
static void gather_step(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                        void *context) {
    const gather_case *g = context;
    (void)n;
    hlo_instr *operand = state[1];
    uint32_t rank = operand->shape->rank;
    hlo_instr **starts = starts_at(r, iteration, state[2], &g->rows, &g->place, rank);
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
    gather_case g = {
        .place = {hlo_index_dims_of(gather), hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES)->v}};
    g.rows = rows_of(r, indices, g.place.numbers.vector_dim);
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
    uint32_t operands;
    hlo_computation **combine; /* for each operand, from all old elements and all updates */
} scatter_case;

/* The whole window lies in the operand. */
static hlo_instr *fits(hlo_rewriter *r, const scatter_case *s, hlo_instr *const *starts,
                       const hlo_shape *operand) {
    hlo_instr *all = hlo_build_integer(r, hlo_shape_scalar(&r->module->shapes, HLO_PRED), 1);
    for (uint32_t k = 0; k < s->place.numbers.map->n; k++) {
        int64_t d = s->place.numbers.map->v[k];
        hlo_instr *start = starts[d];
        hlo_instr *last = hlo_build_integer(r, start->shape, operand->dims[d] - s->window[d]);
        hlo_instr *low = hlo_build_compare(r, start, hlo_build_integer(r, start->shape, 0), "GE");
        all = hlo_build_binary(r, HLO_OP_AND, all, low);
        all = hlo_build_binary(r, HLO_OP_AND, all, hlo_build_compare(r, start, last, "LE"));
    }
    return all;
}

/* Of the k-th parameter of its computation: operands, then updates. */
static hlo_type operand_type(const hlo_instr *scatter, uint32_t k, uint32_t n) {
    return (hlo_type)hlo_operand(scatter, k < n ? k : k + 1)->shape->type;
}

/* It may take less precision than the scatter's operands have; a map may not. */
static bool takes_operands(const hlo_instr *scatter, const hlo_computation *all, uint32_t n) {
    for (uint32_t k = 0; k < 2 * n; k++)
        if (all->parameters[k]->shape->type != operand_type(scatter, k, n)) return false;
    return true;
}

/* The i-th of what the scatter's computation gives, as a computation of the operands' types that
 * gives only that. */
static hlo_computation *combine_one(hlo_rewriter *r, const hlo_instr *scatter, hlo_computation *all,
                                    uint32_t i) {
    uint32_t n = scatter->operand_count / 2;
    bool is_tuple = hlo_shape_is_tuple(all->root->shape);
    if (!is_tuple && takes_operands(scatter, all, n)) return all;
    hlo_instr **parameters = hlo_malloc((all->parameter_count + 1u) * sizeof *parameters);
    hlo_body body = hlo_build_open(r, "combine");
    for (uint32_t k = 0; k < all->parameter_count; k++)
        parameters[k] = hlo_build_parameter(
            r, &body, k, hlo_shape_scalar(&r->module->shapes, operand_type(scatter, k, n)));
    for (uint32_t k = 0; k < all->parameter_count; k++)
        parameters[k] =
            hlo_build_convert(r, parameters[k], (hlo_type)all->parameters[k]->shape->type);
    hlo_instr *result = hlo_build_call(r, all, parameters, all->parameter_count);
    hlo_free(parameters);
    if (is_tuple) result = hlo_emit_element(r, result, i);
    return hlo_build_close(r, &body, hlo_build_convert(r, result, operand_type(scatter, i, n)));
}

/* `parts`: old windows, then updates. */
static hlo_instr *combined(hlo_rewriter *r, const scatter_case *s, hlo_instr *const *parts,
                           uint32_t i) {
    const hlo_shape *shape = parts[i]->shape;
    int64_t *dims = hlo_calloc(shape->rank + 1, sizeof *dims);
    for (uint32_t d = 0; d < shape->rank; d++) dims[d] = d;
    hlo_attr attrs[] = {hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, dims, shape->rank),
                        {.id = HLO_ATTR_TO_APPLY, .u.computation = s->combine[i]}};
    hlo_free(dims);
    return hlo_emit(r, HLO_OP_MAP, shape, parts, 2 * s->operands, attrs, 2);
}

/* State: the operands; the updates, [count, window...]; the rows. */
static void scatter_step(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                         void *context) {
    const scatter_case *s = context;
    uint32_t rank = state[0]->shape->rank, m = s->operands;
    hlo_instr **starts = starts_at(r, iteration, state[n - 1], &s->rows, &s->place, rank);
    hlo_instr **parts = hlo_malloc((size_t)2 * m * sizeof *parts);
    for (uint32_t i = 0; i < m; i++)
        parts[i] = hlo_build_dynamic_slice(r, state[i], starts, s->window);
    for (uint32_t i = m; i < 2 * m; i++)
        parts[i] = hlo_build_reshape(r, row_at(r, state[i], iteration), s->window, rank);
    for (uint32_t i = 0; i < m; i++) {
        hlo_instr *changed = combined(r, s, parts, i);
        hlo_instr *choice = hlo_build_spread(
            r, fits(r, s, starts, state[i]->shape),
            hlo_shape_with_type(&r->module->shapes, changed->shape, HLO_PRED), NULL);
        hlo_instr *chosen = hlo_build_select(r, choice, changed, parts[i]);
        state[i] = hlo_build_dynamic_update(r, state[i], chosen, starts);
    }
    hlo_free(starts);
    hlo_free(parts);
}

/* Updates with their scatter dimensions in front, as one. */
static hlo_instr *update_rows(hlo_rewriter *r, const hlo_instr *scatter, hlo_instr *updates,
                              int64_t count) {
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
    const hlo_shape *updates = hlo_operand(scatter, scatter->operand_count - 1)->shape;
    uint32_t rank = hlo_operand(scatter, 0)->shape->rank, k = 0;
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    for (uint32_t d = 0; d < rank; d++) {
        bool left_out = hlo_ints_contain(inserted, d) || hlo_ints_contain(batching, d);
        sizes[d] = left_out ? 1 : updates->dims[window->v[k++]];
    }
    return sizes;
}

/* Computations give what the operands hold; they may be promoted in one that gives other types. */
static bool gives_operands(const hlo_instr *scatter) {
    const hlo_shape *given = hlo_instr_attr(scatter, HLO_ATTR_TO_APPLY)->u.computation->root->shape;
    bool is_tuple = hlo_shape_is_tuple(given), fits = true;
    uint32_t n = scatter->operand_count / 2;
    if (is_tuple ? given->rank != n : n != 1) return false;
    for (uint32_t i = 0; i < n; i++)
        fits &=
            (is_tuple ? given->elements[i] : given)->type == hlo_operand(scatter, i)->shape->type;
    return fits;
}

/* Shape inference takes arrays, or updates, of different sizes; no run does. */
static bool sizes_agree(const hlo_instr *scatter, uint32_t from) {
    const hlo_shape *first = hlo_operand(scatter, from)->shape;
    for (uint32_t i = 1; i < scatter->operand_count / 2; i++) {
        const hlo_shape *other = hlo_operand(scatter, from + i)->shape;
        if (other->rank != first->rank ||
            memcmp(other->dims, first->dims, first->rank * sizeof *first->dims) != 0)
            return false;
    }
    return true;
}

static hlo_instr *scatter_result(hlo_rewriter *r, const hlo_instr *scatter, hlo_instr *loop) {
    uint32_t n = scatter->operand_count / 2;
    if (!hlo_shape_is_tuple(scatter->shape))
        return hlo_build_as(hlo_emit_element(r, loop, 1), scatter->shape);
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = hlo_build_as(hlo_emit_element(r, loop, i + 1), scatter->shape->elements[i]);
    hlo_instr *out = hlo_emit_tuple(r, parts, n);
    hlo_free(parts);
    return out;
}

static hlo_instr *scatter_loop(hlo_rewriter *r, const hlo_instr *scatter, scatter_case *s) {
    uint32_t n = s->operands;
    hlo_instr **state = hlo_malloc((2 * n + 1) * sizeof *state);
    s->rows = rows_of(r, hlo_operand(scatter, n), s->place.numbers.vector_dim);
    for (uint32_t i = 0; i < n; i++) {
        state[i] = hlo_operand(scatter, i);
        state[n + i] = update_rows(r, scatter, hlo_operand(scatter, n + 1 + i), s->rows.count);
    }
    state[(size_t)2 * n] = s->rows.rows;
    hlo_instr *loop = hlo_build_whole_loop(r, s->rows.count, state, 2 * n + 1, scatter_step, s);
    hlo_free(state);
    hlo_free(s->rows.batch_sizes);
    return loop;
}

hlo_instr *hlo_rewrite_expand_scatter(hlo_rewriter *r, hlo_instr *scatter) {
    uint32_t n = scatter->operand_count / 2;
    hlo_instr *first = hlo_operand(scatter, 0);
    if (hlo_shape_elements(hlo_operand(scatter, n + 1)->shape) == 0) return NULL;
    if (n == 1 && hlo_shape_elements(first->shape) == 0) return first;
    if (hlo_shape_elements(first->shape) == 0 || !gives_operands(scatter) ||
        !sizes_agree(scatter, 0) || !sizes_agree(scatter, n + 1))
        return NULL;
    hlo_computation *all = hlo_instr_attr(scatter, HLO_ATTR_TO_APPLY)->u.computation;
    scatter_case s = {.place = {hlo_index_dims_of(scatter), NULL},
                      .window = window_sizes(scatter),
                      .operands = n};
    s.combine = hlo_malloc(n * sizeof *s.combine);
    for (uint32_t i = 0; i < n; i++) s.combine[i] = combine_one(r, scatter, all, i);
    hlo_instr *loop = scatter_loop(r, scatter, &s);
    hlo_free(s.combine);
    hlo_free(s.window);
    return scatter_result(r, scatter, loop);
}
