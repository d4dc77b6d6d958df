/* tuple-simplifier: tuples that are made only to be taken apart, and taken apart only to be made.
 * Patterns. */
#include "passes/pipeline/rewrite.h"

hlo_instr *hlo_rewrite_element_of_tuple(hlo_rewriter *r, hlo_instr *element) {
    (void)r;
    hlo_instr *tuple = hlo_operand(element, 0);
    int64_t index = hlo_attr_int(element, HLO_ATTR_INDEX);
    if (tuple->opcode != HLO_OP_TUPLE || index < 0 || index >= tuple->operand_count) return NULL;
    return hlo_operand(tuple, (uint32_t)index);
}

hlo_instr *hlo_rewrite_tuple_of_elements(hlo_rewriter *r, hlo_instr *tuple) {
    (void)r;
    hlo_instr *whole = NULL;
    for (uint32_t i = 0; i < tuple->operand_count; i++) {
        const hlo_instr *element = hlo_operand(tuple, i);
        if (element->opcode != HLO_OP_GET_TUPLE_ELEMENT) return NULL;
        if (hlo_attr_int(element, HLO_ATTR_INDEX) != i) return NULL;
        if (i && hlo_operand(element, 0) != whole) return NULL;
        whole = hlo_operand(element, 0);
    }
    return whole;
}
