/* What --help=json prints, from the option tables. */
#ifndef HLO_CMD_HELP_JSON_H
#define HLO_CMD_HELP_JSON_H

#include "options.h"

/* One object on a line: the program, its options, variables and examples. */
void help_print_json(const program_info *program, const option_row *const tables[2], FILE *to);

#endif
