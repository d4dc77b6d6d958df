/* stablehlo [RUNS] FILE...: how fast programs in StableHLO are read on one thread, in any form, and
 * how much memory that takes. A line for each file, its fields divided by tabs: the file, its
 * bytes, seconds of processor time until it is a tree of MLIR (0: a file of jax.export) and until
 * it is a module, best of RUNS (3), and the peak bytes of a process that only reads it, the mapped
 * file included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/ir.h"
#include "measure.h"
#include "mlir/mlir.h"
#include "stablehlo/stablehlo.h"

static bool is_bytecode(const hlo_source *source) {
    return source->len >= 4 && memcmp(source->text, "ML\xefR", 4) == 0;
}

static double tree_seconds(const char *path) {
    hlo_diags diags;
    hlo_mlir_module *tree;
    hlo_diags_init(&diags);
    double start = measure_now();
    hlo_source *source = measure_open(path);
    hlo_status status = is_bytecode(source) ? hlo_mlir_parse_bytecode(source, &diags, &tree)
                                            : hlo_mlir_parse(source, &diags, &tree);
    if (status != HLO_OK) measure_fail(path, &diags);
    double seconds = measure_now() - start;
    hlo_mlir_free(tree);
    hlo_source_release(source);
    hlo_diags_drop(&diags);
    return seconds;
}

/* Mapping the file is part of reading it, and so is freeing the tree. */
static double module_seconds(const char *path) {
    hlo_diags diags;
    hlo_module *module;
    hlo_diags_init(&diags);
    double start = measure_now();
    hlo_source *source = measure_open(path);
    if (hlo_stablehlo_read(source, &diags, &module) != HLO_OK) measure_fail(path, &diags);
    double seconds = measure_now() - start;
    hlo_module_free(module);
    hlo_source_release(source);
    hlo_diags_drop(&diags);
    return seconds;
}

static double best_of(int runs, double measure(const char *path), const char *path) {
    double best = 1e9;
    for (int run = 0; run < runs; run++) {
        double seconds = measure(path);
        if (seconds < best) best = seconds;
    }
    return best;
}

/* ---- memory ---- */

static int read_once(const char *path) {
    if (*path) module_seconds(path);
    return 0;
}

/* ---- all ---- */

static double size_of(const char *path, bool *is_export) {
    hlo_source *source = measure_open(path);
    double size = (double)source->len;
    *is_export = hlo_is_jax_export(source->text, source->len);
    hlo_source_release(source);
    return size;
}

static void measure(const char *path, int runs, double peak) {
    bool is_export;
    double size = size_of(path, &is_export);
    double tree = is_export ? 0 : best_of(runs, tree_seconds, path);
    printf("%s\t%.0f\t%.9f\t%.9f\t%.0f\n", path, size, tree, best_of(runs, module_seconds, path),
           peak);
    fflush(stdout);
}

int main(int argc, char **argv) {
    int first = 1, runs = 3;
    if (argc == 3 && strcmp(argv[1], "--read-once") == 0) return read_once(argv[2]);
    if (argc > 1 && argv[1][0] >= '1' && argv[1][0] <= '9' && !strchr(argv[1], '.'))
        runs = atoi(argv[first++]);
    if (first == argc) {
        fprintf(stderr, "usage: stablehlo [RUNS] FILE...\n");
        return 2;
    }
    /* A process inherits its parent's peak: these are asked while this one is small. */
    double *peaks = hlo_calloc((size_t)argc, sizeof *peaks);
    for (int i = first; i < argc; i++) peaks[i] = measure_peak("--read-once", argv[i]);
    for (int i = first; i < argc; i++) measure(argv[i], runs, peaks[i]);
    hlo_free(peaks);
    return 0;
}
