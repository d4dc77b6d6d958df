/* Discrete Fourier transforms of complex lines of any length: mixed radix for small prime factors,
 * Bluestein's convolution for large ones. */
#ifndef HLO_EVAL_KERNELS_FFT_FFT_PLAN_H
#define HLO_EVAL_KERNELS_FFT_FFT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "eval/kernel/kernel.h"
#include "eval/kernels/fft/fft_kernels.h"

typedef struct hlo_fft_plan hlo_fft_plan;

/* A plan for `lanes` lines of n elements at a time (1 or those of the arithmetic; n at least 1), in
 * the arena. */
const hlo_fft_plan *hlo_fft_plan_new(hlo_arena *arena, const hlo_fft_arithmetic *arithmetic,
                                     int64_t n, int64_t lanes);
/* Whether lines of n elements are best transformed one by one, however many there are. */
bool hlo_fft_suits_one(const hlo_fft_arithmetic *arithmetic, int64_t n);
/* Whether n has small prime factors only. */
bool hlo_fft_is_smooth(int64_t n);
/* Numbers that two buffers must have each: one with the lines, one more. */
int64_t hlo_fft_buffer(const hlo_fft_plan *plan);
/* Transforms what is in `line`. The result is in one of the two buffers, which is returned; *other
 * is the other one. The inverse transform is that of exchanged parts, but for a factor of n. */
hlo_fft_numbers hlo_fft_run(const hlo_fft_plan *plan, hlo_fft_numbers line, hlo_fft_numbers *other);

/* cos and sin of -2 pi k / n, as near as doubles are. */
void hlo_fft_root(int64_t k, int64_t n, double *re, double *im);
/* `count` numbers in the arena; those that are roots k * step of n, rounded once. */
hlo_fft_numbers hlo_fft_numbers_new(hlo_arena *arena, const hlo_fft_arithmetic *arithmetic,
                                    int64_t count);
hlo_fft_numbers hlo_fft_roots(hlo_arena *arena, const hlo_fft_arithmetic *arithmetic, int64_t count,
                              int64_t step, int64_t n);
static inline hlo_fft_numbers hlo_fft_exchanged(hlo_fft_numbers x) {
    return (hlo_fft_numbers){x.im, x.re};
}

/* Whether the lengths of p->instr, a FFT or IFFT, are those of the operand; reports the first that
 * is not. (fft.c) */
bool hlo_check_fft_lengths(hlo_preparation *p);

#endif
