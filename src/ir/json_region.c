/* Telling values that are printed bare, as one {...} region, from those that are quoted
 * (docs/text-format.md, 1.4). */
#include "base/text.h"
#include "ir/attrs.h"

/* One character as XLA's regular expressions see it: ASCII, or a lead byte with its followers
 * (overlong and surrogate forms of three bytes pass there). 0: none. */
static size_t character(const char *at, const char *limit) {
    unsigned char lead = (unsigned char)*at;
    size_t n = lead < 0x80                   ? 1
               : lead >= 0xc2 && lead < 0xe0 ? 2
               : lead >= 0xe0 && lead < 0xf0 ? 3
               : lead >= 0xf0 && lead < 0xf5 ? 4
                                             : 0;
    if ((size_t)(limit - at) < n) return 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)at[i] & 0xc0) != 0x80) return 0;
    return n;
}

/* Past a double-quoted string; NULL when it does not end well. */
static const char *skip_string(const char *at, const char *limit) {
    at++;
    while (at < limit && *at != '"') {
        if (*at == '\\' && (++at == limit || *at == '\n')) return NULL;
        size_t n = character(at, limit);
        if (n == 0) return NULL;
        at += n;
    }
    return at < limit ? at + 1 : NULL;
}

static const char *skip_region(const char *at, const char *limit) {
    uint32_t depth = 0;
    while (at < limit) {
        if (*at == '"') {
            if (!(at = skip_string(at, limit))) return NULL;
            continue;
        }
        if (*at == '{') depth++;
        if (*at == '}') depth--;
        at++;
        if (depth == 0) return at;
    }
    return NULL;
}

bool hlo_text_is_json_region(hlo_str text) {
    const char *limit = text.ptr + text.len;
    const char *at = hlo_after_comments(text.ptr, limit);
    if (!at || at == limit || *at != '{') return false;
    at = skip_region(at, limit);
    return at && (at = hlo_after_comments(at, limit)) && at == limit;
}
