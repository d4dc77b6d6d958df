/* Files that hlo-verify skips, by what they are. */
#ifndef HLO_CMD_SKIPPED_H
#define HLO_CMD_SKIPPED_H

#include <stddef.h>

enum { SKIPPED_KINDS = 64 };

typedef struct {
    struct {
        const char *name;
        size_t files;
    } kinds[SKIPPED_KINDS]; /* in the order in which they were met */
    size_t count, others;   /* others: files of which nothing is known */
} skipped_files;

/* Counts one, and returns why it is skipped. `kind` is hlo_found_file's. */
const char *skipped_add(skipped_files *all, const char *kind);
/* A line for each kind, when there is one. */
void skipped_by_kind(const skipped_files *all, void (*line)(void *context, const char *text),
                     void *context);

#endif
