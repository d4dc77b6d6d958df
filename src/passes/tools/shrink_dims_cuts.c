/* shrink-dims: slices and pads. A part of a dimension is divided with it, stays as large, or all
 * but a margin of it is. */
#include "passes/tools/shrink_dims.h"

static bool all_divide(int64_t factor, int64_t a, int64_t b, int64_t c) {
    return a % factor == 0 && b % factor == 0 && c % factor == 0;
}

hlo_shrink_cut hlo_shrink_cut_of(const hlo_shrink *s, int64_t whole, int64_t start, int64_t part,
                                 int64_t stride) {
    int64_t margin = whole - part;
    if (!part) return HLO_CUT_FIXED;
    if (stride > 1 && part > 1)
        return start < stride && part * stride == whole ? HLO_CUT_STRIDE : HLO_CUT_FIXED;
    if (!margin) return HLO_CUT_NONE;
    if (all_divide(s->factor, whole, start, part)) return HLO_CUT_SCALED;
    return margin > 0 && margin < part ? HLO_CUT_MARGIN : HLO_CUT_FIXED;
}

void hlo_shrink_relate_cut(hlo_shrink *s, hlo_shrink_cut cut, uint32_t whole, uint32_t part,
                           int64_t stride, const hlo_instr *instr) {
    int64_t size = s->dims[whole].size, left = s->dims[part].size;
    switch (cut) {
    case HLO_CUT_NONE: hlo_shrink_join(s, whole, part, 0, instr); return;
    case HLO_CUT_SCALED:
    case HLO_CUT_STRIDE: hlo_shrink_scale(s, whole, part, instr); return;
    case HLO_CUT_MARGIN: hlo_shrink_join(s, whole, part, size - left, instr); return;
    case HLO_CUT_FIXED:
        hlo_shrink_keep(s, part, "it is a fixed part of a dimension", instr);
        if (stride > 1) hlo_shrink_keep(s, whole, "a part of it is taken with a stride", instr);
        hlo_shrink_bind(s, HLO_SHRINK_NONE, left, whole, instr);
        return;
    }
}

int64_t hlo_shrink_new_start(hlo_shrink *s, hlo_shrink_cut cut, uint32_t whole, int64_t start,
                             uint32_t part) {
    int64_t size = hlo_shrink_new_size(s, whole), left = hlo_shrink_new_size(s, part);
    if (cut == HLO_CUT_SCALED) return start / hlo_shrink_divisor(s, whole);
    if (cut != HLO_CUT_FIXED || start + left <= size) return start;
    int64_t after = s->dims[whole].size - start - s->dims[part].size;
    return after + left <= size ? size - after - left : size - left;
}
