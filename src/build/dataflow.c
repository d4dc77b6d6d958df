/* Primitives of dataflow graphs, and stacks, for builders. */
#include "build/builder.h"
#include "shape/compatible.h"

/* A module with a primitive is a graph. */
static const hlo_instr *made(hlo_builder *b, hlo_opcode opcode, const hlo_shape *shape,
                             hlo_instrs_list operands, const hlo_attr *attrs, size_t attr_count) {
    if (!hlo_module_flag(b->module, HLO_ATTR_IS_DATAFLOW))
        hlo_module_set_attr(b->module, (hlo_attr){.id = HLO_ATTR_IS_DATAFLOW, .u.i = 1});
    return hlo_builder_made(b, opcode, shape, operands, attrs, attr_count);
}

/* ---- branches ---- */

const hlo_instr *hlo_builder_switch(hlo_builder *b, const hlo_instr *value,
                                    const hlo_instr *predicate) {
    HLO_BUILDER_TAKES(b, value, predicate);
    return made(b, HLO_OP_SWITCH, NULL, HLO_INSTRS(value, predicate), HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_merge(hlo_builder *b, hlo_instrs_list operands) {
    HLO_BUILDER_CALL(b, NULL);
    return made(b, HLO_OP_MERGE, NULL, operands, HLO_NO_ATTRS);
}

/* ---- loops ---- */

const hlo_instr *hlo_builder_enter(hlo_builder *b, const hlo_instr *operand, const char *frame_name,
                                   bool is_constant, int64_t parallel_iterations) {
    HLO_BUILDER_TAKES(b, operand, frame_name);
    return made(b, HLO_OP_ENTER, NULL, HLO_INSTRS(operand),
                HLO_ATTRS(hlo_builder_string(b, HLO_ATTR_FRAME_NAME, frame_name),
                          hlo_builder_flag(HLO_ATTR_IS_CONSTANT, is_constant),
                          parallel_iterations
                              ? hlo_builder_int(HLO_ATTR_PARALLEL_ITERATIONS, parallel_iterations)
                              : hlo_builder_no_attr()));
}

const hlo_instr *hlo_builder_exit(hlo_builder *b, const hlo_instr *operand) {
    HLO_BUILDER_TAKES(b, operand);
    return made(b, HLO_OP_EXIT, NULL, HLO_INSTRS(operand), HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_next_iteration(hlo_builder *b, const hlo_instr *operand) {
    HLO_BUILDER_TAKES(b, operand);
    return made(b, HLO_OP_NEXT_ITERATION, NULL, HLO_INSTRS(operand), HLO_NO_ATTRS);
}

/* ---- back edges ---- */

static bool check_end(hlo_builder *b, const hlo_instr *instr, hlo_opcode opcode) {
    if (instr->opcode != opcode)
        hlo_builder_misuse(b, "a back edge has a %s, not '%.*s'", hlo_ops[opcode].text,
                           (int)instr->name->len, instr->name->ptr);
    else if (instr->parent != b->frame->computation)
        hlo_builder_misuse(b, "a back edge in another computation: '%.*s'", (int)instr->name->len,
                           instr->name->ptr);
    return !hlo_builder_failed(b);
}

static bool check_back_edge(hlo_builder *b, const hlo_instr *merge, const hlo_instr *next) {
    if (!check_end(b, merge, HLO_OP_MERGE) || !check_end(b, next, HLO_OP_NEXT_ITERATION))
        return false;
    if (hlo_back_edge(merge))
        hlo_builder_misuse(b, "'%.*s' has a back edge", (int)merge->name->len, merge->name->ptr);
    else if (!hlo_shapes_compatible(merge->shape, next->shape, 0))
        hlo_builder_fail(b, HLO_RULE_BACK_EDGE, "merge: operand 0 is %s and the next iteration %s",
                         hlo_shape_name(&b->module->arena, merge->shape),
                         hlo_shape_name(&b->module->arena, next->shape));
    return !hlo_builder_failed(b);
}

void hlo_builder_set_back_edge(hlo_builder *b, const hlo_instr *merge, const hlo_instr *next) {
    HLO_BUILDER_CALL(b, (void)0);
    if (!merge || !next) hlo_builder_misuse(b, "%s: an argument is NULL", __func__);
    else if (check_back_edge(b, merge, next))
        hlo_instr_set_back_edge((hlo_instr *)(uintptr_t)merge, (hlo_instr *)(uintptr_t)next);
}

/* ---- edges between devices ---- */

const hlo_instr *hlo_builder_edge_send(hlo_builder *b, const hlo_instr *operand, const char *key,
                                       int64_t to_device) {
    HLO_BUILDER_TAKES(b, operand, key);
    return made(b, HLO_OP_EDGE_SEND, NULL, HLO_INSTRS(operand),
                HLO_ATTRS(hlo_builder_string(b, HLO_ATTR_KEY, key),
                          hlo_builder_int(HLO_ATTR_TO_DEVICE, to_device)));
}

const hlo_instr *hlo_builder_edge_recv(hlo_builder *b, const hlo_shape *shape, const char *key,
                                       int64_t from_device) {
    HLO_BUILDER_TAKES(b, shape, key);
    return made(b, HLO_OP_EDGE_RECV, shape, HLO_NO_INSTRS,
                HLO_ATTRS(hlo_builder_string(b, HLO_ATTR_KEY, key),
                          hlo_builder_int(HLO_ATTR_FROM_DEVICE, from_device)));
}

/* ---- stacks, in graphs and elsewhere ---- */

const hlo_instr *hlo_builder_stack_create(hlo_builder *b, const hlo_shape *element) {
    HLO_BUILDER_TAKES(b, element);
    const hlo_shape *own = hlo_builder_own_shape(b, element);
    return hlo_builder_made(b, HLO_OP_STACK_CREATE, NULL, HLO_NO_INSTRS,
                            HLO_ATTRS((hlo_attr){.id = HLO_ATTR_ELEMENT, .u.shape = own}));
}

const hlo_instr *hlo_builder_stack_push(hlo_builder *b, const hlo_instr *stack,
                                        const hlo_instr *value) {
    HLO_BUILDER_TAKES(b, stack, value);
    return hlo_builder_made(b, HLO_OP_STACK_PUSH, NULL, HLO_INSTRS(stack, value), HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_stack_pop(hlo_builder *b, const hlo_instr *stack,
                                       const hlo_shape *element) {
    HLO_BUILDER_TAKES(b, stack, element);
    const hlo_shape *pair[] = {stack->shape, hlo_builder_own_shape(b, element)};
    const hlo_shape *shape = hlo_shape_tuple(hlo_builder_shapes(b), pair, 2);
    return hlo_builder_made(b, HLO_OP_STACK_POP, shape, HLO_INSTRS(stack), HLO_NO_ATTRS);
}
