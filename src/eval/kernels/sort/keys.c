/* Keys of elements: see keys.h. */
#include "eval/kernels/sort/keys.h"

#include "eval/kernels/sort/key_kernels.h"
#include "ir/float_types.h"

bool hlo_has_keys(hlo_type type) {
    return type == HLO_PRED || hlo_type_is_integral(type) || hlo_type_is_float(type);
}

/* ---- elements of a byte ---- */

/* Floats of a byte have their own ways with NaN and zero: they are ordered as f32. */
static uint32_t byte_as_f32(hlo_type type, unsigned byte) {
    return hlo_f32_bits(hlo_float_table(hlo_type_float_format(type))[byte]);
}

/* A number in the order of the elements, and what it stands for. */
static unsigned order_byte(const hlo_key_order *by, unsigned byte, int64_t *number) {
    const uint32_t sign = UINT32_C(1) << 31, infinity = 0x7f800000;
    unsigned found = 0;
    *number = hlo_types[by->type].class == HLO_CLASS_SIGNED ? (int8_t)byte : (int64_t)byte;
    if (hlo_type_is_float(by->type)) {
        uint32_t bits = byte_as_f32(by->type, byte);
        if (!by->total && (bits & ~sign) > infinity) found = HLO_KEYS_NAN;
        if (!by->total && bits == sign) found = HLO_KEYS_MINUS_ZERO;
        if (found == HLO_KEYS_MINUS_ZERO) bits = 0;
        *number = bits & sign ? ~bits : bits | sign;
    }
    if (by->descending) *number = -*number;
    if (found == HLO_KEYS_NAN) *number = INT64_MIN;
    return found;
}

/* The rank of a byte is how many different numbers are less than its own; 0 is that of NaN alone
 * where there are any. */
static void rank_bytes(hlo_keys *keys, hlo_arena *arena) {
    int64_t numbers[256];
    uint8_t *ranks = HLO_NEW_ARRAY(arena, uint8_t, 256);
    uint8_t *elements = HLO_NEW_ARRAY(arena, uint8_t, 256);
    uint8_t *found = HLO_NEW_ARRAY(arena, uint8_t, 256);
    bool is_first[256];
    for (unsigned i = 0; i < 256; i++) {
        found[i] = (uint8_t)order_byte(&keys->by, i, &numbers[i]);
        is_first[i] = true;
        for (unsigned k = 0; k < i && is_first[i]; k++) is_first[i] = numbers[k] != numbers[i];
    }
    for (unsigned i = 256; i-- > 0;) {
        unsigned rank = 0;
        for (unsigned k = 0; k < 256; k++) rank += is_first[k] && numbers[k] < numbers[i];
        ranks[i] = (uint8_t)rank;
        if (is_first[i]) elements[ranks[i]] = (uint8_t)i;
    }
    keys->ranks = ranks;
    keys->elements = elements;
    keys->found = found;
}

static unsigned make_ranks(const hlo_keys *keys, const uint8_t *x, uint8_t *to, size_t n) {
    unsigned found = 0;
    for (size_t i = 0; i < n; i++) {
        found |= keys->found[x[i]];
        to[i] = keys->ranks[x[i]];
    }
    return found;
}

static uint64_t least_rank(const hlo_keys *keys, const uint8_t *x, size_t n, unsigned *found) {
    unsigned least = UINT8_MAX;
    for (size_t i = 0; i < n; i++) {
        *found |= keys->found[x[i]];
        least = keys->ranks[x[i]] < least ? keys->ranks[x[i]] : least;
    }
    return least;
}

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
    keys.kernels = &hlo_key_chosen()->of[keys.bytes == 2 ? 0 : keys.bytes == 4 ? 1 : 2];
    return keys;
}

unsigned hlo_keys_make(const hlo_keys *keys, const void *elements, void *to, size_t n) {
    return keys->ranks ? make_ranks(keys, elements, to, n)
                       : keys->kernels->make(keys, elements, to, n);
}

void hlo_keys_restore(const hlo_keys *keys, const void *from, void *elements, size_t n) {
    const uint8_t *ranks = from;
    uint8_t *bytes = elements;
    if (!keys->ranks) keys->kernels->restore(keys, from, elements, n);
    else
        for (size_t i = 0; i < n; i++) bytes[i] = keys->elements[ranks[i]];
}

uint64_t hlo_keys_least(const hlo_keys *keys, const void *elements, size_t n, unsigned *found) {
    if (!n) return UINT64_MAX;
    return keys->ranks ? least_rank(keys, elements, n, found)
                       : keys->kernels->least(keys, elements, n, found);
}
