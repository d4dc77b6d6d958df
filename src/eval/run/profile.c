/* Times of steps: see profile.h. Counters are shared by the threads of a run and added to by atomic
 * instructions, which cost less than reading the clock. */
#include "eval/run/profile.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "eval/run/frame.h"

typedef struct {
    atomic_uint_least64_t calls, total, own;
} counters;

struct hlo_profile {
    const hlo_program *program;
    uint64_t id, start;
    uint32_t steps;
    uint32_t *first; /* number of a plan's first step, by plan */
    counters *by_step, run;
    uint64_t most_events;
    hlo_event *events;
    atomic_uint_least64_t event_count;
    atomic_uint lanes;
};

/* Of the thread: its number in the profile that it wrote to last, and the time of steps that ended
 * inside the one that runs. */
static _Thread_local struct {
    uint64_t profile, inside;
    uint16_t lane;
} mine;

/* ---- making ---- */

static atomic_uint_least64_t profiles; /* that were made */

hlo_profile *hlo_profile_new(const hlo_program *program, uint64_t most_events) {
    hlo_profile *profile = hlo_calloc(1, sizeof *profile);
    profile->program = program;
    profile->id = atomic_fetch_add(&profiles, 1) + 1;
    profile->first = hlo_malloc((program->plan_count + 1u) * sizeof *profile->first);
    for (uint32_t n = 0; n < program->plan_count; n++) {
        profile->first[n] = profile->steps;
        profile->steps += program->plans[n]->count;
    }
    profile->by_step = hlo_calloc(profile->steps + 1u, sizeof *profile->by_step);
    profile->most_events = most_events;
    if (most_events) profile->events = hlo_calloc(most_events, sizeof *profile->events);
    profile->start = hlo_clock();
    return profile;
}

void hlo_profile_free(hlo_profile *profile) {
    if (!profile) return;
    hlo_free(profile->first);
    hlo_free(profile->by_step);
    hlo_free(profile->events);
    hlo_free(profile);
}

static void clear(counters *c) {
    atomic_store(&c->calls, 0);
    atomic_store(&c->total, 0);
    atomic_store(&c->own, 0);
}

void hlo_profile_clear(hlo_profile *profile) {
    for (uint32_t k = 0; k < profile->steps; k++) clear(&profile->by_step[k]);
    clear(&profile->run);
    atomic_store(&profile->event_count, 0);
    profile->start = hlo_clock();
}

/* ---- writing ---- */

static uint16_t my_lane(hlo_profile *profile) {
    if (mine.profile == profile->id) return mine.lane;
    mine.profile = profile->id;
    mine.lane = (uint16_t)atomic_fetch_add(&profile->lanes, 1);
    return mine.lane;
}

static void add(counters *to, uint64_t total, uint64_t own) {
    atomic_fetch_add_explicit(&to->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&to->total, total, memory_order_relaxed);
    atomic_fetch_add_explicit(&to->own, own, memory_order_relaxed);
}

static void keep_event(hlo_profile *profile, hlo_event event) {
    if (!profile->most_events) return;
    uint64_t n = atomic_fetch_add_explicit(&profile->event_count, 1, memory_order_relaxed);
    event.begin -= profile->start;
    event.end -= profile->start;
    event.lane = my_lane(profile);
    if (n < profile->most_events) profile->events[n] = event;
}

static uint64_t subtracted(uint64_t from, uint64_t what) {
    return from > what ? from - what : 0;
}

void hlo_profile_begin_step(hlo_profile *profile, const hlo_plan *plan, const hlo_plan_step *step,
                            hlo_lap *lap) {
    lap->step = profile->first[plan->number] + (uint32_t)(step - plan->steps);
    if (profile->most_events) lap->label = hlo_pool_label(&profile->by_step[lap->step]);
    lap->inside = mine.inside;
    mine.inside = 0;
    lap->begin = hlo_clock();
}

void hlo_profile_end_step(hlo_profile *profile, const hlo_lap *lap) {
    uint64_t end = hlo_clock(), took = end - lap->begin;
    add(&profile->by_step[lap->step], took, subtracted(took, mine.inside));
    mine.inside = lap->inside + took;
    keep_event(profile, (hlo_event){lap->begin, end, -1, lap->step, 0, HLO_EVENT_STEP});
    if (profile->most_events) hlo_pool_label(lap->label);
}

void hlo_profile_begin_frame(const hlo_frame *frame, hlo_lap *lap) {
    if (!frame->caller) mine.inside = 0;
    lap->begin = hlo_clock();
}

void hlo_profile_end_frame(hlo_profile *profile, const hlo_frame *frame, const hlo_lap *lap) {
    const hlo_frame *caller = frame->caller;
    uint64_t end = hlo_clock(), took = end - lap->begin;
    if (!caller) add(&profile->run, took, subtracted(took, mine.inside));
    int64_t iteration = caller ? caller->iteration : -1;
    keep_event(profile,
               (hlo_event){lap->begin, end, iteration, frame->plan->number, 0, HLO_EVENT_FRAME});
}

/* ---- threads that help ---- */

/* A label is the step's counters; that of another profile, whose run calls this one, is ignored. */
static void helped(void *context, const void *label, uint64_t begin) {
    hlo_profile *profile = context;
    const counters *step = label;
    if (step < profile->by_step || step >= profile->by_step + profile->steps) return;
    uint32_t number = (uint32_t)(step - profile->by_step);
    keep_event(profile, (hlo_event){begin, hlo_clock(), -1, number, 0, HLO_EVENT_PIECES});
}

void hlo_profile_watch_pool(hlo_profile *profile, hlo_pool *pool) {
    bool watches = profile && profile->most_events;
    hlo_pool_set_watch(pool, watches ? helped : NULL, profile);
}

/* ---- reading ---- */

static hlo_times read_counters(const counters *c) {
    return (hlo_times){atomic_load(&c->calls), atomic_load(&c->total), atomic_load(&c->own)};
}

uint32_t hlo_profile_steps(const hlo_profile *profile) {
    return profile->steps;
}

hlo_times hlo_profile_step_times(const hlo_profile *profile, uint32_t step) {
    return read_counters(&profile->by_step[step]);
}

hlo_times hlo_profile_run_times(const hlo_profile *profile) {
    return read_counters(&profile->run);
}

const hlo_event *hlo_profile_events(const hlo_profile *profile, uint64_t *kept, uint64_t *all) {
    *all = atomic_load(&profile->event_count);
    *kept = *all < profile->most_events ? *all : profile->most_events;
    return profile->events;
}

hlo_profiled_step hlo_profile_step(const hlo_profile *profile, uint32_t number) {
    uint32_t n = 0;
    while (n + 1 < profile->program->plan_count && profile->first[n + 1] <= number) n++;
    const hlo_plan *plan = profile->program->plans[n];
    const hlo_plan_step *step = &plan->steps[number - profile->first[n]];
    return (hlo_profiled_step){.instr = step->instr,
                               .computation = plan->computation,
                               .kernel = hlo_step_kernel(step),
                               .calls = step->result == (uint8_t)HLO_RESULT_CALL};
}

const hlo_computation *hlo_profile_computation(const hlo_profile *profile, uint32_t plan) {
    return profile->program->plans[plan]->computation;
}
