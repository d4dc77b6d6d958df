/* Programs: a module made ready to be run, once; any number of devices, in any threads, then run
 * it. */
#ifndef HLO_EVAL_PROGRAM_PROGRAM_H
#define HLO_EVAL_PROGRAM_PROGRAM_H

#include <hlo/engine.h>

#include "diag/diag.h"
#include "eval/comm/groups.h"
#include "eval/kernel/isa.h"
#include "ir/ir.h"

enum { HLO_EVAL_MAX_DEPTH = 200 }; /* of calls */

/* A function of the program's user, called by the convention of the custom-call. */
typedef void hlo_function(void);

/* Machine code of a program's loops, which its user keeps: memory of the system. */
typedef struct {
    void *memory; /* NULL: none */
    size_t bytes;
} hlo_code;
void hlo_code_free(hlo_code *code); /* no program that was made with it may run any more */

typedef struct {
    uint32_t replicas, partitions;    /* 0 means 1 */
    hlo_device_assignment assignment; /* outlives the program */
    uint32_t threads;                 /* for the pieces of a kernel; 0 means 1 */
    uint64_t max_bytes;    /* of a run, and so of one value; 0: what the machine has available */
    const hlo_instr *root; /* of the entry computation; NULL: its own. No effects then. */
    /* Of a module that was made from another: the instruction there that the one with number
     * `at.lo` of this module comes from, which messages name; at.hi 0: none. NULL: all is as it is.
     */
    const hlo_instr *const *origins;
    const hlo_instr *also;  /* of a called computation: is run even if it has no users; or NULL */
    bool stub_custom_calls; /* unknown targets give zeros */
    bool one_by_one;        /* devices observe each instruction, inside of fusions too */
    hlo_engine engine;
    hlo_isa isa;        /* of its kernels */
    hlo_code *code;     /* where the code of loops goes; NULL: they are interpreted */
    bool handshake;     /* send and recv block until both are there, instead of only send */
    bool calls_scalars; /* hlo_thread_call will often call computations over scalars */
    /* Parameters of called computations that have one value between two calls of
     * hlo_program_forget_steady: what kernels make of them is kept. They outlive the program. */
    const hlo_instr *const *steady;
    uint32_t steady_count;
    bool plain_functions; /* of floats: the mathematical library's, with whatever engine */
    /* Whether devices have a host for an infeed, an outfeed, or a send or receive with
     * is_host_transfer; NULL: they have none. */
    bool (*has_host)(void *context, const hlo_instr *instr);
    /* The user's function for a custom-call target; NULL: the built-in one. */
    hlo_function *(*find_function)(void *context, const hlo_str *target);
    void *context;
} hlo_program_options;

typedef struct hlo_program hlo_program;

/* Makes a program of the module's entry computation; NULL after errors, one for every instruction
 * of a reachable computation that cannot be executed. The module must outlive the program and must
 * not change while it lives. Overwrites the marks and indices of the module's instructions. */
hlo_program *hlo_program_new(hlo_module *module, const hlo_program_options *options,
                             hlo_diags *diags);
/* The same for one instruction, which must not be a parameter: its operands are the arguments. */
hlo_program *hlo_program_of_instr(hlo_module *module, const hlo_instr *instr,
                                  const hlo_program_options *options, hlo_diags *diags);
void hlo_program_free(hlo_program *program); /* NULL is fine; no device may be left */

/* Steady parameters have new values from now on. No run is under way. */
void hlo_program_forget_steady(hlo_program *program);

typedef struct hlo_plan hlo_plan;
/* How to run a computation that the entry computation calls, for hlo_thread_call; or NULL. */
const hlo_plan *hlo_program_plan(const hlo_program *program, const hlo_computation *computation);
/* Whether a run needs the instruction, one of the entry computation. */
bool hlo_program_needs(const hlo_program *program, const hlo_instr *instr);
/* What messages name instead of an instruction of the module: see the options. */
const hlo_instr *hlo_program_origin(const hlo_program *program, const hlo_instr *instr);
uint64_t hlo_program_max_bytes(const hlo_program *program);
/* What a run of the entry computation needs: bytes of arrays that are alive at once, all inputs and
 * the scratch memory of kernels among them. */
typedef struct {
    uint64_t peak, inputs; /* peak UINT64_MAX: `at` has an array beyond any memory */
    uint64_t cached;       /* of the peak: operands that are packed once */
    uint64_t outside;      /* inputs, constants that the run makes, what is kept */
    const hlo_instr *at;   /* where the peak is */
} hlo_program_memory;
hlo_program_memory hlo_program_get_memory(const hlo_program *program);
/* The plans as text: see docs/running.md. */
void hlo_program_print(hlo_buf *to, const hlo_program *program);
/* A copy of its module with the plans in frontend attributes (ir/plan_keys.h); the caller's. */
hlo_module *hlo_program_planned_module(const hlo_program *program);

#endif
