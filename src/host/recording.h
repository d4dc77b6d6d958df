/* What was recorded with a module (HloSnapshot), leaf by leaf. */
#ifndef HLO_HOST_RECORDING_H
#define HLO_HOST_RECORDING_H

#include "ir/ir.h"

/* The module's own; NULL: no array was recorded for that leaf. */
const hlo_literal *hlo_recorded_result(const hlo_module *module, uint32_t leaf);

#endif
