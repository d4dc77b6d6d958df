/* Base64, RFC 4648. */
#include "proto/base64.h"

void hlo_base64_put(hlo_buf *to, const void *bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *p = bytes;
    hlo_buf_reserve(to, n / 3 * 4 + 4);
    char *out = to->data + to->len;
    for (; n >= 3; n -= 3, p += 3) {
        *out++ = digits[p[0] >> 2];
        *out++ = digits[(p[0] & 3) << 4 | p[1] >> 4];
        *out++ = digits[(p[1] & 15) << 2 | p[2] >> 6];
        *out++ = digits[p[2] & 63];
    }
    if (n) {
        uint8_t second = n == 2 ? p[1] : 0;
        *out++ = digits[p[0] >> 2];
        *out++ = digits[(p[0] & 3) << 4 | second >> 4];
        *out++ = n == 2 ? digits[(second & 15) << 2] : '=';
        *out++ = '=';
    }
    to->len = (size_t)(out - to->data);
}

/* The value of a digit; 64 and above: none. */
static uint8_t digit(char c) {
    if (c >= 'A' && c <= 'Z') return (uint8_t)(c - 'A');
    if (c >= 'a' && c <= 'z') return (uint8_t)(c - 'a' + 26);
    if (c >= '0' && c <= '9') return (uint8_t)(c - '0' + 52);
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return 64;
}

bool hlo_base64_read(const char *text, size_t n, uint8_t *to, size_t *len) {
    if (n % 4 == 0)
        for (int k = 0; k < 2 && n && text[n - 1] == '='; k++) n--;
    uint8_t *out = to;
    uint32_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t value = digit(text[i]);
        if (value > 63) return false;
        bits = bits << 6 | value;
        if (i % 4 == 0) continue;
        *out++ = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    *len = (size_t)(out - to);
    return n % 4 != 1;
}
