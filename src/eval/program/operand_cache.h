/* What kernels keep of operands that stay the same: for whom, for how long, and where. What a run
 * does with it is in eval/run/operand_cache_run.h. */
#ifndef HLO_EVAL_PROGRAM_OPERAND_CACHE_H
#define HLO_EVAL_PROGRAM_OPERAND_CACHE_H

#include <stdatomic.h>

#include "eval/program/plan.h"

/* Of an operand that is a constant, for the program; of a steady parameter until it is forgotten;
 * else as long as a loop runs. */
struct hlo_cached {
    const hlo_plan_step *step; /* whose kernel, or that of a product inside, keeps it */
    const hlo_instr *instr;    /* of the kernel */
    uint32_t operand;
    const hlo_instr
        *loop; /* the outermost that passes the operand on; NULL: a constant or steady */
    bool is_steady;
    uint64_t bytes;   /* a multiple of 64; 0: there is no memory for it */
    uint64_t at;      /* in the program's memory, or in that of a run */
    uint32_t number;  /* of those for loops */
    hlo_cached *next; /* of the program */
    hlo_cached *next_of_loop;
    _Atomic uint8_t state; /* of a constant's, a steady one's: hlo_cached_state */
};

/* Who finds it empty makes it; who finds it being made does without. */
typedef enum { HLO_CACHED_EMPTY, HLO_CACHED_PENDING, HLO_CACHED_READY } hlo_cached_state;

/* Decides what is kept so that a run that needs `peak` bytes stays within the limit; returns how
 * many bytes that takes. */
uint64_t hlo_planner_cache(hlo_planner *planner, uint64_t peak);
/* Keeps nothing after all; returns how many bytes that saves. */
uint64_t hlo_planner_drop_cached(hlo_planner *planner);
/* Memory of what is kept of constants. */
void hlo_planner_place_cached(hlo_planner *planner);

#endif
