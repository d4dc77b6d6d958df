/* Running a module. Part of hlo.h. */
#ifndef HLO_PUBLIC_RUN_H
#define HLO_PUBLIC_RUN_H

#include "engine.h"
#include "fill.h"
#include "module.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A module made ready to run on as many devices as its header has replicas times partitions, which
 * are threads, with its inputs and, after a run, its results. Inputs and results are
 * counted as flat leaves: the arrays of parameter 0 first, tuples depth first, without tokens. Uses
 * the module, which must outlive it and must not change. */
typedef struct hlo_run hlo_run;

/* What is zero is the default, in every group, too. */
typedef struct {
    size_t size;
    uint64_t seed;    /* of the operation rng */
    uint32_t threads; /* at most so many; 0: the processors that the process may use */
    hlo_engine engine;
    /* The instruction set of the run's kernels: sse2, avx2, avx512, as far as the machine has them.
     * NULL: the widest. Only the rounding of products and convolutions depends on it. */
    const char *isa;
    /* The fast engine runs the module as it is; otherwise a copy after the pipeline `run`, which
     * changes no bit of the results, unless instructions are watched or picked out. */
    bool as_written;
    bool no_jit; /* loops are interpreted, none becomes machine code; no result depends on it */
    bool pin;    /* each thread to a separate processor while there are as many as threads */
    /* A module whose text leaves out elements of constants, `{...}`, does not run on inputs that
     * were set or read; true: it runs with elements that are made up. On made-up inputs it always
     * does. */
    bool fill_elided;
    bool exact_literals; /* of results and planned modules: as hlo_text_options has it */

    struct {
        uint64_t limit; /* bytes that a run may need; 0: what the machine has available */
        /* Arrays on stacks beyond so many bytes go to a file in the directory (NULL: none do),
         * which is gone when the run is. */
        uint64_t swap_threshold;
        const char *swap_directory;
        uint64_t reserved[2]; /* in each group: room for later releases, zero until then */
    } memory;

    struct {
        bool stub; /* calls of unknown targets give zeros instead of an error */
        /* Functions of the program that custom calls reach by name; then those of shared libraries;
         * then the built-in targets. */
        const hlo_custom_call *functions;
        size_t function_count;
        const char *const *libraries;
        size_t library_count;
        uint64_t reserved[2];
    } custom_calls;

    struct {
        /* Where infeeds take their leaves from, in order of execution: files and pipes, each with
         * any number of concatenated .npy arrays ("-": standard input), or one directory with
         * infeed0.npy, infeed1.npy ... Where outfeeds write: a directory for outfeed0.npy ..., one
         * file for all that ends in .npy, a pipe, "-"; or NULL. Files appear when a run succeeds.
         * The strings of all groups must outlive the run. */
        const char *const *infeed;
        size_t infeed_count;
        const char *outfeed;
        /* "CHANNEL=FILE", the channel by its number or the name of its rendezvous: where the recvs
         * of a channel with is_host_transfer take their arrays from, and where the sends of one
         * leave them. */
        const char *const *recv, *const *send;
        size_t recv_count, send_count;
        uint64_t reserved[2];
    } host;

    struct {
        /* The processes of the job share the devices, see hlo_world; NULL: all are here. It
         * outlives the run. */
        hlo_world *world;
        /* The number of the device for replica r and partition p, at r * partitions + p, each
         * number once; NULL: its place. Devices are called by these numbers, in files, too, and
         * processes have them in order. */
        const uint32_t *assignment;
        size_t assignment_count;
        /* Of several devices: a recv blocks, too, until the matching send is there. Otherwise a
         * send blocks until its recv has run, and a recv never. */
        bool handshake;
        /* Inputs that are read or filled are those of this module, of which the one that runs is
         * the program of one device: each device gets its tile, by the shardings of the parameters
         * here, with zeros after the end of an array. hlo_run_compare compares stored results of
         * this module with the tiles that devices have of them. The module that runs itself: its
         * parameters are the tiles of their shardings. NULL: inputs are those of single devices. It
         * outlives the run, which cannot be shared. */
        hlo_module *whole;
        uint64_t reserved[1];
    } devices;

    struct { /* dataflow graphs */
        hlo_executor executor;
        /* How many iterations of a frame may be alive at once (0: as in its enters), over how many
         * devices the graph is cut (0: as it is), and a file for what each node did (NULL: none),
         * JSON lines or a Chrome trace, written when a run has ended, well or not. */
        uint64_t parallel_iterations;
        uint32_t devices;
        const char *events;
        bool chrome_events;
        /* A loop over scalars is one compiled step of a graph that is made of a module to run on
         * one device; true: its iterations are tokens, too, as they are wherever events are
         * written. */
        bool lower_scalar_loops;
        uint64_t reserved[2];
    } graph;

    struct { /* what is seen of single instructions */
        /* NULL, or where every instruction's least, greatest and mean go; but without patterns not
         * those of parameters, constants, tuples and their elements. */
        FILE *trace;
        const char *dump; /* a directory for the values of all instructions (NAME.npy; NAME{0}.npy
                           * for the elements of a tuple; those of a called computation below the
                           * caller's name, and the iteration number for loops); NULL: none */
        /* Patterns (`*`, `?`, `[...]`): only instructions whose name, whose name after those of
         * its callers (`loop/1/add.3`) or whose op_name matches one of them are traced and dumped.
         * None: all. */
        const char *const *patterns;
        size_t pattern_count;
        bool break_on_nan; /* the first instruction that makes a NaN is an error */
        bool break_on_inf; /* the first instruction that makes an infinity is one */
        /* An instruction of the entry computation that is run with what it needs, without effects
         * of others, and is the result; or CALLER/NAME, LOOP/ITERATION/NAME, or NAME where it runs
         * first, an instruction of a called computation: its callers run until they come to it.
         * NULL: all. */
        const char *only;
        /* Counts the time of every instruction, see hlo_run_visit_profile, and keeps the first
         * `profile_events` events for HLO_PROFILE_TRACE. What runs, and on which threads, stays as
         * it is. */
        bool profile;
        uint64_t profile_events;
        uint64_t reserved[2];
    } watch;
} hlo_run_options;

