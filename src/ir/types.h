/* Element types and their table (types.def). */
#ifndef HLO_IR_TYPES_H
#define HLO_IR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"

typedef enum {
#define HLO_TYPE(id, ...) HLO_##id,
#include "ir/types.def"
#undef HLO_TYPE
    HLO_TUPLE,  /* spelled with parentheses */
    HLO_BUFFER, /* spelled b(SHAPE) */
    HLO_TYPE_COUNT
} hlo_type;

typedef enum {
    HLO_CLASS_PRED,
    HLO_CLASS_SIGNED,
    HLO_CLASS_UNSIGNED,
    HLO_CLASS_FLOAT,
    HLO_CLASS_COMPLEX,
    HLO_CLASS_OTHER
} hlo_type_class;

/* Sets of element types: bits of classes. Columns ELEMENTS of ops.def. */
typedef enum {
    HLO_ELEMENTS_PRED = 1 << HLO_CLASS_PRED,
    HLO_ELEMENTS_SIGNED = 1 << HLO_CLASS_SIGNED,
    HLO_ELEMENTS_UNSIGNED = 1 << HLO_CLASS_UNSIGNED,
    HLO_ELEMENTS_FLOAT = 1 << HLO_CLASS_FLOAT,
    HLO_ELEMENTS_COMPLEX = 1 << HLO_CLASS_COMPLEX,
    HLO_ELEMENTS_INTEGER = HLO_ELEMENTS_SIGNED | HLO_ELEMENTS_UNSIGNED,
    HLO_ELEMENTS_BITS = HLO_ELEMENTS_PRED | HLO_ELEMENTS_INTEGER,
    HLO_ELEMENTS_REAL = HLO_ELEMENTS_BITS | HLO_ELEMENTS_FLOAT,
    HLO_ELEMENTS_FLOAT_OR_COMPLEX = HLO_ELEMENTS_FLOAT | HLO_ELEMENTS_COMPLEX,
    HLO_ELEMENTS_SIGNED_NUMBER = HLO_ELEMENTS_SIGNED | HLO_ELEMENTS_FLOAT_OR_COMPLEX,
    HLO_ELEMENTS_NUMBER = HLO_ELEMENTS_INTEGER | HLO_ELEMENTS_FLOAT_OR_COMPLEX,
    HLO_ELEMENTS_ARRAY = HLO_ELEMENTS_PRED | HLO_ELEMENTS_NUMBER,
    HLO_ELEMENTS_ANY = HLO_ELEMENTS_ARRAY | 1 << HLO_CLASS_OTHER /* tuples and tokens too */
} hlo_elements;

typedef struct {
    const char *text; /* as spelled, "tuple" and "buffer" for the two without a word */
    const char *literal_field;
    hlo_type_class class;
    uint8_t bits;         /* as XLA counts them; 0 for token, opaque, tuple, buffer */
    uint8_t bytes;        /* of one element in a literal: sub-byte types take one byte */
    uint8_t proto_number; /* PrimitiveType */
    uint8_t mantissa_bits, exponent_bits, digits;
} hlo_type_info;

extern const hlo_type_info hlo_types[HLO_TYPE_COUNT];

/* The type spelled by the n bytes at text, or HLO_TYPE_COUNT. */
hlo_type hlo_type_from_text(const char *text, size_t n);

static inline bool hlo_type_is_integral(hlo_type t) {
    HLO_ASSERT(t < HLO_TYPE_COUNT);
    return hlo_types[t].class == HLO_CLASS_SIGNED || hlo_types[t].class == HLO_CLASS_UNSIGNED;
}
static inline bool hlo_type_is_float(hlo_type t) {
    HLO_ASSERT(t < HLO_TYPE_COUNT);
    return hlo_types[t].class == HLO_CLASS_FLOAT;
}
static inline bool hlo_type_is_complex(hlo_type t) {
    HLO_ASSERT(t < HLO_TYPE_COUNT);
    return hlo_types[t].class == HLO_CLASS_COMPLEX;
}
static inline bool hlo_type_is_array(hlo_type t) {
    HLO_ASSERT(t < HLO_TYPE_COUNT);
    return hlo_types[t].class != HLO_CLASS_OTHER;
}
static inline bool hlo_type_is_in(hlo_type t, unsigned elements) {
    HLO_ASSERT(t < HLO_TYPE_COUNT);
    return elements >> hlo_types[t].class & 1u;
}
/* The type of a complex type's parts; the type itself otherwise. */
static inline hlo_type hlo_type_part(hlo_type t) {
    return t == HLO_C64 ? HLO_F32 : t == HLO_C128 ? HLO_F64 : t;
}

#endif
