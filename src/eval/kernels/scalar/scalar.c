/* Scalar programs: running blocks of lanes through a register machine, or lane by lane through the
 * runner where a body has more than elementwise instructions. scalar_compile.c makes them. */
#include "eval/kernel/scalar.h"

#include "analysis/match.h"
#include "base/blocks.h"
#include "eval/kernels/scalar/scalar_program.h"
#include "eval/value/value_memory.h"

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

/* ---- registers ---- */

enum { ON_STACK = 1 << 15 }; /* bytes of registers; more of them come from blocks */

static size_t register_bytes(const hlo_scalar_program *program, uint32_t r) {
    return HLO_LANES_BLOCK * bytes_of(program->types[r]);
}

/* Each register's lanes: constants, or its part of `memory`. */
static void place_registers(const hlo_scalar_program *program, char **lanes, char *memory) {
    for (uint32_t r = 0; r < program->register_count; r++) {
        lanes[r] = program->constants[r];
        if (program->constants[r]) continue;
        lanes[r] = memory;
        memory += register_bytes(program, r);
    }
}

/* Lane by lane means through the runner, whose frames belong to one thread. */
bool hlo_scalar_is_shared(const hlo_scalar_program *program) {
    return program->steps != NULL;
}

/* ---- blocks of lanes ---- */

/* Points the input registers to the lanes from `at` on. */
static void bind_inputs(const hlo_scalar_program *program, char **lanes, const void *const *inputs,
                        const bool *broadcast, size_t at) {
    for (uint32_t i = 0; i < program->input_count; i++)
        if (!broadcast || !broadcast[i])
            lanes[i] = (char *)inputs[i] + at * bytes_of(program->input_types[i]);
}

/* Inputs of one element for all lanes become blocks of copies, made once per run. */
static void spread_inputs(const hlo_scalar_program *program, char **lanes,
                          const void *const *inputs, const bool *broadcast, size_t count) {
    size_t copies = count < HLO_LANES_BLOCK ? count : HLO_LANES_BLOCK;
    for (uint32_t i = 0; broadcast && i < program->input_count; i++) {
        if (!broadcast[i]) continue;
        size_t bytes = bytes_of(program->input_types[i]);
        for (size_t k = 0; k < copies; k++) memcpy(lanes[i] + k * bytes, inputs[i], bytes);
    }
}

static void run_steps(const hlo_scalar_program *program, char **lanes, size_t count) {
    for (uint32_t s = 0; s < program->step_count; s++) {
        const hlo_scalar_step *step = &program->steps[s];
        const void *in[HLO_LANES_MAX_OPERANDS];
        for (uint32_t i = 0; i < step->lanes.arity; i++) in[i] = lanes[step->in[i]];
        step->lanes.run(&step->lanes, lanes[step->out], in, count);
    }
}

/* `outputs` may be arrays of the inputs: a lane is written when all steps of its block have read
 * theirs. */
