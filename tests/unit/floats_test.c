/* Float formats and decimal numbers: every bit pattern of the small formats against a search
 * through their values, and conversions to and from text against the C library. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "ir/float_types.h"
#include "parse/number.h"

static int passed, failed;

static void check(bool holds, const char *what, const char *name) {
    if (holds) {
        passed++;
    } else {
        failed++;
        printf("failed: %s: %s\n", name, what);
    }
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static const char *const format_names[HLO_FLOAT_COUNT] = {
#define HLO_FLOAT(id, ...) [HLO_FLOAT_##id] = #id,
#include "base/floats.def"
#undef HLO_FLOAT
};

/* ---- formats ---- */

/* What the documents specify for each type: bits, smallest and largest positive value, and the bits
 * that 1, infinity, a value too large, nan and -0 become. */
static const struct {
    hlo_type type;
    double least, largest;
    uint64_t one, infinity, too_large, nan, minus_zero;
} facts[] = {
    {HLO_F16, 0x1p-24, 65504, 0x3c00, 0x7c00, 0x7c00, 0x7e00, 0x8000},
    {HLO_BF16, 0x1p-133, 0x1.fep127, 0x3f80, 0x7f80, 0x7f80, 0x7fc0, 0x8000},
    {HLO_F8E5M2, 0x1p-16, 57344, 0x3c, 0x7c, 0x7c, 0x7e, 0x80},
    {HLO_F8E4M3, 0x1p-9, 240, 0x38, 0x78, 0x78, 0x7c, 0x80},
    {HLO_F8E4M3FN, 0x1p-9, 448, 0x38, 0x7f, 0x7f, 0x7f, 0x80},
    {HLO_F8E4M3B11FNUZ, 0x1p-13, 30, 0x58, 0x80, 0x80, 0x80, 0x00},
    {HLO_F8E4M3FNUZ, 0x1p-10, 240, 0x40, 0x80, 0x80, 0x80, 0x00},
    {HLO_F8E5M2FNUZ, 0x1p-17, 57344, 0x40, 0x80, 0x80, 0x80, 0x00},
    {HLO_F8E3M4, 0x1p-6, 15.5, 0x30, 0x70, 0x70, 0x78, 0x80},
    {HLO_F8E8M0FNU, 0x1p-127, 0x1p127, 0x7f, 0xff, 0xff, 0xff, 0xff},
    {HLO_F4E2M1FN, 0.5, 6, 0x2, 0x7, 0x7, 0x8, 0x8},
    {HLO_F6E2M3FN, 0.125, 7.5, 0x8, 0x1f, 0x1f, 0x20, 0x20},
    {HLO_F6E3M2FN, 0.0625, 28, 0xc, 0x1f, 0x1f, 0x20, 0x20},
};

enum { FACTS = sizeof facts / sizeof *facts };

static void test_facts(void) {
    for (int i = 0; i < FACTS; i++) {
        hlo_type type = facts[i].type;
        const char *name = hlo_types[type].text;
        const hlo_float_format *f = hlo_type_float_format(type);
        check(hlo_float_decode(type, f->max_finite) == facts[i].largest, "the largest value", name);
        uint64_t least = f->specials == HLO_FLOAT_SCALE ? 0 : 1;
        check(hlo_float_decode(type, least) == facts[i].least, "the smallest positive value", name);
        check(hlo_float_encode(type, 1) == facts[i].one, "one", name);
        check(hlo_float_encode(type, (double)INFINITY) == facts[i].infinity, "infinity", name);
        check(hlo_float_encode(type, 1e300) == facts[i].too_large, "a value too large", name);
        check(hlo_float_encode(type, (double)NAN) == facts[i].nan, "nan", name);
        check(hlo_float_encode(type, -0.0) == facts[i].minus_zero, "-0", name);
    }
    check(hlo_type_float_format(HLO_S32) == NULL, "no format", "s32");
    check(hlo_type_float_format(HLO_C128)->id == HLO_FLOAT_F64, "parts are f64", "c128");
}

/* The finite values of a format of up to 16 bits in rising order: bits without sign are in order.
 */
static uint32_t positive_values(const hlo_float_format *f, double *values) {
    for (uint64_t bits = 0; bits <= f->max_finite; bits++)
        values[bits] = hlo_float_to_double(f, bits);
    return (uint32_t)f->max_finite + 1;
}

/* The bits of the value next to x >= 0, ties to even bits (SCALE: up); the number of values when x
 * is half a step or more beyond the largest. */
