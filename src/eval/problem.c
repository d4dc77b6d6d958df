/* What the verifier accepts, as XLA's does, and no kernel can compute: operations whose result XLA
 * leaves undefined. Called when
 * programs are made. */
#include <stdio.h>

#include "eval/plan.h"
#include "eval/ref/words.h"

/* XLA's verifier compares the lengths of RFFT and IRFFT only; what its backends make of other
 * lengths in FFT and IFFT is an assertion or bytes that nobody wrote. */
static const char *fft_problem(const hlo_instr *instr, hlo_arena *arena) {
    if (hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "RFFT") ||
        hlo_attr_is(instr, HLO_ATTR_FFT_TYPE, "IRFFT"))
        return NULL;
    const hlo_ints *lengths = hlo_attr_ints(instr, HLO_ATTR_FFT_LENGTH);
    const hlo_instr *operand = hlo_operand(instr, 0);
    uint32_t first = operand->shape->rank - lengths->n;
    uint32_t i = 0;
    while (i < lengths->n && lengths->v[i] == operand->shape->dims[first + i]) i++;
    if (i == lengths->n) return NULL;
    enum { BYTES = 256 };
    char *text = hlo_arena_alloc(arena, BYTES);
    snprintf(text, BYTES, "has the length %lld for dimension %u of %s", (long long)lengths->v[i],
             first + i, hlo_shape_name(arena, operand->shape));
    return text;
}

const char *hlo_eval_problem(const hlo_instr *instr, hlo_rule *rule, hlo_arena *arena) {
    if (instr->opcode != HLO_OP_FFT) return NULL;
    *rule = HLO_RULE_FFT_LENGTH;
    return fft_problem(instr, arena);
}
