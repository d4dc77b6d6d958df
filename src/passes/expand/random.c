/* Random numbers: rng-bit-generator as arithmetic on its counters, bit for bit (Threefry 2x32 with
 * 20 rounds and Philox 4x32 with 10, Salmon and others, 2011), and rng as arithmetic on Philox.
 * Patterns, called by patterns.c. */
#include <math.h>

#include "passes/pipeline/expression.h"

static hlo_instr *add(hlo_rewriter *r, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(r, HLO_OP_ADD, a, b);
}

static hlo_instr *exclusive_or(hlo_rewriter *r, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(r, HLO_OP_XOR, a, b);
}

static hlo_instr *like(hlo_rewriter *r, hlo_instr *a, uint64_t bits) {
    return hlo_build_bits(r, a->shape, bits);
}

/* A scalar with the shape of `a`. */
static hlo_instr *spread(hlo_rewriter *r, hlo_instr *scalar, const hlo_instr *a) {
    return hlo_build_spread(r, scalar, a->shape, NULL);
}

static hlo_instr *low_half(hlo_rewriter *r, hlo_instr *wide) {
    return hlo_build_convert(r, wide, HLO_U32);
}

static hlo_instr *high_half(hlo_rewriter *r, hlo_instr *wide) {
    return low_half(r, hlo_build_binary(r, HLO_OP_SHIFT_RIGHT_LOGICAL, wide, like(r, wide, 32)));
}

static hlo_instr *joined(hlo_rewriter *r, hlo_instr *low, hlo_instr *high) {
    hlo_instr *up = hlo_build_convert(r, high, HLO_U64);
    up = hlo_build_binary(r, HLO_OP_SHIFT_LEFT, up, like(r, up, 32));
    return hlo_build_binary(r, HLO_OP_OR, up, hlo_build_convert(r, low, HLO_U64));
}

static hlo_instr *word(hlo_rewriter *r, hlo_instr *state, int64_t number) {
    return hlo_build_reshape(r, hlo_build_slice(r, state, 0, number, number + 1), NULL, 0);
}

/* 0, 1, 2 ... of the sizes, in u64. */
static hlo_instr *numbers(hlo_rewriter *r, const int64_t *sizes, uint32_t rank) {
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) count *= sizes[i];
    hlo_instr *flat = hlo_build_iota(r, hlo_shape_of_sizes(r, HLO_U64, &count, 1), 0);
    return hlo_build_reshape(r, flat, sizes, rank);
}

/* Words side by side: [sizes..., n] for n arrays of [sizes...], as one dimension. */
static hlo_instr *interleaved(hlo_rewriter *r, hlo_instr *const *parts, uint32_t n) {
    int64_t count = hlo_shape_elements(parts[0]->shape), all = count * n;
    hlo_instr *columns[4];
    for (uint32_t i = 0; i < n; i++)
        columns[i] = hlo_build_reshape(r, parts[i], (int64_t[]){count, 1}, 2);
    return hlo_build_reshape(r, hlo_build_concatenate(r, columns, n, 1), &all, 1);
}

/* ---- Threefry ---- */

static hlo_instr *rotated(hlo_rewriter *r, hlo_instr *x, unsigned distance) {
    hlo_instr *left = hlo_build_binary(r, HLO_OP_SHIFT_LEFT, x, like(r, x, distance));
    hlo_instr *right =
        hlo_build_binary(r, HLO_OP_SHIFT_RIGHT_LOGICAL, x, like(r, x, 32 - distance));
    return hlo_build_binary(r, HLO_OP_OR, left, right);
}

