/* A program with a hundred threads and one library: each makes separate modules, from text and by
 * a builder, good ones and bad ones, and all run one program that was prepared once, with separate
 * inputs, a custom call of the program and a result of run-time size. Under ThreadSanitizer
 * nothing races. Only public headers are included. */
#include <hlo_builder.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "unit/check.h"

enum { THREADS = 100, TIMES = 5, SIZE = 4 };

static const char text[] =
    "HloModule served\n"
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
    "body { s = (s32[], f32[4]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  one = s32[] constant(1)\n"
    "  next = s32[] add(i, one)\n"
    "  v = f32[4] get-tuple-element(s), index=1\n"
    "  w = f32[4] add(v, v)\n"
    "  ROOT r = (s32[], f32[4]) tuple(next, w) }\n"
    "cond { s = (s32[], f32[4]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  n = s32[] constant(3)\n"
    "  ROOT less = pred[] compare(i, n), direction=LT }\n"
    "ENTRY e { x = f32[4] parameter(0)\n"
    "  n = s32[] parameter(1)\n"
    "  zero = s32[] constant(0)\n"
    "  start = (s32[], f32[4]) tuple(zero, x)\n"
    "  loop = (s32[], f32[4]) while(start), condition=cond, body=body\n"
    "  eight = f32[4] get-tuple-element(loop), index=1\n"
    "  called = f32[4] custom-call(eight), custom_call_target=\"plus_one\"\n"
    "  cut = f32[<=4] set-dimension-size(called, n), dimensions={0}\n"
    "  none = f32[] constant(0)\n"
    "  sum = f32[] reduce(cut, none), dimensions={0}, to_apply=add\n"
    "  ROOT r = (f32[<=4], f32[]) tuple(cut, sum) }\n";

static const char bad[] = "HloModule b\nENTRY e {\n  x = f32[2] parameter(0)\n"
                          "  ROOT y = f32[3] add(x, x)\n}\n";

static hlo_run *prepared;
static pthread_mutex_t sharing = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_started;

static void plus_one(void *out, const void **in) {
    for (int i = 0; i < SIZE; i++) ((float *)out)[i] = ((const float *)in[0])[i] + 1;
}

static hlo_module *parse(const char *from, hlo_diags *diags) {
    hlo_source *source = hlo_source_from_text("text", from, strlen(from));
    hlo_module *module;
    hlo_read_module(source, diags, &module);
    hlo_source_free(source);
    return module;
}

static bool has_sum(hlo_run *run, hlo_diags *diags, const float *x, int32_t n) {
    float sum = 0;
    hlo_array cut, total;
    for (int i = 0; i < n; i++) sum += 8 * x[i] + 1;
    return hlo_run_output(run, 0, 0, diags, &cut) == HLO_OK && cut.dims[0] == n &&
           hlo_run_output(run, 0, 1, diags, &total) == HLO_OK && *(const float *)total.data == sum;
}

static bool run_once(hlo_run *run, hlo_diags *diags, int number) {
    const int64_t dims[] = {SIZE};
    const float x[SIZE] = {(float)number, 1, 2, 3};
    const int32_t n = number % SIZE + 1;
    const hlo_array inputs[] = {{HLO_TYPE_F32, 1, dims, NULL, x},
                                {HLO_TYPE_S32, 0, NULL, NULL, &n}};
    hlo_array seen;
    for (uint32_t k = 0; k < 2; k++)
        if (hlo_run_set_input(run, 0, k, &inputs[k], diags) != HLO_OK) return false;
    if (hlo_run_input(run, 0, 0, diags, &seen) != HLO_OK || seen.data != x) return false;
    return hlo_run_execute(run, diags) == HLO_OK && has_sum(run, diags, x, n);
}

static bool serve(int number, hlo_diags *diags) {
    hlo_run *run;
    pthread_mutex_lock(&sharing);
    hlo_status status = hlo_run_share(prepared, 1, diags, &run);
    pthread_mutex_unlock(&sharing);
    bool good = status == HLO_OK;
    for (int k = 0; k < TIMES && good; k++) good = run_once(run, diags, number + k);
    pthread_mutex_lock(&sharing);
    hlo_run_free(run);
    pthread_mutex_unlock(&sharing);
    return good;
}

/* The text of the module after passes, which is the same in every thread. */
static bool change_own(hlo_diags *diags) {
    hlo_module *module = parse(text, diags), *copy = NULL;
    hlo_pipeline *passes = NULL;
    bool same = false;
    hlo_output *to = hlo_output_to_memory();
    bool good = hlo_module_copy(module, diags, &copy) == HLO_OK &&
                hlo_verify(module, diags) == HLO_OK &&
                hlo_pipeline_parse("passes", "algsimp,cse,dce", diags, &passes) == HLO_OK &&
                hlo_pipeline_execute(passes, copy, diags, NULL) == HLO_OK &&
                hlo_write_text(copy, NULL, to, diags) == HLO_OK &&
                hlo_write_diff(module, module, NULL, to, diags, &same) == HLO_OK && same;
    hlo_output_free(to);
    hlo_pipeline_free(passes);
    hlo_module_free(copy);
    hlo_module_free(module);
    return good;
}

