/* The reference evaluator: values, the kernel signature, and running a computation. Small, obvious
 * code that is right for every op and type; it also judges faster engines and folds constants.
 * Called by hlo-run (through hlo.h) and by passes. */
#ifndef HLO_EVAL_EVAL_H
#define HLO_EVAL_EVAL_H

#include "ir/ir.h"

/* A value during a run, reference counted. Arrays hold their elements like hlo_literal does
 * (logical row-major order, sub-byte types one byte each, every dimension at its bound); tuples
 * hold values. Tokens have neither. */
typedef struct hlo_value {
    const hlo_shape *shape;
    int refs;      /* see hlo_values_share */
    bool borrowed; /* data belongs to somebody else (a constant's literal, a mapped input) */
    void *data;
    struct hlo_value **elements; /* tuples: shape->rank values, each with a reference */
    int64_t *sizes;              /* run-time sizes of the dimensions, or NULL: as in the shape */
    struct hlo_value *base;      /* a view: the value that owns the data, with a reference */
} hlo_value;

typedef struct hlo_eval hlo_eval;

enum { HLO_EVAL_MAX_DEPTH = 200 }; /* of calls */

/* A kernel computes one instruction: `args` are its operands' values. Returns a new value (or a
 * retained argument), or NULL after reporting an error with hlo_eval_error. A kernel that got NULL
 * from hlo_value_new and its relatives just returns NULL: the runner then reports that the memory
 * for the result is missing. */
typedef hlo_value *hlo_kernel(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args);

/* One function per HLO_KERNEL row of kernels.def: hlo_eval_<name>. */
#define HLO_KERNEL(name) hlo_kernel hlo_eval_##name;
#define HLO_NO_KERNEL(name)
#include "eval/kernels.def"
#undef HLO_KERNEL
#undef HLO_NO_KERNEL

/* `operands` are as they were before the instruction. False ends the run: after an error was
 * reported, or hlo_eval_end was called. */
typedef bool hlo_observer(void *context, const hlo_instr *instr, hlo_value *const *operands,
                          const hlo_value *result);

/* A function of the program's user, called by the convention of the custom-call. */
typedef void hlo_function(void);

typedef struct {
    uint32_t device; /* replica * partitions + partition */
    uint32_t replicas, partitions;
    uint64_t seed;          /* of rng */
    struct hlo_pool *pool;  /* of threads for independent instructions; NULL: none */
    uint64_t max_bytes;     /* of a run, and so of one value; 0: what the machine has available */
    const hlo_instr *root;  /* of the entry computation; NULL: its own. No effects then. */
    const hlo_instr *also;  /* of a called computation: is run even if nobody needs it; or NULL */
    bool stub_custom_calls; /* unknown targets give zeros */
    /* Called after every instruction. */
    hlo_observer *observe;
    void *observe_context;
    /* The host of infeed, outfeed, and of sends and receives with is_host_transfer: whether it is
     * there for an instruction, what comes from it (NULL after an error) and what goes to it (false
     * after one). Only instructions that it is there for are passed on. */
    bool (*has_host)(void *context, const hlo_instr *instr);
    hlo_value *(*take)(void *context, const hlo_instr *instr, const hlo_shape *shape);
    bool (*give)(void *context, const hlo_instr *instr, hlo_value *value);
    /* The user's function for a custom-call target; NULL: the built-in one. */
    hlo_function *(*find_function)(void *context, const hlo_str *target);
    void *host_context;
} hlo_eval_options;

/* The module must not change while the evaluator lives. Preparing a computation for its first run
 * overwrites the marks and indices of its instructions. */
hlo_eval *hlo_eval_new(hlo_module *module, const hlo_eval_options *options, hlo_diags *diags);
void hlo_eval_free(hlo_eval *eval);
/* Later errors go to `diags` instead of where hlo_eval_new was told. */
void hlo_eval_report_to(hlo_eval *eval, hlo_diags *diags);
/* Whether the evaluator has a kernel for the opcode. */
bool hlo_eval_can_run(hlo_opcode opcode);
/* Names every instruction of reachable computations that no kernel can run: one error each. */
bool hlo_eval_check(hlo_eval *eval);
/* What a run of the entry computation needs: bytes of arrays that are alive at once, inputs among
 * them, but not what kernels need besides. Makes plans keep to what the options allow. */
