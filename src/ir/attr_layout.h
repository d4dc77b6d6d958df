/* What attribute values consist of, as data: comparing, hashing and copying all read this one
 * description. Private to src/ir (attr_equal.c, attr_import.c). */
#ifndef HLO_IR_ATTR_LAYOUT_H
#define HLO_IR_ATTR_LAYOUT_H

#include "ir/attrs.h"

struct hlo_value_type;

typedef struct {
    enum {
        HLO_FIELD_END,
        HLO_FIELD_BYTES,   /* `size` bytes that mean themselves: numbers, flags, identities */
        HLO_FIELD_STRING,  /* an hlo_str */
        HLO_FIELD_SHAPE,   /* a pointer to an interned shape, or NULL */
        HLO_FIELD_LITERAL, /* a pointer to a literal */
        HLO_FIELD_ONE,     /* a pointer to a `type`, or NULL */
        HLO_FIELD_ARRAY,   /* a pointer to as many `type` as the uint32_t at `count` */
        HLO_FIELD_TAIL,    /* as many `type`, in the struct itself: a flexible array member */
    } how;
    uint16_t offset, size, count;
    const struct hlo_value_type *type;
} hlo_value_field;

typedef struct hlo_value_type {
    size_t size; /* without the tail */
    bool flat;   /* all of its bytes are one HLO_FIELD_BYTES: arrays of it need no walk */
    const hlo_value_field *fields;
} hlo_value_type;

/* How hlo_attr.u is to be read, by kind. */
extern const hlo_value_field *const hlo_kind_fields[HLO_KIND_COUNT];

static inline uint32_t hlo_value_count(const hlo_value_field *field, const void *value) {
    HLO_ASSERT(field->how == HLO_FIELD_ARRAY || field->how == HLO_FIELD_TAIL);
    uint32_t n;
    memcpy(&n, (const char *)value + field->count, sizeof n);
    return n;
}

static inline const void *hlo_value_pointer(const hlo_value_field *field, const void *value) {
    const void *p;
    memcpy(&p, (const char *)value + field->offset, sizeof p);
    return p;
}

static inline hlo_str hlo_value_string(const hlo_value_field *field, const void *value) {
    HLO_ASSERT(field->how == HLO_FIELD_STRING);
    hlo_str text;
    memcpy(&text, (const char *)value + field->offset, sizeof text);
    return text;
}

#endif
