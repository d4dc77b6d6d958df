/* Pieces of text that the scanner reads as one: blanks, strings, raw JSON regions; and the memo of
 * texts seen before. */
#include "parse/bytes.h"
#include "parse/foreign.h"

#include <stdarg.h>
#include <stdio.h>

void hlo_parse_error(hlo_parser *p, hlo_rule rule, hlo_span at, const char *format, ...) {
    HLO_ASSERT(at.lo <= at.hi);
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    bool strange = rule == HLO_RULE_LEX || rule == HLO_RULE_SYNTAX;
    if (strange && hlo_report_foreign(p, at)) return;
    hlo_error(p->diags, rule, p->source, at, "%s", message);
}

/* ---- blanks ---- */

static const char *comment_not_closed(hlo_parser *p, const char *at) {
    if (!hlo_stop_at_next_error(p)) return NULL;
    hlo_parse_error(p, HLO_RULE_LEX, hlo_span_of(p, at, at + 2), "this comment is not closed");
    hlo_note_text_end(p);
    return NULL;
}

const char *hlo_skip_blanks(hlo_parser *p, const char *at) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    for (;;) {
        while (hlo_is_blank(*at)) at++;
        if (*at != '/') return at;
        const char *end = hlo_comment_end(at, p->scan.limit);
        if (end == at) return at;
        if (!end) return comment_not_closed(p, at);
        at = end;
    }
}

/* ---- strings ---- */

static void put_utf8(hlo_buf *out, uint32_t code) {
    if (code < 0x80) {
        hlo_buf_char(out, (char)code);
    } else if (code < 0x800) {
        hlo_buf_char(out, (char)(0xc0 | code >> 6));
        hlo_buf_char(out, (char)(0x80 | (code & 0x3f)));
    } else if (code < 0x10000) {
        hlo_buf_char(out, (char)(0xe0 | code >> 12));
        hlo_buf_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
        hlo_buf_char(out, (char)(0x80 | (code & 0x3f)));
    } else {
        hlo_buf_char(out, (char)(0xf0 | code >> 18));
        hlo_buf_char(out, (char)(0x80 | (code >> 12 & 0x3f)));
        hlo_buf_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
        hlo_buf_char(out, (char)(0x80 | (code & 0x3f)));
    }
}

/* Exactly `digits` hexadecimal digits as a code point; NULL when they are not there. */
static const char *unescape_unicode(const char *at, const char *end, int digits, hlo_buf *out) {
    uint32_t code = 0;
    for (int i = 0; i < digits; i++, at++) {
        unsigned d = at < end ? hlo_digit_value(*at) : 16;
        if (d == 16) return NULL;
        code = code << 4 | d;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return NULL;
    put_utf8(out, code);
    return at;
}

static const char *unescape_number(const char *at, const char *end, unsigned base, int most,
                                   hlo_buf *out) {
    uint32_t value = 0;
    int n = 0;
    for (; at < end && n < most; at++, n++) {
        unsigned d = hlo_digit_value(*at);
        if (d >= base) break;
        value = value * base + d;
        if (value > 0xff) return NULL;
    }
    if (n == 0) return NULL;
    hlo_buf_char(out, (char)value);
    return at;
}

/* One escape after its backslash; NULL when there is no such escape. */
static const char *unescape_one(const char *at, const char *end, hlo_buf *out) {
    static const char letters[] = "n\nr\rt\ta\ab\bf\fv\v\\\\''\"\"??";
    if (*at >= '0' && *at <= '7') return unescape_number(at, end, 8, 3, out);
    if (*at == 'x' || *at == 'X') return unescape_number(at + 1, end, 16, 1 << 20, out);
    if (*at == 'u') return unescape_unicode(at + 1, end, 4, out);
    if (*at == 'U') return unescape_unicode(at + 1, end, 8, out);
    for (const char *l = letters; *l; l += 2) {
        if (*l == *at) {
            hlo_buf_char(out, l[1]);
            return at + 1;
        }
    }
    return NULL;
}

static const char *unescape(hlo_parser *p, const char *at, const char *end, hlo_str *out) {
    hlo_buf text = HLO_BUF_INIT;
    while (at < end) {
        const char *slash = memchr(at, '\\', (size_t)(end - at));
        hlo_buf_bytes(&text, at, (size_t)((slash ? slash : end) - at));
        if (!slash) break;
        at = slash;
        const char *next = at + 1 < end ? unescape_one(at + 1, end, &text) : NULL;
        if (!next) {
            hlo_buf_free(&text);
            return at;
        }
        at = next;
    }
    *out = (hlo_str){hlo_arena_copy(p->arena, text.data, text.len), (uint32_t)text.len, 0};
    hlo_buf_free(&text);
    return NULL;
}

/* Bytes of a string that the printer would write as they are: 0x20 to 0x7e but quotes and
 * backslash. Returns the first other one; eight bytes at a time (the text is padded with zeros). */
static const char *plain_end(const char *at) {
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0x80;
    for (uint64_t w;; at += 8) {
        memcpy(&w, at, 8);
        uint64_t quote = w ^ (ones * '"'), tick = w ^ (ones * '\''), slash = w ^ (ones * '\\');
        uint64_t special =
            ((w - ones * 0x20) | (w + ones) | w | (quote - ones) | (tick - ones) | (slash - ones)) &
            high;
        if (special)
            break; /* exact only in that no special byte is missed: the loop below decides */
    }
    while ((unsigned char)*at >= 0x20 && (unsigned char)*at <= 0x7e && *at != '"' && *at != '\'' &&
           *at != '\\')
        at++;
    return at;
}

const char *hlo_plain_string(const hlo_parser *p, const char *at, hlo_str *out) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    const char *end = plain_end(at + 1);
    if (*end != *at || end >= p->scan.limit) return NULL;
    *out = (hlo_str){at + 1, (uint32_t)(end - at - 1), 1};
    return end + 1;
}

