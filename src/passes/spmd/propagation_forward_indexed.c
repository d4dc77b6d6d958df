/* Shardings from operands to gathers and scatters. */
#include "passes/spmd/propagation_forward.h"

static bool along(hlo_propagation *p, const hlo_instr *instr, uint32_t leaf, const hlo_sharding *s,
                  const hlo_ints *source, const hlo_ints *target, const hlo_shape *shape) {
    if (!s) return false;
    return hlo_improve_leaf(p, instr, leaf,
                            hlo_sharding_along(&p->arena, s, source, target, shape->rank), false);
}

static bool gathered_batch(hlo_propagation *p, const hlo_instr *gather, hlo_indexed_dims dims) {
    if (!dims.operand) return false;
    bool changed = along(p, gather, 0, hlo_split_operand(p, gather, 0), dims.operand, dims.windows,
                         gather->shape);
    return along(p, gather, 0, hlo_split_operand(p, gather, 1), dims.indices, dims.windows,
                 gather->shape) ||
           changed;
}

/* Slices of what is not split by batch dimensions. */
static bool gathered_slices(hlo_propagation *p, const hlo_instr *gather, const hlo_indexed *x) {
    const hlo_sharding *s = hlo_split_operand(p, gather, 0);
    if (!s) return false;
    if (x->implicit_batch.operand)
        s = hlo_sharding_replicate(&p->arena, s, x->implicit_batch.operand);
    return hlo_improve(p, gather, hlo_indexed_operand_to_windows(&p->arena, x, s), false);
}

bool hlo_shard_from_gathered(hlo_propagation *p, const hlo_instr *gather) {
    hlo_indexed x = hlo_indexed_of(&p->arena, gather, &p->graph);
    bool changed = gathered_batch(p, gather, x.explicit_batch);
    const hlo_sharding *indices = hlo_split_operand(p, gather, 1);
    if (indices)
        changed |=
            hlo_improve(p, gather, hlo_indexed_indices_to_windows(&p->arena, &x, indices), false);
    if (!p->is_spmd) return changed;
    changed |= gathered_batch(p, gather, x.implicit_batch);
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    return gathered_slices(p, gather, &x) || changed;
}

static bool scattered_batch(hlo_propagation *p, const hlo_instr *scatter, hlo_indexed_dims dims) {
    uint32_t n = scatter->operand_count / 2;
    const hlo_shape *shape = hlo_shape_part(scatter->shape, 0);
    bool changed = false;
    if (!dims.operand) return false;
    for (uint32_t i = 0; i < n; i++)
        changed |= along(p, scatter, i, hlo_split_operand(p, scatter, i), dims.operand,
                         dims.operand, shape);
    for (uint32_t i = 0; i < n; i++)
        changed |= along(p, scatter, i, hlo_split_operand(p, scatter, n), dims.indices,
                         dims.operand, shape);
    for (uint32_t i = 0; i < n; i++)
        changed |= along(p, scatter, i, hlo_split_operand(p, scatter, n + 1 + i), dims.windows,
                         dims.operand, shape);
    return changed;
}

static bool are_updates_split(const hlo_propagation *p, const hlo_instr *scatter) {
    for (uint32_t i = scatter->operand_count / 2; i < scatter->operand_count; i++)
        if (hlo_split_operand(p, scatter, i)) return true;
    return false;
}

bool hlo_shard_from_scattered(hlo_propagation *p, const hlo_instr *scatter) {
    hlo_indexed x = hlo_indexed_of(&p->arena, scatter, &p->graph);
    uint32_t n = scatter->operand_count / 2;
    bool changed = scattered_batch(p, scatter, x.explicit_batch);
    const hlo_sharding *whole = hlo_sharding_replicated(&p->arena, NULL);
    for (uint32_t i = 0; i < n; i++)
        changed |= hlo_improve_leaf(p, scatter, i,
                                    p->is_spmd ? hlo_split_operand(p, scatter, i) : whole, false);
    if (!p->is_spmd || !are_updates_split(p, scatter)) return changed;
    changed |= scattered_batch(p, scatter, x.implicit_batch);
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_sharding *s = hlo_split_operand(p, scatter, n + 1 + i);
        if (s)
            changed |= hlo_improve_leaf(p, scatter, i,
                                        hlo_indexed_windows_to_operand(&p->arena, &x, s), false);
    }
    return changed;
}
