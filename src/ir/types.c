/* The element-type table. */
#include "ir/types.h"

#include <string.h>

const hlo_type_info hlo_types[HLO_TYPE_COUNT] = {
#define HLO_TYPE(id, text, bits, class, number, field, mantissa, exponent, digits) \
    [HLO_##id] = {text,   field,    HLO_CLASS_##class, bits, ((bits) + 7) / 8,     \
                  number, mantissa, exponent,          digits},
#include "ir/types.def"
#undef HLO_TYPE
    [HLO_TUPLE] = {"tuple", "tuple_literals", HLO_CLASS_OTHER, 0, 0, 13, 0, 0, 0},
    [HLO_BUFFER] = {"buffer", "", HLO_CLASS_OTHER, 0, 0, 34, 0, 0, 0},
};

hlo_type hlo_type_from_text(const char *text, size_t n) {
    for (int t = 0; t < HLO_TUPLE; t++) {
        const char *name = hlo_types[t].text;
        if (name[0] == text[0] && strlen(name) == n && memcmp(name, text, n) == 0)
            return (hlo_type)t;
    }
    return HLO_TYPE_COUNT;
}
