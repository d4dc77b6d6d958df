/* async-collective-creator: collectives become a start and a done, between which others may run.
 * All-reduces, all-gathers and permutes have separate starts; others are called asynchronously. */
#include "passes/collectives/collective.h"
#include "passes/pipeline/expression.h"

typedef struct {
    hlo_rewriter *rewriter;
    hlo_instr *collective;
    const hlo_shape **operands; /* shapes */
    uint32_t count;
} making;

/* ---- shapes ---- */

static const hlo_shape *pair(const making *m, const hlo_shape *first, const hlo_shape *second) {
    return hlo_shape_tuple(&m->rewriter->module->shapes, (const hlo_shape *[]){first, second}, 2);
}

static const hlo_shape *all_operands(const making *m) {
    return hlo_shape_tuple(&m->rewriter->module->shapes, m->operands, m->count);
}

static const hlo_shape *one_or_all(const making *m) {
    return m->count == 1 ? m->operands[0] : all_operands(m);
}

static const hlo_shape *of_all_reduce(const making *m) {
    return m->collective->shape;
}

static const hlo_shape *of_all_gather(const making *m) {
    return pair(m, one_or_all(m), m->collective->shape);
}

static const hlo_shape *of_permute(const making *m) {
    bool in_place = hlo_instr_attr(m->collective, HLO_ATTR_PERMUTE_SLICE_SIZES) != NULL;
    return in_place ? pair(m, m->operands[0], m->operands[1])
                    : pair(m, one_or_all(m), one_or_all(m));
}

static const hlo_shape *of_call(const making *m) {
    return pair(m, all_operands(m), m->collective->shape);
}

#define OPTION(name) HLO_OPTION_AT(ASYNC_COLLECTIVE_CREATOR, name)

/* Which collectives there are, and the places of options: whether to start them, and from how many
 * bytes of results on. */
static const struct {
    hlo_opcode opcode, start, done;
    hlo_rewrite_id id;
    const hlo_shape *(*shape)(const making *m);
    int wanted, least; /* -1: no option */
} kinds[] = {
    {HLO_OP_ALL_REDUCE, HLO_OP_ALL_REDUCE_START, HLO_OP_ALL_REDUCE_DONE,
     HLO_REWRITE_start_all_reduce, of_all_reduce, OPTION(convert_all_reduce),
     OPTION(all_reduce_min_threshold_in_bytes)},
    {HLO_OP_ALL_GATHER, HLO_OP_ALL_GATHER_START, HLO_OP_ALL_GATHER_DONE,
     HLO_REWRITE_start_all_gather, of_all_gather, OPTION(convert_all_gather),
     OPTION(all_gather_min_threshold_in_bytes)},
    {HLO_OP_COLLECTIVE_PERMUTE, HLO_OP_COLLECTIVE_PERMUTE_START, HLO_OP_COLLECTIVE_PERMUTE_DONE,
     HLO_REWRITE_start_collective_permute, of_permute, OPTION(convert_collective_permute), -1},
    {HLO_OP_COLLECTIVE_BROADCAST, HLO_OP_ASYNC_START, HLO_OP_ASYNC_DONE,
     HLO_REWRITE_start_collective_call, of_call, OPTION(convert_collective_broadcast), -1},
    {HLO_OP_ALL_TO_ALL, HLO_OP_ASYNC_START, HLO_OP_ASYNC_DONE, HLO_REWRITE_start_collective_call,
     of_call, OPTION(convert_all_to_all), -1},
    {HLO_OP_REDUCE_SCATTER, HLO_OP_ASYNC_START, HLO_OP_ASYNC_DONE,
     HLO_REWRITE_start_collective_call, of_call, OPTION(convert_reduce_scatter),
     OPTION(reduce_scatter_min_threshold_in_bytes)},
    {HLO_OP_RAGGED_ALL_TO_ALL, HLO_OP_ASYNC_START, HLO_OP_ASYNC_DONE,
     HLO_REWRITE_start_collective_call, of_call, OPTION(convert_ragged_all_to_all), -1},
};

/* ---- starts ---- */

