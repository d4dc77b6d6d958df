/* A printed module as tokens and lines, for writing it differently. It is one for the program, and
 * stays as the text is: what points into the text is not terminated. */
#ifndef TESTS_RESPELL_RESPELL_H
#define TESTS_RESPELL_RESPELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- respell.c ---- */

_Noreturn void fail(const char *what);
void *grow(void *old, size_t count, size_t size); /* never NULL */

extern uint64_t chance_state;
uint32_t below(uint32_t n); /* any of 0 to n - 1 */
bool one_in(uint32_t n);

/* ---- tokens.c ---- */

/* ATTR is `name=`, COLON is `name:`, OTHER what is copied as it stands (3x3, 0_1x0_1, raw braces).
 */
typedef enum { PUNCTUATION, NAME, ATTR, COLON, NUMBER, STRING, OTHER } token_kind;

typedef struct {
    token_kind kind;
    const char *text;
    uint32_t len;
    bool starts_line;
} token;

extern token *tokens;
extern uint32_t token_count;
void tokenise(const char *text);
bool token_is(const token *t, const char *text);

/* ---- lines.c ---- */

typedef struct {
    uint32_t name, value, end; /* tokens: the name, the first of the value, one past it */
} attribute;

/* A line of a computation, or the header: tokens from first to end, attributes after the rest. */
typedef struct {
    uint32_t first, shape, opcode, arguments, attributes, end;
    uint32_t attribute_first, attribute_count;
    bool is_header;
} line;

extern attribute *attributes;
extern line *lines;
extern uint32_t attribute_count, line_count;
/* Finds lines and attributes among the tokens. */
void read_module(void);

/* ---- write.c: to standard output ---- */

void put(const char *text, size_t n);
void put_text(const char *text);
/* A blank or none, as the bytes before and after allow. */
void put_blank(char next);
/* Spelt in one of the ways that mean the same; numbers as floats where they are. */
void put_token(const token *t, bool as_float);
void put_tokens(uint32_t from, uint32_t to, bool as_float);

/* ---- spelling.c, value.c ---- */

/* Whether the order of the line's attributes means nothing. */
bool may_reorder(const line *l);
void write_respelt(void);
/* `text` to `end` is what was tokenised. */
void write_changed(const char *text, const char *end);

#endif
