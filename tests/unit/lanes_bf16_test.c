/* Functions of bf16 in one loop against what they stand for: numbers widened, those of f32, and
 * rounded; for all 65,536 numbers, bit by bit, by every instruction set that this machine has. */
#include <math.h>

#include "base/floats.h"
#include "check.h"
#include "eval/kernel/lanes_isa.h"

enum { ALL = 1 << 16, LENGTHS = 40 };

typedef struct {
    uint16_t of[ALL];
} halves;

static halves first, second, result, expected;

static const hlo_lanes lanes = {
    .arity = 2, .from = HLO_BF16, .to = HLO_BF16, .operands = {HLO_BF16, HLO_BF16}};

/* All numbers, each beside one that `turn` selects. */
static void fill(uint32_t turn) {
    for (uint32_t k = 0; k < ALL; k++) {
        first.of[k] = (uint16_t)k;
        second.of[k] = (uint16_t)(k * 40503u + turn * 7919u);
    }
}

/* By the plainest set's functions of f32, rounded after each; `single`: as for of_single_float. */
static void find_expected(hlo_lanes_fn *of_f32, hlo_lanes_fn *then, uint32_t single) {
    static float a[ALL], b[ALL];
    for (uint32_t k = 0; k < ALL; k++) {
        a[k] = hlo_bf16_to_f32(first.of[single & 1 ? 0 : k]);
        b[k] = hlo_bf16_to_f32(second.of[single & 2 ? 0 : k]);
    }
    of_f32(&lanes, a, (const void *[]){a, b, b}, ALL);
    for (uint32_t k = 0; then && k < ALL; k++) a[k] = hlo_bf16_to_f32(hlo_f32_to_bf16(a[k]));
    if (then) then(&lanes, a, (const void *[]){a, b, b}, ALL);
    for (uint32_t k = 0; k < ALL; k++) expected.of[k] = hlo_f32_to_bf16(a[k]);
}

/* Which of two nans a sum hands on is the compiler's choice. */
static bool is_same(uint32_t k, bool of_two) {
    bool are_nans = isnan(hlo_bf16_to_f32(first.of[k])) && isnan(hlo_bf16_to_f32(second.of[k]));
    return result.of[k] == expected.of[k] ||
           (of_two && are_nans && isnan(hlo_bf16_to_f32(result.of[k])));
}

static void check_function(const hlo_lanes_set *set, hlo_lanes_fn *run, bool of_two, int code) {
    const void *in[] = {first.of, second.of, second.of};
    uint32_t wrong = 0;
    run(&lanes, result.of, in, ALL);
    for (uint32_t k = 0; k < ALL; k++) {
        if (is_same(k, of_two)) continue;
        if (wrong++ == 0)
            printf("%s: %d of %04x and %04x is %04x, not %04x\n", set->name, code, first.of[k],
                   second.of[k], result.of[k], expected.of[k]);
    }
    check(wrong == 0, set->name);
    for (uint32_t n = 1; n < LENGTHS; n++) { /* nothing beyond the last one is written */
        result.of[n] = 0x1234;
        run(&lanes, result.of, in, n);
        wrong += result.of[n] != 0x1234 || !is_same(n - 1, of_two);
    }
    check(wrong == 0, "a few elements");
}

static bool has_two(hlo_opcode opcode) {
    return opcode == HLO_OP_ADD || opcode == HLO_OP_SUBTRACT || opcode == HLO_OP_MULTIPLY ||
           opcode == HLO_OP_DIVIDE || opcode == HLO_OP_REMAINDER || opcode == HLO_OP_MAXIMUM ||
           opcode == HLO_OP_MINIMUM;
}

static void check_opcode(const hlo_lanes_set *plain, const hlo_lanes_set *set, hlo_opcode opcode) {
    hlo_lanes_fn *run = set->of_bf16(opcode), *of_f32 = plain->of_float(opcode, HLO_F32);
    if (!run) return;
    if (!of_f32) of_f32 = plain->of_math(opcode, HLO_F32);
    for (uint32_t single = 0; single < (has_two(opcode) ? 3 : 1); single++) {
        hlo_lanes_fn *variant = single ? set->of_single_float(run, single) : run;
        find_expected(of_f32, NULL, single);
        check_function(set, variant, has_two(opcode) && !single, (int)opcode);
    }
}

static void check_differences(const hlo_lanes_set *plain, const hlo_lanes_set *set) {
    hlo_lanes_fn *run = set->of_pair(set->of_bf16(HLO_OP_SUBTRACT),
                                     set->of_bf16(HLO_OP_EXPONENTIAL), HLO_LANES_ALONE);
    check(run != NULL, "a pair");
    for (uint32_t single = 0; run && single < 3; single++) {
        find_expected(plain->of_float(HLO_OP_SUBTRACT, HLO_F32),
                      plain->of_math(HLO_OP_EXPONENTIAL, HLO_F32), single);
        check_function(set, single ? set->of_single_float(run, single) : run, !single, -1);
    }
}

int main(void) {
    const hlo_lanes_set *plain = hlo_lanes_set_at(0), *set;
    for (uint32_t i = 0; (set = hlo_lanes_set_at(i)); i++)
        for (uint32_t turn = 0; turn < 8; turn++) {
            fill(turn);
            second.of[0] = (uint16_t)(0x3f80 + turn * 0x61);
            if (turn == 7) first.of[0] = second.of[0] = 0xff80;
            for (int op = 0; op < HLO_OP_COUNT; op++) check_opcode(plain, set, (hlo_opcode)op);
            check_differences(plain, set);
        }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
