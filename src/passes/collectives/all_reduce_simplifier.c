/* all-reduce-simplifier: all-reduces over one device each, and of values that are the same on all;
 * all-gathers and reduce-scatters over one device. */
#include "analysis/match.h"
#include "analysis/replication.h"
#include "passes/collectives/collective.h"
#include "passes/pipeline/expression.h"

typedef struct {
    hlo_rewriter *rewriter;
    hlo_replication replication;
    bool changed;
} simplifying;

static bool is_open(const hlo_rewriter *r, const hlo_instr *instr) {
    return instr->operand_count == 1 && hlo_shape_is_array(instr->shape) &&
           !instr->shape->dynamic && !hlo_is_tied(r, instr);
}

static void replace(simplifying *s, hlo_rewrite_id id, hlo_instr *old, hlo_instr *by) {
    s->changed |= hlo_rewrite_replace(s->rewriter, id, old, by);
}

/* ---- over one device ---- */

/* In a program for each partition, a channel without ids of devices does not identify the others
 * that take part in an all-reduce. */
static bool is_alone(const hlo_instr *instr) {
    bool is_partial = instr->opcode == HLO_OP_ALL_REDUCE &&
                      hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID) &&
                      !hlo_attr_int(instr, HLO_ATTR_USE_GLOBAL_DEVICE_IDS);
    return !is_partial && instr->operand_count == 1 && hlo_participant_count(instr) == 1 &&
           hlo_operand(instr, 0)->shape == instr->shape;
}

static void simplify_alone(simplifying *s, hlo_opcode opcode, hlo_rewrite_id id) {
    hlo_instr_list list = {0};
    hlo_collect(s->rewriter->module, opcode, &list);
    for (size_t i = 0; i < list.n; i++) {
        hlo_instr *instr = list.v[i];
        if (!hlo_rewrite_allowed(s->rewriter, id) || !is_open(s->rewriter, instr) ||
            !is_alone(instr))
            continue;
        hlo_rewriter_aim(s->rewriter, instr);
        replace(s, id, instr, hlo_operand(instr, 0));
    }
    hlo_list_free(&list);
}

/* A start and a done right after each other of an all-gather or a reduce-scatter. */
static bool is_asynchronous(const hlo_rewriter *r, const hlo_instr *done) {
    HLO_ASSERT(done->opcode == HLO_OP_ALL_REDUCE_DONE || done->opcode == HLO_OP_ASYNC_DONE);
    const hlo_instr *start = hlo_operand(done, 0);
    if (start->opcode != HLO_OP_ASYNC_START || !hlo_has_one_user(start)) return false;
    const hlo_instr *root = hlo_called(start, 0)->root;
    return (root->opcode == HLO_OP_ALL_GATHER || root->opcode == HLO_OP_REDUCE_SCATTER) &&
           hlo_called(start, 0)->instr_count == root->operand_count + 1 && is_alone(root) &&
           done->shape == root->shape && !hlo_is_tied(r, start) && !hlo_is_tied(r, done);
}

static void simplify_asynchronous(simplifying *s) {
    hlo_instr_list list = {0};
    hlo_collect(s->rewriter->module, HLO_OP_ASYNC_DONE, &list);
    for (size_t i = 0; i < list.n; i++) {
        hlo_instr *start = hlo_operand(list.v[i], 0);
        if (!hlo_rewrite_allowed(s->rewriter, HLO_REWRITE_asynchronous_of_one) ||
            !is_asynchronous(s->rewriter, list.v[i]))
            continue;
        hlo_computation *body = hlo_called(start, 0);
        hlo_rewriter_aim(s->rewriter, list.v[i]);
        if (!hlo_rewrite_replace(s->rewriter, HLO_REWRITE_asynchronous_of_one, list.v[i],
                                 hlo_operand(start, 0)))
            continue;
        s->changed = true;
        if (start->parent) hlo_rewriter_remove(s->rewriter, start);
        hlo_computation_remove(body);
    }
    hlo_list_free(&list);
}

