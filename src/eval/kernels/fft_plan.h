/* Discrete Fourier transforms of complex lines of any length in double precision: mixed radix for
 * small prime factors, Bluestein's convolution for large ones. Called by fft. */
#ifndef HLO_EVAL_KERNELS_FFT_PLAN_H
#define HLO_EVAL_KERNELS_FFT_PLAN_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#include "eval/kernel.h"

typedef struct hlo_fft_plan hlo_fft_plan;

/* A plan for lines of n elements, n at least 1, in the arena. */
const hlo_fft_plan *hlo_fft_plan_new(hlo_arena *arena, int64_t n);

/* Numbers of scratch memory that a run needs. */
int64_t hlo_fft_scratch(const hlo_fft_plan *plan);
/* Transforms n numbers in place; `inverse` divides by n. */
void hlo_fft_run(const hlo_fft_plan *plan, double _Complex *line, double _Complex *scratch,
                 bool inverse);
/* Whether the lengths of p->instr, a FFT or IFFT, are those of the operand; reports the first that
 * is not. (fft.c) */
bool hlo_check_fft_lengths(hlo_preparation *p);

#endif
