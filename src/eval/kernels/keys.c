/* Keys of elements: see keys.h. Called by sort and topk. */
#include "eval/kernels/keys.h"

#include "ir/float_types.h"

bool hlo_has_keys(hlo_type type) {
    return type == HLO_PRED || hlo_type_is_integral(type) || hlo_type_is_float(type);
}

/* ---- elements of a byte ---- */

/* Floats of a byte have their own ways with NaN and zero: they are ordered as f32. */
static float byte_as_f32(hlo_type type, unsigned byte) {
    return hlo_float_table(hlo_type_float_format(type))[byte];
}

/* A number in the order of the elements; false for NaN in a plain order. */
static bool order_byte(const hlo_key_order *by, unsigned byte, int64_t *number) {
    *number = hlo_types[by->type].class == HLO_CLASS_SIGNED ? (int8_t)byte : (int64_t)byte;
    if (hlo_type_is_float(by->type)) {
        uint32_t bits = hlo_f32_bits(byte_as_f32(by->type, byte)), sign = UINT32_C(1) << 31;
        if (!by->total && (bits & ~sign) > UINT32_C(0x7f800000)) return false;
        if (!by->total && bits == sign) bits = 0;
        *number = bits & sign ? ~bits : bits | sign;
    }
    if (by->descending) *number = -*number;
    return true;
}

/* The rank of a byte is how many different numbers are less than its own. */
static void rank_bytes(hlo_keys *keys, hlo_arena *arena) {
    int64_t numbers[256];
    uint8_t *ranks = HLO_NEW_ARRAY(arena, uint8_t, 256),
            *elements = HLO_NEW_ARRAY(arena, uint8_t, 256);
    bool *has_rank = HLO_NEW_ARRAY(arena, bool, 256), is_first[256] = {false};
    for (unsigned i = 0; i < 256; i++) {
        has_rank[i] = is_first[i] = order_byte(&keys->by, i, &numbers[i]);
        for (unsigned k = 0; k < i && is_first[i]; k++)
            if (has_rank[k] && numbers[k] == numbers[i]) is_first[i] = false;
    }
    for (unsigned i = 0; i < 256; i++)
        for (unsigned k = 0; k < 256 && has_rank[i]; k++)
            if (is_first[k] && numbers[k] < numbers[i]) ranks[i]++;
    for (unsigned i = 256; i-- > 0;)
        if (is_first[i]) elements[ranks[i]] = (uint8_t)i;
    keys->ranks = ranks;
    keys->elements = elements;
    keys->has_rank = has_rank;
}

static bool make_ranks(const hlo_keys *keys, const void *elements, void *to, size_t n) {
    const uint8_t *x = elements;
    uint8_t *key = to;
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        all &= keys->has_rank[x[i]];
        key[i] = keys->ranks[x[i]];
    }
    return all;
}

/* ---- wider elements ---- */

/* Negative floats are ordered by their bits turned over, others come after them. `U` is as wide as
 * the elements. */
#define HLO_WIDE_KEYS(U, bits)                                                                     \
    static bool make_##bits(const hlo_keys *keys, const void *elements, void *to, size_t n) {      \
        const U *x = elements;                                                                     \
        U *key = to, mask = (U)keys->mask, sign = (U)((U)1 << (bits - 1)), beyond = 0;             \
        U infinity = (U)keys->infinity;                                                            \
        if (!keys->is_float) {                                                                     \
            for (size_t i = 0; i < n; i++) key[i] = x[i] ^ mask;                                   \
        } else if (keys->by.total) {                                                               \
            for (size_t i = 0; i < n; i++)                                                         \
                key[i] = (U)(x[i] ^ ((U)(0 - (x[i] >> (bits - 1))) | sign) ^ mask);                \
        } else {                                                                                   \
            for (size_t i = 0; i < n; i++) {                                                       \
                U b = x[i] == sign ? 0 : x[i];                                                     \
                beyond |= (U)((U)(b & (U)~sign) > infinity);                                       \
                key[i] = (U)(b ^ ((U)(0 - (b >> (bits - 1))) | sign) ^ mask);                      \
            }                                                                                      \
        }                                                                                          \
        return !beyond;                                                                            \
    }                                                                                              \
    static void restore_##bits(const hlo_keys *keys, const void *from, void *elements, size_t n) { \
        const U *key = from;                                                                       \
        U *x = elements, mask = (U)keys->mask, sign = (U)((U)1 << (bits - 1));                     \
        if (!keys->is_float) {                                                                     \
            for (size_t i = 0; i < n; i++) x[i] = key[i] ^ mask;                                   \
            return;                                                                                \
        }                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            U b = key[i] ^ mask;                                                                   \
            x[i] = (U)(b ^ ((U)((b >> (bits - 1)) - 1) | sign));                                   \
        }                                                                                          \
    }

HLO_WIDE_KEYS(uint16_t, 16)
HLO_WIDE_KEYS(uint32_t, 32)
HLO_WIDE_KEYS(uint64_t, 64)

/* ---- all of them ---- */

hlo_keys hlo_keys_of(const hlo_key_order *by, hlo_arena *arena) {
    const hlo_type_info *type = &hlo_types[by->type];
    hlo_keys keys = {.by = *by, .bytes = type->bytes, .infinity = UINT64_MAX};
    if (keys.bytes == 1) {
        rank_bytes(&keys, arena);
        return keys;
    }
    unsigned width = 8 * keys.bytes;
    uint64_t sign = UINT64_C(1) << (width - 1), all = UINT64_MAX >> (64 - width);
    keys.is_float = type->class == HLO_CLASS_FLOAT;
    if (keys.is_float) keys.infinity = (sign - 1) >> type->mantissa_bits << type->mantissa_bits;
    keys.mask = (by->descending ? all : 0) ^ (type->class == HLO_CLASS_SIGNED ? sign : 0);
    return keys;
}

bool hlo_keys_make(const hlo_keys *keys, const void *elements, void *to, size_t n) {
    switch (keys->bytes) {
    case 1: return make_ranks(keys, elements, to, n);
    case 2: return make_16(keys, elements, to, n);
    case 4: return make_32(keys, elements, to, n);
    default: return make_64(keys, elements, to, n);
    }
}

void hlo_keys_restore(const hlo_keys *keys, const void *from, void *elements, size_t n) {
    const uint8_t *ranks = from;
    uint8_t *bytes = elements;
    switch (keys->bytes) {
    case 1:
        for (size_t i = 0; i < n; i++) bytes[i] = keys->elements[ranks[i]];
        break;
    case 2: restore_16(keys, from, elements, n); break;
    case 4: restore_32(keys, from, elements, n); break;
    default: restore_64(keys, from, elements, n); break;
    }
}
