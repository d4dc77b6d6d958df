/* Stack-frame tables that do not come from HLO text, made canonical as the text's are. */
#ifndef HLO_PARSE_ADOPT_FRAMES_H
#define HLO_PARSE_ADOPT_FRAMES_H

#include "ir/ir.h"

/* Gives the module the rows of `table` that the n `framed` metadata use, renumbered. Ids out of
 * range, cycles and bad rows make a frame vanish, as in XLA. */
void hlo_module_adopt_frames(hlo_module *module, const hlo_stack_frames *table,
                             hlo_metadata *const *framed, uint32_t n);

#endif
