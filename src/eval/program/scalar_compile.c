/* Making scalar programs for computations that are applied to every element (of reduce, map, sort
 * and others): calls and fusions are inlined, tuples become lists of registers, and each
 * elementwise instruction becomes a step.
 *
 * Clusters have a compiler too (cluster_compile.c). The two share hlo_lanes_find, which chooses
 * what a step does, and little could be shared besides: here an instruction is a scalar, its lanes
 * are calls, and each has one step; there it is an array, its lanes are elements, and it has a step
 * for each view of it, by rows, columns and tiles. This one walks plans and inlines calls; that one
 * starts at the results and refuses calls. */
#include "eval/kernel/scalar.h"
#include "eval/kernels/scalar/scalar_program.h"
#include "eval/program/plan.h"

/* Inlining could multiply a body without bound; above these the runner calls it lane by lane. */
enum { MAX_STEPS = 1024, MAX_VISITS = 64 * MAX_STEPS };

/* The registers of one instruction's result: one per leaf of its shape. */
typedef struct {
    uint32_t count;
    uint32_t *registers;
} leaves;

typedef struct {
    hlo_planner *planner;
    const hlo_scalar_program *program;
    hlo_scalar_step *steps; /* MAX_STEPS */
    uint32_t step_count;
    uint32_t visits;        /* instructions looked at, inlined ones every time */
    hlo_type *types;        /* of the registers; 2 * MAX_STEPS */
    const void **constants; /* of the registers: the element, or NULL */
    uint32_t register_count;
    hlo_arena scratch;
} compiler;

static bool inline_computation(compiler *c, hlo_computation *computation, const leaves *arguments,
                               uint32_t argument_count, uint32_t depth, leaves *result);

static leaves new_leaves(compiler *c, uint32_t count) {
    return (leaves){count, HLO_NEW_ARRAY(&c->scratch, uint32_t, count)};
}

static bool new_register(compiler *c, hlo_type type, const void *constant, uint32_t *out) {
    if (c->register_count == 2 * MAX_STEPS) return false;
    c->types[c->register_count] = type;
    c->constants[c->register_count] = constant;
    *out = c->register_count++;
    return true;
}

static bool compile_constant(compiler *c, const hlo_instr *instr, leaves *result) {
    const hlo_attr *value = hlo_instr_attr(instr, HLO_ATTR_VALUE);
    if (!value || !hlo_shape_is_scalar(instr->shape)) return false;
    *result = new_leaves(c, 1);
    return new_register(c, (hlo_type)instr->shape->type, hlo_literal_data(value->u.literal),
                        result->registers);
}

static bool compile_elementwise(compiler *c, const hlo_instr *instr, const leaves *operands,
                                leaves *result) {
    hlo_scalar_step *step = &c->steps[c->step_count];
    if (c->step_count == MAX_STEPS || !hlo_shape_is_scalar(instr->shape) ||
        !hlo_lanes_find(instr, hlo_planner_is_plain(c->planner), &step->lanes))
        return false;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        if (operands[i].count != 1) return false;
        step->in[i] = operands[i].registers[0];
    }
    *result = new_leaves(c, 1);
    if (!new_register(c, (hlo_type)instr->shape->type, NULL, result->registers)) return false;
    step->out = result->registers[0];
    c->step_count++;
    return true;
}

/* A tuple has no step, only the registers of its elements. */
static bool compile_tuple(compiler *c, const leaves *operands, uint32_t count, leaves *result) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) total += operands[i].count;
    *result = new_leaves(c, total);
    for (uint32_t i = 0, at = 0; i < count; at += operands[i++].count)
        if (operands[i].count)
            memcpy(result->registers + at, operands[i].registers, operands[i].count * sizeof at);
    return true;
}

/* No copy: an element of a tuple is a part of its list of registers. */
static bool compile_element(const hlo_instr *instr, const leaves *tuple, leaves *result) {
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    int64_t index = hlo_attr_int(instr, HLO_ATTR_INDEX);
    if (!hlo_shape_is_tuple(shape) || index < 0 || index >= shape->rank ||
        tuple->count != hlo_shape_leaf_count(shape))
        return false;
    uint32_t first = hlo_shape_leaves_before(shape, index);
    *result = (leaves){hlo_shape_leaf_count(shape->elements[index]), tuple->registers + first};
    return true;
}

