/* Passes keep values: every module of the golden cases, and generated ones, through every pass that
 * promises it and every pipeline with a name, is verified after each pass and computes the same as
 * before, by the class of the pass; what it sends out comes in the same order; nothing moves across
 * opt-barriers; a pipeline that ran to its end changes nothing the second time.
 *
 *   check_passes                         a sample of the modules (part of `make test`)
 *   check_passes --all [--generated=N]   all golden ones and N generated (`make check-passes`)
 *   check_passes [-p PASSES] CASE...     these, through these passes only: files, or seed:N
 *
 * The golden cases are directories with module.hlo and in0.npy, in1.npy...; they lie in $HLO_GOLDEN
 * or beside the project. HLO_VERBOSE=1 lists what fired how often. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_passes/workers.h"
#include "generator/generator.h"
#include "parse/parse.h"
#include "shape/verify.h"

enum { SAMPLE = 16, SAMPLED_SEEDS = 60, ALL_SEEDS = 2000 };

static char **cases; /* paths, and seed:N */
static size_t case_count;
static const char *only; /* these passes */

void check_fail(const check_case *c, const char *passes, const char *what) {
    c->tally->failed++;
    printf("%s: %s: %s\n", c->name, passes, what);
}

hlo_module *check_read(const check_case *c, hlo_diags *diags) {
    hlo_module *module = NULL;
    if (hlo_parse(c->source, diags, &module) != HLO_OK) return NULL;
    if (hlo_verify_with(module, NULL, diags) == HLO_OK) return module;
    hlo_module_free(module);
    return NULL;
}

/* ---- passes ---- */

/* Runs `passes`; NULL after a failure. */
static hlo_module *rewritten(check_case *c, const char *passes, const hlo_pipeline *pipeline,
                             bool *changed) {
    hlo_diags diags;
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    options.verify_each = HLO_ON;
    options.stats = c->stats;
    hlo_diags_init(&diags);
    hlo_module *module = check_read(c, &diags);
    bool good =
        module && hlo_pipeline_execute_with(pipeline, module, &options, &diags, changed) == HLO_OK;
    if (module && (!good || diags.warnings)) {
        check_fail(c, passes, good ? "warns" : "fails");
        hlo_diags_render(&diags, stdout, false);
    }
    if (!good) {
        hlo_module_free(module);
        module = NULL;
    }
    hlo_diags_drop(&diags);
    return module;
}

static void check_again(const check_case *c, const char *passes, const hlo_pipeline *pipeline,
                        hlo_module *module) {
    hlo_diags diags;
    bool changed = false;
    hlo_diags_init(&diags);
    if (hlo_pipeline_execute_with(pipeline, module, NULL, &diags, &changed) != HLO_OK || changed)
        check_fail(c, passes, "changes something the second time");
    hlo_diags_drop(&diags);
}

/* What a pass leaves must be readable, whatever order of computations it needs. */
static void check_print(const check_case *c, const char *passes, hlo_module *module) {
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    hlo_buf text = HLO_BUF_INIT;
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module_print(module, &style, &text);
    hlo_source *source = hlo_source_from_text("print", text.data, text.len);
    hlo_module *again = NULL;
    if (hlo_parse(source, &diags, &again) != HLO_OK) {
        check_fail(c, passes, "prints what cannot be read");
        hlo_diags_render(&diags, stdout, false);
    }
    hlo_module_free(again);
    hlo_source_release(source);
    hlo_diags_drop(&diags);
    hlo_buf_free(&text);
}

/* `name` is what failures call them. */
static void check_passes(check_case *c, const char *name, const char *passes, bool again) {
    hlo_diags diags;
    hlo_pipeline *pipeline;
    bool changed = false;
    hlo_diags_init(&diags);
    c->tally->runs++;
    if (hlo_pipeline_parse("pipeline", passes, &diags, &pipeline) != HLO_OK) {
        check_fail(c, name, "no such passes");
    } else {
        hlo_module *module = rewritten(c, name, pipeline, &changed);
        if (module && !changed) c->tally->passed++;
        if (module && changed) {
            c->tally->changed++;
            check_print(c, name, module);
            if (c->may_run) check_values(c, module, name, hlo_pipeline_class(pipeline));
            if (again) check_again(c, name, pipeline, module);
            check_fences(c, name, pipeline);
        }
        hlo_module_free(module);
    }
    hlo_pipeline_free(pipeline);
    hlo_diags_drop(&diags);
}

static void check_case_through_all(check_case *c) {
    for (int i = 0; i < HLO_PASS_COUNT && !only; i++)
        if (hlo_passes[i].class != HLO_CLASS_SIGNATURE)
            check_passes(c, hlo_passes[i].name, hlo_passes[i].name, false);
    const hlo_named_pipeline *named;
    for (size_t i = 0; (named = hlo_named_pipeline_at(i)) && !only; i++)
        check_passes(c, named->name, named->passes, true);
    if (only) check_passes(c, only, only, true);
}

/* ---- cases ---- */

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