/* Enciphers the counters x[0], x[1] under a scalar key. */
static void threefry(hlo_rewriter *r, hlo_instr *key, hlo_instr *x[2]) {
    static const unsigned distances[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    hlo_instr *keys[3];
    keys[0] = low_half(r, key);
    keys[1] = high_half(r, key);
    keys[2] = exclusive_or(r, exclusive_or(r, like(r, keys[0], 0x1BD11BDA), keys[0]), keys[1]);
    for (int i = 0; i < 3; i++) keys[i] = spread(r, keys[i], x[0]);
    x[0] = add(r, x[0], keys[0]);
    x[1] = add(r, x[1], keys[1]);
    for (uint32_t group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            x[0] = add(r, x[0], x[1]);
            x[1] = exclusive_or(r, rotated(r, x[1], distances[group % 2][i]), x[0]);
        }
        x[0] = add(r, x[0], keys[(group + 1) % 3]);
        x[1] = add(r, x[1], keys[(group + 2) % 3]);
        x[1] = add(r, x[1], like(r, x[1], group + 1));
    }
}

static void threefry_words(hlo_rewriter *r, hlo_instr *state, const int64_t *sizes, uint32_t rank,
                           hlo_instr *x[2]) {
    hlo_instr *counters = numbers(r, sizes, rank);
    counters = add(r, counters, spread(r, word(r, state, 1), counters));
    x[0] = low_half(r, counters);
    x[1] = high_half(r, counters);
    threefry(r, word(r, state, 0), x);
}

/* The first even dimension, or the largest, is cut into pairs that share a counter. */
static void outer_paired_inner(const hlo_shape *shape, int64_t sizes[3]) {
    uint32_t paired = 0;
    for (uint32_t d = 0; d < shape->rank; d++) {
        if (shape->dims[d] % 2 == 0) {
            paired = d;
            break;
        }
        if (shape->dims[d] > shape->dims[paired]) paired = d;
    }
    sizes[0] = sizes[1] = sizes[2] = 1;
    for (uint32_t d = 0; d < shape->rank; d++)
        sizes[d < paired ? 0 : d == paired ? 1 : 2] *= shape->dims[d];
}

/* All random words of the shape as one dimension; *used counters. */
static hlo_instr *threefry_32(hlo_rewriter *r, hlo_instr *state, const hlo_shape *shape,
                              int64_t *used) {
    int64_t sizes[3], count = hlo_shape_elements(shape);
    outer_paired_inner(shape, sizes);
    int64_t half = (sizes[1] + 1) / 2;
    int64_t halves[] = {sizes[0], half, sizes[2]}, one[] = {sizes[0], half, 1, sizes[2]};
    int64_t both[] = {sizes[0], 2 * half, sizes[2]};
    hlo_instr *x[2];
    threefry_words(r, state, halves, 3, x);
    for (int i = 0; i < 2; i++) x[i] = hlo_build_reshape(r, x[i], one, 4);
    hlo_instr *pairs = hlo_build_reshape(r, hlo_build_concatenate(r, x, 2, 2), both, 3);
    *used = sizes[0] * half * sizes[2];
    if (2 * half != sizes[1]) pairs = hlo_build_slice(r, pairs, 1, 0, sizes[1]);
    return hlo_build_reshape(r, pairs, &count, 1);
}

static hlo_instr *threefry_64(hlo_rewriter *r, hlo_instr *state, const hlo_shape *shape,
                              int64_t *used) {
    int64_t count = hlo_shape_elements(shape);
    hlo_instr *x[2];
    threefry_words(r, state, &count, 1, x);
    *used = count;
    return joined(r, x[0], x[1]);
}

/* ---- Philox ---- */

/* The product of 32-bit words with a constant: high and low word. */
static void widening_product(hlo_rewriter *r, hlo_instr *x, uint32_t factor, hlo_instr **low,
                             hlo_instr **high) {
    hlo_instr *wide = hlo_build_convert(r, x, HLO_U64);
    wide = hlo_build_binary(r, HLO_OP_MULTIPLY, wide, like(r, wide, factor));
    *low = low_half(r, wide);
    *high = high_half(r, wide);
}

