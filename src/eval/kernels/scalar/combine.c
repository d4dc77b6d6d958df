/* Combiners and conversions over lanes: see combine.h. */
#include "eval/kernel/combine.h"

#include "base/pool.h"
#include "eval/kernel/scalar.h"
#include "eval/kernel/strides.h"

/* Whether the computation just hands on its parameter 1, as scatters that overwrite have it. */
static bool returns_second(const hlo_computation *computation) {
    return computation->parameter_count == 2 && computation->root == computation->parameters[1] &&
           hlo_shape_is_scalar(computation->root->shape);
}

hlo_lanes hlo_binary_lanes(hlo_opcode opcode, hlo_type type) {
    hlo_lanes lanes = {.arity = 2, .from = type, .to = type, .operands = {type, type}};
    switch (hlo_types[type].class) {
    case HLO_CLASS_FLOAT: lanes.run = hlo_lanes_float(opcode, type); break;
    case HLO_CLASS_COMPLEX: lanes.run = hlo_lanes_complex(opcode, type); break;
    default: lanes.run = hlo_lanes_integer(opcode, type); break;
    }
    return lanes;
}

static hlo_type result_type(const hlo_instr *user, uint32_t i) {
    const hlo_shape *shape = user->shape;
    return (hlo_type)(hlo_shape_is_tuple(shape) ? shape->elements[i] : shape)->type;
}

/* Whether the program maps accumulators and elements of the result's types to the same types. */
static bool fits_result(const hlo_scalar_program *program, const hlo_instr *user,
                        uint32_t operands) {
    if (hlo_scalar_input_count(program) != 2 * operands) return false;
    if (hlo_scalar_output_count(program) != operands) return false;
    for (uint32_t i = 0; i < operands; i++) {
        hlo_type type = result_type(user, i);
        if (hlo_scalar_input_type(program, i) != type ||
            hlo_scalar_output_type(program, i) != type ||
            hlo_scalar_input_type(program, operands + i) != type)
            return false;
    }
    return true;
}

static hlo_combiner new_combiner(uint32_t operands, hlo_type type) {
    return (hlo_combiner){
        .operands = operands, .opcode = HLO_OP_COUNT, .bytes = hlo_types[type].bytes};
}

bool hlo_combiner_of_pair(hlo_combiner *combiner, const hlo_instr *instr, const hlo_instr *a,
                          const hlo_instr *b, hlo_type type, bool plain) {
    *combiner = new_combiner(1, type);
    hlo_opcode opcode = hlo_scalar_binary_of(instr, a, b);
    if (opcode == HLO_OP_COUNT || instr->shape->type != type ||
        !hlo_lanes_find(instr, plain, &combiner->lanes))
        return false;
    combiner->opcode = opcode;
    return true;
}

bool hlo_combiner_of_one(hlo_combiner *combiner, const hlo_computation *computation, hlo_type type,
                         bool plain) {
    *combiner = new_combiner(1, type);
    if (computation->root->shape->type != type || computation->parameter_count != 2) return false;
    combiner->replaces = returns_second(computation);
    return combiner->replaces ||
           hlo_combiner_of_pair(combiner, computation->root, computation->parameters[0],
                                computation->parameters[1], type, plain);
}

/* All but the program; whether none is needed. */
static bool is_single(hlo_combiner *combiner, hlo_preparation *p,
                      const hlo_computation *computation, uint32_t operands) {
    hlo_type type = result_type(p->instr, 0);
    if (operands == 1 && hlo_combiner_of_one(combiner, computation, type, hlo_prepare_plain(p)))
        return true;
    *combiner = new_combiner(operands, type);
    return false;
}

bool hlo_combiner_prepare(hlo_combiner *combiner, hlo_preparation *p, hlo_computation *computation,
                          uint32_t operands) {
    if (is_single(combiner, p, computation, operands)) return true;
    combiner->program = hlo_prepare_scalar(p, computation);
    if (!combiner->program) return false;
    if (fits_result(combiner->program, p->instr, operands)) return true;
    return hlo_prepare_error(p, HLO_RULE_RUN,
                             "has a computation that does not combine results of its types");
}

bool hlo_combiner_is_shared(const hlo_combiner *combiner) {
    return !combiner->program || hlo_scalar_is_shared(combiner->program);
}

hlo_type hlo_combiner_promote(hlo_combiner *combiner) {
    if (combiner->opcode == HLO_OP_COUNT ||
        !(hlo_ops[combiner->opcode].flags & HLO_OP_IS_ASSOCIATIVE))
        return HLO_TYPE_COUNT;
    hlo_type type = combiner->lanes.to;
    if (hlo_type_is_small_float(type)) type = HLO_F32;
    if (hlo_type_is_float(type) && combiner->opcode == HLO_OP_ADD) type = HLO_F64;
    if (type != combiner->lanes.to) {
        combiner->lanes = hlo_binary_lanes(combiner->opcode, type);
        combiner->bytes = hlo_types[type].bytes;
    }
    return type;
}

