/* Element types, and arrays in memory. Part of hlo.h. */
#ifndef HLO_PUBLIC_TYPES_H
#define HLO_PUBLIC_TYPES_H

#include "diags.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are those of XLA's PrimitiveType and stay what they are. A shape is a tuple, a
 * buffer, a token or opaque, or else an array of such elements. */
typedef enum {
    HLO_TYPE_INVALID = 0,
    HLO_TYPE_PRED = 1,
    HLO_TYPE_S8 = 2,
    HLO_TYPE_S16 = 3,
    HLO_TYPE_S32 = 4,
    HLO_TYPE_S64 = 5,
    HLO_TYPE_U8 = 6,
    HLO_TYPE_U16 = 7,
    HLO_TYPE_U32 = 8,
    HLO_TYPE_U64 = 9,
    HLO_TYPE_F16 = 10,
    HLO_TYPE_F32 = 11,
    HLO_TYPE_F64 = 12,
    HLO_TYPE_TUPLE = 13,
    HLO_TYPE_OPAQUE = 14,
    HLO_TYPE_C64 = 15,
    HLO_TYPE_BF16 = 16,
    HLO_TYPE_TOKEN = 17,
    HLO_TYPE_C128 = 18,
    HLO_TYPE_F8E5M2 = 19,
    HLO_TYPE_F8E4M3FN = 20,
    HLO_TYPE_S4 = 21,
    HLO_TYPE_U4 = 22,
    HLO_TYPE_F8E4M3B11FNUZ = 23,
    HLO_TYPE_F8E5M2FNUZ = 24,
    HLO_TYPE_F8E4M3FNUZ = 25,
    HLO_TYPE_S2 = 26,
    HLO_TYPE_U2 = 27,
    HLO_TYPE_F8E4M3 = 28,
    HLO_TYPE_F8E3M4 = 29,
    HLO_TYPE_S1 = 30,
    HLO_TYPE_U1 = 31,
    HLO_TYPE_F4E2M1FN = 32,
    HLO_TYPE_F8E8M0FNU = 33,
    HLO_TYPE_BUFFER = 34,
    HLO_TYPE_F6E3M2FN = 35,
    HLO_TYPE_F6E2M3FN = 36,
} hlo_element_type;

/* As HLO spells it: "f32", "pred"; "tuple" and "buffer" for what has no word. NULL when no type has
 * the number. */
HLO_API const char *hlo_element_type_name(hlo_element_type type);
/* HLO_TYPE_INVALID when nothing is called that. */
HLO_API hlo_element_type hlo_element_type_from_name(const char *name);
/* Of one element of an array in memory, where types of less than a byte take one; 0 for what is no
 * array. */
HLO_API size_t hlo_element_type_bytes(hlo_element_type type);

/* An array in memory. Elements of types of less than a byte take one; a complex number is its real
 * part and its imaginary part. */
typedef struct {
    hlo_element_type type;
    uint32_t rank;
    const int64_t *dims;    /* rank of them */
    const int64_t *strides; /* bytes from an element to the next of each dimension, of any sign;
                               NULL: dense in row-major order */
    const void *data;       /* the element whose indices are 0; NULL: not set, or no element */
} hlo_array;

/* What its elements take without gaps; 0 when that is more than memory. */
HLO_API size_t hlo_array_bytes(const hlo_array *array);

#ifdef __cplusplus
}
#endif
#endif