static uint32_t nearest(const double *values, uint32_t n, double x, bool ties_up) {
    uint32_t low = 0, high = n;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (values[middle] <= x) low = middle;
        else high = middle;
    }
    if (x <= values[low]) return low;
    double above = low + 1 < n ? values[low + 1] : 2 * values[low] - (low ? values[low - 1] : 0);
    if (ties_up && low + 1 == n) above = 2 * values[low];
    double down = x - values[low], up = above - x;
    if (down == up) return ties_up || (low & 1) ? low + 1 : low;
    return down < up ? low : low + 1;
}

static uint64_t wanted_bits(const hlo_float_format *f, uint32_t bits, uint32_t n, bool negative) {
    if (bits < n)
        return f->specials == HLO_FLOAT_FNUZ && bits == 0 ? 0 : bits | (negative ? f->sign : 0);
    if (f->specials == HLO_FLOAT_FINITE) return f->max_finite | (negative ? f->sign : 0);
    if (f->specials == HLO_FLOAT_IEEE) return (f->max_finite + 1) | (negative ? f->sign : 0);
    return f->specials == HLO_FLOAT_FN && negative ? f->nan | f->sign : f->nan;
}

static void test_rounding(const hlo_float_format *f, const char *name) {
    static double values[1 << 16];
    uint32_t n = positive_values(f, values), wrong = 0;
    bool scale = f->specials == HLO_FLOAT_SCALE;
    for (uint32_t i = 0; i + 1 < n; i++) wrong += !(values[i] < values[i + 1]);
    check(wrong == 0, "values rise with their bits", name);
    for (uint32_t i = 0; i < 4 * n + 4000; i++) {
        uint32_t at = i / 4 < n ? i / 4 : (uint32_t)(random_bits() % n);
        double next =
            at + 1 < n ? values[at + 1] : values[at] + (values[at] - (at ? values[at - 1] : 0));
        double middle = (values[at] + next) / 2, x = values[at];
        if (i % 4 == 1) x = middle;
        if (i % 4 == 2) x = nextafter(middle, 0);
        if (i % 4 == 3) x = nextafter(middle, (double)INFINITY);
        if (i >= 4 * n)
            x = values[at] + (next - values[at]) * (double)(random_bits() >> 11) * 0x1p-53;
        uint32_t bits = nearest(values, n, x, scale);
        wrong += hlo_float_from_double(f, x) != wanted_bits(f, bits, n, false);
        if (!scale) wrong += hlo_float_from_double(f, -x) != wanted_bits(f, bits, n, true);
    }
    check(wrong == 0, "rounds to the nearest value", name);
}

static void test_all_bits(const hlo_float_format *f, const char *name) {
    uint32_t wrong = 0, not_finite = 0;
    for (uint64_t bits = 0; bits <= f->mask; bits++) {
        double value = hlo_float_to_double(f, bits);
        not_finite += !isfinite(value);
        wrong += isfinite(value) != hlo_float_is_finite(f, bits);
        if (isnan(value)) wrong += !isnan(hlo_float_to_double(f, hlo_float_from_double(f, value)));
        else wrong += hlo_float_from_double(f, value) != bits;
        if (f->bytes == 1) {
            float entry = hlo_float_table(f)[bits];
            wrong += isnan(value) ? !isnan(entry) : (double)entry != value;
        }
    }
    check(wrong == 0, "bits, value and bits again", name);
    uint32_t payloads = (1u << f->mantissa_bits) - 1;
    uint32_t specials = f->specials == HLO_FLOAT_IEEE     ? 2 + 2 * payloads
                        : f->specials == HLO_FLOAT_FN     ? 2
                        : f->specials == HLO_FLOAT_FINITE ? 0
                                                          : 1;
    check(not_finite == specials, "as many infinities and nans as the format has", name);
}

static void test_formats(void) {
    for (int i = 0; i < FACTS; i++) {
        const hlo_float_format *f = hlo_type_float_format(facts[i].type);
        test_all_bits(f, hlo_types[facts[i].type].text);
        test_rounding(f, hlo_types[facts[i].type].text);
    }
}

