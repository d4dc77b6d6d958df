/* Asynchronous calls and copies of builders: starts, updates and dones. */
#include "build/builder.h"

/* ((operands), result, u32[]). */
static const hlo_shape *start_shape(hlo_builder *b, const hlo_shape *result,
                                    hlo_instrs_list operands) {
    const hlo_shape **shapes = HLO_NEW_ARRAY(&b->module->arena, const hlo_shape *, operands.count);
    for (size_t i = 0; i < operands.count; i++) shapes[i] = operands.values[i]->shape;
    hlo_shapes_table *table = hlo_builder_shapes(b);
    const hlo_shape *parts[] = {hlo_shape_tuple(table, shapes, (uint32_t)operands.count), result,
                                hlo_shape_scalar(table, HLO_U32)};
    return hlo_shape_tuple(table, parts, 3);
}

const hlo_instr *hlo_builder_async_start(hlo_builder *b, const hlo_computation *computation,
                                         hlo_instrs_list operands, const char *thread) {
    HLO_BUILDER_TAKES(b, computation);
    if (!hlo_builder_has_list(b, __func__, operands)) return NULL;
    if (!computation->root)
        return hlo_builder_misuse(b, "async-start: a computation is still open");
    return hlo_builder_made(
        b, HLO_OP_ASYNC_START, start_shape(b, computation->root->shape, operands), operands,
        HLO_ATTRS(hlo_builder_string(b, HLO_ATTR_ASYNC_EXECUTION_THREAD, thread),
                  hlo_builder_callee(HLO_ATTR_CALLS, computation)));
}

const hlo_instr *hlo_builder_async_update(hlo_builder *b, const hlo_instr *chain,
                                          hlo_instrs_list operands) {
    HLO_BUILDER_TAKES(b, chain);
    if (!hlo_builder_has_list(b, __func__, operands)) return NULL;
    const hlo_instr **all = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, operands.count + 1);
    all[0] = chain;
    for (size_t i = 0; i < operands.count; i++) all[i + 1] = operands.values[i];
    return hlo_builder_made(b, HLO_OP_ASYNC_UPDATE, operands.count ? NULL : chain->shape,
                            (hlo_instrs_list){operands.count + 1, all}, HLO_NO_ATTRS);
}

static const hlo_instr *done(hlo_builder *b, hlo_opcode opcode, const hlo_instr *start) {
    return hlo_builder_made(b, opcode, NULL, HLO_INSTRS(start), HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_async_done(hlo_builder *b, const hlo_instr *chain) {
    HLO_BUILDER_TAKES(b, chain);
    const hlo_shape *shape = chain->shape;
    if (!hlo_shape_is_tuple(shape) || shape->rank < 2)
        return hlo_builder_fail(b, HLO_RULE_ASYNC, "async-done: %s is not the start of a call",
                                hlo_shape_name(&b->module->arena, shape));
    return hlo_builder_made(b, HLO_OP_ASYNC_DONE, shape->elements[1], HLO_INSTRS(chain),
                            HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_copy_start(hlo_builder *b, const hlo_instr *operand) {
    HLO_BUILDER_TAKES(b, operand);
    return hlo_builder_made(b, HLO_OP_COPY_START, NULL, HLO_INSTRS(operand), HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_copy_done(hlo_builder *b, const hlo_instr *start) {
    HLO_BUILDER_TAKES(b, start);
    return done(b, HLO_OP_COPY_DONE, start);
}

/* ---- dones of collectives ---- */

const hlo_instr *hlo_builder_all_gather_done(hlo_builder *b, const hlo_instr *start) {
    HLO_BUILDER_TAKES(b, start);
    return done(b, HLO_OP_ALL_GATHER_DONE, start);
}

const hlo_instr *hlo_builder_all_reduce_done(hlo_builder *b, const hlo_instr *start) {
    HLO_BUILDER_TAKES(b, start);
    return done(b, HLO_OP_ALL_REDUCE_DONE, start);
}

const hlo_instr *hlo_builder_collective_permute_done(hlo_builder *b, const hlo_instr *start) {
    HLO_BUILDER_TAKES(b, start);
    return done(b, HLO_OP_COLLECTIVE_PERMUTE_DONE, start);
}
