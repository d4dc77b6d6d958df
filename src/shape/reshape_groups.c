/* Groups of dimensions: see reshape_groups.h. */
#include "shape/reshape_groups.h"

bool hlo_reshape_next_group(const hlo_shape *from, const hlo_shape *to, hlo_reshape_group *group) {
    HLO_ASSERT(group->from_end <= from->rank && group->to_end <= to->rank);
    group->from = group->from_end;
    group->to = group->to_end;
    if (group->from == from->rank && group->to == to->rank) return false;
    int64_t a = 1, b = 1;
    if (group->from_end < from->rank) a = from->dims[group->from_end++];
    if (group->to_end < to->rank) b = to->dims[group->to_end++];
    while (a != b) {
        if (a < b && group->from_end < from->rank) a *= from->dims[group->from_end++];
        else if (group->to_end < to->rank) b *= to->dims[group->to_end++];
        else break;
    }
    return true;
}

uint32_t hlo_reshape_taker(const hlo_shape *to, const hlo_reshape_group *group) {
    HLO_ASSERT(group->to_end <= to->rank);
    uint32_t t = group->to;
    for (uint32_t d = group->to; to->is_dynamic && d < group->to_end; d++)
        if (to->is_dynamic[d]) return d;
    while (t + 1 < group->to_end && to->dims[t] == 1) t++;
    return t;
}