/* Instructions that between scalars of one type change nothing. */
static bool is_identity(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_RESHAPE:
    case HLO_OP_BROADCAST:
    case HLO_OP_COPY: return hlo_shape_compatible(instr->shape, hlo_operand(instr, 0)->shape);
    case HLO_OP_OPT_BARRIER: return true;
    default: return false;
    }
}

static hlo_computation *inlined_body(const hlo_instr *instr) {
    bool is_call = instr->opcode == HLO_OP_CALL || instr->opcode == HLO_OP_FUSION ||
                   (instr->opcode == HLO_OP_MAP && hlo_shape_is_scalar(instr->shape));
    return is_call ? hlo_called(instr, 0) : NULL;
}

static bool compile_step(compiler *c, const hlo_instr *instr, const leaves *arguments,
                         uint32_t argument_count, const leaves *operands, uint32_t depth,
                         leaves *result) {
    if (++c->visits > MAX_VISITS) return false;
    hlo_computation *body = inlined_body(instr);
    if (body) return inline_computation(c, body, operands, instr->operand_count, depth + 1, result);
    if (is_identity(instr)) {
        *result = operands[0];
        return true;
    }
    switch (instr->opcode) {
    case HLO_OP_PARAMETER: {
        int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
        if (number < 0 || number >= argument_count) return false;
        *result = arguments[number];
        return true;
    }
    case HLO_OP_CONSTANT: return compile_constant(c, instr, result);
    case HLO_OP_TUPLE: return compile_tuple(c, operands, instr->operand_count, result);
    case HLO_OP_GET_TUPLE_ELEMENT: return compile_element(instr, &operands[0], result);
    default: return compile_elementwise(c, instr, operands, result);
    }
}

/* Step k of a plan, whose operands have their values. */
static bool compile_plan_step(compiler *c, const hlo_plan *plan, uint32_t k,
                              const leaves *arguments, uint32_t argument_count, leaves *values,
                              uint32_t depth) {
    HLO_ASSERT(k < plan->count);
    const hlo_plan_step *step = &plan->steps[k];
    uint32_t count = step->instr->operand_count;
    leaves *operands = HLO_NEW_ARRAY(&c->scratch, leaves, count);
    for (uint32_t i = 0; i < count; i++)
        operands[i] = values[plan->operand_steps[step->operands + i]];
    return compile_step(c, step->instr, arguments, argument_count, operands, depth, &values[k]);
}

static bool inline_computation(compiler *c, hlo_computation *computation, const leaves *arguments,
                               uint32_t argument_count, uint32_t depth, leaves *result) {
    if (depth > HLO_EVAL_MAX_DEPTH) return false;
    const hlo_plan *plan = hlo_planner_plan(c->planner, computation);
    leaves *values = HLO_NEW_ARRAY(&c->scratch, leaves, plan->count);
    for (uint32_t k = 0; k < plan->count; k++)
        if (!compile_plan_step(c, plan, k, arguments, argument_count, values, depth)) return false;
    *result = values[plan->root];
    return true;
}

/* Which steps of the plan the instructions need. */
static bool *mark_needed(compiler *c, const hlo_plan *plan, const hlo_instr *const *parts,
                         uint32_t count) {
    bool *needed = HLO_NEW_ARRAY(&c->scratch, bool, plan->count);
    for (uint32_t k = plan->count; k-- > 0;) {
        const hlo_plan_step *step = &plan->steps[k];
        for (uint32_t i = 0; i < count; i++) needed[k] |= step->instr == parts[i];
        for (uint32_t i = 0; i < step->instr->operand_count && needed[k]; i++)
            needed[plan->operand_steps[step->operands + i]] = true;
    }
    return needed;
}

