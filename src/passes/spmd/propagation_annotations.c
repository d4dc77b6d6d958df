/* Shardings of the module before they spread: custom-calls "Sharding" become copies with their
 * sharding, groups are collected, metadata is attached or removed. */
#include "passes/spmd/propagation.h"

static bool fail(hlo_propagation *p, const hlo_instr *instr, const char *what) {
    hlo_error(p->diags, HLO_RULE_PIPELINE, p->module->source, instr->at,
              "sharding-propagation: %s %s", hlo_name_quoted(&p->module->arena, instr->name), what);
    return false;
}

/* ---- metadata ---- */

static bool has_metadata(const hlo_sharding *s) {
    if (s->kind != HLO_SHARDING_TUPLE) return s->metadata.n != 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->elements[i]->metadata.n) return true;
    return false;
}

/* Leaves that have metadata keep theirs. */
static const hlo_sharding *with_missing_metadata(hlo_propagation *p, const hlo_sharding *s,
                                                 const hlo_metadata *metadata) {
    const hlo_metadata **list = hlo_arena_copy(&p->arena, &metadata, sizeof *list);
    hlo_metadata_list one = {1, list};
    if (s->kind != HLO_SHARDING_TUPLE)
        return s->metadata.n ? s : hlo_sharding_with_metadata(&p->arena, s, one);
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->elements[i]->metadata.n)
            s = hlo_sharding_with_leaf(&p->arena, s, i,
                                       hlo_sharding_with_metadata(&p->arena, s->elements[i], one));
    return s;
}

void hlo_assign_metadata(hlo_propagation *p) {
    for (uint32_t i = 0; i < p->node_count; i++) {
        const hlo_shard_node *node = &p->nodes[i];
        const hlo_attr *own = hlo_instr_attr(node->instr, HLO_ATTR_METADATA);
        if (!node->sharding) continue;
        if (p->propagate_metadata && own)
            hlo_set_sharding(p, node->instr,
                             with_missing_metadata(p, node->sharding, own->u.metadata));
        else if (!p->propagate_metadata && has_metadata(node->sharding))
            hlo_set_sharding(p, node->instr,
                             hlo_sharding_with_metadata(&p->arena, node->sharding,
                                                        (hlo_metadata_list){0, NULL}));
        hlo_arena_reset(&p->arena);
    }
}

/* ---- groups ---- */

/* In a group; of a tuple, each element is. */
static const hlo_sharding *grouped_leaf(const hlo_sharding *s) {
    if (!s || s->kind != HLO_SHARDING_TUPLE) return s && s->group_kind != HLO_SHARD_NONE ? s : NULL;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->elements[i]->group_kind == HLO_SHARD_NONE) return NULL;
    return s->n ? s->elements[0] : NULL;
}

static hlo_shard_group *find_group(hlo_propagation *p, int kind, int64_t id) {
    for (uint32_t i = 0; i < p->groups.n; i++)
        if (p->groups.v[i].kind == kind && p->groups.v[i].id == id) return &p->groups.v[i];
    hlo_list_push(&p->groups, (hlo_shard_group){.kind = kind, .id = id});
    return &p->groups.v[p->groups.n - 1];
}

/* The sharding itself goes on without the group. */
static bool join_group(hlo_propagation *p, hlo_instr *instr) {
    hlo_shard_node *node = hlo_node(p, instr);
    const hlo_sharding *leaf = grouped_leaf(node->sharding);
    if (!leaf) return true;
    hlo_shard_group *group = find_group(p, (int)leaf->group_kind, leaf->group);
    if (group->members.n && !hlo_same_sizes(group->members.v[0]->shape, instr->shape))
        return fail(p, instr, "has another shape than the others in its shard group");
    hlo_list_push(&group->members, instr);
    node->group = (int)(group - p->groups.v);
    hlo_set_sharding(p, instr, hlo_sharding_in_group(&p->arena, node->sharding, HLO_SHARD_NONE, 0));
    return true;
}

/* ---- custom-calls "Sharding" ---- */

