/* Conversions of floats to small floats and to integers against their definition, number by number,
 * with the loops of every instruction set that this machine has. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "eval/kernels/lanes_isa.h"
#include "ir/float_types.h"

/* Every sign, exponent and upper mantissa bit of f32, with what rounding depends on below. */
static const uint32_t low_bits[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
enum { HIGH = 1 << 16, LOW = sizeof low_bits / sizeof *low_bits, COUNT = HIGH * LOW };

static float numbers[COUNT];
static double wide[COUNT];

/* Doubles: the same, and numbers next to them. */
static void fill_numbers(void) {
    for (uint32_t high = 0; high < HIGH; high++)
        for (uint32_t low = 0; low < LOW; low++) {
            uint32_t k = high * LOW + low;
            numbers[k] = hlo_f32_from_bits(high << 16 | low_bits[low]);
            wide[k] = nextafter((double)numbers[k], low % 2 ? INFINITY : 0);
        }
}

/* Cut off, as far as the type goes; 0 for nan. */
static uint64_t as_integer(hlo_type type, double value) {
    int bits = hlo_types[type].bits;
    bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
    double beyond = ldexp(1, bits - is_signed);
    uint64_t largest = UINT64_MAX >> (64 - bits) >> is_signed;
    if (isnan(value)) return 0;
    if (value >= beyond) return largest;
    if (is_signed) return (uint64_t)(value <= -beyond ? -1 - (int64_t)largest : (int64_t)value);
    return value <= 0 ? 0 : (uint64_t)value;
}

static uint64_t expected(hlo_type to, double value) {
    if (to == HLO_PRED) return value != 0;
    return hlo_type_is_float(to) ? hlo_float_encode(to, value) : as_integer(to, value);
}

/* A nan may have any of its bits. */
static bool is_same(hlo_type to, uint64_t bits, uint64_t wanted) {
    if (bits == wanted) return true;
    return hlo_type_is_float(to) && isnan(hlo_float_decode(to, bits)) &&
           isnan(hlo_float_decode(to, wanted));
}

static void check_pair(const hlo_lanes_set *set, hlo_type from, hlo_type to, unsigned char *out) {
    const void *in = from == HLO_F32 ? (const void *)numbers : wide;
    const hlo_lanes lanes = {.arity = 1, .from = from, .to = to, .operands = {from}};
    unsigned bytes = hlo_types[to].bytes;
    uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
    uint32_t wrong = 0;
    set->of_convert(from, to)(&lanes, out, &in, COUNT);
    for (uint32_t k = 0; k < COUNT; k++) {
        double value = from == HLO_F32 ? (double)numbers[k] : wide[k];
        uint64_t bits = hlo_element_bits(out + (size_t)k * bytes, bytes);
        if (is_same(to, bits, expected(to, value) & mask)) continue;
        if (wrong++ == 0)
            printf("%s: %s %a becomes %s 0x%llx\n", set->name, hlo_types[from].text, value,
                   hlo_types[to].text, (unsigned long long)bits);
    }
    check(wrong == 0, hlo_types[to].text);
}

int main(void) {
    unsigned char *out = malloc((size_t)COUNT * 8);
    const hlo_lanes_set *set;
    fill_numbers();
    for (uint32_t i = 0; out && (set = hlo_lanes_set_at(i)); i++)
        for (int to = 0; to < HLO_TYPE_COUNT; to++) {
            hlo_type type = (hlo_type)to;
            if (!hlo_type_is_array(type) || hlo_type_is_complex(type)) continue;
            check_pair(set, HLO_F32, type, out);
            check_pair(set, HLO_F64, type, out);
        }
    free(out);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
