/* The element-type table. */
#include "ir/types.h"

#include <string.h>

const hlo_type_info hlo_types[HLO_TYPE_COUNT] = {
#define HLO_TYPE(id, text, bits, class, number, field, mantissa, exponent, digits) \
    [HLO_##id] = {text,   field,    HLO_CLASS_##class, bits,  ((bits) + 7) / 8,    \
                  number, mantissa, exponent,          digits},
#include "ir/types.def"
#undef HLO_TYPE
    [HLO_TUPLE] = {"tuple", "tuple_literals", HLO_CLASS_OTHER, 0, 0, 13, 0, 0, 0},
    [HLO_BUFFER] = {"buffer", "", HLO_CLASS_OTHER, 0, 0, 34, 0, 0, 0},
};

/* Spellings are hashed by length, first two and last two bytes; the table of that hash is
 * filled when the library is loaded. */
enum { SLOTS = 256 };
static uint8_t slots[SLOTS];

static unsigned slot_of(const char *text, size_t n) {
    HLO_ASSERT(n >= 2);
    const unsigned char *t = (const unsigned char *)text;
    return (t[0] * 7u + t[1] * 31u + t[n - 1] * 13u + t[n - 2] * 61u + (unsigned)n * 3u) % SLOTS;
}

__attribute__((constructor)) static void fill_slots(void) {
    for (int t = 0; t < HLO_TUPLE; t++) {
        unsigned at = slot_of(hlo_types[t].text, strlen(hlo_types[t].text));
        while (slots[at]) at = (at + 1) % SLOTS;
        slots[at] = (uint8_t)(t + 1);
    }
}

hlo_type hlo_type_from_text(const char *text, size_t n) {
    if (n < 2 || n > 13) return HLO_TYPE_COUNT;
    for (unsigned at = slot_of(text, n); slots[at]; at = (at + 1) % SLOTS) {
        const char *name = hlo_types[slots[at] - 1].text;
        if (strncmp(name, text, n) == 0 && name[n] == 0) return (hlo_type)(slots[at] - 1);
    }
    return HLO_TYPE_COUNT;
}
