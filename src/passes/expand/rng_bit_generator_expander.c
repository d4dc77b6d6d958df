/* rng-bit-generator-expander: arithmetic on counters, bit for bit: Threefry 2x32 with 20 rounds
 * (Salmon and others, 2011), or Philox. */
#include "passes/expand/random_parts.h"

static hlo_instr *rotated(hlo_rewriter *r, hlo_instr *x, unsigned distance) {
    HLO_ASSERT(distance > 0);
    hlo_instr *left = hlo_build_binary(r, HLO_OP_SHIFT_LEFT, x, hlo_random_like(r, x, distance));
    hlo_instr *right =
        hlo_build_binary(r, HLO_OP_SHIFT_RIGHT_LOGICAL, x, hlo_random_like(r, x, 32 - distance));
    return hlo_build_binary(r, HLO_OP_OR, left, right);
}

/* Enciphers the counters x[0], x[1] under a scalar key. */
static void threefry(hlo_rewriter *r, hlo_instr *key, hlo_instr *x[2]) {
    static const unsigned distances[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    hlo_instr *keys[3];
    keys[0] = hlo_low_words(r, key);
    keys[1] = hlo_high_words(r, key);
    keys[2] = hlo_random_xor(r, hlo_random_xor(r, hlo_random_like(r, keys[0], 0x1BD11BDA), keys[0]),
                             keys[1]);
    for (int i = 0; i < 3; i++) keys[i] = hlo_random_spread(r, keys[i], x[0]);
    x[0] = hlo_random_sum(r, x[0], keys[0]);
    x[1] = hlo_random_sum(r, x[1], keys[1]);
    for (uint32_t group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            x[0] = hlo_random_sum(r, x[0], x[1]);
            x[1] = hlo_random_xor(r, rotated(r, x[1], distances[group % 2][i]), x[0]);
        }
        x[0] = hlo_random_sum(r, x[0], keys[(group + 1) % 3]);
        x[1] = hlo_random_sum(r, x[1], keys[(group + 2) % 3]);
        x[1] = hlo_random_sum(r, x[1], hlo_random_like(r, x[1], group + 1));
    }
}

static void threefry_words(hlo_rewriter *r, hlo_instr *state, const int64_t *sizes, uint32_t rank,
                           hlo_instr *x[2]) {
    hlo_instr *counters = hlo_counters(r, sizes, rank);
    counters =
        hlo_random_sum(r, counters, hlo_random_spread(r, hlo_state_word(r, state, 1), counters));
    x[0] = hlo_low_words(r, counters);
    x[1] = hlo_high_words(r, counters);
    threefry(r, hlo_state_word(r, state, 0), x);
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
    return hlo_joined_words(r, x[0], x[1]);
}

static hlo_instr *next_state(hlo_rewriter *r, hlo_instr *state, int64_t used,
                             const hlo_shape *shape) {
    int64_t one = 1;
    hlo_instr *low = hlo_state_word(r, state, 1);
    hlo_instr *sum = hlo_random_sum(r, low, hlo_random_like(r, low, (uint64_t)used));
    hlo_instr *words[3];
    words[0] = hlo_build_slice(r, state, 0, 0, 1);
    words[1] = hlo_build_reshape(r, sum, &one, 1);
    uint32_t n = 2;
    if (state->shape->dims[0] == 3)
        words[n++] =
            hlo_build_reshape(r, hlo_high_sum(r, hlo_state_word(r, state, 2), sum, low), &one, 1);
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
    hlo_instr *random = !is_threefry ? hlo_philox_words(r, state, shape, &used)
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
