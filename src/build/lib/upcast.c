/* Narrow floats computed in f32: see upcast.h. */
#include "build/lib/upcast.h"

bool hlo_upcast_needed(hlo_upcast upcast, hlo_type type) {
    switch (upcast) {
    case HLO_UPCAST_NONE: break;
    case HLO_UPCAST_BF16: return type == HLO_BF16;
    case HLO_UPCAST_HALF: return type == HLO_BF16 || type == HLO_F16;
    case HLO_UPCAST_NARROW: return hlo_types[type].bits <= 16;
    }
    return false;
}

hlo_term hlo_lib_upcast(hlo_builder *b, hlo_upcast upcast, const hlo_term *terms, size_t count,
                        hlo_lib_computing *compute, const void *context) {
    hlo_term wide[HLO_LIB_MOST_TERMS];
    if (hlo_builder_failed(b)) return NULL;
    hlo_type type = (hlo_type)terms[0]->shape->type;
    bool needed = hlo_upcast_needed(upcast, type);
    for (size_t i = 0; i < count; i++)
        wide[i] = needed ? hlo_lib_convert(b, terms[i], HLO_F32) : terms[i];
    if (hlo_builder_failed(b)) return NULL;
    hlo_term result = compute(b, wide, context);
    return needed && result ? hlo_lib_convert(b, result, type) : result;
}

hlo_term hlo_lib_of_two(hlo_builder *b, const char *function, hlo_upcast upcast, hlo_term first,
                        hlo_term second, hlo_lib_computing *compute, const void *context) {
    if (!hlo_lib_same_shapes(b, function, first, second) ||
        !hlo_lib_is_real_float(b, function, first))
        return NULL;
    return hlo_lib_upcast(b, upcast, (const hlo_term[]){first, second}, 2, compute, context);
}
