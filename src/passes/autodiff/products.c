/* scaled-dot and ragged-dot as dot: see prepared.h. */
#include "passes/autodiff/prepared.h"
#include "passes/pipeline/expression.h"

/* ---- scaled-dot ---- */

/* A scale for each element: it covers an equal run of each dimension. */
static hlo_instr *scale_of_elements(hlo_rewriter *r, hlo_instr *scale, const hlo_shape *like) {
    uint32_t rank = like->rank;
    int64_t *runs = hlo_malloc((2u * rank + 1u) * sizeof *runs);
    int64_t *dims = hlo_malloc((rank + 1u) * sizeof *dims);
    for (uint32_t d = 0; d < rank; d++) {
        dims[d] = 2 * d;
        runs[2 * d] = scale->shape->dims[d];
        runs[2 * d + 1] = like->dims[d] / scale->shape->dims[d];
    }
    hlo_type type = (hlo_type)scale->shape->type;
    const hlo_shape *shape = hlo_shape_of_sizes(r, type, runs, 2 * rank);
    hlo_instr *repeated = hlo_emit_broadcast(r, shape, scale, dims, rank);
    hlo_free(runs);
    hlo_free(dims);
    return hlo_build_reshape(r, repeated, like->dims, rank);
}

/* In f32, as runs compute it. */
static hlo_instr *scaled(hlo_rewriter *r, hlo_instr *a, hlo_instr *scale) {
    a = hlo_build_convert(r, a, HLO_F32);
    scale = hlo_build_convert(r, scale, HLO_F32);
    if (scale->shape->rank != a->shape->rank) return a;
    return hlo_build_binary(r, HLO_OP_MULTIPLY, a, scale_of_elements(r, scale, a->shape));
}

/* The same dimensions in a dot of other operands, those of the first moved by `shift`. */
static uint32_t dot_attrs(hlo_rewriter *r, const hlo_instr *like, int64_t shift, hlo_attr *attrs) {
    static const hlo_attr_id ids[] = {HLO_ATTR_LHS_BATCH_DIMS, HLO_ATTR_RHS_BATCH_DIMS,
                                      HLO_ATTR_LHS_CONTRACTING_DIMS, HLO_ATTR_RHS_CONTRACTING_DIMS};
    uint32_t n = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const hlo_ints *dims = hlo_attr_ints(like, ids[k]);
        hlo_ints *moved = hlo_ints_from(&r->module->arena, dims->v, dims->n);
        for (uint32_t i = 0; i < moved->n; i++) moved->v[i] += k % 2 ? 0 : shift;
        attrs[n++] = (hlo_attr){.id = (uint16_t)ids[k], .u.ints = moved};
    }
    const hlo_attr *precision = hlo_instr_attr(like, HLO_ATTR_OPERAND_PRECISION);
    if (precision) attrs[n++] = *precision;
    return n;
}

hlo_instr *hlo_scaled_dot_as_dot(hlo_rewriter *r, hlo_instr *dot) {
    hlo_attr attrs[5];
    for (uint32_t i = 0; i < 4; i++)
        if (hlo_operand(dot, i)->shape->dynamic) return NULL;
    hlo_instr *a = scaled(r, hlo_operand(dot, 0), hlo_operand(dot, 2));
    hlo_instr *b = scaled(r, hlo_operand(dot, 1), hlo_operand(dot, 3));
    uint32_t n = dot_attrs(r, dot, 0, attrs);
    HLO_ASSERT(dot->opcode == HLO_OP_SCALED_DOT);
    return hlo_emit(r, HLO_OP_DOT, dot->shape, (hlo_instr *[]){a, b}, 2, attrs, n);
}

/* ---- ragged-dot ---- */

/* What the rows of a ragged dimension, one run after the other, belong to. */
typedef struct {
    hlo_instr *dot, *sizes; /* [lists..., groups] */
    const hlo_shape *lhs;
    int64_t dimension, groups;
    bool is_contracted;
    hlo_ints *lists; /* dimensions of the first operand that sizes are listed for */
} ragged;

static bool contains(const hlo_instr *dot, hlo_attr_id id, int64_t dimension) {
    return hlo_ints_contain(hlo_attr_ints(dot, id), dimension);
}

/* Batches, and what stands before the ragged dimension among its like; none where one list is for
 * everything. */