/* All attributes of the collective, but not where its result is. */
static hlo_instr *start_of_kind(const making *m, size_t kind) {
    const hlo_instr *from = m->collective;
    hlo_attr *attrs = hlo_malloc((from->attr_count + 1u) * sizeof *attrs);
    hlo_instr **operands = hlo_malloc((m->count + 1u) * sizeof *operands);
    uint32_t n = 0;
    for (uint32_t i = 0; i < from->attr_count; i++)
        if (from->attrs[i].id != HLO_ATTR_SHARDING && from->attrs[i].id != HLO_ATTR_ORIGIN)
            attrs[n++] = from->attrs[i];
    for (uint32_t i = 0; i < m->count; i++) operands[i] = hlo_operand(from, i);
    hlo_instr *start = hlo_emit(m->rewriter, kinds[kind].start, kinds[kind].shape(m), operands,
                                m->count, attrs, n);
    HLO_ASSERT(kind < sizeof kinds / sizeof *kinds);
    hlo_free(attrs);
    hlo_free(operands);
    return start;
}

/* A computation of nothing but the collective, and a call of it. */
static hlo_instr *start_of_call(const making *m, size_t kind) {
    hlo_rewriter *r = m->rewriter;
    hlo_instr **operands = hlo_malloc((m->count + 1u) * sizeof *operands);
    hlo_body body = hlo_build_open(r, "async_computation");
    for (uint32_t i = 0; i < m->count; i++)
        operands[i] = hlo_build_parameter(r, &body, i, m->operands[i]);
    hlo_instr *root = hlo_emit_like(r, m->collective, m->collective->shape, operands, m->count);
    hlo_attr calls = {.id = HLO_ATTR_CALLS, .u.computation = hlo_build_close(r, &body, root)};
    for (uint32_t i = 0; i < m->count; i++) operands[i] = hlo_operand(m->collective, i);
    hlo_instr *start =
        hlo_emit(r, HLO_OP_ASYNC_START, kinds[kind].shape(m), operands, m->count, &calls, 1);
    HLO_ASSERT(kind < sizeof kinds / sizeof *kinds);
    hlo_free(operands);
    return start;
}

static bool make_asynchronous(hlo_rewriter *r, hlo_instr *collective, size_t kind) {
    making m = {r, collective, NULL, collective->operand_count};
    m.operands = hlo_malloc((m.count + 1u) * sizeof *m.operands);
    for (uint32_t i = 0; i < m.count; i++) m.operands[i] = hlo_operand(collective, i)->shape;
    hlo_rewriter_aim(r, collective);
    bool is_call = kinds[kind].start == HLO_OP_ASYNC_START;
    hlo_instr *start = is_call ? start_of_call(&m, kind) : start_of_kind(&m, kind);
    hlo_instr *done = hlo_emit_unary(r, kinds[kind].done, collective->shape, start);
    HLO_ASSERT(kind < sizeof kinds / sizeof *kinds);
    hlo_free(m.operands);
    return hlo_rewrite_replace(r, kinds[kind].id, collective, done);
}

/* ---- the pass ---- */

static bool is_wanted(const hlo_pass_call *call, const hlo_instr *instr, size_t kind) {
    HLO_ASSERT(kind < sizeof kinds / sizeof *kinds);
    int64_t bytes = hlo_shape_bytes(instr->shape);
    return call->values[kinds[kind].wanted] &&
           (kinds[kind].least < 0 || bytes < 0 || bytes >= call->values[kinds[kind].least]) &&
           !hlo_is_tied(call->rewriter, instr);
}

enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t kind_of(hlo_opcode opcode) {
    size_t kind = 0;
    while (kinds[kind].opcode != opcode) kind++;
    return kind;
}

/* Those of all kinds at once: looking through a module costs more than what there is to do. */
hlo_pass_result hlo_pass_async_collective_creator(const hlo_pass_call *call) {
    hlo_instr_list list = {0};
    bool changed = false, wanted[HLO_OP_COUNT] = {false};
    for (size_t kind = 0; kind < KINDS; kind++) wanted[kinds[kind].opcode] = true;
    hlo_collect_all(call->module, wanted, &list);
    for (uint32_t i = 0; i < list.n; i++) {
        size_t kind = kind_of((hlo_opcode)list.v[i]->opcode);
        if (hlo_rewrite_allowed(call->rewriter, kinds[kind].id) && is_wanted(call, list.v[i], kind))
            changed |= make_asynchronous(call->rewriter, list.v[i], kind);
    }
    hlo_list_free(&list);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
