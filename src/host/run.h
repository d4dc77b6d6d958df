/* The struct of hlo_run. Private to src/host. */
#ifndef HLO_HOST_RUN_H
#define HLO_HOST_RUN_H

#include <hlo/run.h>

#include "base/pool.h"
#include "eval/comm/world.h"
#include "eval/run/profile.h"
#include "eval/run/roofline.h"
#include "eval/run/thread.h"
#include "flow/flow.h"
#include "host/feeds.h"
#include "host/leaves.h"
#include "host/npy.h"

/* One input. Data that came from a file belongs to `file`, and `value` borrows it. */
typedef struct {
    const hlo_shape *shape;
    hlo_value *value; /* NULL: not set */
    hlo_array_file file;
    bool from_file;
    bool is_made_up;
} hlo_run_leaf;

/* A channel of send or recv that --send or --recv names. */
typedef struct {
    const char *name; /* not terminated */
    size_t length;
    const char **files; /* of recv: the paths in in.files */
    hlo_feed_in in;
    hlo_feed_out out;
} hlo_run_channel;

typedef struct {
    hlo_feed_in infeed;
    hlo_feed_out outfeed;
    size_t recv_count, recv_capacity, send_count;
    hlo_run_channel *recv, *send;
    char device[16]; /* ".r1" for device 1 of several, or "" */
} hlo_run_host;

/* What --only selects. */
typedef struct {
    const hlo_instr *part;   /* of the entry computation: it is run with what it needs; NULL: all */
    const hlo_instr *inside; /* of a called computation: its value is wanted; NULL: the part's */
    hlo_caller *callers;     /* of that one, from the part on */
    uint32_t caller_count;   /* 0: any; where it runs first counts */
    hlo_value *value;        /* that was caught */
} hlo_run_only;

/* Constants of the module whose elements its text leaves out. */
typedef struct {
    hlo_places places;
    hlo_source *source; /* the module's; NULL: none */
    bool may_be_filled; /* whatever the inputs are */
    bool is_reported;   /* by a warning */
} hlo_run_elided;

/* A module that computes the same as the user's, and what each of its instructions comes from, as
 * in hlo_program_options. */
typedef struct {
    hlo_module *module; /* NULL: the user's is run */
    const hlo_instr **origins;
} hlo_run_copy;

/* Makes the copy that is run in the place of the module, or none. */
typedef hlo_run_copy hlo_run_copier(hlo_module *module);