static hlo_ints *list_dims(hlo_rewriter *r, const ragged *g) {
    hlo_ints *dims = hlo_ints_new(&r->module->arena, g->lhs->rank);
    const hlo_ints *batch = hlo_attr_ints(g->dot, HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *summed = hlo_attr_ints(g->dot, HLO_ATTR_LHS_CONTRACTING_DIMS);
    dims->n = 0;
    if (g->sizes->shape->rank <= 1) return dims;
    for (uint32_t i = 0; i < batch->n; i++) dims->v[dims->n++] = batch->v[i];
    for (int64_t d = 0; !g->is_contracted && d < g->dimension; d++)
        if (!hlo_ints_contain(batch, d) && !hlo_ints_contain(summed, d)) dims->v[dims->n++] = d;
    for (uint32_t i = 0; g->is_contracted && summed->v[i] != g->dimension; i++)
        dims->v[dims->n++] = summed->v[i];
    return dims;
}

static ragged ragged_of(hlo_rewriter *r, hlo_instr *dot) {
    HLO_ASSERT(dot->opcode == HLO_OP_RAGGED_DOT);
    ragged g = {.dot = dot,
                .sizes = hlo_operand(dot, 2),
                .lhs = hlo_operand(dot, 0)->shape,
                .dimension = hlo_attr_ints(dot, HLO_ATTR_LHS_RAGGED_DIMS)->v[0]};
    g.groups = g.sizes->shape->dims[g.sizes->shape->rank - 1];
    g.is_contracted = contains(dot, HLO_ATTR_LHS_CONTRACTING_DIMS, g.dimension);
    g.lists = list_dims(r, &g);
    return g;
}

/* Where groups end: sizes added up, [lists..., groups], none beyond the ragged dimension. */
static hlo_instr *ends_of(hlo_rewriter *r, const ragged *g) {
    hlo_instr *sizes = hlo_build_convert(r, g->sizes, HLO_S64);
    uint32_t rank = sizes->shape->rank;
    sizes = hlo_build_binary(r, HLO_OP_MAXIMUM, sizes, hlo_build_integer(r, sizes->shape, 0));
    hlo_ints *wide = hlo_ints_new(&r->module->arena, rank + 1u);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, rank);
    for (uint32_t d = 0; d < rank; d++) wide->v[d] = sizes->shape->dims[d];
    for (uint32_t d = 0; d < rank; d++) dims->v[d] = d + (d + 1 == rank);
    wide->v[rank] = g->groups;
    const hlo_shape *pairs = hlo_shape_of_sizes(r, HLO_S64, wide->v, rank + 1u);
    hlo_instr *group = hlo_build_iota(r, pairs, rank - 1);
    hlo_instr *counts = hlo_build_compare(r, hlo_build_iota(r, pairs, rank), group, "LE");
    hlo_instr *terms = hlo_emit_broadcast(r, pairs, sizes, dims->v, rank);
    terms = hlo_build_select(r, counts, terms, hlo_build_integer(r, pairs, 0));
    hlo_instr *ends = hlo_build_reduce(r, terms, HLO_OP_ADD, &(int64_t){rank}, 1);
    hlo_instr *last = hlo_build_integer(r, ends->shape, g->lhs->dims[g->dimension]);
    return hlo_build_binary(r, HLO_OP_MINIMUM, ends, last);
}

/* Numbers of groups, by lists, for each of the elements of [groups, first operand]. */
static hlo_instr *for_elements(hlo_rewriter *r, const ragged *g, hlo_instr *of_groups,
                               const hlo_shape *like) {
    hlo_ints *dims = hlo_ints_new(&r->module->arena, g->lists->n + 1u);
    for (uint32_t i = 0; i < g->lists->n; i++) dims->v[i] = g->lists->v[i] + 1;
    dims->v[g->lists->n] = 0;
    return hlo_emit_broadcast(r, hlo_shape_with_type(&r->module->shapes, like, HLO_S64), of_groups,
                              dims->v, of_groups->shape->rank);
}

