/* All that a kernel may see: what it is prepared from and what it is called with. A kernel is
 * prepared once per instruction, when a program is made, and then run any number of times, by
 * several threads at once. Implemented by program.c, runner.c and call.c. */
#ifndef HLO_EVAL_KERNEL_KERNEL_H
#define HLO_EVAL_KERNEL_KERNEL_H

#include "diag/diag.h"
#include "eval/comm/groups.h"
#include "eval/value/value.h"

typedef struct hlo_thread hlo_thread;
typedef struct hlo_plan hlo_plan; /* of a computation that an instruction calls */
typedef struct hlo_scalar_program hlo_scalar_program;
typedef struct hlo_kernel hlo_kernel;
typedef struct hlo_cached hlo_cached;
struct hlo_planner;
struct hlo_assembler;

/* ---- preparing ---- */

/* What prepare gets and fills. Nothing of it but `state` is there when the kernel runs, and neither
 * attributes nor called computations of the instruction may be read then. */
typedef struct {
    const hlo_instr *instr;
    hlo_arena *arena; /* of the program: for the state and what it points to */

    const void *state;    /* what run needs, never changed again; NULL: nothing */
    size_t scratch_bytes; /* uninitialised memory that run needs besides its result */
    size_t piece_bytes;   /* the same for each piece of a hlo_parallel: hlo_piece_take */
    hlo_op_result result; /* starts as in ops.def; another may suit the instruction */
    /* OVERWRITE: bit i is set when the result may be written over operand i. Starts with the arrays
     * that have as many elements of as many bytes as the result. */
    uint32_t overwrites;
    uint32_t updates; /* UPDATE: that many first operands; starts as 1, for tuples as their rank */

    /* Of products in clusters: a follower wants parts of the result. It gets the first `hands_on`
     * elements, in multiples of `hands_on_unit`. */
    bool is_followed;
    int64_t hands_on, hands_on_unit;

    bool calls;    /* set by hlo_prepare_plan and, for one that calls a computation, _scalar */
    bool has_code; /* the kernel has put some where hlo_prepare_code gave it */

    uint32_t replicas, partitions; /* that the program is made for */
    hlo_device_assignment assignment;
    struct hlo_planner *planner; /* of the functions below */
} hlo_preparation;

