/* Modules of a dump by stage: see dump_modules.h. */
#include "dump_modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder_pairs.h"
#include "process.h"
#include "say.h"
#include "totals.h"

static const char *const stages[STAGE_COUNT] = {
    [STAGE_BEFORE] = "before optimizations", [STAGE_AFTER] = "after optimizations",
    [STAGE_STABLEHLO] = "StableHLO",         [STAGE_SNAPSHOT] = "snapshot",
    [STAGE_OTHER] = "other module",
};

dump_stage dump_stage_of(const hlo_found_file *file, bool has_recording) {
    const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;
    if (has_recording) return STAGE_SNAPSHOT;
    if (file->kind && strcmp(file->kind, "StableHLO") == 0) return STAGE_STABLEHLO;
    if (strstr(name, "before_optimizations")) return STAGE_BEFORE;
    return strstr(name, "after_optimizations") ? STAGE_AFTER : STAGE_OTHER;
}

static dump_module *module_named(dump_modules *all, const char *name, size_t length) {
    for (size_t i = 0; i < all->count; i++)
        if (strlen(all->v[i].name) == length && memcmp(all->v[i].name, name, length) == 0)
            return &all->v[i];
    if (all->count == all->capacity) {
        all->capacity = all->capacity ? 2 * all->capacity : 16;
        all->v = process_made(realloc(all->v, all->capacity * sizeof *all->v), "the modules");
    }
    all->v[all->count] =
        (dump_module){.name = process_made(strndup(name, length), "the name of a module")};
    return &all->v[all->count++];
}

void dump_modules_add(dump_modules *all, const char *name, size_t length, dump_stage stage) {
    module_named(all, name, folder_name_length(name, length))->files[stage]++;
    all->files[stage]++;
}

void dump_modules_take(dump_modules *all, dump_modules *from) {
    for (size_t i = 0; i < from->count; i++) {
        dump_module *to = module_named(all, from->v[i].name, strlen(from->v[i].name));
        for (int k = 0; k < STAGE_COUNT; k++) to->files[k] += from->v[i].files[k];
    }
    for (int k = 0; k < STAGE_COUNT; k++) all->files[k] += from->files[k];
    dump_modules_free(from);
}

static size_t files_of(const dump_module *module) {
    size_t n = 0;
    for (int i = 0; i < STAGE_COUNT; i++) n += module->files[i];
    return n;
}

static void write_module(const dump_module *module, void (*line)(void *context, const char *text),
                         void *context) {
    char text[60], *name = process_made(escaped(module->name), "the name of a module");
    bool is_first = true;
    line(context, "  ");
    line(context, name);
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (!module->files[i]) continue;
        line(context, is_first ? ": " : ", ");
        snprintf(text, sizeof text, "%zu ", module->files[i]);
        if (module->files[i] > 1) line(context, text);
        line(context, stages[i]);
        is_first = false;
    }
    line(context, "\n");
    free(name);
}

void dump_modules_by_stage(const dump_modules *all, void (*line)(void *context, const char *text),
                           void *context) {
    size_t staged = 0;
    char text[80];
    for (int i = 0; i < STAGE_OTHER; i++) staged += all->files[i];
    if (!staged || staged + all->files[STAGE_OTHER] < 2) return;
    for (int i = 0; i < STAGE_COUNT; i++) {
        snprintf(text, sizeof text, "  %-24s %zu module%s\n", stages[i], all->files[i],
                 totals_plural(all->files[i]));
        if (all->files[i]) line(context, text);
    }
    for (size_t i = 0; i < all->count; i++)
        if (files_of(&all->v[i]) > 1) write_module(&all->v[i], line, context);
}

void dump_modules_free(dump_modules *all) {
    for (size_t i = 0; i < all->count; i++) free(all->v[i].name);
    free(all->v);
}
