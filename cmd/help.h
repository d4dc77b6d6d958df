/* The text of --help, made from the option tables. Called by options.c. */
#ifndef HLO_CMD_HELP_H
#define HLO_CMD_HELP_H

#include "options.h"

/* Usage, purpose, options by group (the program's, then the shared ones), examples, exit statuses.
 */
void help_print(const program_info *program, const option_row *const tables[2], FILE *to);
/* The same as a manual page, for troff. */
void help_print_manual(const program_info *program, const option_row *const tables[2], FILE *to);

#endif