/* The inline conversions and the arrays agree with the general ones. */
static void test_16_bits(void) {
    const hlo_float_format *half = &hlo_float_formats[HLO_FLOAT_F16];
    const hlo_float_format *brain = &hlo_float_formats[HLO_FLOAT_BF16];
    uint32_t wrong = 0;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        double h = hlo_float_to_double(half, bits), b = hlo_float_to_double(brain, bits);
        float hf = hlo_f16_to_f32((uint16_t)bits), bf = hlo_bf16_to_f32((uint16_t)bits);
        wrong += isnan(h) ? !isnan(hf) : hlo_f64_bits(h) != hlo_f64_bits((double)hf);
        wrong += isnan(b) ? !isnan(bf) : hlo_f64_bits(b) != hlo_f64_bits((double)bf);
    }
    check(wrong == 0, "to f32", "f16 and bf16");
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 509) {
        float x = hlo_f32_from_bits((uint32_t)bits);
        if (isnan(x)) {
            wrong += !isnan(hlo_f16_to_f32(hlo_f32_to_f16(x))) ||
                     !isnan(hlo_bf16_to_f32(hlo_f32_to_bf16(x)));
            continue;
        }
        wrong += hlo_f32_to_f16(x) != hlo_float_from_double(half, (double)x);
        wrong += hlo_f32_to_bf16(x) != hlo_float_from_double(brain, (double)x);
    }
    check(wrong == 0, "from f32", "f16 and bf16");
    /* 1 + 2^-11 is half way between two values of f16; 1 + 2^-8 of bf16. */
    check(hlo_float_encode(HLO_F16, 1 + 0x1p-11 + 0x1p-40) == 0x3c01, "rounds once from f64",
          "f16");
    check(hlo_float_encode_literal(HLO_F16, 1 + 0x1p-11 + 0x1p-40) == 0x3c00, "literals pass f32",
          "f16");
    check(hlo_float_encode(HLO_BF16, 1 + 0x1p-8 + 0x1p-40) == 0x3f80, "passes f32", "bf16");
}

static void test_arrays(void) {
    for (int id = 0; id < HLO_FLOAT_COUNT; id++) {
        const hlo_float_format *f = &hlo_float_formats[id];
        float from[257], back[257];
        uint64_t stored[257];
        uint32_t wrong = 0;
        for (int i = 0; i < 257; i++)
            from[i] = (float)(i - (f->specials == HLO_FLOAT_SCALE ? -1 : 128)) / 8;
        hlo_floats_from_f32(f, from, stored, 257);
        hlo_floats_to_f32(f, stored, back, 257);
        for (int i = 0; i < 257; i++) {
            uint64_t bits = hlo_float_from_double(f, (double)from[i]);
            wrong += hlo_element_bits((char *)stored + i * f->bytes, f->bytes) != bits;
            double value = hlo_float_to_double(f, bits);
            wrong += isnan(value) ? !isnan(back[i]) : (double)back[i] != value;
        }
        check(wrong == 0, "arrays convert like elements", format_names[id]);
    }
}

/* ---- decimal numbers ---- */

static double random_double(int kind) {
    uint64_t bits = random_bits();
    switch (kind % 4) {
    case 0: return hlo_f64_from_bits(bits);
    case 1: return (double)hlo_f32_from_bits((uint32_t)bits);
    case 2: return ldexp((double)(bits >> 40), (int)(bits % 200) - 100);
    default: return ((double)(bits >> 34) - 5e8) / pow(10, (double)(bits % 9));
    }
}

static uint32_t differs(const char *wanted, char *got, char *end) {
    *end = 0;
    if (strcmp(wanted, got) == 0) return 0;
    printf("  wanted %s, got %s\n", wanted, got);
    return 1;
}

static void test_printing(void) {
    char wanted[64], got[64];
    uint32_t wrong = 0;
    for (int i = 0; i < 300000; i++) {
        double x = random_double(i);
        float y = (float)x;
        if (!isfinite(x)) continue;
        int digits = (int)(random_bits() % 17) + 1;
        sprintf(wanted, "%.*g", digits, x);
        wrong += differs(wanted, got, hlo_put_g(got, x, digits));
        sprintf(wanted, "%.15g", x);
        if (strtod(wanted, NULL) != x) sprintf(wanted, "%.17g", x);
        wrong += differs(wanted, got, hlo_put_f64(got, x));
        if (!isfinite(y)) continue;
        sprintf(wanted, "%.6g", (double)y);
        if (strtof(wanted, NULL) != y) sprintf(wanted, "%.9g", (double)y);
        wrong += differs(wanted, got, hlo_put_f32(got, y));
    }
    for (int e = -1074; e < 1024; e++) {
        sprintf(wanted, "%.17g", ldexp(1, e));
        wrong += differs(wanted, got, hlo_put_g(got, ldexp(1, e), 17));
    }
    check(wrong == 0, "floats print like printf", "decimal");
    for (int i = 0; i < 200000; i++) {
        uint64_t x = random_bits() >> (random_bits() % 64);
        sprintf(wanted, "%llu", (unsigned long long)x);
        wrong += differs(wanted, got, hlo_put_uint(got, x));
        sprintf(wanted, "%lld", (long long)x);
        wrong += differs(wanted, got, hlo_put_int(got, (int64_t)x));
    }
    check(wrong == 0, "integers print like printf", "decimal");
}

