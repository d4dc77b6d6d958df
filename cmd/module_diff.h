/* Two texts of modules compared line by line, each computation with the one of its name. */
#ifndef HLO_CMD_MODULE_DIFF_H
#define HLO_CMD_MODULE_DIFF_H

#include <stdio.h>

/* Writes the differences as `diff -u` does, without file names: of the headers, of computations as
 * they stand in `after`, and last the computations that are gone. A line "@@ line 7 @@ %main" gives
 * the place of the next lines in `before`; a new computation has none. Nothing when only the order
 * of computations differs. 0, or -1 when there is no memory for it. */
int module_diff(const char *before, const char *after, FILE *to);

#endif
