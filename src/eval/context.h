/* What a run knows beside its values: the state behind hlo_eval, plans and frames. Called inside
 * src/eval only, by the runner, scalar programs and the kernels that call computations. */
#ifndef HLO_EVAL_CONTEXT_H
#define HLO_EVAL_CONTEXT_H

#include "eval/eval.h"

struct hlo_scalar_program;

enum { HLO_EVAL_MAX_DEPTH = 200 };

/* One instruction of a plan. */
typedef struct {
    const hlo_instr *instr;
    hlo_kernel *kernel; /* NULL: none exists */
    uint32_t operands;  /* index of the first operand's step in hlo_plan.operand_steps */
    uint32_t uses;      /* operand edges to this step, plus one when it is the root */
    bool has_room;      /* hlo_eval_has_room for the result */
} hlo_plan_step;

/* How to run one computation: the instructions that matter in an order of execution. Each value is
 * retained once per use, so that an argument with one reference is at its last use. */
typedef struct hlo_plan {
    uint32_t count, root;
    hlo_plan_step *steps;
    uint32_t *operand_steps;
    hlo_value **values;   /* by step, while the plan runs */
    hlo_value **operands; /* of the step that runs */
    bool running;         /* a computation that calls itself is an error, so one set is enough */
} hlo_plan;

/* One call in progress. */
typedef struct hlo_frame {
    struct hlo_frame *caller;
    hlo_value **arguments;
    uint32_t argument_count;
    bool moving;          /* the arguments' references are the frame's to give away */
    hlo_value **operands; /* of the kernel that runs: hlo_eval_take_operand */
} hlo_frame;

/* What was sent inside the module and not yet received, in order. */
typedef struct {
    int64_t channel;
    hlo_value *value;
} hlo_sent;

struct hlo_eval {
    hlo_module *module;
    hlo_eval_options options;
    hlo_diags *diags;
    hlo_arena arena; /* plans and scalar programs */
    uint32_t computation_count;
    hlo_plan **plans;                     /* by computation id; made when first needed */
    struct hlo_scalar_program **programs; /* the same */
    uint8_t *effects;                     /* by computation id: hlo_side_effect, of the plans */
    hlo_frame *frame;
    uint32_t depth;
    uint64_t rng_state[2]; /* of rng-get-and-update-state: low word, high word */
    uint32_t sent_count, sent_capacity;
    hlo_sent *sent;
    uint64_t rng_calls; /* of rng, which draws a new stream with every call */
};

/* The kernel of an opcode; NULL when there is none. */
hlo_kernel *hlo_kernel_of(hlo_opcode opcode);

/* Whether a result of the shape may be allocated: its size is known and within the limit. */
bool hlo_eval_has_room(const hlo_eval *eval, const hlo_shape *shape);

hlo_plan *hlo_plan_of(hlo_eval *eval, hlo_computation *computation);

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
