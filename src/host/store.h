/* Arrays by name: the .npy files of a directory, the members of a .npz archive, those of a JSON
 * object. Private to src/host. */
#ifndef HLO_HOST_STORE_H
#define HLO_HOST_STORE_H

#include <jansson.h>

#include "base/list.h"
#include "host/npz.h"
#include "host/run.h"

typedef struct {
    const char *path; /* a directory, when the others are not set; stays the caller's */
    hlo_npz *npz;
    json_t *json;
    bool is_array; /* one .npy file: number 0, and has no name */
    uint32_t device;
    bool is_shared; /* arrays that name no device are those of any */
    hlo_cleanup closing;
} hlo_store;

/* What arrays are called, without .npy. */
typedef HLO_LIST(hlo_str) hlo_store_keys;

bool hlo_path_ends(const char *path, const char *ending);
bool hlo_path_is_directory(const char *path);

/* HLO_BAD_SYSTEM: nothing there, or no archive. */
hlo_status hlo_store_open(const char *path, hlo_diags *diags, hlo_store *out);
void hlo_store_close(hlo_store *store);
/* A store of a JSON value, which it takes over; NULL: empty. */
void hlo_store_of_json(const char *path, json_t *json, hlo_store *out);
/* All names that there are; those of a directory in alphabetical order. They live in the arena; the
 * caller frees the list. */
hlo_status hlo_store_list(hlo_store *store, hlo_arena *arena, hlo_diags *diags,
                          hlo_store_keys *out);
/* Whether the name is that of array K of a list: inK, outK or another `kind`, arr_K, and inK.rD. */
bool hlo_store_is_number(const hlo_store *store, hlo_str name, const char *kind, uint32_t *number);
/* Appends `'w', 'b', ...`. */
void hlo_store_put_keys(hlo_buf *to, const hlo_store_keys *keys);
/* Sets the leaf to the array of that name. Not found is no error. */
hlo_status hlo_store_read(hlo_store *store, const char *name, hlo_run_leaf *leaf, bool *found,
                          hlo_diags *diags);
/* The same for array K of a list: that of the store's device, inK.r1 (outK or another `kind`), or
 * else, in a shared store, inK, or NumPy's own arr_K. */
hlo_status hlo_store_read_number(hlo_store *store, const char *kind, uint32_t number,
                                 hlo_run_leaf *leaf, bool *found, hlo_diags *diags);
/* Whether it is that of the store's device, which no other device has. */
bool hlo_store_has_own(const hlo_store *store, const char *kind, uint32_t number);

#endif
