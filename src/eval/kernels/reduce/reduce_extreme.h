/* Reductions to an extreme element and its position. */
#ifndef HLO_EVAL_KERNELS_REDUCE_REDUCE_EXTREME_H
#define HLO_EVAL_KERNELS_REDUCE_REDUCE_EXTREME_H

#include "eval/kernel/kernel.h"

typedef struct hlo_extreme hlo_extreme;

/* How the reduce is computed; NULL when it is something else (extreme_rule.h). */
const hlo_extreme *hlo_extreme_new(hlo_arena *arena, const hlo_instr *reduce);

/* Computes both results. The operand with the positions is not read. */
bool hlo_reduce_to_extreme(const hlo_extreme *extreme, hlo_call *call);

/* Rows of neighbours one after the other, or a part of one. */
typedef struct {
    const void *init[2]; /* value and position */
    char *best[2];       /* the same of the first row: results, which are accumulators */
    const char *elements;
    int64_t count, n, first; /* rows, elements of each, and the position of their first one */
    bool starts;             /* else the results have what comes before */
} hlo_extreme_rows;

void hlo_extreme_of_rows(const hlo_extreme *e, const hlo_extreme_rows *rows);

/* What the kernel of reduce gets as in[operand]: the positions' initial value in the place
 * of positions that it does not read. Called through kernels.def. */
hlo_instr *hlo_given_to_reduce(const hlo_instr *instr, uint32_t operand);

#endif
