/* reduce-scatter-decomposer: an all-reduce, of which each device takes its part. */
#include "passes/expand/collective_parts.h"

hlo_pass_result hlo_pass_reduce_scatter_decomposer(const hlo_pass_call *call) {
    return hlo_pass_all_reduce_patterns(call);
}

hlo_instr *hlo_rewrite_expand_reduce_scatter(hlo_rewriter *r, hlo_instr *instr) {
    uint32_t n = instr->operand_count;
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    if (!hlo_parts_make_whole(r, instr, hlo_operand(instr, 0)->shape,
                              hlo_shape_part(instr->shape, 0)))
        return NULL;
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    const hlo_shape **shapes = hlo_malloc(n * sizeof *shapes);
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = hlo_operand(instr, i);
        shapes[i] = parts[i]->shape;
    }
    const hlo_shape *shape = n == 1 ? shapes[0] : hlo_shape_tuple(&r->module->shapes, shapes, n);
    hlo_instr *sums = hlo_all_reduce_like(r, instr, shape, parts, n,
                                          hlo_instr_attr(instr, HLO_ATTR_TO_APPLY)->u.computation);
    hlo_instr *place = hlo_place_in_group(r, instr);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_shape *part = hlo_shape_part(instr->shape, i);
        hlo_instr **starts = hlo_part_starts(r, place, part, dimension);
        hlo_instr *sum = n == 1 ? sums : hlo_emit_element(r, sums, i);
        parts[i] = hlo_build_as(hlo_build_dynamic_slice(r, sum, starts, part->dims), part);
        hlo_free(starts);
    }
    hlo_instr *out = hlo_shape_is_tuple(instr->shape) ? hlo_emit_tuple(r, parts, n) : parts[0];
    hlo_free(parts);
    hlo_free(shapes);
    return out;
}
