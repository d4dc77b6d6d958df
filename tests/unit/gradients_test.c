/* Gradients of the modules in tests/autodiff against central differences in f64: along a few
 * directions, the change of the results after a small step, weighted by cotangents, is that of the
 * gradients. With stacks, with static arrays, and of the program that has gradients already.
 *
 * The first lines of a module may be remarks: `// stacks: N` gives the number of stacks,
 * `// static: no` that static arrays do not do. */
#include <glob.h>
#include <math.h>

#include <hlo.h>

#include "parse/parse.h"
#include "passes/pipeline/pipeline.h"
#include "read_text.h"
#include "shape/verify.h"

static int passed, failed;
static const char *file;

static void check(bool holds, const char *pipeline, const char *what) {
    if (holds) passed++;
    else failed++;
    if (!holds) printf("%s: %s: %s\n", file, pipeline, what);
}

static void *must(void *p) {
    if (!p) abort();
    return p;
}

/* ---- modules ---- */

static hlo_module *read_file(void) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_source *source;
    hlo_module *module = NULL;
    if (hlo_read_source(file, diags, &source) == HLO_OK) {
        hlo_parse(source, diags, &module);
        hlo_source_free(source);
    }
    hlo_diags_render(diags, stdout, false);
    hlo_diags_free(diags);
    return must(module);
}

/* Whether all passes could be done. */
static bool transform(hlo_module *module, const char *passes) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_pipeline *pipeline;
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    options.verify_each = HLO_ON;
    bool good = hlo_pipeline_parse("pipeline", passes, diags, &pipeline) == HLO_OK;
    good = good && hlo_pipeline_execute_with(pipeline, module, &options, diags, NULL) == HLO_OK;
    hlo_diags_render(diags, stdout, false);
    hlo_diags_free(diags);
    hlo_pipeline_free(pipeline);
    return good;
}

static int count_stacks(const hlo_module *module) {
    int n = 0;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) n += i->opcode == HLO_OP_STACK_CREATE;
    return n;
}

/* The number after `// KEY: ` in the text of the module, or -1; with `no`, whether that follows. */
static int remark(const hlo_module *module, const char *key) {
    const char *at = strstr(module->source->text, key);
    return at ? atoi(at + strlen(key)) : -1;
}

/* ---- runs ---- */

static hlo_run *prepare(hlo_module *module) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_run *run = NULL;
    hlo_run_prepare(module, &options, diags, &run);
    hlo_diags_render(diags, stdout, false);
    hlo_diags_free(diags);
    return must(run);
}

static void execute(hlo_run *run) {
    hlo_diags *diags = hlo_diags_create(1);
    if (hlo_run_fill_inputs(run, HLO_FILL_RANDOM, 7, diags) != HLO_OK ||
        hlo_run_execute(run, diags) != HLO_OK) {
        hlo_diags_render(diags, stdout, false);
        abort();
    }
    hlo_diags_free(diags);
}

static hlo_array input_of(const hlo_run *run, uint32_t leaf) {
    hlo_array array;
    hlo_diags *diags = hlo_diags_create(1);
    if (hlo_run_input(run, 0, leaf, diags, &array) != HLO_OK) abort();
    hlo_diags_free(diags);
    return array;
}

static hlo_array output_of(const hlo_run *run, uint32_t leaf) {
    hlo_array array;
    hlo_diags *diags = hlo_diags_create(1);
    if (hlo_run_output(run, 0, leaf, diags, &array) != HLO_OK) abort();
    hlo_diags_free(diags);
    return array;
}

static bool is_f64(const hlo_array *array) {
    return array->type == HLO_TYPE_F64;
}

static size_t length(const hlo_array *array) {
    return hlo_array_bytes(array) / sizeof(double);
}

/* ---- differences ---- */

/* Element i of a direction, between -1 and 1. */
static double direction(int number, uint32_t leaf, size_t i) {
    return sin(1.0 + number + 2.7 * leaf + 1.3 * (double)i * (number + 1));
}

/* The program without gradients on the inputs of the one with them, shifted by `step`. */
static void run_shifted(hlo_run *plain, const hlo_run *gradient, int number, double step,
                        double **space) {
    hlo_diags *diags = hlo_diags_create(1);
    for (uint32_t leaf = 0; leaf < hlo_run_input_count(plain); leaf++) {
        hlo_array array = input_of(gradient, leaf);
        const double *from = array.data;
        if (is_f64(&array)) {
            space[leaf] = must(realloc(space[leaf], hlo_array_bytes(&array) + 1));
            for (size_t i = 0; i < length(&array); i++)
                space[leaf][i] = from[i] + step * direction(number, leaf, i);
            array.data = space[leaf];
        }
        if (hlo_run_set_input(plain, 0, leaf, &array, diags) != HLO_OK) abort();
    }
    hlo_diags_free(diags);
    execute(plain);
}