static bool may_change(const hlo_propagation *p, const hlo_instr *instr) {
    return !p->cse_prevention_only && !hlo_is_tied(p->rewriter, instr) &&
           hlo_rewrite_allowed(p->rewriter, HLO_REWRITE_annotation_to_copy);
}

static void count_change(hlo_propagation *p, const hlo_instr *instr) {
    hlo_rewrite_count(p->rewriter, HLO_REWRITE_annotation_to_copy, instr->name);
    p->changed = true;
}

/* What a copy does not have. */
static void become_copy(hlo_propagation *p, hlo_instr *call) {
    for (uint32_t i = call->attr_count; i-- > 0;) {
        hlo_attr_id id = (hlo_attr_id)call->attrs[i].id;
        if (hlo_attr_table[id].place == HLO_PLACE_OWN || id == HLO_ATTR_BACKEND_CONFIG)
            hlo_instr_remove_attr(call, id);
    }
    call->opcode = HLO_OP_COPY;
    count_change(p, call);
}

/* An annotation that only states to which group its operand belongs: the operand states it from now
 * on. */
static void become_operand(hlo_propagation *p, hlo_instr *call, const hlo_sharding *leaf) {
    hlo_instr *operand = hlo_operand(call, 0);
    const hlo_sharding *s = hlo_sharding_on(p, operand);
    hlo_sharding unknown = {.kind = HLO_SHARDING_UNKNOWN};
    if (!s) s = hlo_sharding_for_shape(&p->arena, &unknown, operand->shape);
    hlo_set_sharding(p, operand,
                     hlo_sharding_in_group(&p->arena, s, (int)leaf->group_kind, leaf->group));
    count_change(p, call);
    hlo_inherit_metadata(call, operand);
    hlo_instr_replace_all_uses(call, operand);
    hlo_instr_remove(call);
    call->parent = NULL;
}

static bool read_call(hlo_propagation *p, hlo_instr *call) {
    HLO_ASSERT(call->opcode == HLO_OP_CUSTOM_CALL);
    hlo_shard_node *node = hlo_node(p, call);
    if (!node->sharding) return fail(p, call, "is an annotation without sharding");
    if (call->operand_count != 1) return fail(p, call, "is an annotation not of one operand");
    const hlo_ints *open = hlo_unspecified_dims(p, call);
    if (!open) return fail(p, call, "has a backend_config that is not unspecified_dims=[1,2,...]");
    const hlo_instr *operand = hlo_operand(call, 0);
    const hlo_sharding *leaf = grouped_leaf(node->sharding);
    bool is_unknown = hlo_sharding_is(node->sharding, HLO_SHARDING_UNKNOWN);
    bool kept = !may_change(p, call);
    if (!kept && (!is_unknown || operand->opcode == HLO_OP_PARAMETER)) become_copy(p, call);
    if (call->opcode == HLO_OP_COPY && !join_group(p, call)) return false;
    if (open->n) node->unspecified = open;
    else if (!hlo_sharding_on(p, operand)) hlo_set_sharding(p, operand, node->sharding);
    if (!kept && leaf && call->opcode != HLO_OP_COPY) become_operand(p, call, leaf);
    return true;
}

/* From the last instruction on, so that an annotation has been read before its operand is. */
static bool read_computation(hlo_propagation *p, hlo_computation *c) {
    hlo_instr **order = hlo_malloc(c->instr_count * sizeof *order);
    uint32_t n = hlo_post_order(c, order);
    bool good = true;
    for (uint32_t i = n; good && i-- > 0;) {
        if (hlo_calls_target(order[i], "Sharding")) good = read_call(p, order[i]);
        else if (!p->cse_prevention_only) good = join_group(p, order[i]);
        hlo_arena_reset(&p->arena);
    }
    hlo_free(order);
    return good;
}

bool hlo_read_annotations(hlo_propagation *p) {
    for (hlo_computation *c = p->module->first; c; c = c->next)
        if (!read_computation(p, c)) return false;
    return true;
}
