/* all-gather-bcast-reorder: an all-gather of a broadcast becomes a broadcast of an all-gather. */
#include "passes/collectives/collective.h"
#include "passes/pipeline/expression.h"

/* Elements of the result for each one that the broadcast or the all-gather distinguishes. */
static int64_t copies(const hlo_instr *gather, const hlo_ints *dims, int64_t dimension) {
    int64_t count = 1;
    for (uint32_t d = 0; d < gather->shape->rank; d++)
        if (d != dimension && !hlo_ints_contain(dims, d)) count *= gather->shape->dims[d];
    return count;
}

/* The all-gather along another dimension of another operand. */
static hlo_instr *gathered(hlo_rewriter *r, const hlo_instr *gather, hlo_instr *operand,
                           int64_t dimension, int64_t size) {
    const hlo_shape *part = operand->shape;
    int64_t *sizes = hlo_malloc((part->rank + 1u) * sizeof *sizes);
    memcpy(sizes, part->dims, part->rank * sizeof *sizes);
    sizes[dimension] = size;
    hlo_instr *all = hlo_emit_like(
        r, gather, hlo_shape_of_sizes(r, (hlo_type)part->type, sizes, part->rank), &operand, 1);
    HLO_ASSERT(gather->opcode == HLO_OP_ALL_GATHER);
    hlo_instr_set_attr(all, hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &dimension, 1));
    if (hlo_instr_attr(gather, HLO_ATTR_CHANNEL_ID))
        hlo_instr_set_attr(all, hlo_attr_of_int(HLO_ATTR_CHANNEL_ID, hlo_next_channel(r->module)));
    hlo_free(sizes);
    return all;
}

/* The operand with a dimension of one element before the others. */
static hlo_instr *with_leading_one(hlo_rewriter *r, hlo_instr *x) {
    int64_t *sizes = hlo_malloc((x->shape->rank + 1u) * sizeof *sizes);
    sizes[0] = 1;
    memcpy(sizes + 1, x->shape->dims, x->shape->rank * sizeof *sizes);
    hlo_instr *out = hlo_build_reshape(r, x, sizes, x->shape->rank + 1);
    hlo_free(sizes);
    return out;
}

/* Along a dimension that the operand of the broadcast does not have: the devices become a new one,
 * before the rest of that dimension. */
static hlo_instr *along_new_dimension(hlo_rewriter *r, hlo_instr *gather, hlo_instr *x,
                                      const hlo_ints *dims, int64_t dimension) {
    const hlo_shape *whole = gather->shape;
    int64_t part = hlo_operand(gather, 0)->shape->dims[dimension];
    int64_t devices = whole->dims[dimension] / part;
    hlo_instr *all = gathered(r, gather, with_leading_one(r, x), 0, devices);
    int64_t *sizes = hlo_malloc((whole->rank + 1u) * sizeof *sizes);
    int64_t *to = hlo_malloc((dims->n + 1u) * sizeof *to);
    for (uint32_t d = 0; d <= whole->rank; d++)
        sizes[d] = d == dimension       ? devices
                   : d == dimension + 1 ? part
                                        : whole->dims[d - (d > dimension)];
    to[0] = dimension;
    for (uint32_t i = 0; i < dims->n; i++) to[i + 1] = dims->v[i] + (dims->v[i] > dimension);
    const hlo_shape *split = hlo_shape_of_sizes(r, (hlo_type)whole->type, sizes, whole->rank + 1);
    hlo_instr *copied = hlo_emit_broadcast(r, split, all, to, dims->n + 1);
    hlo_free(sizes);
    hlo_free(to);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, whole, copied);
}

hlo_instr *hlo_rewrite_all_gather_of_broadcast(hlo_rewriter *r, hlo_instr *gather) {
    hlo_instr *broadcast = hlo_operand(gather, 0);
    if (gather->operand_count != 1 || broadcast->opcode != HLO_OP_BROADCAST ||
        hlo_attr_int(gather, HLO_ATTR_CONSTRAIN_LAYOUT))
        return NULL;
    hlo_instr *x = hlo_operand(broadcast, 0);
    const hlo_ints *dims = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    int64_t dimension = hlo_attr_ints(gather, HLO_ATTR_DIMENSIONS)->v[0];
    int64_t at = hlo_ints_find(dims, dimension);
    if (copies(gather, dims, dimension) <= 1 || broadcast->shape->dims[dimension] == 0) return NULL;
    if (at < 0) return along_new_dimension(r, gather, x, dims, dimension);
    hlo_instr *all = gathered(r, gather, x, at, gather->shape->dims[dimension]);
    return hlo_emit_broadcast(r, gather->shape, all, dims->v, dims->n);
}
