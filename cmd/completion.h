/* Completion of command lines in shells: what may stand in place of the last argument, worked out
 * from the option tables, and the scripts by which bash, zsh and fish ask. */
#ifndef HLO_CMD_COMPLETION_H
#define HLO_CMD_COMPLETION_H

#include <stdio.h>

#include "options.h"

/* Answers `PROGRAM --complete ARGUMENT... LAST` on standard output. First a line `KIND START`: what
 * follows replaces LAST from its byte START on. KIND is words, or open (more may follow, no blank),
 * or files or directories: names of those that begin with the rest of LAST are meant, too. Then a
 * line for each candidate, with what it is after a tab. */
void completion_answer(const program_info *program, const option_row *const tables[2],
                       char *const *arguments, int count);

/* The shells, as --completion lists them. */
#define COMPLETION_SHELLS "bash|zsh|fish"
/* The script that a shell reads, by its place in the list. */
void completion_script(const program_info *program, int shell, FILE *to);

#endif
