/* HLO's messages as data (fields.def, enums.def): what fields a message has, how they are numbered
 * on the wire and called in JSON. */
#ifndef HLO_PROTO_SCHEMA_H
#define HLO_PROTO_SCHEMA_H

#include "base/nearest.h"
#include "base/str.h"

typedef enum {
    HLO_PROTO_INT64,
    HLO_PROTO_UINT64,
    HLO_PROTO_INT32,
    HLO_PROTO_UINT32,
    HLO_PROTO_BOOL,
    HLO_PROTO_ENUM,
    HLO_PROTO_FLOAT,
    HLO_PROTO_DOUBLE,
    HLO_PROTO_STRING,
    HLO_PROTO_BYTES,
    HLO_PROTO_MESSAGE
} hlo_proto_kind;

typedef enum { HLO_PROTO_ONE, HLO_PROTO_PRESENT, HLO_PROTO_MANY, HLO_PROTO_MAP } hlo_proto_label;

/* HLO_MESSAGE_<name> */
typedef enum {
#define HLO_MESSAGE(message, text) HLO_MESSAGE_##message,
#define HLO_FIELD(...)
#include "proto/fields.def"
#undef HLO_MESSAGE
#undef HLO_FIELD
    HLO_MESSAGE_COUNT
} hlo_message_id;

/* HLO_ENUM_<name> */
typedef enum {
#define HLO_ENUM(name) HLO_ENUM_##name,
#define HLO_ENUM_VALUE(...)
#include "proto/enums.def"
#undef HLO_ENUM
#undef HLO_ENUM_VALUE
    HLO_ENUM_COUNT
} hlo_enum_id;

/* HLO_FIELD_<message>_<field>; HLO_FIRST_<message> is the message's first field. */
typedef enum {
#define HLO_MESSAGE(message, text) \
    HLO_FIRST_##message, HLO_BEFORE_##message = HLO_FIRST_##message - 1,
#define HLO_FIELD(message, field, ...) HLO_FIELD_##message##_##field,
#include "proto/fields.def"
#undef HLO_MESSAGE
#undef HLO_FIELD
    HLO_FIELD_COUNT
} hlo_field_id;

/* The union has the size of its largest member, that of the field with the highest number. */
enum {
    HLO_MOST_FIELD_NUMBER = sizeof(union {
#define HLO_MESSAGE(message, text)
#define HLO_FIELD(message, field, number, ...) char message##_##field[number];
#include "proto/fields.def"
#undef HLO_MESSAGE
#undef HLO_FIELD
    })
};

typedef struct {
    const char *name, *json_name;
    uint16_t id;    /* hlo_field_id: the row's place in the table */
    uint16_t place; /* among the fields of its message */
    uint8_t name_len, json_len;
    uint8_t number;
    uint8_t kind;    /* hlo_proto_kind */
    uint8_t label;   /* hlo_proto_label */
    uint8_t message; /* hlo_message_id: whose field this is */
    uint8_t type;    /* hlo_message_id or hlo_enum_id of the value */
} hlo_proto_field;

extern const hlo_proto_field hlo_fields[HLO_FIELD_COUNT];
extern const char *const hlo_message_names[HLO_MESSAGE_COUNT];
/* hlo_field_id of each message's first field, and one past the last message's fields. */
extern const uint16_t hlo_message_fields[HLO_MESSAGE_COUNT + 1];

/* A field by name: HLO_F(HloModuleProto, name). */
#define HLO_F(message, field) (&hlo_fields[HLO_FIELD_##message##_##field])

/* hlo_field_id + 1 by message and number; 0: no such field. */
extern const uint16_t hlo_fields_by_number[HLO_MESSAGE_COUNT][HLO_MOST_FIELD_NUMBER + 1];

/* In a message's row of that table. NULL: the message has no such field. */
static inline const hlo_proto_field *hlo_field_by_number(const uint16_t *row, uint64_t number) {
    uint16_t found = number > HLO_MOST_FIELD_NUMBER ? 0 : row[number];
    return found ? &hlo_fields[found - 1] : NULL;
}
/* By its JSON name or its original one. The search starts at *hint and leaves there where to go on:
 * fields come in order mostly. */
const hlo_proto_field *hlo_field_by_name(hlo_message_id message, hlo_str name, uint32_t *hint);

/* NULL: no value of that number. */
const char *hlo_enum_text(hlo_enum_id id, int64_t number);
bool hlo_enum_number(hlo_enum_id id, hlo_str text, int32_t *number);

/* What a misspelt name probably means: a field by its name in JSON or its original one, a value of
 * an enum. */
hlo_nearest hlo_field_nearest(hlo_message_id message, hlo_str name, bool original);
hlo_nearest hlo_enum_nearest(hlo_enum_id id, hlo_str text);

static inline bool hlo_field_is_many(const hlo_proto_field *field) {
    return field->label == HLO_PROTO_MANY || field->label == HLO_PROTO_MAP;
}
/* Numbers of these travel packed, and are kept as arrays. */
static inline bool hlo_field_is_numeric(const hlo_proto_field *field) {
    return field->kind <= HLO_PROTO_DOUBLE;
}
/* Bytes of one element in an array of the kind's numbers. */
static inline size_t hlo_kind_size(hlo_proto_kind kind) {
    static const uint8_t sizes[] = {8, 8, 4, 4, 1, 4, 4, 8};
    return kind <= HLO_PROTO_DOUBLE ? sizes[kind] : 0;
}
/* Whether a number of the sign and magnitude is one of the kind's integers. */
static inline bool hlo_kind_holds(hlo_proto_kind kind, bool negative, uint64_t magnitude) {
    uint64_t most = kind == HLO_PROTO_UINT64   ? UINT64_MAX
                    : kind == HLO_PROTO_INT64  ? INT64_MAX
                    : kind == HLO_PROTO_UINT32 ? UINT32_MAX
                                               : INT32_MAX;
    bool is_signed = kind != HLO_PROTO_UINT64 && kind != HLO_PROTO_UINT32;
    if (negative && magnitude) return is_signed && magnitude <= most + 1;
    return magnitude <= most;
}

#endif
