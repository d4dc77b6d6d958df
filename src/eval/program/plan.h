/* The inside of a program: plans of computations, their steps, and what is known only while they
 * are made. */
#ifndef HLO_EVAL_PROGRAM_PLAN_H
#define HLO_EVAL_PROGRAM_PLAN_H

#include "analysis/call_graph.h"
#include "eval/kernel/kernel.h"
#include "eval/program/program.h"

enum { HLO_PLAN_AHEAD = 16 }; /* steps that may run while an earlier one has not */

/* Memory of a frame that serves from step `first` to step `last` of its plan: for a leaf of the
 * result of the first one, for the scratch memory of its kernel, or for frames of what it calls.
 * Nothing that holds the leaf is used after the last step. */
typedef struct {
    uint64_t at, bytes; /* multiples of 64; at HLO_NOT_PLACED: the leaf outlives the frame */
    uint32_t first, last;
    uint8_t use; /* hlo_buffer_use */
} hlo_plan_buffer;

typedef enum {
    HLO_BUFFER_RESULT,
    HLO_BUFFER_SCRATCH,
    HLO_BUFFER_CALLED,   /* frames of what the step calls */
    HLO_BUFFER_RETURNED, /* what they return, in separate memory */
    HLO_BUFFER_INSIDE    /* what else has separate memory in them */
} hlo_buffer_use;

/* Constants are made once and kept; the numbers are those of constants of the plan, of elements of
 * a tuple, of parameters. */
typedef enum { HLO_NO_SHORTCUT, HLO_TO_CONSTANT, HLO_TO_ELEMENT, HLO_TO_ARGUMENT } hlo_shortcut;

#define HLO_NOT_PLACED UINT64_MAX
#define HLO_NO_BUFFER UINT32_MAX

/* One instruction of a plan. */
typedef struct hlo_plan_step {
    const hlo_instr *instr;
    const hlo_kernel *kernel; /* NULL: none exists */
    const void *state;        /* the kernel's */
    size_t scratch_bytes, piece_bytes;
    uint32_t overwrites, updates; /* as in hlo_preparation */
    /* In frames with memory: the operands whose memory the result may take (a subset of
     * `overwrites`; with UPDATE, bit 0 stands for all), and the buffers of what the step needs, or
     * HLO_NO_BUFFER: the first of its result's leaves, scratch memory, what it calls. */
    uint32_t takes, buffers, scratch_buffer, called_buffer;
    /* In frames with memory: what the runner does without the kernel, and with which number. */
    uint32_t number;
    uint8_t shortcut;   /* hlo_shortcut */
    uint32_t operands;  /* index of the first operand's step in hlo_plan.operand_steps */
    uint32_t uses;      /* operand edges to this step, plus one when it is the root */
    uint32_t followers; /* index of the first step that waits for this one, in hlo_plan.followers */
    uint32_t waits_for; /* edges from steps before it: operands and control predecessors */
    uint8_t result;     /* hlo_op_result */
    bool fits;          /* the result's size is known and within the limit */
    bool has_effect;    /* runs when all steps before it have run */
    bool is_heavy;      /* worth a separate thread: hlo_planner_cost */
    bool calls;         /* its kernel asked for a plan or a scalar program */
    bool is_called;     /* by the machine code of a loop */
    bool has_code;      /* its kernel: hlo_prepare_code */
    const struct hlo_loop *code; /* a while's own; NULL: it is interpreted */
    hlo_cached *loop_cached;     /* a while: what is kept as long as it runs; by next_of_loop */
} hlo_plan_step;

/* How to run one computation: the instructions that matter in an order of execution. Each value is
 * retained once per use, so that an argument with one reference is at its last use. */
struct hlo_plan {
    uint32_t number;                   /* of the program's plans */
    hlo_computation *computation;      /* NULL: one instruction alone */
    const hlo_scalar_program *scalars; /* computes the same for hlo_thread_call; NULL: none */
    uint32_t count, root;
    uint32_t most_operands; /* of a step */
    hlo_plan_step *steps;   /* and one more, where the last one's followers end */
    uint32_t *operand_steps;
    uint32_t *followers; /* NULL: no two heavy steps are independent, the order is as good as any */
    /* Memory of frames that run the steps in order: see buffers.c. Without, each result has
     * separate memory. */
    bool has_memory;
    uint64_t bytes;
    hlo_plan_buffer *buffers; /* by first step */
    uint32_t buffer_count;
    uint32_t constant_count;
    uint64_t least_bytes; /* of any plan with these lifetimes: what is needed at once */
    uint64_t heap_bytes; /* of leaves that outlive the frame, or come from frames inside: at once */
};

