/* How long the steps of a run take, and when: an observer that leaves the run as it is, with its
 * clusters, its memory and its threads. Made and read by the caller that runs programs (src/host);
 * written by the runner, from any thread of the run. */
#ifndef HLO_EVAL_RUN_PROFILE_H
#define HLO_EVAL_RUN_PROFILE_H

#include "eval/program/program.h"

struct hlo_pool;
struct hlo_plan;
struct hlo_plan_step;
struct hlo_frame;
typedef struct hlo_profile hlo_profile;

/* Counts times for the steps of the program, which must outlive it; also keeps the first
 * `most_events` events. */
hlo_profile *hlo_profile_new(const hlo_program *program, uint64_t most_events);
void hlo_profile_free(hlo_profile *profile); /* NULL is fine */
/* Forgets what was counted. No run may be in progress. */
void hlo_profile_clear(hlo_profile *profile);
/* Makes the pool's threads record when they help with a step (events only). NULL: no longer. */
void hlo_profile_watch_pool(hlo_profile *profile, struct hlo_pool *pool);

/* ---- what was counted ---- */

typedef enum {
    HLO_EVENT_STEP,  /* `number` is the step's */
    HLO_EVENT_FRAME, /* a call of a computation; `number` is the plan's */
    HLO_EVENT_PIECES /* a thread of the pool works for the step that another one runs */
} hlo_event_kind;

/* Nanoseconds since the profile was made or cleared. Events of a lane lie within each other or
 * beside each other. */
typedef struct {
    uint64_t begin, end;
    int64_t iteration; /* of a frame: which call of its caller; -1: it makes only one */
    uint32_t number;
    uint16_t lane; /* a thread: numbered as they come, from 0 */
    uint8_t kind;  /* hlo_event_kind */
} hlo_event;

/* In nanoseconds. `own` is without the steps that ran inside on the same thread. */
typedef struct {
    uint64_t calls, total, own;
} hlo_times;

/* Steps of all plans by number, in the order of the plans. */
uint32_t hlo_profile_steps(const hlo_profile *profile);
hlo_times hlo_profile_step_times(const hlo_profile *profile, uint32_t step);
/* Of the whole program; `own` is what passes between its steps. */
hlo_times hlo_profile_run_times(const hlo_profile *profile);
/* Events that are kept, in the order of their ends, more or less; and how many there were. */
const hlo_event *hlo_profile_events(const hlo_profile *profile, uint64_t *kept, uint64_t *all);

/* What a step is. */
typedef struct {
    const hlo_instr *instr;
    const hlo_computation *computation; /* that it stands in */
    const char *kernel;                 /* its name; "cluster" for a fusion that runs as one */
    bool calls;                         /* its work is that of plans, whose steps count their own */
} hlo_profiled_step;
hlo_profiled_step hlo_profile_step(const hlo_profile *profile, uint32_t step);
/* The computation of a plan, by the number in an event. */
const hlo_computation *hlo_profile_computation(const hlo_profile *profile, uint32_t plan);

/* ---- for the runner ---- */

/* A step or a run while it is measured, and what its thread counted outside of it. */
typedef struct {
    uint64_t begin, inside;
    const void *label;
    uint32_t step;
} hlo_lap;

void hlo_profile_begin_step(hlo_profile *profile, const struct hlo_plan *plan,
                            const struct hlo_plan_step *step, hlo_lap *lap);
void hlo_profile_end_step(hlo_profile *profile, const hlo_lap *lap);
void hlo_profile_begin_frame(const struct hlo_frame *frame, hlo_lap *lap);
void hlo_profile_end_frame(hlo_profile *profile, const struct hlo_frame *frame, const hlo_lap *lap);

#endif
