/* Element types as float formats: values of single elements, with XLA's rounding. */
#ifndef HLO_IR_FLOAT_TYPES_H
#define HLO_IR_FLOAT_TYPES_H

#include "base/floats.h"
#include "ir/types.h"

/* The format of a float type or of a complex type's parts; NULL for all other types. */
const hlo_float_format *hlo_type_float_format(hlo_type type);

/* The value of a float type's bits. */
double hlo_float_decode(hlo_type type, uint64_t bits);
/* A value as XLA's convert from f64 gives it: rounded once, bf16 through f32. Converting from f32
 * or a smaller type is the same thing, since a double holds those exactly. */
uint64_t hlo_float_encode(hlo_type type, double value);
/* As XLA's parser does it for literals: f16 goes through f32 too. */
uint64_t hlo_float_encode_literal(hlo_type type, double value);

/* The bits of a stored element of 1, 2, 4 or 8 bytes. */
static inline uint64_t hlo_element_bits(const void *element, unsigned bytes) {
    HLO_ASSERT(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (bytes) {
    case 1: memcpy(&one, element, 1); return one;
    case 2: memcpy(&two, element, 2); return two;
    case 4: memcpy(&four, element, 4); return four;
    default: memcpy(&eight, element, 8); return eight;
    }
}

static inline void hlo_set_element_bits(void *element, unsigned bytes, uint64_t bits) {
    HLO_ASSERT(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    uint8_t one = (uint8_t)bits;
    uint16_t two = (uint16_t)bits;
    uint32_t four = (uint32_t)bits;
    switch (bytes) {
    case 1: memcpy(element, &one, 1); break;
    case 2: memcpy(element, &two, 2); break;
    case 4: memcpy(element, &four, 4); break;
    default: memcpy(element, &bits, 8); break;
    }
}

#endif
