/* Steps as programs: the part of a device is copied, each step becomes a computation of the copy,
 * and an instruction that calls all of them takes the place of the entry computation. Passes can
 * then work on the copy as on any module. */
#include "flow/steps.h"

#include <math.h>

#include "analysis/cost.h"
#include "flow/grouping.h"

/* ---- computations ---- */

typedef struct {
    hlo_module *to;
    hlo_instr **originals; /* the copy's entry, by index of the part's */
    hlo_instr **copies;    /* in the computation that is made, by the same index */
    hlo_computation *into;
} maker;

static void add_parameters(maker *m, const hlo_graph_step *step) {
    for (uint32_t i = 0; i < step->operands.n; i++) {
        uint32_t index = step->operands.v[i]->index;
        m->copies[index] = hlo_parameter_new(m->into, m->originals[index]->shape, "operand", i);
    }
}

static hlo_instr *copy_of(maker *m, const hlo_instr *instr);

/* A constant that is no operand is copied where it is read. */
static hlo_instr *copied_operand(maker *m, const hlo_instr *operand) {
    if (m->copies[operand->index]) return m->copies[operand->index];
    const hlo_instr *constant = hlo_constant_source(operand);
    m->copies[operand->index] = copy_of(m, constant);
    return m->copies[operand->index];
}

static hlo_instr *copy_of(maker *m, const hlo_instr *instr) {
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = copied_operand(m, hlo_operand(instr, i));
    hlo_instr *copy =
        hlo_instr_clone(m->originals[instr->index], m->into, operands, instr->operand_count);
    hlo_instr_remove_attr(copy, HLO_ATTR_SHARDING);
    hlo_free(operands);
    return copy;
}

static hlo_instr *results_of(maker *m, const hlo_graph_step *step) {
    uint32_t n = step->results.n;
    if (n == 0) return m->into->last;
    if (n == 1) return m->copies[step->results.v[0]->index];
    hlo_instr **results = hlo_malloc(n * sizeof *results);
    const hlo_shape **shapes = hlo_malloc(n * sizeof *shapes);
    for (uint32_t i = 0; i < n; i++) {
        results[i] = m->copies[step->results.v[i]->index];
        shapes[i] = results[i]->shape;
    }
    hlo_instr *tuple =
        hlo_instr_new(m->into, HLO_OP_TUPLE, hlo_shape_tuple(&m->to->shapes, shapes, n),
                      hlo_take_fresh_name(m->to, "results"), results, n, NULL, 0);
    hlo_free(results);
    hlo_free(shapes);
    return tuple;
}

static hlo_computation *make_computation(maker *m, const hlo_graph_step *step, uint32_t count) {
    m->into = hlo_computation_new(m->to, hlo_fresh_name(m->to, "step"));
    m->into->execution_thread = m->to->entry->execution_thread;
    memset(m->copies, 0, count * sizeof *m->copies);
    add_parameters(m, step);
    for (uint32_t i = 0; i < step->instrs.n; i++) {
        const hlo_instr *instr = step->instrs.v[i];
        hlo_instr *copy = copy_of(m, instr);
        /* Errors and traces name it as the text does, whose entry computation is removed. */
        hlo_instr_take_name(copy, m->originals[instr->index]->name);
        m->copies[instr->index] = copy;
    }
    m->into->root = results_of(m, step);
    hlo_computation_index_parameters(m->into);
    return m->into;
}

/* ---- the module ---- */

/* What runs is never the entry: it is there for what it calls. */
static hlo_computation *calling(hlo_module *module, const hlo_computations *called) {
    hlo_computation *entry = hlo_computation_new(module, hlo_fresh_name(module, "steps"));
    hlo_str *target = HLO_NEW(&module->arena, hlo_str);
    *target = HLO_STR("Sharding"); /* a marker that computes nothing */
    hlo_attr attrs[] = {
        {.id = HLO_ATTR_CUSTOM_CALL_TARGET, .u.string = target},
        {.id = HLO_ATTR_CALLED_COMPUTATIONS, .u.computations = called},
        {.id = HLO_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT, .u.i = true},
    };
    entry->root =
        hlo_instr_new(entry, HLO_OP_CUSTOM_CALL, hlo_shape_tuple(&module->shapes, NULL, 0),
                      hlo_take_fresh_name(module, "all"), NULL, 0, attrs, 3);
    hlo_computation_index_parameters(entry);
    return entry;
}

static void set_header(hlo_module *module) {
    hlo_program_shape *shape = HLO_NEW(&module->arena, hlo_program_shape);
    shape->parameters = hlo_arena_zero(&module->arena, sizeof *shape->parameters);
    shape->result = module->entry->root->shape;
    hlo_module_set_attr(module, (hlo_attr){.id = HLO_ATTR_IS_DATAFLOW, .u.i = false});
    hlo_module_set_attr(
        module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = shape});
}

