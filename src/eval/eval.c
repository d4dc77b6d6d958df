/* The runner of the reference evaluator: the state of a run, the kernel table, the check before a
 * run and the calls of computations. Called by hlo-run, passes and the kernels of control flow. */
#include "eval/eval.h"

#include <assert.h>
#include <stdarg.h>
#include <unistd.h>

#include "eval/context.h"
#include "eval/ref/lanes.h"

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
#define HLO_OP(id, text, least, most, arity, checked, shape, parens, class, flags, rule, kernel, \
               ...)                                                                              \
    [HLO_OP_##id] = KERNEL_##kernel,
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

static uint64_t machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

hlo_eval *hlo_eval_new(hlo_module *module, const hlo_eval_options *options, hlo_diags *diags) {
    hlo_eval *eval = hlo_calloc(1, sizeof *eval);
    eval->module = module;
    eval->diags = diags;
    if (options) eval->options = *options;
    if (!eval->options.replicas) eval->options.replicas = 1;
    if (!eval->options.partitions) eval->options.partitions = 1;
    if (!eval->options.max_bytes) eval->options.max_bytes = machine_memory();
    eval->rng_state[0] = eval->options.seed;
    hlo_arena_init(&eval->arena);
    eval->plans = HLO_NEW_ARRAY(&eval->arena, hlo_plan *, module->next_id);
    eval->programs = HLO_NEW_ARRAY(&eval->arena, struct hlo_scalar_program *, module->next_id);
    eval->effects = HLO_NEW_ARRAY(&eval->arena, uint8_t, module->next_id);
    return eval;
}

void hlo_eval_report_to(hlo_eval *eval, hlo_diags *diags) {
    eval->diags = diags;
}

void hlo_eval_free(hlo_eval *eval) {
    if (!eval) return;
    hlo_channels_clear(eval);
    hlo_free(eval->sent);
    hlo_arena_free(&eval->arena);
    hlo_free(eval);
}

hlo_module *hlo_eval_module(hlo_eval *eval) {
    return eval->module;
}

const hlo_eval_options *hlo_eval_get_options(const hlo_eval *eval) {
    return &eval->options;
}

/* ---- errors ---- */

static void report(hlo_eval *eval, hlo_rule rule, const hlo_instr *instr, const char *format,
                   va_list args) {
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    hlo_error(eval->diags, rule, eval->module->source, instr->at, "'%.*s' (%s) %s",
              (int)instr->name->len, instr->name->ptr, hlo_info(instr)->text, text);
}

void hlo_eval_error(hlo_eval *eval, const hlo_instr *instr, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(eval, HLO_RULE_RUN, instr, format, args);
    va_end(args);
}

__attribute__((format(printf, 4, 5))) static void rule_error(hlo_eval *eval, hlo_rule rule,
                                                             const hlo_instr *instr,
                                                             const char *format, ...) {
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

static void check_step(hlo_eval *eval, const hlo_plan_step *step) {
    const hlo_instr *instr = step->instr;
    if (hlo_info(instr)->class == HLO_CLASS_COLLECTIVE && is_for_several_devices(eval)) {
        rule_error(eval, HLO_RULE_UNSUPPORTED, instr,
                   "needs the module's %lld replicas and %lld partitions; this program runs one "
                   "device",
                   (long long)hlo_module_int(eval->module, HLO_ATTR_REPLICA_COUNT),
                   (long long)hlo_module_int(eval->module, HLO_ATTR_NUM_PARTITIONS));
    } else if (hlo_needs_host(instr) && !hlo_has_host(eval, instr)) {
        rule_error(eval, HLO_RULE_UNSUPPORTED, instr, "needs a host: files or a folder for it");
        hlo_hint(eval->diags, "--%.*s names them", (int)strcspn(hlo_info(instr)->text, "-"),
                 hlo_info(instr)->text);
    } else if (!step->kernel) {
        rule_error(eval, HLO_RULE_UNSUPPORTED, instr, "cannot be executed by this program");
    } else if (is_for_other_types(instr)) {
        rule_error(eval, HLO_RULE_UNSUPPORTED, instr, "cannot be executed for elements of type %s",
                   hlo_types[hlo_operand(instr, 0)->shape->type].text);
    } else if (instr->opcode == HLO_OP_CUSTOM_CALL) {
        const char *problem = hlo_custom_call_problem(eval, instr, &eval->diags->arena);
        if (!problem) return;
        rule_error(eval, HLO_RULE_UNSUPPORTED, instr, "%s", problem);
        hlo_hint(eval->diags, "--custom-call-library names a library that has it");
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

/* ---- running ---- */

hlo_value *hlo_eval_argument(hlo_eval *eval, const hlo_instr *instr, int64_t number) {
    hlo_frame *frame = eval->frame;
    if (number < 0 || number >= frame->argument_count || !frame->arguments[number]) {
        hlo_eval_error(eval, instr, "has no argument: the call passes %u", frame->argument_count);
        return NULL;
    }
    hlo_value *argument = frame->arguments[number];
    if (!frame->moving) return hlo_value_retain(argument);
    frame->arguments[number] = NULL;
    return argument;
}

hlo_value *hlo_eval_take_operand(hlo_eval *eval, uint32_t i) {
    hlo_value *operand = eval->frame->operands[i];
    eval->frame->operands[i] = NULL;
    return operand;
}

static void report_missing_memory(hlo_eval *eval, const hlo_instr *instr) {
    const char *shape = hlo_shape_name(&eval->diags->arena, instr->shape);
    int64_t bytes = hlo_shape_bytes(instr->shape);
    if (bytes < 0)
        rule_error(eval, HLO_RULE_LIMIT, instr, "has a result without a representable size, %s",
                   shape);
    else
        rule_error(eval, HLO_RULE_LIMIT, instr, "needs %lld bytes for %s, which are not there",
                   (long long)bytes, shape);
}

/* Runs a kernel while the operands have a second reference: it changes none of them in place. */
static hlo_value *run_observed(hlo_eval *eval, const hlo_instr *instr, hlo_kernel *kernel) {
    uint32_t n = instr->operand_count, errors = eval->diags->errors;
    hlo_value **operands = hlo_malloc(sizeof *operands * ((size_t)n + 1));
    for (uint32_t i = 0; i < n; i++) operands[i] = hlo_value_retain(eval->frame->operands[i]);
    hlo_value *result = kernel(eval, instr, eval->frame->operands);
    if (!result && eval->diags->errors == errors) report_missing_memory(eval, instr);
    if (result && !eval->options.observe(eval->options.observe_context, instr, operands, result)) {
        hlo_value_release(result);
        result = NULL;
    }
    for (uint32_t i = 0; i < n; i++) hlo_value_release(operands[i]);
    hlo_free(operands);
    return result;
}

/* Runs a kernel on the operands of the current frame, each of which then loses one reference. */
static hlo_value *run_kernel(hlo_eval *eval, const hlo_instr *instr, hlo_kernel *kernel,
                             bool has_room) {
    hlo_value **operands = eval->frame->operands, *result = NULL;
    uint32_t errors = eval->diags->errors;
    if (!kernel)
        rule_error(eval, HLO_RULE_UNSUPPORTED, instr, "cannot be executed by this program");
    else if (has_room && eval->options.observe) result = run_observed(eval, instr, kernel);
    else if (has_room) result = kernel(eval, instr, operands);
    if (!result && eval->diags->errors == errors) report_missing_memory(eval, instr);
    for (uint32_t i = 0; i < instr->operand_count; i++) hlo_value_release(operands[i]);
    return result;
}

static hlo_value *run_step(hlo_eval *eval, const hlo_plan *plan, const hlo_plan_step *step) {
    const hlo_instr *instr = step->instr;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        plan->operands[i] = plan->values[plan->operand_steps[step->operands + i]];
    return run_kernel(eval, instr, step->kernel, step->has_room);
}

/* After a failure in step `failed`: the references that later steps would have released. */
static void release_pending(const hlo_plan *plan, uint32_t failed) {
    for (uint32_t k = failed + 1; k < plan->count; k++) {
        const hlo_plan_step *step = &plan->steps[k];
        for (uint32_t i = 0; i < step->instr->operand_count; i++) {
            uint32_t operand = plan->operand_steps[step->operands + i];
            if (operand < failed) hlo_value_release(plan->values[operand]);
        }
    }
    if (plan->root < failed) hlo_value_release(plan->values[plan->root]);
}

static hlo_value *run_plan(hlo_eval *eval, const hlo_plan *plan) {
    for (uint32_t k = 0; k < plan->count; k++) {
        const hlo_plan_step *step = &plan->steps[k];
        hlo_value *value = run_step(eval, plan, step);
        if (!value) {
            release_pending(plan, k);
            return NULL;
        }
        plan->values[k] = value;
        value->refs += (int)step->uses - 1;
        if (!step->uses) {
            value->refs++;
            hlo_value_release(value);
        }
    }
    return plan->values[plan->root];
}

static hlo_value *call(hlo_eval *eval, hlo_computation *computation, hlo_frame *frame) {
    hlo_plan *plan = hlo_plan_of(eval, computation);
    const hlo_instr *root = computation->root;
    if (plan->running) {
        hlo_eval_error(eval, root, "is in a computation that calls itself");
        return NULL;
    }
    if (eval->depth >= HLO_EVAL_MAX_DEPTH) {
        rule_error(eval, HLO_RULE_LIMIT, root,
                   "is in a computation called more than %d levels deep", HLO_EVAL_MAX_DEPTH);
        return NULL;
    }
    frame->caller = eval->frame;
    frame->operands = plan->operands;
    eval->frame = frame;
    eval->depth++;
    plan->running = true;
    hlo_value *result = run_plan(eval, plan);
    plan->running = false;
    eval->depth--;
    eval->frame = frame->caller;
    return result;
}

hlo_value *hlo_eval_call(hlo_eval *eval, hlo_computation *computation, hlo_value *const *args,
                         uint32_t count) {
    hlo_frame frame = {.arguments = (hlo_value **)args, .argument_count = count};
    return call(eval, computation, &frame);
}

hlo_value *hlo_eval_call_moving(hlo_eval *eval, hlo_computation *computation, hlo_value **args,
                                uint32_t count) {
    hlo_frame frame = {.arguments = args, .argument_count = count, .moving = true};
    hlo_value *result = call(eval, computation, &frame);
    for (uint32_t i = 0; i < count; i++) {
        hlo_value_release(args[i]);
        args[i] = NULL;
    }
    return result;
}

hlo_value *hlo_eval_call_on_operands(hlo_eval *eval, hlo_computation *computation, uint32_t first,
                                     uint32_t count) {
    return hlo_eval_call_moving(eval, computation, eval->frame->operands + first, count);
}

hlo_value *hlo_eval_instruction(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    uint32_t count = instr->operand_count;
    hlo_frame frame = {.caller = eval->frame,
                       .operands = hlo_malloc(sizeof *frame.operands * (count + 1))};
    for (uint32_t i = 0; i < count; i++) frame.operands[i] = hlo_value_retain(args[i]);
    eval->frame = &frame;
    hlo_value *result = run_kernel(eval, instr, hlo_kernel_of((hlo_opcode)instr->opcode),
                                   hlo_eval_has_room(eval, instr->shape));
    eval->frame = frame.caller;
    hlo_free(frame.operands);
    return result;
}
