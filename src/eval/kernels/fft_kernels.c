/* The inner parts of Fourier transforms, see fft_kernels.h: butterflies on vectors and, where runs
 * are short, on single numbers (fft_steps.inc); lines in memory (fft_storage.inc). Compiled for
 * each instruction set. */
#include "eval/kernels/fft_kernels.h"

#include "eval/kernels/vectors.h"

enum { WIDTH = VECTOR_BYTES / 8 };

typedef double vector __attribute__((vector_size(VECTOR_BYTES)));
typedef double loose __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

/* ---- orders of lanes ---- */

/* Squares are turned by exchanges. Lanes without the bit `d` from the first operand, the others
 * from the second, where they stand d lower; and the other way round. */
#define LOW_AT(lane, d) (((lane) & (d)) ? WIDTH + (lane) - (d) : (lane))
#define HIGH_AT(lane, d) (((lane) & (d)) ? WIDTH + (lane) : (lane) + (d))
/* Parts of complex numbers: the real ones (odd: 0) or the others of two vectors; and numbers, from
 * one `half` of two vectors of parts. */
#define EVEN_AT(lane, odd) (2 * (lane) + (odd))
#define MIXED_AT(lane, half) (((lane) % 2 ? WIDTH : 0) + (half) + (lane) / 2)
#if defined __AVX512F__
#define LANES_OF(at, d) \
    at(0, d), at(1, d), at(2, d), at(3, d), at(4, d), at(5, d), at(6, d), at(7, d)
#elif defined __AVX2__
#define LANES_OF(at, d) at(0, d), at(1, d), at(2, d), at(3, d)
#else
#define LANES_OF(at, d) at(0, d), at(1, d)
#endif
/* Lanes of two vectors by their numbers: gcc before 12 and clang have one way each. */
#if defined __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int64_t places __attribute__((vector_size(VECTOR_BYTES)));
#define PICK(a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif

#define EXCHANGE(d)                                               \
    UNROLL for (int i = 0; i < WIDTH; i++) if (!(i & (d))) {      \
        vector above = rows[i], below = rows[i | (d)];            \
        rows[i] = PICK(above, below, LANES_OF(LOW_AT, d));        \
        rows[i | (d)] = PICK(above, below, LANES_OF(HIGH_AT, d)); \
    }

/* Rows become columns. */
INLINE void turn(vector rows[WIDTH]) {
#if defined __AVX512F__
    EXCHANGE(4)
#endif
#if defined __AVX2__
    EXCHANGE(2)
#endif
    EXCHANGE(1)
}

/* ---- butterflies ---- */

#define V vector
#define NAME(word) word##_of_vectors
#define LOAD(p) (*(const loose *)(p))
#define STORE(p, value) (*(loose *)(p) = (value))
#include "eval/kernels/fft_steps.inc"
#undef V
#undef NAME
#undef LOAD
#undef STORE

#define V double
#define NAME(word) word##_of_numbers
#define LOAD(p) (*(p))
#define STORE(p, value) (*(p) = (value))
#include "eval/kernels/fft_steps.inc"
#undef V
#undef NAME
#undef LOAD
#undef STORE

/* ---- steps ---- */

/* Vectors of parts: results of a part become neighbours. */
INLINE void step_across(const hlo_fft_step *s, hlo_fft_numbers from, hlo_fft_numbers to) {
    vector re[8], im[8];
    for (int64_t p = 0; p < s->parts; p += WIDTH) {
        UNROLL for (int k = 0; k < 8; k++) {
            re[k] = *(const loose *)(from.re + p + s->parts * k);
            im[k] = *(const loose *)(from.im + p + s->parts * k);
        }
        radix8_of_vectors(re, im);
        UNROLL for (int k = 1; k < 8; k++) {
            const double *turns = s->turns + 2 * (k - 1) * s->parts + p;
            times_of_vectors(&re[k], &im[k], *(const loose *)turns,
                             *(const loose *)(turns + s->parts));
        }
        UNROLL for (int block = 0; block < 8; block += WIDTH) {
            turn(re + block);
            turn(im + block);
            UNROLL for (int i = 0; i < WIDTH; i++) {
                *(loose *)(to.re + (p + i) * 8 + block) = re[block + i];
                *(loose *)(to.im + (p + i) * 8 + block) = im[block + i];
            }
        }
    }
}

#define RADIX(r)                                             \
    case r:                                                  \
        whole_of_vectors(s, from, to, r);                    \
        if (s->run % WIDTH) rest_of_numbers(s, from, to, r); \
        break;

