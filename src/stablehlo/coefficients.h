/* Coefficients of the approximations in formulas. Private to src/stablehlo. */
#ifndef HLO_STABLEHLO_COEFFICIENTS_H
#define HLO_STABLEHLO_COEFFICIENTS_H

#include "base/str.h"
#include "build/lib/coefficients.h"

/* Of a name that is a row of this folder's coefficients.def, or of src/build/lib's. */
const hlo_coefficients *hlo_expansion_coefficients(hlo_str name);

#endif
