/* scatter_expander: scatter as a loop that combines one window per iteration. */
#include "passes/expand/indexed_parts.h"

typedef struct {
    hlo_index_rows rows;
    hlo_window_place place;
    int64_t *window; /* sizes by operand dimension; 1 for those that updates leave out */
    uint32_t operands;
    hlo_computation **combine; /* for each operand, from all old elements and all updates */
} scatter_case;

/* The whole window lies in the operand. */
static hlo_instr *window_fits(hlo_rewriter *r, const scatter_case *s, hlo_instr *const *starts,
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
    HLO_ASSERT(k < 2 * n);
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
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
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
    hlo_instr **starts =
        hlo_window_starts_at(r, iteration, state[n - 1], &s->rows, &s->place, rank);
    hlo_instr **parts = hlo_malloc((size_t)2 * m * sizeof *parts);
    for (uint32_t i = 0; i < m; i++)
        parts[i] = hlo_build_dynamic_slice(r, state[i], starts, s->window);
    for (uint32_t i = m; i < 2 * m; i++)
        parts[i] = hlo_build_reshape(r, hlo_index_row_at(r, state[i], iteration), s->window, rank);
    for (uint32_t i = 0; i < m; i++) {
        hlo_instr *changed = combined(r, s, parts, i);
        hlo_instr *choice = hlo_build_spread(
            r, window_fits(r, s, starts, state[i]->shape),
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
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
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
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
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
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
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
    HLO_ASSERT(from < scatter->operand_count);
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
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER && loop->opcode == HLO_OP_WHILE);
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
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    uint32_t n = s->operands;
    hlo_instr **state = hlo_malloc((2 * n + 1) * sizeof *state);
    s->rows = hlo_index_rows_of(r, hlo_operand(scatter, n), s->place.numbers.vector_dim);
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
