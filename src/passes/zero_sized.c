/* zero_sized_hlo_elimination: nothing needs to be computed for an array without elements. A
 * pattern, called by patterns.c. */
#include "passes/emit.h"

hlo_instr *hlo_rewrite_zero_sized(hlo_rewriter *r, hlo_instr *instr) {
    bool stays = instr->opcode == HLO_OP_PARAMETER || instr->opcode == HLO_OP_CONSTANT ||
                 hlo_info(instr)->class == HLO_CLASS_CONTROL ||
                 hlo_info(instr)->class == HLO_CLASS_HOST;
    if (stays || hlo_shape_elements(instr->shape) != 0) return NULL;
    return hlo_emit_constant(r, hlo_literal_new(&r->module->arena, instr->shape));
}