struct hlo_run {
    hlo_module *module;
    hlo_run *original;     /* whose program and copy it runs; NULL: its own */
    uint32_t shares;       /* that run its program and are not freed */
    uint32_t number;       /* of the device */
    uint32_t device_count; /* of all */
    hlo_world *world;      /* whose processes share the devices; NULL: all are here */
    uint32_t first, last;  /* of the devices that this process executes: below last */
    bool knows_others;     /* the others agree on how they were started */
    uint32_t *assignment;  /* devices by place, then places by device; NULL: the same numbers */
    hlo_run **others;      /* for device 0: those of devices 1, 2 ...; freed with it */
    bool is_freed;         /* by its user; the last share frees it */
    bool may_share;
    hlo_run_copy copy;
    hlo_module *graph;     /* a dataflow graph that is run in its place, owned; or NULL */
    hlo_module *interface; /* parameters and result of a graph in parts, owned; or NULL */
    hlo_flow *flow;        /* of the graph */
    hlo_flow_options flow_options;
    const char *events; /* the file for what nodes did; NULL: none */
    bool chrome_events;
    bool has_met;         /* with the other processes that run the graph, all of which are ready */
    hlo_program *program; /* NULL with a graph */
    hlo_code code;        /* of the program */
    hlo_device *device;
    hlo_thread *thread;
    hlo_pool *pool; /* the threads of the run */
    uint32_t input_count;
    hlo_run_leaf *inputs;
    hlo_run *whole; /* has the inputs of all devices together; NULL: they are the devices' */
    hlo_module *whole_module; /* of that, when it was made for it; or NULL */
    bool is_cut;              /* the devices have their tiles of them */
    hlo_run_host host;
    void **libraries; /* of custom calls, as dlopen gave them */
    size_t library_count;
    const hlo_custom_call *functions; /* of custom calls, the user's */
    size_t function_count;
    hlo_run_only only;
    hlo_run_elided elided;
    bool exact_literals;           /* of what is written as text */
    uint64_t memory;               /* bytes that a run needs */
    hlo_stack_budget stack_budget; /* and the rest of its limit */
    FILE *trace;                   /* a line for every instruction; NULL: none */
    const char *dump;              /* a directory; NULL: none */
    const char *const *watched;    /* patterns for the names of those; none: all */
    size_t watched_count;
    atomic_bool *is_met; /* by pattern: an instruction like it ran; of device 0 */
    bool has_warned;     /* of those that none was like */
    bool break_on_nan, break_on_inf;
    hlo_diags *diags;  /* of the run in progress */
    hlo_value *result; /* NULL before the first run */
    hlo_arena result_arena;
    hlo_shapes_table result_shapes; /* of run-time sizes, which no other run may see made */
    uint32_t output_count;
    hlo_value **outputs;                 /* the result's leaves, without separate references */
    hlo_program_options program_options; /* to make the evaluator again */
    hlo_device_options device_options;
    bool profiles;
    uint64_t profile_events;
    hlo_profile *profile;           /* NULL: none */
    hlo_roofline roof;              /* of no threads: not measured yet */
    hlo_progress progress;          /* of the device, for threads that ask while it may be freed */
    hlo_memory_ring memory_of_eval; /* of the evaluator and of results */
    hlo_cleanup cleanup;
};

/* The dataflow graph of a module, in as many parts as the options specify, the caller's to free: a
 * copy of one that is a graph. NULL after an error. */
typedef hlo_module *hlo_run_grapher(const hlo_module *module, const hlo_run_options *options,
                                    hlo_diags *diags);

/* What passes do for a run. */
typedef struct {
    hlo_run_copier *copy; /* called where single instructions are not observed */
    hlo_run_grapher *graph;
    hlo_steps_optimiser *optimise;
} hlo_run_passes;

/* hlo_run_prepare. */
hlo_status hlo_run_prepare_by(const hlo_run_passes *passes, hlo_module *module,
                              const hlo_run_options *options, hlo_diags *diags, hlo_run **out);

/* ---- elided constants (elided.c) ---- */
void hlo_run_note_elided(hlo_run *run, const hlo_module *module, const hlo_run_options *given);
/* Before the run is executed: false, with an error, when there are such constants and inputs that
 * were not made up; with a warning, once, where the result is made up, too. */
bool hlo_run_may_use_elided(hlo_run *run, hlo_diags *diags);

/* ---- dataflow graphs (dataflow.c) ---- */
/* Whether the module is run as one. */
bool hlo_run_needs_graph(const hlo_module *module, const hlo_run_options *options);
/* Makes the graph; the run's options are set. */
hlo_status hlo_run_make_graph(hlo_run *run, const hlo_run_passes *passes, const hlo_module *module,
                              const hlo_run_options *options, hlo_diags *diags);
/* Whether the processes of the job can run the graph's parts. */
bool hlo_run_check_processes(hlo_run *run, hlo_diags *diags);
bool hlo_run_make_flow(hlo_run *run, hlo_diags *diags);
void hlo_run_free_graph(hlo_run *run);
/* Parameters and result of a graph in parts, or of one part, as a separate module; NULL after an
 * error: none of the parts has some parameter. */
bool hlo_run_has_interface(const hlo_module *module);
hlo_module *hlo_run_graph_interface(const hlo_module *parts, hlo_diags *diags);
hlo_value *hlo_run_execute_graph(hlo_run *run, hlo_value *const *arguments, hlo_diags *diags);

