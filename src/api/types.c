/* Element types for the public interface: their numbers, which are those of XLA's messages. */
#include "ir/types.h"

#include <assert.h>
#include <string.h>

#include <hlo.h>

#include "diag/diag.h"

#define HLO_TYPE(id, text, bits, class, number, ...) \
    static_assert((int)HLO_TYPE_##id == (number), "the row " #id " of types.def and hlo.h agree");
#include "ir/types.def"
#undef HLO_TYPE

/* HLO_TYPE_COUNT: none. */
static hlo_type type_of(hlo_element_type number) {
    hlo_type type = (hlo_type)0;
    while (type < HLO_TYPE_COUNT && hlo_types[type].proto_number != (int)number) type++;
    return number == HLO_TYPE_INVALID ? HLO_TYPE_COUNT : type;
}

const char *hlo_element_type_name(hlo_element_type number) {
    hlo_type type = type_of(number);
    return type == HLO_TYPE_COUNT ? NULL : hlo_types[type].text;
}

hlo_element_type hlo_element_type_from_name(const char *name) {
    if (!name) return HLO_TYPE_INVALID;
    for (int t = 0; t < HLO_TYPE_COUNT; t++)
        if (strcmp(hlo_types[t].text, name) == 0)
            return (hlo_element_type)hlo_types[t].proto_number;
    return HLO_TYPE_INVALID;
}

size_t hlo_element_type_bytes(hlo_element_type number) {
    hlo_type type = type_of(number);
    return type == HLO_TYPE_COUNT ? 0 : hlo_types[type].bytes;
}
