/* Shardings from operands to reductions, windows, scans and sorts. */
#include "passes/spmd/propagation_forward.h"

/* ---- windows ---- */

static bool has_dilation(const hlo_instr *instr, bool base_only) {
    const hlo_attr *window = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    for (uint32_t i = 0; window && i < window->u.window->n; i++) {
        const hlo_window_dim *w = &window->u.window->v[i];
        if (w->base_dilation > 1 || (!base_only && w->window_dilation > 1)) return true;
    }
    return false;
}

bool hlo_shard_from_windows(hlo_propagation *p, const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_REDUCE_WINDOW);
    bool changed = false;
    if (has_dilation(instr, false)) return false;
    for (uint32_t i = 0; i < instr->operand_count / 2; i++) {
        const hlo_sharding *s = hlo_split_operand(p, instr, i);
        if (s) changed |= hlo_improve(p, instr, hlo_for_all(p, s, instr), hlo_may_move(p, instr));
    }
    return changed;
}

bool hlo_shard_from_selected(hlo_propagation *p, const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_SELECT_AND_SCATTER);
    if (has_dilation(instr, true)) return false;
    return hlo_improve(p, instr, hlo_split_operand(p, instr, 0), hlo_may_move(p, instr));
}

/* ---- reductions, scans, sorts ---- */

static bool splits(const hlo_sharding *s, const hlo_ints *dims) {
    for (uint32_t i = 0; i < dims->n; i++)
        if (hlo_tiles_along(s, dims->v[i]) > 1) return true;
    return false;
}

/* Without SPMD, what is reduced may not be split. */
static const hlo_sharding *reduced(hlo_propagation *p, const hlo_instr *instr,
                                   const hlo_sharding *s) {
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    if (s->kind == HLO_SHARDING_REPLICATED || (!p->is_spmd && splits(s, dims)))
        return hlo_sharding_replicate_all(&p->arena, s, hlo_shape_part(instr->shape, 0)->rank);
    s = hlo_sharding_replicate(&p->arena, s, dims);
    return hlo_sharding_remove_dims(&p->arena, s, dims);
}

bool hlo_shard_from_reduced(hlo_propagation *p, const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_REDUCE);
    bool changed = false;
    for (uint32_t i = 0; i < instr->operand_count / 2; i++) {
        const hlo_sharding *s = hlo_split_operand(p, instr, i);
        if (!s) continue;
        if (s->kind == HLO_SHARDING_MANUAL)
            changed |= hlo_improve_leaf(p, instr, i, s, hlo_may_move(p, instr));
        else
            changed |= hlo_improve(p, instr, hlo_for_all(p, reduced(p, instr, s), instr),
                                   hlo_may_move(p, instr));
    }
    return changed;
}

/* An input gives the output its sharding, and the carry without the dimension that is scanned. */
static bool from_scan_input(hlo_propagation *p, const hlo_instr *instr, uint32_t i,
                            uint32_t inputs) {
    const hlo_sharding *s = hlo_split_operand(p, instr, i);
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    if (!s) return false;
    bool changed = hlo_improve_leaf(p, instr, i, s, hlo_may_move(p, instr));
    if (inputs + i >= hlo_shape_part_count(instr->shape)) return changed;
    if (s->kind == HLO_SHARDING_TILED) {
        if (!p->is_spmd && splits(s, dims)) return changed;
        s = hlo_sharding_replicate(&p->arena, s, dims);
        s = hlo_sharding_remove_dims(&p->arena, s, dims);
    }
    return hlo_improve_leaf(p, instr, inputs + i, s, hlo_may_move(p, instr)) || changed;
}

bool hlo_shard_from_scanned(hlo_propagation *p, const hlo_instr *instr) {
    uint32_t carries = (uint32_t)hlo_attr_int(instr, HLO_ATTR_NUM_CARRIES);
    uint32_t inputs = instr->operand_count - carries;
    bool changed = false;
    for (uint32_t i = 0; i < inputs; i++) changed |= from_scan_input(p, instr, i, inputs);
    for (uint32_t i = inputs; i < instr->operand_count; i++)
        if (i < hlo_shape_part_count(instr->shape))
            changed |= hlo_improve_leaf(p, instr, i, hlo_split_operand(p, instr, i),
                                        hlo_may_move(p, instr));
    return changed;
}

/* Split along the dimension that is sorted only if the tiles can move to another one later. */
bool hlo_shard_from_sorted(hlo_propagation *p, const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_SORT);
    const hlo_instr *operand = hlo_leading_operand(p, instr);
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    if (!dims->n || !operand || !hlo_is_partitioned(p, operand)) return false;
    const hlo_sharding *s = hlo_sharding_on(p, operand);
    if (hlo_tiles_along(s, dims->v[0]) != 1 &&
        !hlo_sharding_can_move(s, operand->shape, dims->v[0]))
        return false;
    return hlo_improve(p, instr, hlo_for_all(p, s, instr), hlo_may_move(p, instr));
}
