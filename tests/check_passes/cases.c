/* What the programs that check passes and engines work on: see cases.h. */
#include "check_passes/cases.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator/generator.h"
#include "parse/parse.h"
#include "shape/verify.h"

enum { SAMPLE = 24, SAMPLED_SEEDS = 40, ALL_SEEDS = 2000 };

/* ---- which ---- */

static void add_case(case_list *list, const char *name) {
    list->names = hlo_realloc(list->names, (list->count + 1) * sizeof *list->names);
    size_t bytes = strlen(name) + 1;
    list->names[list->count] = memcpy(hlo_malloc(bytes), name, bytes);
    list->count++;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every `step`-th case below the directory, by name. */
static void add_directory(case_list *list, const char *root, const char *name, size_t step) {
    char path[PATH_BYTES];
    size_t first = list->count, kept = first;
    int n = snprintf(path, sizeof path, "%s/%s", root, name);
    DIR *dir = n < (int)sizeof path - 300 ? opendir(path) : NULL;
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path + n, sizeof path - (size_t)n, "/%s/module.hlo", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file) fclose(file);
        if (file) add_case(list, path);
    }
    if (dir) closedir(dir);
    char **names = list->names;
    if (list->count > first) qsort(names + first, list->count - first, sizeof *names, by_text);
    for (size_t i = first; i < list->count; i++) {
        if ((i - first) % step == step / 2) names[kept++] = names[i];
        else hlo_free(names[i]);
    }
    list->count = kept;
}

/* The number of directories with cases. */
static size_t add_golden(case_list *list, size_t step) {
    static const char *const directories[] = {"ops", "models", "control-flow"};
    const char *outside = getenv("HLO_SHARED");
    char golden[PATH_BYTES];
    snprintf(golden, sizeof golden, "%s/golden", outside ? outside : "");
    size_t before = list->count;
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        add_directory(list, golden, directories[i], step);
    if (list->count == before) printf("skipped: no golden cases in HLO_SHARED (%s)\n", golden);
    return list->count - before;
}

static void add_seeds(case_list *list, size_t n) {
    char name[32];
    for (size_t seed = 0; seed < n; seed++) {
        snprintf(name, sizeof name, "seed:%zu", seed);
        add_case(list, name);
    }
}

size_t cases_from_arguments(case_list *cases, int argc, char **argv) {
    bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    size_t seeds = all ? ALL_SEEDS : SAMPLED_SEEDS, skipped = 0;
    *cases = (case_list){0};
    if (all && argc > 2 && strncmp(argv[2], "--generated=", 12) == 0)
        seeds = strtoull(argv[2] + 12, NULL, 10);
    if (all || argc == 1) {
        skipped = add_golden(cases, all ? 1 : SAMPLE) == 0;
        add_seeds(cases, seeds);
    }
    for (int i = 1; !all && i < argc; i++) add_case(cases, argv[i]);
    return skipped;
}

void cases_free(case_list *cases) {
    for (size_t i = 0; i < cases->count; i++) hlo_free(cases->names[i]);
    hlo_free(cases->names);
}

/* ---- one of them ---- */

void check_fail(const check_case *c, const char *by, const char *what) {
    c->tally->failed++;
    printf("%s: %s: %s\n", c->name, by, what);
}

hlo_module *check_read(const check_case *c, hlo_diags *diags) {
    hlo_module *module = NULL;
    if (hlo_parse(c->source, diags, &module) != HLO_OK) return NULL;
    if (hlo_verify_with(module, NULL, diags) == HLO_OK) return module;
    hlo_module_free(module);
    return NULL;
}

/* Several devices exchange values: a case for another program. */
static bool is_for_one_device(const char *directory) {
    char path[PATH_BYTES + 16];
    if (strlen(directory) >= PATH_BYTES) return false;
    snprintf(path, sizeof path, "%s/in0.r0.npy", directory);
    FILE *file = fopen(path, "r");
    if (!file) snprintf(path, sizeof path, "%s/out0.r0.npy", directory);
    if (!file) file = fopen(path, "r");
    if (file) fclose(file);
    return !file;
}

static hlo_source *read_file(check_case *c) {
    hlo_source *source = NULL;
    hlo_diags diags;
    hlo_diags_init(&diags);
    const char *slash = strrchr(c->name, '/');
    if (slash) snprintf(c->directory, sizeof c->directory, "%.*s", (int)(slash - c->name), c->name);
    c->may_run = is_for_one_device(c->directory);
    if (hlo_read_source(c->name, &diags, &source) != HLO_OK) source = NULL;
    hlo_diags_drop(&diags);
    return source;
}

/* Seeds take turns: small and large modules, those with sizes known at run time, with fences, with
 * effects. */
static generator_options options_of(uint64_t seed) {
    generator_options options = generator_defaults(seed);
    if (seed % 2) options.size = 30;
    options.dynamic = seed % 8 == 2;
    options.fences = seed % 4 == 3;
    options.effects = seed % 4 == 1;
    return options;
}

static void read_tolerance(check_case *c, const hlo_module *module) {
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES);
    if (!attr || attr->u.frontend->n != 1) return;
    hlo_str said = attr->u.frontend->v[0].value;
    c->tolerance = hlo_calloc(said.len + 1, sizeof *c->tolerance);
    for (const char *at = said.ptr, *end = at + said.len; at < end;) {
        char *next;
        c->tolerance[c->tolerance_count++] = strtod(at, &next);
        at = next + 1;
    }
}

static hlo_source *generate(check_case *c, uint64_t seed) {
    generator_options options = options_of(seed);
    hlo_module *module = generate_module(&options);
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &style, &text);
    read_tolerance(c, module);
    c->may_run = true;
    c->has_effects = options.effects;
    hlo_source *source = hlo_source_from_text(c->name, text.data, text.len);
    hlo_buf_free(&text);
    hlo_module_free(module);
    return source;
}

void case_open(check_case *c) {
    bool is_generated = strncmp(c->name, "seed:", 5) == 0;
    hlo_diags diags;
    hlo_diags_init(&diags);
    c->is_generated = is_generated;
    c->source = is_generated ? generate(c, strtoull(c->name + 5, NULL, 10)) : read_file(c);
    if (c->source) c->original = check_read(c, &diags);
    if (is_generated && !c->original) check_fail(c, "the generator", "makes what is not valid");
    hlo_diags_drop(&diags);
}

void case_close(check_case *c) {
    check_forget_values(c);
    hlo_module_free(c->original);
    hlo_source_release(c->source);
}
