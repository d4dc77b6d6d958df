/* all_gather_decomposer: an all-reduce of zeros with the part of each device in its place. */
#include "passes/expand/collective_parts.h"

hlo_pass_result hlo_pass_all_gather_decomposer(const hlo_pass_call *call) {
    return hlo_pass_all_reduce_patterns(call);
}

/* Zeros with this device's part in its place: the sum over the group is the whole. */
static hlo_instr *gathered(hlo_rewriter *r, hlo_instr *instr, uint32_t i, hlo_instr *place) {
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    hlo_instr *part = hlo_operand(instr, i);
    const hlo_shape *whole = hlo_shape_part(instr->shape, i);
    hlo_instr *zeros = hlo_build_integer(r, whole, 0);
    hlo_instr **starts = hlo_part_starts(r, place, part->shape, dimension);
    hlo_instr *placed = hlo_build_dynamic_update(r, zeros, part, starts);
    hlo_free(starts);
    hlo_opcode sum = whole->type == HLO_PRED ? HLO_OP_OR : HLO_OP_ADD;
    hlo_computation *reducer = hlo_build_reducer(r, sum, (hlo_type)whole->type);
    return hlo_all_reduce_like(r, instr, whole, &placed, 1, reducer);
}

hlo_instr *hlo_rewrite_expand_all_gather(hlo_rewriter *r, hlo_instr *instr) {
    uint32_t n = instr->operand_count;
    if (!hlo_parts_make_whole(r, instr, hlo_shape_part(instr->shape, 0),
                              hlo_operand(instr, 0)->shape))
        return NULL;
    hlo_instr *place = hlo_place_in_group(r, instr);
    hlo_instr **wholes = hlo_malloc(n * sizeof *wholes);
    for (uint32_t i = 0; i < n; i++) wholes[i] = gathered(r, instr, i, place);
    hlo_instr *out = hlo_shape_is_tuple(instr->shape) ? hlo_emit_tuple(r, wholes, n) : wholes[0];
    hlo_free(wholes);
    return out;
}
