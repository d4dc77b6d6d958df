/* Discrete Fourier transforms of complex lines of any length in double precision: mixed radix for
 * small prime factors, Bluestein's convolution for large ones. Called by fft. */
#ifndef HLO_EVAL_REF_FFT_PLAN_H
#define HLO_EVAL_REF_FFT_PLAN_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct hlo_fft_plan hlo_fft_plan;

/* A plan for lines of n elements, n at least 1; to be freed with hlo_fft_plan_free. */
hlo_fft_plan *hlo_fft_plan_new(int64_t n);
void hlo_fft_plan_free(hlo_fft_plan *plan);

/* Transforms n numbers in place; `inverse` divides by n. */
void hlo_fft_run(const hlo_fft_plan *plan, double _Complex *line, bool inverse);

#endif
