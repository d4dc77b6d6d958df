/* Arrays by name in directories, archives and JSON objects. Called for inputs and expected results.
 */
#include "run/store.h"

#include <sys/stat.h>

#include "run/json_values.h"

bool hlo_path_ends(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

bool hlo_path_is_directory(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static hlo_status open_json(hlo_store *store, hlo_diags *diags) {
    hlo_status status = hlo_json_load(store->path, diags, &store->json);
    if (status != HLO_OK) hlo_store_close(store);
    if (status != HLO_OK || json_is_object(store->json)) return status;
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "%s: this is no object of arrays by name",
              store->path);
    hlo_store_close(store);
    return HLO_BAD_USE;
}

static void close_store(void *store) {
    hlo_store_close(store);
}

void hlo_store_of_json(const char *path, json_t *json, hlo_store *out) {
    *out = (hlo_store){.path = path, .json = json};
    hlo_cleanup_add(&out->closing, close_store, out);
}

hlo_status hlo_store_open(const char *path, hlo_diags *diags, hlo_store *out) {
    hlo_store_of_json(path, NULL, out);
    if (hlo_path_ends(path, ".json")) return open_json(out, diags);
    if (hlo_path_is_directory(path)) return HLO_OK;
    out->npz = hlo_npz_open(path, diags);
    if (out->npz) return HLO_OK;
    hlo_store_close(out);
    return HLO_BAD_SYSTEM;
}

void hlo_store_close(hlo_store *store) {
    hlo_cleanup_remove(&store->closing);
    hlo_npz_close(store->npz);
    json_decref(store->json);
    *store = (hlo_store){0};
}

static hlo_status read_file(const hlo_store *store, const char *name, hlo_run_leaf *leaf,
                            bool *found, hlo_diags *diags) {
    struct stat st;
    hlo_buf path = HLO_BUF_INIT;
    hlo_buf_printf(&path, "%s/%s.npy", store->path, name);
    hlo_buf_char(&path, '\0');
    *found = stat(path.data, &st) == 0;
    hlo_array_file file;
    hlo_status status = *found ? hlo_npy_read(path.data, leaf->shape, diags, &file) : HLO_OK;
    hlo_buf_free(&path);
    return *found && status == HLO_OK ? hlo_run_put_file(leaf, &file, diags) : status;
}

static hlo_status read_member(hlo_store *store, const char *name, hlo_run_leaf *leaf, bool *found,
                              hlo_diags *diags) {
    int64_t member = hlo_npz_find(store->npz, name);
    *found = member >= 0;
    if (!*found) return HLO_OK;
    hlo_array_file file;
    hlo_status status = hlo_npz_read(store->npz, (uint32_t)member, leaf->shape, diags, &file);
    return status == HLO_OK ? hlo_run_put_file(leaf, &file, diags) : status;
}

static hlo_status read_json(hlo_store *store, const char *name, hlo_run_leaf *leaf, bool *found,
                            hlo_diags *diags) {
    const json_t *json = json_object_get(store->json, name);
    *found = json != NULL;
    if (!json) return HLO_OK;
    hlo_buf full = HLO_BUF_INIT;
    hlo_buf_printf(&full, "%s(%s)", store->path, name);
    hlo_buf_char(&full, '\0');
    hlo_status status;
    hlo_value *value = hlo_json_value(full.data, json, leaf->shape, diags, &status);
    hlo_buf_free(&full);
    if (value) hlo_run_put_input(leaf, value, NULL);
    return status;
}

hlo_status hlo_store_read(hlo_store *store, const char *name, hlo_run_leaf *leaf, bool *found,
                          hlo_diags *diags) {
    if (store->npz) return read_member(store, name, leaf, found, diags);
    return store->json ? read_json(store, name, leaf, found, diags)
                       : read_file(store, name, leaf, found, diags);
}

hlo_status hlo_store_read_number(hlo_store *store, const char *kind, uint32_t number,
                                 hlo_run_leaf *leaf, bool *found, hlo_diags *diags) {
    bool is_directory = !store->npz && !store->json;
    char names[2][32];
    snprintf(names[0], sizeof names[0], "%s%u", kind, number);
    if (is_directory) snprintf(names[1], sizeof names[1], "%s%u.r0", kind, number);
    else snprintf(names[1], sizeof names[1], "arr_%u", number);
    hlo_status status = HLO_OK;
    *found = false;
    for (int i = 0; i < 2 && status == HLO_OK && !*found; i++)
        status = hlo_store_read(store, names[i], leaf, found, diags);
    return status;
}
