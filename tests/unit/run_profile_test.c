/* Profiles by the public interface: rows name the module's own instructions, in the order of their
 * times, whatever copy of it runs; each form can be written; older and newer callers. And the
 * instruction set, which is a run's own. Only hlo.h is included. */
#include <hlo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/check.h"

/* Long enough that a copy runs, in which elementwise instructions are fusions. */
static const char text[] =
    "HloModule m\n"
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
    "ENTRY e {\n"
    "  x = f32[512,512] parameter(0)\n"
    "  curve = f32[512,512] tanh(x)\n"
    "  twice = f32[512,512] add(curve, x)\n"
    "  product = f32[512,512] dot(twice, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  copied = f32[512,512] transpose(product), dimensions={1,0}\n"
    "  ROOT back = f32[512,512] reverse(copied), dimensions={0}\n"
    "}\n";

enum { RUNS = 3, SIZE = 512 * 512 };

static hlo_module *parse(hlo_diags *diags) {
    hlo_source *source = hlo_source_from_text("memory", text, strlen(text));
    hlo_module *module = NULL;
    check(hlo_parse(source, diags, &module) == HLO_OK && hlo_verify(module, diags) == HLO_OK,
          "the module is good");
    hlo_source_free(source);
    return module;
}

static hlo_run *prepare(hlo_module *module, const hlo_run_options *options, hlo_diags *diags) {
    hlo_run *run = NULL;
    check(hlo_run_prepare(module, options, diags, &run) == HLO_OK, "prepares");
    check(hlo_run_fill_inputs(run, HLO_FILL_HASH, 1, diags) == HLO_OK, "has inputs");
    return run;
}

static void execute(hlo_run *run, int times, hlo_diags *diags) {
    for (int n = 0; n < times; n++) check(hlo_run_execute(run, diags) == HLO_OK, "runs");
}

/* ---- rows ---- */

typedef struct {
    uint32_t rows, most;
    double last;
    bool curve, product, copied;
} seen;

static bool has_origin(const hlo_profile_row *row, const char *name) {
    for (size_t i = 0; i < row->origin_count; i++)
        if (strcmp(row->origins[i], name) == 0) return true;
    return false;
}

static void see_cost(const hlo_profile_row *row) {
    const double side = 512, bytes = 3 * 4 * side * side;
    check(row->flops == 2 * side * side * side && row->bytes == bytes, "a product's cost");
    check(strcmp(row->opcode, "dot") == 0 && strcmp(row->kernel, "dot") == 0, "what it is");
    check(strcmp(row->computation, "e") == 0, "where it is");
    check(row->transcendentals == 0, "it has no functions");
}

static bool see_row(void *context, const hlo_profile_row *row) {
    seen *all = context;
    check(row->size == sizeof *row, "a row has its size");
    check(row->calls == RUNS, "an instruction runs once a run");
    check(row->seconds <= all->last && row->seconds <= row->total_seconds, "longest first");
    all->last = row->seconds;
    if (has_origin(row, "product")) see_cost(row);
    if (has_origin(row, "curve") && has_origin(row, "twice"))
        check(strcmp(row->kernel, "cluster") == 0, "a fusion of the copy says what it holds");
    all->curve |= has_origin(row, "curve");
    all->product |= has_origin(row, "product");
    all->copied |= has_origin(row, "copied");
    return ++all->rows < all->most;
}

static void check_rows(hlo_run *run, hlo_diags *diags) {
    seen all = {.most = 100, .last = INFINITY}, one = {.most = 1, .last = INFINITY};
    check(hlo_run_visit_profile(run, see_row, &all, diags) == HLO_OK, "has rows");
    check(all.rows >= 3 && all.curve && all.product && all.copied, "of all that ran");
    check(hlo_run_visit_profile(run, see_row, &one, diags) == HLO_OK && one.rows == 1,
          "a visit ends when its caller wants");
    hlo_run_clear_profile(run);
    seen none = {.most = 100};
    check(hlo_run_visit_profile(run, see_row, &none, diags) == HLO_OK && !none.rows,
          "nothing is left of what was cleared");
}

/* ---- forms ---- */

static void check_form(hlo_run *run, hlo_profile_form form, const char *begins, const char *has,
                       hlo_diags *diags) {
    size_t n;
    hlo_output *output = hlo_output_to_memory();
    check(hlo_run_write_profile(run, form, output, diags) == HLO_OK, "is written");
    const char *bytes = hlo_output_bytes(output, &n);
    check(n > strlen(begins) && memcmp(bytes, begins, strlen(begins)) == 0, begins);
    check(memmem(bytes, n, has, strlen(has)) != NULL, has);
    check(bytes[n - 1] == '\n', "ends its line");
    hlo_output_free(output);
}

