/* The inside of a program: plans of computations, their steps, and what is known only while they
 * are made. Included inside src/eval only, by what makes programs and what runs them. */
#ifndef HLO_EVAL_PLAN_H
#define HLO_EVAL_PLAN_H

#include "eval/kernel.h"
#include "eval/program.h"

enum { HLO_PLAN_AHEAD = 16 }; /* steps that may run while an earlier one has not */

/* One instruction of a plan. */
typedef struct hlo_plan_step {
    const hlo_instr *instr;
    const hlo_kernel *kernel; /* NULL: none exists */
    const void *state;        /* the kernel's */
    size_t scratch_bytes, piece_bytes;
    uint32_t overwrites, updates; /* as in hlo_preparation */
    uint32_t operands;            /* index of the first operand's step in hlo_plan.operand_steps */
    uint32_t uses;                /* operand edges to this step, plus one when it is the root */
    uint32_t followers; /* index of the first step that waits for this one, in hlo_plan.followers */
    uint32_t waits_for; /* edges from steps before it: operands and control predecessors */
    uint8_t result;     /* hlo_op_result */
    bool fits;          /* the result's size is known and within the limit */
    bool has_effect;    /* runs when all steps before it have run */
    bool is_heavy;      /* worth a thread of its own: hlo_making_cost */
} hlo_plan_step;

/* How to run one computation: the instructions that matter in an order of execution. Each value is
 * retained once per use, so that an argument with one reference is at its last use. */
struct hlo_plan {
    uint32_t number;                    /* of the program's plans */
    const hlo_computation *computation; /* NULL: one instruction alone */
    uint32_t count, root;
    uint32_t most_operands; /* of a step */
    hlo_plan_step *steps;   /* and one more, where the last one's followers end */
    uint32_t *operand_steps;
    uint32_t *followers; /* NULL: no two heavy steps are independent, the order is as good as any */
};

struct hlo_program {
    hlo_module *module;
    hlo_program_options options;
    hlo_arena arena;
    hlo_plan **plans; /* the entry computation's first */
    uint32_t plan_count, plan_capacity;
    hlo_program_memory memory;
};

/* What is known while a program is made. The arrays are indexed by computation id, and there once
 * some computation was asked for. */
typedef struct hlo_making {
    hlo_program *program;
    hlo_diags *diags;
    hlo_plan **plans;
    hlo_scalar_program **scalars;
    uint8_t *effects; /* whether running it can be seen from outside: see plan.c */
    double *costs;    /* see cost.c */
    uint32_t cost_depth;
} hlo_making;

/* Whether functions of floats are the mathematical library's: the reference engine's are. */
static inline bool hlo_making_plain(const hlo_making *making) {
    const hlo_program_options *options = &making->program->options;
    return options->plain_functions || options->engine == HLO_ENGINE_REFERENCE;
}

/* The plan of a computation, made when it is first asked for; its steps are prepared later. */
hlo_plan *hlo_making_plan(hlo_making *making, hlo_computation *computation);
/* The plan of one instruction, whose operands are the arguments. */
hlo_plan *hlo_making_plan_of_instr(hlo_making *making, const hlo_instr *instr);
/* The scalar program of a computation, made when it is first asked for; NULL when its parameters
 * and result are not scalars. */
hlo_scalar_program *hlo_making_scalar(hlo_making *making, hlo_computation *computation);
/* About how many nanoseconds one thread needs for the instruction. */
double hlo_making_cost(hlo_making *making, const hlo_instr *instr);
/* Sets the program's memory and makes plans keep to its limit. All plans have been made. */
void hlo_making_measure(hlo_making *making);
/* As hlo_prepare_error. */
void hlo_making_error(hlo_making *making, hlo_rule rule, const hlo_instr *instr, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));

/* Appends the error that an instruction has to `diags`: "'NAME' (OPCODE) TEXT". */
void hlo_report_instr(hlo_diags *diags, hlo_rule rule, const hlo_program *program,
                      const hlo_instr *instr, const char *format, va_list args);

/* The engine's kernel of an opcode; NULL when there is none. (kernels.c) */
const hlo_kernel *hlo_kernel_of(hlo_opcode opcode, hlo_engine engine);

#endif
