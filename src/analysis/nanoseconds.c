/* How long instructions take: see cost.h. */
#include "analysis/cost.h"

/* Of plain code on one core; what depends on values is guessed. */
static const double PER_INSTRUCTION = 50, PER_ELEMENT = 0.5, PER_BYTE = 0.125, PER_FUNCTION = 8,
                    PER_FLOP = 0.04, PER_SORTED = 100, PER_SOLVED = 50, ITERATIONS = 10;

static double operand_elements(const hlo_instr *instr) {
    double sum = 0;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        sum += hlo_leaf_elements(hlo_operand(instr, i)->shape);
    return sum;
}

/* What computes little and touches more: in the evaluator arrays are in logical order, so that all
 * transposes move their elements. */
static double moved(const hlo_instr *instr) {
    hlo_op_traffic traffic = hlo_info(instr)->traffic;
    if (traffic == HLO_TRAFFIC_ALL || traffic == HLO_TRAFFIC_TRANSPOSE)
        return (operand_elements(instr) + hlo_leaf_elements(instr->shape)) * PER_ELEMENT;
    return hlo_touched_bytes(instr) * PER_BYTE;
}

static double worked(const hlo_instr *instr, double called) {
    double out = hlo_leaf_elements(instr->shape), in = operand_elements(instr);
    switch (hlo_info(instr)->work) {
    case HLO_WORK_CALL:
    case HLO_WORK_FUSION: return instr->opcode == HLO_OP_WHILE ? ITERATIONS * called : called;
    case HLO_WORK_APPLY: /* scans to slices, others to elements, which vector code does */
        return instr->opcode == HLO_OP_SCAN ? ITERATIONS * called : moved(instr);
    case HLO_WORK_FUNCTION: return out * PER_FUNCTION;
    case HLO_WORK_DOT:
    case HLO_WORK_RAGGED_DOT:
    case HLO_WORK_CONVOLUTION: return hlo_own_flops(instr) * PER_FLOP;
    case HLO_WORK_SORT:
    case HLO_WORK_TOPK: return in * PER_SORTED;
    case HLO_WORK_FFT: return out * PER_SORTED;
    case HLO_WORK_SOLVE:
    case HLO_WORK_CHOLESKY:
    case HLO_WORK_FOREIGN: return (in + out) * PER_SOLVED;
    case HLO_WORK_NONE:
    case HLO_WORK_ELEMENT:
    case HLO_WORK_COUNT: break;
    }
    return moved(instr);
}

double hlo_instr_nanoseconds(const hlo_instr *instr, double called) {
    bool is_view = hlo_info(instr)->result == HLO_RESULT_VIEW;
    return is_view ? PER_INSTRUCTION : PER_INSTRUCTION + worked(instr, called);
}
