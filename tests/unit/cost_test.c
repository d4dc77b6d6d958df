/* Cost estimates (src/analysis/cost.h) against those of XLA's analysis of the same modules.
 *
 *   cost_test                       every row of tests/stat/cost/figures.tsv whose module is there
 *   cost_test --print MODULE...     our figures as rows
 *
 * A row is a path, flops, transcendentals, bytes: from the project's root, or from the folder that
 * the variable HLO_SHARED names. tests/stat/cost/make-figures.py runs XLA. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hlo.h>

#include "analysis/cost.h"
#include "unit/read_text.h"

enum { PATH_BYTES = 4096 };

static const char outside[] = "HLO_SHARED/";

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
    if (strncmp(name, outside, sizeof outside - 1) == 0) {
        root = getenv("HLO_SHARED");
        if (!root) root = "";
        snprintf(path, sizeof path, "%s/%s", root, name + sizeof outside - 1);
    } else snprintf(path, sizeof path, "%s/%s", root, name);
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
    snprintf(path, sizeof path, "%s/tests/stat/cost/figures.tsv", root);
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

/* ---- nanoseconds ---- */

static double time_of(hlo_module *module, const char *name, double called) {
    for (const hlo_instr *i = module->entry->first; i; i = i->next)
        if (hlo_str_is((hlo_str){i->name->ptr, i->name->len, 0}, name))
            return hlo_instr_nanoseconds(i, called);
    return -1;
}

static void expect(bool holds, const char *what) {
    passed += holds;
    failed += !holds;
    if (!holds) printf("FAILED: %s\n", what);
}

/* The figures are guesses; what decides is which instructions take how many times as long. */
static void check_nanoseconds(void) {
    hlo_module *m = read_text(
        "HloModule m\n"
        "less { s = (f32[], f32[9]) parameter(0)  ROOT p = pred[] constant(false) }\n"
        "body { ROOT s = (f32[], f32[9]) parameter(0) }\n"
        "ENTRY e { a = f32[512,512] parameter(0)  n = f32[] constant(0)\n"
        "  view = f32[262144] reshape(a)  sum = f32[512,512] add(a, a)\n"
        "  sine = f32[512,512] sine(a)  few = f32[1,512] slice(a), slice={[0:1], [0:512]}\n"
        "  turned = f32[512,512] transpose(a), dimensions={1,0}\n"
        "  dot = f32[512,512] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
        "  v = f32[9] constant({...})  s = (f32[], f32[9]) tuple(n, v)\n"
        "  ROOT w = (f32[], f32[9]) while(s), condition=less, body=body }\n");
    double sum = time_of(m, "sum", 0);
    expect(time_of(m, "view", 0) < 100, "what computes nothing takes no time");
    expect(sum > 100000, "a large sum is worth a thread");
    expect(time_of(m, "sine", 0) > 4 * sum, "functions take longer than sums");
    expect(time_of(m, "few", 0) < sum / 100, "a slice takes what it reads");
    expect(time_of(m, "turned", 0) > sum / 2, "a transpose moves its elements");
    expect(time_of(m, "dot", 0) > 10 * sum, "products take longest");
    expect(time_of(m, "w", 1000) > 5000, "a loop runs its body more than once");
    hlo_module_free(m);
}

/* ---- windows of convolutions ---- */

enum { INPUT = 5, KERNEL = 3 };

/* Distances of kernel positions, of input elements, of output positions; padding of one side. */
typedef struct {
    int window, base, stride, low, high;
} spread;

static int output_size(const spread *s) {
    int padded = s->low + s->high + (INPUT - 1) * s->base + 1;
    int reach = (KERNEL - 1) * s->window + 1;
    return padded < reach ? 0 : (padded - reach) / s->stride + 1;
}

/* As the semantics define them: multiplications with elements that are there. */
static int count_meetings(const spread *s) {
    int count = 0;
    for (int o = 0; o < output_size(s); o++)
        for (int k = 0; k < KERNEL; k++) {
            int at = o * s->stride + k * s->window - s->low;
            count += at >= 0 && at % s->base == 0 && at / s->base < INPUT;
        }
    return count;
}

static void check_spread(const spread *s) {
    char text[512];
    snprintf(text, sizeof text,
             "HloModule m\nENTRY e { x = f32[1,%d,1] parameter(0)  w = f32[%d,1,1] parameter(1)\n"
             "  ROOT c = f32[1,%d,1] convolution(x, w), dim_labels=b0f_0io->b0f,\n"
             "    window={size=%d stride=%d pad=%d_%d lhs_dilate=%d rhs_dilate=%d} }\n",
             INPUT, KERNEL, output_size(s), KERNEL, s->stride, s->low, s->high, s->base, s->window);
    hlo_module *m = read_text(text);
    bool is_right = hlo_own_flops(m->entry->root) == 2 * count_meetings(s);
    expect(is_right, "flops of a convolution are those of elements that are there");
    if (!is_right) printf("%s", text);
    hlo_module_free(m);
}

static void check_windows(void) {
    for (int n = 0; n < 4 * 4 * 4 * 6 * 6; n++) {
        spread s = {1 + n % 4, 1 + n / 4 % 4, 1 + n / 16 % 4, n / 64 % 6 - 1, n / 384 % 6 - 1};
        check_spread(&s);
    }
}

int main(int argc, char **argv) {
    const char *root = getenv("HLO_ROOT");
    bool prints = argc > 1 && strcmp(argv[1], "--print") == 0;
    for (int i = 2; prints && i < argc; i++) print_row(argv[i]);
    if (prints) return 0;
    check_nanoseconds();
    check_windows();
    check_all(root ? root : ".");
    if (skipped) printf("skipped: %d modules are not there\n", skipped);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}
