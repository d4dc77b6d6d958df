/* rng-expander: random numbers of distributions by arithmetic on words of Philox. */
#include <math.h>

#include "passes/expand/random_parts.h"

/* The run's state counts 128-bit blocks; each rng has a separate key, and each device. */
static hlo_instr *rng_key(hlo_rewriter *r) {
    static const struct {
        hlo_attr_id count;
        hlo_opcode id;
        uint64_t shift;
    } devices[] = {{HLO_ATTR_REPLICA_COUNT, HLO_OP_REPLICA_ID, 0},
                   {HLO_ATTR_NUM_PARTITIONS, HLO_OP_PARTITION_ID, 32}};
    hlo_shapes_table *shapes = &r->module->shapes;
    const hlo_shape *u32 = hlo_shape_scalar(shapes, HLO_U32);
    uint64_t number = r->log->fired[HLO_REWRITE_expand_rng] + 1;
    hlo_instr *key =
        hlo_build_bits(r, hlo_shape_scalar(shapes, HLO_U64), number * 0x9E3779B97F4A7C15);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        if (hlo_module_int(r->module, devices[i].count) <= 1) continue;
        hlo_instr *id = hlo_emit(r, devices[i].id, u32, NULL, 0, NULL, 0);
        id = hlo_build_convert(r, id, HLO_U64);
        id = hlo_build_binary(r, HLO_OP_SHIFT_LEFT, id, hlo_random_like(r, id, devices[i].shift));
        key = hlo_random_xor(r, key, id);
    }
    int64_t one = 1;
    return hlo_build_reshape(r, key, &one, 1);
}

/* `count` random words of u32 or u64, as one dimension. */
static hlo_instr *random_words(hlo_rewriter *r, hlo_type type, int64_t count) {
    int64_t two = 2, used;
    hlo_attr delta = hlo_attr_of_int(HLO_ATTR_DELTA, 0);
    hlo_instr *parts[2];
    parts[0] = rng_key(r);
    parts[1] = hlo_emit(r, HLO_OP_RNG_GET_AND_UPDATE_STATE, hlo_shape_of_sizes(r, HLO_U64, &two, 1),
                        NULL, 0, &delta, 1);
    hlo_instr *state = hlo_build_concatenate(r, parts, 2, 0);
    hlo_instr *words = hlo_philox_words(r, state, hlo_shape_of_sizes(r, type, &count, 1), &used);
    delta.u.i = used;
    hlo_instr_set_attr(parts[1], delta);
    return words;
}

/* Random numbers in [0, 1), all of which the type holds: f32 from 24 bits, f64 from 53. */
static hlo_instr *fractions(hlo_rewriter *r, hlo_type type, int64_t count) {
    bool is_wide = type == HLO_F64;
    unsigned digits = is_wide ? 53 : 24, width = is_wide ? 64 : 32;
    hlo_instr *words = random_words(r, is_wide ? HLO_U64 : HLO_U32, count);
    words = hlo_build_binary(r, HLO_OP_SHIFT_RIGHT_LOGICAL, words,
                             hlo_random_like(r, words, width - digits));
    hlo_instr *numbers = hlo_build_convert(r, words, type);
    return hlo_build_binary(r, HLO_OP_MULTIPLY, numbers,
                            hlo_build_number(r, numbers->shape, ldexp(1, -(int)digits)));
}

static hlo_instr *bound(hlo_rewriter *r, const hlo_instr *rng, uint32_t i, const hlo_instr *a) {
    HLO_ASSERT(i < rng->operand_count);
    hlo_instr *scalar = hlo_build_convert(r, hlo_operand(rng, i), (hlo_type)a->shape->type);
    return hlo_random_spread(r, scalar, a);
}

/* low + fraction * (high - low). What rounding lifts to the upper bound becomes the lower one. */
static hlo_instr *uniform_floats(hlo_rewriter *r, const hlo_instr *rng, hlo_type wide,
                                 int64_t count) {
    hlo_type type = (hlo_type)rng->shape->type;
    hlo_instr *x = fractions(r, wide, count);
    hlo_instr *low = bound(r, rng, 0, x), *high = bound(r, rng, 1, x);
    hlo_instr *range = hlo_build_binary(r, HLO_OP_SUBTRACT, high, low);
    x = hlo_random_sum(r, hlo_build_binary(r, HLO_OP_MULTIPLY, x, range), low);
    x = hlo_build_convert(r, hlo_build_convert(r, x, type), wide);
    hlo_instr *is_high = hlo_build_compare(r, x, high, "GE");
    hlo_instr *in_order = hlo_build_compare(r, low, high, "LT");
    return hlo_build_select(r, hlo_build_binary(r, HLO_OP_AND, is_high, in_order), low, x);
}

