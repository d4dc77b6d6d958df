/* What a run knows beside its values: the state behind hlo_eval, plans and frames. Called inside
 * src/eval only, by the runner, scalar programs and the kernels that call computations. */
#ifndef HLO_EVAL_CONTEXT_H
#define HLO_EVAL_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "eval/eval.h"

struct hlo_scalar_program;

enum { HLO_PLAN_AHEAD = 16 };

/* One instruction of a plan. */
typedef struct {
    const hlo_instr *instr;
    hlo_kernel *kernel; /* NULL: none exists */
    uint32_t operands;  /* index of the first operand's step in hlo_plan.operand_steps */
    uint32_t uses;      /* operand edges to this step, plus one when it is the root */
    uint32_t followers; /* index of the first step that waits for this one, in hlo_plan.followers */
    uint32_t waits_for; /* edges from steps before it: operands and control predecessors */
    bool has_room;      /* hlo_eval_has_room for the result */
    bool has_effect;    /* runs when all steps before it have run */
    bool is_heavy;      /* worth a thread of its own: hlo_eval_cost */
} hlo_plan_step;

/* How to run one computation: the instructions that matter in an order of execution. Each value is
 * retained once per use, so that an argument with one reference is at its last use. */
typedef struct hlo_plan {
    uint32_t count, root;
    uint32_t most_operands; /* of a step */
    hlo_plan_step *steps;   /* and one more, where the last one's followers end */
    uint32_t *operand_steps;
    uint32_t *followers; /* NULL: no two heavy steps are independent, the order is as good as any */
    _Atomic(hlo_value **) room; /* of a call that has ended, for the next one: hlo_plan_room */
} hlo_plan;

/* One call in progress; steps that run at once have copies with operands of their own. */
typedef struct hlo_frame {
    const struct hlo_frame *caller;
    const hlo_plan *plan;
    hlo_value **arguments;
    uint32_t argument_count;
    bool moving;            /* the arguments' references are the frame's to give away */
    hlo_value **operands;   /* of the kernel that runs: hlo_eval_take_operand */
    hlo_value **values;     /* by step */
    const hlo_instr *instr; /* that runs */
    int64_t trip;           /* of the instruction, where it calls many times; else -1 */
} hlo_frame;

/* What was sent inside the module and not yet received, in order. */
typedef struct {
    int64_t channel;
    hlo_value *value;
} hlo_sent;

/* What all threads of a run share. */
typedef struct {
    pthread_mutex_t lock; /* of the making of plans and programs, and of reports; may be nested */
    hlo_arena arena;      /* plans and scalar programs */
    uint32_t computations;
    _Atomic(hlo_plan *) *plans;                     /* by computation id; made when first needed */
    _Atomic(struct hlo_scalar_program *) *programs; /* the same */
    uint8_t *effects;                               /* by computation id: see plan.c */
    double *costs;                                  /* by computation id: see cost.c */
    uint32_t cost_depth;
    _Atomic(const hlo_plan_step *) at; /* the step of the entry computation that began last */
    uint64_t rng_state[2];             /* of rng-get-and-update-state: low word, high word */
    bool is_over;                      /* hlo_eval_end was called */
    uint64_t rng_calls;                /* of rng, which draws a new stream with every call */
    uint32_t sent_count, sent_capacity;
    hlo_sent *sent;
} hlo_eval_shared;

/* One thread's view of a run: steps that run at once have copies of it. */
struct hlo_eval {
    hlo_module *module;
    hlo_eval_options options;
    hlo_diags *diags;
    hlo_eval_shared *shared;
    hlo_frame *frame;
    uint32_t depth;
};

static inline void hlo_eval_lock(hlo_eval *eval) {
    pthread_mutex_lock(&eval->shared->lock);
}
static inline void hlo_eval_unlock(hlo_eval *eval) {
    pthread_mutex_unlock(&eval->shared->lock);
}

/* hlo_eval_error under another rule. */
void hlo_eval_rule_error(hlo_eval *eval, hlo_rule rule, const hlo_instr *instr, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

/* The kernel of an opcode; NULL when there is none. */
hlo_kernel *hlo_kernel_of(hlo_opcode opcode);

/* Why no kernel computes the instruction although it is well formed, as the end of a sentence in
 * `arena`, and the rule that says so; NULL when one does. */
const char *hlo_eval_problem(const hlo_instr *instr, hlo_rule *rule, hlo_arena *arena);

/* Whether a result of the shape may be allocated: its size is known and within the limit. */
bool hlo_eval_has_room(const hlo_eval *eval, const hlo_shape *shape);

hlo_plan *hlo_plan_of(hlo_eval *eval, hlo_computation *computation);
/* Room for the values of all steps and for the operands of one: a frame's. */
hlo_value **hlo_plan_room(hlo_plan *plan);
void hlo_plan_leave_room(hlo_plan *plan, hlo_value **room);

/* About how many nanoseconds one thread needs for the instruction. */
double hlo_eval_cost(hlo_eval *eval, const hlo_instr *instr);

/* Runs the frame's plan in its order; NULL after an error. */
hlo_value *hlo_run_in_order(hlo_eval *eval, hlo_frame *frame);
/* Runs the frame's plan, which has followers, with independent steps at once. Results and the error
 * that is reported are those of the order. */
hlo_value *hlo_run_at_once(hlo_eval *eval, hlo_frame *frame);
/* Makes `eval` the one that this thread runs a kernel for; returns the one before. */
hlo_eval *hlo_eval_current(void);
/* Runs one step on its operands, which lose a reference each; NULL after an error. */
hlo_value *hlo_run_step(hlo_eval *eval, const hlo_plan_step *step);
/* Makes a step's result the value that its users find, with a reference for each. */
void hlo_put_value(hlo_frame *frame, uint32_t step, hlo_value *value);
/* After a failure: gives up the references that step `step`, which has not run, would have taken.
 */
void hlo_drop_operands(hlo_frame *frame, uint32_t step);

/* Argument `number` of the running call, with a reference of its own: for parameter instructions,
 * each of which asks once. NULL after an error. */
hlo_value *hlo_eval_argument(hlo_eval *eval, const hlo_instr *instr, int64_t number);
/* Operand `i` of the running kernel with its reference, as it was in args[i]; the runner no longer
 * has it. For kernels that change or pass on their operands. */
hlo_value *hlo_eval_take_operand(hlo_eval *eval, uint32_t i);
/* Runs a computation on `count` operands of the running kernel from `first` on, and gives it their
 * references. */
hlo_value *hlo_eval_call_on_operands(hlo_eval *eval, hlo_computation *computation, uint32_t first,
                                     uint32_t count);

/* Whether the instruction moves data from or to the host, and whether there is one for it. */
bool hlo_needs_host(const hlo_instr *instr);
bool hlo_has_host(const hlo_eval *eval, const hlo_instr *instr);
/* Forgets what was sent on channels and not received. */
void hlo_channels_clear(hlo_eval *eval);

/* Why a custom-call cannot be executed, as the end of a sentence in `arena`; NULL when it can. */
const char *hlo_custom_call_problem(const hlo_eval *eval, const hlo_instr *instr, hlo_arena *arena);

#endif
