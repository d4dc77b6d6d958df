/* Finding the end of a word, a blank or a mark, sixteen bytes at a time where the machine has SSE2.
 * Texts are padded (HLO_SOURCE_PADDING), so reading on after what was asked for is allowed. */
#ifndef HLO_PARSE_BYTES_H
#define HLO_PARSE_BYTES_H

#include "base/text.h"

#ifdef __SSE2__
#include <emmintrin.h>

enum { HLO_STEP = 16 };

static inline __m128i hlo_sixteen(const char *at) {
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

/* The bytes of v from `low` on, `n` of them. */
static inline __m128i hlo_range(__m128i v, char low, char n) {
    __m128i from = _mm_sub_epi8(v, _mm_set1_epi8(low));
    return _mm_cmpeq_epi8(_mm_min_epu8(from, _mm_set1_epi8((char)(n - 1))), from);
}

static inline __m128i hlo_equals(__m128i v, char c) {
    return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

static inline unsigned hlo_word_mask(const char *at) {
    __m128i v = hlo_sixteen(at);
    __m128i letters = hlo_range(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26);
    __m128i others = _mm_andnot_si128(hlo_equals(v, '/'), hlo_range(v, '-', '9' - '-' + 1));
    __m128i words = _mm_or_si128(_mm_or_si128(letters, others), hlo_equals(v, '_'));
    return (unsigned)_mm_movemask_epi8(words);
}

/* After the letters, digits, '_', '.' and '-' at `at`. */
static inline const char *hlo_word_end(const char *at) {
    for (;; at += HLO_STEP) {
        unsigned other = ~hlo_word_mask(at) & 0xffff;
        if (other) return at + __builtin_ctz(other);
    }
}

/* The first byte from `at` on that is a blank or below. */
static inline const char *hlo_blank_from(const char *at) {
    for (;; at += HLO_STEP) {
        __m128i v = hlo_sixteen(at);
        unsigned found =
            (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(' ')), v));
        if (found) return at + __builtin_ctz(found);
    }
}

/* The first brace, quote, slash or NUL from `at` on. */
static inline const char *hlo_mark_from(const char *at) {
    for (;; at += HLO_STEP) {
        __m128i v = hlo_sixteen(at), braces = _mm_or_si128(hlo_equals(v, '{'), hlo_equals(v, '}'));
        __m128i quotes = _mm_or_si128(hlo_equals(v, '"'), hlo_equals(v, '\''));
        __m128i ends = _mm_or_si128(hlo_equals(v, '/'), hlo_equals(v, 0));
        unsigned found =
            (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(braces, quotes), ends));
        if (found) return at + __builtin_ctz(found);
    }
}

/* The first parenthesis, quote, '%', '/' or byte below a blank from `at` on. */
static inline const char *hlo_tuple_mark_from(const char *at) {
    for (;; at += HLO_STEP) {
        __m128i v = hlo_sixteen(at), rounds = hlo_range(v, '(', 2);
        __m128i others = _mm_or_si128(hlo_equals(v, '%'), hlo_equals(v, '/'));
        __m128i ends = _mm_or_si128(hlo_range(v, 0, ' '), hlo_equals(v, '"'));
        unsigned found =
            (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(rounds, others), ends));
        if (found) return at + __builtin_ctz(found);
    }
}

#else

static inline const char *hlo_tuple_mark_from(const char *at) {
    while ((unsigned char)*at >= ' ' && *at != '(' && *at != ')' && *at != '%' && *at != '/' &&
           *at != '"')
        at++;
    return at;
}

static inline const char *hlo_word_end(const char *at) {
    while (hlo_is_word_byte(*at)) at++;
    return at;
}

static inline const char *hlo_blank_from(const char *at) {
    while ((unsigned char)*at > ' ') at++;
    return at;
}

static inline const char *hlo_mark_from(const char *at) {
    while (*at && *at != '{' && *at != '}' && *at != '"' && *at != '\'' && *at != '/') at++;
    return at;
}

#endif

/* The number of at most `most` digits at `at`, and where it ends; NULL when none stands there. */
static inline const char *hlo_few_digits(const char *at, int most, int64_t *out) {
    const char *from = at;
    int64_t v = 0;
    for (; hlo_is_digit(*at) && at - from < most; at++) v = v * 10 + (*at - '0');
    *out = v;
    return at > from ? at : NULL;
}

#endif
