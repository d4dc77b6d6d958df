/* Rule of scatter: each device writes what falls into its tile; those with different updates for
 * one tile combine what they wrote. */
#include "analysis/match.h"
#include "passes/spmd/partition_roles.h"

static hlo_computation *combiner_of(const hlo_instr *scatter) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    return hlo_instr_attr(scatter, HLO_ATTR_TO_APPLY)->u.computation;
}

/* The operation by which updates of several devices can be put together. */
static hlo_opcode operation_of(const hlo_instr *scatter) {
    if (scatter->operand_count != 3) return HLO_OP_COUNT;
    return hlo_known_reduction(combiner_of(scatter), 0, 1,
                               (hlo_type)hlo_operand(scatter, 0)->shape->type);
}

static void describe_scatter(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_SCATTER);
    (void)p;
    hlo_index_roles ro = hlo_index_roles_of(instr);
    hlo_describe_batches(instr, &ro, f, operation_of(instr) != HLO_OP_COUNT);
    hlo_describe_inside(instr, &ro, f);
}

/* Of the devices that write different updates into the same tile, one begins with the operand. */
static hlo_instr *begun(hlo_partitioner *p, const hlo_placed *s, hlo_instr *neutral) {
    hlo_rewriter *r = p->r;
    hlo_instr *member = hlo_placed_member(p, s), *data = s->operands[0].data;
    hlo_instr *zero = hlo_build_integer(r, member->shape, 0);
    hlo_instr *is_first = hlo_build_compare(r, member, zero, "EQ");
    const hlo_shape *pred = hlo_shape_with_type(&r->module->shapes, data->shape, HLO_PRED);
    if (data->shape->rank) {
        is_first = hlo_emit_broadcast(r, pred, is_first, NULL, 0);
        neutral = hlo_emit_broadcast(r, data->shape, neutral, NULL, 0);
    }
    return hlo_build_select(r, is_first, data, neutral);
}

static hlo_instr *without_margins(hlo_partitioner *p, const hlo_placed *s,
                                  const hlo_index_roles *ro, hlo_instr *data) {
    int64_t window;
    for (uint32_t d = 0; d < s->operands[0].shape->rank; d++)
        if (hlo_is_cut(s, ro, d, &window) && hlo_index_margin(ro, window))
            data = hlo_part_without_margins(p, data, d, hlo_index_margin(ro, window));
    return data;
}

static const hlo_shape *made_shape(hlo_partitioner *p, const hlo_placed *s) {
    uint32_t n = s->instr->operand_count / 2;
    const hlo_shape **shapes = HLO_NEW_ARRAY(&p->scratch, const hlo_shape *, n);
    for (uint32_t i = 0; i < n; i++) shapes[i] = s->data[i]->shape;
    bool is_tuple = hlo_shape_is_tuple(s->shape);
    return is_tuple ? hlo_shape_tuple(&p->r->module->shapes, shapes, n) : shapes[0];
}

/* The results without margins. */
static hlo_instr *trimmed(hlo_partitioner *p, const hlo_placed *s, const hlo_index_roles *ro,
                          hlo_instr *made) {
    if (!hlo_shape_is_tuple(made->shape)) return without_margins(p, s, ro, made);
    hlo_instr **parts = HLO_NEW_ARRAY(&p->scratch, hlo_instr *, made->shape->rank);
    for (uint32_t i = 0; i < made->shape->rank; i++)
        parts[i] = without_margins(p, s, ro, hlo_emit_element(p->r, made, i));
    return hlo_emit_tuple(p->r, parts, made->shape->rank);
}

static hlo_instr *make_scatter(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_SCATTER);
    hlo_index_roles ro = hlo_index_roles_of(s->instr);
    uint32_t n = s->instr->operand_count / 2;
    if (hlo_placed_sums(s)) {
        hlo_type type = (hlo_type)s->data[0]->shape->type;
        const hlo_shape *scalar = hlo_shape_scalar(&p->r->module->shapes, type);
        hlo_instr *neutral = hlo_build_neutral(p->r, scalar, operation_of(s->instr));
        hlo_placed_mask(p, s, ro.result, neutral);
        s->data[0] = begun(p, s, neutral);
    }
    bool cuts = hlo_cuts_indexed(s, &ro);
    if (!cuts) return hlo_part_make_same(p, s);
    s->data[ro.indices] = hlo_indices_in_tiles(p, s, &ro);
    for (uint32_t i = 0; i < n; i++) s->data[i] = hlo_indexed_with_margins(p, s, &ro, s->data[i]);
    hlo_instr *made =
        hlo_emit_like(p->r, s->instr, made_shape(p, s), s->data, s->instr->operand_count);
    hlo_drop_index_order(made);
    return trimmed(p, s, &ro, made);
}

static hlo_instr *combine_scatter(hlo_partitioner *p, const hlo_placed *s, hlo_instr *made,
                                  const hlo_int_lists *groups) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_SCATTER);
    return hlo_part_all_reduce(p, made, groups, combiner_of(s->instr));
}

const hlo_partition_rule hlo_part_scatter = {describe_scatter, make_scatter, combine_scatter};