/* ---- of the same value ---- */

/* As often as the group has members: a constant of s32, converted, broadcast. */
static hlo_instr *multiplied(hlo_rewriter *r, const hlo_instr *reduce, int64_t count) {
    const hlo_shape *shape = reduce->shape;
    const hlo_shape *number = hlo_shape_scalar(&r->module->shapes, HLO_S32);
    hlo_instr *factor =
        hlo_build_convert(r, hlo_emit_filled(r, number, count), (hlo_type)shape->type);
    if (shape->rank) factor = hlo_emit_broadcast(r, shape, factor, NULL, 0);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, shape, hlo_operand(reduce, 0), factor);
}

/* What a reduction of `count` equal values is; NULL: nothing simpler. */
static hlo_instr *reduced(hlo_rewriter *r, const hlo_instr *reduce, int64_t count) {
    switch (hlo_reduction_of(reduce)) {
    case HLO_OP_ADD: return reduce->shape->type == HLO_PRED ? NULL : multiplied(r, reduce, count);
    case HLO_OP_MINIMUM:
    case HLO_OP_MAXIMUM:
    case HLO_OP_OR:
    case HLO_OP_AND: return hlo_operand(reduce, 0);
    default: return NULL;
    }
}

static bool may_be_simplified(const simplifying *s, const hlo_instr *reduce) {
    int64_t count = hlo_participant_count(reduce);
    return is_open(s->rewriter, reduce) && count > 1 && count <= INT32_MAX &&
           hlo_group_mode_of(reduce) == HLO_GROUP_CROSS_REPLICA &&
           hlo_operand(reduce, 0)->shape == reduce->shape &&
           hlo_is_replicated(&s->replication, hlo_operand(reduce, 0));
}

/* What is replicated is known of the module as it is: everything is chosen before it changes. */
static void choose_replicated(simplifying *s, hlo_instr_list *chosen) {
    hlo_call_graph graph;
    hlo_instr_list list = {0};
    hlo_collect(s->rewriter->module, HLO_OP_ALL_REDUCE, &list);
    if (list.n) {
        hlo_call_graph_init(&graph, s->rewriter->module);
        hlo_replication_init(&s->replication, s->rewriter->module, &graph);
        for (size_t i = 0; i < list.n; i++)
            if (may_be_simplified(s, list.v[i])) hlo_list_push(chosen, list.v[i]);
        hlo_replication_free(&s->replication);
        hlo_call_graph_free(&graph);
    }
    hlo_list_free(&list);
}

static void simplify_replicated(simplifying *s) {
    hlo_rewriter *r = s->rewriter;
    hlo_instr_list chosen = {0};
    choose_replicated(s, &chosen);
    for (size_t i = 0; i < chosen.n; i++) {
        hlo_instr *reduce = chosen.v[i];
        if (!hlo_rewrite_allowed(r, HLO_REWRITE_all_reduce_of_replicated)) break;
        hlo_rewriter_aim(r, reduce);
        hlo_instr *by = reduced(r, reduce, hlo_participant_count(reduce));
        if (by) replace(s, HLO_REWRITE_all_reduce_of_replicated, reduce, by);
    }
    hlo_list_free(&chosen);
}

hlo_pass_result hlo_pass_all_reduce_simplifier(const hlo_pass_call *call) {
    simplifying s = {.rewriter = call->rewriter};
    simplify_alone(&s, HLO_OP_ALL_GATHER, HLO_REWRITE_gather_of_one);
    simplify_alone(&s, HLO_OP_REDUCE_SCATTER, HLO_REWRITE_reduce_scatter_of_one);
    simplify_alone(&s, HLO_OP_ALL_REDUCE, HLO_REWRITE_all_reduce_of_one);
    simplify_asynchronous(&s);
    simplify_replicated(&s);
    return s.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
