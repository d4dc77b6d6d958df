/* One combination after the other: see fold.h. */
#include "eval/ref/fold.h"

#include "eval/kernel/lanes.h"
#include "eval/ref/element.h"

enum { ELEMENT_BYTES = 16 }; /* of the largest element type */

/* Whether the program maps accumulators and elements of the results' types to the same types. */
static bool program_fits_fold(const hlo_plain_fold *f) {
    if (hlo_scalar_input_count(f->program) != 2 * f->operands) return false;
    if (hlo_scalar_output_count(f->program) != f->operands) return false;
    for (uint32_t i = 0; i < f->operands; i++) {
        if (hlo_scalar_input_type(f->program, i) != f->types[i] ||
            hlo_scalar_input_type(f->program, f->operands + i) != f->types[i] ||
            hlo_scalar_output_type(f->program, i) != f->types[i])
            return false;
    }
    return true;
}

static hlo_opcode opcode_in_double(hlo_type type, const hlo_computation *computation) {
    hlo_opcode opcode = hlo_scalar_binary_op(computation);
    bool is_sum = opcode == HLO_OP_ADD && hlo_type_is_float(type);
    bool is_product = opcode == HLO_OP_MULTIPLY && hlo_type_is_small_float(type);
    return is_sum || is_product ? opcode : HLO_OP_COUNT;
}

bool hlo_plain_fold_prepare(hlo_plain_fold *f, hlo_preparation *p, hlo_computation *computation,
                            uint32_t operands) {
    hlo_type *types = HLO_NEW_ARRAY(p->arena, hlo_type, operands);
    for (uint32_t i = 0; i < operands; i++)
        types[i] = (hlo_type)hlo_plain_part(p->instr->shape, i)->type;
    f->operands = operands;
    f->types = types;
    f->program = hlo_prepare_scalar(p, computation);
    if (!f->program) return false;
    if (!program_fits_fold(f))
        return hlo_prepare_error(p, HLO_RULE_RUN,
                                 "has a computation that does not combine results of its types");
    f->in_double = operands == 1 ? opcode_in_double(types[0], computation) : HLO_OP_COUNT;
    f->values_at = hlo_prepare_scratch(p, 2 * (size_t)operands * ELEMENT_BYTES);
    f->pointers_at = hlo_prepare_scratch(p, 3 * (size_t)operands * sizeof(void *));
    return true;
}

/* Where the accumulator of operand i is, and from `operands` on where its element is. */
static void *slot(const hlo_plain_fold *f, const hlo_call *call, uint32_t i) {
    return (char *)call->scratch + f->values_at + (size_t)i * ELEMENT_BYTES;
}

/* Loads element `at` of each value into the slots from `first` on, in the accumulators' types. */
static void load(const hlo_plain_fold *f, const hlo_call *call, uint32_t first,
                 hlo_value *const *values, int64_t at) {
    for (uint32_t i = 0; i < f->operands; i++) {
        hlo_type type = f->in_double != HLO_OP_COUNT ? HLO_F64 : f->types[i];
        hlo_store(type, slot(f, call, first + i), 0, hlo_load_from(values[i], at));
    }
}

void hlo_plain_fold_start(const hlo_plain_fold *f, const hlo_call *call, hlo_value *const *from,
                          int64_t at) {
    load(f, call, 0, from, at);
}

bool hlo_plain_fold_add(const hlo_plain_fold *f, hlo_call *call, hlo_value *const *elements,
                        int64_t at) {
    load(f, call, f->operands, elements, at);
    if (f->in_double != HLO_OP_COUNT) {
        double *accumulator = slot(f, call, 0);
        const double *element = slot(f, call, 1);
        if (f->in_double == HLO_OP_ADD) *accumulator += *element;
        else *accumulator *= *element;
        return true;
    }
    const void **inputs = (const void **)((char *)call->scratch + f->pointers_at);
    void **outputs = (void **)(inputs + 2 * (size_t)f->operands);
    for (uint32_t i = 0; i < 2 * f->operands; i++) inputs[i] = slot(f, call, i);
    for (uint32_t i = 0; i < f->operands; i++) outputs[i] = slot(f, call, i);
    return hlo_scalar_run(f->program, call, inputs, NULL, outputs, 1);
}

void hlo_plain_fold_end(const hlo_plain_fold *f, const hlo_call *call, hlo_value *const *results,
                        int64_t at) {
    for (uint32_t i = 0; i < f->operands; i++) {
        hlo_type type = f->in_double != HLO_OP_COUNT ? HLO_F64 : f->types[i];
        hlo_store_to(results[i], at, hlo_load(type, slot(f, call, i), 0));
    }
}
