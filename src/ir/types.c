/* The element-type table. */
#include "ir/types.h"

#include "base/spellings.h"

const hlo_type_info hlo_types[HLO_TYPE_COUNT] = {
#define HLO_TYPE(id, text, bits, class, number, field, mantissa, exponent, digits) \
    [HLO_##id] = {text,   field,    HLO_CLASS_##class, bits,  ((bits) + 7) / 8,    \
                  number, mantissa, exponent,          digits},
#include "ir/types.def"
#undef HLO_TYPE
    [HLO_TUPLE] = {"tuple", "tuple_literals", HLO_CLASS_OTHER, 0, 0, 13, 0, 0, 0},
    [HLO_BUFFER] = {"buffer", "", HLO_CLASS_OTHER, 0, 0, 34, 0, 0, 0},
};

static hlo_spellings spellings; /* of those that have a word */

__attribute__((constructor)) static void add_spellings(void) {
    for (unsigned t = 0; t < HLO_TUPLE; t++) hlo_spelling_add(&spellings, t, hlo_types[t].text);
}

hlo_type hlo_type_from_text(const char *text, size_t n) {
    int type = n < 2 || n > 13 ? -1 : hlo_spelling_find(&spellings, text, n);
    return type < 0 ? HLO_TYPE_COUNT : (hlo_type)type;
}