/* [groups, first operand]: its elements where they are in the group, else zeros. */
static hlo_instr *by_groups(hlo_rewriter *r, const ragged *g, hlo_instr *lhs) {
    uint32_t rank = lhs->shape->rank;
    hlo_ints *sizes = hlo_ints_new(&r->module->arena, rank + 1u);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, rank);
    sizes->v[0] = g->groups;
    for (uint32_t d = 0; d < rank; d++) sizes->v[d + 1] = lhs->shape->dims[d];
    for (uint32_t d = 0; d < rank; d++) dims->v[d] = d + 1;
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)lhs->shape->type, sizes->v, rank + 1u);
    hlo_instr *ends = ends_of(r, g);
    hlo_instr *zero = hlo_build_integer(r, hlo_shape_scalar(&r->module->shapes, HLO_S64), 0);
    hlo_instr *starts = hlo_build_pad(r, ends, zero, ends->shape->rank - 1, 1, -1);
    hlo_instr *first = for_elements(r, g, starts, shape), *end = for_elements(r, g, ends, shape);
    hlo_instr *place = hlo_build_iota(r, first->shape, g->dimension + 1);
    hlo_instr *is_in = hlo_build_compare(r, place, first, "GE");
    hlo_instr *is_before = hlo_build_compare(r, place, end, "LT");
    is_in = hlo_build_binary(r, HLO_OP_AND, is_in, is_before);
    hlo_instr *all = hlo_emit_broadcast(r, shape, lhs, dims->v, rank);
    return hlo_build_select(r, is_in, all, hlo_build_integer(r, shape, 0));
}

static const hlo_ints *with(hlo_rewriter *r, int64_t first, const hlo_ints *others) {
    hlo_ints *all = hlo_ints_new(&r->module->arena, others->n + 1u);
    all->v[0] = first;
    for (uint32_t i = 0; i < others->n; i++) all->v[i + 1] = others->v[i];
    return all;
}

/* Each group has a result: [groups, batch..., ...], where the dot has groups after the batches. */
static hlo_instr *dot_of_each(hlo_rewriter *r, const ragged *g, hlo_instr *lhs, hlo_instr *rhs) {
    hlo_attr attrs[5];
    uint32_t n = dot_attrs(r, g->dot, 1, attrs), batch = attrs[0].u.ints->n;
    const hlo_shape *shape = g->dot->shape;
    hlo_ints *sizes = hlo_ints_from(&r->module->arena, shape->dims, shape->rank);
    hlo_ints *order = hlo_ints_new(&r->module->arena, shape->rank);
    for (uint32_t d = 0; d < shape->rank; d++) order->v[d] = d;
    for (uint32_t d = 0; d < batch; d++) {
        sizes->v[d] = shape->dims[d + 1];
        order->v[d + 1] = d;
    }
    sizes->v[batch] = shape->dims[0];
    order->v[0] = batch;
    shape = hlo_shape_of_sizes(r, (hlo_type)shape->type, sizes->v, shape->rank);
    hlo_instr *out = hlo_emit(r, HLO_OP_DOT, shape, (hlo_instr *[]){lhs, rhs}, 2, attrs, n);
    return hlo_build_as(hlo_build_transpose(r, out, order->v), g->dot->shape);
}

/* The sum over groups of what is in each with the matrix of each. */
static hlo_instr *dot_over_all(hlo_rewriter *r, const ragged *g, hlo_instr *lhs, hlo_instr *rhs) {
    hlo_attr attrs[5];
    uint32_t n = dot_attrs(r, g->dot, 1, attrs);
    int64_t group = hlo_attr_ints(g->dot, HLO_ATTR_RHS_GROUP_DIMS)->v[0];
    attrs[2].u.ints = with(r, 0, attrs[2].u.ints);
    attrs[3].u.ints = with(r, group, attrs[3].u.ints);
    return hlo_emit(r, HLO_OP_DOT, g->dot->shape, (hlo_instr *[]){lhs, rhs}, 2, attrs, n);
}

hlo_instr *hlo_ragged_dot_as_dot(hlo_rewriter *r, hlo_instr *dot) {
    HLO_ASSERT(dot->opcode == HLO_OP_RAGGED_DOT);
    hlo_instr *lhs = hlo_operand(dot, 0), *rhs = hlo_operand(dot, 1);
    if (lhs->shape->dynamic || rhs->shape->dynamic || !hlo_operand(dot, 2)->shape->rank)
        return NULL;
    ragged g = ragged_of(r, dot);
    if (contains(dot, HLO_ATTR_LHS_BATCH_DIMS, g.dimension)) {
        hlo_attr attrs[5];
        uint32_t n = dot_attrs(r, dot, 0, attrs);
        return hlo_emit(r, HLO_OP_DOT, dot->shape, (hlo_instr *[]){lhs, rhs}, 2, attrs, n);
    }
    if (!g.is_contracted && hlo_attr_ints(dot, HLO_ATTR_RHS_GROUP_DIMS)->n != 1) return NULL;
    lhs = by_groups(r, &g, lhs);
    return g.is_contracted ? dot_of_each(r, &g, lhs, rhs) : dot_over_all(r, &g, lhs, rhs);
}
