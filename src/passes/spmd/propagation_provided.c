/* Which instructions keep the sharding that they have, and what stands for unknown ones. */
#include "passes/spmd/propagation.h"
#include "shape/verify.h"

/* A loop that is the entry's result could not be split: a copy becomes the result; a barrier where
 * a copy would mix floating-point types, which the verifier refuses. */
static void copy_root_loop(hlo_propagation *p) {
    hlo_computation *entry = p->module->entry;
    hlo_instr *loop = entry->root;
    hlo_name *name = hlo_take_fresh_name(p->module, "copy");
    hlo_instr *copy = hlo_instr_new(entry, HLO_OP_COPY, loop->shape, name, &loop, 1, NULL, 0);
    if (!hlo_has_plain_shapes(copy)) copy->opcode = HLO_OP_OPT_BARRIER;
    hlo_node_add(p, copy);
    hlo_set_sharding(p, copy, hlo_sharding_on(p, loop));
    hlo_inherit_metadata(loop, copy);
    entry->root = copy;
    p->changed = true;
}

/* What the user gave stays; roots and parameters that may change, and what is unknown, do not
 * count. */
void hlo_mark_provided(hlo_propagation *p) {
    hlo_computation *entry = p->module->entry;
    for (uint32_t i = 0; i < p->node_count; i++) {
        hlo_shard_node *node = &p->nodes[i];
        bool known = node->sharding && !hlo_sharding_is(node->sharding, HLO_SHARDING_UNKNOWN);
        bool is_parameter = node->instr->opcode == HLO_OP_PARAMETER;
        if (node->instr == entry->root && !is_parameter) continue;
        node->is_provided =
            known && (!is_parameter || (node->instr->parent == entry && !p->to_parameters));
    }
    const hlo_sharding *root = hlo_sharding_on(p, entry->root);
    if (p->to_output || (root && hlo_sharding_is(root, HLO_SHARDING_UNKNOWN))) return;
    if (entry->root->opcode == HLO_OP_WHILE) copy_root_loop(p);
    hlo_node(p, entry->root)->is_provided = true;
}

void hlo_replace_unknown(hlo_propagation *p) {
    for (uint32_t i = 0; i < p->node_count; i++) {
        const hlo_shard_node *node = &p->nodes[i];
        if (!node->sharding || !hlo_sharding_is(node->sharding, HLO_SHARDING_UNKNOWN)) continue;
        const hlo_sharding *like =
            node->sharding->kind == HLO_SHARDING_TUPLE ? NULL : node->sharding;
        const hlo_sharding *s = hlo_sharding_replicated(&p->arena, like);
        hlo_set_sharding(p, node->instr, hlo_sharding_for_shape(&p->arena, s, node->instr->shape));
        hlo_arena_reset(&p->arena);
    }
}