#ifdef __cplusplus
static inline hlo_run_options hlo_run_options_init() {
    hlo_run_options options = {};
    options.size = sizeof options;
    return options;
}
#define HLO_RUN_OPTIONS_INIT hlo_run_options_init()
#else
#define HLO_RUN_OPTIONS_INIT \
    { .size = sizeof(hlo_run_options) }
#endif

/* The most bytes of arrays on stacks that were in memory at once, in the last run. */
HLO_API uint64_t hlo_run_stack_peak(const hlo_run *run);

/* HLO_BAD_MODULE when an operation cannot be executed: each is named. HLO_BAD_SYSTEM when the run
 * would need more memory than its limit. float-normalization{mixed} runs first where it has to. */
HLO_API hlo_status hlo_run_prepare(hlo_module *module, const hlo_run_options *options,
                                   hlo_diags *diags, hlo_run **out);
HLO_API void hlo_run_free(hlo_run *run);

/* Another run of what was prepared, with separate inputs, results and `threads` (0: the
 * processors), for a separate thread: those that share one program may set inputs, execute and read
 * results at the same time. What writes text (hlo_run_write_..., hlo_run_compare) is for one of
 * them at a time. Once shared, `run` itself is no longer executed (HLO_BAD_USE). It may be freed
 * before the others, the module not. Runs are shared and freed by one thread at a time.
 * HLO_BAD_USE for a run that has infeeds or other files, is watched, profiled or picked out of, or
 * is one of several processes'. */
HLO_API hlo_status hlo_run_share(hlo_run *run, uint32_t threads, hlo_diags *diags, hlo_run **out);

/* Devices that the run computes for, numbered from 0. */
HLO_API uint32_t hlo_run_device_count(const hlo_run *run);
/* Of a dataflow graph: the devices that it is cut over; else 0. */
HLO_API uint32_t hlo_run_graph_devices(const hlo_run *run);
/* What has the parameters and the result of the run: the module that was prepared; for a graph in
 * parts one that stands for all of them. It is the run's, or the caller's own. */
HLO_API hlo_module *hlo_run_module(const hlo_run *run);
HLO_API uint32_t hlo_run_input_count(const hlo_run *run);
/* What an input is, and its data if it was set. */
HLO_API hlo_status hlo_run_input(const hlo_run *run, uint32_t device, uint32_t leaf,
                                 hlo_diags *diags, hlo_array *out);
/* Sets an input of one device. Type and dims must be those of hlo_run_input. A dense array whose
 * elements are aligned, and are valid values (0 and 1 of pred), is borrowed: its data must stay as
 * it is until the input is set again or the run is freed. Others, and all of types of less than a
 * byte, are copied. */
HLO_API hlo_status hlo_run_set_input(hlo_run *run, uint32_t device, uint32_t leaf,
                                     const hlo_array *array, hlo_diags *diags);
