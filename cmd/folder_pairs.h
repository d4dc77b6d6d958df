/* The modules of two folders, and which of one folder is which of the other: dumps of two versions
 * number and order their files differently. */
#ifndef HLO_CMD_FOLDER_PAIRS_H
#define HLO_CMD_FOLDER_PAIRS_H

#include <stdint.h>

#include <hlo.h>

/* A module of a folder. Texts belong to the folder. */
typedef struct {
    const char *path;
    const char *shown;        /* below the folder */
    char *key;                /* the file's name without the number of the module */
    bool is_unread;           /* it could not be read: what follows is empty */
    char *name;               /* the module's name without a number at its end */
    char hash[HLO_HASH_SIZE]; /* of what it does */
    size_t instructions;
    size_t partner; /* in the other folder, or NO_PARTNER */
} folder_module;

#define NO_PARTNER SIZE_MAX

typedef struct {
    folder_module *v;
    size_t count;
    char **paths;
    size_t path_count;
} folder;

/* A module of which only the file is known; sets the rest of one that was read; frees all of a
 * folder. */
folder_module folder_module_at(const char *path, const char *shown);
void folder_name_module(folder_module *module, const hlo_module *read);
void folder_free(folder *modules);

/* How much of a module's name is left without a number at its end: `jit_step.12` and `jit_step__3`
 * are `jit_step`. */
size_t folder_name_length(const char *name, size_t n);

/* Pairs the modules: first those of one key and equal content, then of one key, then of equal
 * content, then of one name, and of several candidates those that are nearest in size. One that
 * could not be read has a partner of its key that no other has. */
void folder_pair(folder *a, folder *b);

#endif
