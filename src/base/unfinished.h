/* Files and directories that are to go when the process ends before they are finished.
 *
 * Their names are in one list of the process. Who changes it blocks signals, so that a handler
 * finds it whole. */
#ifndef HLO_BASE_UNFINISHED_H
#define HLO_BASE_UNFINISHED_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct hlo_unfinished hlo_unfinished;
struct hlo_unfinished {
    hlo_unfinished *next, *prev;
    bool is_directory;
    char name[];
};

/* Not yet in the list; NULL without memory. The name, of at most `capacity` bytes with its NUL, is
 * the caller's to write. */
hlo_unfinished *hlo_unfinished_new(size_t capacity);
/* From now on it goes with the process; add the name before the file is made. */
void hlo_unfinished_add(hlo_unfinished *file);
/* It stays, or is gone already. Frees it; NULL is fine. */
void hlo_unfinished_free(hlo_unfinished *file);

/* For steps between which no signal may end the process. */
void hlo_signals_block(sigset_t *before);
void hlo_signals_unblock(const sigset_t *before);

#endif
