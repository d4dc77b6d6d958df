/* scaling [PIPELINE...]: whether passes take time in proportion to the module. Every pass and every
 * pipeline with a name (or those given), on modules of nine shapes with 10^3, 10^4 and 10^5
 * instructions. Prints a markdown table of milliseconds of processor time for 10^5 instructions,
 * and below it every case that grew faster than n log n; the exit status is 1 when there is one. A
 * module that no cache holds is slow to look at even once: growth is held against that of walks in
 * post-order through the same modules. */
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "module_shapes.h"
#include "parse/parse.h"
#include "passes/pipeline/pipeline.h"

enum { SIZES = 3, SMALLEST = 1000, GROWTH = 10, MOST_COPIES = 100, MOST_OFFENDERS = 200 };
static const double EXTENT = 100;      /* from the smallest to the largest */
static const double TOO_STEEP = 3;     /* log n and noise */
static const double NOTICEABLE = 0.02; /* seconds; below them growth is that of cache misses */

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- measuring ---- */

static hlo_source *sources[SHAPES][SIZES];
static hlo_module *modules[SHAPES][SIZES][MOST_COPIES];
static char offenders[MOST_OFFENDERS][128];
static int offender_count;

static void make_sources(void) {
    for (int shape = 0; shape < SHAPES; shape++)
        for (int size = 0, n = SMALLEST; size < SIZES; size++, n *= GROWTH) {
            hlo_buf text = HLO_BUF_INIT;
            shapes[shape].write(&text, n);
            sources[shape][size] = hlo_source_from_text(shapes[shape].name, text.data, text.len);
            hlo_buf_free(&text);
        }
}

static void forget(hlo_module **copies) {
    for (int i = 0; i < MOST_COPIES; i++) {
        hlo_module_free(copies[i]);
        copies[i] = NULL;
    }
}

/* What takes time in proportion. */
static void walk(hlo_module *module) {
    for (int sweep = 0; sweep < 3; sweep++)
        for (hlo_computation *c = module->first; c; c = c->next) {
            hlo_instr **order = hlo_malloc((c->instr_count + 1) * sizeof(hlo_instr *));
            hlo_post_order(c, order);
            hlo_free(order);
        }
}

/* Seconds that the pipeline (NULL: walks) takes for `count` copies of a module, all read before, so
 * that none is in a cache that a larger one would not fit into; -1 after an error. Copies that
 * neither changed nor grew are there for the next one. */
static double run_on(const hlo_pipeline *pipeline, int shape, int size, int count) {
    hlo_module **copies = modules[shape][size];
    hlo_diags diags;
    double seconds = 0;
    bool good = true, changed = false, one;
    hlo_diags_init(&diags);
    for (int i = 0; i < count && good; i++)
        if (!copies[i]) good = hlo_parse(sources[shape][size], &diags, &copies[i]) == HLO_OK;
    for (int i = 0; i < count && good; i++) {
        size_t bytes = copies[i]->arena.bytes;
        double start = measure_now();
        if (pipeline) good = hlo_pipeline_execute(pipeline, copies[i], &diags, &one) == HLO_OK;
        else walk(copies[i]);
        seconds += measure_now() - start;
        changed |= (pipeline && one) || copies[i]->arena.bytes != bytes;
    }
    if (!good || changed) forget(copies);
    if (!good) hlo_diags_render(&diags, stderr, false);
    hlo_diags_drop(&diags);
    return good ? seconds : -1;
}

static double best_of(int runs, const hlo_pipeline *pipeline, int shape, int size) {
    int count = MOST_COPIES;
    double best = -1;
    for (int i = 0; i < size; i++) count /= GROWTH;
    for (int run = 0; run < runs; run++) {
        double seconds = run_on(pipeline, shape, size, count);
        if (seconds < 0) return -1;
        if (best < 0 || seconds < best) best = seconds;
        if (best > 1) break;
    }
    return best;
}

/* How much longer a walk takes through one large module than through as many instructions in small
 * ones. */
static double walk_growth[SHAPES];

