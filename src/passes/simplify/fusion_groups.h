/* Which instructions of a computation a fusion may compute together. */
#ifndef HLO_PASSES_SIMPLIFY_FUSION_GROUPS_H
#define HLO_PASSES_SIMPLIFY_FUSION_GROUPS_H

#include "passes/pipeline/rewrite.h"

typedef struct {
    int64_t min_elements;
    uint32_t max_instructions, max_operands;
} hlo_fusion_limits;

/* Groups have numbers; 0 is none. Instructions that move elements or make them from nothing cost
 * next to nothing: they are in no group, and each fusion that reads one has a separate copy. */
typedef struct {
    hlo_computation *computation;
    uint32_t count;      /* of instructions, by hlo_instr.index */
    hlo_instr **instrs;  /* those that were numbered: others have been made since */
    uint32_t *group;     /* of each */
    bool *is_copied;     /* in the place of being an operand of the fusion */
    uint32_t last_group; /* the greatest number of a group */
} hlo_fusion_groups;

/* Numbers the instructions of the computation. No group depends on itself through what is not in
 * it, and no two depend on each other. Free with hlo_fusion_groups_free. */
void hlo_fusion_groups_find(const hlo_rewriter *r, hlo_computation *c,
                            const hlo_fusion_limits *limits, hlo_fusion_groups *groups);
void hlo_fusion_groups_free(hlo_fusion_groups *groups);

/* The number of its group; 0 for instructions that have been made since. */
static inline uint32_t hlo_fusion_group_of(const hlo_fusion_groups *g, const hlo_instr *instr) {
    return instr->index < g->count && g->instrs[instr->index] == instr ? g->group[instr->index] : 0;
}
static inline bool hlo_fusion_copies(const hlo_fusion_groups *g, const hlo_instr *instr) {
    return instr->index < g->count && g->instrs[instr->index] == instr &&
           g->is_copied[instr->index];
}

#endif