/* Makes the device and the thread of the run, and its program unless another's is shared. */
bool hlo_run_make_evaluator(hlo_run *run, hlo_diags *diags);
/* So many threads, 0: the processors, are those of all of its devices. */
uint32_t hlo_run_threads(uint32_t threads, const hlo_world *world, uint32_t devices);
/* A run of the module with separate threads, and its inputs, none of them set. Freed when the call
 * runs out of memory. */
hlo_run *hlo_run_new(hlo_module *module, uint32_t threads);

/* The run of one of its devices. */
hlo_run *hlo_run_of_device(const hlo_run *run, uint32_t device);
/* Keeps the assignment of the options; HLO_BAD_USE when it is none for so many devices. */
hlo_status hlo_run_assign_devices(hlo_run *run, const hlo_run_options *options, hlo_diags *diags);
/* Replicas times partitions of the module; 0 after reporting that there are too many. */
uint32_t hlo_run_count_devices(const hlo_module *module, hlo_diags *diags);
/* Makes the runs of the other devices (options NULL: of one that is shared, without observer), and
 * then, when that of device 0 has its program, makes them ready. */
hlo_status hlo_run_make_others(hlo_run *run, const hlo_run_options *options, hlo_diags *diags);
hlo_status hlo_run_prepare_others(hlo_run *run, hlo_diags *diags);
void hlo_run_free_others(hlo_run *run);
/* Executes all devices, each on a separate thread; with a job, those of this process together with
 * the other processes. */
hlo_status hlo_run_execute_all(hlo_run *run, hlo_diags *diags);
/* After all devices have executed well: rank 0 of the job gets the results of the others. */
hlo_status hlo_run_bring_results(hlo_run *run, hlo_diags *diags);
/* ---- inputs of all devices together (whole_inputs.c) ---- */
/* Keeps them for the run, which has its evaluator; `whole` is that of the options, or NULL. */
hlo_status hlo_run_take_whole(hlo_run *run, hlo_module *whole, hlo_diags *diags);
void hlo_run_free_whole(hlo_run *run);
/* The run whose inputs are read and filled. Those that follow are to be cut again. */
static inline hlo_run *hlo_run_with_inputs(hlo_run *run) {
    run->is_cut = false;
    return run->whole ? run->whole : run;
}
/* Gives each device its tiles; before an execution. */
hlo_status hlo_run_cut_inputs(hlo_run *run, hlo_diags *diags);
/* After reading an input has failed: where it may be the whole of which devices have tiles, notes
 * which. Returns the status. */
hlo_status hlo_run_explain_tiles(const hlo_run *run, uint32_t leaf, hlo_status status,
                                 hlo_diags *diags);

/* Whether all processes of the job agree (agreement.c) on how they were started: version, module,
 * options and inputs. HLO_BAD_MODULE when not: rank 0 reports which ranks differ from it, and in
 * what. */
hlo_status hlo_run_compare_processes(hlo_run *run, hlo_diags *diags);
/* The result, whose reference is taken over, and its leaves. */
hlo_status hlo_run_keep_result(hlo_run *run, hlo_value *result, hlo_diags *diags);
/* Appends `.r1` for device 1 of several. */
void hlo_run_put_device(hlo_buf *to, const hlo_run *run);

/* What run.c does for one device: executing it, freeing it, and forgetting values and evaluator
 * after a call without memory. */
hlo_status hlo_run_need_inputs(const hlo_run *run, hlo_diags *diags);
hlo_status hlo_run_execute_one(hlo_run *run, hlo_diags *diags);
void hlo_run_free_one(hlo_run *run);
void hlo_run_abandon_one(hlo_run *run);
/* Options of the device that watches or not; the program is there. */
void hlo_run_watch(hlo_run *run, const hlo_run_options *options, hlo_device_options *how);

