/* Passes keep values: every module of the golden cases, through every pass that promises it and
 * every pipeline with a name, is verified after each pass and computes the same as before, by the
 * class of the pass; a pipeline that ran to its end changes nothing the second time.
 *
 *   passes_values                 a sample of the cases (part of `make test`)
 *   passes_values --all           all of them (`make check-passes`)
 *   passes_values [-p PASSES] FILE...   these modules, through these passes only
 *
 * The cases are folders with module.hlo and in0.npy, in1.npy...; they lie in $HLO_GOLDEN or beside
 * the project. */
#include <dirent.h>

#include "parse/parse.h"
#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "same_values.h"
#include "shape/verify.h"

enum { SAMPLE = 16, PATH_BYTES = 4096 };

static int passed, failed, skipped, changed_runs, unknown;
static hlo_pass_stats *stats;

typedef struct {
    const char *path;
    char folder[PATH_BYTES];
    hlo_source *source;
    hlo_module *original;
    hlo_run *wanted; /* of the original, made when the first pass changed something */
    bool cannot_run;
} module_case;

static void fail_case(const module_case *m, const char *passes, const char *what) {
    failed++;
    printf("%s: %s: %s\n", m->path, passes, what);
}

static hlo_module *read(const module_case *m, hlo_diags *diags) {
    hlo_module *module = NULL;
    if (hlo_parse(m->source, diags, &module) != HLO_OK) return NULL;
    if (hlo_verify_with(module, NULL, diags) == HLO_OK) return module;
    hlo_module_free(module);
    return NULL;
}

/* Runs on the case's inputs; what it does not give is made up. */
static hlo_run *run_case(const module_case *m, hlo_module *module) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    const char *infeed = m->folder;
    options.infeed = &infeed;
    options.infeed_count = 1;
    hlo_run *run = NULL;
    if (hlo_run_prepare(module, &options, diags, &run) != HLO_OK ||
        (m->folder[0] && hlo_run_read_inputs(run, m->folder, true, diags) != HLO_OK) ||
        hlo_run_fill_inputs(run, HLO_FILL_RANDOM, 1, diags) != HLO_OK ||
        hlo_run_execute(run, diags) != HLO_OK) {
        hlo_run_free(run);
        run = NULL;
    }
    hlo_diags_destroy(diags);
    return run;
}

static bool original_runs(module_case *m) {
    if (!m->wanted && !m->cannot_run) m->wanted = run_case(m, m->original);
    m->cannot_run = !m->wanted;
    return m->wanted != NULL;
}

static void check_results(module_case *m, hlo_module *module, const char *passes,
                          hlo_pass_class class) {
    if (!original_runs(m)) {
        unknown++;
        return;
    }
    hlo_run *got = run_case(m, module);
    bool same = got && hlo_run_output_count(got) == hlo_run_output_count(m->wanted);
    for (uint32_t leaf = 0; same && leaf < hlo_run_output_count(m->wanted); leaf++)
        same = same_leaf(hlo_run_output(got, leaf), hlo_run_output(m->wanted, leaf), class);
    if (same) passed++;
    else fail_case(m, passes, got ? "computes something else" : "does not run any more");
    hlo_run_free(got);
}

/* Runs `passes`; NULL after a failure. */
static hlo_module *rewritten(module_case *m, const char *passes, const hlo_pipeline *pipeline,
                             bool *changed) {
    hlo_diags diags;
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    options.verify_each = HLO_ON;
    options.stats = stats;
    hlo_diags_init(&diags);
    hlo_module *module = read(m, &diags);
    bool good =
        module && hlo_pipeline_execute_with(pipeline, module, &options, &diags, changed) == HLO_OK;
    if (module && (!good || diags.warnings)) {
        fail_case(m, passes, good ? "warns" : "fails");
        hlo_diags_render(&diags, stdout, false);
    }
    if (!good) {
        hlo_module_free(module);
        module = NULL;
    }
    hlo_diags_free(&diags);
    return module;
}

static void check_again(const module_case *m, const char *passes, const hlo_pipeline *pipeline,
                        hlo_module *module) {
    hlo_diags diags;
    bool changed = false;
    hlo_diags_init(&diags);
    if (hlo_pipeline_execute_with(pipeline, module, NULL, &diags, &changed) != HLO_OK || changed)
        fail_case(m, passes, "changes something the second time");
    hlo_diags_free(&diags);
}

