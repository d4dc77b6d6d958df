/* Stable orders of numbers by radix sort: see order.h. Called by sort and topk. */
#include <stdlib.h>

#include "eval/kernels/lanes.h"
#include "eval/kernels/order.h"
#include "ir/float_types.h"

bool hlo_has_keys(hlo_type type) {
    return type == HLO_PRED || hlo_type_is_integral(type) || hlo_type_is_float(type);
}

/* Floats of a byte have their own ways with nan and zero: they are ordered as f32. */
static hlo_type key_type(hlo_type type) {
    return hlo_type_is_float(type) && hlo_types[type].bytes == 1 ? HLO_F32 : type;
}

static uint64_t bits_of(hlo_type type, const void *element) {
    uint64_t bits = hlo_element_bits(element, hlo_types[type].bytes);
    if (key_type(type) == type) return bits;
    return hlo_f32_bits(hlo_float_table(hlo_type_float_format(type))[bits]);
}

/* An unsigned number in the order of the elements; false for nan in a plain order. */
static bool key_of(const hlo_key_order *by, const void *element, uint64_t *key) {
    const hlo_type_info *type = &hlo_types[key_type(by->type)];
    uint64_t bits = bits_of(by->type, element);
    unsigned width = 8 * (unsigned)type->bytes;
    uint64_t sign = UINT64_C(1) << (width - 1), all = UINT64_MAX >> (64 - width);
    if (type->class == HLO_CLASS_FLOAT) {
        uint64_t infinity = (sign - 1) >> type->mantissa_bits << type->mantissa_bits;
        if (!by->total && (bits & ~sign) > infinity) return false;
        if (!by->total && bits == sign) bits = 0;
        bits = bits & sign ? ~bits & all : bits | sign;
    } else if (type->class == HLO_CLASS_SIGNED) {
        bits ^= sign;
    }
    *key = by->descending ? ~bits & all : bits;
    return true;
}

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, FEW = 32 };

static void insertion_sort(uint64_t *keys, int64_t *order, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        int64_t place = order[i], k = i;
        for (; k > 0 && keys[k - 1] > key; k--) {
            keys[k] = keys[k - 1];
            order[k] = order[k - 1];
        }
        keys[k] = key;
        order[k] = place;
    }
}

/* One pass: keys and positions move to the other arrays by one digit. False when all keys have the
 * same digit: nothing has moved. */
static bool radix_pass(const uint64_t *keys, const int64_t *order, int64_t n, unsigned shift,
                       uint64_t *to_keys, int64_t *to_order) {
    int64_t starts[DIGITS] = {0}, sum = 0;
    for (int64_t i = 0; i < n; i++) starts[keys[i] >> shift & (DIGITS - 1)]++;
    if (starts[keys[0] >> shift & (DIGITS - 1)] == n) return false;
    for (int d = 0; d < DIGITS; d++) {
        int64_t count = starts[d];
        starts[d] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t place = starts[keys[i] >> shift & (DIGITS - 1)]++;
        to_keys[place] = keys[i];
        to_order[place] = order[i];
    }
    return true;
}

bool hlo_order_by_keys(const hlo_key_order *by, const void *elements, int64_t n, int64_t *order,
                       uint64_t *scratch) {
    unsigned bytes = hlo_types[by->type].bytes;
    uint64_t *keys = scratch, *other_keys = scratch + n;
    int64_t *here = order, *there = (int64_t *)(scratch + 2 * n);
    for (int64_t i = 0; i < n; i++) {
        if (!key_of(by, (const char *)elements + i * bytes, &keys[i])) return false;
        order[i] = i;
    }
    if (n <= FEW) {
        insertion_sort(keys, order, n);
        return true;
    }
    unsigned key_bits = 8 * (unsigned)hlo_types[key_type(by->type)].bytes;
    for (unsigned shift = 0; shift < key_bits; shift += DIGIT_BITS) {
        if (!radix_pass(keys, here, n, shift, other_keys, there)) continue;
        uint64_t *sorted_keys = other_keys;
        int64_t *sorted = there;
        other_keys = keys, there = here;
        keys = sorted_keys, here = sorted;
    }
    if (here != order) memcpy(order, here, (size_t)n * sizeof *order);
    return true;
}
