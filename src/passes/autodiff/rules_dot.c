/* The rule of dot: each operand gets a dot of the cotangent with the other one over the dimensions
 * that only that one has. */
#include "analysis/match.h"
#include "passes/autodiff/formula.h"

/* A dot seen from one operand: dimensions of that one (mine) and of the other (theirs). */
typedef struct {
    const hlo_ints *my_batch, *their_batch, *my_summed, *their_summed;
    const hlo_shape *mine, *theirs;
    uint32_t my_free, their_free; /* how many dimensions are neither */
    bool i_am_first;
} dot_side;

static dot_side side_of(const hlo_instr *dot, uint32_t operand) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    const hlo_ints *batch[] = {hlo_attr_ints(dot, HLO_ATTR_LHS_BATCH_DIMS),
                               hlo_attr_ints(dot, HLO_ATTR_RHS_BATCH_DIMS)};
    const hlo_ints *summed[] = {hlo_attr_ints(dot, HLO_ATTR_LHS_CONTRACTING_DIMS),
                                hlo_attr_ints(dot, HLO_ATTR_RHS_CONTRACTING_DIMS)};
    uint32_t other = 1 - operand;
    dot_side side = {.my_batch = batch[operand],
                     .their_batch = batch[other],
                     .my_summed = summed[operand],
                     .their_summed = summed[other],
                     .mine = hlo_operand(dot, operand)->shape,
                     .theirs = hlo_operand(dot, other)->shape,
                     .i_am_first = operand == 0};
    side.my_free = side.mine->rank - side.my_batch->n - side.my_summed->n;
    side.their_free = side.theirs->rank - side.their_batch->n - side.their_summed->n;
    return side;
}

/* Dimensions of the shape that are in neither list, ascending. */
static hlo_ints *free_dims(hlo_gradient *g, const hlo_shape *shape, const hlo_ints *batch,
                           const hlo_ints *summed) {
    hlo_ints *dims = hlo_ints_new(&g->r->module->arena, shape->rank - batch->n - summed->n);
    uint32_t n = 0;
    for (uint32_t d = 0; d < shape->rank; d++)
        if (!hlo_ints_contain(batch, d) && !hlo_ints_contain(summed, d)) dims->v[n++] = d;
    return dims;
}

/* first, first + 1 ... */
static hlo_ints *counting(hlo_gradient *g, uint32_t first, uint32_t n) {
    hlo_ints *dims = hlo_ints_new(&g->r->module->arena, n);
    for (uint32_t i = 0; i < n; i++) dims->v[i] = first + i;
    return dims;
}

static void add_ints(hlo_attr *attrs, uint32_t *n, hlo_attr_id id, const hlo_ints *ints) {
    if (ints->n) attrs[(*n)++] = (hlo_attr){.id = (uint16_t)id, .u.ints = ints};
}

/* The dimensions of the result, each as a dimension of mine: batch, then those that the first of
 * the two adds, then those of the second. What the other operand adds are the dimensions that were
 * summed, as they stand there. */
static hlo_ints *result_dims(hlo_gradient *g, const dot_side *side, bool c_first) {
    hlo_ints *dims = hlo_ints_new(&g->r->module->arena, side->mine->rank);
    const hlo_ints *free = free_dims(g, side->mine, side->my_batch, side->my_summed);
    uint32_t n = 0;
    for (uint32_t i = 0; i < side->my_batch->n; i++) dims->v[n++] = side->my_batch->v[i];
    for (uint32_t i = 0; c_first && i < free->n; i++) dims->v[n++] = free->v[i];
    for (uint32_t d = 0; d < side->theirs->rank; d++) {
        int64_t at = hlo_ints_find(side->their_summed, d);
        if (at >= 0) dims->v[n++] = side->my_summed->v[at];
    }
    for (uint32_t i = 0; !c_first && i < free->n; i++) dims->v[n++] = free->v[i];
    return dims;
}

static hlo_instr *emit_dot(hlo_gradient *g, const hlo_instr *dot, const dot_side *side,
                           hlo_instr *c, hlo_instr *theirs, bool c_first) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    const hlo_ints *dims = result_dims(g, side, c_first);
    uint32_t batch = side->my_batch->n, n = 0;
    uint32_t their_place = batch + (side->i_am_first ? side->my_free : 0);
    const hlo_ints *batches[] = {counting(g, 0, batch), side->their_batch};
    const hlo_ints *summed[] = {counting(g, their_place, side->their_free),
                                free_dims(g, side->theirs, side->their_batch, side->their_summed)};
    hlo_attr attrs[6];
    add_ints(attrs, &n, HLO_ATTR_LHS_BATCH_DIMS, batches[!c_first]);
    add_ints(attrs, &n, HLO_ATTR_RHS_BATCH_DIMS, batches[c_first]);
    add_ints(attrs, &n, HLO_ATTR_LHS_CONTRACTING_DIMS, summed[!c_first]);
    add_ints(attrs, &n, HLO_ATTR_RHS_CONTRACTING_DIMS, summed[c_first]);
    const hlo_attr *precision = hlo_instr_attr(dot, HLO_ATTR_OPERAND_PRECISION);
    const hlo_attr *algorithm = hlo_instr_attr(dot, HLO_ATTR_ALGORITHM);
    if (precision) attrs[n++] = *precision;
    if (algorithm) attrs[n++] = *algorithm;
    int64_t *sizes = hlo_malloc((dims->n + 1u) * sizeof *sizes);
    for (uint32_t i = 0; i < dims->n; i++) sizes[i] = side->mine->dims[dims->v[i]];
    const hlo_shape *shape = hlo_shape_of_sizes(g->r, (hlo_type)c->shape->type, sizes, dims->n);
    hlo_free(sizes);
    hlo_instr *operands[] = {c_first ? c : theirs, c_first ? theirs : c};
    return hlo_emit(g->r, HLO_OP_DOT, shape, operands, 2, attrs, n);
}

/* Dimension i of `a` is dimension dims[i] of the result. */
static hlo_instr *moved(hlo_gradient *g, hlo_instr *a, const hlo_ints *dims) {
    int64_t *order = hlo_malloc((dims->n + 1u) * sizeof *order);
    bool is_moved = false;
    for (uint32_t i = 0; i < dims->n; i++) {
        order[dims->v[i]] = i;
        is_moved |= dims->v[i] != i;
    }
    if (is_moved) a = hlo_build_transpose(g->r, a, order);
    hlo_free(order);
    return a;
}

bool hlo_gradient_dot(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_DOT);
    if (instr->operand_count != 2)
        return hlo_gradient_refuse(g, instr, "has no gradient for sparse operands");
    for (uint32_t i = 0; i < 2; i++) {
        if (!hlo_gradient_is_needed(g, instr, i)) continue;
        dot_side side = side_of(instr, i);
        /* The order of the two that leaves the dimensions as they are, if one does. */
        bool c_first = !hlo_is_identity_order(result_dims(g, &side, false));
        hlo_instr *theirs = hlo_build_convert(g->r, hlo_gradient_operand(g, instr, 1 - i),
                                              (hlo_type)c->shape->type);
        hlo_instr *product = emit_dot(g, instr, &side, c, theirs, c_first);
        hlo_gradient_add(g, instr, i, moved(g, product, result_dims(g, &side, c_first)));
    }
    return true;
}