static void check_passes(module_case *m, const char *passes, hlo_pass_class class, bool again) {
    hlo_diags diags;
    hlo_pipeline *pipeline;
    bool changed = false;
    hlo_diags_init(&diags);
    if (hlo_pipeline_parse(passes, &diags, &pipeline) != HLO_OK) {
        fail_case(m, passes, "no such passes");
    } else {
        hlo_module *module = rewritten(m, passes, pipeline, &changed);
        if (module && !changed) passed++;
        if (module && changed) {
            changed_runs++;
            check_results(m, module, passes, class);
            if (again) check_again(m, passes, pipeline, module);
        }
        hlo_module_free(module);
    }
    hlo_pipeline_free(pipeline);
    hlo_diags_free(&diags);
}

/* Several devices exchange values: a case for another program. */
static bool is_for_one_device(const char *folder) {
    char path[PATH_BYTES + 16];
    if (strlen(folder) >= PATH_BYTES) return false;
    snprintf(path, sizeof path, "%s/in0.r0.npy", folder);
    FILE *file = fopen(path, "r");
    if (!file) snprintf(path, sizeof path, "%s/out0.r0.npy", folder);
    if (!file) file = fopen(path, "r");
    if (file) fclose(file);
    return !file;
}

static void check_module(const char *path, const char *passes) {
    module_case m = {.path = path};
    const char *slash = strrchr(path, '/');
    hlo_diags diags;
    hlo_diags_init(&diags);
    if (slash) snprintf(m.folder, sizeof m.folder, "%.*s", (int)(slash - path), path);
    if (hlo_read_source(path, &diags, &m.source) == HLO_OK) {
        m.original = read(&m, &diags);
        if (m.original && is_for_one_device(m.folder)) {
            for (int i = 0; i < HLO_PASS_COUNT && !passes; i++)
                if (hlo_passes[i].class != HLO_CLASS_SIGNATURE)
                    check_passes(&m, hlo_passes[i].name, hlo_passes[i].class, false);
            for (size_t i = 0; hlo_named_pipeline_at(i) && !passes; i++)
                check_passes(&m, hlo_named_pipeline_at(i)->passes, HLO_CLASS_TOLERANCE, true);
            if (passes) check_passes(&m, passes, HLO_CLASS_TOLERANCE, true);
        } else {
            skipped++;
        }
        hlo_run_free(m.wanted);
        hlo_module_free(m.original);
        hlo_source_release(m.source);
    }
    hlo_diags_free(&diags);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every `step`-th case below the folder, by name. */
static void check_folder(const char *root, const char *name, int step) {
    char path[2 * PATH_BYTES], **cases = NULL;
    size_t n = 0;
    snprintf(path, sizeof path, "%s/%s", root, name);
    DIR *dir = opendir(path);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        cases = realloc(cases, (n + 1) * sizeof *cases);
        cases[n] = NULL;
        if (asprintf(&cases[n], "%s/%s/module.hlo", path, entry->d_name) >= 0) n++;
    }
    if (dir) closedir(dir);
    if (n) qsort(cases, n, sizeof *cases, by_text);
    for (size_t i = 0; i < n; i++) {
        FILE *file = i % (size_t)step ? NULL : fopen(cases[i], "r");
        if (file) fclose(file);
        if (file) check_module(cases[i], NULL);
        free(cases[i]);
    }
    free(cases);
}

static void report(void) {
    hlo_table_row row;
    for (size_t i = 0; getenv("HLO_VERBOSE") && hlo_rewrite_row(i, &row); i++)
        printf("%-24s %-40s %8llu\n", row.group, row.name,
               (unsigned long long)hlo_pass_stats_fired(stats, i));
    printf("%d runs changed a module, by %llu rewrites; %d of them cannot be executed\n",
           changed_runs, (unsigned long long)hlo_pass_stats_total(stats), unknown);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
}

int main(int argc, char **argv) {
    bool all = argc == 2 && strcmp(argv[1], "--all") == 0;
    const char *passes = argc > 2 && strcmp(argv[1], "-p") == 0 ? argv[2] : NULL;
    const char *root = getenv("HLO_ROOT"), *given = getenv("HLO_GOLDEN");
    char golden[PATH_BYTES];
    snprintf(golden, sizeof golden, "%s%s",
             given  ? given
             : root ? root
                    : ".",
             given ? "" : "/../shared/golden");
    stats = hlo_pass_stats_create();
    for (int i = passes ? 3 : 1; !all && i < argc; i++) check_module(argv[i], passes);
    if (all || argc == 1) {
        static const char *const folders[] = {"ops", "models", "control-flow"};
        DIR *dir = opendir(golden);
        if (!dir) {
            printf("skipped: no golden cases in %s\n", golden);
            skipped++;
        }
        for (size_t i = 0; dir && i < sizeof folders / sizeof *folders; i++)
            check_folder(golden, folders[i], all ? 1 : SAMPLE);
        if (dir) closedir(dir);
    }
    report();
    hlo_pass_stats_free(stats);
    return failed != 0;
}
