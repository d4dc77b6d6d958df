/* Pairs of the modules of two folders: see folder_pairs.h. */
#include "folder_pairs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

/* ---- names ---- */

/* XLA's dumps are `module_0014.jit_step.before_optimizations.txt`. */
static const char *without_number(const char *shown) {
    const char *slash = strrchr(shown, '/'), *base = slash ? slash + 1 : shown;
    if (strncmp(base, "module_", 7) != 0) return base;
    const char *end = base + 7 + strspn(base + 7, "0123456789");
    return end > base + 7 && *end == '.' ? end + 1 : base;
}

size_t folder_name_length(const char *name, size_t n) {
    size_t end = n;
    while (end && isdigit((unsigned char)name[end - 1])) end--;
    if (end == n || !end || !strchr("._", name[end - 1])) return n;
    while (end && strchr("._", name[end - 1])) end--;
    return end ? end : n;
}

folder_module folder_module_at(const char *path, const char *shown) {
    char *key = process_made(strdup(without_number(shown)), "a name");
    return (folder_module){
        .path = path, .shown = shown, .key = key, .is_unread = true, .partner = NO_PARTNER};
}

void folder_name_module(folder_module *module, const hlo_module *read) {
    hlo_module_facts facts = hlo_module_describe(read);
    module->is_unread = false;
    module->name =
        process_made(strndup(facts.name, folder_name_length(facts.name, facts.name_len)), "a name");
    module->instructions = facts.instructions;
}

void folder_free(folder *modules) {
    for (size_t i = 0; i < modules->count; i++) {
        free(modules->v[i].key);
        free(modules->v[i].name);
    }
    free(modules->v);
    hlo_paths_free(modules->paths, modules->path_count);
}

/* ---- pairs ---- */

typedef bool pair_rule(const folder_module *a, const folder_module *b);

static bool are_read(const folder_module *a, const folder_module *b) {
    return !a->is_unread && !b->is_unread;
}

static bool have_one_file(const folder_module *a, const folder_module *b) {
    return strcmp(a->key, b->key) == 0;
}

static bool have_one_key(const folder_module *a, const folder_module *b) {
    return are_read(a, b) && have_one_file(a, b);
}

static bool are_equal(const folder_module *a, const folder_module *b) {
    return are_read(a, b) && strcmp(a->hash, b->hash) == 0;
}

static bool are_one(const folder_module *a, const folder_module *b) {
    return have_one_key(a, b) && are_equal(a, b);
}

/* `before_optimizations.txt` of `jit_step.before_optimizations.txt`. */
static const char *stage_of(const folder_module *module) {
    const char *end = strrchr(module->key, '.'), *at = end;
    while (at && at > module->key && at[-1] != '.') at--;
    return at && at > module->key ? at : end ? end : "";
}

static bool have_one_name(const folder_module *a, const folder_module *b) {
    return are_read(a, b) && strcmp(a->name, b->name) == 0 && strcmp(stage_of(a), stage_of(b)) == 0;
}

static size_t distance(const folder_module *a, const folder_module *b) {
    return a->instructions > b->instructions ? a->instructions - b->instructions
                                             : b->instructions - a->instructions;
}

/* The free module of `among` that is nearest in size. */
static size_t nearest(const folder_module *module, const folder *among, pair_rule *rule) {
    size_t best = NO_PARTNER;
    for (size_t i = 0; i < among->count; i++) {
        const folder_module *other = &among->v[i];
        if (other->partner != NO_PARTNER || !rule(module, other)) continue;
        if (best == NO_PARTNER || distance(module, other) < distance(module, &among->v[best]))
            best = i;
    }
    return best;
}

/* Two are a pair when each is the nearest of the other, until there is none. */
static void pair_by(folder *a, folder *b, pair_rule *rule) {
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < a->count; i++) {
            if (a->v[i].partner != NO_PARTNER) continue;
            size_t other = nearest(&a->v[i], b, rule);
            if (other == NO_PARTNER || nearest(&b->v[other], a, rule) != i) continue;
            a->v[i].partner = other;
            b->v[other].partner = i;
            found = true;
        }
    }
}

void folder_pair(folder *a, folder *b) {
    pair_by(a, b, are_one);
    pair_by(a, b, have_one_key);
    pair_by(a, b, have_one_file);
    pair_by(a, b, are_equal);
    pair_by(a, b, have_one_name);
}
