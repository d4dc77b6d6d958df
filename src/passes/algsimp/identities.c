/* algsimp: operations with a neutral or absorbing operand. Patterns, called by patterns.c. */
#include "passes/match.h"
#include "passes/rewrite.h"

hlo_instr *hlo_rewrite_add_zero(hlo_rewriter *r, hlo_instr *add) {
    (void)r;
    return hlo_is_all(hlo_operand(add, 1), 0) ? hlo_operand(add, 0) : NULL;
}

hlo_instr *hlo_rewrite_zero_add(hlo_rewriter *r, hlo_instr *add) {
    (void)r;
    return hlo_is_all(hlo_operand(add, 0), 0) ? hlo_operand(add, 1) : NULL;
}
