/* Arithmetic of sizes: of numbers that are not negative where they are divided. */
#ifndef HLO_BASE_MATH_H
#define HLO_BASE_MATH_H

#include <stdint.h>

static inline int64_t hlo_smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t hlo_larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}
/* How many units cover the size, and the size of these. */
static inline int64_t hlo_units(int64_t size, int64_t unit) {
    return (size + unit - 1) / unit;
}
static inline int64_t hlo_round_up(int64_t size, int64_t unit) {
    return hlo_units(size, unit) * unit;
}
/* The greatest common divisor; `a` when b is 0. */
static inline int64_t hlo_gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
