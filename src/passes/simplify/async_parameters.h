/* Parameters of the computation of an async-start, which are operands of the start. */
#ifndef HLO_PASSES_SIMPLIFY_ASYNC_PARAMETERS_H
#define HLO_PASSES_SIMPLIFY_ASYNC_PARAMETERS_H

#include "ir/ir.h"

/* False where updates bind operands, or something has the numbers of operands. */
bool hlo_async_start_can_lose_operands(hlo_instr *start);
/* Then drops the operands i with !needed[i], from the shapes of the start and its updates, too. The
 * computation is left to the caller. */
void hlo_async_start_keep_operands(hlo_instr *start, const bool *needed);

#endif
