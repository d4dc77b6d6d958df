/* The interface of the code generator (eval/codegen) to programs, which use nothing else of it:
 * machine code of loops, and a place for that of kernels. */
#ifndef HLO_EVAL_PROGRAM_CODE_H
#define HLO_EVAL_PROGRAM_CODE_H

#include "eval/program/plan.h"

/* Code that is being written. */
struct hlo_assembler *hlo_assembler_new(void);
/* `a` may be NULL. */
void hlo_assembler_free(struct hlo_assembler *a);

/* Makes the code of whiles that can have it, which need scratch memory then. All steps have been
 * prepared. (codegen/generate.c) */
void hlo_planner_build_code(hlo_planner *planner);
/* Makes the code of all loops executable; where that cannot be, all are interpreted.
 * (codegen/run.c) */
void hlo_planner_place_code(hlo_planner *planner);

#endif
