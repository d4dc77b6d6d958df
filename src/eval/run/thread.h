/* Threads: running a device's program. A thread has the frames of its calls, their memory, and the
 * list that errors go to; steps that run at once have separate threads (schedule.c). */
#ifndef HLO_EVAL_RUN_THREAD_H
#define HLO_EVAL_RUN_THREAD_H

#include "eval/run/device.h"

struct hlo_pool;
typedef struct hlo_thread hlo_thread;

/* `pool`: of threads for independent instructions; NULL: none. */
hlo_thread *hlo_thread_new(hlo_device *device, struct hlo_pool *pool, hlo_diags *diags);
void hlo_thread_free(hlo_thread *thread); /* NULL is fine */
/* Later errors go to `diags`. */
void hlo_thread_report_to(hlo_thread *thread, hlo_diags *diags);

/* Runs the program. The arguments stay the caller's, and are not changed; the result is the
 * caller's to release. NULL after an error, or after hlo_device_end. One run at a time for a
 * device; arguments that devices in several threads share have to be marked by hlo_value_share. */
hlo_value *hlo_thread_run(hlo_thread *thread, hlo_value *const *arguments, uint32_t count);

/* Runs a computation of the program, and takes over the references to the arguments, which are NULL
 * then; several threads of one device may do so at once. NULL after an error. */
hlo_value *hlo_thread_call(hlo_thread *thread, const hlo_plan *plan, hlo_value **arguments,
                           uint32_t count);
/* Calls on this thread are made between these two. */
typedef struct {
    hlo_cleanup leaving;
    hlo_isa before;
    hlo_cleanup keeping;
    void *kept_before;
} hlo_calls;
void hlo_thread_start_calls(hlo_thread *thread, hlo_calls *calls);
void hlo_thread_end_calls(hlo_calls *calls);
/* A thread of the same run for another thread of the system, and back. */
hlo_thread *hlo_thread_borrow(const hlo_thread *owner);
void hlo_thread_return(hlo_thread *thread);

/* After a run that failed: whether it was for lack of memory for a value, and not because of a
 * limit. */
bool hlo_thread_lacks_memory(const hlo_thread *thread);

/* ---- for observers and hosts ---- */

/* Reports an error of the run: "'NAME' (OPCODE) TEXT". */
void hlo_thread_error(hlo_thread *thread, const hlo_instr *instr, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The calls around the instruction that runs, `while.3/0/call/` for what the first iteration of
 * while.3 does in a call; nothing in the entry computation. */
void hlo_thread_put_path(const hlo_thread *thread, hlo_buf *to);
/* The op_name of the instruction that runs, after those of the calls around it: frontends name
 * operations relative to the function that has them. The text is the arena's, or the module's. */
hlo_str hlo_thread_op_name(const hlo_thread *thread, hlo_arena *arena, const hlo_instr *instr);
/* Whether these are those calls, from the outermost on. */
typedef struct {
    const hlo_instr *instr;
    int64_t iteration; /* -1: any */
} hlo_caller;
bool hlo_thread_is_called_by(const hlo_thread *thread, const hlo_caller *callers, uint32_t count);

#endif
