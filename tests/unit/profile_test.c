/* The profile of a run: it leaves values, clusters and threads as they are, counts each step as
 * often as it ran, and its times and events lie within each other. */
#include <string.h>

#include "base/pool.h"
#include "eval/run/profile.h"
#include "eval/run/thread.h"
#include "eval/value/value_memory.h"
#include "unit/check.h"
#include "unit/read_text.h"

enum { ITERATIONS = 5, RUNS = 3, MANY = 10000 };

/* A loop, a fusion that runs as a cluster, and products that can run at once. */
static const char text[] =
    "HloModule profiled\n"
    "soft { a = f32[96,96] parameter(0) b = f32[96,96] tanh(a) ROOT c = f32[96,96] add(b, a) }\n"
    "body { s = (s32[], f32[96,96]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0 x = f32[96,96] get-tuple-element(s), index=1\n"
    "  one = s32[] constant(1) next = s32[] add(i, one)\n"
    "  cluster = f32[96,96] fusion(x), kind=kLoop, calls=soft\n"
    "  left = f32[96,96] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  right = f32[96,96] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
    "  both = f32[96,96] subtract(left, right) new = f32[96,96] add(both, cluster)\n"
    "  ROOT t = (s32[], f32[96,96]) tuple(next, new) }\n"
    "cond { s = (s32[], f32[96,96]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0 n = s32[] constant(5)\n"
    "  ROOT less = pred[] compare(i, n), direction=LT }\n"
    "ENTRY e { x = f32[96,96] parameter(0) zero = s32[] constant(0)\n"
    "  start = (s32[], f32[96,96]) tuple(zero, x)\n"
    "  loop = (s32[], f32[96,96]) while(start), condition=cond, body=body\n"
    "  ROOT out = f32[96,96] get-tuple-element(loop), index=1 }\n";

static bool is_called(const hlo_profiled_step *step, const char *name) {
    const hlo_name *has = step->instr->name;
    return has->len == strlen(name) && memcmp(has->ptr, name, has->len) == 0;
}

/* The number of the step, which has to be there. */
static uint32_t find(const hlo_profile *profile, const char *name) {
    uint32_t found = 0, count = 0;
    for (uint32_t k = 0; k < hlo_profile_steps(profile); k++) {
        hlo_profiled_step step = hlo_profile_step(profile, k);
        if (!is_called(&step, name)) continue;
        found = k;
        count++;
    }
    check(count == 1, "each instruction is one step");
    return found;
}

static uint64_t calls(const hlo_profile *profile, const char *name) {
    return hlo_profile_step_times(profile, find(profile, name)).calls;
}

static hlo_value *run(const hlo_program *program, hlo_profile *profile, hlo_pool *pool,
                      hlo_value *input, int times) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_device_options options = {.profile = profile};
    hlo_device *device = hlo_device_new(program, &options);
    hlo_thread *thread = hlo_thread_new(device, pool, &diags);
    hlo_pool *before = hlo_pool_enter(pool);
    hlo_value *result = NULL;
    for (int n = 0; n < times; n++) {
        hlo_value_release(result);
        result = hlo_thread_run(thread, &input, 1);
    }
    hlo_pool_enter(before);
    hlo_thread_free(thread);
    hlo_device_free(device);
    hlo_diags_drop(&diags);
    return result;
}

/* Times of one thread are what the steps inside took and what they did not. */
static void check_times(const hlo_profile *profile, bool is_alone) {
    hlo_times all = hlo_profile_run_times(profile), loop = {0};
    uint64_t own = all.own;
    for (uint32_t k = 0; k < hlo_profile_steps(profile); k++) {
        hlo_times step = hlo_profile_step_times(profile, k);
        check(step.own <= step.total, "what ran inside is a part");
        check(!is_alone || step.total <= all.total, "a step is a part of the run");
        own += step.own;
    }
    loop = hlo_profile_step_times(profile, find(profile, "loop"));
    check(!is_alone || loop.own < loop.total, "a loop's time is that of its body");
    check(!is_alone || own == all.total, "own times add up to that of the runs");
}

