/* Reading text by hand: kinds of bytes, and a cursor that takes blanks, comments, numbers, words
 * and strings as XLA's scanner does. For small languages inside and around HLO text; the text
 * itself is read by grammar/hlo.re, for which the functions of `at` and `end` serve too. */
#ifndef HLO_BASE_TEXT_H
#define HLO_BASE_TEXT_H

#include "base/str.h"

/* ---- bytes ---- */

static inline bool hlo_is_digit(char c) {
    return (unsigned char)(c - '0') <= 9;
}
static inline bool hlo_is_letter(char c) {
    return (unsigned char)((c | 0x20) - 'a') < 26;
}
/* The first byte of a word. */
static inline bool hlo_begins_word(char c) {
    return hlo_is_letter(c) || c == '_';
}
/* Of names: letters, digits, '_', '.' and '-'. */
static inline bool hlo_is_word_byte(char c) {
    return hlo_is_letter(c) || hlo_is_digit(c) || c == '_' || c == '.' || c == '-';
}
/* What stands between tokens. */
static inline bool hlo_is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
/* What XLA drops around a number in a string: \v and \f too. */
static inline bool hlo_is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
/* The value of a hexadecimal digit; 16 for other bytes. */
static inline unsigned hlo_digit_value(char c) {
    if (hlo_is_digit(c)) return (unsigned)(c - '0');
    unsigned letter = (unsigned)((unsigned char)c | 0x20) - 'a';
    return letter < 6 ? letter + 10 : 16;
}

/* ---- a cursor ---- */

typedef struct {
    const char *at, *end;
} hlo_cursor;

static inline hlo_cursor hlo_cursor_of(hlo_str text) {
    return (hlo_cursor){text.ptr, text.ptr + text.len};
}
/* Whether only blanks follow. */
bool hlo_cursor_is_done(hlo_cursor *c);
/* Each skips blanks, takes what it is called for, and is false, there, when that does not follow.
 */
bool hlo_take(hlo_cursor *c, char mark);
bool hlo_take_text(hlo_cursor *c, const char *text);
bool hlo_take_number(hlo_cursor *c, uint64_t most, uint64_t *out); /* as hlo_digits */
/* Bytes of names, perhaps none. */
hlo_str hlo_take_word(hlo_cursor *c);

/* ---- from `at`, before `end` ---- */

/* Takes the decimal digits at *at. False when there is none, and when they are more than `most`. */
bool hlo_digits(const char **at, const char *end, uint64_t most, uint64_t *out);
const char *hlo_after_blanks_at(const char *at, const char *end);
/* After the comment that begins at `at`, which is `at` when none does; a line's comment ends before
 * its line feed, carriage return or NUL byte. NULL: it is not closed, or only after a NUL byte. */
const char *hlo_comment_end(const char *at, const char *end);
/* After blanks and comments; NULL likewise. */
const char *hlo_after_comments(const char *at, const char *end);
/* After the string in double or single quotes that begins at `at`: a backslash escapes the byte
 * after it. NULL: it is not closed. */
const char *hlo_quoted_end(const char *at, const char *end);

/* ---- whole texts ---- */

/* The text as a decimal number of 64 bits with or without a minus, and nothing else. */
bool hlo_int_from_text(hlo_str text, int64_t *out);
/* The same as Abseil reads numbers: blanks around it (\v and \f too) and a plus are allowed. */
bool hlo_int_as_abseil(hlo_str text, int64_t *out);
/* Where the digits that end the text begin; text.len when none do. */
static inline uint32_t hlo_final_digits(hlo_str text) {
    uint32_t at = text.len;
    while (at && hlo_is_digit(text.ptr[at - 1])) at--;
    return at;
}

#endif
