/* Exact decimal conversions with 128-bit integers, and the C library for what exceeds them. */
#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/floats.h"

typedef unsigned __int128 uint128;

enum { POWERS_OF_5 = 28, POWERS_OF_10 = 20, EXACT_TENS = 22 };

static const uint64_t power_of_5[POWERS_OF_5] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125),
};

static const uint64_t power_of_10[POWERS_OF_10] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};

/* Powers of ten that a double holds exactly. */
static const double exact_ten[EXACT_TENS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Every C library has the "C" locale as an object that is there already: nothing to free. */
locale_t hlo_enter_c_locale(void) {
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

/* ---- decimal to binary ---- */

static double scaled(uint64_t mantissa, int binary_exponent) {
    return (double)mantissa * hlo_f64_from_bits((uint64_t)(1023 + binary_exponent) << 52);
}

/* The exact product, cut to 64 bits; the last one is also set if anything was cut off. */
static double multiply_out(uint64_t digits, unsigned exponent) {
    HLO_ASSERT(exponent < POWERS_OF_5);
    uint128 product = (uint128)digits * power_of_5[exponent];
    uint64_t high = (uint64_t)(product >> 64);
    int shift = high ? 64 - __builtin_clzll(high) : 0;
    uint64_t top = (uint64_t)(product >> shift);
    if ((uint128)top << shift != product) top |= 1;
    return scaled(top, shift + (int)exponent);
}

/* digits / 10^exponent: a quotient of at least 63 bits whose last one stands for the remainder. */
static double divide_out(uint64_t digits, unsigned exponent) {
    HLO_ASSERT(digits && exponent < POWERS_OF_5);
    int up = __builtin_clzll(digits), divisor_up = __builtin_clzll(power_of_5[exponent]);
    uint64_t divisor = power_of_5[exponent] << divisor_up;
    uint128 dividend = (uint128)(digits << up) << 63;
    uint64_t quotient = (uint64_t)(dividend / divisor);
    if ((uint128)quotient * divisor != dividend) quotient |= 1;
    return scaled(quotient, divisor_up - up - 63 - (int)exponent);
}

bool hlo_decimal_to_double(uint64_t digits, int exponent, double *out) {
    if (digits >> 53 == 0 && exponent >= -EXACT_TENS && exponent <= EXACT_TENS) {
        /* Both factors are exact, so the one operation rounds correctly. */
        *out = exponent < 0 ? (double)digits / exact_ten[-exponent]
                            : (double)digits * exact_ten[exponent];
        return true;
    }
    if (digits == 0) {
        *out = 0;
        return true;
    }
    if (exponent <= -POWERS_OF_5 || exponent >= POWERS_OF_5) return false;
    *out = exponent < 0 ? divide_out(digits, (unsigned)-exponent)
                        : multiply_out(digits, (unsigned)exponent);
    return true;
}

double hlo_decimal_start(const char *text) {
    locale_t before = hlo_enter_c_locale();
    double value = strtod(text, NULL);
    uselocale(before);
    return value;
}

double hlo_decimal_text(const char *text, size_t n) {
    HLO_ASSERT(n < SIZE_MAX && (text || !n));
    char small[64], *copy = n < sizeof small ? small : hlo_malloc(n + 1);
    memcpy(copy, text, n);
    copy[n] = 0;
    double value = hlo_decimal_start(copy);
    if (copy != small) hlo_free(copy);
    return value;
}

/* ---- integers ---- */

static const char digit_pairs[] = "0001020304050607080910111213141516171819202122232425262728293031"
                                  "3233343536373839404142434445464748"
                                  "4950515253545556575859606162636465666768697071727374757677787980"
                                  "8182838485868788899091929394959697"
                                  "9899";

static int decimal_length(uint64_t value) {
    int n = ((64 - __builtin_clzll(value | 1)) * 1233) >> 12;
    return n + (n < POWERS_OF_10 && value >= power_of_10[n]) + (value == 0);
}

/* Exactly n digits, with zeros in front where the value is shorter. */
static char *put_digits(char *to, uint64_t value, int n) {
    HLO_ASSERT(n > 0 && (n >= POWERS_OF_10 || value < power_of_10[n]));
    char *at = to + n;
    while (at - to >= 2) {
        at -= 2;
        memcpy(at, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (at > to) *to = (char)('0' + value % 10);
    return to + n;
}

char *hlo_put_uint(char *to, uint64_t value) {
    if (value < 10) {
        *to = (char)('0' + value);
        return to + 1;
    }
    return put_digits(to, value, decimal_length(value));
}

char *hlo_put_int(char *to, int64_t value) {
    if (value >= 0) return hlo_put_uint(to, (uint64_t)value);
    *to = '-';
    return hlo_put_uint(to + 1, 0 - (uint64_t)value);
}

/* ---- binary to decimal ---- */

typedef struct {
    uint64_t digits; /* as many decimal digits as asked for */
    int exponent;    /* of the first of them */
} decimal;

static int bit_length(uint128 value) {
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* 5^n for n <= 54, which has at most 126 bits. */
static uint128 large_power_of_5(int n) {
    HLO_ASSERT(n >= 0 && n <= 54);
    return n < POWERS_OF_5 ? power_of_5[n]
                           : (uint128)power_of_5[POWERS_OF_5 - 1] * power_of_5[n - POWERS_OF_5 + 1];
}

static uint64_t round_quotient(uint128 quotient, uint128 rest, uint128 divisor) {
    HLO_ASSERT(rest < divisor);
    uint128 other = divisor - rest;
    return (uint64_t)quotient + (rest > other || (rest == other && ((uint64_t)quotient & 1)));
}

/* Rounds mantissa * 2^binary * 10^power to an integer, ties to even, unless it is `limit` or more:
 * then *too_large is set. False when 128 bits do not hold the numbers. */
static bool scale_to_integer(uint64_t mantissa, int binary, int power, uint64_t limit,
                             uint64_t *out, bool *too_large) {
    HLO_ASSERT(mantissa);
    if (power > 54 || power < -54) return false;
    uint128 five = large_power_of_5(power < 0 ? -power : power), dividend = mantissa, divisor = 1;
    int shift = binary + power, up = shift > 0 ? shift : 0, down = shift < 0 ? -shift : 0;
    int length = 64 - __builtin_clzll(mantissa), five_length = bit_length(five);
    if (power >= 0) {
        if (length + five_length + up > 128 || down > 127) return false;
        dividend *= five;
    } else {
        if (length + up > 128 || five_length + down > 128) return false;
        divisor = five;
    }
    dividend <<= up;
    divisor <<= down;
    if (divisor == 0) return false; /* excluded by the checks above; for static analysers */
    uint128 quotient = power >= 0 ? dividend >> down : dividend / divisor;
    *too_large = quotient >= limit;
    if (!*too_large) *out = round_quotient(quotient, dividend - quotient * divisor, divisor);
    return true;
}

/* The C library prints what is out of reach above: very small or large magnitudes. */
static decimal print_to_decimal(double value, int digits) {
    char text[HLO_NUMBER_SIZE];
    locale_t before = hlo_enter_c_locale();
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    uselocale(before);
    decimal out = {0, 0};
    const char *at = text;
    for (; *at && *at != 'e'; at++)
        if (*at != '.') out.digits = out.digits * 10 + (uint64_t)(*at - '0');
    if (*at) out.exponent = atoi(at + 1);
    return out;
}

/* `digits` significant decimal digits of a positive finite value, correctly rounded. */
static decimal to_decimal(double value, int digits) {
    HLO_ASSERT(value > 0 && isfinite(value));
    HLO_ASSERT(digits > 0 && digits < POWERS_OF_10);
    uint64_t bits = hlo_f64_bits(value), mantissa = bits & (~UINT64_C(0) >> 12);
    int binary = (int)(bits >> 52);
    if (binary) mantissa |= UINT64_C(1) << 52;
    else binary = 1;
    int zeros = __builtin_ctzll(mantissa);
    mantissa >>= zeros;
    binary += zeros - 1075;
    /* log10(2) times the binary exponent, at most one too small. */
    int64_t top = 63 - __builtin_clzll(mantissa) + binary;
    int exponent = (int)((top * 1292913986) >> 32);
    uint64_t limit = power_of_10[digits], out;
    bool too_large = true;
    while (too_large) {
        if (!scale_to_integer(mantissa, binary, digits - 1 - exponent, limit, &out, &too_large))
            return print_to_decimal(value, digits);
        exponent += too_large;
    }
    if (out == limit) return (decimal){out / 10, exponent + 1};
    return (decimal){out, exponent};
}

/* %g's layout of `count` digits: plain between 1e-4 and 10^precision, no zeros at the end. */
static char *put_decimal(char *to, decimal d, int count) {
    int precision = count;
    for (; count > 1 && d.digits % 10 == 0; count--) d.digits /= 10;
    if (d.exponent >= precision || d.exponent < -4) {
        put_digits(to + 1, d.digits, count);
        to[0] = to[1];
        to[1] = '.';
        to += count > 1 ? count + 1 : 1;
        *to++ = 'e';
        *to++ = d.exponent < 0 ? '-' : '+';
        unsigned magnitude = (unsigned)(d.exponent < 0 ? -d.exponent : d.exponent);
        return put_digits(to, magnitude, magnitude < 100 ? 2 : 3);
    }
    if (d.exponent < 0) {
        memset(to, '0', 6);
        to[1] = '.';
        return put_digits(to + 1 - d.exponent, d.digits, count);
    }
    int whole = d.exponent + 1;
    if (count <= whole) return put_digits(to, d.digits * power_of_10[whole - count], whole);
    put_digits(to + 1, d.digits, count);
    memmove(to, to + 1, (size_t)whole);
    to[whole] = '.';
    return to + count + 1;
}

static char *put_sign(char *to, double *value) {
    if (!signbit(*value)) return to;
    *value = -*value;
    *to = '-';
    return to + 1;
}

char *hlo_put_g(char *to, double value, int digits) {
    to = put_sign(to, &value);
    if (value == 0) {
        *to = '0';
        return to + 1;
    }
    return put_decimal(to, to_decimal(value, digits), digits);
}

static double from_decimal(decimal d, int count) {
    double value;
    if (hlo_decimal_to_double(d.digits, d.exponent - count + 1, &value)) return value;
    char text[HLO_NUMBER_SIZE], *end = put_decimal(text, d, count);
    return hlo_decimal_text(text, (size_t)(end - text));
}

/* Fewer digits, from ones that are correctly rounded and not half way between two shorter numbers.
 */
static decimal shorten(decimal d, int count) {
    HLO_ASSERT((size_t)count < sizeof power_of_10 / sizeof *power_of_10);
    uint64_t unit = power_of_10[count], kept = d.digits / unit, rest = d.digits % unit;
    uint64_t rounded = kept + (rest > unit / 2);
    if (decimal_length(rounded) == decimal_length(kept)) return (decimal){rounded, d.exponent};
    return (decimal){rounded / 10, d.exponent + 1};
}

/* Half a step of a 24-bit (53-bit) mantissa is less than 61 (13) units of the 9th (17th) digit:
 * only numbers with so small a rest after the 6th (15th) digit can read back from that many
 * digits. */
char *hlo_put_f32(char *to, float value) {
    double magnitude = (double)value;
    to = put_sign(to, &magnitude);
    if (magnitude == 0) {
        *to = '0';
        return to + 1;
    }
    decimal full = to_decimal(magnitude, 9);
    uint64_t rest = full.digits % 1000;
    bool subnormal = magnitude < 0x1p-126;
    if (subnormal || rest < 61 || rest > 939) {
        decimal few = subnormal ? to_decimal(magnitude, 6) : shorten(full, 3);
        if ((double)(float)from_decimal(few, 6) == magnitude) return put_decimal(to, few, 6);
    }
    return put_decimal(to, full, 9);
}

char *hlo_put_f64(char *to, double value) {
    to = put_sign(to, &value);
    if (value == 0) {
        *to = '0';
        return to + 1;
    }
    decimal full = to_decimal(value, 17);
    uint64_t rest = full.digits % 100;
    bool subnormal = value < 0x1p-1022;
    if (subnormal || rest < 13 || rest > 87) {
        decimal few = subnormal ? to_decimal(value, 15) : shorten(full, 2);
        if (from_decimal(few, 15) == value) return put_decimal(to, few, 15);
    }
    return put_decimal(to, full, 17);
}
