/* Inputs made from a rule and a seed, for modules that come without data (hlo_input_fill of hlo.h).
 */
#ifndef HLO_IR_FILL_H
#define HLO_IR_FILL_H

#include <hlo/fill.h>

#include "ir/literal.h"

/* The rule of that name ("hash", "hash-positive", "zeros"...); false when there is none. */
bool hlo_fill_from_text(const char *name, hlo_input_fill *out);
/* Rules are numbered from 0; NULL after the last one. */
const char *hlo_fill_name(unsigned fill);
const char *hlo_fill_description(unsigned fill);

/* Whether the rule looks at what integers are for: `most` below. Numbers of the other rules depend
 * on type, position and seed alone, and stay what they are: recorded results rely on them. */
bool hlo_fill_bounds_indices(hlo_input_fill fill);

/* Fills every array of the literal; `leaf` is the number of its first flat leaf among the
 * parameters (depth first, tokens not counted). `most`: integers are indices from 0 to this; -1:
 * they are not. Returns the number of the leaf that follows. */
uint32_t hlo_fill_literal(hlo_literal *literal, hlo_input_fill fill, uint64_t seed, uint32_t leaf,
                          int64_t most);

#endif
