/* Copies into padded arrays: edges that may be negative, and gaps between elements. Called by pad
 * and reduce-window. */
#ifndef HLO_EVAL_REF_PADDING_H
#define HLO_EVAL_REF_PADDING_H

#include "eval/ref/strides.h"

/* One dimension: `live` of the source's `from` elements go to places low, low + interior + 1, ... of
 * the target's `to` elements; places outside are dropped. */
typedef struct {
    int64_t from, live, to, low, interior;
} hlo_pad_dim;

/* Copies the elements of a dense source into a dense target that holds the padding value already. */
void hlo_copy_padded(void *to, const void *from, const hlo_pad_dim *dims, uint32_t rank,
                     uint32_t bytes);

#endif
