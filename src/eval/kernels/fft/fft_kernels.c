/* The inner parts of Fourier transforms, see fft_kernels.h: the same source for numbers in f32 and
 * in f64 (fft_arithmetic.inc). Compiled for each instruction set. */
#include "eval/kernels/fft/fft_kernels.h"

#include "eval/kernel/vectors.h"

/* ---- orders of lanes ---- */

/* Squares are turned by exchanges. Lanes without the bit `d` from the first operand, the others
 * from the second, where they stand d lower; and the other way round. */
#define LOW_AT(lane, d) (((lane) & (d)) ? WIDTH + (lane) - (d) : (lane))
#define HIGH_AT(lane, d) (((lane) & (d)) ? WIDTH + (lane) : (lane) + (d))
/* Parts of complex numbers: the real ones (odd: 0) or the others of two vectors; and numbers, from
 * one `half` of two vectors of parts. */
#define EVEN_AT(lane, odd) (2 * (lane) + (odd))
#define MIXED_AT(lane, half) (((lane) % 2 ? WIDTH : 0) + (half) + (lane) / 2)
#define LANES_2(at, d) at(0, d), at(1, d)
#define LANES_4(at, d) LANES_2(at, d), at(2, d), at(3, d)
#define LANES_8(at, d) LANES_4(at, d), at(4, d), at(5, d), at(6, d), at(7, d)
#define LANES_16(at, d)                                                                        \
    LANES_8(at, d), at(8, d), at(9, d), at(10, d), at(11, d), at(12, d), at(13, d), at(14, d), \
        at(15, d)
#define LANES_OF(at, d) JOIN(LANES, WIDTH)(at, d)
/* Lanes of two vectors by their numbers: gcc before 12 and clang have one way each. */
#if defined __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif

/* Lanes of a vector, by the preprocessor's reckoning. */
#if defined __AVX512F__
#define FLOATS 16
#define DOUBLES 8
#elif defined __AVX2__
#define FLOATS 8
#define DOUBLES 4
#else
#define FLOATS 4
#define DOUBLES 2
#endif

/* ---- arithmetic ---- */

#define REAL float
#define PLACE int32_t
#define WIDTH FLOATS
#define OF(word) word##_f32
#include "eval/kernels/fft/fft_arithmetic.inc"
#undef REAL
#undef PLACE
#undef WIDTH
#undef OF

#define REAL double
#define PLACE int64_t
#define WIDTH DOUBLES
#define OF(word) word##_f64
#include "eval/kernels/fft/fft_arithmetic.inc"

#define ARITHMETIC(real, type)                                                                     \
    {                                                                                              \
        .bytes = sizeof(real), .lanes = LINES_##type, .put = put_##type, .step = step_##type,      \
        .multiply = multiply_##type, .twist = twist_##type, .join_halves = join_halves_##type,     \
        .split_halves = split_halves_##type, .mirror = mirror_##type, .load = load_##type,         \
        .store = store_##type, .load_lines = load_lines_##type, .store_lines = store_lines_##type, \
        .load_columns = load_columns_##type, .store_columns = store_columns_##type,                \
        .load_any = load_any_##type, .store_any = store_any_##type,                                \
    }

const hlo_fft_set HLO_LANES_PART(fft) = {
    .f32 = ARITHMETIC(float, f32),
    .f64 = ARITHMETIC(double, f64),
};
