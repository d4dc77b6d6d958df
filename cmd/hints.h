/* Hints of the library in the words of the programs: options instead of members and functions. */
#ifndef HLO_CMD_HINTS_H
#define HLO_CMD_HINTS_H

#include <hlo.h>

/* A list of diagnostics with such hints. */
hlo_diags *new_diags(uint32_t max_errors);

#endif
