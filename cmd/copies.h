/* Modules that were verified before, recognised by their hashes: --dedup of hlo-verify. */
#ifndef HLO_CMD_COPIES_H
#define HLO_CMD_COPIES_H

#include <hlo.h>

/* The modules of one file. */
typedef struct {
    char (*v)[HLO_HASH_SIZE];
    size_t count;
} module_hashes;

void module_hashes_add(module_hashes *hashes, const char *hash);

/* Those of all files so far: a tree of tsearch, NULL at first. */
typedef struct {
    void *tree;
} copies;

/* The file that had the first of the modules when all of them were met before; else NULL, and the
 * modules are those of `path` from now on, which must stay. */
const char *copies_find(copies *all, const char *path, const module_hashes *hashes);
void copies_free(copies *all);

#endif