static hlo_module *module_of_steps(const hlo_graph *graph, const hlo_module *part, uint32_t first,
                                   uint32_t count) {
    maker m = {.to = hlo_module_clone_to_run(part)};
    hlo_computation *old = m.to->entry;
    uint32_t instrs = old->instr_count, n = 0;
    hlo_number_instructions(part->entry);
    m.originals = hlo_calloc(instrs + 1u, sizeof *m.originals);
    m.copies = hlo_calloc(instrs + 1u, sizeof *m.copies);
    for (hlo_instr *i = old->first; i; i = i->next) m.originals[n++] = i;
    hlo_computations *called =
        hlo_arena_zero(&m.to->arena, sizeof *called + count * sizeof *called->v);
    called->n = count;
    for (uint32_t i = 0; i < count; i++)
        called->v[i] = make_computation(&m, &graph->steps.v[first + i], instrs);
    m.to->entry = calling(m.to, called);
    hlo_computation_remove(old);
    set_header(m.to);
    hlo_free(m.originals);
    hlo_free(m.copies);
    return m.to;
}

/* ---- programs ---- */

/* The trip count of a loop is unknown. */
static double cost_of(const hlo_computation *computation) {
    double sum = 0;
    for (const hlo_instr *i = computation->first; i; i = i->next) {
        double called = i->opcode == HLO_OP_WHILE ? INFINITY : 0;
        for (uint32_t k = 0; k < hlo_called_count(i); k++) {
            const hlo_computation *inside = hlo_called(i, k);
            if (inside) called += cost_of(inside);
        }
        sum += hlo_instr_nanoseconds(i, called);
    }
    return sum;
}

static void find_plans(hlo_steps *steps) {
    const hlo_instr *all = steps->module->entry->root;
    steps->plans = hlo_calloc(steps->count + 1u, sizeof *steps->plans);
    steps->costs = hlo_calloc(steps->count + 1u, sizeof *steps->costs);
    for (uint32_t i = 0; i < steps->count; i++) {
        steps->plans[i] = hlo_program_plan(steps->program, hlo_called(all, i));
        steps->costs[i] = cost_of(hlo_called(all, i));
    }
}

/* The steps of the part: those of its nodes, which are numbered in order. */
static void find_range(hlo_steps *steps, const hlo_graph *graph, uint32_t device) {
    HLO_ASSERT(device < graph->device_count);
    steps->first = device ? graph->step_ends[device - 1] : 0;
    steps->count = graph->step_ends[device] - steps->first;
}

/* Of a step whose computation was given other parameters there are none. */
static uint32_t find_steady(hlo_steps *steps, const hlo_graph *graph) {
    const hlo_instr *all = steps->module->entry->root;
    HLO_LIST(const hlo_instr *) found = {0};
    for (uint32_t i = 0; i < steps->count; i++) {
        const hlo_graph_step *step = &graph->steps.v[steps->first + i];
        const hlo_computation *computation = hlo_called(all, i);
        for (uint32_t k = 0; k < step->operands.n; k++)
            if (step->steady.v[k] && computation->parameter_count == step->operands.n)
                hlo_list_push(&found, computation->parameters[k]);
    }
    steps->steady = found.v;
    return found.n;
}

static hlo_program *make_program(hlo_steps *steps, const hlo_graph *graph,
                                 const hlo_program_options *options, hlo_diags *diags) {
    hlo_program_options own = *options;
    own.calls_scalars = true;
    if (own.code) own.code = &steps->code; /* a program replaces the code that it is given */
    own.steady_count = find_steady(steps, graph);
    own.steady = steps->steady;
    return hlo_program_new(steps->module, &own, diags);
}

/* From now on the module is freed with the steps, also where memory runs out. */
static void take_module(hlo_steps *steps, hlo_module *module) {
    hlo_module_free(steps->module);
    steps->module = module;
    if (module) hlo_cleanup_remove(&module->cleanup);
}

bool hlo_steps_make(hlo_steps *steps, const hlo_graph *graph, const hlo_module *module,
                    uint32_t device, hlo_steps_optimiser *optimise,
                    const hlo_program_options *options, const hlo_device_options *device_options,
                    hlo_diags *diags) {
    find_range(steps, graph, device);
    take_module(steps, module_of_steps(graph, module, steps->first, steps->count));
    if (optimise && !optimise(steps->module)) {
        take_module(steps, NULL);
        take_module(steps, module_of_steps(graph, module, steps->first, steps->count));
    }
    steps->program = make_program(steps, graph, options, diags);
    if (!steps->program) return false;
    find_plans(steps);
    steps->device = hlo_device_new(steps->program, device_options);
    return hlo_device_open_swap(steps->device, diags);
}

void hlo_steps_abandon(hlo_steps *steps) {
    if (steps->device) hlo_device_abandon(steps->device);
    hlo_code_free(&steps->code);
    take_module(steps, NULL);
}

void hlo_steps_free(hlo_steps *steps) {
    hlo_device_free(steps->device);
    hlo_program_free(steps->program);
    hlo_code_free(&steps->code);
    take_module(steps, NULL);
    hlo_free(steps->plans);
    hlo_free(steps->costs);
    hlo_free(steps->steady);
    *steps = (hlo_steps){0};
}