/* What some instructions of the computation compute, one leaf each. */
static bool compile_parts(compiler *c, hlo_computation *computation, const leaves *arguments,
                          const hlo_instr *const *parts, uint32_t count, leaves *result) {
    const hlo_plan *plan = hlo_planner_plan(c->planner, computation);
    leaves *values = HLO_NEW_ARRAY(&c->scratch, leaves, plan->count);
    const bool *needed = mark_needed(c, plan, parts, count);
    *result = new_leaves(c, count);
    for (uint32_t k = 0; k < plan->count; k++) {
        if (!needed[k]) continue;
        if (!compile_plan_step(c, plan, k, arguments, computation->parameter_count, values, 0))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (plan->steps[k].instr == parts[i]) result->registers[i] = values[k].registers[0];
    }
    return true;
}

/* The parameters as registers 0, 1, 2 ...; NULL when there are too many. */
static const leaves *compile_parameters(compiler *c, const hlo_computation *computation) {
    uint32_t count = computation->parameter_count;
    leaves *arguments = HLO_NEW_ARRAY(&c->scratch, leaves, count);
    const hlo_scalar_program *program = c->program;
    for (uint32_t p = 0; p < count; p++) {
        arguments[p] = new_leaves(c, hlo_shape_leaf_count(computation->parameters[p]->shape));
        for (uint32_t i = 0; i < arguments[p].count; i++)
            if (!new_register(c, program->input_types[c->register_count], NULL,
                              &arguments[p].registers[i]))
                return NULL;
    }
    return arguments;
}

/* The whole computation (`parts` NULL), or what `count` of its instructions compute. */
static bool compile_body(compiler *c, hlo_computation *computation, const hlo_instr *const *parts,
                         uint32_t count, leaves *result) {
    const leaves *arguments = compile_parameters(c, computation);
    if (!arguments) return false;
    if (parts) return compile_parts(c, computation, arguments, parts, count, result);
    return inline_computation(c, computation, arguments, computation->parameter_count, 0, result);
}

/* Outputs that are inputs are copied by a step when there are several: an output's array may be the
 * array of another input, which must not be overwritten before it was read. */
static bool separate_outputs(compiler *c, uint32_t input_count, leaves *outputs) {
    if (outputs->count < 2) return true;
    for (uint32_t i = 0; i < outputs->count; i++) {
        uint32_t source = outputs->registers[i];
        if (source >= input_count) continue;
        if (c->step_count == MAX_STEPS) return false;
        hlo_scalar_step *step = &c->steps[c->step_count++];
        hlo_type type = c->types[source];
        step->lanes = hlo_lanes_of_convert(type, type);
        step->in[0] = source;
        if (!new_register(c, type, NULL, &step->out)) return false;
        outputs->registers[i] = step->out;
    }
    return true;
}

static void fill_constant(char *block, const void *element, hlo_type type) {
    size_t bytes = hlo_types[type].bytes;
    for (size_t k = 0; k < HLO_LANES_BLOCK; k++) memcpy(block + k * bytes, element, bytes);
}

/* Moves what was compiled into the program's own memory. */
static void finish_program(compiler *c, hlo_scalar_program *program, const leaves *outputs) {
    hlo_arena *arena = &c->planner->program->arena;
    program->steps = hlo_arena_alloc(arena, sizeof *c->steps * (c->step_count + 1));
    memcpy(program->steps, c->steps, sizeof *c->steps * c->step_count);
    program->step_count = c->step_count;
    program->register_count = c->register_count;
    program->types = hlo_arena_copy(arena, c->types, sizeof *c->types * c->register_count);
    program->constants = HLO_NEW_ARRAY(arena, char *, c->register_count);
    for (uint32_t r = 0; r < c->register_count; r++) {
        size_t bytes = (size_t)HLO_LANES_BLOCK * hlo_types[c->types[r]].bytes;
        if (!c->constants[r]) program->register_bytes += bytes;
        if (!c->constants[r]) continue;
        program->constants[r] = hlo_arena_aligned(arena, bytes, 64);
        fill_constant(program->constants[r], c->constants[r], c->types[r]);
    }
    program->output_registers =
        hlo_arena_copy(arena, outputs->registers, sizeof(uint32_t) * outputs->count);
    const hlo_scalar_step *last = c->step_count ? &program->steps[c->step_count - 1] : NULL;
    program->writes_directly = last && outputs->count == 1 && outputs->registers[0] == last->out;
}

