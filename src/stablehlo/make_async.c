/* Asynchronous operations, and what mhlo has besides: fusions, domains. */
#include <stdio.h>

#include "stablehlo/convert.h"

/* ---- stablehlo.async_start: of one collective ---- */

static const struct {
    hlo_mlir_op_id op;
    hlo_opcode start, done;
} starts[] = {
    {HLO_MLIR_OP_STABLEHLO_ALL_GATHER, HLO_OP_ALL_GATHER_START, HLO_OP_ALL_GATHER_DONE},
    {HLO_MLIR_OP_STABLEHLO_ALL_REDUCE, HLO_OP_ALL_REDUCE_START, HLO_OP_ALL_REDUCE_DONE},
    {HLO_MLIR_OP_STABLEHLO_COLLECTIVE_PERMUTE, HLO_OP_COLLECTIVE_PERMUTE_START,
     HLO_OP_COLLECTIVE_PERMUTE_DONE},
};

static int start_row(const hlo_mlir_op *collective) {
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (starts[i].op == collective->id) return (int)i;
    return -1;
}

static const hlo_mlir_op *collective_of(const hlo_mlir_op *start) {
    const hlo_mlir_block *block = start->region_count ? start->regions[0].first : NULL;
    return block ? block->first : NULL;
}

/* The pair of operand and result; an all-reduce has the result alone. */
static const hlo_shape *start_shape(hlo_stablehlo *s, hlo_opcode opcode, const hlo_instr *operand,
                                    const hlo_shape *result) {
    const hlo_shape *parts[2] = {operand->shape, result};
    if (opcode == HLO_OP_ALL_REDUCE_START) return result;
    return hlo_shape_tuple(&s->module->shapes, parts, 2);
}

bool hlo_shlo_set_started(hlo_stablehlo *s, const hlo_shape *result) {
    const hlo_mlir_op *collective = s->op;
    int row = start_row(collective);
    s->op = s->started;
    s->started = NULL;
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    if (!operand || !result) return false;
    if (starts[row].start == HLO_OP_ALL_GATHER_START)
        hlo_stablehlo_push_flag(s, HLO_ATTR_CONSTRAIN_LAYOUT, true);
    const hlo_shape *shape = start_shape(s, starts[row].start, operand, result);
    return hlo_stablehlo_set_result(
        s, hlo_stablehlo_make_of(s, starts[row].start, shape, &operand, 1));
}

/* Any other collective is a computation that an async-start calls. */
static bool start_computation(hlo_stablehlo *s, const hlo_mlir_op *collective) {
    hlo_computation *c = hlo_stablehlo_region(s, &s->op->regions[0]);
    hlo_instr *operand = c ? hlo_stablehlo_operand(s, 0) : NULL;
    const hlo_shape *result = operand ? hlo_stablehlo_result_shape(s, collective) : NULL;
    if (!result) return false;
    const hlo_shape *parts[2] = {hlo_shape_tuple(&s->module->shapes, &operand->shape, 1), result};
    hlo_stablehlo_push_computation(s, HLO_ATTR_CALLS, c);
    c->is_async_body = true;
    return hlo_stablehlo_set_result(
        s, hlo_stablehlo_make_of(s, HLO_OP_ASYNC_START,
                                 hlo_shape_tuple(&s->module->shapes, parts, 2), &operand, 1));
}

bool hlo_shlo_async_start(hlo_stablehlo *s) {
    const hlo_mlir_op *collective = collective_of(s->op), *start = s->op;
    if (!collective || collective->id == HLO_MLIR_OP_COUNT)
        return hlo_stablehlo_fail(s, HLO_RULE_ASYNC, "its region has one collective") != NULL;
    if (start_row(collective) < 0) return start_computation(s, collective);
    s->started = start;
    s->op = collective;
    bool good = hlo_stablehlo_convert_as(s, collective->id);
    s->started = NULL;
    s->op = start;
    return good;
}

bool hlo_shlo_async_done(hlo_stablehlo *s) {
    const hlo_mlir_op *start = s->op->operand_count ? hlo_mlir_operand(s->op, 0)->op : NULL;
    const hlo_mlir_op *collective =
        start && start->id == HLO_MLIR_OP_STABLEHLO_ASYNC_START ? collective_of(start) : NULL;
    if (!collective)
        return hlo_stablehlo_fail(s, HLO_RULE_ASYNC, "its operand is an async_start") != NULL;
    int row = start_row(collective);
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    return hlo_stablehlo_set_results(
        s, hlo_stablehlo_make_of(s, row < 0 ? HLO_OP_ASYNC_DONE : starts[row].done,
                                 hlo_stablehlo_result_shape(s, s->op), &operand, 1));
}

/* ---- mhlo ---- */

bool hlo_shlo_fusion(hlo_stablehlo *s) {
    hlo_str kind;
    if (!hlo_stablehlo_has_regions(s, 1)) return false;
    hlo_computation *c = hlo_stablehlo_region(s, &s->op->regions[0]);
    if (!c || !hlo_stablehlo_word(s, "fusion_kind", &kind)) return false;
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_FUSION_KIND, kind);
    if (!word)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE, "there is no fusion_kind %.*s",
                                  (int)kind.len, kind.ptr) != NULL;
    c->is_fusion_body = true;
    hlo_stablehlo_push_int(s, HLO_ATTR_KIND, word->number);
    hlo_stablehlo_push_computation(s, HLO_ATTR_CALLS, c);
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    hlo_stablehlo_push_operands(s);
    return hlo_stablehlo_set_results(s, hlo_stablehlo_make(s, HLO_OP_FUSION, shape));
}

