/* Where the inputs and results that were recorded with a module are: the archive, object or
 * directory that has its name. */
#ifndef HLO_CMD_RECORDS_H
#define HLO_CMD_RECORDS_H

#include <stddef.h>

/* The modules of a folder, and what has their records. */
typedef struct {
    const char *folder;   /* as the modules' paths begin */
    const char *other;    /* the directory that has the records in the same places; NULL: folder */
    char *const *modules; /* none of them is a record */
    size_t count;
} record_places;

/* The first of these that is there, for free; NULL: none is. NAME is the file's without its last
 * ending, and without `.hlo` before that.
 *     NAME.npz, NAME.json, the directory NAME, which has out0.npy (out0.r0.npy), and the directory
 *     of the file, if it has one of these. */
char *record_find(const record_places *places, const char *module);
/* The directory in which record_find looks, for free. */
char *record_folder(const record_places *places, const char *module);

#endif
