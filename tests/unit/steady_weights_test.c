/* Dataflow graphs keep the packed weights of a loop for as long as a run: a run with other weights
 * gives what the structured executor gives, in whatever order the weights come. */
#include <hlo.h>
#include <math.h>

#include "unit/read_text.h"

enum { SIZE = 64, ELEMENTS = SIZE * SIZE };

static const char text[] =
    "HloModule m\n"
    "below { p = (s32[], f32[64,64], f32[64,64]) parameter(0) i = s32[] get-tuple-element(p), "
    "index=0 n = s32[] constant(5) ROOT r = pred[] compare(i, n), direction=LT }\n"
    "body { p = (s32[], f32[64,64], f32[64,64]) parameter(0) i = s32[] get-tuple-element(p), "
    "index=0 one = s32[] constant(1) j = s32[] add(i, one) "
    "h = f32[64,64] get-tuple-element(p), index=1 w = f32[64,64] get-tuple-element(p), index=2 "
    "d = f32[64,64] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} "
    "t = f32[64,64] tanh(d) ROOT s = (s32[], f32[64,64], f32[64,64]) tuple(j, t, w) }\n"
    "ENTRY e { h = f32[64,64] parameter(0) w = f32[64,64] parameter(1) zero = s32[] constant(0) "
    "s = (s32[], f32[64,64], f32[64,64]) tuple(zero, h, w) "
    "l = (s32[], f32[64,64], f32[64,64]) while(s), condition=below, body=body "
    "ROOT r = f32[64,64] get-tuple-element(l), index=1 }\n";

static float states[ELEMENTS], weights[3][ELEMENTS];

static void fill(float *to, uint32_t seed) {
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        seed = seed * 1664525u + 1013904223u;
        to[i] = (float)(seed >> 8) * 0x1p-25f - 0.25f;
    }
}

static void require(hlo_status status, hlo_diags *diags) {
    if (status == HLO_OK) return;
    hlo_diags_render(diags, stdout, false);
    exit(1);
}

static hlo_run *prepare(hlo_module *module, hlo_executor executor, uint32_t threads,
                        hlo_diags *diags) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.graph.executor = executor;
    options.threads = threads;
    hlo_run *run = NULL;
    require(hlo_run_prepare(module, &options, diags, &run), diags);
    return run;
}

static void execute(hlo_run *run, const float *weight, float *result, hlo_diags *diags) {
    static const int64_t dims[] = {SIZE, SIZE};
    hlo_array h = {HLO_TYPE_F32, 2, dims, NULL, states}, w = {HLO_TYPE_F32, 2, dims, NULL, weight};
    require(hlo_run_set_input(run, 0, 0, &h, diags), diags);
    require(hlo_run_set_input(run, 0, 1, &w, diags), diags);
    require(hlo_run_execute(run, diags), diags);
    require(hlo_run_copy_output(run, 0, 0, result, NULL, ELEMENTS * sizeof *result, diags), diags);
}

static bool agree(const float *a, const float *b) {
    for (uint32_t i = 0; i < ELEMENTS; i++)
        if (fabsf(a[i] - b[i]) > 1e-4f) return false;
    return true;
}

static int failures(hlo_module *module, uint32_t threads, hlo_diags *diags) {
    static const int order[] = {0, 1, 1, 2, 0};
    static float wanted[ELEMENTS], got[ELEMENTS];
    hlo_run *loop = prepare(module, HLO_EXECUTOR_STRUCTURED, threads, diags);
    hlo_run *graph = prepare(module, HLO_EXECUTOR_DATAFLOW, threads, diags);
    int failed = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        execute(loop, weights[order[i]], wanted, diags);
        execute(graph, weights[order[i]], got, diags);
        failed += !agree(wanted, got);
    }
    hlo_run_free(loop);
    hlo_run_free(graph);
    return failed;
}

int main(void) {
    hlo_module *module = read_text(text);
    hlo_diags *diags = hlo_diags_create(0);
    fill(states, 1);
    for (uint32_t i = 0; i < 3; i++) fill(weights[i], 2 + i);
    int failed = failures(module, 1, diags) + failures(module, 2, diags);
    printf("%d passed, %d failed, 0 skipped\n", 10 - failed, failed);
    hlo_diags_free(diags);
    hlo_module_free(module);
    return failed != 0;
}