const char *hlo_scan_string(hlo_parser *p, const char *at, hlo_str *out) {
    const char quote = *at, *from = at + 1, *end = from;
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    bool escapes = false, plain = true;
    for (;; end++) {
        end = plain_end(end);
        if (end >= p->scan.limit) {
            hlo_parse_error(p, HLO_RULE_LEX, hlo_span_of(p, at, at + 1),
                            "this string is not closed");
            hlo_note_text_end(p);
            return NULL;
        }
        if (*end == quote) break;
        plain = false;
        if (*end != '\\') continue;
        escapes = true;
        if (end + 1 < p->scan.limit) end++; /* the escaped byte ends nothing */
    }
    *out = (hlo_str){from, (uint32_t)(end - from), plain};
    p->scan.last_string = hlo_span_of(p, at, end + 1);
    if (escapes) {
        const char *bad = unescape(p, from, end, out);
        if (bad) {
            hlo_parse_error(p, HLO_RULE_LEX, hlo_span_of(p, bad, bad + 2),
                            "there is no such escape in a string");
            hlo_note(p->diags, p->source, hlo_span_of(p, at, end + 1), "in this string");
            return NULL;
        }
    }
    return end + 1;
}

/* Does the string at `at` end with the name of a field or at the end of its line? Its closing quote
 * is the opening one of another string then. */
static bool runs_on(const hlo_parser *p, hlo_span string) {
    const char *from = p->scan.begin + string.lo + 1, *to = p->scan.begin + string.hi - 1;
    bool field = to - from > 1 && to[-1] == '=' && hlo_is_word_byte(to[-2]);
    return field || memchr(from, '\n', (size_t)(to - from));
}

bool hlo_report_unclosed_string(hlo_parser *p, hlo_span at) {
    hlo_span string = p->scan.last_string;
    if (!string.hi || string.hi != at.lo || !runs_on(p, string)) return false;
    hlo_parse_error(p, HLO_RULE_LEX, (hlo_span){string.lo, string.lo + 1},
                    "this string is not closed before the next one");
    hlo_note(p->diags, p->source, (hlo_span){string.hi - 1, string.hi}, "this quote closes it");
    p->scan.cursor = p->scan.begin + string.lo;
    return true;
}

/* After a string in JSON stands one of a few marks; *at is on its closing quote. */
static bool is_odd_end(const hlo_parser *p, const char *at) {
    return at < p->scan.limit && !strchr(",:}] \t\r\n", at[1]);
}

static const char *brace_not_closed(hlo_parser *p, const char *brace, const char *odd) {
    const char *at = odd ? odd : brace;
    hlo_parse_error(p, HLO_RULE_LEX, hlo_span_of(p, at, at + 1),
                    odd ? "this string is not closed" : "this brace is not closed");
    if (odd)
        hlo_note(p->diags, p->source, hlo_span_of(p, brace, brace + 1),
                 "so that this brace is not closed either");
    else hlo_note_text_end(p);
    return NULL;
}

/* A region {...} with balanced braces; braces inside double quotes do not count. */
const char *hlo_scan_json(hlo_parser *p, const char *at, hlo_str *out) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    const char *from = at, *odd = NULL;
    size_t depth = 0;
    for (; at < p->scan.limit; at++) {
        if (*at == '"') {
            const char *quote = at;
            for (at++; at < p->scan.limit && *at != '"'; at++)
                if (*at == '\\') at++;
            if (!odd && is_odd_end(p, at)) odd = quote;
        } else if (*at == '{') {
            depth++;
        } else if (*at == '}' && --depth == 0) {
            *out = (hlo_str){from, (uint32_t)(at + 1 - from), 0};
            return at + 1;
        }
    }
    return brace_not_closed(p, from, odd);
}

/* The quote that closes a string whose text begins at `at`; NULL when there is none. */
static const char *string_end(const char *at, const char *limit) {
    for (;; at++) {
        const char *quote = memchr(at, '"', (size_t)(limit - at)), *slash = quote;
        if (!quote) return NULL;
        while (slash > at && slash[-1] == '\\') slash--;
        if ((quote - slash) % 2 == 0) return quote;
        at = quote;
    }
}

const char *hlo_braces_end(const hlo_parser *p, const char *at) {
    HLO_ASSERT(at >= p->scan.begin && at <= p->scan.limit);
    uint32_t depth = 0;
    for (;;) {
        at = hlo_mark_from(at);
        if (*at == '"') {
            if (!(at = string_end(at + 1, p->scan.limit))) return NULL;
        } else if (*at == '{') {
            depth++;
        } else if (*at == '}') {
            if (--depth == 0) return at + 1;
        } else { /* of the other quotes, comments, the end */
            return NULL;
        }
        at++;
    }
}

/* ---- texts seen before ---- */

const void *hlo_memo_find(const hlo_memo *memo, uint64_t hash, const char *text, uint32_t len) {
    hlo_hash_each (number, &memo->by_hash, hash) {
        const hlo_memo_entry *e = &memo->entries.v[number - 1];
        if (e->len == len && hlo_same_bytes(e->text, text, len)) return e->value;
    }
    return NULL;
}

void hlo_memo_add(hlo_memo *memo, uint64_t hash, const char *text, uint32_t len,
                  const void *value) {
    hlo_list_push(&memo->entries, (hlo_memo_entry){text, len, value});
    hlo_hash_add(&memo->by_hash, hash, memo->entries.n);
}

void hlo_memo_free(hlo_memo *memo) {
    hlo_list_free(&memo->entries);
    hlo_hash_free(&memo->by_hash);
}
