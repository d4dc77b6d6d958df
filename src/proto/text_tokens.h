/* Tokens of protobuf's text format: blanks, strings, numbers, brackets. For text_reader.c, and for
 * detect.c, which looks at the start of a text. Nothing here reports errors. */
#ifndef HLO_PROTO_TEXT_TOKENS_H
#define HLO_PROTO_TEXT_TOKENS_H

#include "base/text.h"

/* Brackets in a value that is passed over. */
enum { HLO_MOST_NESTED_BRACKETS = 2048 };

static inline bool hlo_pbtxt_opens(char c) {
    return c == '{' || c == '<' || c == '[';
}
static inline bool hlo_pbtxt_quotes(char c) {
    return c == '"' || c == '\'';
}
/* Of numbers without their sign, and of words. */
static inline bool hlo_pbtxt_is_token_byte(char c) {
    return hlo_is_letter(c) || hlo_is_digit(c) || c == '_' || c == '.';
}

/* After blanks and comments, which begin with # and end with the line. */
const char *hlo_pbtxt_after_blanks(const char *at, const char *end);
/* After the string whose quote is at `at`; NULL: it is not closed in its line. */
const char *hlo_pbtxt_string_end(const char *at, const char *end);
/* After the brackets that open at `at`. NULL, and *wrong: the end, a string that is not closed, the
 * bracket that is too deep, or one that closes another. */
const char *hlo_pbtxt_brackets_end(const char *at, const char *end, const char **wrong);

/* Writes what the escape at *at, whose length is at least that of what it stands for, means;
 * returns the end of that and moves *at past the escape. NULL: there is no such escape. */
char *hlo_pbtxt_escape(const char **at, const char *end, char *to);

typedef enum { HLO_PBTXT_NUMBER, HLO_PBTXT_NO_NUMBER, HLO_PBTXT_TOO_LARGE } hlo_pbtxt_number;
/* A token as an integer: decimal, hexadecimal after 0x, octal after 0. */
hlo_pbtxt_number hlo_pbtxt_integer(hlo_str token, uint64_t *out);
/* A token as a decimal number, perhaps with an f at its end, or inf, infinity or nan. */
bool hlo_pbtxt_real(hlo_str token, double *out);

#endif
