/* Arrays through tuples: see dataflow.h. */
#include "analysis/dataflow.h"

bool hlo_hands_on(const hlo_instr *instr) {
    return hlo_info(instr)->flags & HLO_OP_IS_ALIAS;
}

/* The instruction's result is in the memory of its first operand. */
static bool takes_memory(const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_WHILE) return true;
    return hlo_hands_on(instr) && instr->operand_count > 0;
}

/* ---- filling ---- */

static void push_leaves(hlo_dataflow *flow, uint32_t from, uint32_t n) {
    HLO_ASSERT(from <= flow->leaves.n && n <= flow->leaves.n - from);
    for (uint32_t i = 0; i < n; i++) hlo_list_push(&flow->leaves, flow->leaves.v[from + i]);
}

/* Recursion is as deep as tuples nest, which the parser limits. */
static void push_new(hlo_dataflow *flow, const hlo_instr *maker, const hlo_shape *shape,
                     uint32_t *leaf) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++) push_new(flow, maker, shape->elements[i], leaf);
        return;
    }
    hlo_list_push(&flow->leaves, flow->buffers.n);
    hlo_list_push(&flow->buffers, (hlo_buffer){maker, (*leaf)++, shape});
}

/* ---- elements ---- */

static uint32_t *new_positions(const hlo_shape *tuple) {
    HLO_ASSERT(hlo_shape_is_tuple(tuple));
    uint32_t *positions = hlo_malloc((tuple->rank + 1u) * sizeof *positions);
    positions[0] = 0;
    for (uint32_t i = 0; i < tuple->rank; i++)
        positions[i + 1] = positions[i] + hlo_shape_leaf_count(tuple->elements[i]);
    return positions;
}

/* An element's leaves are a part of the tuple's. */
static void push_element(hlo_dataflow *flow, const hlo_instr *element) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    const hlo_instr *tuple = hlo_operand(element, 0);
    uint32_t index = (uint32_t)hlo_attr_int(element, HLO_ATTR_INDEX);
    uint32_t from = flow->first[tuple->index];
    if (tuple->shape->depth == 1) {
        push_leaves(flow, from + index, 1);
        return;
    }
    uint32_t **positions = &flow->positions[tuple->index];
    if (!*positions) *positions = new_positions(tuple->shape);
    push_leaves(flow, from + (*positions)[index], (*positions)[index + 1] - (*positions)[index]);
}

static void push_operand(hlo_dataflow *flow, const hlo_instr *operand) {
    push_leaves(flow, flow->first[operand->index], hlo_dataflow_leaf_count(flow, operand));
}

static void push_value(hlo_dataflow *flow, const hlo_instr *instr) {
    uint32_t leaf = 0;
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT) push_element(flow, instr);
    else if (instr->opcode == HLO_OP_TUPLE)
        for (uint32_t i = 0; i < instr->operand_count; i++)
            push_operand(flow, hlo_operand(instr, i));
    else if (takes_memory(instr) && hlo_shape_leaf_count(instr->shape) ==
                                        hlo_dataflow_leaf_count(flow, hlo_operand(instr, 0)))
        push_operand(flow, hlo_operand(instr, 0));
    else push_new(flow, instr, instr->shape, &leaf);
}

void hlo_dataflow_init(hlo_dataflow *flow, hlo_computation *c) {
    *flow = (hlo_dataflow){0};
    hlo_number_instructions(c);
    flow->first = hlo_calloc(c->instr_count + 2u, sizeof *flow->first);
    flow->positions = hlo_calloc(c->instr_count + 1u, sizeof *flow->positions);
    for (const hlo_instr *i = c->first; i; i = i->next, flow->count++) {
        push_value(flow, i);
        HLO_ASSERT(flow->first[flow->count] <= flow->leaves.n);
        flow->first[flow->count + 1] = flow->leaves.n;
    }
}

void hlo_dataflow_free(hlo_dataflow *flow) {
    for (uint32_t i = 0; i < flow->count; i++) hlo_free(flow->positions[i]);
    hlo_free(flow->positions);
    hlo_free(flow->first);
    hlo_list_free(&flow->leaves);
    hlo_list_free(&flow->buffers);
}
