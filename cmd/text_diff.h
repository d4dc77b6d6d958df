/* Two texts compared line by line. Called by hlo-opt --print-changed and --bisect. */
#ifndef HLO_CMD_TEXT_DIFF_H
#define HLO_CMD_TEXT_DIFF_H

#include <stdio.h>

/* Writes the differences as `diff -u` does, without file names; nothing for equal texts. 0, or -1
 * when there is no memory for it. */
int text_diff(const char *before, const char *after, FILE *to);

#endif