/* Results of the plain program weighted by the cotangents, which are inputs of the other one. */
static double weighted(const hlo_run *plain, const hlo_run *gradient) {
    double sum = 0;
    uint32_t cotangent = hlo_run_input_count(plain);
    for (uint32_t leaf = 0; leaf < hlo_run_output_count(plain); leaf++) {
        hlo_array result = output_of(plain, leaf);
        if (!is_f64(&result)) continue;
        hlo_array weights = input_of(gradient, cotangent++);
        const double *x = result.data, *w = weights.data;
        for (size_t i = 0; i < length(&result); i++) sum += x[i] * w[i];
    }
    return sum;
}

/* The change that the gradients predict. */
static double predicted(const hlo_run *plain, const hlo_run *gradient, int number) {
    double sum = 0;
    uint32_t leaf = hlo_run_output_count(plain);
    for (uint32_t input = 0; input < hlo_run_input_count(plain); input++) {
        hlo_array array = input_of(gradient, input);
        if (!is_f64(&array)) continue;
        hlo_array slope = output_of(gradient, leaf++);
        const double *x = slope.data;
        for (size_t i = 0; i < length(&array); i++) sum += x[i] * direction(number, input, i);
    }
    return sum;
}

static bool agrees(hlo_module *plain_module, hlo_module *gradient_module) {
    enum { DIRECTIONS = 3 };
    const double step = 1e-6;
    hlo_run *plain = prepare(plain_module), *gradient = prepare(gradient_module);
    double **space = must(calloc(hlo_run_input_count(plain) + 1u, sizeof *space));
    bool good = true;
    execute(gradient);
    for (int number = 0; number < DIRECTIONS; number++) {
        run_shifted(plain, gradient, number, step, space);
        double above = weighted(plain, gradient);
        run_shifted(plain, gradient, number, -step, space);
        double slope = (above - weighted(plain, gradient)) / (2 * step);
        double wanted = predicted(plain, gradient, number);
        good &= fabs(slope - wanted) <= 1e-6 + 1e-6 * fabs(slope);
    }
    for (uint32_t leaf = 0; leaf < hlo_run_input_count(plain); leaf++) free(space[leaf]);
    free(space);
    hlo_run_free(plain);
    hlo_run_free(gradient);
    return good;
}

/* `first` is done to both programs. */
static void test(const char *first, const char *then) {
    hlo_module *plain = read_file(), *gradient = read_file();
    char both[64];
    snprintf(both, sizeof both, "%s%s%s", first, first[0] ? "," : "", then);
    bool good = transform(plain, first) && transform(gradient, both);
    check(good && agrees(plain, gradient), both, "gradients and differences do not agree");
    int stacks = remark(gradient, "// stacks: ");
    if (good && stacks >= 0 && strcmp(both, "autodiff") == 0)
        check(count_stacks(gradient) == stacks, both, "another number of stacks");
    hlo_module_free(plain);
    hlo_module_free(gradient);
}

/* ---- what is refused ---- */

static const char refused[] =
    "HloModule m\n"
    "goes_on { s = (s32[], f32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
    "n = s32[] get-tuple-element(s), index=2 ROOT r = pred[] compare(i, n), direction=LT }\n"
    "body { s = (s32[], f32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
    "x = f32[] get-tuple-element(s), index=1 n = s32[] get-tuple-element(s), index=2 "
    "y = f32[] custom-call(x), custom_call_target=\"someone\" z = f32[] sine(y) "
    "one = s32[] constant(1) j = s32[] add(i, one) "
    "ROOT t = (s32[], f32[], s32[]) tuple(j, z, n) }\n"
    "ENTRY e { x = f32[] parameter(0) n = s32[] parameter(1) zero = s32[] constant(0) "
    "s = (s32[], f32[], s32[]) tuple(zero, x, n) "
    "ROOT l = (s32[], f32[], s32[]) while(s), condition=goes_on, body=body }\n";

static hlo_buf printed(hlo_module *module) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &hlo_print_default, &text);
    return text;
}

/* A gradient that turns out not to exist after half of it was made leaves the module as it was. */
static void test_refusal(void) {
    hlo_module *module = read_text(refused);
    hlo_buf before = printed(module);
    hlo_diags *diags = hlo_diags_create(1);
    file = "a custom-call in a loop";
    check(hlo_pipeline_run(module, "autodiff", diags) == HLO_BAD_MODULE, "autodiff", "is taken");
    hlo_buf after = printed(module);
    check(before.len == after.len && memcmp(before.data, after.data, after.len) == 0, "autodiff",
          "the module has changed");
    check(hlo_verify(module, diags) == HLO_OK, "autodiff", "the module is bad");
    hlo_buf_free(&before);
    hlo_buf_free(&after);
    hlo_diags_free(diags);
    hlo_module_free(module);
}

int main(void) {
    glob_t files;
    const char *root = getenv("HLO_ROOT");
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/tests/autodiff/*.hlo", root ? root : ".");
    if (glob(pattern, 0, NULL, &files) != 0) abort();
    for (size_t i = 0; i < files.gl_pathc; i++) {
        file = files.gl_pathv[i];
        hlo_module *module = read_file();
        bool has_arrays = !strstr(module->source->text, "// static: no");
        hlo_module_free(module);
        test("", "autodiff");
        if (!has_arrays) continue;
        test("", "autodiff{static}");
        test("autodiff{static}", "autodiff");
    }
    globfree(&files);
    test_refusal();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
