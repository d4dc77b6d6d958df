/* Making programs: plans of all reachable computations, the check of what cannot be executed, and
 * the preparation of every step. */
#include "eval/program/program.h"

#include <stdarg.h>

#include "base/blocks.h"
#include "base/machine.h"
#include "eval/kernel/kernel_device.h"
#include "eval/kernel/scalar.h"
#include "eval/program/code.h"
#include "eval/program/operand_cache.h"
#include "eval/program/plan.h"

/* ---- errors ---- */

void hlo_report_instr(hlo_diags *diags, hlo_rule rule, const hlo_program *program,
                      const hlo_instr *instr, const char *format, va_list args) {
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    const hlo_instr *origin = hlo_program_origin(program, instr);
    hlo_error(diags, rule, origin->parent->module->source, origin->at, "'%.*s' (%s) %s",
              (int)origin->name->len, origin->name->ptr, hlo_info(origin)->text, text);
}

void hlo_planner_error(hlo_planner *planner, hlo_rule rule, const hlo_instr *instr,
                       const char *format, ...) {
    va_list args;
    va_start(args, format);
    hlo_report_instr(planner->diags, rule, planner->program, instr, format, args);
    va_end(args);
}

/* ---- the check ---- */

/* Single instructions, and what is evaluated for a pass, run on one device whatever the module's.
 */
static bool is_for_other_devices(const hlo_program *program) {
    return hlo_module_int(program->module, HLO_ATTR_REPLICA_COUNT) != program->options.replicas ||
           hlo_module_int(program->module, HLO_ATTR_NUM_PARTITIONS) != program->options.partitions;
}

