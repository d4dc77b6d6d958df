/* Arrays by name in directories, archives and JSON objects. Called for inputs and expected results.
 */
#include "host/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/text.h"
#include "host/json_values.h"

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
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
              "%s: expected a JSON object of arrays by name", store->path);
    hlo_store_close(store);
    return HLO_BAD_USE;
}

static void close_store(void *store) {
    hlo_store_close(store);
}

void hlo_store_of_json(const char *path, json_t *json, hlo_store *out) {
    *out = (hlo_store){.path = path, .json = json, .is_shared = true};
    hlo_cleanup_add(&out->closing, close_store, out);
}

hlo_status hlo_store_open(const char *path, hlo_diags *diags, hlo_store *out) {
    hlo_store_of_json(path, NULL, out);
    if (hlo_path_ends(path, ".json")) return open_json(out, diags);
    out->is_array = hlo_path_ends(path, ".npy") && !hlo_path_is_directory(path);
    if (out->is_array || hlo_path_is_directory(path)) return HLO_OK;
    out->npz = hlo_npz_open(path, diags);
    if (out->npz) return HLO_OK;
    hlo_store_close(out);
    return HLO_BAD_SYSTEM;
}

static bool is_directory(const hlo_store *store) {
    return !store->npz && !store->json && !store->is_array;
}

void hlo_store_close(hlo_store *store) {
    hlo_cleanup_remove(&store->closing);
    hlo_npz_close(store->npz);
    json_decref(store->json);
    *store = (hlo_store){0};
}

/* ---- names ---- */

static void add_key(hlo_arena *arena, const char *name, size_t length, hlo_store_keys *to) {
    const char *kept = hlo_arena_copy(arena, name, length);
    hlo_list_push(to, (hlo_str){kept, (uint32_t)length, 0});
}

/* The length of NAME in NAME.npy; 0 for other names. */
static size_t stem_length(const char *file) {
    return hlo_path_ends(file, ".npy") ? strlen(file) - strlen(".npy") : 0;
}

static int by_name(const void *a, const void *b) {
    return hlo_str_compare(*(const hlo_str *)a, *(const hlo_str *)b);
}

static void close_directory(void *directory) {
    closedir(directory);
}

static hlo_status list_directory(const char *path, hlo_arena *arena, hlo_diags *diags,
                                 hlo_store_keys *out) {
    DIR *directory = opendir(path);
    if (!directory) {
        hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot read %s: %s", path,
                  strerror(errno));
        return HLO_BAD_SYSTEM;
    }
    hlo_cleanup closing;
    hlo_cleanup_add(&closing, close_directory, directory);
    for (const struct dirent *file; (file = readdir(directory));) {
        size_t length = stem_length(file->d_name);
        if (length) add_key(arena, file->d_name, length, out);
    }
    hlo_cleanup_remove(&closing);
    closedir(directory);
    if (out->n) qsort(out->v, out->n, sizeof *out->v, by_name);
    return HLO_OK;
}

static void list_members(const hlo_npz *npz, hlo_arena *arena, hlo_store_keys *out) {
    for (uint32_t i = 0; i < hlo_npz_count(npz); i++) {
        const char *name = hlo_npz_name(npz, i);
        size_t length = stem_length(name);
        add_key(arena, name, length ? length : strlen(name), out);
    }
}

hlo_status hlo_store_list(hlo_store *store, hlo_arena *arena, hlo_diags *diags,
                          hlo_store_keys *out) {
    if (is_directory(store)) return list_directory(store->path, arena, diags, out);
    if (store->npz) list_members(store->npz, arena, out);
    const char *name;
    json_t *unused;
    json_object_foreach(store->json, name, unused) add_key(arena, name, strlen(name), out);
    return HLO_OK;
}

/* Reads digits at *at, which moves after them; false when there are none, or too many. */
static bool take_number(hlo_str *at, uint32_t *number) {
    uint64_t value;
    hlo_cursor c = hlo_cursor_of(*at);
    bool good = hlo_digits(&c.at, c.end, UINT32_MAX, &value);
    *at = (hlo_str){c.at, (uint32_t)(c.end - c.at), 0};
    *number = (uint32_t)value;
    return good;
}

