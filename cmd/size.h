/* Sizes on the command line: 500M, 16GiB. */
#ifndef HLO_CMD_SIZE_H
#define HLO_CMD_SIZE_H

#include "options.h"

/* Reads an option's text, which may be NULL, into *bytes; wrong use when it is no size. */
int size_read(const program_info *program, const char *option, const char *text, uint64_t *bytes);

#endif
