/* Cost estimates (src/analysis/cost.h) against what XLA's analysis says of the same modules.
 *
 *   cost_test                       every row of tests/cost/figures.tsv whose module is there
 *   cost_test --print MODULE...     our figures as rows
 *
 * A row is a path from the project's root, flops, transcendentals, bytes;
 * tests/cost/make-figures.py asks XLA. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cost.h"
#include "parse/parse.h"

enum { PATH_BYTES = 4096 };

static int passed, failed, skipped;

/* NULL when the file is not there or is no module. */
static hlo_module *read(const char *path, bool *is_there) {
    hlo_diags diags;
    hlo_source *source = NULL;
    hlo_module *module = NULL;
    hlo_diags_init(&diags);
    *is_there = hlo_read_source(path, &diags, &source) == HLO_OK;
    if (*is_there) hlo_parse(source, &diags, &module);
    if (source) hlo_source_release(source);
    hlo_diags_drop(&diags);
    return module;
}

static void print_row(const char *path) {
    bool is_there;
    hlo_module *module = read(path, &is_there);
    if (!module) return;
    hlo_module_cost cost = hlo_module_estimate(module);
    printf("%s\t%.17g\t%.17g\t%.17g\n", path, cost.flops, cost.transcendentals, cost.bytes);
    hlo_module_free(module);
}

static void check_figure(const char *path, const char *what, double got, double wanted) {
    /* XLA adds in float, instruction by instruction. */
    double away = got > wanted ? got - wanted : wanted - got;
    double size = wanted > 0 ? wanted : -wanted;
    if (away <= size * 1e-4) {
        passed++;
        return;
    }
    failed++;
    printf("%s: %s %.17g instead of %.17g\n", path, what, got, wanted);
}

static void check_row(const char *root, const char *name, double flops, double transcendentals,
                      double bytes) {
    char path[2 * PATH_BYTES];
    bool is_there;
    snprintf(path, sizeof path, "%s/%s", root, name);
    hlo_module *module = read(path, &is_there);
    if (!is_there) {
        skipped++;
        return;
    }
    if (!module) {
        failed++;
        printf("%s: no module\n", name);
        return;
    }
    hlo_module_cost cost = hlo_module_estimate(module);
    check_figure(name, "flops", cost.flops, flops);
    check_figure(name, "transcendentals", cost.transcendentals, transcendentals);
    check_figure(name, "bytes", cost.bytes, bytes);
    hlo_module_free(module);
}

static void check_all(const char *root) {
    char path[PATH_BYTES], line[PATH_BYTES], name[PATH_BYTES];
    double flops, transcendentals, bytes;
    snprintf(path, sizeof path, "%s/tests/cost/figures.tsv", root);
    FILE *file = fopen(path, "r");
    if (!file) {
        failed++;
        printf("%s: not there\n", path);
        return;
    }
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        if (sscanf(line, "%4095s %lf %lf %lf", name, &flops, &transcendentals, &bytes) == 4)
            check_row(root, name, flops, transcendentals, bytes);
        else failed++;
    }
    fclose(file);
}

int main(int argc, char **argv) {
    const char *root = getenv("HLO_ROOT");
    bool prints = argc > 1 && strcmp(argv[1], "--print") == 0;
    for (int i = 2; prints && i < argc; i++) print_row(argv[i]);
    if (prints) return 0;
    check_all(root ? root : ".");
    if (skipped) printf("skipped: %d modules are not there\n", skipped);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}
