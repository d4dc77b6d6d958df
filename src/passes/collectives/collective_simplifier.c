/* collective-simplifier: exchanges of a device with itself. Patterns. */
#include "passes/collectives/collective.h"

hlo_instr *hlo_rewrite_all_to_all_of_one(hlo_rewriter *r, hlo_instr *exchange) {
    bool fits = exchange->operand_count == 1 && hlo_participant_count(exchange) == 1 &&
                !hlo_attr_int(exchange, HLO_ATTR_CONSTRAIN_LAYOUT);
    if (!fits) return NULL;
    hlo_instr *operand = hlo_operand(exchange, 0);
    return hlo_shape_is_tuple(exchange->shape) ? hlo_emit_tuple(r, &operand, 1) : operand;
}

/* A device without a source would get zeros: all have themselves as one. */
hlo_instr *hlo_rewrite_permute_to_self(hlo_rewriter *r, hlo_instr *permute) {
    const hlo_attr *pairs = hlo_instr_attr(permute, HLO_ATTR_SOURCE_TARGET_PAIRS);
    (void)r;
    if (!pairs || permute->operand_count != 1 ||
        hlo_instr_attr(permute, HLO_ATTR_PERMUTE_SLICE_SIZES) ||
        hlo_operand(permute, 0)->shape != permute->shape ||
        pairs->u.int_lists->n != hlo_id_count(permute))
        return NULL;
    for (uint32_t i = 0; i < pairs->u.int_lists->n; i++) {
        const hlo_ints *pair = pairs->u.int_lists->v[i];
        if (pair->n != 2 || pair->v[0] != pair->v[1]) return NULL;
    }
    return hlo_operand(permute, 0);
}
