/* fusion: elementwise instructions and reductions that feed each other, or read the same arrays,
 * become fusions, with the broadcasts, iotas and reshapes that they read, each value computed once,
 * and with the product or convolution that only they read. fusion_groups finds the groups. */
#include "passes/simplify/fusion_groups.h"
#include "passes/simplify/fusion_split.h"

#include "analysis/call_graph.h"
#include "passes/pipeline/emit.h"

/* The fusion of one group, while it is made. */
typedef struct {
    hlo_rewriter *rewriter;
    const hlo_fusion_groups *groups;
    hlo_computation *body;
    hlo_instr_list members; /* last first */
    hlo_instr_list outputs; /* members that others read, first to last */
    hlo_instr_list operands;
    hlo_instr **results; /* of the outputs */
    struct {
        hlo_instr_list of, in; /* parallel: an instruction, and what stands for it in the body */
    } copies;
    uint32_t group;
} making;

/* ---- the body ---- */

static hlo_instr *copy_of(making *m, hlo_instr *instr);

static hlo_instr *new_parameter(making *m, hlo_instr *operand) {
    hlo_list_push(&m->operands, operand);
    return hlo_parameter_new(m->body, operand->shape, "param", (int64_t)m->operands.n - 1);
}

/* Only few copied instructions follow each other, and members have been copied when their users
 * are: the recursion is not deep. */
static hlo_instr *new_copy(making *m, hlo_instr *instr) {
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = copy_of(m, hlo_operand(instr, i));
    hlo_instr *copy = hlo_instr_clone(instr, m->body, operands, instr->operand_count);
    hlo_free(operands);
    return copy;
}

static hlo_instr *copy_of(making *m, hlo_instr *instr) {
    for (uint32_t i = m->copies.of.n; i-- > 0;)
        if (m->copies.of.v[i] == instr) return m->copies.in.v[i];
    bool is_inside =
        hlo_fusion_copies(m->groups, instr) || hlo_fusion_group_of(m->groups, instr) == m->group;
    hlo_instr *copy = is_inside ? new_copy(m, instr) : new_parameter(m, instr);
    hlo_list_push(&m->copies.of, instr);
    hlo_list_push(&m->copies.in, copy);
    return copy;
}

/* Whether the value is read outside of the group: by others, or by copied instructions that stay
 * for others, or unused. */
static bool is_output(const making *m, const hlo_instr *instr) {
    if (instr == instr->parent->root) return true;
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        bool is_copied = hlo_fusion_copies(m->groups, use->user);
        if (is_copied ? !use->user->first_use || is_output(m, use->user)
                      : hlo_fusion_group_of(m->groups, use->user) != m->group)
            return true;
    }
    return false;
}

static hlo_instr *new_root(making *m) {
    uint32_t n = m->outputs.n;
    if (n == 1) return copy_of(m, m->outputs.v[0]);
    hlo_module *module = m->rewriter->module;
    const hlo_shape **shapes = hlo_malloc(n * sizeof *shapes);
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = copy_of(m, m->outputs.v[i]);
        shapes[i] = parts[i]->shape;
    }
    const hlo_shape *shape = hlo_shape_tuple(&module->shapes, shapes, n);
    hlo_instr *root = hlo_instr_new(m->body, HLO_OP_TUPLE, shape,
                                    hlo_take_fresh_name(module, "tuple"), parts, n, NULL, 0);
    hlo_free(shapes);
    hlo_free(parts);
    return root;
}

static void fill_body(making *m) {
    hlo_computation *from = m->groups->computation;
    m->body = hlo_computation_new(from->module, hlo_fresh_name(from->module, "fused_computation"));
    for (uint32_t i = m->members.n; i-- > 0;) {
        hlo_instr *member = m->members.v[i];
        hlo_instr_take_name(copy_of(m, member), member->name);
    }
    m->body->root = new_root(m);
    m->body->is_fusion_body = true;
    m->body->execution_thread = from->execution_thread;
    hlo_computation_index_parameters(m->body);
}

/* ---- its place ---- */

/* Fusions whose root is a reduction are of kind kInput, others of kind kLoop. */
static const hlo_word_info *kind_of(const making *m) {
    bool is_reduced = false;
    for (uint32_t i = 0; i < m->outputs.n; i++)
        is_reduced |= m->outputs.v[i]->opcode == HLO_OP_REDUCE;
    return hlo_word_find(HLO_WORDS_FUSION_KIND, hlo_str_from(is_reduced ? "kInput" : "kLoop"));
}

static hlo_instr *emit_fusion(making *m) {
    const hlo_word_info *kind = kind_of(m);
    hlo_attr attrs[] = {{.id = HLO_ATTR_KIND, .u.i = kind->number},
                        {.id = HLO_ATTR_CALLS, .u.computation = m->body}};
    hlo_instr *fusion = hlo_emit(m->rewriter, HLO_OP_FUSION, m->body->root->shape, m->operands.v,
                                 m->operands.n, attrs, 2);
    fusion->at = m->outputs.v[0]->at; /* errors of a run are the user's instruction's */
    return fusion;
}

static void put_results(making *m, hlo_instr *fusion) {
    hlo_inherit_metadata(m->outputs.v[0], fusion);
    for (uint32_t i = 0; i < m->outputs.n; i++) {
        hlo_instr *result = m->outputs.n == 1 ? fusion : hlo_emit_element(m->rewriter, fusion, i);
        hlo_inherit_metadata(m->outputs.v[i], result);
        m->results[i] = result;
    }
    /* Members have no control dependencies. */
    for (uint32_t i = 0; i < m->outputs.n; i++)
        hlo_instr_replace_operand_uses(m->outputs.v[i], m->results[i]);
}

