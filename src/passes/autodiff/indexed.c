/* Gathers and scatters that rules make: see indexed.h. */
#include "passes/autodiff/indexed.h"

#include "ir/float_types.h"
#include "passes/autodiff/formula.h"

/* ---- dimension numbers ---- */

hlo_indexed hlo_indexed_of_gather(const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    return (hlo_indexed){.operand = hlo_operand(gather, 0)->shape,
                         .slices = gather->shape,
                         .numbers = hlo_index_dims_of(gather)};
}

hlo_indexed hlo_indexed_of_scatter(const hlo_instr *scatter) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    return (hlo_indexed){.operand = hlo_operand(scatter, 0)->shape,
                         .slices = hlo_operand(scatter, scatter->operand_count - 1)->shape,
                         .numbers = hlo_index_dims_of(scatter)};
}

hlo_indexed hlo_indexed_along(hlo_gradient *g, const hlo_shape *operand, const hlo_shape *slices,
                              int64_t dimension) {
    hlo_arena *arena = &g->r->module->arena;
    hlo_ints *others = hlo_ints_new(arena, operand->rank - 1u);
    const hlo_ints *it = hlo_ints_from(arena, &dimension, 1);
    for (uint32_t i = 0; i < others->n; i++) others->v[i] = i + (i >= dimension);
    return (hlo_indexed){.operand = operand,
                         .slices = slices,
                         .numbers = {.window = hlo_ints_new(arena, 0),
                                     .absent = it,
                                     .map = it,
                                     .operand_batching = others,
                                     .indices_batching = others,
                                     .vector_dim = slices->rank}};
}

/* Of a window, along a dimension of the operand. */
static int64_t window_size(const hlo_indexed *x, int64_t dimension) {
    uint32_t k = 0;
    for (int64_t d = 0; d < dimension; d++) k += !hlo_index_drops(&x->numbers, d);
    bool is_single = hlo_index_drops(&x->numbers, dimension);
    return is_single ? 1 : x->slices->dims[x->numbers.window->v[k]];
}

/* ---- which windows lie in the operand ---- */

/* The last start of a window along the dimension that entry k of an index vector selects in; no
 * more than indices of the type can hold. */
static int64_t last_start(const hlo_indexed *x, uint32_t k, hlo_type type) {
    HLO_ASSERT(k < x->numbers.map->n);
    int64_t d = x->numbers.map->v[k], last = x->operand->dims[d] - window_size(x, d);
    unsigned bits = hlo_types[type].bits - (hlo_types[type].class == HLO_CLASS_SIGNED);
    return bits < 63 && last >> bits ? ((int64_t)1 << bits) - 1 : last;
}

static hlo_instr *listed_starts(hlo_gradient *g, const hlo_indexed *x, hlo_type type) {
    const hlo_shape *shape = hlo_shape_of_sizes(g->r, type, &(int64_t){x->numbers.map->n}, 1);
    hlo_literal *literal = hlo_literal_new(&g->r->module->arena, shape);
    uint32_t bytes = hlo_types[type].bytes;
    for (uint32_t k = 0; k < x->numbers.map->n; k++)
        hlo_set_element_bits((char *)literal->data + k * bytes, bytes,
                             (uint64_t)last_start(x, k, type));
    return hlo_emit_constant(g->r, literal);
}

/* Last starts, for each index. */
static hlo_instr *last_starts(hlo_gradient *g, const hlo_indexed *x, const hlo_shape *indices) {
    hlo_type type = (hlo_type)indices->type;
    bool is_one = true;
    for (uint32_t k = 1; k < x->numbers.map->n; k++)
        is_one &= last_start(x, k, type) == last_start(x, 0, type);
    int64_t value = x->numbers.map->n ? last_start(x, 0, type) : 0;
    if (is_one) return hlo_build_integer(g->r, indices, value);
    return hlo_build_spread(g->r, listed_starts(g, x, type), indices, &x->numbers.vector_dim);
}

hlo_instr *hlo_indexed_clamped(hlo_gradient *g, const hlo_indexed *x, hlo_instr *indices) {
    hlo_instr *first = hlo_build_integer(g->r, indices->shape, 0);
    hlo_instr *last = last_starts(g, x, indices->shape);
    hlo_instr *operands[] = {first, indices, last};
    return hlo_emit(g->r, HLO_OP_CLAMP, indices->shape, operands, 3, NULL, 0);
}

/* The dimensions of the slices that follow those of the indices. */
static hlo_ints *place_dims(hlo_gradient *g, const hlo_indexed *x) {
    hlo_ints *dims = hlo_ints_new(&g->r->module->arena, x->slices->rank - x->numbers.window->n);
    uint32_t n = 0;
    for (uint32_t d = 0; d < x->slices->rank; d++)
        if (!hlo_ints_contain(x->numbers.window, d)) dims->v[n++] = d;
    return dims;
}