struct hlo_program {
    hlo_module *module;
    hlo_program_options options;
    hlo_arena arena;
    hlo_plan **plans; /* the entry computation's first */
    uint32_t plan_count, plan_capacity;
    hlo_program_memory memory;
    hlo_cached *cached;         /* by next */
    uint64_t cached_bytes;      /* of constants: what is kept for all runs */
    char *cached_memory;        /* NULL: none */
    uint64_t loop_cached_bytes; /* the same for loops, in each run */
    uint32_t loop_cached_count;
};

#define HLO_BEYOND_MEMORY (INT64_C(1) << 56) /* as many bytes as no address space has */

/* What is known while a program is made. The arrays are indexed by computation id, and there once
 * some computation was asked for. */
typedef struct hlo_planner {
    hlo_program *program;
    hlo_diags *diags;
    hlo_plan **plans;
    hlo_scalar_program **scalars;
    uint8_t *effects; /* whether running it can be seen from outside: see plan.c */
    double *costs;    /* see cost.c */
    uint32_t cost_depth;
    struct hlo_assembler *code;     /* of loops; NULL: the program has none */
    hlo_call_graph calls;           /* made when first needed; see operand_cache.c */
    const hlo_plan_step *step;      /* that is prepared */
    const hlo_instr *beyond_memory; /* the first step with an array of HLO_BEYOND_MEMORY bytes */
} hlo_planner;

/* Whether functions of floats are the mathematical library's: the reference engine's are. */
static inline bool hlo_planner_is_plain(const hlo_planner *planner) {
    const hlo_program_options *options = &planner->program->options;
    return options->plain_functions || options->engine == HLO_ENGINE_REFERENCE;
}

/* The plan of a computation, made when it is first asked for; its steps are prepared later. */
hlo_plan *hlo_planner_plan(hlo_planner *planner, hlo_computation *computation);
/* The plan of one instruction, whose operands are the arguments. */
hlo_plan *hlo_planner_plan_instr(hlo_planner *planner, const hlo_instr *instr);
/* The scalar program of a computation, made when it is first asked for; NULL when its parameters
 * and result are not scalars. */
hlo_scalar_program *hlo_planner_scalar(hlo_planner *planner, hlo_computation *computation);
/* One whose outputs are what `count` instructions of the computation compute, each a scalar; NULL
 * when they or what they need are more than elementwise instructions. */
const hlo_scalar_program *hlo_planner_scalar_parts(hlo_planner *planner,
                                                   hlo_computation *computation,
                                                   const hlo_instr *const *parts, uint32_t count);
/* About how many nanoseconds one thread needs for the instruction. */
double hlo_planner_cost(hlo_planner *planner, const hlo_instr *instr);
/* Sets the program's memory and makes plans keep to its limit. All plans have been made. */
void hlo_planner_measure(hlo_planner *planner);
/* Gives frames of all plans their memory, as far as there is enough; see buffers.c. After
 * hlo_planner_measure. */
void hlo_planner_place(hlo_planner *planner);
/* What computes a step; where its result is when the kernel has made it. (print_plan.c) */
const char *hlo_step_kernel(const hlo_plan_step *step);
void hlo_step_put_result(hlo_buf *to, const hlo_plan *plan, const hlo_plan_step *step);
/* Gives buffers, in the order of their first steps, their places, so that no two that serve at once
 * overlap; returns where they end, which is not before `least`. (places.c) */
uint64_t hlo_place_buffers(hlo_plan_buffer *buffers, uint32_t count, uint32_t steps,
                           uint64_t least);
/* As hlo_prepare_error. */
void hlo_planner_error(hlo_planner *planner, hlo_rule rule, const hlo_instr *instr,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Appends the error that an instruction has to `diags`: "'NAME' (OPCODE) TEXT". */
void hlo_report_instr(hlo_diags *diags, hlo_rule rule, const hlo_program *program,
                      const hlo_instr *instr, const char *format, va_list args);

/* The name in kernels.def. (kernels.c) */
const char *hlo_kernel_name(hlo_opcode opcode);
/* The name of what runs the step: "cluster" for a fusion whose instructions run tile by tile.
 * (print_plan.c) */
const char *hlo_step_kernel(const hlo_plan_step *step);
/* What the engine's kernel of the instruction gets as operand i: kernels.def. (kernels.c) */
hlo_instr *hlo_operand_given(const hlo_instr *instr, hlo_engine engine, uint32_t i);
/* The engine's kernel of an opcode; NULL when there is none. (kernels.c) */
const hlo_kernel *hlo_kernel_of(hlo_opcode opcode, hlo_engine engine);

#endif