static void step(const hlo_fft_step *s, hlo_fft_numbers from, hlo_fft_numbers to) {
    if (s->across) {
        step_across(s, from, to);
        return;
    }
    switch (s->radix) {
        RADIX(2)
        RADIX(3)
        RADIX(4)
        RADIX(5)
        RADIX(7)
        RADIX(8)
        RADIX(11)
        RADIX(13)
    default: break;
    }
}

/* ---- lines ---- */

#define S float
#define NAME(word) word##_c64
#include "eval/kernels/fft_storage.inc"
#undef S
#undef NAME

#define S double
#define NAME(word) word##_c128
#include "eval/kernels/fft_storage.inc"
#undef S
#undef NAME

/* ---- whole lines ---- */

INLINE void multiply_lanes(hlo_fft_numbers to, hlo_fft_numbers from, hlo_fft_numbers by, int64_t n,
                           const int64_t lanes) {
    for (int64_t k = 0; k < n; k++)
        for (int64_t lane = 0; lane < lanes; lane++) {
            int64_t at = lanes * k + lane;
            double re = from.re[at], im = from.im[at];
            to.re[at] = re * by.re[k] - im * by.im[k];
            to.im[at] = re * by.im[k] + im * by.re[k];
        }
}

static void multiply(hlo_fft_numbers to, hlo_fft_numbers from, hlo_fft_numbers by, int64_t n,
                     int64_t lanes) {
    if (lanes == 1) multiply_lanes(to, from, by, n, 1);
    else multiply_lanes(to, from, by, n, HLO_FFT_LANES);
}

/* Number k of a spectrum x of pairs a + ib: those of a, (x[k] + conj x[n-k]) / 2, and i times those
 * of b, (x[k] - conj x[n-k]) / 2. `sign` -1: k runs from them back. */
INLINE void halves(double *restrict to_re, double *restrict to_im, hlo_fft_numbers x,
                   hlo_fft_numbers turns, int64_t n, const int64_t lanes, const bool join) {
    for (int64_t k = 1; k < n; k++)
        for (int64_t lane = 0; lane < lanes; lane++) {
            int64_t here = lanes * k + lane, there = lanes * (n - k) + lane;
            double even_re = x.re[here] + x.re[there], even_im = x.im[here] - x.im[there];
            double odd_re = x.re[here] - x.re[there], odd_im = x.im[here] + x.im[there];
            double turn_re = turns.re[k], turn_im = join ? turns.im[k] : -turns.im[k];
            double re = odd_re * turn_re - odd_im * turn_im;
            double im = odd_re * turn_im + odd_im * turn_re;
            to_re[here] = 0.5 * (join ? even_re + im : even_re - im);
            to_im[here] = 0.5 * (join ? even_im - re : even_im + re);
        }
}

static void join_halves(hlo_fft_numbers to, hlo_fft_numbers from, hlo_fft_numbers turns, int64_t n,
                        int64_t lanes) {
    for (int64_t lane = 0; lane < lanes; lane++) {
        double re = from.re[lane], im = from.im[lane];
        to.re[lane] = re + im;
        to.re[lanes * n + lane] = re - im;
        to.im[lane] = to.im[lanes * n + lane] = 0;
    }
    if (lanes == 1) halves(to.re, to.im, from, turns, n, 1, true);
    else halves(to.re, to.im, from, turns, n, HLO_FFT_LANES, true);
}

static void split_halves(hlo_fft_numbers to, hlo_fft_numbers from, hlo_fft_numbers turns, int64_t n,
                         int64_t lanes) {
    for (int64_t lane = 0; lane < lanes; lane++) {
        double first = from.re[lane], last = from.re[lanes * n + lane];
        to.re[lane] = 0.5 * (first + last);
        to.im[lane] = 0.5 * (first - last);
    }
    if (lanes == 1) halves(to.re, to.im, from, turns, n, 1, false);
    else halves(to.re, to.im, from, turns, n, HLO_FFT_LANES, false);
}

#define STORAGE(type)                                                                \
    {                                                                                \
        .load = load_##type, .store = store_##type, .load_lines = load_lines_##type, \
        .store_lines = store_lines_##type, .load_columns = load_columns_##type,      \
        .store_columns = store_columns_##type,                                       \
    }

const hlo_fft_set HLO_LANES_PART(fft) = {
    .step = step,
    .multiply = multiply,
    .join_halves = join_halves,
    .split_halves = split_halves,
    .c64 = STORAGE(c64),
    .c128 = STORAGE(c128),
};
