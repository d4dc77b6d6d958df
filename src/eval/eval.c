/* The reference evaluator: the state of a run, the kernel table, errors and the check before a run.
 * runner.c runs computations. Called by hlo-run, passes and the kernels. */
#include "eval/eval.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "eval/context.h"
#include "eval/ref/lanes.h"
#include "eval/scalar.h"

/* ---- kernels ---- */

/* kernels.def numbers the names of kernels, so that the table of opcodes finds their functions. */
enum {
#define HLO_KERNEL(name) KERNEL_##name,
#define HLO_NO_KERNEL(name) KERNEL_##name,
#include "eval/kernels.def"
#undef HLO_KERNEL
#undef HLO_NO_KERNEL
    KERNEL_COUNT
};

static hlo_kernel *const kernels[KERNEL_COUNT] = {
#define HLO_KERNEL(name) [KERNEL_##name] = hlo_eval_##name,
#define HLO_NO_KERNEL(name) [KERNEL_##name] = NULL,
#include "eval/kernels.def"
#undef HLO_KERNEL
#undef HLO_NO_KERNEL
};

static const uint8_t kernel_numbers[HLO_OP_COUNT] = {
#define HLO_OP(id, text, rule, kernel, ...) [HLO_OP_##id] = KERNEL_##kernel,
#include "ir/ops.def"
#undef HLO_OP
};
static_assert(KERNEL_COUNT <= 256, "a kernel's number fits a byte");

hlo_kernel *hlo_kernel_of(hlo_opcode opcode) {
    return kernels[kernel_numbers[opcode]];
}

bool hlo_eval_can_run(hlo_opcode opcode) {
    return hlo_kernel_of(opcode) != NULL;
}

/* ---- the state of a run ---- */

/* What Linux says is available; where it does not, all there is. */
static uint64_t machine_memory(void) {
    FILE *info = fopen("/proc/meminfo", "re");
    char line[128];
    unsigned long long available = 0;
    while (info && !available && fgets(line, sizeof line, info))
        if (sscanf(line, "MemAvailable: %llu kB", &available) != 1) available = 0;
    if (info) fclose(info);
    if (available) return (uint64_t)available * 1024;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

static hlo_eval_shared *new_shared(uint32_t computations) {
    hlo_eval_shared *shared = hlo_calloc(1, sizeof *shared);
    pthread_mutexattr_t nested;
    pthread_mutexattr_init(&nested);
    pthread_mutexattr_settype(&nested, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&shared->lock, &nested);
    pthread_mutexattr_destroy(&nested);
    hlo_arena *arena = &shared->arena;
    hlo_arena_init(arena);
    shared->computations = computations;
    shared->plans = HLO_NEW_ARRAY(arena, _Atomic(hlo_plan *), computations);
    shared->programs = HLO_NEW_ARRAY(arena, _Atomic(struct hlo_scalar_program *), computations);
    shared->effects = HLO_NEW_ARRAY(arena, uint8_t, computations);
    shared->costs = HLO_NEW_ARRAY(arena, double, computations);
    return shared;
}

hlo_eval *hlo_eval_new(hlo_module *module, const hlo_eval_options *options, hlo_diags *diags) {
    hlo_eval *eval = hlo_calloc(1, sizeof *eval);
    eval->module = module;
    eval->diags = diags;
    if (options) eval->options = *options;
    if (!eval->options.replicas) eval->options.replicas = 1;
    if (!eval->options.partitions) eval->options.partitions = 1;
    if (!eval->options.max_bytes) eval->options.max_bytes = machine_memory();
    eval->shared = new_shared(module->next_id);
    eval->shared->rng_state[0] = eval->options.seed;
    return eval;
}

void hlo_eval_report_to(hlo_eval *eval, hlo_diags *diags) {
    eval->diags = diags;
}

void hlo_eval_free(hlo_eval *eval) {
    if (!eval) return;
    hlo_eval_shared *shared = eval->shared;
    hlo_channels_clear(eval);
    hlo_free(shared->sent);
    for (uint32_t id = 0; id < shared->computations; id++) {
        hlo_plan *plan = shared->plans[id];
        if (plan) hlo_free(plan->room);
        hlo_scalar_free(shared->programs[id]);
    }
    pthread_mutex_destroy(&shared->lock);
    hlo_arena_free(&shared->arena);
    hlo_free(shared);
    hlo_free(eval);
}

hlo_module *hlo_eval_module(hlo_eval *eval) {
    return eval->module;
}

const hlo_eval_options *hlo_eval_get_options(const hlo_eval *eval) {
    return &eval->options;
}

void hlo_eval_lock_module(hlo_eval *eval) {
    hlo_eval_lock(eval);
}

void hlo_eval_unlock_module(hlo_eval *eval) {
    hlo_eval_unlock(eval);
}

/* ---- errors ---- */

static void report(hlo_eval *eval, hlo_rule rule, const hlo_instr *instr, const char *format,
                   va_list args) {
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    hlo_eval_lock(eval); /* the source counts who points to it */
    hlo_error(eval->diags, rule, eval->module->source, instr->at, "'%.*s' (%s) %s",
              (int)instr->name->len, instr->name->ptr, hlo_info(instr)->text, text);
    hlo_eval_unlock(eval);
}

void hlo_eval_error(hlo_eval *eval, const hlo_instr *instr, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(eval, HLO_RULE_RUN, instr, format, args);
    va_end(args);
}

void hlo_eval_rule_error(hlo_eval *eval, hlo_rule rule, const hlo_instr *instr, const char *format,
                         ...) {
    va_list args;
    va_start(args, format);
    report(eval, rule, instr, format, args);
    va_end(args);
}

/* ---- the check before a run ---- */

/* Elementwise kernels work for the element types that have a lane function. */
static bool is_for_other_types(const hlo_instr *instr) {
    hlo_lanes lanes;
    return (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) && instr->opcode != HLO_OP_COPY &&
           instr->opcode != HLO_OP_BITCAST_CONVERT && !hlo_lanes_find(instr, &lanes);
}

static bool is_for_several_devices(const hlo_eval *eval) {
    return hlo_module_int(eval->module, HLO_ATTR_REPLICA_COUNT) != 1 ||
           hlo_module_int(eval->module, HLO_ATTR_NUM_PARTITIONS) != 1;
}

/* Of an instruction that needs a host. */
static hlo_advice host_advice(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_INFEED: return HLO_ADVICE_INFEED;
    case HLO_OP_OUTFEED: return HLO_ADVICE_OUTFEED;
    case HLO_OP_RECV:
    case HLO_OP_RECV_DONE: return HLO_ADVICE_RECV;
    default: return HLO_ADVICE_SEND;
    }
}

