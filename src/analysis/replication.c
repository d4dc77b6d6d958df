/* Values that all replicas have: see replication.h. */
#include "analysis/replication.h"

#include "analysis/iteration_count.h"
#include "analysis/participants.h"

static uint32_t leaf_count(const hlo_replication *p, const hlo_instr *value) {
    HLO_ASSERT(p->first[value->index] <= p->first[value->index + 1]);
    return p->first[value->index + 1] - p->first[value->index];
}

bool hlo_is_replicated(const hlo_replication *p, const hlo_instr *value) {
    for (uint32_t i = p->first[value->index]; i < p->first[value->index + 1]; i++)
        if (p->differs[i]) return false;
    return true;
}

static void set(hlo_replication *p, uint32_t leaf, bool differs) {
    HLO_ASSERT(leaf < p->first[p->count]);
    if (!differs || p->differs[leaf]) return;
    p->differs[leaf] = true;
    p->changed = true;
}

static void set_all(hlo_replication *p, const hlo_instr *value, bool differ) {
    for (uint32_t i = p->first[value->index]; i < p->first[value->index + 1]; i++)
        set(p, i, differ);
}

/* Leaves of `to`, from its first on (or a later one), are those of `from`. */
static void hand_on(hlo_replication *p, const hlo_instr *from, uint32_t skipped,
                    const hlo_instr *to, uint32_t after) {
    HLO_ASSERT(skipped <= leaf_count(p, from) && after <= leaf_count(p, to));
    uint32_t a = p->first[from->index] + skipped, b = p->first[to->index] + after;
    while (a < p->first[from->index + 1] && b < p->first[to->index + 1])
        set(p, b++, p->differs[a++]);
}

static void set_divergent(hlo_replication *p, const hlo_computation *c, bool diverges) {
    HLO_ASSERT(c->id < c->module->next_id);
    if (!diverges || p->is_divergent[c->id]) return;
    p->is_divergent[c->id] = true;
    p->changed = true;
}

/* ---- one instruction ---- */

static void visit_element(hlo_replication *p, const hlo_instr *element) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    const hlo_instr *tuple = hlo_operand(element, 0);
    uint32_t skipped = 0, index = (uint32_t)hlo_attr_int(element, HLO_ATTR_INDEX);
    for (uint32_t i = 0; i < index; i++) skipped += hlo_shape_leaf_count(tuple->shape->elements[i]);
    hand_on(p, tuple, skipped, element, 0);
}

static void visit_tuple(hlo_replication *p, const hlo_instr *tuple) {
    uint32_t after = 0;
    for (uint32_t i = 0; i < tuple->operand_count; i++) {
        hand_on(p, hlo_operand(tuple, i), 0, tuple, after);
        after += leaf_count(p, hlo_operand(tuple, i));
    }
}

/* The attribute of the entry's parameters, a word for each array. */
static void visit_parameter(hlo_replication *p, const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    const hlo_attr *said = hlo_instr_attr(parameter, HLO_ATTR_PARAMETER_REPLICATION);
    if (parameter->parent != parameter->parent->module->entry) return;
    for (uint32_t i = 0; i < leaf_count(p, parameter); i++)
        set(p, p->first[parameter->index] + i,
            !said || i >= said->u.ints->n || !said->u.ints->v[i]);
}

static void visit_while(hlo_replication *p, const hlo_instr *loop) {
    hlo_computation *body = hlo_loop_body(loop), *condition = hlo_loop_condition(loop);
    hlo_instr *of_body = body->parameters[0], *of_condition = condition->parameters[0];
    hand_on(p, hlo_operand(loop, 0), 0, of_body, 0);
    hand_on(p, body->root, 0, of_body, 0);
    hand_on(p, of_body, 0, of_condition, 0);
    hand_on(p, of_body, 0, loop, 0);
    set_divergent(p, body, !hlo_is_replicated(p, condition->root));
    set_all(p, loop, p->is_divergent[body->id]);
}

static void visit_conditional(hlo_replication *p, const hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    bool diverges = !hlo_is_replicated(p, hlo_operand(conditional, 0));
    for (uint32_t k = 0; k < hlo_called_count(conditional); k++) {
        hlo_computation *branch = hlo_called(conditional, k);
        if (branch->parameter_count)
            hand_on(p, hlo_operand(conditional, k + 1), 0, branch->parameters[0], 0);
        set_divergent(p, branch, diverges);
        hand_on(p, branch->root, 0, conditional, 0);
    }
    set_all(p, conditional, diverges);
}

static void visit_call(hlo_replication *p, const hlo_instr *call) {
    hlo_computation *callee = hlo_called(call, 0);
    for (uint32_t i = 0; i < call->operand_count && i < callee->parameter_count; i++)
        hand_on(p, hlo_operand(call, i), 0, callee->parameters[i], 0);
    set_divergent(p, callee, p->is_divergent[call->parent->id]);
    hand_on(p, callee->root, 0, call, 0);
}

static bool operands_differ(const hlo_replication *p, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (!hlo_is_replicated(p, hlo_operand(instr, i))) return true;
    return false;
}

