/* Rules by which inputs are made. Part of hlo.h. */
#ifndef HLO_PUBLIC_FILL_H
#define HLO_PUBLIC_FILL_H

#ifdef __cplusplus
extern "C" {
#endif

/* How to fill inputs that were not set. */
typedef enum {
    HLO_FILL_HASH,          /* reproducible numbers around 0 made from seed and position */
    HLO_FILL_HASH_POSITIVE, /* the same, not negative */
    HLO_FILL_ZEROS,
    HLO_FILL_ONES,
    HLO_FILL_IOTA,   /* 0, 1, 2... in row-major order */
    HLO_FILL_RANDOM, /* uniform in [-1, 1); small integers */
    HLO_FILL_NORMAL, /* normally distributed with mean 0 and variance 1; integers as uniform */
    HLO_FILL_UNIFORM /* as random; indices within the array that they are for, as far as dataflow
                      * shows it */
} hlo_input_fill;

#ifdef __cplusplus
}
#endif
#endif