bool hlo_shlo_domain(hlo_stablehlo *s) {
    hlo_str entry, exit;
    if (!hlo_stablehlo_text(s, "entry_metadata", &entry) ||
        !hlo_stablehlo_text(s, "exit_metadata", &exit))
        return false;
    char *text = hlo_arena_alloc(s->arena, (size_t)entry.len + exit.len + 48);
    int n = sprintf(text, "{kind=\"sharding\", entry=%.*s, exit=%.*s}", (int)entry.len, entry.ptr,
                    (int)exit.len, exit.ptr);
    if (!hlo_stablehlo_push_words(s, HLO_OP_DOMAIN, "domain", (hlo_str){text, (uint32_t)n, 0}))
        return false;
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    return hlo_stablehlo_set_result(
        s,
        hlo_stablehlo_make_of(s, HLO_OP_DOMAIN, hlo_stablehlo_result_shape(s, s->op), &operand, 1));
}

static hlo_computation *callee(hlo_stablehlo *s) {
    hlo_str name;
    if (!hlo_stablehlo_text(s, "called_computation", &name)) return NULL;
    return hlo_stablehlo_function_of(s, name);
}

/* The only operation of a function, whose result is returned: what the start is of. */
static const hlo_mlir_op *only_op(hlo_stablehlo *s, const hlo_mlir_op *start) {
    const hlo_mlir_attr *name = hlo_mlir_attr_of(start, "called_computation");
    if (!name || (name->kind != HLO_MLIR_SYMBOL && name->kind != HLO_MLIR_STRING)) return NULL;
    for (uint32_t i = 0; i < s->functions.n; i++) {
        const hlo_mlir_block *block = s->functions.v[i].op->regions[0].first;
        if (!hlo_str_equal(s->functions.v[i].name, name->u.text) || !block->first) continue;
        return block->first->next == block->last ? block->first : NULL;
    }
    return NULL;
}

static bool is_copy(const hlo_mlir_op *op) {
    return op && op->id == HLO_MLIR_OP_MHLO_COPY;
}

static bool start_copy(hlo_stablehlo *s, const hlo_mlir_op *copy) {
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    const hlo_mlir_attr *prefetch = hlo_mlir_attr_of(copy, "cross_program_prefetch_index");
    if (!operand) return false;
    const hlo_shape *parts[3] = {operand->shape, operand->shape,
                                 hlo_shape_scalar(&s->module->shapes, HLO_U32)};
    if (prefetch && prefetch->kind == HLO_MLIR_INT)
        hlo_stablehlo_push_int(s, HLO_ATTR_CROSS_PROGRAM_PREFETCH_INDEX, prefetch->u.i);
    return hlo_stablehlo_set_result(
        s, hlo_stablehlo_make_of(s, HLO_OP_COPY_START,
                                 hlo_shape_tuple(&s->module->shapes, parts, 3), &operand, 1));
}

bool hlo_shlo_mhlo_async_start(hlo_stablehlo *s) {
    const hlo_mlir_op *only = only_op(s, s->op);
    if (is_copy(only)) return start_copy(s, only);
    hlo_computation *c = callee(s);
    hlo_str thread;
    if (!c || !hlo_stablehlo_text(s, "execution_thread", &thread)) return false;
    c->is_async_body = true;
    if (!hlo_str_is(thread, "main")) {
        c->execution_thread =
            (hlo_str){hlo_arena_copy(s->arena, thread.ptr, thread.len), thread.len, 0};
        hlo_stablehlo_push_text(s, HLO_ATTR_ASYNC_EXECUTION_THREAD, thread);
    }
    hlo_stablehlo_push_computation(s, HLO_ATTR_CALLS, c);
    hlo_stablehlo_push_operands(s);
    return hlo_stablehlo_set_result(
        s, hlo_stablehlo_make(s, HLO_OP_ASYNC_START, hlo_stablehlo_result_shape(s, s->op)));
}

bool hlo_shlo_mhlo_async_update(hlo_stablehlo *s) {
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    return hlo_stablehlo_set_result(s, hlo_stablehlo_make_of(s, HLO_OP_ASYNC_UPDATE,
                                                             hlo_stablehlo_result_shape(s, s->op),
                                                             &operand, 1));
}

/* XLA makes a tuple of the result, even of one. */
bool hlo_shlo_mhlo_async_done(hlo_stablehlo *s) {
    const hlo_mlir_op *start = s->op->operand_count ? hlo_mlir_operand(s->op, 0)->op : NULL;
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    if (!shape) return false;
    if (start && start->id == HLO_MLIR_OP_MHLO_ASYNC_START && is_copy(only_op(s, start)))
        return hlo_stablehlo_set_results(
            s, hlo_stablehlo_make_of(s, HLO_OP_COPY_DONE, shape, &operand, 1));
    if (s->op->result_count == 1) shape = hlo_shape_tuple(&s->module->shapes, &shape, 1);
    return hlo_stablehlo_set_results(
        s, hlo_stablehlo_make_of(s, HLO_OP_ASYNC_DONE, shape, &operand, 1));
}
