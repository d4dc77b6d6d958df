/* Between which devices send and recv move data: the frontend attribute that XLA writes. */
#ifndef HLO_SHAPE_TRANSFER_PAIRS_H
#define HLO_SHAPE_TRANSFER_PAIRS_H

#include "ir/ir.h"

/* _xla_send_recv_source_target_pairs of the instruction; NULL: it has none. */
const hlo_str *hlo_transfer_pairs_text(const hlo_instr *instr);
/* Its value, `{{0,1},{1,2}}`: lists of a source and a target, in the arena. NULL when it is no
 * list of pairs. */
const hlo_int_lists *hlo_transfer_pairs(hlo_arena *arena, const hlo_str *text);

#endif
