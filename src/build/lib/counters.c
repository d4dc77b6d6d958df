/* Threefry and Philox: J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as
 * 1, 2, 3, SC 2011. */
#include "build/lib/counters.h"

/* ---- words ---- */

void hlo_lib_split_u64(hlo_builder *b, hlo_term u64, hlo_term *low, hlo_term *high) {
    hlo_term shift = hlo_lib_integer(b, HLO_U64, 32);
    *low = hlo_lib_convert(b, u64, HLO_U32);
    *high =
        hlo_lib_convert(b, hlo_builder_shift_right_logical(b, u64, shift, HLO_NO_DIMS), HLO_U32);
}

hlo_term hlo_lib_join_u64(hlo_builder *b, hlo_term low, hlo_term high) {
    hlo_term below = hlo_lib_convert(b, low, HLO_U64), above = hlo_lib_convert(b, high, HLO_U64);
    hlo_term shift = hlo_lib_integer(b, HLO_U64, 32);
    above = hlo_builder_shift_left(b, above, shift, HLO_NO_DIMS);
    return hlo_builder_or(b, below, above, HLO_NO_DIMS);
}

static hlo_term add(hlo_builder *b, hlo_term x, hlo_term y) {
    return hlo_builder_add(b, x, y, HLO_NO_DIMS);
}

static hlo_term exclusive_or(hlo_builder *b, hlo_term x, hlo_term y) {
    return hlo_builder_xor(b, x, y, HLO_NO_DIMS);
}

static hlo_term word(hlo_builder *b, uint32_t value) {
    return hlo_lib_integer(b, HLO_U32, (int64_t)value);
}

/* ---- Threefry ---- */

static hlo_term rotated(hlo_builder *b, hlo_term v, uint32_t distance) {
    hlo_term up = hlo_builder_shift_left(b, v, word(b, distance), HLO_NO_DIMS);
    hlo_term down = hlo_builder_shift_right_logical(b, v, word(b, 32 - distance), HLO_NO_DIMS);
    return hlo_builder_or(b, up, down, HLO_NO_DIMS);
}

static void mix(hlo_builder *b, hlo_term x[2], uint32_t rotation) {
    x[0] = add(b, x[0], x[1]);
    x[1] = rotated(b, x[1], rotation);
    x[1] = exclusive_or(b, x[0], x[1]);
}

void hlo_lib_threefry(hlo_builder *b, const hlo_term input[2], const hlo_term key[2],
                      hlo_term output[2]) {
    static const uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    hlo_term keys[3] = {NULL, NULL, word(b, 0x1BD11BDA)}, x[2];
    for (int i = 0; i < 2; i++) {
        keys[i] = hlo_builder_bitcast_convert_type(b, key[i], HLO_TYPE_U32);
        keys[2] = exclusive_or(b, keys[2], keys[i]);
    }
    for (int i = 0; i < 2; i++) x[i] = add(b, input[i], keys[i]);
    for (uint32_t group = 1; group <= 5; group++) {
        for (int i = 0; i < 4; i++) mix(b, x, rotations[(group - 1) % 2][i]);
        x[0] = add(b, x[0], keys[group % 3]);
        x[1] = add(b, x[1], keys[(group + 1) % 3]);
        x[1] = add(b, x[1], word(b, group));
    }
    output[0] = x[0];
    output[1] = x[1];
}

/* ---- Philox ---- */

static void multiply(hlo_builder *b, hlo_term x, uint32_t factor, hlo_term *high, hlo_term *low) {
    hlo_term wide = hlo_lib_convert(b, x, HLO_U64);
    hlo_term by = hlo_lib_integer(b, HLO_U64, (int64_t)factor);
    hlo_term product = hlo_builder_mul(b, wide, by, HLO_NO_DIMS);
    *low = hlo_lib_convert(b, product, HLO_U32);
    hlo_term shift = hlo_lib_integer(b, HLO_U64, 32);
    *high = hlo_lib_convert(b, hlo_builder_shift_right_logical(b, product, shift, HLO_NO_DIMS),
                            HLO_U32);
}

static hlo_lib_words philox_round(hlo_builder *b, hlo_lib_words x, const hlo_term key[2]) {
    hlo_term high0, low0, high1, low1;
    multiply(b, x.v[0], 0xD2511F53, &high0, &low0);
    multiply(b, x.v[2], 0xCD9E8D57, &high1, &low1);
    hlo_term first = exclusive_or(b, exclusive_or(b, high1, x.v[1]), key[0]);
    hlo_term third = exclusive_or(b, exclusive_or(b, high0, x.v[3]), key[1]);
    return (hlo_lib_words){{first, low1, third, low0}};
}

hlo_lib_words hlo_lib_philox(hlo_builder *b, hlo_lib_words state, const hlo_term key[2]) {
    hlo_term keys[2] = {key[0], key[1]};
    for (int round = 0; round < 10; round++) {
        state = philox_round(b, state, keys);
        keys[0] = add(b, keys[0], word(b, 0x9E3779B9));
        keys[1] = add(b, keys[1], word(b, 0xBB67AE85));
    }
    return state;
}