static void philox(hlo_rewriter *r, hlo_instr *key, hlo_instr *x[4]) {
    hlo_instr *k[2];
    k[0] = low_half(r, key);
    k[1] = high_half(r, key);
    for (int round = 0; round < 10; round++) {
        hlo_instr *low[2], *high[2];
        widening_product(r, x[0], 0xD2511F53, &low[0], &high[0]);
        widening_product(r, x[2], 0xCD9E8D57, &low[1], &high[1]);
        x[0] = exclusive_or(r, high[1], x[1]);
        x[0] = exclusive_or(r, x[0], spread(r, k[0], x[0]));
        x[1] = low[1];
        x[2] = exclusive_or(r, high[0], x[3]);
        x[2] = exclusive_or(r, x[2], spread(r, k[1], x[0]));
        x[3] = low[0];
        k[0] = add(r, k[0], like(r, k[0], 0x9E3779B9));
        k[1] = add(r, k[1], like(r, k[1], 0xBB67AE85));
    }
}

/* high, and one more where the sum low has wrapped around. */
static hlo_instr *with_carry(hlo_rewriter *r, hlo_instr *high, hlo_instr *sum, hlo_instr *low) {
    hlo_instr *carry = hlo_build_convert(r, hlo_build_compare(r, sum, low, "LT"), HLO_U64);
    return add(r, carry, high);
}

/* A state of two words is key and counter; the key is the counter's high word as well. */
static hlo_instr *philox_words(hlo_rewriter *r, hlo_instr *state, const hlo_shape *shape,
                               int64_t *used) {
    bool is_wide = hlo_types[shape->type].bits == 64, has_high = state->shape->dims[0] == 3;
    int64_t count = hlo_shape_elements(shape), each = is_wide ? 2 : 4;
    int64_t blocks = (count + each - 1) / each;
    hlo_instr *key = word(r, state, 0), *number = numbers(r, &blocks, 1);
    hlo_instr *start = spread(r, word(r, state, 1), number);
    hlo_instr *low = add(r, number, start);
    hlo_instr *high =
        with_carry(r, spread(r, has_high ? word(r, state, 2) : key, number), low, start);
    hlo_instr *x[4];
    x[0] = low_half(r, low);
    x[1] = high_half(r, low);
    x[2] = low_half(r, high);
    x[3] = high_half(r, high);
    philox(r, key, x);
    *used = blocks;
    if (is_wide) {
        x[0] = joined(r, x[0], x[1]);
        x[1] = joined(r, x[2], x[3]);
    }
    return hlo_build_slice(r, interleaved(r, x, (uint32_t)each), 0, 0, count);
}

/* ---- rng-bit-generator ---- */

static hlo_instr *next_state(hlo_rewriter *r, hlo_instr *state, int64_t used,
                             const hlo_shape *shape) {
    int64_t one = 1;
    hlo_instr *low = word(r, state, 1);
    hlo_instr *sum = add(r, low, like(r, low, (uint64_t)used));
    hlo_instr *words[3];
    words[0] = hlo_build_slice(r, state, 0, 0, 1);
    words[1] = hlo_build_reshape(r, sum, &one, 1);
    uint32_t n = 2;
    if (state->shape->dims[0] == 3)
        words[n++] = hlo_build_reshape(r, with_carry(r, word(r, state, 2), sum, low), &one, 1);
    return hlo_build_as(hlo_build_concatenate(r, words, n, 0), shape);
}

static hlo_type unsigned_of_width(unsigned bits) {
    return bits == 8 ? HLO_U8 : bits == 16 ? HLO_U16 : bits == 32 ? HLO_U32 : HLO_U64;
}