/* A file with the leaf's value, by its ending: NumPy's .npy; .npz and .json (an object) with one
 * array; .json, nested lists; a literal as text. Without such an ending its first bytes decide; for
 * pipes and standard input, "-", always. */
HLO_API hlo_status hlo_run_read_input(hlo_run *run, uint32_t leaf, const char *path,
                                      hlo_diags *diags);
/* The same for a whole parameter, of any shape, by its NAME in the module (`params__w__.1`), the
 * op_name of its metadata (`params['w']`), or its NAME without the number at the end, as long as
 * one parameter is called that; or for NAME{I,J...}, an element of a tuple. A .npz archive or an
 * object holds its leaves as in0 or out0 or arr_0 and so on, and a single one as NAME or alone.
 * Each leaf is set once. */
HLO_API hlo_status hlo_run_read_parameter(hlo_run *run, const char *name, const char *path,
                                          hlo_diags *diags);
/* inK.npy (or inK.r0.npy, or NAME.npy) of a directory, or inK (or arr_K, or NAME) of a .npz archive
 * or a .json object, for every leaf K that has not been set; NAME as for hlo_run_read_parameter. A
 * missing one is an error unless `may_miss`, and even then when there is an array that is no input:
 * HLO_BAD_USE. */
HLO_API hlo_status hlo_run_read_inputs(hlo_run *run, const char *path, bool may_miss,
                                       hlo_diags *diags);
/* The same where a run is recorded: arrays that are called as results, outK, are none of the
 * inputs, so that all inputs may be missing. */
HLO_API hlo_status hlo_run_read_record(hlo_run *run, const char *path, bool may_miss,
                                       hlo_diags *diags);
/* Fills every input that has not been set. */
HLO_API hlo_status hlo_run_fill_inputs(hlo_run *run, hlo_input_fill fill, uint64_t seed,
                                       hlo_diags *diags);

/* Fills every input that has not been set from what was recorded with the module, if it came from
 * an HloSnapshot. *replays: all of them, and a result was recorded too. */
HLO_API hlo_status hlo_run_use_recording(hlo_run *run, hlo_diags *diags, bool *replays);

/* Runs the entry computation on all devices; may be called again. Every input must have been set.
 * Random operations start from the seed each time. */
HLO_API hlo_status hlo_run_execute(hlo_run *run, hlo_diags *diags);

/* Runs `count` times; a result that is not, bit for bit, that of the first run is an error. */
HLO_API hlo_status hlo_run_repeat(hlo_run *run, uint64_t count, hlo_diags *diags);

/* From a signal handler or another thread: makes the run in progress, and later ones, fail within a
 * tenth of a second or so; but large factorisations, which are single calls of LAPACK, and kernels
 * of the reference engine are finished first: a program that cannot wait for them calls
 * hlo_remove_unfinished and ends. */
HLO_API void hlo_run_interrupt(hlo_run *run);

/* How far the run in progress is, for other threads. */
typedef struct {
    uint32_t done, count; /* instructions of the entry computation */
    const char *name;     /* of the one that runs; NULL: it has not begun */
    size_t name_len;
} hlo_run_state;
HLO_API hlo_run_state hlo_run_progress(const hlo_run *run);

/* What a run needs at once, in bytes: inputs, results and values in between. */
HLO_API uint64_t hlo_run_memory(const hlo_run *run);

/* How it runs, as text: steps, kernels, and which memory serves for what and for how long. */
HLO_API hlo_status hlo_run_write_plan(const hlo_run *run, hlo_output *output, hlo_diags *diags);
/* The module that runs, after the passes of hlo-opt --pipeline=run, as HLO text; instructions that
 * are steps have the frontend attributes plan_step, plan_kernel, plan_memory and, where the result
 * takes the memory of an operand, plan_over. HLO_COLOUR_PLAN draws them. */
HLO_API hlo_status hlo_run_write_planned_module(const hlo_run *run, hlo_output *output,
                                                hlo_diags *diags);

/* What an instruction took in all executions since hlo_run_prepare or hlo_run_clear_profile. */
typedef struct {
    size_t size;
    /* In what runs: the module, or a copy of it that was prepared for the run. */
    const char *name, *opcode, *computation;
    const char *kernel; /* "cluster": the instructions of a fusion run tile by tile */
    /* The module's own instructions that it stands for: itself, or what a fusion of the copy holds
     */
    const char *const *origins;
    size_t origin_count;
    uint64_t calls;
    double seconds;       /* without what ran inside of it on the same thread */
    double total_seconds; /* with it */
    /* Of one call, as hlo_module_estimate counts; NaN where that is not known, and where the work
     * is that of called computations, whose instructions are separate rows. */
    double flops, transcendentals, bytes;
} hlo_profile_row;

