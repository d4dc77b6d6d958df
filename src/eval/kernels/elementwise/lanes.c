/* Finding the lane function of an instruction, and the functions that reach other types through
 * f32. */
#include "eval/kernel/lanes.h"

#include "ir/float_types.h"

static size_t element_bytes(hlo_type type) {
    return hlo_types[type].bytes;
}

/* Small floats: decoded to f32, computed there by `inner`, rounded back. */
static void run_in_f32(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    enum { BLOCK = 1024 };
    _Alignas(64) float blocks[HLO_LANES_MAX_OPERANDS][BLOCK];
    const void *decoded[HLO_LANES_MAX_OPERANDS] = {blocks[0], blocks[1], blocks[2]};
    const hlo_lanes decode = {.from = lanes->from, .to = HLO_F32};
    const hlo_lanes encode = {.from = HLO_F32, .to = lanes->from};
    size_t bytes = element_bytes(lanes->from);
    bool rounds_back = lanes->to == lanes->from;
    for (size_t at = 0, m; at < n; at += m) {
        m = n - at < BLOCK ? n - at : BLOCK;
        for (uint32_t i = 0; i < lanes->arity; i++)
            lanes->to_f32(&decode, blocks[i], (const void *[]){(const char *)in[i] + at * bytes},
                          m);
        char *to = (char *)out + at * element_bytes(lanes->to);
        lanes->inner(lanes, rounds_back ? (void *)blocks[0] : to, decoded, m);
        if (rounds_back) lanes->from_f32(&encode, to, (const void *[]){blocks[0]}, m);
    }
}

/* How that runs `inner`; NULL when there is none. */
static hlo_lanes_fn *in_f32(hlo_lanes *lanes, hlo_lanes_fn *inner) {
    lanes->inner = inner;
    lanes->to_f32 = hlo_lanes_convert(lanes->from, HLO_F32);
    lanes->from_f32 = hlo_lanes_convert(HLO_F32, lanes->from);
    return inner ? run_in_f32 : NULL;
}

static void copy(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    if (out != in[0] && n) memcpy(out, in[0], n * element_bytes(lanes->to));
}

static void zero(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    (void)in;
    if (n) memset(out, 0, n * element_bytes(lanes->to));
}

static hlo_lanes_fn *of_wide_float(const hlo_lanes *lanes, hlo_opcode opcode, hlo_type type) {
    hlo_lanes_fn *run = hlo_lanes_float(opcode, type);
    if (!run && !lanes->plain) run = hlo_lanes_math(opcode, type);
    return run ? run : hlo_lanes_libm(opcode, type);
}

/* Functions that a float type has for its own bits or, if small, in f32. */
static hlo_lanes_fn *float_function(hlo_lanes *lanes, hlo_opcode opcode) {
    if (!hlo_type_is_small_float(lanes->from)) return of_wide_float(lanes, opcode, lanes->from);
    hlo_lanes_fn *own = lanes->from == HLO_BF16 && !lanes->plain ? hlo_lanes_bf16(opcode) : NULL;
    return own ? own : in_f32(lanes, of_wide_float(lanes, opcode, HLO_F32));
}

static hlo_lanes_fn *arithmetic_function(hlo_lanes *lanes, hlo_opcode opcode) {
    if (hlo_type_is_float(lanes->from)) return float_function(lanes, opcode);
    if (hlo_type_is_complex(lanes->from)) return hlo_lanes_complex(opcode, lanes->from);
    return hlo_lanes_integer(opcode, lanes->from);
}

static hlo_lanes_fn *compare_function(hlo_lanes *lanes, const hlo_instr *instr) {
    const hlo_attr *type = hlo_instr_attr(instr, HLO_ATTR_TYPE);
    const char *word = type ? hlo_word_text(HLO_WORDS_COMPARE_TYPE, type->u.i) : NULL;
    bool total_order = word && strcmp(word, "TOTALORDER") == 0;
    lanes->direction = hlo_attr_int(instr, HLO_ATTR_DIRECTION);
    if (!hlo_type_is_small_float(lanes->from))
        return hlo_lanes_compare(lanes->direction, total_order, lanes->from);
    return in_f32(lanes, hlo_lanes_compare(lanes->direction, total_order, HLO_F32));
}

static hlo_lanes_fn *reduce_precision_function(hlo_lanes *lanes, const hlo_instr *instr) {
    int64_t exponent_bits = hlo_attr_int(instr, HLO_ATTR_EXPONENT_BITS);
    int64_t mantissa_bits = hlo_attr_int(instr, HLO_ATTR_MANTISSA_BITS);
    if (exponent_bits < 1 || mantissa_bits < 0) return NULL;
    lanes->exponent_bits = exponent_bits > 11 ? 11 : (int)exponent_bits;
    lanes->mantissa_bits = mantissa_bits > 52 ? 52 : (int)mantissa_bits;
    return hlo_lanes_reduce_precision(lanes->from);
}

/* The real numbers among the element types are their own real part. */
static hlo_lanes_fn *part_function(const hlo_lanes *lanes, hlo_opcode opcode) {
    if (hlo_type_is_complex(lanes->from)) return hlo_lanes_complex(opcode, lanes->from);
    return opcode == HLO_OP_REAL ? copy : zero;
}

static hlo_lanes_fn *function_of(hlo_lanes *lanes, const hlo_instr *instr) {
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    switch (opcode) {
    case HLO_OP_REAL:
    case HLO_OP_IMAG: return part_function(lanes, opcode);
    case HLO_OP_COMPLEX:
        return lanes->from == hlo_type_part(lanes->to) ? hlo_lanes_complex(opcode, lanes->to)
                                                       : NULL;
    case HLO_OP_SELECT: return lanes->from == HLO_PRED ? hlo_lanes_select(lanes->to) : NULL;
    case HLO_OP_COMPARE: return compare_function(lanes, instr);
    case HLO_OP_CONVERT: return hlo_lanes_convert(lanes->from, lanes->to);
    case HLO_OP_BITCAST_CONVERT: return hlo_lanes_bitcast_convert(lanes->from, lanes->to);
    case HLO_OP_REDUCE_PRECISION: return reduce_precision_function(lanes, instr);
    case HLO_OP_STOCHASTIC_CONVERT: return hlo_lanes_stochastic_convert(lanes->from, lanes->to);
    default: return arithmetic_function(lanes, opcode);
    }
}

bool hlo_lanes_find(const hlo_instr *instr, bool plain, hlo_lanes *lanes) {
    if (!(hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) || !hlo_shape_is_array(instr->shape) ||
        instr->operand_count == 0 || instr->operand_count > HLO_LANES_MAX_OPERANDS)
        return false;
    *lanes = (hlo_lanes){
        .arity = instr->operand_count, .to = (hlo_type)instr->shape->type, .plain = plain};
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_shape *operand = hlo_operand(instr, i)->shape;
        if (!hlo_shape_is_array(operand)) return false;
        lanes->operands[i] = (hlo_type)operand->type;
    }
    lanes->from = lanes->operands[0];
    lanes->run = function_of(lanes, instr);
    return lanes->run;
}

hlo_lanes_fn *hlo_lanes_single(hlo_lanes_fn *of, uint32_t single) {
    hlo_lanes_fn *run = hlo_lanes_single_float(of, single);
    if (!run) run = hlo_lanes_single_integer(of, single);
    return run ? run : hlo_lanes_single_compare(of, single);
}
