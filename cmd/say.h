/* All that the programs write to standard error beside diagnostics, and texts in it: nothing gets
 * there but by these functions (tests/source/printable.bats). */
#ifndef HLO_CMD_SAY_H
#define HLO_CMD_SAY_H

#include <stdio.h>

/* Writes `PROGRAM: MESSAGE` and a newline. Whatever the message quotes, from command lines or
 * files, stays in the line: see hlo_escape. */
void say(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes lines to standard error as the format has them. Whatever they quote is escaped likewise,
 * but for ends of lines. */
void print_lines(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes the mark and `length` bytes of text as a line, escaped as a whole. */
void print_line_to(FILE *to, const char *mark, const char *text, size_t length);

/* Writes over the line of the terminal that the last call left. The text is escaped already. */
void print_over(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes bytes that are escaped already: a report of the library, colours of a terminal. */
void print_escaped_bytes(const char *bytes, size_t count);

/* The text as hlo_escape writes it, for free; NULL without memory. */
char *escaped(const char *text);

#endif
