/* Byte strings with a length, and the hash used by every table. */
#ifndef HLO_BASE_STR_H
#define HLO_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A view of bytes owned elsewhere (the source text, an arena, a literal). Not NUL-terminated.
 */
typedef struct {
    const char *ptr;
    uint32_t len;
    uint32_t plain; /* 1: known to be printable ASCII without quotes or backslashes; 0: not known */
} hlo_str;

#define HLO_STR(literal) ((hlo_str){(literal), (uint32_t)(sizeof(literal) - 1), 1})

static inline hlo_str hlo_str_from(const char *text) {
    return (hlo_str){text, (uint32_t)strlen(text), 0};
}

/* Are the n bytes the same? For short texts, where a call would cost more than the comparison. */
static inline bool hlo_same_bytes(const char *a, const char *b, size_t n) {
    uint64_t x, y;
    for (; n >= 8; a += 8, b += 8, n -= 8) {
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        if (x != y) return false;
    }
    if (n >= 4) {
        uint32_t v[4];
        memcpy(&v[0], a, 4);
        memcpy(&v[1], b, 4);
        memcpy(&v[2], a + n - 4, 4);
        memcpy(&v[3], b + n - 4, 4);
        return v[0] == v[1] && v[2] == v[3];
    }
    return !n || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

static inline bool hlo_str_equal(hlo_str a, hlo_str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool hlo_str_is(hlo_str a, const char *text) {
    size_t n = strlen(text);
    return a.len == n && memcmp(a.ptr, text, n) == 0;
}

/* Bytewise order, a shorter prefix first. */
static inline int hlo_str_compare(hlo_str a, hlo_str b) {
    uint32_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.ptr, b.ptr, n) : 0;
    return c ? c : (a.len > b.len) - (a.len < b.len);
}

__extension__ typedef unsigned __int128 hlo_uint128;

/* Folds both words of the product, so that every bit of the input reaches the low bits that tables
 * use.
 */
static inline uint64_t hlo_hash_mix(uint64_t h, uint64_t v) {
    hlo_uint128 product =
        (hlo_uint128)(h ^ v ^ UINT64_C(0xD6E8FEB86659FD93)) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Eight bytes a step; short tails are read byte by byte, so nothing past `n` is touched. */
static inline uint64_t hlo_hash_bytes(const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    uint64_t h = n * UINT64_C(0xff51afd7ed558ccd), word;
    while (n >= 8) {
        memcpy(&word, p, 8);
        h = hlo_hash_mix(h, word);
        p += 8;
        n -= 8;
    }
    word = 0;
    if (n >= 4) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + n - 4, 4);
        word = low | (uint64_t)high << 32;
    } else if (n) {
        word = p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16;
    }
    return hlo_hash_mix(h, word);
}

#endif
