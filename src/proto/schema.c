/* The tables of fields.def and enums.def, and how to look things up in them. */
#include "proto/schema.h"

enum { HLO_NONE = 0 };

_Static_assert(HLO_MOST_FIELD_NUMBER <= UINT8_MAX, "the number of a field has a byte");

const hlo_proto_field hlo_fields[HLO_FIELD_COUNT] = {
#define HLO_MESSAGE(message, text)
#define HLO_FIELD(of, field, number, kind, label, type, json)                \
    [HLO_FIELD_##of##_##field] = {#field,                                    \
                                  json,                                      \
                                  HLO_FIELD_##of##_##field,                  \
                                  HLO_FIELD_##of##_##field - HLO_FIRST_##of, \
                                  sizeof #field - 1,                         \
                                  sizeof json - 1,                           \
                                  number,                                    \
                                  HLO_PROTO_##kind,                          \
                                  HLO_PROTO_##label,                         \
                                  HLO_MESSAGE_##of,                          \
                                  HLO_##type},
#include "proto/fields.def"
#undef HLO_MESSAGE
#undef HLO_FIELD
};

const char *const hlo_message_names[HLO_MESSAGE_COUNT] = {
#define HLO_MESSAGE(message, text) [HLO_MESSAGE_##message] = text,
#define HLO_FIELD(...)
#include "proto/fields.def"
#undef HLO_MESSAGE
#undef HLO_FIELD
};

const uint16_t hlo_message_fields[HLO_MESSAGE_COUNT + 1] = {
#define HLO_MESSAGE(message, text) [HLO_MESSAGE_##message] = HLO_FIRST_##message,
#define HLO_FIELD(...)
#include "proto/fields.def"
#undef HLO_MESSAGE
#undef HLO_FIELD
    [HLO_MESSAGE_COUNT] = HLO_FIELD_COUNT,
};

const uint16_t hlo_fields_by_number[HLO_MESSAGE_COUNT][HLO_MOST_FIELD_NUMBER + 1] = {
#define HLO_MESSAGE(message, text)
#define HLO_FIELD(of, field, number, ...) [HLO_MESSAGE_##of][number] = HLO_FIELD_##of##_##field + 1,
#include "proto/fields.def"
#undef HLO_MESSAGE
#undef HLO_FIELD
};

static bool is_called(const hlo_proto_field *field, hlo_str name) {
    if (field->json_len == name.len && memcmp(field->json_name, name.ptr, name.len) == 0)
        return true;
    return field->name_len == name.len && memcmp(field->name, name.ptr, name.len) == 0;
}

const hlo_proto_field *hlo_field_by_name(hlo_message_id message, hlo_str name, uint32_t *hint) {
    uint32_t first = hlo_message_fields[message], n = hlo_message_fields[message + 1] - first;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = *hint + k;
        if (at >= n) at -= n;
        if (!is_called(&hlo_fields[first + at], name)) continue;
        *hint = at + 1 < n ? at + 1 : 0;
        return &hlo_fields[first + at];
    }
    return NULL;
}

/* ---- enums ---- */

static const struct {
    const char *text;
    uint8_t id, number;
} values[] = {
#define HLO_ENUM(name)
#define HLO_ENUM_VALUE(of, text, number) {text, HLO_ENUM_##of, number},
#include "proto/enums.def"
#undef HLO_ENUM
#undef HLO_ENUM_VALUE
};
enum { VALUE_COUNT = sizeof values / sizeof *values };

const char *hlo_enum_text(hlo_enum_id id, int64_t number) {
    for (size_t i = 0; i < VALUE_COUNT; i++)
        if (values[i].id == id && values[i].number == number) return values[i].text;
    return NULL;
}

bool hlo_enum_number(hlo_enum_id id, hlo_str text, int32_t *number) {
    for (size_t i = 0; i < VALUE_COUNT; i++) {
        if (values[i].id != id || !hlo_str_is(text, values[i].text)) continue;
        *number = values[i].number;
        return true;
    }
    return false;
}

/* ---- the nearest name ---- */

hlo_nearest hlo_field_nearest(hlo_message_id message, hlo_str name, bool original) {
    hlo_nearest search = hlo_nearest_to(name.ptr, name.len);
    for (uint32_t i = hlo_message_fields[message]; i < hlo_message_fields[message + 1]; i++) {
        const hlo_proto_field *f = &hlo_fields[i];
        if (original) hlo_nearest_try(&search, f->name, f->name_len, false);
        else hlo_nearest_try(&search, f->json_name, f->json_len, false);
    }
    return search;
}

hlo_nearest hlo_enum_nearest(hlo_enum_id id, hlo_str text) {
    hlo_nearest search = hlo_nearest_to(text.ptr, text.len);
    for (size_t i = 0; i < VALUE_COUNT; i++)
        if (values[i].id == id)
            hlo_nearest_try(&search, values[i].text, strlen(values[i].text), false);
    return search;
}
