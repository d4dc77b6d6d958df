/* dynamic-dimension-simplifier: simplifies code that packs dimension sizes into arrays and unpacks
 * them. Every rule forwards an existing value. Patterns. */
#include "passes/pipeline/emit.h"

hlo_instr *hlo_rewrite_sizes_of_sizes(hlo_rewriter *r, hlo_instr *concatenate) {
    return hlo_rewrite_concatenate_of_concatenate(r, concatenate);
}

/* The slice is exactly the operand of the concatenation that begins at its start. */
hlo_instr *hlo_rewrite_size_of_sizes(hlo_rewriter *r, hlo_instr *slice) {
    (void)r;
    hlo_instr *concatenate = hlo_operand(slice, 0);
    const hlo_slice *range = hlo_instr_attr(slice, HLO_ATTR_SLICE)->u.slice;
    if (concatenate->opcode != HLO_OP_CONCATENATE || range->n != 1 || range->v[0].stride != 1)
        return NULL;
    int64_t at = 0;
    for (uint32_t i = 0; i < concatenate->operand_count; i++) {
        hlo_instr *part = hlo_operand(concatenate, i);
        int64_t end = at + part->shape->dims[0];
        if (at == range->v[0].start && end == range->v[0].limit) return part;
        at = end;
    }
    return NULL;
}

hlo_instr *hlo_rewrite_size_of_broadcast(hlo_rewriter *r, hlo_instr *reshape) {
    (void)r;
    hlo_instr *broadcast = hlo_operand(reshape, 0);
    bool fits = reshape->shape->rank == 0 && broadcast->opcode == HLO_OP_BROADCAST &&
                broadcast->shape->rank == 1 && hlo_operand(broadcast, 0)->shape->rank == 0;
    return fits ? hlo_operand(broadcast, 0) : NULL;
}

hlo_instr *hlo_rewrite_size_reshaped_back(hlo_rewriter *r, hlo_instr *reshape) {
    (void)r;
    hlo_instr *inner = hlo_operand(reshape, 0);
    bool fits = inner->opcode == HLO_OP_RESHAPE && hlo_operand(inner, 0)->shape == reshape->shape;
    return fits ? hlo_operand(inner, 0) : NULL;
}

static hlo_instr *unchanged(hlo_instr *instr) {
    return hlo_operand(instr, 0)->shape == instr->shape ? hlo_operand(instr, 0) : NULL;
}

hlo_instr *hlo_rewrite_size_to_own_type(hlo_rewriter *r, hlo_instr *convert) {
    (void)r;
    return unchanged(convert);
}

hlo_instr *hlo_rewrite_size_to_own_shape(hlo_rewriter *r, hlo_instr *reshape) {
    (void)r;
    return unchanged(reshape);
}
