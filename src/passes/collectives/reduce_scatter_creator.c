/* reduce-scatter-creator: an all-reduce of which each device takes its own part is a
 * reduce-scatter. */
#include "passes/collectives/own_part.h"

enum { NO_DIMENSION = -1 };

/* The dimension of `from` that is dimension `to_dimension` of a reshape of it: as many elements
 * before it, and as many in it. */
static int64_t dimension_before(const hlo_shape *from, const hlo_shape *to, int64_t to_dimension) {
    int64_t before = 1, elements = 1;
    for (int64_t d = 0; d < to_dimension; d++) before *= to->dims[d];
    for (uint32_t d = 0; d < from->rank; d++) {
        if (elements == before && from->dims[d] == to->dims[to_dimension]) return d;
        elements *= from->dims[d];
    }
    return NO_DIMENSION;
}

static const hlo_shape *with_size(hlo_rewriter *r, const hlo_shape *like, int64_t dimension,
                                  int64_t size) {
    int64_t *dims = hlo_malloc((like->rank + 1u) * sizeof *dims);
    memcpy(dims, like->dims, like->rank * sizeof *dims);
    dims[dimension] = size;
    const hlo_shape *shape =
        hlo_shape_array(&r->module->shapes, (hlo_type)like->type, dims, like->rank, NULL,
                        like->layout->minor_to_major, like->layout->parts);
    hlo_free(dims);
    return shape;
}

/* Without the elements after the last part. */
static hlo_instr *operand_of(hlo_rewriter *r, const hlo_own_part *part, int64_t dimension) {
    hlo_instr *operand = hlo_operand(part->whole, 0);
    int64_t used = part->size * part->members;
    if (operand->shape->dims[dimension] == used) return operand;
    hlo_slice *slice = hlo_new_whole_slice(r, operand->shape);
    slice->v[dimension].limit = used;
    return hlo_emit_slice(r, with_size(r, operand->shape, dimension, used), operand, slice);
}

/* With the all-reduce's attributes for devices and for its reduction. */
static hlo_instr *scattered(hlo_rewriter *r, const hlo_own_part *part, const hlo_shape *shape,
                            int64_t dimension) {
    static const hlo_attr_id kept[] = {
        HLO_ATTR_REPLICA_GROUPS, HLO_ATTR_USE_GLOBAL_DEVICE_IDS, HLO_ATTR_TO_APPLY,
        HLO_ATTR_METADATA,       HLO_ATTR_FRONTEND_ATTRIBUTES,   HLO_ATTR_BACKEND_CONFIG};
    hlo_attr attrs[sizeof kept / sizeof *kept + 2];
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const hlo_attr *attr = hlo_instr_attr(part->whole, kept[i]);
        if (attr) attrs[n++] = *attr;
    }
    if (hlo_instr_attr(part->whole, HLO_ATTR_CHANNEL_ID))
        attrs[n++] = hlo_attr_of_int(HLO_ATTR_CHANNEL_ID, hlo_next_channel(r->module));
    attrs[n++] = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &dimension, 1);
    hlo_instr *operand = operand_of(r, part, dimension);
    return hlo_emit(r, HLO_OP_REDUCE_SCATTER, shape, &operand, 1, attrs, n);
}

static bool create(hlo_rewriter *r, hlo_instr *reduce) {
    hlo_own_part part;
    if (!hlo_is_own_part(r, reduce, &part)) return false;
    int64_t dimension = part.dimension;
    if (part.reshape)
        dimension = dimension_before(reduce->shape, part.reshape->shape, part.dimension);
    if (dimension == NO_DIMENSION) return false;
    const hlo_shape *shape = with_size(r, reduce->shape, dimension, part.size);
    if (!part.reshape && shape != part.slice->shape) return false; /* another layout */
    hlo_rewriter_aim(r, part.slice);
    hlo_instr *result = scattered(r, &part, shape, dimension);
    if (part.reshape) result = hlo_emit_unary(r, HLO_OP_RESHAPE, part.slice->shape, result);
    if (!hlo_rewrite_replace(r, HLO_REWRITE_own_part_of_all_reduce, part.slice, result))
        return false;
    if (reduce->parent && !reduce->first_use) hlo_rewriter_remove(r, reduce);
    return true;
}

hlo_pass_result hlo_pass_reduce_scatter_creator(const hlo_pass_call *call) {
    hlo_instr_list reduces = {0};
    bool changed = false;
    hlo_collect(call->module, HLO_OP_ALL_REDUCE, &reduces);
    for (size_t i = 0; i < reduces.n; i++)
        if (hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_own_part_of_all_reduce))
            changed |= create(call->rewriter, reduces.v[i]);
    hlo_list_free(&reduces);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
