/* What instructions cost, roughly: enough to tell those that are worth a thread of their own.
 * Called when plans are made. */
#include "eval/plan.h"

/* Nanoseconds by element or product of plain code on one core, and guesses: iterations of a loop,
 * work on an element of a custom call. */
static const double PER_ELEMENT = 0.5, PER_FUNCTION = 8, PER_PRODUCT = 0.08, PER_SORTED = 100,
                    PER_CUSTOM = 50, ITERATIONS = 10, PER_INSTRUCTION = 50;
static const double IN_PROGRESS = -1;

static double elements(const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) {
        int64_t count = hlo_shape_elements(shape);
        return count > 0 ? (double)count : 0;
    }
    double sum = 0;
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++)
        sum += elements(shape->elements[i]);
    return sum;
}

static double operand_elements(const hlo_instr *instr) {
    double sum = 0;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        sum += elements(hlo_operand(instr, i)->shape);
    return sum;
}

/* Products that meet in one element of a dot's result. */
static double contracted(const hlo_instr *instr) {
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_shape *lhs = hlo_operand(instr, 0)->shape;
    double count = 1;
    for (uint32_t i = 0; dims && i < dims->n; i++) count *= (double)lhs->dims[dims->v[i]];
    return count;
}

/* The same of a convolution's: all of the kernel but its output features. */
static double kernel_depth(const hlo_instr *instr) {
    const hlo_attr *labels = hlo_instr_attr(instr, HLO_ATTR_DIM_LABELS);
    const hlo_shape *kernel = hlo_operand(instr, 1)->shape;
    double features =
        labels ? (double)kernel->dims[labels->u.dim_labels->kernel_output_feature] : 1;
    return features > 0 ? elements(kernel) / features : 0;
}

static double cost_of_computation(hlo_making *making, const hlo_computation *computation) {
    double *known = &making->costs[computation->id];
    if (*known > 0) return *known;
    /* What calls itself, or is called too deep, the run reports. */
    if (*known == IN_PROGRESS || making->cost_depth >= HLO_EVAL_MAX_DEPTH) return 0;
    *known = IN_PROGRESS;
    making->cost_depth++;
    double sum = PER_INSTRUCTION;
    for (const hlo_instr *instr = computation->first; instr; instr = instr->next)
        sum += hlo_making_cost(making, instr);
    making->cost_depth--;
    *known = sum;
    return sum;
}

static double cost_of_call(hlo_making *making, const hlo_instr *instr) {
    double sum = 0;
    uint32_t called = hlo_called_count(instr);
    for (uint32_t k = 0; k < called; k++)
        if (hlo_called(instr, k)) sum += cost_of_computation(making, hlo_called(instr, k));
    return instr->opcode == HLO_OP_WHILE || instr->opcode == HLO_OP_SCAN ? ITERATIONS * sum : sum;
}

/* Functions of libm, and complex numbers. */
static bool is_function(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_ADD:
    case HLO_OP_SUBTRACT:
    case HLO_OP_MULTIPLY:
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM:
    case HLO_OP_NEGATE:
    case HLO_OP_ABS:
    case HLO_OP_SELECT:
    case HLO_OP_COMPARE:
    case HLO_OP_AND:
    case HLO_OP_OR:
    case HLO_OP_NOT: return false;
    default: return true;
    }
}

double hlo_making_cost(hlo_making *making, const hlo_instr *instr) {
    double out = elements(instr->shape), in = operand_elements(instr);
    switch (instr->opcode) {
    case HLO_OP_PARAMETER:
    case HLO_OP_CONSTANT:
    case HLO_OP_TUPLE:
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_BITCAST:
    case HLO_OP_RESHAPE:
    case HLO_OP_COPY: return PER_INSTRUCTION;
    case HLO_OP_CALL:
    case HLO_OP_FUSION:
    case HLO_OP_WHILE:
    case HLO_OP_SCAN:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_ASYNC_START: return cost_of_call(making, instr);
    case HLO_OP_DOT:
    case HLO_OP_SCALED_DOT:
    case HLO_OP_RAGGED_DOT: return out * contracted(instr) * PER_PRODUCT;
    case HLO_OP_CONVOLUTION: return out * kernel_depth(instr) * PER_PRODUCT;
    case HLO_OP_SORT:
    case HLO_OP_TOPK: return in * PER_SORTED;
    case HLO_OP_FFT: return out * PER_SORTED;
    case HLO_OP_CUSTOM_CALL:
    case HLO_OP_CHOLESKY:
    case HLO_OP_TRIANGULAR_SOLVE: return (in + out) * PER_CUSTOM;
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        return elements(hlo_operand(instr, 1)->shape) * PER_ELEMENT + PER_INSTRUCTION;
    default: break;
    }
    bool is_slow = (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) && is_function(instr);
    return PER_INSTRUCTION + (is_slow ? out * PER_FUNCTION : (in + out) * PER_ELEMENT);
}
