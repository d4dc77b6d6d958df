/* Arithmetic on words, and random words by Philox 4x32 with 10 rounds (Salmon and others, 2011),
 * bit for bit. */
#include "passes/expand/random_parts.h"

hlo_instr *hlo_random_sum(hlo_rewriter *r, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(r, HLO_OP_ADD, a, b);
}

hlo_instr *hlo_random_xor(hlo_rewriter *r, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(r, HLO_OP_XOR, a, b);
}

hlo_instr *hlo_random_like(hlo_rewriter *r, hlo_instr *a, uint64_t bits) {
    return hlo_build_bits(r, a->shape, bits);
}

hlo_instr *hlo_random_spread(hlo_rewriter *r, hlo_instr *scalar, const hlo_instr *a) {
    return hlo_build_spread(r, scalar, a->shape, NULL);
}

hlo_instr *hlo_low_words(hlo_rewriter *r, hlo_instr *wide) {
    return hlo_build_convert(r, wide, HLO_U32);
}

hlo_instr *hlo_high_words(hlo_rewriter *r, hlo_instr *wide) {
    return hlo_low_words(
        r, hlo_build_binary(r, HLO_OP_SHIFT_RIGHT_LOGICAL, wide, hlo_random_like(r, wide, 32)));
}

hlo_instr *hlo_joined_words(hlo_rewriter *r, hlo_instr *low, hlo_instr *high) {
    hlo_instr *up = hlo_build_convert(r, high, HLO_U64);
    up = hlo_build_binary(r, HLO_OP_SHIFT_LEFT, up, hlo_random_like(r, up, 32));
    return hlo_build_binary(r, HLO_OP_OR, up, hlo_build_convert(r, low, HLO_U64));
}

hlo_instr *hlo_state_word(hlo_rewriter *r, hlo_instr *state, int64_t number) {
    HLO_ASSERT(number >= 0);
    return hlo_build_reshape(r, hlo_build_slice(r, state, 0, number, number + 1), NULL, 0);
}

hlo_instr *hlo_counters(hlo_rewriter *r, const int64_t *sizes, uint32_t rank) {
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) count *= sizes[i];
    hlo_instr *flat = hlo_build_iota(r, hlo_shape_of_sizes(r, HLO_U64, &count, 1), 0);
    return hlo_build_reshape(r, flat, sizes, rank);
}

/* Words side by side: [sizes..., n] for n arrays of [sizes...], as one dimension. */
static hlo_instr *interleaved(hlo_rewriter *r, hlo_instr *const *parts, uint32_t n) {
    int64_t count = hlo_shape_elements(parts[0]->shape), all = count * n;
    HLO_ASSERT(n > 0);
    hlo_instr *columns[4];
    for (uint32_t i = 0; i < n; i++)
        columns[i] = hlo_build_reshape(r, parts[i], (int64_t[]){count, 1}, 2);
    return hlo_build_reshape(r, hlo_build_concatenate(r, columns, n, 1), &all, 1);
}

/* The product of 32-bit words with a constant: high and low word. */
static void widening_product(hlo_rewriter *r, hlo_instr *x, uint32_t factor, hlo_instr **low,
                             hlo_instr **high) {
    hlo_instr *wide = hlo_build_convert(r, x, HLO_U64);
    wide = hlo_build_binary(r, HLO_OP_MULTIPLY, wide, hlo_random_like(r, wide, factor));
    *low = hlo_low_words(r, wide);
    *high = hlo_high_words(r, wide);
}

static void philox(hlo_rewriter *r, hlo_instr *key, hlo_instr *x[4]) {
    hlo_instr *k[2];
    k[0] = hlo_low_words(r, key);
    k[1] = hlo_high_words(r, key);
    for (int round = 0; round < 10; round++) {
        hlo_instr *low[2], *high[2];
        widening_product(r, x[0], 0xD2511F53, &low[0], &high[0]);
        widening_product(r, x[2], 0xCD9E8D57, &low[1], &high[1]);
        x[0] = hlo_random_xor(r, high[1], x[1]);
        x[0] = hlo_random_xor(r, x[0], hlo_random_spread(r, k[0], x[0]));
        x[1] = low[1];
        x[2] = hlo_random_xor(r, high[0], x[3]);
        x[2] = hlo_random_xor(r, x[2], hlo_random_spread(r, k[1], x[0]));
        x[3] = low[0];
        k[0] = hlo_random_sum(r, k[0], hlo_random_like(r, k[0], 0x9E3779B9));
        k[1] = hlo_random_sum(r, k[1], hlo_random_like(r, k[1], 0xBB67AE85));
    }
}

hlo_instr *hlo_high_sum(hlo_rewriter *r, hlo_instr *high, hlo_instr *sum, hlo_instr *low) {
    hlo_instr *carry = hlo_build_convert(r, hlo_build_compare(r, sum, low, "LT"), HLO_U64);
    return hlo_random_sum(r, carry, high);
}

/* A state of two words is key and counter; the key is the counter's high word as well. */
hlo_instr *hlo_philox_words(hlo_rewriter *r, hlo_instr *state, const hlo_shape *shape,
                            int64_t *used) {
    bool is_wide = hlo_types[shape->type].bits == 64, has_high = state->shape->dims[0] == 3;
    int64_t count = hlo_shape_elements(shape), each = is_wide ? 2 : 4;
    int64_t blocks = (count + each - 1) / each;
    hlo_instr *key = hlo_state_word(r, state, 0), *number = hlo_counters(r, &blocks, 1);
    hlo_instr *start = hlo_random_spread(r, hlo_state_word(r, state, 1), number);
    hlo_instr *low = hlo_random_sum(r, number, start);
    hlo_instr *high = hlo_high_sum(
        r, hlo_random_spread(r, has_high ? hlo_state_word(r, state, 2) : key, number), low, start);
    hlo_instr *x[4];
    x[0] = hlo_low_words(r, low);
    x[1] = hlo_high_words(r, low);
    x[2] = hlo_low_words(r, high);
    x[3] = hlo_high_words(r, high);
    philox(r, key, x);
    *used = blocks;
    if (is_wide) {
        x[0] = hlo_joined_words(r, x[0], x[1]);
        x[1] = hlo_joined_words(r, x[2], x[3]);
    }
    return hlo_build_slice(r, interleaved(r, x, (uint32_t)each), 0, 0, count);
}
