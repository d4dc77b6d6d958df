/* Sharding propagation: what its files propagation_*.c share. The pass reads annotations, then
 * spreads shardings from operands (forward), users (backward), groups and across calls until
 * nothing changes, and restores what the entry may not change (boundary). Private to them. */
#ifndef HLO_PASSES_SPMD_PROPAGATION_H
#define HLO_PASSES_SPMD_PROPAGATION_H

#include "passes/pipeline/rewrite.h"
#include "passes/spmd/sharding_rules_ops.h"

/* An instruction, by its index. Shardings are kept here until the pass is done. */
typedef struct {
    hlo_instr *instr;
    const hlo_sharding *sharding; /* NULL: none */
    const hlo_ints *unspecified;  /* of an annotation: dimensions that it leaves open; or NULL */
    hlo_instr **users;            /* each once, in the order in which they came */
    uint32_t user_count;
    int group; /* into the list of groups; -1: none */
    bool is_provided;
    bool seen_operands, seen_users, seen_group; /* and nothing has changed there since */
} hlo_shard_node;

/* Instructions that are to have one sharding (shard_as) or like ones (shard_like). */
typedef struct {
    int kind; /* HLO_SHARD_AS, HLO_SHARD_LIKE */
    int64_t id;
    hlo_instr_list members;
} hlo_shard_group;

typedef struct {
    hlo_module *module;
    hlo_rewriter *rewriter;
    hlo_diags *diags;
    hlo_arena arena; /* shardings of the moment */
    hlo_arena kept;  /* those of nodes */
    hlo_call_graph graph;
    hlo_shard_node *nodes;
    uint32_t node_count;
    hlo_instr **callers; /* by id of a computation: the while, conditional or call; or NULL */
    HLO_LIST(hlo_shard_group) groups;
    const hlo_ints *to_output, *to_parameters; /* of the header: allow_spmd_sharding_... */
    const hlo_sharding *saved_root;            /* as annotated, when the root may change */
    const hlo_sharding **saved_parameters;
    bool is_spmd, propagate_metadata, cse_prevention_only;
    int level; /* of aggressiveness: 0 to 3; HLO_LEVEL_ANY for looking ahead */
    bool changed;
} hlo_propagation;

enum { HLO_LEVELS = 4, HLO_LEVEL_ANY = 100 };

/* ---- nodes (propagation_nodes.c) ---- */

static inline hlo_shard_node *hlo_node(const hlo_propagation *p, const hlo_instr *instr) {
    HLO_ASSERT(instr->index < p->node_count);
    return &p->nodes[instr->index];
}
static inline const hlo_sharding *hlo_sharding_on(const hlo_propagation *p,
                                                  const hlo_instr *instr) {
    return hlo_node(p, instr)->sharding;
}
/* Makes the nodes; false, after an error, when a sharding is not supported or does not fit. */
bool hlo_nodes_init(hlo_propagation *p);
void hlo_nodes_free(hlo_propagation *p);
/* Fills the lists of users, when no instruction is made or replaced any more. */
void hlo_nodes_link(hlo_propagation *p);
/* One more instruction, the last. */
void hlo_node_add(hlo_propagation *p, hlo_instr *instr);
/* Writes the shardings of nodes to the instructions; whether any changed. */
bool hlo_nodes_write(hlo_propagation *p);
/* The sharding is copied; NULL: none any more. */
void hlo_set_sharding(hlo_propagation *p, const hlo_instr *instr, const hlo_sharding *sharding);
/* It has a sharding, not of one device. */
bool hlo_is_partitioned(const hlo_propagation *p, const hlo_instr *instr);
/* Users that are not the root of the computation. */
uint32_t hlo_inner_users(const hlo_propagation *p, const hlo_instr *instr);
bool hlo_is_shard_barrier_from(const hlo_instr *instr);
bool hlo_is_shard_barrier_to(const hlo_instr *instr);
/* Shapes of the same structure and sizes, whatever the element types. */
bool hlo_same_sizes(const hlo_shape *a, const hlo_shape *b);

