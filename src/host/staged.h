/* Files of arrays that appear together: all are written before the first gets its name. Private to
 * src/host. */
#ifndef HLO_HOST_STAGED_H
#define HLO_HOST_STAGED_H

#include "base/atomic_file.h"
#include "base/list.h"
#include "host/npy.h"

typedef struct {
    const char *directory;          /* the caller's */
    hlo_unfinished *made_directory; /* NULL: it was there */
    HLO_LIST(hlo_atomic_file) files;
} hlo_staged;

/* Makes the directory when it is missing. */
hlo_status hlo_staged_open(const char *directory, hlo_diags *diags, hlo_staged *out);
/* Writes NAME.npy, not yet under its name. */
hlo_status hlo_staged_add(hlo_staged *staged, const char *name, const hlo_literal *literal,
                          hlo_diags *diags);
/* Puts all files in place; nothing is staged afterwards. */
hlo_status hlo_staged_commit(hlo_staged *staged, hlo_diags *diags);
/* Removes them, and the directory if it was made for them. */
void hlo_staged_discard(hlo_staged *staged);

#endif
