/* Reading text by hand: see text.h. */
#include "base/text.h"

#include "base/assert.h"

/* ---- from `at`, before `end` ---- */

bool hlo_digits(const char **at, const char *end, uint64_t most, uint64_t *out) {
    HLO_ASSERT(*at <= end);
    const char *from = *at;
    uint64_t value = 0;
    *out = 0;
    for (; *at < end && hlo_is_digit(**at); ++*at)
        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, hlo_digit_value(**at), &value) || value > most)
            return false;
    *out = value;
    return *at > from;
}

const char *hlo_after_blanks_at(const char *at, const char *end) {
    HLO_ASSERT(at <= end);
    while (at < end && hlo_is_blank(*at)) at++;
    return at;
}

const char *hlo_comment_end(const char *at, const char *end) {
    HLO_ASSERT(at <= end);
    if (end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*')) return at;
    bool is_line = at[1] == '/';
    for (at += 2; at < end && *at; at++) {
        if (is_line && (*at == '\n' || *at == '\r')) return at;
        if (!is_line && end - at > 1 && at[0] == '*' && at[1] == '/') return at + 2;
    }
    return is_line ? at : NULL;
}

const char *hlo_after_comments(const char *at, const char *end) {
    const char *from;
    do {
        from = at = hlo_after_blanks_at(at, end);
        at = hlo_comment_end(at, end);
    } while (at && at > from);
    return at;
}

const char *hlo_quoted_end(const char *at, const char *end) {
    const char quote = *at++;
    if (at >= end) return NULL;
    const char *close = memchr(at, quote, (size_t)(end - at));
    if (close && !memchr(at, '\\', (size_t)(close - at))) return close + 1;
    while (at < end && *at != quote) at += 1 + (*at == '\\');
    return at < end ? at + 1 : NULL;
}

/* ---- a cursor ---- */

static void skip_blanks(hlo_cursor *c) {
    c->at = hlo_after_blanks_at(c->at, c->end);
}

bool hlo_cursor_is_done(hlo_cursor *c) {
    skip_blanks(c);
    return c->at == c->end;
}

bool hlo_take(hlo_cursor *c, char mark) {
    skip_blanks(c);
    if (c->at == c->end || *c->at != mark) return false;
    c->at++;
    return true;
}

bool hlo_take_text(hlo_cursor *c, const char *text) {
    size_t n = strlen(text);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, text, n) != 0) return false;
    c->at += n;
    return true;
}

bool hlo_take_number(hlo_cursor *c, uint64_t most, uint64_t *out) {
    skip_blanks(c);
    return hlo_digits(&c->at, c->end, most, out);
}

hlo_str hlo_take_word(hlo_cursor *c) {
    skip_blanks(c);
    const char *from = c->at;
    while (c->at < c->end && hlo_is_word_byte(*c->at)) c->at++;
    return (hlo_str){from, (uint32_t)(c->at - from), 0};
}

/* ---- whole texts ---- */

bool hlo_int_from_text(hlo_str text, int64_t *out) {
    bool negative = text.len && *text.ptr == '-';
    const char *at = text.ptr + negative, *end = text.ptr + text.len;
    uint64_t value;
    if (!hlo_digits(&at, end, (uint64_t)INT64_MAX + negative, &value)) return false;
    *out = (int64_t)(negative ? 0 - value : value);
    return at == end;
}

bool hlo_int_as_abseil(hlo_str text, int64_t *out) {
    while (text.len && hlo_is_space(*text.ptr)) text.ptr++, text.len--;
    while (text.len && hlo_is_space(text.ptr[text.len - 1])) text.len--;
    bool plus = text.len > 1 && text.ptr[0] == '+' && text.ptr[1] != '-';
    return hlo_int_from_text((hlo_str){text.ptr + plus, text.len - plus, 0}, out);
}
