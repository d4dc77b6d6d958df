/* Arrays with the default layout in the place of arrays with others. An order lists dimensions of
 * an array from major to minor: the normal form of an array has its dimensions in the order of its
 * layout, and its elements where they were in memory. */
#ifndef HLO_PASSES_LAYOUT_NORMAL_FORM_H
#define HLO_PASSES_LAYOUT_NORMAL_FORM_H

#include "passes/pipeline/emit.h"

/* The result or an operand is an array with another layout than the default one, and no layout has
 * more than an order. */
bool hlo_has_other_layout(const hlo_instr *instr);

/* The order of an array's layout; 0, 1, 2 ...; the place of each dimension in an order; places[d]
 * for each d of `dims`. */
hlo_ints *hlo_layout_order(hlo_rewriter *r, const hlo_shape *array);
hlo_ints *hlo_default_order(hlo_rewriter *r, uint32_t rank);
hlo_ints *hlo_order_places(hlo_rewriter *r, const hlo_ints *order);
hlo_ints *hlo_places_of(hlo_rewriter *r, const hlo_ints *dims, const hlo_ints *places);
/* The same for a set of dimensions: ascending. */
hlo_ints *hlo_places_in_order(hlo_rewriter *r, const hlo_ints *dims, const hlo_ints *order);

/* The array whose memory `array`, a bitcast, shows in another shape; any other array itself. */
hlo_instr *hlo_bitcast_origin(hlo_instr *array);

/* The shape whose dimension k is dimension order[k] of the array, with the default layout. */
const hlo_shape *hlo_shape_in_order(hlo_rewriter *r, const hlo_shape *array, const hlo_ints *order);
/* The array's elements in that shape: its normal form, transposed unless the order is that of its
 * layout. */
hlo_instr *hlo_in_order(hlo_rewriter *r, hlo_instr *array, const hlo_ints *order);
hlo_instr *hlo_normal_form(hlo_rewriter *r, hlo_instr *array);
/* The reverse: `array` holds, in that order, what is wanted in `shape`. */
hlo_instr *hlo_from_order(hlo_rewriter *r, hlo_instr *array, const hlo_ints *order,
                          const hlo_shape *shape);

#endif