static void check_forms(hlo_run *run, hlo_diags *diags) {
    check_form(run, HLO_PROFILE_TABLE, "3 runs, ", "curve + twice", diags);
    check_form(run, HLO_PROFILE_JSON, "{\n  \"runs\": 3, ", "\"curve\", \"twice\"", diags);
    check_form(run, HLO_PROFILE_TRACE, "{\"displayTimeUnit\"", "curve + twice", diags);
    check_form(run, HLO_PROFILE_ROOFLINE, "<svg ", "curve + twice", diags);
    hlo_output *output = hlo_output_to_memory();
    hlo_profile_form no_form = (hlo_profile_form)(HLO_PROFILE_ROOFLINE + 1);
    check(hlo_run_write_profile(run, no_form, output, diags) == HLO_BAD_USE, "no other form");
    hlo_output_free(output);
}

static void test_profile(hlo_module *module, hlo_diags *diags) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.watch.profile = true;
    options.watch.profile_events = 1000;
    options.threads = 2;
    hlo_run *run = prepare(module, &options, diags);
    execute(run, RUNS, diags);
    check_forms(run, diags);
    check_rows(run, diags);
    hlo_run_free(run);
}

/* A caller of a header without the group, whatever follows in its memory. */
static void test_older_caller(hlo_module *module, hlo_diags *diags) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.watch.profile = true;
    options.size = offsetof(hlo_run_options, watch);
    hlo_run *run = prepare(module, &options, diags);
    execute(run, 1, diags);
    seen all = {.most = 1};
    check(hlo_run_visit_profile(run, see_row, &all, diags) == HLO_BAD_USE, "has no profile");
    hlo_output *output = hlo_output_to_memory();
    check(hlo_run_write_profile(run, HLO_PROFILE_JSON, output, diags) == HLO_BAD_USE, "to write");
    hlo_output_free(output);
    hlo_run_clear_profile(run);
    hlo_run_clear_profile(NULL);
    hlo_run_free(run);
}

/* ---- the instruction set ---- */

static float *result(hlo_run *run, hlo_diags *diags) {
    hlo_array array;
    float *kept = malloc(SIZE * sizeof *kept);
    execute(run, 1, diags);
    check(hlo_run_output(run, 0, 0, diags, &array) == HLO_OK, "has a result");
    memcpy(kept, array.data, SIZE * sizeof *kept);
    return kept;
}

static bool same(const float *a, const float *b) {
    return memcmp(a, b, SIZE * sizeof *a) == 0;
}

/* Fused multiplications and additions round a product otherwise: a run that is prepared in between
 * for another set changes nothing. */
static void test_sets(hlo_module *module, hlo_diags *diags) {
    hlo_run_options plain = HLO_RUN_OPTIONS_INIT, widest = HLO_RUN_OPTIONS_INIT;
    plain.isa = "sse2";
    hlo_run *run, *first = prepare(module, &widest, diags);
    float *before = result(first, diags);
    if (hlo_run_prepare(module, &plain, diags, &run) == HLO_OK) {
        check(hlo_run_fill_inputs(run, HLO_FILL_HASH, 1, diags) == HLO_OK, "has inputs");
        hlo_run *later = prepare(module, &widest, diags);
        float *other = result(run, diags), *between = result(first, diags);
        float *after = result(later, diags), *again = result(run, diags);
        check(same(before, between) && same(before, after), "one run's set is not another's");
        check(same(other, again), "whichever was prepared last");
#if defined __x86_64__ && !defined HLO_DEBUG /* -O1 fuses nothing */
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            check(!same(before, other), "sets differ");
#endif
        free(other), free(between), free(after), free(again);
        hlo_run_free(later);
        hlo_run_free(run);
    }
    free(before);
    hlo_run_free(first);
}

/* Pinned threads compute the same. */
static void test_pinned(hlo_module *module, hlo_diags *diags) {
    hlo_run_options plain = HLO_RUN_OPTIONS_INIT, pinned = HLO_RUN_OPTIONS_INIT;
    plain.threads = pinned.threads = 2;
    pinned.pin = true;
    hlo_run *a = prepare(module, &plain, diags), *b = prepare(module, &pinned, diags);
    float *x = result(a, diags), *y = result(b, diags);
    check(same(x, y), "pinned threads give the same bits");
    free(x), free(y);
    hlo_run_free(a);
    hlo_run_free(b);
}

int main(void) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse(diags);
    test_profile(module, diags);
    test_older_caller(module, diags);
    test_sets(module, diags);
    test_pinned(module, diags);
    hlo_module_free(module);
    hlo_diags_free(diags);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