/* At this level. */
static inline bool hlo_may_combine(const hlo_propagation *p) {
    return p->is_spmd && p->level > 0;
}
/* The instruction, or leaf i of it, takes the sharding if that is better; whether it did. NULL is
 * never. */
bool hlo_improve(hlo_propagation *p, const hlo_instr *instr, const hlo_sharding *found,
                 bool freely);
bool hlo_improve_leaf(hlo_propagation *p, const hlo_instr *instr, uint32_t i,
                      const hlo_sharding *found, bool freely);

/* ---- which instructions take part (propagation_supported.c) ---- */

bool hlo_passes_at_level(const hlo_instr *instr, int level);
bool hlo_is_passthrough_call(const hlo_instr *instr);
bool hlo_is_elementwise_here(const hlo_instr *instr);
/* `to_output`, `to_parameters`: those of the entry count. */
bool hlo_can_be_split(const hlo_propagation *p, const hlo_instr *instr, bool to_output,
                      bool to_parameters);
/* The operand whose sharding an instruction takes; NULL: none. */
const hlo_instr *hlo_leading_operand(const hlo_propagation *p, const hlo_instr *instr);

/* ---- steps ---- */

/* False after an error. */
bool hlo_read_annotations(hlo_propagation *p);
void hlo_assign_metadata(hlo_propagation *p);
bool hlo_check_devices(hlo_propagation *p);
void hlo_connect_calls(hlo_propagation *p);
void hlo_mark_provided(hlo_propagation *p);
void hlo_replace_unknown(hlo_propagation *p);
void hlo_forget_cse_prevention(hlo_propagation *p);
void hlo_keep_cse_prevention(hlo_propagation *p);

/* Each returns whether the instruction's sharding changed. */
bool hlo_shard_from_operands(hlo_propagation *p, hlo_instr *instr);
bool hlo_shard_from_users(hlo_propagation *p, hlo_instr *instr);
bool hlo_shard_from_group(hlo_propagation *p, hlo_instr *instr, const hlo_shard_group *group);
/* What the user's sharding means for one of its operands; NULL: nothing. */
const hlo_sharding *hlo_sharding_from_user(hlo_propagation *p, const hlo_instr *instr,
                                           const hlo_instr *user, int level);
/* Instructions across calls take the sharding of this one; those that changed are appended. */
void hlo_shard_across_calls(hlo_propagation *p, hlo_instr *instr, hlo_instr_list *changed);
/* At the end: loops and conditionals, their bodies and their parameters have one sharding. */
void hlo_agree_across_calls(hlo_propagation *p);

/* Dimensions that an annotation leaves open (propagation_unspecified.c). *conversion becomes the
 * SPMDFullToShardShape or SPMDShardToFullShape that goes with it, or NULL. */
bool hlo_refine_from_operand(hlo_propagation *p, hlo_instr *annotation, hlo_instr **conversion);
bool hlo_refine_from_users(hlo_propagation *p, hlo_instr *annotation, hlo_instr **conversion);
bool hlo_refine_from_group(hlo_propagation *p, hlo_instr *annotation, const hlo_shard_group *group);
/* `unspecified_dims=[...]` of the custom call, sorted, in the module's arena; no entries: none.
 * NULL when there is something else. */
const hlo_ints *hlo_unspecified_dims(hlo_propagation *p, const hlo_instr *call);

void hlo_align_groups(hlo_propagation *p);
/* What a ShardBarrierFrom in a group got goes on to its operand. */
void hlo_relay_barriers(hlo_propagation *p);

/* Shardings of the entry by the header and the annotations, before and after. */
bool hlo_check_boundary(hlo_propagation *p);
void hlo_save_boundary(hlo_propagation *p);
void hlo_restore_boundary(hlo_propagation *p);

#endif
