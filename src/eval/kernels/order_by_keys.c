/* Stable orders of numbers by radix sort: see order.h. Called by sort and topk. */
#include <stdlib.h>

#include "base/pool.h"
#include "eval/kernels/lanes.h"
#include "eval/kernels/order.h"
#include "ir/float_types.h"

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

/* Keys, and positions as they are. False when an element has no key, and when the pool was
 * stopped. */
static bool make_keys(const hlo_key_order *by, const char *elements, int64_t n, uint64_t *keys,
                      int64_t *order) {
    unsigned bytes = hlo_types[by->type].bytes;
    for (int64_t first = 0, end; first < n; first = end) {
        end = hlo_range_end(first, n);
        if (hlo_pool_is_stopped()) return false;
        for (int64_t i = first; i < end; i++) {
            if (!key_of(by, elements + i * bytes, &keys[i])) return false;
            order[i] = i;
        }
    }
    return true;
}

/* How many keys have each digit. */
static bool count_digits(const uint64_t *keys, int64_t n, unsigned shift, int64_t *counts) {
    for (int64_t first = 0, end; first < n; first = end) {
        end = hlo_range_end(first, n);
        if (hlo_pool_is_stopped()) return false;
        for (int64_t i = first; i < end; i++) counts[keys[i] >> shift & (DIGITS - 1)]++;
    }
    return true;
}

/* Counts become the place of each digit's first key. */
static void place_digits(int64_t *counts) {
    int64_t sum = 0;
    for (int d = 0; d < DIGITS; d++) {
        int64_t count = counts[d];
        counts[d] = sum;
        sum += count;
    }
}

typedef struct {
    uint64_t *keys;
    int64_t *order;
} keyed;

static bool move_by_digit(keyed from, keyed to, int64_t n, unsigned shift, int64_t *places) {
    for (int64_t first = 0, end; first < n; first = end) {
        end = hlo_range_end(first, n);
        if (hlo_pool_is_stopped()) return false;
        for (int64_t i = first; i < end; i++) {
            int64_t place = places[from.keys[i] >> shift & (DIGITS - 1)]++;
            to.keys[place] = from.keys[i];
            to.order[place] = from.order[i];
        }
    }
    return true;
}

/* A stable order by all digits; *from is where it ends. False when the pool was stopped. */
static bool radix_sort(keyed *from, keyed to, int64_t n, unsigned key_bits) {
    for (unsigned shift = 0; shift < key_bits; shift += DIGIT_BITS) {
        int64_t places[DIGITS] = {0};
        if (!count_digits(from->keys, n, shift, places)) return false;
        if (places[from->keys[0] >> shift & (DIGITS - 1)] == n) continue; /* all have the same */
        place_digits(places);
        if (!move_by_digit(*from, to, n, shift, places)) return false;
        keyed sorted = to;
        to = *from;
        *from = sorted;
    }
    return true;
}

bool hlo_order_by_keys(const hlo_key_order *by, const void *elements, int64_t n, int64_t *order,
                       uint64_t *scratch) {
    keyed here = {scratch, order}, other = {scratch + n, (int64_t *)(scratch + 2 * n)};
    if (!make_keys(by, elements, n, here.keys, order)) return false;
    if (n <= FEW) {
        insertion_sort(here.keys, order, n);
        return true;
    }
    unsigned key_bits = 8 * (unsigned)hlo_types[key_type(by->type)].bytes;
    if (!radix_sort(&here, other, n, key_bits)) return false;
    if (here.order != order) memcpy(order, here.order, (size_t)n * sizeof *order);
    return true;
}