typedef struct {
    uint64_t peak, inputs;
    const hlo_instr *at; /* where the peak is */
} hlo_eval_memory;
hlo_eval_memory hlo_eval_measure(hlo_eval *eval);
/* Whether the entry computation needs the instruction, one of its own. */
bool hlo_eval_needs(hlo_eval *eval, const hlo_instr *instr);
/* How far the run of the entry computation is; any thread may ask. */
typedef struct {
    uint32_t done, count;
    const hlo_instr *at; /* NULL: it has not begun */
} hlo_eval_progress;
hlo_eval_progress hlo_eval_get_progress(const hlo_eval *eval);
/* Back to how it was before the first run: generators start with the seed again. */
void hlo_eval_rewind(hlo_eval *eval);
/* For kernels that call a computation many times: which call is next. */
void hlo_eval_set_trip(hlo_eval *eval, int64_t trip);
/* For observers: the calls around the instruction that runs, `while.3/0/call/` for what the first
 * trip of while.3 does in a call; nothing in the entry computation. */
void hlo_eval_put_path(const hlo_eval *eval, hlo_buf *to);
/* Whether these are those calls, from the outermost on. */
typedef struct {
    const hlo_instr *instr;
    int64_t trip; /* -1: any */
} hlo_eval_caller;
bool hlo_eval_is_called_by(const hlo_eval *eval, const hlo_eval_caller *callers, uint32_t count);
/* From an observer that then returns false: the run ends without a result, and without an error. */
void hlo_eval_end(hlo_eval *eval);
/* The evaluator whose kernels the thread runs; returns the one before. */
hlo_eval *hlo_eval_enter(hlo_eval *eval);
/* Runs a computation. The arguments stay the caller's; the result is the caller's to release.
 * NULL after an error. */
hlo_value *hlo_eval_call(hlo_eval *eval, hlo_computation *computation, hlo_value *const *args,
                         uint32_t count);
/* The same, but takes over the caller's references to the arguments and leaves NULLs behind: a
 * value that nobody else holds can then be changed in place (the state of a loop). */
hlo_value *hlo_eval_call_moving(hlo_eval *eval, hlo_computation *computation, hlo_value **args,
                                uint32_t count);
/* Runs one instruction alone on the values of its operands, one per operand: constant folding. The
 * instruction must not be a parameter. */
hlo_value *hlo_eval_instruction(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args);
void hlo_eval_error(hlo_eval *eval, const hlo_instr *instr, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
hlo_module *hlo_eval_module(hlo_eval *eval);
/* While it is held, no other thread of the run interns shapes of the module. */
void hlo_eval_lock_module(hlo_eval *eval);
void hlo_eval_unlock_module(hlo_eval *eval);
const hlo_eval_options *hlo_eval_get_options(const hlo_eval *eval);

/* hlo_value_new, _zeros and _own return NULL when the shape's size is unknown or the memory is not
 * there. Data is aligned to 16 bytes, from 4 KiB on to 64. */
hlo_value *hlo_value_new(
    const hlo_shape *shape); /* uninitialised array data; tuples: empty slots */
hlo_value *hlo_value_zeros(const hlo_shape *shape);     /* zero filled, tuples too */
hlo_value *hlo_value_from_literal(const hlo_literal *); /* borrows the data */
hlo_value *hlo_value_retain(hlo_value *value);
void hlo_value_retain_more(hlo_value *value, uint32_t references);
void hlo_value_release(hlo_value *value); /* NULL is fine */
/* The same data under another shape of equal size in bytes (reshape, layout); the value itself,
 * retained, when it has that very shape. Run-time sizes stay when the dimensions do. */
hlo_value *hlo_value_view(hlo_value *value, const hlo_shape *shape);
/* The same, but always a value of its own, without run-time sizes. */
hlo_value *hlo_value_alias(hlo_value *value, const hlo_shape *shape);
/* `value` itself when nobody else holds it and its data is its own, else a copy (the reference to
 * `value` is then released): for in-place changes of a value that the caller holds. */
hlo_value *hlo_value_own(hlo_value *value);
/* Whether the reference that a kernel was given is the only one to the data: this is the argument's
 * last use, and nobody else sees what is written over it. */
bool hlo_value_is_dying(const hlo_value *argument);
/* For kernels whose result may overwrite an argument: the argument itself (retained) when this is
 * its last use and its data is nobody else's, else a copy of it. `shape` is the result's,
 * compatible with the argument's. */
hlo_value *hlo_value_reuse(hlo_value *argument, const hlo_shape *shape);
/* The array, which is no view, is held by something that outlives the call (see hlo_keep). */
void hlo_value_keep(hlo_value *array);
/* Between share and unshare, which nest, values may be held by several threads at once. */
void hlo_values_share(void);
void hlo_values_unshare(void);
/* Gives `to` the run-time sizes of `from` (none when it has none): for results of from's rank. */
void hlo_value_copy_sizes(hlo_value *to, const hlo_value *from);
/* The run-time size of a dimension. */
static inline int64_t hlo_value_size(const hlo_value *value, uint32_t dimension) {
    return value->sizes ? value->sizes[dimension] : value->shape->dims[dimension];
}
void hlo_value_print(hlo_buf *to, const hlo_value *value); /* an HLO literal with its shape */

#endif