static void check_step(hlo_eval *eval, const hlo_plan_step *step) {
    const hlo_instr *instr = step->instr;
    hlo_rule rule;
    const char *undefined = hlo_eval_problem(instr, &rule, &eval->diags->arena);
    if (undefined) {
        hlo_eval_rule_error(eval, rule, instr, "%s", undefined);
    } else if (hlo_info(instr)->class == HLO_CLASS_COLLECTIVE && is_for_several_devices(eval)) {
        hlo_eval_rule_error(
            eval, HLO_RULE_UNSUPPORTED, instr,
            "needs the module's %lld replicas and %lld partitions; this program runs one "
            "device",
            (long long)hlo_module_int(eval->module, HLO_ATTR_REPLICA_COUNT),
            (long long)hlo_module_int(eval->module, HLO_ATTR_NUM_PARTITIONS));
    } else if (hlo_needs_host(instr) && !hlo_has_host(eval, instr)) {
        hlo_eval_rule_error(eval, HLO_RULE_UNSUPPORTED, instr,
                            "needs a host: files or a folder for it");
        hlo_advise(eval->diags, host_advice(instr));
    } else if (!step->kernel) {
        hlo_eval_rule_error(eval, HLO_RULE_UNSUPPORTED, instr,
                            "cannot be executed by this program");
    } else if (is_for_other_types(instr)) {
        hlo_eval_rule_error(eval, HLO_RULE_UNSUPPORTED, instr,
                            "cannot be executed for elements of type %s",
                            hlo_types[hlo_operand(instr, 0)->shape->type].text);
    } else if (instr->opcode == HLO_OP_CUSTOM_CALL) {
        const char *problem = hlo_custom_call_problem(eval, instr, &eval->diags->arena);
        if (!problem) return;
        hlo_eval_rule_error(eval, HLO_RULE_UNSUPPORTED, instr, "%s", problem);
        hlo_advise(eval->diags, HLO_ADVICE_LIBRARIES);
    }
}

/* The computations that steps of the plan call and that are not yet in the list. */
static void list_called(const hlo_plan *plan, hlo_computation **list, uint32_t *count,
                        bool *is_listed) {
    for (uint32_t k = 0; k < plan->count; k++) {
        const hlo_instr *instr = plan->steps[k].instr;
        uint32_t called = hlo_called_count(instr);
        for (uint32_t c = 0; c < called; c++) {
            hlo_computation *computation = hlo_called(instr, c);
            if (!computation || is_listed[computation->id]) continue;
            is_listed[computation->id] = true;
            list[(*count)++] = computation;
        }
    }
}

bool hlo_eval_needs(hlo_eval *eval, const hlo_instr *instr) {
    const hlo_plan *plan = hlo_plan_of(eval, eval->module->entry);
    for (uint32_t k = 0; k < plan->count; k++)
        if (plan->steps[k].instr == instr) return true;
    return false;
}

bool hlo_eval_check(hlo_eval *eval) {
    uint32_t before = eval->diags->errors, count = 0;
    hlo_computation **list = hlo_malloc(sizeof *list * eval->module->next_id);
    bool *is_listed = hlo_calloc(eval->module->next_id, sizeof *is_listed);
    list[count++] = eval->module->entry;
    is_listed[eval->module->entry->id] = true;
    for (uint32_t at = 0; at < count; at++) {
        const hlo_plan *plan = hlo_plan_of(eval, list[at]);
        for (uint32_t k = 0; k < plan->count; k++) check_step(eval, &plan->steps[k]);
        list_called(plan, list, &count, is_listed);
    }
    hlo_free(list);
    hlo_free(is_listed);
    return eval->diags->errors == before;
}
