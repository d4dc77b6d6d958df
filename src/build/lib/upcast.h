/* Narrow floats are computed in f32, and only real ones where a function has no other sense.
 * Private to src/build/lib. */
#ifndef HLO_BUILD_LIB_UPCAST_H
#define HLO_BUILD_LIB_UPCAST_H

#include "build/lib/scalars.h"

typedef enum {
    HLO_UPCAST_NONE,
    HLO_UPCAST_BF16,
    HLO_UPCAST_HALF,  /* f16 and bf16 */
    HLO_UPCAST_NARROW /* every type of 16 bits or less */
} hlo_upcast;

/* Whether values of the type are computed in f32. */
bool hlo_upcast_needed(hlo_upcast upcast, hlo_type type);

enum { HLO_LIB_MOST_TERMS = 3 };

/* What computes a result of f32, f64 or what is not upcast. */
typedef hlo_term hlo_lib_computing(hlo_builder *b, const hlo_term *terms, const void *context);
/* The result of the function for terms of one type, converted to it again. NULL after an error. */
hlo_term hlo_lib_upcast(hlo_builder *b, hlo_upcast upcast, const hlo_term *terms, size_t count,
                        hlo_lib_computing *compute, const void *context);
/* The same for two real operands of one shape, else an error that names the function. */
hlo_term hlo_lib_of_two(hlo_builder *b, const char *function, hlo_upcast upcast, hlo_term first,
                        hlo_term second, hlo_lib_computing *compute, const void *context);

#endif
