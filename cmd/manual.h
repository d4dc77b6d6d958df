/* The manual page of a program, made from its option tables. */
#ifndef HLO_CMD_MANUAL_H
#define HLO_CMD_MANUAL_H

#include "options.h"

/* For troff with the man macros. tools/make-man adds the date and the other programs. */
void manual_print(const program_info *program, const option_row *const tables[2], FILE *to);

#endif
