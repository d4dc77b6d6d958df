/* JSON strings of any bytes: see json_string.h. */
#include "base/json_string.h"

#include "base/printable.h"

/* The length of the UTF-8 character that starts at p, whose number goes to *code, or 0 when there
 * is none. */
static size_t character_at(const unsigned char *p, size_t n, unsigned *code) {
    HLO_ASSERT(n > 0);
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    *code = p[0];
    if (p[0] < 0x80) return 1;
    size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || length > n) return 0;
    *code = p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (p[i] & 0x3fu);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

static void put_number(hlo_buf *to, unsigned code) {
    if (code < 0x10000) hlo_buf_printf(to, "\\u%04x", code);
    else
        hlo_buf_printf(to, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
                       0xdc00 + (code & 0x3ff));
}

static void put_ascii(hlo_buf *to, unsigned char c) {
    static const char letters[] = "btn\0fr"; /* of bytes 8 to 13; 11 has none */
    if (c == '"' || c == '\\') {
        hlo_buf_char(to, '\\');
        hlo_buf_char(to, (char)c);
    } else if (c >= 8 && c <= 13 && letters[c - 8]) {
        hlo_buf_char(to, '\\');
        hlo_buf_char(to, letters[c - 8]);
    } else if (c < 0x20 || c == 0x7f) {
        hlo_buf_printf(to, "\\u%04x", c);
    } else {
        hlo_buf_char(to, (char)c);
    }
}

void hlo_json_string(hlo_buf *to, const char *bytes, size_t n) {
    const unsigned char *p = (const unsigned char *)bytes;
    hlo_buf_char(to, '"');
    while (n) {
        unsigned code;
        size_t length = character_at(p, n, &code);
        if (!length) hlo_buf_lit(to, "\\ufffd");
        else if ((length > 1 || code == '#') && !hlo_printable((const char *)p, n))
            put_number(to, code);
        else if (length == 1) put_ascii(to, *p);
        else hlo_buf_bytes(to, p, length);
        p += length ? length : 1;
        n -= length ? length : 1;
    }
    hlo_buf_char(to, '"');
}
