/* Running combinations (cumulative sums, maxima and the like): reduce-windows each of which covers
 * all that comes before (after) it in one dimension. */
#ifndef HLO_EVAL_KERNELS_REDUCE_RUNNING_WINDOW_H
#define HLO_EVAL_KERNELS_REDUCE_RUNNING_WINDOW_H

#include "eval/kernel/combine.h"

typedef enum { HLO_NOT_RUNNING, HLO_FORWARD, HLO_BACKWARD } hlo_direction;

/* Rows of `inner` results, `size` of them in a line. */
typedef struct {
    hlo_direction way;
    uint32_t dimension; /* that it runs along */
    int64_t inner, size, lines;
} hlo_running;

/* Whether every result combines what comes before it (after it) in one dimension, all of it. */
hlo_running hlo_find_running(const hlo_window *window, const hlo_shape *operand,
                             const hlo_shape *result);

/* For a combiner that was promoted to accumulators of `type`: computes the call's result from its
 * operand and its initial value, without memory for accumulators. */
void hlo_run_combination(const hlo_running *running, const hlo_combiner *combiner, hlo_type type,
                         hlo_call *call);

#endif
