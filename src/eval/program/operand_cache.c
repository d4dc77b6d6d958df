/* What kernels keep of operands that stay the same, such as packed weights: which operands do, and
 * memory for it. operand_cache_run.c is what a run does. */
#include "eval/program/operand_cache.h"

#include "analysis/iteration_count.h"
#include "base/blocks.h"

/* ---- which operands stay the same ---- */

/* Whether the value depends on that of operand 0 alone. */
static bool is_another_form(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_CONVERT:
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
    case HLO_OP_TRANSPOSE: return true;
    default: return false;
    }
}

/* The only instruction that calls the computation; NULL: there is none, or another. */
static const hlo_instr *only_caller(hlo_planner *planner, const hlo_computation *computation) {
    hlo_call_graph *graph = &planner->calls;
    if (!graph->order) hlo_call_graph_init(graph, planner->program->module);
    return graph->call_count[computation->id] == 1 ? graph->caller[computation->id] : NULL;
}

/* The operand of the caller that parameter number `number` of `called` is; NULL: the caller does
 * not determine it. */
static const hlo_instr *operand_for(const hlo_instr *caller, const hlo_computation *called,
                                    int64_t number) {
    switch (caller->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_FUSION: break;
    case HLO_OP_CONDITIONAL:
        for (number = 1; hlo_called(caller, (uint32_t)number - 1) != called;) number++;
        break;
    default: return NULL;
    }
    return number < caller->operand_count ? hlo_operand(caller, (uint32_t)number) : NULL;
}

/* What an element of a parameter is, or a whole one, where its computation is called. */
static const hlo_instr *argument_for(const hlo_instr *caller, const hlo_instr *instr) {
    bool is_element = instr->opcode == HLO_OP_GET_TUPLE_ELEMENT;
    const hlo_instr *parameter = is_element ? hlo_operand(instr, 0) : instr;
    const hlo_instr *argument =
        operand_for(caller, instr->parent, hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER));
    if (!argument || !is_element) return argument;
    int64_t index = hlo_attr_int(instr, HLO_ATTR_INDEX);
    bool is_there = argument->opcode == HLO_OP_TUPLE && index < argument->operand_count;
    return is_there ? hlo_operand(argument, (uint32_t)index) : NULL;
}

static bool is_steady(const hlo_planner *planner, const hlo_instr *instr) {
    const hlo_program_options *options = &planner->program->options;
    for (uint32_t i = 0; i < options->steady_count; i++)
        if (options->steady[i] == instr) return true;
    return false;
}

/* Whether the value is a constant or steady, *loop is NULL then, or passed on by loops, of which
 * *loop is the outermost. Computations on the way have one caller each, so that a loop's iterations
 * see one value, one after the other; those that call themselves have no end of ways. */
static bool stays(hlo_planner *planner, const hlo_instr *instr, hlo_cached *cached) {
    const hlo_instr **loop = &cached->loop;
    *loop = NULL;
    for (uint32_t depth = 0; instr; depth++) {
        if (depth > HLO_EVAL_MAX_DEPTH) return false;
        while (is_another_form(instr)) instr = hlo_operand(instr, 0);
        cached->is_steady = is_steady(planner, instr);
        if (cached->is_steady || instr->opcode == HLO_OP_CONSTANT) {
            *loop = NULL;
            return true;
        }
        int64_t element = hlo_state_element(instr);
        const hlo_instr *caller = only_caller(planner, instr->parent);
        if (element == HLO_NOT_STATE || !caller) break;
        if (caller->opcode != HLO_OP_WHILE) {
            instr = argument_for(caller, instr);
            continue;
        }
        if (!hlo_state_is_invariant(caller, element)) break;
        *loop = caller;
        instr = hlo_state_start(caller, element);
    }
    return *loop;
}

/* A program of one instruction is run on other operands each time. */
hlo_cached *hlo_prepare_cached(hlo_preparation *p, uint32_t i, size_t bytes) {
    hlo_program *program = p->planner->program;
    const hlo_instr *operand = hlo_prepare_given(p, i);
    if (!program->plans[0]->computation || operand->shape->dynamic || !bytes) return NULL;
    hlo_cached *cached = HLO_NEW(p->arena, hlo_cached);
    if (!stays(p->planner, operand, cached)) return NULL;
    cached->step = p->planner->step;
    cached->instr = p->instr;
    cached->operand = i;
    cached->bytes = (bytes + 63) / 64 * 64;
    cached->next = program->cached;
    program->cached = cached;
    return cached;
}

/* ---- memory ---- */

static hlo_plan_step *step_of(hlo_planner *planner, const hlo_instr *instr) {
    hlo_plan_step *step = hlo_planner_plan(planner, instr->parent)->steps;
    while (step->instr != instr) step++;
    return step;
}

/* Of a fusion either the cluster runs, with a product inside, or the steps of its plan. */
static bool is_run(hlo_planner *planner, const hlo_cached *cached) {
    const hlo_plan_step *step = cached->step;
    if (cached->instr != step->instr) return step->result != (uint8_t)HLO_RESULT_CALL;
    const hlo_instr *caller = only_caller(planner, cached->instr->parent);
    if (!caller || caller->opcode != HLO_OP_FUSION) return true;
    return step_of(planner, caller)->result == (uint8_t)HLO_RESULT_CALL;
}

static void place_for_loop(hlo_planner *planner, hlo_cached *cached) {
    hlo_program *program = planner->program;
    hlo_plan_step *loop = step_of(planner, cached->loop);
    cached->at = program->loop_cached_bytes;
    cached->number = program->loop_cached_count++;
    cached->next_of_loop = loop->loop_cached;
    loop->loop_cached = cached;
    program->loop_cached_bytes += cached->bytes;
}

uint64_t hlo_planner_cache(hlo_planner *planner, uint64_t peak) {
    hlo_program *program = planner->program;
    uint64_t limit = program->options.max_bytes, left = peak < limit ? limit - peak : 0, all = left;
    for (hlo_cached *cached = program->cached; cached; cached = cached->next) {
        if (cached->bytes > left || !is_run(planner, cached)) {
            cached->bytes = 0;
            continue;
        }
        left -= cached->bytes;
        if (cached->loop) place_for_loop(planner, cached);
        else {
            cached->at = program->cached_bytes;
            program->cached_bytes += cached->bytes;
        }
    }
    return all - left;
}

uint64_t hlo_planner_drop_cached(hlo_planner *planner) {
    hlo_program *program = planner->program;
    uint64_t saved = program->cached_bytes + program->loop_cached_bytes;
    for (hlo_cached *cached = program->cached; cached; cached = cached->next) cached->bytes = 0;
    program->memory.peak -= saved;
    program->memory.outside -= saved;
    program->cached_bytes = program->loop_cached_bytes = program->memory.cached = 0;
    return saved;
}

void hlo_program_forget_steady(hlo_program *program) {
    for (hlo_cached *cached = program->cached; cached; cached = cached->next)
        if (cached->is_steady) atomic_store(&cached->state, HLO_CACHED_EMPTY);
}

/* Pages that are never written take no memory. */
void hlo_planner_place_cached(hlo_planner *planner) {
    hlo_program *program = planner->program;
    if (program->cached_bytes) program->cached_memory = hlo_block_new(program->cached_bytes);
}
