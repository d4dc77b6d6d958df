/* The texts of --help and --help-all, made from the option tables. */
#ifndef HLO_CMD_HELP_H
#define HLO_CMD_HELP_H

#include "options.h"

/* Usage, purpose, the most used options and examples, on a screen of 24 lines of 80 columns. */
void help_print(const program_info *program, const option_row *const tables[2], FILE *to);
/* Everything: options by group (the program's, then the shared ones), examples, exit statuses. */
void help_print_all(const program_info *program, const option_row *const tables[2], FILE *to);

/* Between help.c, manual.c and help_json.c. */
extern const char *const help_statuses[4]; /* what the exit statuses mean */
extern const char help_beginnings[];       /* that names may be shortened */
/* Variables of the environment that are no defaults of options, and files: those of all programs.
 */
extern const term_row help_variables[], help_files[];

#endif