/* low + word % (high - low), or low where that leaves nothing. Unsigned sums of at least 32 bits
 * hold every difference and wrap into every type. */
static hlo_instr *uniform_integers(hlo_rewriter *r, const hlo_instr *rng, int64_t count) {
    hlo_instr *a = hlo_operand(rng, 0), *b = hlo_operand(rng, 1);
    hlo_type word_type = hlo_types[rng->shape->type].bits == 64 ? HLO_U64 : HLO_U32;
    hlo_instr *words = random_words(r, word_type, count);
    hlo_instr *low = bound(r, rng, 0, words), *high = bound(r, rng, 1, words);
    hlo_instr *range = hlo_build_binary(r, HLO_OP_SUBTRACT, high, low);
    hlo_instr *offset = hlo_build_binary(r, HLO_OP_REMAINDER, words, range);
    hlo_instr *in_order = hlo_build_compare(r, a, b, "LT");
    hlo_instr *drawn = hlo_random_sum(r, low, offset);
    return hlo_build_select(r, hlo_random_spread(r, in_order, words), drawn, low);
}

/* By Box and Muller: two fractions become two numbers. */
static hlo_instr *normal_floats(hlo_rewriter *r, const hlo_instr *rng, hlo_type wide,
                                int64_t count) {
    int64_t half = count / 2 + count % 2;
    hlo_instr *both = fractions(r, wide, 2 * half);
    hlo_instr *first = hlo_build_slice(r, both, 0, 0, half);
    hlo_instr *second = hlo_build_slice(r, both, 0, half, 2 * half), *parts[2];
    hlo_instr *one = hlo_build_integer(r, first->shape, 1);
    hlo_instr *log =
        hlo_build_unary(r, HLO_OP_LOG, hlo_build_binary(r, HLO_OP_SUBTRACT, one, first));
    hlo_instr *minus_two = hlo_build_integer(r, first->shape, -2);
    hlo_instr *square = hlo_build_binary(r, HLO_OP_MULTIPLY, log, minus_two);
    hlo_instr *radius = hlo_build_unary(r, HLO_OP_SQRT, square);
    hlo_instr *turn = hlo_build_number(r, first->shape, 2 * 3.14159265358979323846);
    hlo_instr *angle = hlo_build_binary(r, HLO_OP_MULTIPLY, second, turn);
    for (int i = 0; i < 2; i++) {
        hlo_instr *wave = hlo_build_unary(r, i ? HLO_OP_SINE : HLO_OP_COSINE, angle);
        parts[i] = hlo_build_binary(r, HLO_OP_MULTIPLY, radius, wave);
    }
    hlo_instr *x = hlo_build_slice(r, hlo_build_concatenate(r, parts, 2, 0), 0, 0, count);
    hlo_instr *mean = bound(r, rng, 0, x), *deviation = bound(r, rng, 1, x);
    return hlo_random_sum(r, hlo_build_binary(r, HLO_OP_MULTIPLY, x, deviation), mean);
}

hlo_instr *hlo_rewrite_expand_rng(hlo_rewriter *r, hlo_instr *rng) {
    hlo_type type = (hlo_type)rng->shape->type;
    int64_t count = hlo_shape_is_array(rng->shape) ? hlo_shape_elements(rng->shape) : 0;
    const char *word =
        hlo_word_text(HLO_WORDS_DISTRIBUTION, hlo_attr_int(rng, HLO_ATTR_DISTRIBUTION));
    bool is_normal = word && strcmp(word, "rng_normal") == 0, is_float = hlo_type_is_float(type);
    if (count <= 0 || rng->operand_count != 2) return NULL;
    if (!is_float && (is_normal || !hlo_type_is_integral(type))) return NULL;
    hlo_type wide = type == HLO_F64 ? HLO_F64 : HLO_F32; /* narrow floats are rounded at the end */
    hlo_instr *flat = is_normal  ? normal_floats(r, rng, wide, count)
                      : is_float ? uniform_floats(r, rng, wide, count)
                                 : uniform_integers(r, rng, count);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, rng->shape, hlo_build_convert(r, flat, type));
}
