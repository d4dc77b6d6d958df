/* Lines on standard error that are no diagnostics, and texts in them. Called by the programs. */
#ifndef HLO_CMD_SAY_H
#define HLO_CMD_SAY_H

/* Writes `PROGRAM: MESSAGE` and a newline. Whatever the message quotes, from command lines or
 * files, stays in the line: see hlo_escape. */
void say(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text as hlo_escape writes it, for free; NULL without memory. */
char *escaped(const char *text);

#endif
