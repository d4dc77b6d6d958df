/* Tokens of protobuf's text format: see text_tokens.h. */
#include "proto/text_tokens.h"

#include <math.h>
#include <strings.h>

#include "base/decimal.h"

/* ---- blanks and brackets ---- */

const char *hlo_pbtxt_after_blanks(const char *at, const char *end) {
    while (at < end) {
        if (hlo_is_space(*at)) {
            at++;
        } else if (*at == '#') {
            const char *line = memchr(at, '\n', (size_t)(end - at));
            at = line ? line : end;
        } else {
            break;
        }
    }
    return at;
}

const char *hlo_pbtxt_string_end(const char *at, const char *end) {
    char quote = *at++;
    for (; at < end && *at != '\n'; at++) {
        if (*at == quote) return at + 1;
        if (*at == '\\' && ++at == end) break;
    }
    return NULL;
}

static char closing(char open) {
    return open == '{' ? '}' : open == '<' ? '>' : ']';
}

const char *hlo_pbtxt_brackets_end(const char *at, const char *end, const char **wrong) {
    char closes[HLO_MOST_NESTED_BRACKETS];
    size_t depth = 0;
    const char *after;
    for (*wrong = at; at < end; *wrong = at) {
        switch (*at) {
        case '{':
        case '<':
        case '[':
            if (depth == HLO_MOST_NESTED_BRACKETS) return NULL;
            closes[depth++] = closing(*at++);
            break;
        case '}':
        case '>':
        case ']':
            if (!depth || *at++ != closes[--depth]) return NULL;
            if (!depth) return at;
            break;
        case '"':
        case '\'':
            after = hlo_pbtxt_string_end(at, end);
            if (!after) return NULL;
            at = after;
            break;
        case '#': at = hlo_pbtxt_after_blanks(at, end); break;
        default: at++; break;
        }
    }
    return NULL;
}

/* ---- escapes ---- */

/* Up to `most` digits of the base; false without any. */
static bool take_digits(const char **at, const char *end, unsigned base, int most, uint32_t *out) {
    const char *from = *at;
    *out = 0;
    for (; *at < end && *at - from < most && hlo_digit_value(**at) < base; (*at)++)
        *out = *out * base + hlo_digit_value(**at);
    return *at > from;
}

static char *put_utf8(char *to, uint32_t c) {
    static const uint8_t leads[] = {0, 0xc0, 0xe0, 0xf0};
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *to++ = (char)(leads[more] | c >> (6 * more));
    while (more--) *to++ = (char)(0x80 | (c >> (6 * more) & 0x3f));
    return to;
}

static bool is_high_surrogate(uint32_t c) {
    return c >> 10 == 0xd800 >> 10;
}
static bool is_low_surrogate(uint32_t c) {
    return c >> 10 == 0xdc00 >> 10;
}

/* \uXXXX, two of them for a pair of surrogates, or \UXXXXXXXX; *at is past the letter. */
static char *unicode(const char **at, const char *end, int length, char *to) {
    const char *from = *at;
    uint32_t c, low;
    if (!take_digits(at, end, 16, length, &c) || *at - from != length) return NULL;
    if (is_high_surrogate(c) && end - *at > 2 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        from = *at += 2;
        if (!take_digits(at, end, 16, 4, &low) || *at - from != 4 || !is_low_surrogate(low))
            return NULL;
        c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
    }
    bool is_character = c <= 0x10ffff && !is_high_surrogate(c) && !is_low_surrogate(c);
    return is_character ? put_utf8(to, c) : NULL;
}

char *hlo_pbtxt_escape(const char **at, const char *end, char *to) {
    static const char letters[] = "abfnrtv\\'\"?", meant[] = "\a\b\f\n\r\t\v\\'\"?";
    uint32_t byte;
    if (end - *at < 2) return NULL;
    char c = (*at)[1];
    const char *letter = c ? strchr(letters, c) : NULL;
    if (c >= '0' && c <= '7') {
        *at += 1;
        take_digits(at, end, 8, 3, &byte);
        *to++ = (char)byte;
        return to;
    }
    *at += 2;
    if (c == 'u' || c == 'U') return unicode(at, end, c == 'u' ? 4 : 8, to);
    if (c == 'x' || c == 'X') {
        if (!take_digits(at, end, 16, 2, &byte)) return NULL;
        *to++ = (char)byte;
        return to;
    }
    if (!letter) return NULL;
    *to++ = meant[letter - letters];
    return to;
}

/* ---- numbers ---- */

hlo_pbtxt_number hlo_pbtxt_integer(hlo_str token, uint64_t *out) {
    unsigned base = 10;
    uint32_t at = 0;
    if (token.len > 1 && token.ptr[0] == '0') {
        bool is_hex = token.ptr[1] == 'x' || token.ptr[1] == 'X';
        base = is_hex ? 16 : 8;
        at = is_hex ? 2 : 1;
    }
    if (at == token.len) return HLO_PBTXT_NO_NUMBER;
    bool fits = true;
    *out = 0;
    for (; at < token.len; at++) {
        unsigned digit = hlo_digit_value(token.ptr[at]);
        if (digit >= base) return HLO_PBTXT_NO_NUMBER;
        fits = fits && !__builtin_mul_overflow(*out, base, out) &&
               !__builtin_add_overflow(*out, digit, out);
    }
    return fits ? HLO_PBTXT_NUMBER : HLO_PBTXT_TOO_LARGE;
}

static uint32_t after_digits(hlo_str token, uint32_t at) {
    while (at < token.len && hlo_is_digit(token.ptr[at])) at++;
    return at;
}

/* Bytes of the number that the token begins with; 0: it begins with none. An integer that begins
 * with 0 is octal, which no real is. */
static uint32_t decimal_length(hlo_str token) {
    uint32_t whole = after_digits(token, 0), at = whole, digits = whole;
    if (at < token.len && token.ptr[at] == '.') {
        at = after_digits(token, at + 1);
        digits += at - whole - 1;
    }
    if (!digits || (at == whole && whole > 1 && token.ptr[0] == '0')) return 0;
    if (at < token.len && (token.ptr[at] == 'e' || token.ptr[at] == 'E')) {
        uint32_t sign =
            at + 1 < token.len && (token.ptr[at + 1] == '+' || token.ptr[at + 1] == '-');
        uint32_t end = after_digits(token, at + 1 + sign);
        at = end > at + 1 + sign ? end : 0;
    }
    return at;
}

static bool is_word(hlo_str token, const char *word) {
    return token.len == strlen(word) && strncasecmp(token.ptr, word, token.len) == 0;
}

bool hlo_pbtxt_real(hlo_str token, double *out) {
    if (is_word(token, "nan")) {
        *out = NAN;
        return true;
    }
    if (is_word(token, "inf") || is_word(token, "infinity")) {
        *out = INFINITY;
        return true;
    }
    uint32_t n = decimal_length(token);
    bool has_f = n && n + 1 == token.len && (token.ptr[n] == 'f' || token.ptr[n] == 'F');
    if (!n || n + has_f != token.len) return false;
    *out = hlo_decimal_text(token.ptr, n);
    return true;
}
