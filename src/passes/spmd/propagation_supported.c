/* Which instructions shardings pass, and when: XLA's lists. */
#include "passes/spmd/propagation.h"

/* ---- kinds of instructions ---- */

bool hlo_is_elementwise_here(const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_BITCAST_CONVERT &&
        instr->shape->rank != hlo_operand(instr, 0)->shape->rank)
        return false;
    return hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE;
}

static bool is_among(const hlo_instr *call, const char *const *targets, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (hlo_calls_target(call, targets[i])) return true;
    return false;
}

bool hlo_is_passthrough_call(const hlo_instr *call) {
    static const char *const always[] = {"Sharding", "X64Combine", "LayoutConstraint"};
    static const char *const like_operand[] = {
        "ResizeNearest", "ResizeBilinear", "ResizeNearestGrad", "ResizeBilinearGrad", "Cholesky",
        "MoveToHost",    "MoveToDevice",   "PinToDevice",       "PinToDeviceSram"};
    if (call->operand_count && is_among(call, always, sizeof always / sizeof *always)) return true;
    if (call->operand_count != 1 || !hlo_shape_is_array(call->shape)) return false;
    const hlo_shape *operand = hlo_operand(call, 0)->shape;
    return hlo_shape_is_array(operand) && operand->rank == call->shape->rank &&
           is_among(call, like_operand, sizeof like_operand / sizeof *like_operand);
}

bool hlo_passes_at_level(const hlo_instr *instr, int level) {
    if (hlo_is_elementwise_here(instr) || hlo_calls_target(instr, "Sharding")) return true;
    switch (instr->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_CONCATENATE:
    case HLO_OP_DYNAMIC_SLICE:
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_RESHAPE:
    case HLO_OP_TUPLE:
    case HLO_OP_TRANSPOSE:
    case HLO_OP_WHILE: return true;
    case HLO_OP_BROADCAST: return level >= 2;
    default: return level >= 1;
    }
}

/* ---- what can be split ---- */

static bool can_call_be_split(const hlo_propagation *p, const hlo_instr *call) {
    return p->is_spmd && (hlo_is_passthrough_call(call) || hlo_is_shard_barrier_from(call) ||
                          hlo_is_shard_barrier_to(call) || hlo_call_batch_dims(call));
}

static bool can_opcode_be_split(hlo_opcode opcode) {
    HLO_ASSERT(opcode < HLO_OP_COUNT);
    switch (opcode) {
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_BROADCAST:
    case HLO_OP_COLLECTIVE_PERMUTE:
    case HLO_OP_CONCATENATE:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_CONSTANT:
    case HLO_OP_CONVOLUTION:
    case HLO_OP_DOT:
    case HLO_OP_DYNAMIC_SLICE:
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
    case HLO_OP_GATHER:
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_INFEED:
    case HLO_OP_IOTA:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_PAD:
    case HLO_OP_REDUCE:
    case HLO_OP_REDUCE_SCATTER:
    case HLO_OP_REDUCE_WINDOW:
    case HLO_OP_RESHAPE:
    case HLO_OP_RNG_BIT_GENERATOR:
    case HLO_OP_SCAN:
    case HLO_OP_SCATTER:
    case HLO_OP_SELECT_AND_SCATTER:
    case HLO_OP_SLICE:
    case HLO_OP_SORT:
    case HLO_OP_TRANSPOSE:
    case HLO_OP_TUPLE:
    case HLO_OP_WHILE: return true;
    default: return false;
    }
}

bool hlo_can_be_split(const hlo_propagation *p, const hlo_instr *instr, bool to_output,
                      bool to_parameters) {
    const hlo_computation *c = instr->parent;
    bool is_called = p->callers[c->id] != NULL;
    if (c->root == instr && !is_called && !(c == p->module->entry && to_output)) return false;
    if (hlo_is_elementwise_here(instr)) return true;
    switch (instr->opcode) {
    case HLO_OP_PARAMETER: return to_parameters || is_called;
    case HLO_OP_REVERSE: return p->is_spmd;
    case HLO_OP_CUSTOM_CALL: return can_call_be_split(p, instr);
    default: return can_opcode_be_split((hlo_opcode)instr->opcode);
    }
}

/* ---- operands that decide ---- */

static const hlo_instr *most_specific_operand(const hlo_propagation *p, const hlo_instr *instr) {
    const hlo_instr *best = NULL;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        const hlo_sharding *s = hlo_sharding_on(p, operand);
        if (!s) continue;
        if (!best || hlo_sharding_is_more_specific(s, hlo_sharding_on(p, best))) best = operand;
    }
    return best;
}

const hlo_instr *hlo_leading_operand(const hlo_propagation *p, const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_MAP:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_PAD:
    case HLO_OP_POWER:
    case HLO_OP_RAGGED_ALL_TO_ALL:
    case HLO_OP_REVERSE:
    case HLO_OP_SHIFT_LEFT:
    case HLO_OP_SHIFT_RIGHT_ARITHMETIC:
    case HLO_OP_SHIFT_RIGHT_LOGICAL:
    case HLO_OP_SLICE: return hlo_operand(instr, 0);
    case HLO_OP_ALL_GATHER:
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_ALL_TO_ALL:
    case HLO_OP_BITCAST_CONVERT:
    case HLO_OP_COLLECTIVE_BROADCAST:
    case HLO_OP_COLLECTIVE_PERMUTE:
    case HLO_OP_CONCATENATE:
    case HLO_OP_REDUCE_SCATTER:
    case HLO_OP_SORT:
    case HLO_OP_TOPK:
    case HLO_OP_WHILE: return most_specific_operand(p, instr);
    case HLO_OP_CUSTOM_CALL: return hlo_is_passthrough_call(instr) ? hlo_operand(instr, 0) : NULL;
    default: return hlo_is_elementwise_here(instr) ? most_specific_operand(p, instr) : NULL;
    }
}
