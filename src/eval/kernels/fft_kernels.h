/* The inner parts of Fourier transforms, for each instruction set: fft_kernels.c is compiled once
 * for each one, as lane functions are (lanes_isa.h), and gives the same bits in all: products and
 * sums are not contracted. Called by fft_plan.c and fft.c. */
#ifndef HLO_EVAL_KERNELS_FFT_KERNELS_H
#define HLO_EVAL_KERNELS_FFT_KERNELS_H

#include "ir/types.h"

/* Complex numbers in double precision, as two arrays. */
typedef struct {
    double *re, *im;
} hlo_fft_numbers;

/* Lines are transformed one by one or LANES at a time; then number k of all of them stands
 * together, the first line's at LANES * k. */
enum { HLO_FFT_LANES = 8, HLO_FFT_LARGEST_RADIX = 13 };

/* One step of a transform whose order is right at its end (Stockham): `parts` times, numbers that
 * are parts * run apart meet, `radix` of them, and are multiplied by `turns`. */
typedef struct {
    int64_t radix, parts, run;
    bool across;         /* run is 1, and parts a multiple of LANES: vectors are of parts */
    const double *turns; /* of part p the radix - 1 real parts, then the imaginary ones; across: of
                          * each place that of all parts */
    const double *roots; /* of an odd radix: cos and sin of 2 pi j k / radix, 1 <= j, k <= radix /
                          * 2, j by j */
} hlo_fft_step;

/* How lines of C64 or C128 are read and written; strides in numbers. */
typedef struct {
    /* `count` neighbours */
    void (*load)(hlo_fft_numbers to, const void *from, int64_t count);
    void (*store)(void *to, hlo_fft_numbers from, int64_t count, double scale);
    /* LANES lines of n numbers, `stride` apart */
    void (*load_lines)(hlo_fft_numbers to, const void *from, int64_t stride, int64_t n);
    void (*store_lines)(void *to, int64_t stride, hlo_fft_numbers from, int64_t n, double scale);
    /* LANES lines that are neighbours, whose numbers are `stride` apart */
    void (*load_columns)(hlo_fft_numbers to, const void *from, int64_t stride, int64_t n);
    void (*store_columns)(void *to, int64_t stride, hlo_fft_numbers from, int64_t n, double scale);
} hlo_fft_storage;

typedef struct hlo_fft_set {
    void (*step)(const hlo_fft_step *step, hlo_fft_numbers from, hlo_fft_numbers to);
    /* to[k] = from[k] by[k / lanes], k < n lanes; `to` may be `from` */
    void (*multiply)(hlo_fft_numbers to, hlo_fft_numbers from, hlo_fft_numbers by, int64_t n,
                     int64_t lanes);
    /* Spectra of 2n real numbers from those of n complex ones made of pairs, and back; turns:
     * e^(-pi i k / n). A spectrum has n + 1 numbers. */
    void (*join_halves)(hlo_fft_numbers to, hlo_fft_numbers from, hlo_fft_numbers turns, int64_t n,
                        int64_t lanes);
    void (*split_halves)(hlo_fft_numbers to, hlo_fft_numbers from, hlo_fft_numbers turns, int64_t n,
                         int64_t lanes);
    hlo_fft_storage c64, c128;
} hlo_fft_set;

/* That of the instruction set that kernels are made for now (isa.h). */
const hlo_fft_set *hlo_fft_chosen(void);

#endif
