/* Which dimensions of a reshape's operand and result hold the same elements. */
#ifndef HLO_SHAPE_RESHAPE_GROUPS_H
#define HLO_SHAPE_RESHAPE_GROUPS_H

#include "ir/shape.h"

/* Dimensions of both: from .. to, exclusive. Begin with zeros. */
typedef struct {
    uint32_t from, from_end, to, to_end;
} hlo_reshape_group;

/* The next group after `group`: as few dimensions of both shapes as have equal products; false
 * when there are no more. */
bool hlo_reshape_next_group(const hlo_shape *from, const hlo_shape *to, hlo_reshape_group *group);

/* The dimension of the result that takes up what a group has at run time: the one that its shape
 * marks as dynamic, else the first that is not of size 1; group->to_end when there is none. */
uint32_t hlo_reshape_taker(const hlo_shape *to, const hlo_reshape_group *group);

#endif