/* A body that the machine cannot run keeps `steps` NULL, and is called lane by lane. */
static void compile(hlo_planner *planner, hlo_scalar_program *program, hlo_computation *computation,
                    const hlo_instr *const *parts, uint32_t count) {
    compiler c = {.planner = planner, .program = program};
    hlo_arena_init(&c.scratch);
    c.steps = HLO_NEW_ARRAY(&c.scratch, hlo_scalar_step, MAX_STEPS);
    c.types = HLO_NEW_ARRAY(&c.scratch, hlo_type, 2 * MAX_STEPS);
    c.constants = HLO_NEW_ARRAY(&c.scratch, const void *, 2 * MAX_STEPS);
    leaves outputs;
    if (compile_body(&c, computation, parts, count, &outputs) &&
        separate_outputs(&c, program->input_count, &outputs))
        finish_program(&c, program, &outputs);
    hlo_arena_free(&c.scratch);
}

/* Appends the element types of a shape's leaves; false when one is not a scalar. */
static bool list_types(const hlo_shape *shape, hlo_type *types, uint32_t *count) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t e = 0; e < shape->rank; e++)
            if (!list_types(shape->elements[e], types, count)) return false;
        return true;
    }
    types[(*count)++] = (hlo_type)shape->type;
    return hlo_shape_is_scalar(shape);
}

/* Without outputs; NULL when a leaf of a parameter is not a scalar. */
static hlo_scalar_program *new_program(hlo_planner *planner, hlo_computation *computation) {
    hlo_arena *arena = &planner->program->arena;
    hlo_scalar_program *program = HLO_NEW(arena, hlo_scalar_program);
    program->computation = computation;
    uint32_t inputs = 0;
    for (uint32_t p = 0; p < computation->parameter_count; p++)
        inputs += hlo_shape_leaf_count(computation->parameters[p]->shape);
    program->input_types = HLO_NEW_ARRAY(arena, hlo_type, inputs);
    for (uint32_t p = 0; p < computation->parameter_count; p++)
        if (!list_types(computation->parameters[p]->shape, program->input_types,
                        &program->input_count))
            return NULL;
    return program;
}

/* Of the whole computation; NULL when a leaf of a parameter or of the result is not a scalar. */
static hlo_scalar_program *new_whole_program(hlo_planner *planner, hlo_computation *computation) {
    hlo_scalar_program *program = new_program(planner, computation);
    const hlo_shape *result = computation->root->shape;
    if (!program) return NULL;
    program->plan = hlo_planner_plan(planner, computation);
    program->output_types =
        HLO_NEW_ARRAY(&planner->program->arena, hlo_type, hlo_shape_leaf_count(result));
    if (!list_types(result, program->output_types, &program->output_count)) return NULL;
    compile(planner, program, computation, NULL, 0);
    return program;
}

hlo_scalar_program *hlo_planner_scalar(hlo_planner *planner, hlo_computation *computation) {
    hlo_planner_plan(planner, computation);
    hlo_scalar_program **program = &planner->scalars[computation->id];
    if (!*program) *program = new_whole_program(planner, computation);
    return *program;
}

const hlo_scalar_program *hlo_planner_scalar_parts(hlo_planner *planner,
                                                   hlo_computation *computation,
                                                   const hlo_instr *const *parts, uint32_t count) {
    hlo_scalar_program *program = new_program(planner, computation);
    if (!program) return NULL;
    program->output_types = HLO_NEW_ARRAY(&planner->program->arena, hlo_type, count);
    for (uint32_t i = 0; i < count; i++)
        if (!list_types(parts[i]->shape, program->output_types, &program->output_count))
            return NULL;
    compile(planner, program, computation, parts, count);
    return program->steps ? program : NULL;
}