hlo_instr *hlo_rewrite_expand_rng_bit_generator(hlo_rewriter *r, hlo_instr *generator) {
    hlo_instr *state = hlo_operand(generator, 0);
    bool gives_state = hlo_shape_is_tuple(generator->shape);
    if (gives_state && generator->shape->rank != 2) return NULL;
    const hlo_shape *shape = gives_state ? generator->shape->elements[1] : generator->shape;
    unsigned bits = hlo_types[shape->type].bits;
    const char *algorithm =
        hlo_word_text(HLO_WORDS_RNG_ALGORITHM, hlo_attr_int(generator, HLO_ATTR_RNG_ALGORITHM));
    bool is_threefry = strcmp(algorithm, "rng_three_fry") == 0;
    int64_t words =
        state->shape->rank == 1 && state->shape->type == HLO_U64 ? state->shape->dims[0] : 0;
    if (words < 2 || words > (is_threefry ? 2 : 3) || hlo_shape_elements(shape) <= 0) return NULL;
    if (bits < 8 || bits > 64 || (bits & (bits - 1))) return NULL;
    if (hlo_type_is_complex((hlo_type)shape->type)) return NULL; /* no bitcast makes one */
    int64_t used;
    hlo_instr *random = !is_threefry ? philox_words(r, state, shape, &used)
                        : bits == 64 ? threefry_64(r, state, shape, &used)
                                     : threefry_32(r, state, shape, &used);
    random = hlo_build_convert(r, random, unsigned_of_width(bits));
    if (random->shape->type != shape->type)
        random = hlo_build_bitcast_convert(r, random, (hlo_type)shape->type);
    hlo_instr *parts[2] = {NULL, NULL};
    if (gives_state) parts[0] = next_state(r, state, used, generator->shape->elements[0]);
    parts[1] = hlo_emit_unary(r, HLO_OP_RESHAPE, shape, random);
    if (!gives_state) return hlo_build_as(parts[1], shape);
    return hlo_build_as(hlo_emit_tuple(r, parts, 2), generator->shape);
}

/* ---- rng ---- */

/* The run's state counts 128-bit blocks; each rng has a key of its own, and each device. */
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
        id = hlo_build_binary(r, HLO_OP_SHIFT_LEFT, id, like(r, id, devices[i].shift));
        key = exclusive_or(r, key, id);
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
    hlo_instr *words = philox_words(r, state, hlo_shape_of_sizes(r, type, &count, 1), &used);
    delta.u.i = used;
    hlo_instr_set_attr(parts[1], delta);
    return words;
}

/* Random numbers in [0, 1), all of which the type holds: f32 from 24 bits, f64 from 53. */
static hlo_instr *fractions(hlo_rewriter *r, hlo_type type, int64_t count) {
    bool is_wide = type == HLO_F64;
    unsigned digits = is_wide ? 53 : 24, width = is_wide ? 64 : 32;
    hlo_instr *words = random_words(r, is_wide ? HLO_U64 : HLO_U32, count);
    words = hlo_build_binary(r, HLO_OP_SHIFT_RIGHT_LOGICAL, words, like(r, words, width - digits));
    hlo_instr *numbers = hlo_build_convert(r, words, type);
    return hlo_build_binary(r, HLO_OP_MULTIPLY, numbers,
                            hlo_build_number(r, numbers->shape, ldexp(1, -(int)digits)));
}

static hlo_instr *bound(hlo_rewriter *r, const hlo_instr *rng, uint32_t i, const hlo_instr *a) {
    hlo_instr *scalar = hlo_build_convert(r, hlo_operand(rng, i), (hlo_type)a->shape->type);
    return spread(r, scalar, a);
}

/* low + fraction * (high - low). What rounding lifts to the upper bound becomes the lower one. */
static hlo_instr *uniform_floats(hlo_rewriter *r, const hlo_instr *rng, hlo_type wide,
                                 int64_t count) {
    hlo_type type = (hlo_type)rng->shape->type;
    hlo_instr *x = fractions(r, wide, count);
    hlo_instr *low = bound(r, rng, 0, x), *high = bound(r, rng, 1, x);
    hlo_instr *range = hlo_build_binary(r, HLO_OP_SUBTRACT, high, low);
    x = add(r, hlo_build_binary(r, HLO_OP_MULTIPLY, x, range), low);
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
    return hlo_build_select(r, spread(r, in_order, words), add(r, low, offset), low);
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
    return add(r, hlo_build_binary(r, HLO_OP_MULTIPLY, x, deviation), mean);
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
