/* Numbers of instructions that all processes have in common which read the same module. */
#ifndef HLO_EVAL_COMM_INSTR_KEY_H
#define HLO_EVAL_COMM_INSTR_KEY_H

#include "ir/ir.h"

/* The number of its computation, and its place there. */
int64_t hlo_instr_key(const hlo_instr *instr);
/* The instruction of that number; NULL: there is none. */
const hlo_instr *hlo_instr_of_key(const hlo_module *module, int64_t key);

#endif
