/* Text as it can stand in a line of a message: nothing in it moves a cursor, ends the line, turns
 * its direction or is a command to the CI service that reads the line. */
#ifndef HLO_BASE_PRINTABLE_H
#define HLO_BASE_PRINTABLE_H

#include "base/buf.h"

/* The bytes of the printable character of UTF-8 at `text`, of which n > 0 are left; 0 for control
 * characters, marks of direction, bytes that form no character, and the first of `##[`. */
size_t hlo_printable(const char *text, size_t n);
enum { HLO_ESCAPED_MOST = 8 };
/* Writes the first character of the text, or the escape of its first byte: \n, \t, \r or \xHH, and
 * no zero after it. Returns the bytes of the text that this stands for. */
size_t hlo_escape_one(const char *text, size_t n, char out[HLO_ESCAPED_MOST], size_t *length);
/* Appends the text; what is not printable is escaped so. */
void hlo_put_printable(hlo_buf *to, const char *text, size_t n);
/* Replaces the octal escapes of hlo_buf_quoted by the printable characters that they form, as a
 * reader wants them. The other escapes stay. */
void hlo_unescape_characters(hlo_buf *text);
/* Whether a line that begins so is a command to GitHub's workflows: `::error ...`. */
bool hlo_begins_command(const char *text, size_t n);
/* hlo_put_printable of text that begins a line: it is no such command. */
void hlo_put_line_start(hlo_buf *to, const char *text, size_t n);

#endif