static bool has_host(const hlo_program *program, const hlo_instr *instr) {
    const hlo_program_options *options = &program->options;
    return options->has_host && options->has_host(options->context, instr);
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

static int64_t largest(int64_t a, int64_t b) {
    int64_t magnitude = b < 0 ? -(b + 1) : b;
    return magnitude > a ? magnitude : a;
}

/* Whether some position of the window may overflow, wherever it stands. The verifier, like XLA's,
 * takes what fits in 63 bits in the end. */
static bool reaches_too_far(const hlo_instr *instr, const hlo_window *window) {
    const int64_t most_number = INT64_C(1) << 40, most_place = INT64_C(1) << 60;
    const hlo_shape *operand = hlo_operand(instr, 0)->shape;
    int64_t number = 0, dilation = 1, size = 0;
    for (uint32_t i = 0; i < window->n; i++) {
        const hlo_window_dim *d = &window->v[i];
        number = largest(largest(largest(number, d->size), d->stride), d->pad_low);
        number =
            largest(largest(largest(number, d->pad_high), d->base_dilation), d->window_dilation);
        dilation = largest(dilation, d->base_dilation);
    }
    for (uint32_t i = 0; hlo_shape_is_array(operand) && i < operand->rank; i++)
        size = largest(size, operand->dims[i]);
    return number > most_number || size > most_place / dilation;
}

/* What no kernel can check by itself; false after an error. */
static bool check_step(hlo_planner *planner, const hlo_plan_step *step) {
    const hlo_instr *instr = step->instr;
    const hlo_module *module = planner->program->module;
    if (hlo_info(instr)->class == HLO_CLASS_COLLECTIVE && is_for_other_devices(planner->program)) {
        hlo_planner_error(planner, HLO_RULE_UNSUPPORTED, instr,
                          "needs the module's %lld replicas and %lld partitions",
                          (long long)hlo_module_int(module, HLO_ATTR_REPLICA_COUNT),
                          (long long)hlo_module_int(module, HLO_ATTR_NUM_PARTITIONS));
        return false;
    }
    if (hlo_needs_host(instr) && !has_host(planner->program, instr)) {
        hlo_planner_error(planner, HLO_RULE_UNSUPPORTED, instr,
                          "needs a host: files or a directory for it");
        hlo_advise(planner->diags, host_advice(instr));
        return false;
    }
    if (!step->kernel) {
        hlo_planner_error(planner, HLO_RULE_UNSUPPORTED, instr,
                          "is not supported by the evaluator");
        return false;
    }
    const hlo_attr *window = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    if (window && instr->operand_count && reaches_too_far(instr, window->u.window)) {
        hlo_planner_error(planner, HLO_RULE_UNSUPPORTED, instr,
                          "has a window that is too large for the evaluator");
        return false;
    }
    return true;
}

/* ---- preparation ---- */

/* Bit i: operand i is an array of as many elements of as many bytes as the result. */
static uint32_t like_result(const hlo_instr *instr) {
    const hlo_shape *to = instr->shape;
    uint32_t bits = 0;
    for (uint32_t i = 0; hlo_shape_is_array(to) && i < instr->operand_count && i < 32; i++) {
        const hlo_shape *from = hlo_operand(instr, i)->shape;
        if (hlo_shape_is_array(from) && hlo_types[from->type].bytes == hlo_types[to->type].bytes &&
            hlo_shape_elements(from) == hlo_shape_elements(to))
            bits |= UINT32_C(1) << i;
    }
    return bits;
}

static bool is_beyond_memory(const hlo_shape *shape) {
    if (!hlo_shape_is_array(shape)) return false;
    int64_t bytes = hlo_shape_bytes(shape);
    return bytes < 0 || bytes >= HLO_BEYOND_MEMORY;
}

/* Kernels need not handle arrays that no memory holds: the run is refused for lack of it. */
static bool is_step_beyond_memory(const hlo_instr *instr) {
    bool beyond = is_beyond_memory(instr->shape);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        beyond |= is_beyond_memory(hlo_operand(instr, i)->shape);
    return beyond;
}

static void prepare_step(hlo_planner *planner, hlo_plan_step *step) {
    const hlo_instr *instr = step->instr;
    if (!check_step(planner, step)) return;
    if (is_step_beyond_memory(instr)) {
        if (!planner->beyond_memory) planner->beyond_memory = instr;
        return;
    }
    hlo_preparation p = {.instr = instr, .arena = &planner->program->arena, .planner = planner};
    p.replicas = planner->program->options.replicas;
    p.partitions = planner->program->options.partitions;
    p.assignment = planner->program->options.assignment;
    p.result = hlo_info(instr)->result;
    p.overwrites = like_result(instr);
    p.updates = hlo_shape_is_tuple(instr->shape) ? instr->shape->rank : 1;
    planner->step = step;
    if (step->kernel->prepare && !step->kernel->prepare(&p)) return;
    step->state = p.state;
    step->scratch_bytes = p.scratch_bytes;
    step->piece_bytes = p.piece_bytes;
    step->result = (uint8_t)p.result;
    step->overwrites = p.overwrites;
    step->updates = p.updates;
    step->calls = p.calls;
    step->has_code = p.has_code;
}

/* Goes on after an error, for one message per instruction that cannot be executed. A kernel may
 * keep a plan that is not prepared yet: all of them are there, and none moves. */
static void prepare_plans(hlo_planner *planner) {
    const hlo_program *program = planner->program;
    for (uint32_t n = 0; n < program->plan_count; n++)
        for (uint32_t k = 0; k < program->plans[n]->count; k++)
            prepare_step(planner, &program->plans[n]->steps[k]);
}

/* Most kernels look up their inner parts while they are prepared, as loops do for their code. */
static void prepare_plans_for_isa(hlo_planner *planner) {
    hlo_cleanup leaving;
    hlo_isa before = hlo_isa_enter(planner->program->options.isa, NULL);
    hlo_cleanup_add(&leaving, hlo_isa_leave, &before);
    uint32_t errors = planner->diags->errors;
    prepare_plans(planner);
    bool is_whole = planner->diags->errors == errors && !planner->beyond_memory;
    if (is_whole) hlo_planner_build_code(planner);
    hlo_cleanup_remove(&leaving);
    hlo_isa_leave(&before);
}

bool hlo_prepare_error(hlo_preparation *p, hlo_rule rule, const char *format, ...) {
    va_list args;
    va_start(args, format);
    hlo_report_instr(p->planner->diags, rule, p->planner->program, p->instr, format, args);
    va_end(args);
    return false;
}

const hlo_plan *hlo_prepare_plan(hlo_preparation *p, hlo_computation *computation) {
    p->calls = true;
    return hlo_planner_plan(p->planner, computation);
}

const hlo_scalar_program *hlo_prepare_scalar(hlo_preparation *p, hlo_computation *computation) {
    const hlo_scalar_program *program = hlo_planner_scalar(p->planner, computation);
    p->calls |= program && !hlo_scalar_is_shared(program);
    if (!program)
        hlo_prepare_error(p, HLO_RULE_RUN,
                          "calls '%.*s', whose parameters and result must be scalars",
                          (int)computation->name->len, computation->name->ptr);
    return program;
}

const hlo_scalar_program *hlo_prepare_scalar_parts(hlo_preparation *p, hlo_computation *computation,
                                                   const hlo_instr *const *parts, uint32_t count) {
    return hlo_planner_scalar_parts(p->planner, computation, parts, count);
}

hlo_shapes_table *hlo_prepare_shapes(hlo_preparation *p) {
    return &p->planner->program->module->shapes;
}

hlo_function *hlo_prepare_function(hlo_preparation *p, const hlo_str *target) {
    const hlo_program_options *options = &p->planner->program->options;
    return options->find_function ? options->find_function(options->context, target) : NULL;
}

bool hlo_prepare_one_by_one(hlo_preparation *p) {
    return p->planner->program->options.one_by_one;
}

/* A program of one instruction gets its operands. */
const hlo_instr *hlo_prepare_given(hlo_preparation *p, uint32_t i) {
    const hlo_program *program = p->planner->program;
    bool is_alone = !program->plans[0]->computation && program->plans[0]->steps->instr == p->instr;
    if (is_alone || program->options.one_by_one) return hlo_operand(p->instr, i);
    return hlo_operand_given(p->instr, program->options.engine, i);
}

const hlo_kernel *hlo_prepare_kernel(hlo_preparation *p, const hlo_instr *instr) {
    return hlo_kernel_of((hlo_opcode)instr->opcode, p->planner->program->options.engine);
}

bool hlo_prepare_plain(hlo_preparation *p) {
    return hlo_planner_is_plain(p->planner);
}

struct hlo_assembler *hlo_prepare_code(hlo_preparation *p) {
    const hlo_program_options *options = &p->planner->program->options;
    return options->code && !hlo_planner_is_plain(p->planner) ? p->planner->code : NULL;
}

bool hlo_prepare_stubs(hlo_preparation *p) {
    return p->planner->program->options.stub_custom_calls;
}

void hlo_prepare_advise(hlo_preparation *p, hlo_advice advice) {
    hlo_advise(p->planner->diags, advice);
}

/* ---- making ---- */

/* The program's arena holds plans and states, and lives as long as it; what serves only while it is
 * made is the making's. */
static hlo_planner *start_planner(hlo_module *module, const hlo_program_options *options,
                                  hlo_diags *diags) {
    hlo_program *program = hlo_calloc(1, sizeof *program);
    hlo_planner *planner = hlo_calloc(1, sizeof *planner);
    hlo_arena_init(&program->arena);
    program->module = module;
    if (options) program->options = *options;
    if (!program->options.replicas) program->options.replicas = 1;
    if (!program->options.partitions) program->options.partitions = 1;
    if (!program->options.threads) program->options.threads = 1;
    if (!program->options.max_bytes) program->options.max_bytes = hlo_available_memory("");
    planner->program = program;
    planner->diags = diags;
    if (program->options.code) planner->code = hlo_assembler_new();
    return planner;
}

/* Plans of what the steps of plan 0 call, and so on: the list grows while it is gone through. */
static void plan_called(hlo_planner *planner) {
    const hlo_program *program = planner->program;
    for (uint32_t n = 0; n < program->plan_count; n++) {
        const hlo_plan *plan = program->plans[n];
        for (uint32_t k = 0; k < plan->count; k++) {
            uint32_t called = hlo_called_count(plan->steps[k].instr);
            for (uint32_t c = 0; c < called; c++) {
                hlo_computation *computation = hlo_called(plan->steps[k].instr, c);
                if (computation) hlo_planner_plan(planner, computation);
            }
        }
    }
}

/* Parameters and results are scalars, not tuples of them. */
static bool is_over_scalars(const hlo_computation *c) {
    bool good = c->root != NULL;
    for (uint32_t i = 0; i < c->parameter_count && good; i++)
        good = hlo_shape_is_scalar(c->parameters[i]->shape);
    for (uint32_t i = 0; good && i < hlo_shape_part_count(c->root->shape); i++)
        good = hlo_shape_is_scalar(hlo_shape_part(c->root->shape, i));
    return good;
}

/* The engine's elementwise instructions of a computation over scalars, without the runner. */
static void make_scalars(hlo_planner *planner) {
    const hlo_program *program = planner->program;
    uint32_t count = program->plan_count;
    bool wanted = program->options.calls_scalars && !hlo_planner_is_plain(planner);
    for (uint32_t n = 1; wanted && n < count; n++) {
        hlo_plan *plan = program->plans[n];
        if (!is_over_scalars(plan->computation)) continue;
        const hlo_scalar_program *scalars = hlo_planner_scalar(planner, plan->computation);
        if (scalars && hlo_scalar_is_shared(scalars)) plan->scalars = scalars;
    }
}

/* Makes the elided elements of constants, unless there is no memory for a run anyway. Devices may
 * not do it later, since several run the program at once. */
static void make_constants(const hlo_program *program) {
    if (program->memory.peak > program->options.max_bytes) return;
    for (uint32_t n = 0; n < program->plan_count; n++)
        for (uint32_t k = 0; k < program->plans[n]->count; k++) {
            const hlo_instr *instr = program->plans[n]->steps[k].instr;
            const hlo_attr *value = hlo_instr_attr(instr, HLO_ATTR_VALUE);
            if (instr->opcode == HLO_OP_CONSTANT && value) hlo_literal_make_all(value->u.literal);
        }
}

/* The program, or NULL after errors. */
static hlo_program *end_planner(hlo_planner *planner, uint32_t errors) {
    hlo_program *program = planner->program;
    bool good = planner->diags->errors == errors;
    if (good) make_constants(program);
    if (good) hlo_planner_place_cached(planner);
    if (good) hlo_planner_place_code(planner);
    hlo_assembler_free(planner->code);
    hlo_free(planner->plans);
    hlo_free(planner->scalars);
    hlo_free(planner->effects);
    hlo_free(planner->costs);
    hlo_call_graph_free(&planner->calls);
    hlo_free(planner);
    if (good) return program;
    hlo_program_free(program);
    return NULL;
}

hlo_program *hlo_program_new(hlo_module *module, const hlo_program_options *options,
                             hlo_diags *diags) {
    uint32_t errors = diags->errors;
    hlo_planner *planner = start_planner(module, options, diags);
    hlo_planner_plan(planner, module->entry);
    plan_called(planner);
    make_scalars(planner);
    prepare_plans_for_isa(planner);
    if (diags->errors == errors && planner->beyond_memory) {
        planner->program->memory =
            (hlo_program_memory){.at = planner->beyond_memory, .peak = UINT64_MAX};
    } else if (diags->errors == errors) {
        hlo_planner_measure(planner);
        hlo_planner_place(planner);
    }
    return end_planner(planner, errors);
}

hlo_program *hlo_program_of_instr(hlo_module *module, const hlo_instr *instr,
                                  const hlo_program_options *options, hlo_diags *diags) {
    uint32_t errors = diags->errors;
    hlo_planner *planner = start_planner(module, options, diags);
    hlo_planner_plan_instr(planner, instr);
    plan_called(planner);
    prepare_plans_for_isa(planner);
    if (planner->beyond_memory)
        hlo_planner_error(planner, HLO_RULE_LIMIT, planner->beyond_memory,
                          "has an array that exceeds the address space");
    return end_planner(planner, errors);
}

void hlo_program_free(hlo_program *program) {
    if (!program) return;
    hlo_block_free(program->cached_memory);
    hlo_free(program->plans);
    hlo_arena_free(&program->arena);
    hlo_free(program);
}

/* ---- questions ---- */

const hlo_plan *hlo_program_plan(const hlo_program *program, const hlo_computation *computation) {
    for (uint32_t i = 0; i < program->plan_count; i++)
        if (program->plans[i]->computation == computation) return program->plans[i];
    return NULL;
}

bool hlo_program_needs(const hlo_program *program, const hlo_instr *instr) {
    const hlo_plan *plan = program->plans[0];
    for (uint32_t k = 0; k < plan->count; k++)
        if (plan->steps[k].instr == instr) return true;
    return false;
}

const hlo_instr *hlo_program_origin(const hlo_program *program, const hlo_instr *instr) {
    const hlo_instr *const *origins = program->options.origins;
    return origins && instr->at.hi ? origins[instr->at.lo] : instr;
}

uint64_t hlo_program_max_bytes(const hlo_program *program) {
    return program->options.max_bytes;
}

hlo_program_memory hlo_program_get_memory(const hlo_program *program) {
    return program->memory;
}