static void take_stats(check_case *c) {
    c->tally->rewrites += hlo_pass_stats_total(c->stats);
    for (int id = 0; id < HLO_REWRITE_COUNT; id++)
        c->tally->fired[id] += hlo_pass_stats_fired(c->stats, (size_t)id);
    hlo_pass_stats_free(c->stats);
}

static void check_one(size_t number, tally *counted) {
    check_case c = {.name = cases[number], .tally = counted, .stats = hlo_pass_stats_create()};
    bool is_generated = strncmp(c.name, "seed:", 5) == 0;
    hlo_diags diags;
    hlo_diags_init(&diags);
    c.source = is_generated ? generate(&c, strtoull(c.name + 5, NULL, 10)) : read_file(&c);
    if (c.source) c.original = check_read(&c, &diags);
    if (c.original && c.may_run) {
        counted->modules++;
        check_case_through_all(&c);
    } else if (is_generated) {
        check_fail(&c, "the generator", "makes what is not valid");
    } else {
        counted->skipped++;
    }
    take_stats(&c);
    check_forget_values(&c);
    hlo_module_free(c.original);
    hlo_source_release(c.source);
    hlo_diags_drop(&diags);
}

static void died_over(size_t number) {
    printf("%s: the process died\n", cases[number]);
}

/* ---- which ---- */

static void add_case(const char *name) {
    cases = hlo_realloc(cases, (case_count + 1) * sizeof *cases);
    size_t bytes = strlen(name) + 1;
    cases[case_count] = memcpy(hlo_malloc(bytes), name, bytes);
    case_count++;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every `step`-th case below the directory, by name. */
static void add_directory(const char *root, const char *name, size_t step) {
    char path[PATH_BYTES];
    size_t first = case_count, kept = first;
    int n = snprintf(path, sizeof path, "%s/%s", root, name);
    DIR *dir = n < (int)sizeof path - 300 ? opendir(path) : NULL;
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path + n, sizeof path - (size_t)n, "/%s/module.hlo", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file) fclose(file);
        if (file) add_case(path);
    }
    if (dir) closedir(dir);
    if (case_count > first) qsort(cases + first, case_count - first, sizeof *cases, by_text);
    for (size_t i = first; i < case_count; i++) {
        if ((i - first) % step == 0) cases[kept++] = cases[i];
        else hlo_free(cases[i]);
    }
    case_count = kept;
}

/* The number of directories with cases. */
static size_t add_golden(size_t step) {
    static const char *const directories[] = {"ops", "models", "control-flow"};
    const char *root = getenv("HLO_ROOT"), *given = getenv("HLO_GOLDEN");
    char golden[PATH_BYTES];
    snprintf(golden, sizeof golden, "%s%s",
             given  ? given
             : root ? root
                    : ".",
             given ? "" : "/../shared/golden");
    size_t before = case_count;
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        add_directory(golden, directories[i], step);
    if (case_count == before) printf("skipped: no golden cases in %s\n", golden);
    return case_count - before;
}

static void add_seeds(size_t n) {
    char name[32];
    for (size_t seed = 0; seed < n; seed++) {
        snprintf(name, sizeof name, "seed:%zu", seed);
        add_case(name);
    }
}

static void report(const tally *t) {
    hlo_table_row row;
    for (size_t i = 0; getenv("HLO_VERBOSE") && hlo_rewrite_row(i, &row); i++)
        printf("%-24s %-40s %8llu\n", row.group, row.name, (unsigned long long)t->fired[i]);
    printf("%llu modules, %llu runs of passes; %llu of them changed something, by %llu rewrites\n",
           (unsigned long long)t->modules, (unsigned long long)t->runs,
           (unsigned long long)t->changed, (unsigned long long)t->rewrites);
    printf("%llu results compared (%llu with what outfeeds got), %llu cannot be executed, %llu "
           "compared across fences\n",
           (unsigned long long)t->evaluated, (unsigned long long)t->ordered,
           (unsigned long long)t->unknown, (unsigned long long)t->fences);
    printf("%llu passed, %llu failed, %llu skipped\n", (unsigned long long)t->passed,
           (unsigned long long)t->failed, (unsigned long long)t->skipped);
}

int main(int argc, char **argv) {
    tally sum = {0};
    size_t seeds = ALL_SEEDS;
    bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    if (all && argc > 2 && strncmp(argv[2], "--generated=", 12) == 0)
        seeds = strtoull(argv[2] + 12, NULL, 10);
    if (argc > 2 && strcmp(argv[1], "-p") == 0) only = argv[2];
    if (all || argc == 1) {
        sum.skipped += add_golden(all ? 1 : SAMPLE) == 0;
        add_seeds(all ? seeds : SAMPLED_SEEDS);
    }
    for (int i = only ? 3 : 1; !all && i < argc; i++) add_case(argv[i]);
    share_work(case_count, check_one, died_over, &sum);
    report(&sum);
    for (size_t i = 0; i < case_count; i++) hlo_free(cases[i]);
    hlo_free(cases);
    return sum.failed != 0;
}
