/* Conversions of floats to small floats and to integers against their definition, number by number,
 * with the loops of every instruction set that this machine has. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "eval/kernel/lanes_isa.h"
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

/* All elements of a type of two bytes, and f32 from end to end of its bits: the same bits as one
 * by one, of nan too. */
static void check_halves(const hlo_lanes_set *set, hlo_type type) {
    enum { STEP = 1999 };
    static uint16_t patterns[HIGH], back[HIGH];
    static float decoded[HIGH];
    const bool is_bf16 = type == HLO_BF16;
    const hlo_lanes decode = {.arity = 1, .from = type, .to = HLO_F32, .operands = {type}};
    const hlo_lanes encode = {.arity = 1, .from = HLO_F32, .to = type, .operands = {HLO_F32}};
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < HIGH; k++) patterns[k] = (uint16_t)k;
    set->of_convert(type, HLO_F32)(&decode, decoded, (const void *[]){patterns}, HIGH);
    for (uint32_t k = 0; k < HIGH; k++) {
        float one = is_bf16 ? hlo_bf16_to_f32(patterns[k]) : hlo_f16_to_f32(patterns[k]);
        wrong += hlo_f32_bits(decoded[k]) != hlo_f32_bits(one);
    }
    check(wrong == 0, "decoded");
    for (uint64_t first = 0; first <= UINT32_MAX; first += (uint64_t)STEP * HIGH) {
        size_t n = HIGH - first % 17; /* not all of them at once */
        for (uint32_t k = 0; k < n; k++) decoded[k] = hlo_f32_from_bits((uint32_t)first + k * STEP);
        set->of_convert(HLO_F32, type)(&encode, back, (const void *[]){decoded}, n);
        for (uint32_t k = 0; k < n; k++)
            wrong +=
                back[k] != (is_bf16 ? hlo_f32_to_bf16(decoded[k]) : hlo_f32_to_f16(decoded[k]));
    }
    check(wrong == 0, "encoded");
}

/* The samples of check_pair, bit by bit. */
static void check_bits(const hlo_lanes_set *set, hlo_type type) {
    static uint16_t out[COUNT];
    const hlo_lanes encode = {.arity = 1, .from = HLO_F32, .to = type, .operands = {HLO_F32}};
    uint32_t wrong = 0;
    set->of_convert(HLO_F32, type)(&encode, out, (const void *[]){numbers}, COUNT);
    for (uint32_t k = 0; k < COUNT; k++)
        wrong +=
            out[k] != (type == HLO_BF16 ? hlo_f32_to_bf16(numbers[k]) : hlo_f32_to_f16(numbers[k]));
    check(wrong == 0, set->name);
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
            if (type != HLO_BF16 && type != HLO_F16) continue;
            check_halves(set, type);
            check_bits(set, type);
        }
    free(out);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