/* Accumulators are inputs and outputs of the same call: every step reads a lane before it writes
 * it. */
bool hlo_combine(const hlo_combiner *combiner, hlo_call *call, void *const *accumulators,
                 const void *const *elements, size_t n) {
    if (combiner->replaces) {
        if (n) memcpy(accumulators[0], elements[0], n * combiner->bytes);
        return true;
    }
    if (combiner->opcode != HLO_OP_COUNT) {
        hlo_lanes_run2(&combiner->lanes, accumulators[0], accumulators[0], elements[0], n);
        return true;
    }
    enum { FEW = 8 };
    const void *few[2 * FEW] = {NULL}, **inputs = few;
    uint32_t operands = combiner->operands;
    if (operands > FEW) inputs = hlo_malloc(2 * sizeof *inputs * operands);
    for (uint32_t i = 0; i < operands; i++) {
        inputs[i] = accumulators[i];
        inputs[operands + i] = elements[i];
    }
    bool ok = hlo_scalar_run(combiner->program, call, inputs, NULL, accumulators, n);
    if (inputs != few) hlo_free(inputs);
    return ok;
}

typedef struct {
    hlo_lanes lanes;
    const char *source;
    char *target;
} conversion;

static void convert_range(void *context, int64_t first, int64_t last) {
    const conversion *c = context;
    const void *source = c->source + first * hlo_types[c->lanes.from].bytes;
    char *target = c->target + first * hlo_types[c->lanes.to].bytes;
    if (c->lanes.run) c->lanes.run(&c->lanes, target, &source, (size_t)(last - first));
    else memcpy(target, source, (size_t)(last - first) * hlo_types[c->lanes.to].bytes);
}

void hlo_convert_elements(hlo_type from, hlo_type to, const void *source, void *target, size_t n) {
    enum { PIECE = 1 << 15 };
    if (from != to && hlo_type_is_complex(from) &&
        hlo_type_is_complex(to)) { /* a lane function drops a part */
        from = hlo_type_part(from);
        to = hlo_type_part(to);
        n *= 2;
    }
    conversion c = {{.arity = 1, .from = from, .to = to, .operands = {from}}, source, target};
    if (from != to) c.lanes.run = hlo_lanes_convert(from, to);
    hlo_parallel((int64_t)n, PIECE, convert_range, &c);
}

/* ---- accumulators ---- */

void hlo_prepare_accumulators(hlo_preparation *p, hlo_accumulators *accumulators,
                              const hlo_shape *result, hlo_type type) {
    *accumulators = (hlo_accumulators){.type = type, .result = (hlo_type)result->type};
    accumulators->elements = hlo_shape_elements(result);
    if (accumulators->elements > 0 && type != result->type)
        accumulators->at =
            hlo_prepare_scratch(p, (size_t)accumulators->elements * hlo_types[type].bytes);
}

void *hlo_accumulators_at(const hlo_accumulators *accumulators, const hlo_call *call,
                          hlo_value *out) {
    bool in_place = accumulators->type == accumulators->result;
    return in_place ? out->data : (char *)call->scratch + accumulators->at;
}

void *hlo_accumulators_start(const hlo_accumulators *accumulators, const hlo_call *call,
                             hlo_value *out, const hlo_value *init) {
    void *at = hlo_accumulators_at(accumulators, call, out);
    _Alignas(16) char first[HLO_LANES_MAX_BYTES];
    hlo_convert_elements((hlo_type)init->shape->type, accumulators->type, init->data, first, 1);
    hlo_fill_elements(at, first, hlo_types[accumulators->type].bytes, accumulators->elements);
    return at;
}

void hlo_accumulators_finish(const hlo_accumulators *accumulators, hlo_value *out,
                             const void *from) {
    hlo_accumulators_finish_part(accumulators, out, from, 0, accumulators->elements);
}

void hlo_accumulators_finish_part(const hlo_accumulators *accumulators, hlo_value *out,
                                  const void *from, int64_t first, int64_t last) {
    if (from == out->data) return;
    const char *sums = (const char *)from + first * hlo_types[accumulators->type].bytes;
    char *to = (char *)out->data + first * hlo_types[accumulators->result].bytes;
    hlo_convert_elements(accumulators->type, accumulators->result, sums, to,
                         (size_t)(last - first));
}
