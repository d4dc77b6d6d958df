/* zero_sized_hlo_elimination: nothing needs to be computed for an array without elements. A
 * pattern. */
#include "passes/pipeline/emit.h"

/* The text of a constant has a pair of braces for each index before the dimension of size 0; more
 * of them than this are worse than the operation. */
#define MOST_BRACES (INT64_C(1) << 16)

static bool is_short(const hlo_shape *shape) {
    int64_t braces = 1;
    for (uint32_t d = 0; d < shape->rank && shape->dims[d]; d++)
        if (shape->dims[d] > MOST_BRACES || (braces *= shape->dims[d]) > MOST_BRACES) return false;
    return true;
}

hlo_instr *hlo_rewrite_zero_sized(hlo_rewriter *r, hlo_instr *instr) {
    bool stays = instr->opcode == HLO_OP_PARAMETER || instr->opcode == HLO_OP_CONSTANT ||
                 hlo_info(instr)->class == HLO_CLASS_CONTROL ||
                 hlo_info(instr)->class == HLO_CLASS_HOST;
    if (stays || hlo_shape_elements(instr->shape) != 0 || !is_short(instr->shape)) return NULL;
    return hlo_emit_constant(r, hlo_literal_new(&r->module->arena, instr->shape));
}
