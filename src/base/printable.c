/* Which characters are printable, and escapes for the others. */
#include "base/printable.h"

#include <stdio.h>

/* Bytes of a character that begins with this one by UTF-8, or 0. */
static size_t length_of(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return 2;
    if (first >= 0xe0 && first < 0xf0) return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

static uint32_t decode(const unsigned char *text, size_t n) {
    HLO_ASSERT(n >= 1 && n <= 4);
    uint32_t code = n == 1 ? text[0] : text[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) code = code << 6 | (text[i] & 0x3fu);
    return code;
}

static bool is_printable(uint32_t code, size_t length) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
    HLO_ASSERT(length < sizeof least / sizeof *least);
    if (code < least[length] || code > 0x10ffff) return false;
    if ((code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe) return false;
    /* line and paragraph separators, embeddings, overrides and isolates of direction */
    bool turns = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return !turns && code != 0x200e && code != 0x200f && code != 0x61c && code != 0xfeff;
}

/* Whether what runs a CI job takes the rest of the line as a command: `##[error]`, `##vso[...]`. */
static bool is_command(const char *text, size_t n) {
    static const char *const marks[] = {"##[", "##vso["};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (n >= strlen(marks[i]) && memcmp(text, marks[i], strlen(marks[i])) == 0) return true;
    return false;
}

size_t hlo_printable(const char *text, size_t n) {
    HLO_ASSERT(n > 0);
    const unsigned char *bytes = (const unsigned char *)text;
    if (*text == '#' && is_command(text, n)) return 0;
    size_t length = length_of(bytes[0]);
    if (!length || length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80) return 0;
    return is_printable(decode(bytes, length), length) ? length : 0;
}

size_t hlo_escape_one(const char *text, size_t n, char out[HLO_ESCAPED_MOST], size_t *length) {
    HLO_ASSERT(n > 0);
    static const char letters[] = "\nn\tt\rr";
    *length = hlo_printable(text, n);
    if (*length) {
        memcpy(out, text, *length);
        return *length;
    }
    const char *letter = *text ? strchr(letters, *text) : NULL;
    if (letter) *length = (size_t)snprintf(out, HLO_ESCAPED_MOST, "\\%c", letter[1]);
    else *length = (size_t)snprintf(out, HLO_ESCAPED_MOST, "\\x%02x", (unsigned char)*text);
    return 1;
}

void hlo_put_printable(hlo_buf *to, const char *text, size_t n) {
    char out[HLO_ESCAPED_MOST];
    size_t length;
    for (size_t i = 0; i < n;) {
        i += hlo_escape_one(text + i, n - i, out, &length);
        hlo_buf_bytes(to, out, length);
    }
}

/* `\303` and the like: a byte beyond ASCII. */
static bool is_octal(const char *at, size_t n) {
    return n >= 4 && at[0] == '\\' && (at[1] == '2' || at[1] == '3') && at[2] >= '0' &&
           at[2] <= '7' && at[3] >= '0' && at[3] <= '7';
}

/* The length of the character whose bytes the escapes at `at` are; 0: of none. */
static size_t unescape(const char *at, size_t n, char character[4]) {
    size_t count = 0;
    for (; count < 4 && is_octal(at, n); count++, at += 4, n -= 4)
        character[count] = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
    return count ? hlo_printable(character, count) : 0;
}

void hlo_unescape_characters(hlo_buf *text) {
    size_t to = 0;
    for (size_t at = 0; at < text->len;) {
        char character[4];
        size_t left = text->len - at, length = unescape(text->data + at, left, character);
        memcpy(text->data + to, character, length);
        to += length;
        at += 4 * length;
        if (length) continue;
        size_t kept = text->data[at] == '\\' && left > 1 ? 2 : 1; /* an escaped backslash, too */
        memmove(text->data + to, text->data + at, kept);
        to += kept;
        at += kept;
    }
    text->len = to;
}

bool hlo_begins_command(const char *text, size_t n) {
    while (n && (*text == ' ' || *text == '\t')) text++, n--;
    return n > 1 && text[0] == ':' && text[1] == ':';
}

void hlo_put_line_start(hlo_buf *to, const char *text, size_t n) {
    if (hlo_begins_command(text, n)) {
        size_t blanks = (size_t)((const char *)memchr(text, ':', n) - text);
        hlo_put_printable(to, text, blanks);
        hlo_buf_lit(to, "\\x3a");
        text += blanks + 1, n -= blanks + 1;
    }
    hlo_put_printable(to, text, n);
}
