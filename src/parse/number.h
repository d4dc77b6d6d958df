/* Numbers of the text format (docs/text-format.md, 1.2): from bytes to 64-bit patterns and
 * correctly rounded doubles. */
#ifndef HLO_PARSE_NUMBER_H
#define HLO_PARSE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    HLO_NUMBER_BAD,      /* no token: `problem` gives the reason */
    HLO_NUMBER_INT,      /* `integer` */
    HLO_NUMBER_DECIMAL,  /* `decimal`, infinite when the text overflows a double; also nan */
    HLO_NUMBER_INFINITY, /* -inf: `decimal` */
    HLO_NUMBER_PATTERN,  /* digits of another token: dimension labels, 2x3, 0_1x2_3 */
} hlo_number_kind;

typedef struct {
    hlo_number_kind kind;
    const char *end; /* one past the token; of a bad one, where to stop underlining */
    union {
        int64_t integer; /* the 64-bit pattern: 18446744073709551615 and -1 are the same */
        double decimal;
        const char *problem; /* a sentence without capital and full stop */
    };
} hlo_number;

/* The token at a digit or '-'. The text must go on to a byte that ends it (a zero byte does). */
hlo_number hlo_scan_number(const char *at);
/* nan or -nan with its payload: `at` is one past the word, where '(' may follow. */
hlo_number hlo_scan_nan(const char *at, bool negative);

/* The value of an INT token; false when it does not fit 64 bits. */
bool hlo_read_int64(const char *text, size_t n, int64_t *out);
/* The value of a DECIMAL token, which may be nan(0x...); false when a payload is 0 or too large.
 * The byte after the token must not continue it. */
bool hlo_read_double(const char *text, size_t n, double *out);

#endif
