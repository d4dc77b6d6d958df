/* Passes that are sets of patterns (HLO_PATTERN rows of rewrites.def): every instruction is tried
 * against the patterns of its opcode in the table's order, operands before users, and again
 * whenever an operand or user changed, until no pattern matches. */
#include "analysis/call_graph.h"
#include "analysis/match.h"
#include "passes/pipeline/rewrite.h"
#include "shape/verify.h"

/* Patterns of one pass by opcode: those of opcode o are ids start[o] up to start[o + 1]. */
typedef struct {
    uint32_t start[HLO_OP_COUNT + 1];
    HLO_LIST(uint16_t) ids;
} pattern_index;

typedef struct {
    hlo_rewriter *rewriter;
    pattern_index patterns;
    hlo_instr_list queue; /* entries before `head` are done; instr->index: 1 while it waits */
    size_t head;
    uint64_t budget; /* rewrites until this computation counts as one that never ends */
} pattern_run;

static bool fits_opcode(int id, hlo_pass_id pass, int opcode) {
    const hlo_rewrite_info *row = &hlo_rewrites[id];
    return row->pass == pass && (row->opcode == opcode || row->opcode == HLO_OP_ANY);
}

static void index_patterns(pattern_index *index, hlo_pass_id pass) {
    HLO_ASSERT(pass < HLO_PASS_COUNT);
    for (int opcode = 0; opcode < HLO_OP_COUNT; opcode++) {
        index->start[opcode] = index->ids.n;
        for (int id = 0; id < HLO_REWRITE_COUNT; id++) {
            if (fits_opcode(id, pass, opcode)) hlo_list_push(&index->ids, (uint16_t)id);
        }
    }
    index->start[HLO_OP_COUNT] = index->ids.n;
}

enum { LOOKS_THROUGH = 3 }; /* operands of operands: what patterns look at */

/* Rules take types of operands from each other, also where they look through an operand. */
static bool mixes_types(const hlo_instr *instr, int depth) {
    bool mixes = !hlo_has_plain_shapes(instr);
    for (uint32_t i = 0; depth && i < instr->operand_count && !mixes; i++)
        mixes = mixes_types(hlo_operand(instr, i), depth - 1);
    return mixes;
}

/* Sizes that are known only at run time make most rules wrong; so do convolutions of sparse arrays,
 * which are tuples. */
static bool is_open_to_patterns(const hlo_rewriter *r, const hlo_instr *instr) {
    if (instr->shape->dynamic || hlo_is_tied(r, instr)) return false;
    if (r->module->is_lenient && mixes_types(instr, LOOKS_THROUGH)) return false;
    if (hlo_has_dim_of_two_roles(instr)) return false;
    if (instr->opcode == HLO_OP_CONVOLUTION && hlo_has_sparse_operand(instr)) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_operand(instr, i)->shape->dynamic) return false;
    return true;
}

static void wait_in_queue(pattern_run *run, hlo_instr *instr) {
    HLO_ASSERT(run->head <= run->queue.n);
    if (!instr->parent || instr->index) return;
    instr->index = 1;
    hlo_list_push(&run->queue, instr);
}

/* After a rewrite: instructions whose operands or users changed are queued again, with their users.
 */
static void requeue_touched(pattern_run *run) {
    hlo_instr_list *touched = &run->rewriter->touched;
    for (size_t i = 0; i < touched->n; i++) wait_in_queue(run, touched->v[i]);
    touched->n = 0;
}

/* One pattern at one instruction; whether it did something. */
static bool try_pattern(pattern_run *run, hlo_rewrite_id id, hlo_instr *instr) {
    HLO_ASSERT(hlo_rewrites[id].rewrite &&
               (hlo_rewrites[id].opcode == HLO_OP_ANY || hlo_rewrites[id].opcode == instr->opcode));
    hlo_rewriter *r = run->rewriter;
    if (!hlo_rewrite_allowed(r, id)) return false;
    hlo_rewriter_aim(r, instr);
    r->kind = hlo_rewrites[id].kind;
    hlo_instr *by = hlo_rewrites[id].rewrite(r, instr);
    HLO_ASSERT(by || !r->fresh.n);
    if (!by) return false;
    HLO_ASSERT(by->parent == instr->parent);
    if (by != instr) return hlo_rewrite_replace(r, id, instr, by);
    hlo_rewrite_count(r, id, instr->name);
    for (size_t i = 0; i < r->fresh.n; i++) hlo_list_push(&r->touched, r->fresh.v[i]);
    hlo_list_push(&r->touched, instr);
    for (hlo_use *use = instr->first_use; use; use = use->next)
        hlo_list_push(&r->touched, use->user);
    r->fresh.n = 0;
    return true;
}

static bool try_patterns(pattern_run *run, hlo_instr *instr) {
    const pattern_index *patterns = &run->patterns;
    uint32_t from = patterns->start[instr->opcode], to = patterns->start[instr->opcode + 1];
    if (from == to || !is_open_to_patterns(run->rewriter, instr)) return false;
    bool has_effect = hlo_instr_has_side_effect(instr); /* most rules would lose it */
    for (uint32_t i = from; i < to; i++) {
        if (has_effect && !hlo_rewrites[patterns->ids.v[i]].takes_effects) continue;
        if (!try_pattern(run, (hlo_rewrite_id)patterns->ids.v[i], instr)) continue;
        requeue_touched(run);
        return true;
    }
    return false;
}

/* Most passes look at few opcodes, and most computations have none of them. */
static bool has_candidates(const pattern_run *run, const hlo_computation *c) {
    const uint32_t *start = run->patterns.start;
    for (const hlo_instr *i = c->first; i; i = i->next)
        if (start[i->opcode] != start[i->opcode + 1]) return true;
    return false;
}

/* Whether the rewrites came to an end by themselves. */
static bool run_on(pattern_run *run, hlo_computation *c, bool *changed) {
    if (!has_candidates(run, c)) return true;
    hlo_list_reserve(&run->queue, c->instr_count);
    run->queue.n = hlo_post_order(c, run->queue.v);
    run->head = 0;
    for (size_t i = 0; i < run->queue.n; i++) run->queue.v[i]->index = 1;
    run->budget = 1000 + 100 * (uint64_t)c->instr_count;
    while (run->head < run->queue.n) {
        hlo_instr *instr = run->queue.v[run->head++];
        HLO_ASSERT(instr->index == 1);
        instr->index = 0;
        if (!instr->parent || !try_patterns(run, instr)) continue;
        *changed = true;
        if (run->budget-- == 0) return false;
        if (hlo_rewriter_is_done(run->rewriter)) break;
    }
    return true;
}

hlo_pass_result hlo_pass_patterns(const hlo_pass_call *call) {
    pattern_run run = {.rewriter = call->rewriter};
    hlo_call_graph graph;
    bool changed = false;
    index_patterns(&run.patterns, call->pass);
    hlo_call_graph_init(&graph, call->module);
    for (uint32_t n = graph.count; n-- > 0 && !hlo_rewriter_is_done(call->rewriter);) {
        hlo_computation *c = graph.order[n];
        bool is_closed =
            c->is_fusion_body || c->is_async_body; /* which holds nothing but its root */
        if (is_closed || run_on(&run, c, &changed)) continue;
        hlo_warning(call->diags, HLO_RULE_PIPELINE, call->module->source, c->at,
                    "the rewrites of %s do not converge on this computation",
                    hlo_passes[call->pass].name);
    }
    hlo_call_graph_free(&graph);
    hlo_list_free(&run.patterns.ids);
    hlo_list_free(&run.queue);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
