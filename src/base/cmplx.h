/* C11's CMPLX, which the headers of some C libraries have for gcc alone: a complex number of two
 * parts. The sum re + I * im would lose signed zeros and turn infinities into NaNs. */
#ifndef HLO_BASE_CMPLX_H
#define HLO_BASE_CMPLX_H

#include <complex.h>

#if !defined CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

#endif
