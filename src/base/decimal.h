/* Decimal text <-> numbers, exactly rounded and independent of the locale: the arithmetic of
 * reading and printing literals. */
#ifndef HLO_BASE_DECIMAL_H
#define HLO_BASE_DECIMAL_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes that hlo_put_g and the integer writers write: sign, digits, point, exponent. */
enum { HLO_NUMBER_SIZE = 32 };

/* digits * 10^exponent rounded to the nearest double, ties to even. False for exponents beyond what
 * 128 bits decide (about 10^27 either way): then hlo_decimal_text does it. */
bool hlo_decimal_to_double(uint64_t digits, int exponent, double *out);
/* The double that n bytes of decimal text ([-]digits[.digits][e[+-]digits]) stand for, any length;
 * infinite when it overflows. */
double hlo_decimal_text(const char *text, size_t n);
/* The same of the decimal text that a longer one begins with, which ends with a NUL byte. */
double hlo_decimal_start(const char *text);

/* The locale of the process, which is its program's business, may have a decimal comma. Puts the
 * calling thread under the "C" locale, for calls of the C library that read or write numbers with a
 * point; returns what uselocale takes back. */
locale_t hlo_enter_c_locale(void);

/* Each writes at `to` and returns the end; nothing is terminated. */
char *hlo_put_uint(char *to, uint64_t value);
char *hlo_put_int(char *to, int64_t value);
/* A finite value as printf's %.*g with 1 to 17 digits. */
char *hlo_put_g(char *to, double value, int digits);
/* A finite value with as many digits as given, or when these do not read back to the same float
 * (double), with 9 (17). */
char *hlo_put_f32(char *to, float value);
char *hlo_put_f64(char *to, double value);

#endif