/* Reports why the instruction cannot be executed; false. The text follows "'NAME' (OPCODE) ". */
bool hlo_prepare_error(hlo_preparation *p, hlo_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* How to run a computation that the instruction calls, for hlo_call_plan. Never NULL. */
const hlo_plan *hlo_prepare_plan(hlo_preparation *p, hlo_computation *computation);
/* The same for many lanes at a time. NULL after reporting that the computation's parameters and
 * result are not scalars. */
const hlo_scalar_program *hlo_prepare_scalar(hlo_preparation *p, hlo_computation *computation);
/* One whose outputs are what `count` scalar instructions of the computation compute; NULL when they
 * or what they need are more than elementwise instructions. Inputs that they do not need are not
 * read. */
const hlo_scalar_program *hlo_prepare_scalar_parts(hlo_preparation *p, hlo_computation *computation,
                                                   const hlo_instr *const *parts, uint32_t count);
/* Whether each instruction of the computations that are called is observed: they are then run one
 * by one. */
bool hlo_prepare_one_by_one(hlo_preparation *p);
/* What the kernel gets as operand i: kernels.def. */
const hlo_instr *hlo_prepare_given(hlo_preparation *p, uint32_t i);
/* The kernel of an instruction that the one of p->instr computes itself; NULL: there is none. */
const hlo_kernel *hlo_prepare_kernel(hlo_preparation *p, const hlo_instr *instr);
/* Whether functions of floats have to be the mathematical library's. */
bool hlo_prepare_plain(hlo_preparation *p);
/* Where code of the kernel goes, which hlo_call_code finds; NULL: there is to be none. */
struct hlo_assembler *hlo_prepare_code(hlo_preparation *p);
/* The module's table of shapes. */
hlo_shapes_table *hlo_prepare_shapes(hlo_preparation *p);
/* What run makes of operand i alone may be kept, in so much memory, while the operand is the same:
 * for the program where it is a constant, else for the loop that passes it on. NULL: it may be
 * another one each time. */
hlo_cached *hlo_prepare_cached(hlo_preparation *p, uint32_t i, size_t bytes);
/* Makes `bytes` more of scratch memory, aligned to 64; returns where they begin in it. */
static inline size_t hlo_prepare_scratch(hlo_preparation *p, size_t bytes) {
    size_t at = (p->scratch_bytes + 63) / 64 * 64;
    HLO_ASSERT(at + bytes >= p->scratch_bytes);
    p->scratch_bytes = at + bytes;
    return at;
}
/* A state of the type, zero filled. */
#define HLO_NEW_STATE(p, type) HLO_NEW((p)->arena, type)

/* ---- running ---- */

/* Computes on with parts of a result as soon as they are complete, while the caches have them.
 * Embedded in what knows how. */
typedef struct hlo_follower {
    /* Elements [first, last); `piece` is the piece memory of the calling thread. */
    void (*follow)(const struct hlo_follower *follower, char *piece, int64_t first, int64_t last);
} hlo_follower;

/* What run gets. `in` has one value per operand; their shapes and run-time sizes may be read, their
 * elements not changed. `out` depends on `result`:
 *   FRESH      an uninitialised value of the instruction's shape, whole tuples too;
 *   OVERWRITE  the same, but its data may be that of an operand with its bit in `overwrites`;
 *   UPDATE     starts as operand 0; a tuple's element i as operand i;
 *   VIEW       NULL: run sets it, from operands' values, without memory for elements;
 *   CALL       NULL: run sets it, from what computations return.
 * Run-time sizes of a FRESH or OVERWRITE result are set by hlo_result_sizes, after all of the
 * operands' sizes have been read. */
typedef struct hlo_call {
    const void *state;
    hlo_value *const *in;
    uint32_t count;         /* of operands */
    const hlo_shape *shape; /* of the result */
    hlo_value *out;
    void *scratch;          /* of scratch_bytes, aligned to 64; never NULL */
    const hlo_instr *instr; /* for messages only */
    hlo_thread *thread;
    struct hlo_pieces *pieces;
    const hlo_follower *follower; /* gets what the kernel hands on; NULL: none does */
} hlo_call;

/* Result i of several, or the only one. */
static inline hlo_value *hlo_call_result(const hlo_call *call, uint32_t i) {
    return call->out->elements ? call->out->elements[i] : call->out;
}

struct hlo_kernel {
    bool (*prepare)(hlo_preparation *p); /* false after an error; NULL: there is no state */
    bool (*run)(hlo_call *call);         /* false after an error; without one: memory is missing */
};

/* Report an error of the run; false. Not to be called from pieces of a hlo_parallel. */
bool hlo_call_error(const hlo_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool hlo_call_rule_error(const hlo_call *call, hlo_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For VIEW and CALL kernels: an uninitialised value, for a part of the result that no operand has,
 * or for one that has to be computed because of run-time sizes. NULL when the memory is not there:
 * run then returns false. */
hlo_value *hlo_call_new(const hlo_call *call, const hlo_shape *shape);
/* The same, of zeros. */
hlo_value *hlo_call_zeros(const hlo_call *call, const hlo_shape *shape);
/* Sets out to `value`, whose reference it takes over; false when it is NULL. */
static inline bool hlo_call_give(hlo_call *call, hlo_value *value) {
    call->out = value;
    return value != NULL;
}
/* The code of the program that hlo_prepare_code was for; NULL: none, or it may not be run. */
const char *hlo_call_code(const hlo_call *call);
/* Operand i with its reference; call->in[i] is NULL then. For CALL kernels that hand operands on to
 * computations, which may change in place what has no other reference. */
hlo_value *hlo_call_take(hlo_call *call, uint32_t i);

/* What is kept of an operand. */
typedef struct {
    char *data;   /* aligned to 64; NULL: there is no memory for this call */
    bool is_made; /* by an earlier call; else the kernel makes it, and calls hlo_call_set_cached */
} hlo_cached_memory;
/* `cached`: NULL is fine. Asked once in a call. */
hlo_cached_memory hlo_call_cached(const hlo_call *call, hlo_cached *cached);
void hlo_call_set_cached(const hlo_call *call, hlo_cached *cached);

/* Memory of piece_bytes, aligned to 64, for one piece of a hlo_parallel: a piece takes it once and
 * leaves it at its end. */
void *hlo_piece_take(const hlo_call *call);
void hlo_piece_leave(const hlo_call *call, void *memory);

/* ---- calling computations ---- */

/* Argument `number` of the computation that runs, with a reference: for parameter instructions,
 * each of which calls it once. NULL after an error. */
hlo_value *hlo_call_argument(hlo_call *call, int64_t number);
/* Runs a computation. The arguments stay the caller's; the result is the caller's to release. NULL
 * after an error. */
hlo_value *hlo_call_plan(hlo_call *call, const hlo_plan *plan, hlo_value *const *arguments,
                         uint32_t count);
/* The same, but takes over the references to the arguments and leaves NULLs: a value without
 * other references can then be changed in place (the state of a loop). */
hlo_value *hlo_call_plan_moving(hlo_call *call, const hlo_plan *plan, hlo_value **arguments,
                                uint32_t count);
/* The same on `count` operands from `first` on, which are NULL then; sets out. */
bool hlo_call_plan_on_operands(hlo_call *call, const hlo_plan *plan, uint32_t first,
                               uint32_t count);
/* For kernels that call a computation many times: which call is next, from 0 on. Observers and
 * --only name the instructions inside by it. */
void hlo_call_set_iteration(hlo_call *call, int64_t iteration);
void hlo_call_next_iteration(hlo_call *call);

#endif
