/* Custom calls of TopK: see topk_call.h. */
#include "analysis/topk_call.h"

bool hlo_calls_topk(const hlo_instr *call) {
    HLO_ASSERT(call->opcode == HLO_OP_CUSTOM_CALL);
    const hlo_shape *result = call->shape;
    if (call->operand_count != 1 || !hlo_shape_is_tuple(result) || result->rank != 2) return false;
    const hlo_shape *operand = hlo_operand(call, 0)->shape;
    const hlo_shape *values = result->elements[0], *positions = result->elements[1];
    if (!hlo_shape_is_array(operand) || operand->rank == 0 || values->type != operand->type ||
        values->rank != operand->rank || positions->type != HLO_S32 ||
        positions->rank != operand->rank)
        return false;
    uint32_t last = operand->rank - 1;
    for (uint32_t d = 0; d < operand->rank; d++) {
        bool fits =
            d == last ? values->dims[d] <= operand->dims[d] : values->dims[d] == operand->dims[d];
        if (!fits || positions->dims[d] != values->dims[d]) return false;
    }
    return true;
}