static void measure_walks(void) {
    for (int shape = 0; shape < SHAPES; shape++) {
        double small = best_of(5, NULL, shape, 0), large = best_of(5, NULL, shape, SIZES - 1);
        walk_growth[shape] = large > small ? large / small : 1;
    }
}

static void accuse(const char *name, int shape, double times) {
    if (offender_count < MOST_OFFENDERS)
        snprintf(offenders[offender_count++], sizeof offenders[0],
                 "%s, %s: %.3g times as long for a hundred times the instructions (a walk: %.3g)",
                 name, shapes[shape].name, times, EXTENT * walk_growth[shape]);
}

static bool is_steep(int shape, double first, double seconds) {
    return seconds > NOTICEABLE && seconds > TOO_STEEP * walk_growth[shape] * first;
}

/* Other work on the machine slows one of the two down now and then: both are measured again. */
static bool is_again_steep(const hlo_pipeline *pipeline, int shape, int size, double *seconds) {
    double first = best_of(5, pipeline, shape, 0), again = best_of(5, pipeline, shape, size);
    if (again >= 0 && again < *seconds) *seconds = again;
    return is_steep(shape, first, *seconds);
}

/* Milliseconds for 10^5 instructions in one module, after a look at what the same number takes in
 * smaller ones; -1 when it would take minutes. */
static double grow(const char *name, const hlo_pipeline *pipeline, int shape) {
    double first = 0, seconds = 0;
    for (int size = 0; size < SIZES; size++) {
        seconds = best_of(3, pipeline, shape, size);
        if (size == 0) first = seconds;
        if (seconds >= 0 && !is_steep(shape, first, seconds)) continue;
        if (seconds >= 0 && size < SIZES - 1 && seconds <= 1) continue;
        if (seconds >= 0 && !is_again_steep(pipeline, shape, size, &seconds)) continue;
        accuse(name, shape, EXTENT * seconds / first);
        return seconds < 0 || size < SIZES - 1 ? -1 : 1e3 * seconds;
    }
    return 1e3 * seconds;
}

static void row(const char *name, const char *passes) {
    hlo_diags diags;
    hlo_pipeline *pipeline;
    hlo_diags_init(&diags);
    if (hlo_pipeline_parse("pipeline", passes, &diags, &pipeline) == HLO_OK) {
        printf("| %s |", name);
        for (int shape = 0; shape < SHAPES; shape++) {
            printf(" %.3g |", grow(name, pipeline, shape));
            fflush(stdout);
        }
        printf("\n");
    } else {
        snprintf(offenders[offender_count++], sizeof offenders[0], "%s: no such passes", name);
    }
    hlo_pipeline_free(pipeline);
    hlo_diags_drop(&diags);
}

static void named_row(const char *name) {
    const hlo_named_pipeline *named;
    for (size_t i = 0; (named = hlo_named_pipeline_at(i)); i++)
        if (strcmp(named->name, name) == 0) break;
    row(name, named ? named->passes : name);
}

static void head(void) {
    printf("| ms for 10^5 |");
    for (int shape = 0; shape < SHAPES; shape++) printf(" %s |", shapes[shape].name);
    printf("\n| --- |");
    for (int shape = 0; shape < SHAPES; shape++) printf(" ---: |");
    printf("\n");
}

/* Freed memory stays with the process: else only large modules pay for pages of the system. */
static void keep_memory(void) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

int main(int argc, char **argv) {
    keep_memory();
    make_sources();
    measure_walks();
    head();
    for (int i = 0; i < HLO_PASS_COUNT && argc == 1; i++) named_row(hlo_passes[i].name);
    for (size_t i = 0; hlo_named_pipeline_at(i) && argc == 1; i++)
        named_row(hlo_named_pipeline_at(i)->name);
    for (int i = 1; i < argc; i++) named_row(argv[i]);
    printf("\n%d cases grow faster than n log n\n", offender_count);
    for (int i = 0; i < offender_count; i++) printf("%s\n", offenders[i]);
    for (int shape = 0; shape < SHAPES; shape++)
        for (int size = 0; size < SIZES; size++) {
            forget(modules[shape][size]);
            hlo_source_release(sources[shape][size]);
        }
    return offender_count != 0;
}
