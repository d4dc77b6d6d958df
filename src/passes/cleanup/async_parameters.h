/* Parameters of the computation of an async-start, which are operands of the start. Called by dce.
 */
#ifndef HLO_PASSES_CLEANUP_ASYNC_PARAMETERS_H
#define HLO_PASSES_CLEANUP_ASYNC_PARAMETERS_H

#include "ir/ir.h"

/* Drops the operands i of the start with !needed[i], from the shapes of the start and its updates,
 * too. False, with nothing changed, where updates bind operands, or something says where operands
 * are. The computation is left to the caller. */
bool hlo_async_start_keep_operands(hlo_instr *start, const bool *needed);

#endif
