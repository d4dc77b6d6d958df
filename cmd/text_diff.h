/* Lines compared with lines. */
#ifndef HLO_CMD_TEXT_DIFF_H
#define HLO_CMD_TEXT_DIFF_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    const char *text;
    size_t length; /* without the line's end */
} text_line;

/* A list of them, or a part of one. */
typedef struct {
    text_line *lines;
    size_t count;
    size_t before; /* how many lines of the text stand before these */
} text_lines;

/* The lines of a text, which must stay; to be freed. False when there is no memory for them. */
bool text_lines_split(const char *text, text_lines *out);

bool text_line_same(const text_line *a, const text_line *b);

/* Writes the differences as `diff -u` does, without file names and with `what` in the head of every
 * hunk; nothing for equal lines. 0, or -1 when there is no memory for it. */
int text_diff(const text_lines *before, const text_lines *after, const text_line *what, FILE *to);

#endif