/* Reducers and the like are computations of what their caller's operands hold. */
static void visit_applied(hlo_replication *p, const hlo_instr *instr) {
    bool differ = operands_differ(p, instr);
    for (uint32_t k = 0; k < hlo_called_count(instr); k++) {
        hlo_computation *callee = hlo_called(instr, k);
        for (uint32_t i = 0; i < callee->parameter_count; i++)
            set_all(p, callee->parameters[i], differ);
        differ |= !hlo_is_replicated(p, callee->root);
    }
    set_all(p, instr, differ);
}

/* Each group has all replicas of a partition or none: groups are of devices. */
static bool have_all_replicas(const hlo_instr *collective, const hlo_int_lists *groups) {
    const hlo_module *module = collective->parent->module;
    int64_t partitions = hlo_module_int(module, HLO_ATTR_NUM_PARTITIONS);
    int64_t replicas = hlo_module_int(module, HLO_ATTR_REPLICA_COUNT);
    bool all = groups && partitions <= HLO_MOST_PARTICIPANTS;
    if (!all) return false;
    int64_t *count = hlo_malloc((size_t)partitions * sizeof *count);
    for (uint32_t g = 0; all && g < groups->n; g++) {
        const hlo_ints *group = groups->v[g];
        memset(count, 0, (size_t)partitions * sizeof *count);
        for (uint32_t i = 0; i < group->n; i++) count[group->v[i] % partitions]++;
        for (uint32_t i = 0; all && i < group->n; i++)
            all = count[group->v[i] % partitions] == replicas;
    }
    hlo_free(count);
    return all;
}

/* Of a group that holds all replicas everybody gets the same. */
static bool spans_replicas(const hlo_instr *collective) {
    hlo_group_mode mode = hlo_group_mode_of(collective);
    if (mode == HLO_GROUP_IMPOSSIBLE) return false;
    if (hlo_groups_count(hlo_groups_of(collective)) <= 1) return true;
    if (mode != HLO_GROUP_FLATTENED_ID) return false;
    hlo_arena scratch;
    hlo_arena_init(&scratch);
    bool all = have_all_replicas(collective, hlo_listed_groups(&scratch, collective));
    hlo_arena_free(&scratch);
    return all;
}

/* Not known, or different on each device. */
static bool is_strange(const hlo_instr *instr) {
    hlo_op_class class = hlo_info(instr)->class;
    return hlo_instr_has_side_effect(instr) || class == HLO_CLASS_HOST ||
           class == HLO_CLASS_COLLECTIVE || instr->opcode == HLO_OP_RNG ||
           instr->opcode == HLO_OP_RNG_GET_AND_UPDATE_STATE ||
           instr->opcode == HLO_OP_CUSTOM_CALL || (hlo_info(instr)->flags & HLO_OP_IS_ASYNC);
}

static void visit_other(hlo_replication *p, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_ALL_REDUCE || instr->opcode == HLO_OP_ALL_GATHER)
        set_all(p, instr, operands_differ(p, instr) && !spans_replicas(instr));
    else if (instr->opcode == HLO_OP_PARTITION_ID) return;
    else if (is_strange(instr) || instr->opcode == HLO_OP_REPLICA_ID) set_all(p, instr, true);
    else visit_applied(p, instr);
}

static void visit(hlo_replication *p, const hlo_instr *instr) {
    if (p->is_divergent[instr->parent->id]) {
        set_all(p, instr, true);
        return;
    }
    switch (instr->opcode) {
    case HLO_OP_GET_TUPLE_ELEMENT: visit_element(p, instr); break;
    case HLO_OP_TUPLE: visit_tuple(p, instr); break;
    case HLO_OP_PARAMETER: visit_parameter(p, instr); break;
    case HLO_OP_WHILE: visit_while(p, instr); break;
    case HLO_OP_CONDITIONAL: visit_conditional(p, instr); break;
    case HLO_OP_FUSION:
    case HLO_OP_CALL: visit_call(p, instr); break;
    default: visit_other(p, instr);
    }
}

/* ---- all of them ---- */

static void number_leaves(hlo_replication *p, hlo_module *module) {
    uint32_t leaves = 0;
    for (const hlo_computation *c = module->first; c; c = c->next) p->count += c->instr_count;
    p->first = hlo_malloc((p->count + 1u) * sizeof *p->first);
    p->count = 0;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            i->index = p->count++;
            p->first[i->index] = leaves;
            leaves += hlo_shape_leaf_count(i->shape);
        }
    p->first[p->count] = leaves;
    p->differs = hlo_calloc(leaves + 1u, sizeof *p->differs);
    p->is_divergent = hlo_calloc(module->next_id + 1u, sizeof *p->is_divergent);
}

void hlo_replication_init(hlo_replication *p, hlo_module *module, const hlo_call_graph *graph) {
    *p = (hlo_replication){0};
    number_leaves(p, module);
    do {
        p->changed = false;
        for (uint32_t n = 0; n < graph->count; n++)
            for (const hlo_instr *i = graph->order[n]->first; i; i = i->next) visit(p, i);
    } while (p->changed);
}

void hlo_replication_free(hlo_replication *p) {
    hlo_free(p->first);
    hlo_free(p->differs);
    hlo_free(p->is_divergent);
}