hlo_instr *hlo_indexed_fitting(hlo_gradient *g, const hlo_indexed *x, hlo_instr *indices) {
    hlo_instr *first = hlo_build_integer(g->r, indices->shape, 0);
    hlo_instr *fits = hlo_build_compare(g->r, indices, first, "GE");
    hlo_instr *last = last_starts(g, x, indices->shape);
    hlo_instr *ends = hlo_build_compare(g->r, indices, last, "LE");
    fits = hlo_build_binary(g->r, HLO_OP_AND, fits, ends);
    if (x->numbers.vector_dim < indices->shape->rank)
        fits = hlo_build_reduce(g->r, fits, HLO_OP_AND, &x->numbers.vector_dim, 1);
    return hlo_build_spread(g->r, fits, x->slices, place_dims(g, x)->v);
}

/* ---- the operations ---- */

static hlo_attr listed(hlo_attr_id id, const hlo_ints *ints) {
    return (hlo_attr){.id = (uint16_t)id, .u.ints = ints};
}

static void add_batching(hlo_attr *attrs, uint32_t *n, const hlo_indexed *x, hlo_attr_id operand,
                         hlo_attr_id indices) {
    if (!x->numbers.operand_batching->n) return;
    attrs[(*n)++] = listed(operand, x->numbers.operand_batching);
    attrs[(*n)++] = listed(indices, x->numbers.indices_batching);
}

static const hlo_shape *like(hlo_gradient *g, const hlo_shape *shape, const hlo_instr *a) {
    return hlo_shape_with_type(&g->r->module->shapes, shape, (hlo_type)a->shape->type);
}

/* A scatter may have windows that are larger than its operand, and then writes none; a gather may
 * not: what it would read is zeros. */
hlo_instr *hlo_indexed_gather(hlo_gradient *g, const hlo_indexed *x, hlo_instr *from,
                              hlo_instr *indices) {
    hlo_ints *sizes = hlo_ints_new(&g->r->module->arena, x->operand->rank);
    for (uint32_t d = 0; d < sizes->n; d++) {
        sizes->v[d] = window_size(x, d);
        if (sizes->v[d] > x->operand->dims[d])
            return hlo_build_number(g->r, like(g, x->slices, from), 0);
    }
    hlo_attr attrs[7] = {listed(HLO_ATTR_OFFSET_DIMS, x->numbers.window),
                         listed(HLO_ATTR_COLLAPSED_SLICE_DIMS, x->numbers.absent),
                         listed(HLO_ATTR_START_INDEX_MAP, x->numbers.map),
                         hlo_attr_of_int(HLO_ATTR_INDEX_VECTOR_DIM, x->numbers.vector_dim),
                         listed(HLO_ATTR_SLICE_SIZES, sizes)};
    uint32_t n = 5;
    add_batching(attrs, &n, x, HLO_ATTR_OPERAND_BATCHING_DIMS,
                 HLO_ATTR_START_INDICES_BATCHING_DIMS);
    hlo_instr *operands[] = {from, indices};
    return hlo_emit(g->r, HLO_OP_GATHER, like(g, x->slices, from), operands, 2, attrs, n);
}

hlo_instr *hlo_indexed_scatter(hlo_gradient *g, const hlo_indexed *x, hlo_instr *into,
                               hlo_instr *indices, hlo_instr *slices, hlo_computation *combiner,
                               bool unique) {
    hlo_attr attrs[8] = {listed(HLO_ATTR_UPDATE_WINDOW_DIMS, x->numbers.window),
                         listed(HLO_ATTR_INSERTED_WINDOW_DIMS, x->numbers.absent),
                         listed(HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS, x->numbers.map),
                         hlo_attr_of_int(HLO_ATTR_INDEX_VECTOR_DIM, x->numbers.vector_dim),
                         {.id = HLO_ATTR_TO_APPLY, .u.computation = combiner}};
    uint32_t n = 5;
    add_batching(attrs, &n, x, HLO_ATTR_INPUT_BATCHING_DIMS,
                 HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS);
    if (unique) attrs[n++] = hlo_attr_of_int(HLO_ATTR_UNIQUE_INDICES, 1);
    hlo_instr *operands[] = {into, indices, slices};
    return hlo_emit(g->r, HLO_OP_SCATTER, like(g, x->operand, into), operands, 3, attrs, n);
}

hlo_instr *hlo_indexed_sum(hlo_gradient *g, const hlo_indexed *x, hlo_instr *indices,
                           hlo_instr *slices, bool unique) {
    hlo_instr *zeros = hlo_build_number(g->r, like(g, x->operand, slices), 0);
    hlo_computation *add = hlo_build_reducer(g->r, HLO_OP_ADD, (hlo_type)slices->shape->type);
    return hlo_indexed_scatter(g, x, zeros, indices, slices, add, unique);
}