/* What the evaluator calls after every instruction; the context is the run. */
hlo_observer hlo_run_observe;
/* Takes the patterns for watched instructions; HLO_BAD_USE for one that can match none. */
hlo_status hlo_run_set_watched(hlo_run *run, const hlo_run_options *given, hlo_diags *diags);
bool hlo_run_is_watched(const hlo_run *run, const hlo_instr *instr);
/* Warns, once, of patterns that nothing was like that ran. */
void hlo_run_warn_unmet(hlo_run *run, hlo_diags *diags);
/* Appends ` min ... max ...` for each array of the value. */
void hlo_run_put_summaries(hlo_buf *to, const hlo_value *value);
/* False after reporting that the instruction makes the first NaN, or infinity, of which the run
 * breaks. */
bool hlo_run_is_finite(hlo_run *run, const hlo_instr *instr, hlo_value *const *operands,
                       const hlo_value *result);
/* Writes an instruction's value to files of the run's directory. */
bool hlo_run_dump_value(hlo_run *run, const hlo_instr *instr, const hlo_value *result);

/* Finds the instruction that the name means, with or without a % before it. */
hlo_status hlo_run_find_only(hlo_run *run, const char *name, hlo_diags *diags);
/* Keeps the result and ends the run when it is what --only selects. */
bool hlo_run_catch_only(hlo_run *run, const hlo_instr *instr, const hlo_value *result);
/* Instead of a run's result (NULL after an error), whose reference is taken over: the value that
 * was caught. NULL after reporting that there is none. */
hlo_value *hlo_run_take_only(hlo_run *run, hlo_value *result, hlo_diags *diags);

/* What the evaluator calls for transfers; the context is the run. */
bool hlo_run_has_host(void *context, const hlo_instr *instr);
hlo_value *hlo_run_take(void *context, const hlo_instr *instr, const hlo_shape *shape);
bool hlo_run_give(void *context, const hlo_instr *instr, hlo_value *value);
/* Around a run's life and around each execution: all feeds are rewound, and outgoing files get
 * their names only when the run succeeds. */
hlo_status hlo_run_open_host(hlo_run *run, const hlo_run_options *options, hlo_diags *diags);
hlo_status hlo_run_begin_host(hlo_run *run, hlo_diags *diags);
hlo_status hlo_run_end_host(hlo_run *run, bool went_well, hlo_diags *diags);
void hlo_run_close_host(hlo_run *run);
void hlo_run_stop_host(hlo_run *run); /* closes and forgets what an execution has opened */

/* Loads the libraries of the options. What is open after an error is closed with the run. */
hlo_status hlo_run_open_libraries(hlo_run *run, const hlo_run_options *options, hlo_diags *diags);
void hlo_run_close_libraries(hlo_run *run);
/* For hlo_program_options; the context is the run. */
hlo_function *hlo_run_find_function(void *context, const hlo_str *target);

/* Makes `value` the input (takes over the reference); `file`, if any, is moved into the leaf. */
void hlo_run_put_input(hlo_run_leaf *leaf, hlo_value *value, const hlo_array_file *file);
void hlo_run_forget_input(hlo_run_leaf *leaf);
/* The same for an array that was read, which is taken over even when it fails. */
hlo_status hlo_run_put_file(hlo_run_leaf *leaf, hlo_array_file *file, hlo_diags *diags);

/* HLO_BAD_SYSTEM after reporting that the program needs more than the limit. What it does not need
 * is the budget of its stacks; of a graph, what its inputs do not take. */
hlo_status hlo_run_check_memory(hlo_run *run, hlo_diags *diags);
/* HLO_BAD_USE before a run that went well. */
hlo_status hlo_run_check_result(const hlo_run *run, hlo_diags *diags);
/* Reports that memory for `what` is missing; returns HLO_BAD_SYSTEM. */
hlo_status hlo_run_no_memory(hlo_diags *diags, const char *what);

#endif