static void run_block(const hlo_scalar_program *program, char **lanes, void *const *outputs,
                      size_t at, size_t count) {
    if (program->writes_directly) { /* the last step's register is the only output */
        void *output = (char *)outputs[0] + at * bytes_of(program->output_types[0]);
        lanes[program->output_registers[0]] = output;
    }
    run_steps(program, lanes, count);
    if (program->writes_directly) return;
    for (uint32_t i = 0; i < program->output_count; i++) {
        size_t bytes = bytes_of(program->output_types[i]);
        char *to = (char *)outputs[i] + at * bytes;
        const char *from = lanes[program->output_registers[i]];
        if (to != from) memcpy(to, from, count * bytes);
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

/* The arguments are moved into the call, which leaves NULLs: they need no release after it. */
static bool call_lane(const hlo_scalar_program *program, hlo_call *call, hlo_value **arguments,
                      const void *const *inputs, const bool *broadcast, void *const *outputs,
                      size_t at) {
    const hlo_computation *computation = program->computation;
    uint32_t count = computation->parameter_count, next = 0;
    bool has_arguments = true;
    for (uint32_t p = 0; p < count; p++) {
        const hlo_shape *shape = computation->parameters[p]->shape;
        arguments[p] = gather_argument(shape, inputs, broadcast, at, &next);
        has_arguments = has_arguments && arguments[p];
    }
    if (!has_arguments) {
        for (uint32_t p = 0; p < count; p++) hlo_value_release(arguments[p]);
        return hlo_call_rule_error(call, HLO_RULE_SYSTEM,
                                   "cannot allocate memory for the arguments of its calls");
    }
    hlo_call_next_iteration(call);
    hlo_value *result = hlo_call_plan_moving(call, program->plan, arguments, count);
    if (!result) return false;
    next = 0;
    scatter_result(result, outputs, at, &next);
    hlo_value_release(result);
    return true;
}

static bool call_lanes(const hlo_scalar_program *program, hlo_call *call, const void *const *inputs,
                       const bool *broadcast, void *const *outputs, size_t lanes) {
    hlo_value **arguments = hlo_malloc(program->computation->parameter_count * sizeof *arguments);
    bool ok = true;
    for (size_t at = 0; at < lanes && ok; at++)
        ok = call_lane(program, call, arguments, inputs, broadcast, outputs, at);
    hlo_free(arguments);
    return ok;
}

/* Not inlined: calls of computations, which nest, do without this stack. */
__attribute__((noinline)) static void run_machine(const hlo_scalar_program *program,
                                                  const void *const *inputs, const bool *broadcast,
                                                  void *const *outputs, size_t lanes) {
    size_t bytes = program->register_bytes + program->register_count * sizeof(char *);
    _Alignas(64) char stack[ON_STACK];
    char *memory = bytes <= ON_STACK ? stack : hlo_scratch_new(bytes);
    char **registers = (char **)(memory + program->register_bytes);
    place_registers(program, registers, memory);
    spread_inputs(program, registers, inputs, broadcast, lanes);
    for (size_t at = 0, block; at < lanes; at += block) {
        block = lanes - at < HLO_LANES_BLOCK ? lanes - at : HLO_LANES_BLOCK;
        bind_inputs(program, registers, inputs, broadcast, at);
        run_block(program, registers, outputs, at, block);
    }
    if (memory != stack) hlo_block_free(memory);
}

bool hlo_scalar_is_comparator(const hlo_scalar_program *program, const hlo_instr *instr,
                              uint32_t n) {
    if (hlo_scalar_input_count(program) != 2 * n || hlo_scalar_output_count(program) != 1)
        return false;
    for (uint32_t i = 0; i < 2 * n; i++)
        if (hlo_scalar_input_type(program, i) != hlo_operand(instr, i / 2)->shape->type)
            return false;
    return hlo_scalar_output_type(program, 0) == HLO_PRED;
}

bool hlo_scalar_run(const hlo_scalar_program *program, hlo_call *call, const void *const *inputs,
                    const bool *broadcast, void *const *outputs, size_t lanes) {
    if (!program->steps) return call_lanes(program, call, inputs, broadcast, outputs, lanes);
    run_machine(program, inputs, broadcast, outputs, lanes);
    return true;
}

/* ---- bodies of one operation ---- */

hlo_opcode hlo_scalar_binary_of(const hlo_instr *instr, const hlo_instr *a, const hlo_instr *b) {
    hlo_opcode opcode = hlo_binary_of(instr, a, b);
    if (opcode == HLO_OP_COUNT || opcode == HLO_OP_COMPARE) return HLO_OP_COUNT;
    const hlo_shape *shape = instr->shape;
    bool fits = (hlo_ops[opcode].flags & HLO_OP_IS_ELEMENTWISE) && hlo_shape_is_scalar(shape) &&
                hlo_shape_compatible(a->shape, shape) && hlo_shape_compatible(b->shape, shape);
    return fits ? opcode : HLO_OP_COUNT;
}

hlo_opcode hlo_scalar_binary_op(const hlo_computation *computation) {
    if (!computation->root || computation->parameter_count != 2) return HLO_OP_COUNT;
    return hlo_scalar_binary_of(computation->root, computation->parameters[0],
                                computation->parameters[1]);
}
