/* Looking for the records of modules: see records.h. */
#include "records.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "process.h"

static bool is_kind(const char *path, mode_t kind) {
    struct stat st;
    return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

static char *joined(const char *a, const char *b) {
    char *text = process_made(malloc(strlen(a) + strlen(b) + 1), "a path");
    stpcpy(stpcpy(text, a), b);
    return text;
}

static bool has_file(const char *directory, const char *name) {
    char *path = joined(directory, name);
    bool is_there = is_kind(path, S_IFREG);
    free(path);
    return is_there;
}

static bool has_results(const char *directory) {
    return has_file(directory, "/out0.npy") || has_file(directory, "/out0.r0.npy");
}

static bool is_module(const record_places *places, const char *path) {
    for (size_t i = 0; i < places->count; i++)
        if (strcmp(places->modules[i], path) == 0) return true;
    return false;
}

/* ---- names ---- */

/* The module's path, below `other` where the records are there. */
static char *place_of(const record_places *places, const char *module) {
    const char *below = module + strlen(places->folder);
    if (!places->other) return joined(module, "");
    char *other = joined(places->other, "/");
    char *place = joined(other, below + strspn(below, "/"));
    free(other);
    return place;
}

static void cut_ending(char *path, const char *ending) {
    char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if (dot && (!ending || strcmp(dot, ending) == 0)) *dot = '\0';
}

static void cut_name(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
    else strcpy(path, ".");
}

/* ---- all ---- */

static char *find_file(const record_places *places, const char *stem) {
    static const char *const endings[] = {".npz", ".json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = joined(stem, endings[i]);
        if (is_kind(path, S_IFREG) && !is_module(places, path)) return path;
        free(path);
    }
    return NULL;
}

char *record_find(const record_places *places, const char *module) {
    char *path = place_of(places, module);
    cut_ending(path, NULL);
    cut_ending(path, ".hlo");
    char *file = find_file(places, path);
    if (!file && !has_results(path)) cut_name(path);
    if (!file && has_results(path)) return path;
    free(path);
    return file;
}

char *record_folder(const record_places *places, const char *module) {
    char *path = place_of(places, module);
    cut_name(path);
    return path;
}