static bool take_text(hlo_str *at, const char *text) {
    size_t n = strlen(text);
    if (at->len < n || memcmp(at->ptr, text, n) != 0) return false;
    at->ptr += n;
    at->len -= (uint32_t)n;
    return true;
}

bool hlo_store_is_number(const hlo_store *store, hlo_str name, const char *kind, uint32_t *number) {
    bool in_directory = is_directory(store);
    hlo_str at = name;
    if (!take_text(&at, kind) && (in_directory || !take_text(&at, "arr_"))) return false;
    if (!take_number(&at, number)) return false;
    uint32_t device;
    return !at.len || (take_text(&at, ".r") && take_number(&at, &device) && !at.len);
}

void hlo_store_put_keys(hlo_buf *to, const hlo_store_keys *keys) {
    enum { LONGEST = 200 };
    for (uint32_t i = 0; i < keys->n; i++) {
        hlo_buf_cstr(to, i ? ", " : "");
        if (to->len > LONGEST) {
            hlo_buf_lit(to, "...");
            return;
        }
        hlo_buf_char(to, '\'');
        hlo_buf_str(to, keys->v[i]);
        hlo_buf_char(to, '\'');
    }
}

/* ---- arrays ---- */

static hlo_status read_array(const char *path, hlo_run_leaf *leaf, hlo_diags *diags) {
    hlo_array_file file;
    hlo_status status = hlo_npy_read(path, leaf->shape, diags, &file);
    return status == HLO_OK ? hlo_run_put_file(leaf, &file, diags) : status;
}

/* Of the array of a directory; whether it is there. */
static bool put_path(hlo_buf *path, const hlo_store *store, const char *name) {
    struct stat st;
    hlo_buf_printf(path, "%s/%s.npy", store->path, name);
    hlo_buf_char(path, '\0');
    return stat(path->data, &st) == 0;
}

static hlo_status read_file(const hlo_store *store, const char *name, hlo_run_leaf *leaf,
                            bool *found, hlo_diags *diags) {
    hlo_buf path = HLO_BUF_INIT;
    *found = put_path(&path, store, name);
    hlo_status status = *found ? read_array(path.data, leaf, diags) : HLO_OK;
    hlo_buf_free(&path);
    return status;
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

enum { LONGEST_NAME = 48 };

static void name_own(char name[LONGEST_NAME], const hlo_store *store, const char *kind,
                     uint32_t number) {
    snprintf(name, LONGEST_NAME, "%s%u.r%u", kind, number, store->device);
}

bool hlo_store_has_own(const hlo_store *store, const char *kind, uint32_t number) {
    char name[LONGEST_NAME];
    name_own(name, store, kind, number);
    if (store->is_array) return false;
    if (store->npz) return hlo_npz_find(store->npz, name) >= 0;
    if (store->json) return json_object_get(store->json, name) != NULL;
    hlo_buf path = HLO_BUF_INIT;
    bool found = put_path(&path, store, name);
    hlo_buf_free(&path);
    return found;
}

hlo_status hlo_store_read_number(hlo_store *store, const char *kind, uint32_t number,
                                 hlo_run_leaf *leaf, bool *found, hlo_diags *diags) {
    char names[3][LONGEST_NAME];
    name_own(names[0], store, kind, number);
    snprintf(names[1], LONGEST_NAME, "%s%u", kind, number);
    snprintf(names[2], LONGEST_NAME, "arr_%u", number);
    int forms = !store->is_shared ? 1 : is_directory(store) ? 2 : 3;
    hlo_status status = HLO_OK;
    *found = store->is_array && store->is_shared && number == 0;
    if (store->is_array) return *found ? read_array(store->path, leaf, diags) : HLO_OK;
    for (int i = 0; i < forms && status == HLO_OK && !*found; i++)
        status = hlo_store_read(store, names[i], leaf, found, diags);
    return status;
}