/* `row` and its strings live until it returns; false ends the visit. */
typedef bool hlo_profile_visitor(void *context, const hlo_profile_row *row);

/* Every instruction that ran, those first whose own time is longest. Parameters, constants and
 * elements of tuples that the run finds without a kernel are no rows. HLO_BAD_USE without
 * hlo_run_options.watch.profile. */
HLO_API hlo_status hlo_run_visit_profile(const hlo_run *run, hlo_profile_visitor *visit,
                                         void *context, hlo_diags *diags);
HLO_API void hlo_run_clear_profile(hlo_run *run);

typedef enum {
    HLO_PROFILE_TABLE, /* for readers */
    HLO_PROFILE_JSON,
    HLO_PROFILE_TRACE,   /* the events, for chrome://tracing and Perfetto */
    HLO_PROFILE_ROOFLINE /* a picture, SVG */
} hlo_profile_form;

/* Writes the profile. All but the trace compare with what this machine can do on as many threads,
 * which the first call for a run measures in about a tenth of a second: bytes per second of arrays
 * in caches and in memory, and additions and multiplications per second of the run's instruction
 * set. */
HLO_API hlo_status hlo_run_write_profile(hlo_run *run, hlo_profile_form form, hlo_output *output,
                                         hlo_diags *diags);

/* Of the last run; 0 when there was none, or it failed. */
HLO_API uint32_t hlo_run_output_count(const hlo_run *run);
/* The dense array of a result, with run-time sizes as its dims. Valid until the next run; a result
 * that is an input unchanged is that input's data. HLO_BAD_USE before a run that went well. */
HLO_API hlo_status hlo_run_output(const hlo_run *run, uint32_t device, uint32_t leaf,
                                  hlo_diags *diags, hlo_array *out);
/* Writes it to the caller's memory: `strides` as in hlo_array (NULL: dense), none of them negative;
 * `bytes` from `to` on may be written. */
HLO_API hlo_status hlo_run_copy_output(const hlo_run *run, uint32_t device, uint32_t leaf, void *to,
                                       const int64_t *strides, size_t bytes, hlo_diags *diags);
/* Writes every leaf K to outK.npy in a directory, which is made when it is missing, or as outK into
 * an archive or an object when the path ends in .npz or .json; the only leaf when it ends in .npy.
 * All files appear, or none. */
HLO_API bool hlo_names_arrays(const char *path); /* whether it has one of these endings */
HLO_API hlo_status hlo_run_write_outputs(const hlo_run *run, const char *path, hlo_diags *diags);

/* What still counts as equal: an error of at most atol + rtol * |expected|, or a distance of at
 * most max_ulp representable values. Integers must be equal. */
typedef struct {
    size_t size;
    double rtol, atol;
    uint64_t max_ulp;
    /* Instead of rtol, what the element type suggests: three quarters of its mantissa's bits must
     * agree (f32: 2^-17, f64: 2^-39, f16: 2^-7, bf16: 2^-5). When atol is 0, also so much of the
     * mean magnitude of the array's expected elements. */
    bool auto_rtol;
    /* NULL, or gets a line about all results that differ: the largest difference, and how many do.
     */
    hlo_output *largest;
} hlo_compare_options;

#define HLO_COMPARE_OPTIONS_INIT \
    { sizeof(hlo_compare_options), 0, 0, 0, false, NULL }

/* Compares every result K with outK.npy of a directory or outK (or arr_K) of a .npz archive or a
 * .json object, and writes a report. HLO_BAD_MODULE when elements differ, and when a result or a
 * stored array has no counterpart or another shape: an error names it, and the others are
 * compared. */
HLO_API hlo_status hlo_run_compare(const hlo_run *run, const char *path,
                                   const hlo_compare_options *options, hlo_output *report,
                                   hlo_diags *diags);

/* The same with the recorded result. */
HLO_API hlo_status hlo_run_compare_recording(const hlo_run *run, const hlo_compare_options *options,
                                             hlo_output *report, hlo_diags *diags);

/* The whole result as an HLO literal with its shape and a newline. Arrays of more than `limit`
 * elements are shown as {...}; 0 means no limit. */
HLO_API hlo_status hlo_run_write_literal(const hlo_run *run, size_t limit, hlo_output *output,
                                         hlo_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
