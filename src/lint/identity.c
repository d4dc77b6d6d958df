/* Lint: operations whose result is their operand. */
#include "lint/linter.h"

static bool same_shape(const hlo_instr *instr) {
    return instr->shape == hlo_operand(instr, 0)->shape;
}

static bool is_ascending(const hlo_ints *list) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] != (int64_t)i) return false;
    return true;
}

static bool takes_all(const hlo_instr *slice) {
    HLO_ASSERT(slice->opcode == HLO_OP_SLICE);
    const hlo_slice *cut = hlo_instr_attr(slice, HLO_ATTR_SLICE)->u.slice;
    for (uint32_t d = 0; d < cut->n; d++)
        if (cut->v[d].start != 0 || cut->v[d].stride != 1) return false;
    return same_shape(slice);
}

static bool pads_nothing(const hlo_instr *pad) {
    HLO_ASSERT(pad->opcode == HLO_OP_PAD);
    const hlo_padding *padding = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    for (uint32_t d = 0; d < padding->n; d++)
        if (padding->v[d].low || padding->v[d].high || padding->v[d].interior) return false;
    return true;
}

static bool reverses_nothing(const hlo_instr *instr) {
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    for (uint32_t i = 0; i < dims->n; i++)
        if (instr->shape->dims[dims->v[i]] > 1 || instr->shape->dynamic) return false;
    return true;
}

/* Neutral on the right for all of these, on the left for the commutative ones. */
static bool neutral_value(const hlo_instr *instr, double *value) {
    switch (instr->opcode) {
    case HLO_OP_ADD:
    case HLO_OP_SUBTRACT:
    case HLO_OP_OR:
    case HLO_OP_XOR:
    case HLO_OP_SHIFT_LEFT:
    case HLO_OP_SHIFT_RIGHT_ARITHMETIC:
    case HLO_OP_SHIFT_RIGHT_LOGICAL: *value = 0; return true;
    case HLO_OP_MULTIPLY:
    case HLO_OP_DIVIDE:
    case HLO_OP_POWER: *value = 1; return true;
    default: return false;
    }
}

static const char *arithmetic_reason(const hlo_instr *instr) {
    double neutral;
    if (!neutral_value(instr, &neutral)) return NULL;
    bool commutes = hlo_info(instr)->flags & HLO_OP_IS_COMMUTATIVE;
    for (uint32_t i = commutes ? 0 : 1; i < 2; i++)
        if (hlo_operand(instr, 1 - i)->shape == instr->shape &&
            hlo_lint_is_constant(hlo_operand(instr, i), neutral))
            return neutral == 0 ? "one operand is 0" : "one operand is 1";
    return NULL;
}

/* Why the result is the operand, or NULL. */
static const char *reason(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_BITCAST_CONVERT:
    case HLO_OP_CONVERT:
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
        return same_shape(instr) ? "the result has the shape of the operand" : NULL;
    case HLO_OP_BROADCAST:
    case HLO_OP_TRANSPOSE:
        return same_shape(instr) && is_ascending(hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS))
                   ? "the permutation is the identity"
                   : NULL;
    case HLO_OP_SLICE: return takes_all(instr) ? "it covers the whole operand" : NULL;
    case HLO_OP_PAD: return pads_nothing(instr) ? "all padding is 0" : NULL;
    case HLO_OP_REVERSE:
        return reverses_nothing(instr) ? "no reversed dimension has two elements" : NULL;
    case HLO_OP_CONCATENATE: return instr->operand_count == 1 ? "it has one operand" : NULL;
    default: return arithmetic_reason(instr);
    }
}

/* An identity may exist to carry a sharding, and a copy in a scheduled module to give the value its
 * own buffer. */
static bool has_purpose(const hlo_linter *l, const hlo_instr *instr) {
    return hlo_instr_attr(instr, HLO_ATTR_SHARDING) ||
           (instr->opcode == HLO_OP_COPY && hlo_module_flag(l->module, HLO_ATTR_IS_SCHEDULED));
}

void hlo_lint_identity_operation(hlo_linter *l, const hlo_instr *instr) {
    if (has_purpose(l, instr)) return;
    const char *why = reason(instr);
    if (why) hlo_lint_report(l, HLO_RULE_IDENTITY_OPERATION, instr, "it has no effect: %s", why);
}