static void fuse(making *m) {
    hlo_rewriter *r = m->rewriter;
    hlo_rewriter_aim(r, m->members.v[0]);
    hlo_rewrite_count(r, HLO_REWRITE_fuse_elementwise, m->members.v[0]->name);
    m->results = hlo_malloc(m->outputs.n * sizeof *m->results);
    fill_body(m);
    put_results(m, emit_fusion(m));
    for (uint32_t i = 0; i < m->members.n; i++)
        if (m->members.v[i]->parent) hlo_rewriter_remove(r, m->members.v[i]);
    hlo_free(m->results);
}

/* ---- computations ---- */

/* The first instruction that `instr` needs and that has not been put in order; NULL: none. */
static hlo_instr *first_missing(const hlo_instr *instr, uint32_t done) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_operand(instr, i)->mark != done) return hlo_operand(instr, i);
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t i = 0; control && i < control->u.instructions->n; i++)
        if (control->u.instructions->v[i]->mark != done) return control->u.instructions->v[i];
    return NULL;
}

/* A fusion stands where its last instruction stood, which may be after users of others: those move.
 */
static void restore_order(hlo_computation *c) {
    uint32_t done = hlo_module_new_mark(c->module);
    hlo_instr_list stack = {0};
    for (hlo_instr *place = c->first; place;) {
        hlo_list_push(&stack, place);
        while (stack.n) {
            hlo_instr *top = stack.v[stack.n - 1], *missing = first_missing(top, done);
            if (missing) {
                hlo_list_push(&stack, missing);
                continue;
            }
            HLO_ASSERT(stack.n > 0);
            stack.n--;
            top->mark = done;
            if (top != place) hlo_instr_move_before(top, place);
        }
        while (place && place->mark == done) place = place->next;
    }
    hlo_list_free(&stack);
}

/* By number of the group, last first. */
static hlo_instr_list *list_members(const hlo_fusion_groups *groups) {
    hlo_instr_list *lists = hlo_calloc(groups->last_group + 1u, sizeof *lists);
    for (uint32_t i = groups->count; i-- > 0;)
        if (groups->group[i]) hlo_list_push(&lists[groups->group[i]], groups->instrs[i]);
    return lists;
}

/* Dead instructions have no outputs. */
static bool fuse_group(hlo_rewriter *r, const hlo_fusion_groups *groups, uint32_t group,
                       hlo_instr_list members) {
    making m = {.rewriter = r, .groups = groups, .group = group, .members = members};
    for (uint32_t i = members.n; i-- > 0;)
        if (is_output(&m, members.v[i])) hlo_list_push(&m.outputs, members.v[i]);
    bool is_allowed = m.outputs.n && hlo_rewrite_allowed(r, HLO_REWRITE_fuse_elementwise);
    if (is_allowed) fuse(&m);
    hlo_list_free(&m.members);
    hlo_list_free(&m.outputs);
    hlo_list_free(&m.operands);
    hlo_list_free(&m.copies.of);
    hlo_list_free(&m.copies.in);
    return is_allowed;
}

static bool fuse_in(hlo_rewriter *r, hlo_computation *c, const hlo_fusion_limits *limits) {
    hlo_fusion_groups groups;
    bool changed = false;
    hlo_fusion_groups_find(r, c, limits, &groups);
    hlo_instr_list *lists = list_members(&groups);
    for (uint32_t g = 1; g <= groups.last_group; g++)
        changed |= fuse_group(r, &groups, g, lists[g]);
    if (changed) restore_order(c);
    hlo_free(lists);
    hlo_fusion_groups_free(&groups);
    return changed;
}

/* ---- the pass ---- */

/* Others apply their computation to elements, or are fused already. */
static bool runs_as_whole(const hlo_call_graph *graph, const hlo_computation *c) {
    const hlo_instr *caller = graph->caller[c->id];
    if (c->is_fusion_body || c->is_async_body || !c->root) return false;
    if (c == c->module->entry) return true;
    return caller && caller->opcode != HLO_OP_MAP && caller->opcode != HLO_OP_CUSTOM_CALL &&
           hlo_info(caller)->class == HLO_CLASS_CONTROL;
}

static bool is_in_loop(const hlo_call_graph *graph, const bool *in_loop, const hlo_computation *c) {
    const hlo_instr *caller = graph->caller[c->id];
    return caller && (caller->opcode == HLO_OP_WHILE || in_loop[caller->parent->id]);
}

hlo_pass_result hlo_pass_fusion(const hlo_pass_call *call) {
    hlo_call_graph graph;
    bool changed = false;
    hlo_call_graph_init(&graph, call->module);
    bool *in_loop = hlo_calloc(graph.ids, sizeof *in_loop);
    hlo_fusion_limits limits = {
        .max_instructions = (uint32_t)HLO_OPTION(call, FUSION, max_instructions),
        .max_operands = (uint32_t)HLO_OPTION(call, FUSION, max_operands),
    };
    for (uint32_t n = 0; n < graph.count; n++) /* fusing removes callers */
        in_loop[graph.order[n]->id] = is_in_loop(&graph, in_loop, graph.order[n]);
    for (uint32_t n = 0; n < graph.count; n++) {
        hlo_computation *c = graph.order[n];
        limits.min_elements = in_loop[c->id] ? HLO_OPTION(call, FUSION, min_loop_elements)
                                             : HLO_OPTION(call, FUSION, min_elements);
        if (!runs_as_whole(&graph, c) || !hlo_call_graph_orders_effects(&graph, c)) continue;
        if (HLO_OPTION(call, FUSION, split_reductions))
            changed |= hlo_split_reductions(call->rewriter, c, limits.min_elements);
        changed |= fuse_in(call->rewriter, c, &limits);
    }
    hlo_free(in_loop);
    hlo_call_graph_free(&graph);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
