/* pipelines RUNS FILE...: how fast the pipelines with a name are over real dumps on one thread.
 * Prints rows of a markdown table: megabytes (10^6) of input text a second of processor time, best
 * of RUNS for each file, over all files together; the file that is the slowest by that measure; and
 * the time of parsing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "parse/parse.h"
#include "passes/pipeline/pipeline.h"

static void keep_less(double *best, double seconds) {
    if (*best < 0 || seconds < *best) *best = seconds;
}

/* False after an error, which it renders. */
static bool run_once(const hlo_pipeline *pipeline, hlo_source *source, double *parsing,
                     double *running) {
    hlo_diags diags;
    hlo_module *module = NULL;
    hlo_diags_init(&diags);
    double start = measure_now();
    bool good = hlo_parse(source, &diags, &module) == HLO_OK;
    double parsed = measure_now();
    good = good && hlo_pipeline_execute(pipeline, module, &diags, NULL) == HLO_OK;
    keep_less(running, measure_now() - parsed);
    keep_less(parsing, parsed - start);
    if (!good) hlo_diags_render(&diags, stderr, false);
    hlo_module_free(module);
    hlo_diags_drop(&diags);
    return good;
}

typedef struct {
    double bytes, parsing, running, slowest;
    const char *slowest_file;
} sums;

static void add_file(sums *all, const hlo_pipeline *pipeline, int runs, const char *path) {
    hlo_source *source = hlo_source_open(path);
    double parsing = -1, running = -1;
    for (int run = 0; source && run < runs; run++)
        if (!run_once(pipeline, source, &parsing, &running)) break;
    if (source && running > 0) {
        double bytes = (double)source->len, speed = bytes / running;
        all->bytes += bytes;
        all->parsing += parsing;
        all->running += running;
        if (!all->slowest_file || speed < all->slowest) {
            all->slowest = speed;
            all->slowest_file = path;
        }
    } else {
        fprintf(stderr, "pipelines: %s is left out\n", path);
    }
    hlo_source_release(source);
}

static void row(const hlo_named_pipeline *named, int runs, char **files) {
    hlo_diags diags;
    hlo_pipeline *pipeline;
    sums all = {0};
    hlo_diags_init(&diags);
    if (hlo_pipeline_parse("pipeline", named->passes, &diags, &pipeline) == HLO_OK) {
        for (; *files; files++) add_file(&all, pipeline, runs, *files);
        const char *slash = all.slowest_file ? strrchr(all.slowest_file, '/') : NULL;
        printf("| %s | %.1f | %.2f | %.1f | %.2f | %.1f (%s) |\n", named->name, all.bytes / 1e6,
               all.running, all.bytes / 1e6 / all.running, all.parsing, all.slowest / 1e6,
               slash              ? slash + 1
               : all.slowest_file ? all.slowest_file
                                  : "");
        fflush(stdout);
    }
    hlo_diags_render(&diags, stderr, false);
    hlo_pipeline_free(pipeline);
    hlo_diags_drop(&diags);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: pipelines RUNS FILE...\n");
        return 2;
    }
    printf("| pipeline | MB | s | MB/s | parsing s | MB/s of the slowest |\n"
           "| --- | ---: | ---: | ---: | ---: | --- |\n");
    const hlo_named_pipeline *named;
    for (size_t i = 0; (named = hlo_named_pipeline_at(i)); i++) row(named, atoi(argv[1]), argv + 2);
    return 0;
}
