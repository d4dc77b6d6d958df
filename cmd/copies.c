/* A tree of hashes with the files that had them first: see copies.h. */
#include "copies.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

typedef struct {
    char hash[HLO_HASH_SIZE]; /* first: what the tree compares */
    const char *path;
} met_module;

static const char what[] = "the hashes of modules";

void module_hashes_add(module_hashes *hashes, const char *hash) {
    hashes->v = process_made(realloc(hashes->v, (hashes->count + 1) * sizeof *hashes->v), what);
    strcpy(hashes->v[hashes->count++], hash);
}

static int by_hash(const void *a, const void *b) {
    return strcmp(a, b);
}

static const met_module *find(const copies *all, const char *hash) {
    void *const *node = tfind(hash, &all->tree, by_hash);
    return node ? *node : NULL;
}

static void remember(copies *all, const char *hash, const char *path) {
    if (find(all, hash)) return;
    met_module *module = process_made(malloc(sizeof *module), what);
    strcpy(module->hash, hash);
    module->path = path;
    process_made(tsearch(module, &all->tree, by_hash), what);
}

const char *copies_find(copies *all, const char *path, const module_hashes *hashes) {
    const char *first = NULL;
    for (size_t i = hashes->count; i-- > 0;) {
        const met_module *met = find(all, hashes->v[i]);
        first = met ? met->path : NULL;
        if (!met) break;
    }
    for (size_t i = 0; !first && i < hashes->count; i++) remember(all, hashes->v[i], path);
    return first;
}

void copies_free(copies *all) {
    tdestroy(all->tree, free);
    all->tree = NULL;
}
