/* What hlo-verify counts, of one file and of all, and how it reports the counts. */
#ifndef HLO_CMD_TOTALS_H
#define HLO_CMD_TOTALS_H

#include <stddef.h>

typedef struct {
    size_t files, good, bad, unread, skipped;
    size_t known;  /* bad files with all findings in the baseline */
    size_t copies; /* of files before them, which are not among the files */
    size_t modules, computations, instructions, warnings;
} verify_totals;

/* "s" unless there is one. */
const char *totals_plural(size_t n);
/* Modules, computations, instructions and warnings. */
void totals_counts(const verify_totals *t, char *text, size_t capacity);
/* The line about all files. */
void totals_line(const verify_totals *t, char *text, size_t capacity);

#endif
