/* Which characters are printable, and escapes for the others. */
#include "base/printable.h"

/* Bytes of a character that begins with this one by UTF-8, or 0. */
static size_t length_of(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return 2;
    if (first >= 0xe0 && first < 0xf0) return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

static uint32_t decode(const unsigned char *text, size_t n) {
    uint32_t code = n == 1 ? text[0] : text[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) code = code << 6 | (text[i] & 0x3fu);
    return code;
}

static bool is_printable(uint32_t code, size_t length) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
    if (code < least[length] || code > 0x10ffff) return false;
    if (code >= 0xd800 && code < 0xe000) return false;
    /* line and paragraph separators, embeddings, overrides and isolates of direction */
    bool turns = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return !turns && code != 0x200e && code != 0x200f && code != 0x61c && code != 0xfeff;
}

size_t hlo_printable(const char *text, size_t n) {
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = length_of(bytes[0]);
    if (!length || length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80) return 0;
    return is_printable(decode(bytes, length), length) ? length : 0;
}

static void put_escape(hlo_buf *to, unsigned char byte) {
    if (byte == '\n') hlo_buf_lit(to, "\\n");
    else if (byte == '\t') hlo_buf_lit(to, "\\t");
    else if (byte == '\r') hlo_buf_lit(to, "\\r");
    else hlo_buf_printf(to, "\\x%02x", byte);
}

void hlo_put_printable(hlo_buf *to, const char *text, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t length = hlo_printable(text + i, n - i);
        if (length) hlo_buf_bytes(to, text + i, length);
        else put_escape(to, (unsigned char)text[i]);
        i += length ? length : 1;
    }
}
