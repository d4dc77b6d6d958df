/* The inner parts of Fourier transforms, for each instruction set: fft_kernels.c is compiled once
 * for each one, as lane functions are (lanes_isa.h), and gives the same bits in all: products and
 * sums are not contracted. */
#ifndef HLO_EVAL_KERNELS_FFT_FFT_KERNELS_H
#define HLO_EVAL_KERNELS_FFT_FFT_KERNELS_H

#include "ir/types.h"

/* Complex numbers as two arrays, of f32 or of f64 as the arithmetic is. */
typedef struct {
    void *re, *im;
} hlo_fft_numbers;

enum { HLO_FFT_LARGEST_RADIX = 13 };

/* One step of a transform whose order is right at its end (Stockham): `parts` times, numbers that
 * are parts * run apart meet, `radix` of them, and are multiplied by `turns`. Lines are transformed
 * one by one or `lanes` of the arithmetic at a time; then number k of all of them stands together,
 * the first line's at lanes * k. */
typedef struct {
    int64_t radix, parts, run;
    bool across;       /* run is 1 or 8, less than lanes, of which parts * run is a multiple, and
                        * radix 8: vectors are of several parts */
    const void *turns; /* of part p the radix - 1 real parts, then the imaginary ones; across: of
                        * each place that of all parts, each `run` times */
    const void *roots; /* of an odd radix: cos and sin of 2 pi j k / radix, 1 <= j, k <= radix / 2,
                        * j by j */
} hlo_fft_step;

/* Roots of unity by which results are multiplied: number k of line i by e^(-2 pi i k line / n). */
typedef struct {
    int64_t low;                  /* i k = high * low + rest */
    hlo_fft_numbers highs, rests; /* roots of these, in f64 */
    hlo_fft_numbers lanes;        /* of k lane, for each k those of all lanes */
} hlo_fft_twist;

/* Some lines in memory; distances in numbers, of real lines in elements. */
typedef struct {
    int64_t lines, line, number;
    int64_t parts; /* 2; 1: they are real */
} hlo_fft_layout;

typedef struct {
    size_t bytes;  /* of a part of a number */
    int64_t lanes; /* lines that are transformed together, where they are */
    /* Rounds a number that is known in double precision. */
    void (*put)(hlo_fft_numbers to, int64_t at, double re, double im);
    void (*step)(const hlo_fft_step *step, hlo_fft_numbers from, hlo_fft_numbers to);
    /* x[k] = x[k] by[k / lanes], k < n lanes */
    void (*multiply)(hlo_fft_numbers x, hlo_fft_numbers by, int64_t n, int64_t lanes);
    /* Multiplies n numbers of the lines from `first` on. */
    void (*twist)(hlo_fft_numbers x, const hlo_fft_twist *twist, int64_t first, int64_t n);
    /* Spectra of 2n real numbers from those of n complex ones made of pairs, and back; turns:
     * e^(-pi i k / n). A spectrum has n + 1 numbers. */
    void (*join_halves)(hlo_fft_numbers to, hlo_fft_numbers from, hlo_fft_numbers turns, int64_t n,
                        int64_t lanes);
    void (*split_halves)(hlo_fft_numbers to, hlo_fft_numbers from, hlo_fft_numbers turns, int64_t n,
                         int64_t lanes);
    /* Completes the spectra of n real numbers, n odd: number n - k is the conjugate of number k. */
    void (*mirror)(hlo_fft_numbers x, int64_t n, int64_t lanes);
    /* `count` neighbours of one line */
    void (*load)(hlo_fft_numbers to, const void *from, int64_t count);
    void (*store)(void *to, hlo_fft_numbers from, int64_t count, double scale);
    /* all lanes' lines of n numbers, `stride` apart */
    void (*load_lines)(hlo_fft_numbers to, const void *from, int64_t stride, int64_t n);
    void (*store_lines)(void *to, int64_t stride, hlo_fft_numbers from, int64_t n, double scale);
    /* all lanes' lines, which are neighbours, whose numbers are `stride` apart */
    void (*load_columns)(hlo_fft_numbers to, const void *from, int64_t stride, int64_t n);
    void (*store_columns)(void *to, int64_t stride, hlo_fft_numbers from, int64_t n, double scale);
    /* any lines, as `lanes` ones; those that are not there are 0 */
    void (*load_any)(hlo_fft_numbers to, const void *from, hlo_fft_layout layout, int64_t n,
                     int64_t lanes);
    void (*store_any)(void *to, hlo_fft_layout layout, hlo_fft_numbers from, int64_t n,
                      int64_t lanes, double scale);
} hlo_fft_arithmetic;

/* Of C64 and F32, and of C128 and F64. */
typedef struct hlo_fft_set {
    hlo_fft_arithmetic f32, f64;
} hlo_fft_set;

/* That of the instruction set that kernels are made for now (isa.h). */
const hlo_fft_set *hlo_fft_chosen(void);

#endif
