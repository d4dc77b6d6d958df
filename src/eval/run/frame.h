/* The inside of a thread: frames, cached memory, and how steps are run. */
#ifndef HLO_EVAL_RUN_FRAME_H
#define HLO_EVAL_RUN_FRAME_H

#include <pthread.h>

#include "base/pool.h"
#include "eval/program/plan.h"
#include "eval/run/thread.h"
#include "eval/value/value_memory.h"

/* One call in progress; steps that run at once have copies with separate operands. */
typedef struct hlo_frame {
    const struct hlo_frame *caller;
    const hlo_plan *plan;
    hlo_value **arguments;
    uint32_t argument_count;
    bool moving;            /* the arguments' references are the frame's to give away */
    bool is_shared;         /* values are put where several threads find them: hlo_value_share */
    hlo_value **operands;   /* of the kernel that runs; what it takes becomes NULL */
    hlo_value **values;     /* by step */
    const hlo_instr *instr; /* that runs */
    const hlo_plan_step *step;
    bool has_memory;  /* as in the plan, and runs its steps in their order */
    char *memory;     /* of plan->bytes */
    bool owns_memory; /* it is no part of the caller's */
    struct hlo_slots *slots;
    /* Which call of a computation the running instruction makes, where it makes many: set by its
     * kernel. The runner resets it to -1 before each step. */
    int64_t iteration;
} hlo_frame;

/* Slots of a frame: values of all steps, operands of one, headers of what is in the frame's memory,
 * constants. NULLs and headers without references at first. */
typedef struct hlo_slots {
    const hlo_plan *plan;
    hlo_value *headers;    /* by buffer */
    hlo_value **constants; /* by constant of the plan */
    hlo_value *values[];   /* and then operands */
} hlo_slots;

/* Threads of a run that have nothing to do, with the memory they have cached, and what all threads
 * share. */
typedef struct {
    pthread_mutex_t lock;
    hlo_thread *idle;
    struct hlo_loop_cached *loop_cached; /* what is kept for loops, by number; NULL: nothing is */
    uint32_t loop_cached_count;
    char *loop_cached_memory;
} hlo_crew;

struct hlo_thread {
    const hlo_program *program;
    hlo_device *device;
    hlo_pool *pool;
    hlo_diags *diags;
    hlo_frame *frame;
    uint32_t depth;
    bool is_watched;   /* the device has an observer or a profile */
    hlo_slots **slots; /* by plan: those of a call that has ended, for the next one; or NULL */
    char *memory;      /* of frames whose callers have none for them; made when first needed */
    uint64_t memory_bytes;
    bool memory_is_taken;
    hlo_kept_values kept;
    char *scratch; /* small scratch of kernels, a stack; made when first needed */
    size_t scratch_used;
    char *large; /* scratch of a kernel that needs more, kept for the next one; or NULL */
    size_t large_bytes;
    bool large_is_taken;
    hlo_crew *crew;          /* shared by the threads of a run */
    struct hlo_thread *next; /* idle */
    bool lacks_memory;       /* for a value: see hlo_thread_lacks_memory */
};

hlo_slots *hlo_thread_take_slots(hlo_thread *thread, const hlo_plan *plan);
void hlo_thread_leave_slots(hlo_thread *thread, hlo_slots *slots);

/* Memory for a frame of the plan whose caller has none for it; NULL when it is not there. */
char *hlo_thread_take_memory(hlo_thread *thread, const hlo_plan *plan);
void hlo_thread_leave_memory(hlo_thread *thread, const hlo_plan *plan, char *memory);

/* While it runs, the calling thread keeps small values for the next ones: from `start` on to `end`,
 * or until the call unwinds. */
typedef struct {
    hlo_cleanup cleanup;
    hlo_kept_values *before;
} hlo_keeping;
void hlo_thread_stop_keeping(void *before); /* a cleanup */
void hlo_thread_start_keeping(hlo_thread *thread, hlo_keeping *keeping);
void hlo_thread_end_keeping(hlo_keeping *keeping);

/* Scratch memory, aligned to 64; NULL when it is not there. Left in the opposite order. */
void *hlo_thread_take_scratch(hlo_thread *thread, size_t bytes);
void hlo_thread_leave_scratch(hlo_thread *thread, void *scratch, size_t bytes);

void hlo_thread_rule_error(hlo_thread *thread, hlo_rule rule, const hlo_instr *instr,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Runs a plan in a frame whose arguments have been set; NULL after an error. */
hlo_value *hlo_run_plan(hlo_thread *thread, const hlo_plan *plan, hlo_frame *frame);
/* Runs the frame's plan, which has followers, with independent steps at once. Results and the error
 * that is reported are those of the order. */
hlo_value *hlo_run_at_once(hlo_thread *thread, hlo_frame *frame);
/* Runs one step on its operands, which lose a reference each; NULL after an error. */
hlo_value *hlo_run_step(hlo_thread *thread, const hlo_plan_step *step);
/* Runs the kernel of a step on a call that has its operands and its result, outside of a frame of
 * the step's plan; false after an error, or when the run was stopped. */
bool hlo_run_called_step(const hlo_plan *plan, const hlo_plan_step *step, hlo_call *call);
/* Makes a step's result the value that its users find, with a reference for each. */
void hlo_put_value(hlo_frame *frame, uint32_t step, hlo_value *value);
/* After a failure: gives up the references that step `step`, which has not run, would have taken.
 */
void hlo_drop_operands(hlo_frame *frame, uint32_t step);

#endif