/* The sum of four times the number. */
static const hlo_instr *build_sum(hlo_builder *b, int number) {
    const hlo_shape *shape = hlo_builder_shape(b, HLO_TYPE_F32, HLO_INTS(SIZE));
    hlo_builder_set_attribute(b, "metadata", "{op_name=\"x\"}");
    const hlo_instr *x = hlo_builder_parameter(b, 0, shape);
    const hlo_instr *n = hlo_builder_constant_f32(b, (float)number);
    const hlo_instr *zero = hlo_builder_constant_f32(b, 0);
    const hlo_instr *y = hlo_builder_mul(b, x, n, HLO_NONE);
    return hlo_builder_reduce(b, HLO_INSTRS(y), HLO_INSTRS(zero),
                              hlo_builder_reducer(b, "add", HLO_TYPE_F32), HLO_INTS(0));
}

static bool run_own(hlo_module *module, int number, hlo_diags *diags) {
    const int64_t dims[] = {SIZE};
    const float ones[SIZE] = {1, 1, 1, 1};
    const hlo_array input = {HLO_TYPE_F32, 1, dims, NULL, ones};
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    hlo_run *run = NULL;
    hlo_array sum;
    bool good = hlo_run_prepare(module, &options, diags, &run) == HLO_OK &&
                hlo_run_set_input(run, 0, 0, &input, diags) == HLO_OK &&
                hlo_run_execute(run, diags) == HLO_OK &&
                hlo_run_output(run, 0, 0, diags, &sum) == HLO_OK &&
                *(const float *)sum.data == (float)(SIZE * number);
    hlo_run_free(run);
    return good;
}

static bool build_own(int number, hlo_diags *diags) {
    hlo_builder *b = hlo_builder_create("own");
    hlo_module *module = NULL;
    bool good = hlo_builder_build(b, build_sum(b, number), diags, &module) == HLO_OK &&
                hlo_verify(module, diags) == HLO_OK && run_own(module, number, diags);
    hlo_builder_free(b);
    hlo_module_free(module);
    return good;
}

/* An error ends no program: it is what the build returns. */
static bool build_mistake(int number) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_builder *b = hlo_builder_create("wrong");
    hlo_module *module = NULL;
    const hlo_instr *x = hlo_builder_constant_f32(b, 1);
    if (number % 2) hlo_builder_set_attribute(b, "sharding", "{no such}");
    hlo_builder_add(b, x, number % 2 ? x : hlo_builder_constant_s32(b, 1), HLO_NONE);
    bool good = hlo_builder_build(b, NULL, diags, &module) == HLO_BAD_MODULE && !module &&
                hlo_diags_error_count(diags) == 1;
    hlo_builder_free(b);
    hlo_diags_free(diags);
    return good;
}

static bool make_mistake(void) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse(bad, diags);
    bool good = hlo_verify(module, diags) == HLO_BAD_MODULE && hlo_diags_error_count(diags) == 1;
    hlo_module_free(module);
    hlo_diags_free(diags);
    return good;
}

static void *work(void *number) {
    hlo_diags *diags = hlo_diags_create(0);
    pthread_barrier_wait(&all_started);
    bool good = serve((int)(intptr_t)number, diags) && change_own(diags) && make_mistake() &&
                build_own((int)(intptr_t)number, diags) && build_mistake((int)(intptr_t)number);
    if (!good) hlo_diags_render(diags, stderr, false);
    hlo_diags_free(diags);
    return (void *)(intptr_t)good;
}

static int count_good(void) {
    static pthread_t threads[THREADS];
    void *good;
    int count = 0;
    pthread_barrier_init(&all_started, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &good);
        count += good != NULL;
    }
    return count;
}

static void test_hundred_threads(hlo_module *module, hlo_diags *diags) {
    const hlo_custom_call calls[] = {{"plus_one", (void (*)(void))plus_one}};
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_run *run, *share;
    options.threads = 1;
    options.custom_calls.functions = calls;
    options.custom_calls.function_count = 1;
    check(hlo_run_prepare(module, &options, diags, &prepared) == HLO_OK, "prepared");
    check(count_good() == THREADS, "a hundred threads serve");
    run = prepared;
    check(run_once(run, diags, 3), "without shares the run itself is executed");
    check(hlo_run_share(run, 2, diags, &share) == HLO_OK, "shared");
    check(hlo_run_execute(run, diags) == HLO_BAD_USE, "a run that is shared is not executed");
    hlo_run_free(run);
    check(run_once(share, diags, 5), "a share outlives its original");
    hlo_run_free(share);
}

static void test_refusals(hlo_module *module, hlo_diags *diags) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_run *run, *share = NULL;
    options.custom_calls.stub = true;
    options.watch.profile = true;
    check(hlo_run_prepare(module, &options, diags, &run) == HLO_OK, "prepared with a profile");
    check(hlo_run_share(run, 1, diags, &share) == HLO_BAD_USE && !share, "not shared");
    check(hlo_run_share(NULL, 1, diags, &share) == HLO_BAD_USE, "nothing to share");
    hlo_run_free(run);
    options = (hlo_run_options)HLO_RUN_OPTIONS_INIT;
    options.custom_calls.function_count = 1;
    check(hlo_run_prepare(module, &options, diags, &run) == HLO_BAD_USE, "no functions");
    options.custom_calls.function_count = 0;
    check(hlo_run_prepare(module, &options, diags, &run) == HLO_BAD_MODULE, "an unknown target");
}

int main(void) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse(text, diags);
    check(module && hlo_verify(module, diags) == HLO_OK, "the module");
    test_hundred_threads(module, diags);
    hlo_diags *refused = hlo_diags_create(0);
    test_refusals(module, refused);
    check(hlo_diags_error_count(refused) == 4, "each refusal says why");
    if (hlo_diags_error_count(diags) != 1) hlo_diags_render(diags, stderr, false);
    hlo_diags_free(refused);
    hlo_module_free(module);
    hlo_diags_free(diags);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
