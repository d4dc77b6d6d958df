/* Scalar programs: running blocks of lanes through a register machine, or lane by lane through the
 * runner where a body has more than elementwise instructions. scalar_compile.c makes them. */
#include "eval/scalar.h"

#include "eval/scalar_program.h"

uint32_t hlo_scalar_input_count(const hlo_scalar_program *program) {
    return program->input_count;
}

uint32_t hlo_scalar_output_count(const hlo_scalar_program *program) {
    return program->output_count;
}

hlo_type hlo_scalar_input_type(const hlo_scalar_program *program, uint32_t i) {
    return program->input_types[i];
}

hlo_type hlo_scalar_output_type(const hlo_scalar_program *program, uint32_t i) {
    return program->output_types[i];
}

static size_t bytes_of(hlo_type type) {
    return hlo_types[type].bytes;
}

/* ---- blocks of lanes ---- */

/* Points the input registers to the lanes from `at` on. */
static void bind_inputs(const hlo_scalar_program *program, const void *const *inputs,
                        const bool *broadcast, size_t at) {
    for (uint32_t i = 0; i < program->input_count; i++)
        if (!broadcast || !broadcast[i])
            program->registers[i] = (char *)inputs[i] + at * bytes_of(program->input_types[i]);
}

/* Inputs of one element for all lanes become blocks of copies, made once per run. */
static void spread_inputs(const hlo_scalar_program *program, const void *const *inputs,
                          const bool *broadcast, size_t lanes) {
    size_t copies = lanes < HLO_LANES_BLOCK ? lanes : HLO_LANES_BLOCK;
    for (uint32_t i = 0; broadcast && i < program->input_count; i++) {
        if (!broadcast[i]) continue;
        size_t bytes = bytes_of(program->input_types[i]);
        char *block = program->storage[i];
        for (size_t k = 0; k < copies; k++) memcpy(block + k * bytes, inputs[i], bytes);
        program->registers[i] = block;
    }
}

static void run_steps(const hlo_scalar_program *program, size_t lanes) {
    for (uint32_t s = 0; s < program->step_count; s++) {
        const hlo_scalar_step *step = &program->steps[s];
        const void *in[HLO_LANES_MAX_OPERANDS];
        for (uint32_t i = 0; i < step->lanes.arity; i++) in[i] = program->registers[step->in[i]];
        step->lanes.run(&step->lanes, program->registers[step->out], in, lanes);
    }
}

static void run_block(const hlo_scalar_program *program, void *const *outputs, size_t at,
                      size_t lanes) {
    if (program->writes_directly) { /* the last step's register is the only output */
        void *output = (char *)outputs[0] + at * bytes_of(program->output_types[0]);
        program->registers[program->output_registers[0]] = output;
    }
    run_steps(program, lanes);
    if (program->writes_directly) return;
    for (uint32_t i = 0; i < program->output_count; i++) {
        size_t bytes = bytes_of(program->output_types[i]);
        char *to = (char *)outputs[i] + at * bytes;
        const char *from = program->registers[program->output_registers[i]];
        if (to != from) memcpy(to, from, lanes * bytes);
    }
}

/* ---- lane by lane ---- */

/* Fills a value of the shape from lane `at` of the inputs from *next on. */
static hlo_value *gather_argument(const hlo_shape *shape, const void *const *inputs,
                                  const bool *broadcast, size_t at, uint32_t *next) {
    hlo_value *value = hlo_value_new(shape);
    if (!value) return NULL;
    if (hlo_shape_is_array(shape)) {
        uint32_t i = (*next)++;
        size_t bytes = bytes_of((hlo_type)shape->type), lane = broadcast && broadcast[i] ? 0 : at;
        memcpy(value->data, (const char *)inputs[i] + lane * bytes, bytes);
        return value;
    }
    for (uint32_t e = 0; e < shape->rank; e++) {
        value->elements[e] = gather_argument(shape->elements[e], inputs, broadcast, at, next);
        if (value->elements[e]) continue;
        hlo_value_release(value);
        return NULL;
    }
    return value;
}

static void scatter_result(const hlo_value *value, void *const *outputs, size_t at,
                           uint32_t *next) {
    if (value->elements) {
        for (uint32_t e = 0; e < value->shape->rank; e++)
            scatter_result(value->elements[e], outputs, at, next);
        return;
    }
    size_t bytes = bytes_of((hlo_type)value->shape->type);
    memcpy((char *)outputs[(*next)++] + at * bytes, value->data, bytes);
}

static bool call_lane(const hlo_scalar_program *program, const void *const *inputs,
                      const bool *broadcast, void *const *outputs, size_t at) {
    hlo_computation *computation = program->computation;
    uint32_t count = computation->parameter_count, next = 0;
    bool has_arguments = true;
    for (uint32_t p = 0; p < count; p++) {
        const hlo_shape *shape = computation->parameters[p]->shape;
        program->arguments[p] = gather_argument(shape, inputs, broadcast, at, &next);
        has_arguments = has_arguments && program->arguments[p];
    }
    if (!has_arguments) {
        hlo_eval_error(program->eval, program->user,
                       "has no memory for the arguments of its calls");
        for (uint32_t p = 0; p < count; p++) hlo_value_release(program->arguments[p]);
        return false;
    }
    hlo_value *result = hlo_eval_call_moving(program->eval, computation, program->arguments, count);
    if (!result) return false;
    next = 0;
    scatter_result(result, outputs, at, &next);
    hlo_value_release(result);
    return true;
}

bool hlo_scalar_run(hlo_scalar_program *program, const void *const *inputs, const bool *broadcast,
                    void *const *outputs, size_t lanes) {
    if (!program->steps) {
        for (size_t at = 0; at < lanes; at++)
            if (!call_lane(program, inputs, broadcast, outputs, at)) return false;
        return true;
    }
    spread_inputs(program, inputs, broadcast, lanes);
    for (size_t at = 0, block; at < lanes; at += block) {
        block = lanes - at < HLO_LANES_BLOCK ? lanes - at : HLO_LANES_BLOCK;
        bind_inputs(program, inputs, broadcast, at);
        run_block(program, outputs, at, block);
    }
    return true;
}

/* ---- bodies of one operation ---- */

hlo_opcode hlo_scalar_binary_op(const hlo_computation *computation) {
    const hlo_instr *root = computation->root;
    const unsigned flags = hlo_info(root)->flags;
    if (computation->parameter_count != 2 || root->operand_count != 2 ||
        !(flags & HLO_OP_IS_ELEMENTWISE) || root->opcode == HLO_OP_COMPARE ||
        !hlo_shape_is_scalar(root->shape))
        return HLO_OP_COUNT;
    const hlo_instr *a = hlo_operand(root, 0), *b = hlo_operand(root, 1);
    const hlo_instr *first = computation->parameters[0], *second = computation->parameters[1];
    if (!hlo_shape_compatible(first->shape, root->shape) ||
        !hlo_shape_compatible(second->shape, root->shape))
        return HLO_OP_COUNT;
    bool in_order = a == first && b == second;
    bool swapped = a == second && b == first && (flags & HLO_OP_IS_COMMUTATIVE);
    return in_order || swapped ? (hlo_opcode)root->opcode : HLO_OP_COUNT;
}