static void check_counts(const hlo_profile *profile) {
    check(hlo_profile_run_times(profile).calls == RUNS, "runs are counted");
    check(calls(profile, "loop") == RUNS, "the loop runs once a run");
    check(calls(profile, "left") == RUNS * ITERATIONS, "the body runs in each iteration");
    check(calls(profile, "cluster") == RUNS * ITERATIONS, "so does its fusion");
    check(calls(profile, "less") == RUNS * (ITERATIONS + 1), "the condition runs once more");
    hlo_profiled_step cluster = hlo_profile_step(profile, find(profile, "cluster"));
    check(strcmp(cluster.kernel, "cluster") == 0, "a fusion is still a cluster");
    check(!cluster.calls, "which is one step");
    hlo_profiled_step loop = hlo_profile_step(profile, find(profile, "loop"));
    check(loop.calls, "a loop's work is that of its body");
}

/* Two events of a lane are apart, or one of them is within the other. */
static bool are_nested(const hlo_event *a, const hlo_event *b) {
    if (a->lane != b->lane || a->end <= b->begin || b->end <= a->begin) return true;
    return (a->begin >= b->begin && a->end <= b->end) || (b->begin >= a->begin && b->end <= a->end);
}

static void check_events(const hlo_profile *profile, uint32_t threads) {
    uint64_t kept, all, iterations = 0, frames = 0;
    const hlo_event *events = hlo_profile_events(profile, &kept, &all);
    bool nested = true, lanes = true;
    for (uint64_t n = 0; n < kept; n++) {
        const hlo_event *e = &events[n];
        lanes = lanes && e->lane < threads && e->begin <= e->end;
        for (uint64_t m = 0; m < n; m++) nested = nested && are_nested(e, &events[m]);
        if (e->kind != HLO_EVENT_FRAME) continue;
        frames++;
        if (e->iteration == ITERATIONS - 1) iterations++;
    }
    check(all == kept && all > 0, "all events are kept");
    check(lanes, "lanes are threads of the run");
    check(nested, "events of a lane lie within or beside each other");
    check(frames == RUNS * (1 + 2 * ITERATIONS + 1), "each call of a computation is an event");
    check(iterations == 2 * RUNS, "calls in a loop have the number of their iteration");
}

static void check_profile(const hlo_program *program, hlo_value *input, const hlo_value *plain,
                          uint32_t threads) {
    hlo_pool *pool = hlo_pool_new(threads);
    hlo_profile *profile = hlo_profile_new(program, MANY);
    hlo_profile_watch_pool(profile, pool);
    hlo_value *result = run(program, profile, pool, input, RUNS);
    check(result && memcmp(result->data, plain->data, 4 * 96 * 96) == 0, "values are the same");
    check_counts(profile);
    check_times(profile, threads == 1);
    check_events(profile, threads);
    hlo_profile_clear(profile);
    check(calls(profile, "left") == 0, "what is cleared is gone");
    uint64_t kept, all;
    hlo_profile_events(profile, &kept, &all);
    check(all == 0, "with its events");
    hlo_value_release(result);
    hlo_pool_free(pool);
    hlo_profile_free(profile);
}

/* Times are counted whether or not events find a place. */
static void check_limit(const hlo_program *program, hlo_value *input) {
    hlo_profile *profile = hlo_profile_new(program, 4);
    hlo_pool *pool = hlo_pool_new(1);
    hlo_value_release(run(program, profile, pool, input, RUNS));
    uint64_t kept, all;
    hlo_profile_events(profile, &kept, &all);
    check(kept == 4 && all > kept, "events beyond the limit are only counted");
    check_counts(profile);
    hlo_pool_free(pool);
    hlo_profile_free(profile);
}

int main(void) {
    hlo_module *module = read_text(text);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_program *program = hlo_program_new(module, NULL, &diags);
    check(program, "the program is made");
    if (program) {
        hlo_value *input = hlo_value_zeros(module->entry->parameters[0]->shape);
        float *numbers = (float *)input->data;
        for (int i = 0; i < 96 * 96; i++) numbers[i] = (float)(i % 17) / 100;
        hlo_value_share(input);
        hlo_value *plain = run(program, NULL, NULL, input, 1);
        for (uint32_t threads = 1; threads <= 3; threads++)
            check_profile(program, input, plain, threads);
        check_limit(program, input);
        hlo_value_release(plain);
        hlo_value_release(input);
    }
    hlo_program_free(program);
    hlo_diags_drop(&diags);
    hlo_module_free(module);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
