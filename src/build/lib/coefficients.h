/* Coefficients of approximations by name. Private to src/build/lib. */
#ifndef HLO_BUILD_LIB_COEFFICIENTS_H
#define HLO_BUILD_LIB_COEFFICIENTS_H

#include <stddef.h>

typedef struct {
    const char *name;
    size_t count;
    const double *values; /* of the highest power first */
} hlo_coefficients;

/* NULL: there are none of that name. */
const hlo_coefficients *hlo_coefficients_find(const char *name, size_t length);
/* Of a name that is a row of coefficients.def. */
const hlo_coefficients *hlo_coefficients_of(const char *name);

#endif
