/* Byte strings with a length. */
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

#endif
