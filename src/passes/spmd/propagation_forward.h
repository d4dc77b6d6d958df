/* Shardings from operands: what the files about families of opcodes share. Private to
 * propagation_forward*.c. */
#ifndef HLO_PASSES_SPMD_PROPAGATION_FORWARD_H
#define HLO_PASSES_SPMD_PROPAGATION_FORWARD_H

#include "passes/spmd/propagation.h"

/* With one user, another distribution is as good as this one. */
static inline bool hlo_may_move(const hlo_propagation *p, const hlo_instr *instr) {
    return hlo_inner_users(p, instr) == 1;
}

static inline const hlo_sharding *hlo_operand_sharding(const hlo_propagation *p,
                                                       const hlo_instr *instr, uint32_t i) {
    return hlo_sharding_on(p, hlo_operand(instr, i));
}

/* The operand's sharding when that is not one of one device; else NULL. */
static inline const hlo_sharding *hlo_split_operand(const hlo_propagation *p,
                                                    const hlo_instr *instr, uint32_t i) {
    return hlo_is_partitioned(p, hlo_operand(instr, i)) ? hlo_operand_sharding(p, instr, i) : NULL;
}

/* The same for every leaf of the shape. */
static inline const hlo_sharding *hlo_for_all(hlo_propagation *p, const hlo_sharding *s,
                                              const hlo_instr *instr) {
    return hlo_sharding_for_shape(&p->arena, s, instr->shape);
}

/* By family; each returns whether the instruction's sharding changed. */
bool hlo_shard_from_windows(hlo_propagation *p, const hlo_instr *instr);
bool hlo_shard_from_selected(hlo_propagation *p, const hlo_instr *instr);
bool hlo_shard_from_reduced(hlo_propagation *p, const hlo_instr *instr);
bool hlo_shard_from_scanned(hlo_propagation *p, const hlo_instr *instr);
bool hlo_shard_from_sorted(hlo_propagation *p, const hlo_instr *instr);
bool hlo_shard_from_dot(hlo_propagation *p, const hlo_instr *instr);
bool hlo_shard_from_convolved(hlo_propagation *p, const hlo_instr *instr);
bool hlo_shard_from_gathered(hlo_propagation *p, const hlo_instr *instr);
bool hlo_shard_from_scattered(hlo_propagation *p, const hlo_instr *instr);

#endif
