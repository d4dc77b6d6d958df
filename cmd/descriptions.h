/* Text of the manual page of each program beyond its purpose: paragraphs separated by blank lines,
 * and the files that it reads and writes. */
#ifndef HLO_CMD_DESCRIPTIONS_H
#define HLO_CMD_DESCRIPTIONS_H

#include "options.h"

extern const char description_of_verify[];
extern const char description_of_opt[];
extern const char description_of_run[];
extern const char description_of_dot[];
extern const char description_of_diff[];
extern const char description_of_reduce[];
extern const char description_of_stat[];

extern const term_row files_of_verify[];
extern const term_row files_of_opt[];
extern const term_row files_of_run[];
extern const term_row files_of_dot[];
extern const term_row files_of_reduce[];

extern const term_row variables_of_opt[];

#endif