static void test_reading(void) {
    char text[400];
    uint32_t wrong = 0;
    for (int i = 0; i < 300000; i++) {
        double x = random_double(i), got;
        if (!isfinite(x)) continue;
        int n = sprintf(text, "%.*e", (int)(random_bits() % 25), x);
        wrong += !hlo_read_double(text, (size_t)n, &got) ||
                 hlo_f64_bits(got) != hlo_f64_bits(strtod(text, NULL));
        if (fabs(x) > 1e30 || fabs(x) < 1e-30) continue;
        n = sprintf(text, "%.*f", (int)(random_bits() % 40) + 1, x);
        wrong += !hlo_read_double(text, (size_t)n, &got) ||
                 hlo_f64_bits(got) != hlo_f64_bits(strtod(text, NULL));
    }
    check(wrong == 0, "floats read like strtod", "decimal");
}

/* ---- tokens ---- */

static const struct {
    const char *text;
    hlo_number_kind kind;
    int length;
    double value;
} tokens[] = {
    {"1.5,", HLO_NUMBER_DECIMAL, 3, 1.5},
    {"1.", HLO_NUMBER_DECIMAL, 2, 1},
    {"-.5 ", HLO_NUMBER_DECIMAL, 3, -0.5},
    {"1.e3", HLO_NUMBER_DECIMAL, 4, 1000},
    {"1e", HLO_NUMBER_INT, 1, 1},
    {"1e+", HLO_NUMBER_INT, 1, 1},
    {"1E-2}", HLO_NUMBER_DECIMAL, 4, 0.01},
    {"007", HLO_NUMBER_INT, 3, 7},
    {"-0", HLO_NUMBER_INT, 2, 0},
    {"18446744073709551615", HLO_NUMBER_INT, 20, -1},
    {"00018446744073709551615", HLO_NUMBER_INT, 23, -1},
    {"-9223372036854775808", HLO_NUMBER_INT, 20, -0x1p63},
    {"18446744073709551616", HLO_NUMBER_BAD, 20, 0},
    {"-9223372036854775809", HLO_NUMBER_BAD, 20, 0},
    {"1e400", HLO_NUMBER_DECIMAL, 5, (double)INFINITY},
    {"1e-400", HLO_NUMBER_DECIMAL, 6, 0},
    {"0e99999999999999999999", HLO_NUMBER_DECIMAL, 22, 0},
    {"-inf", HLO_NUMBER_INFINITY, 4, -(double)INFINITY},
    {"--1", HLO_NUMBER_BAD, 1, 0},
    {"-.", HLO_NUMBER_BAD, 1, 0},
    {"2x3x4", HLO_NUMBER_PATTERN, 5, 0},
    {"2x", HLO_NUMBER_INT, 1, 2},
    {"0_1x2_3_4", HLO_NUMBER_PATTERN, 9, 0},
    {"-1_-2", HLO_NUMBER_PATTERN, 5, 0},
    {"01bf_01io->01bf", HLO_NUMBER_PATTERN, 15, 0},
    {"1bf_", HLO_NUMBER_INT, 1, 1},
    {"1-2", HLO_NUMBER_INT, 1, 1},
};

static void test_tokens(void) {
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        hlo_number number = hlo_scan_number(tokens[i].text);
        bool same =
            number.kind == tokens[i].kind && number.end == tokens[i].text + tokens[i].length;
        if (same && number.kind == HLO_NUMBER_INT) same = (double)number.integer == tokens[i].value;
        if (same && (number.kind == HLO_NUMBER_DECIMAL || number.kind == HLO_NUMBER_INFINITY))
            same = number.decimal == tokens[i].value;
        check(same, "token", tokens[i].text);
    }
    int64_t integer;
    double real;
    check(hlo_read_int64("18446744073709551615", 20, &integer) && integer == -1, "value", "2^64-1");
    check(!hlo_read_int64("99999999999999999999", 20, &integer), "too large", "20 nines");
    check(hlo_read_double("-nan(0x5)", 9, &real) &&
              hlo_f64_bits(real) == UINT64_C(0xfff0000000000005),
          "payload", "-nan(0x5)");
    check(hlo_read_double("nan", 3, &real) && hlo_f64_bits(real) == UINT64_C(0x7ff8000000000000),
          "quiet", "nan");
    check(!hlo_read_double("nan(0x0)", 8, &real), "payload 0", "nan(0x0)");
    check(!hlo_read_double("nan(0x10000000000000)", 21, &real), "53 bits", "nan");
    check(!hlo_read_double("nan(12)", 7, &real), "no 0x", "nan(12)");
}

int main(void) {
    test_facts();
    test_formats();
    test_16_bits();
    test_arrays();
    test_printing();
    test_reading();
    test_tokens();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
