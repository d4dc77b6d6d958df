/* Quotients and remainders of 64 bits by one number for all elements, which are computed by
 * products, against C's operators; with the loops of every instruction set. */
#include "check.h"
#include "eval/kernel/lanes_isa.h"

enum { COUNT = 4096 };

static int64_t numbers[COUNT], divisors[COUNT], quotients[COUNT], remainders[COUNT];

/* Numbers of every length of either sign, and those next to powers of two and multiples. */
static int64_t number(uint32_t k) {
    uint64_t bits = (k + 1) * UINT64_C(0x9e3779b97f4a7c15) >> (k % 64);
    uint64_t power = UINT64_C(1) << (k / 8 % 64);
    return (int64_t)(k % 2 ? bits : power + k % 5 - 2);
}

static int64_t quotient(int64_t x, int64_t by) {
    return by == 0 ? -1 : by == -1 ? (int64_t)(0 - (uint64_t)x) : x / by;
}

static int64_t remainder_of(int64_t x, int64_t by) {
    return by == 0 ? x : by == -1 ? 0 : x % by;
}

static bool divides(const hlo_lanes_set *set, int64_t by) {
    const hlo_lanes lanes = {.arity = 2, .from = HLO_S64, .to = HLO_S64};
    const void *in[] = {numbers, divisors};
    bool right = true;
    for (uint32_t k = 0; k < COUNT; k++) divisors[k] = by;
    for (uint32_t k = 0; k < COUNT / 2; k++)
        numbers[k] = (int64_t)((uint64_t)number(k) / 7 * (uint64_t)by + k % 3 - 1);
    set->of_integer(HLO_OP_DIVIDE, HLO_S64)(&lanes, quotients, in, COUNT);
    set->of_integer(HLO_OP_REMAINDER, HLO_S64)(&lanes, remainders, in, COUNT);
    for (uint32_t k = 0; k < COUNT; k++)
        right = right && quotients[k] == quotient(numbers[k], by) &&
                remainders[k] == remainder_of(numbers[k], by);
    return right;
}

int main(void) {
    const hlo_lanes_set *set;
    for (uint32_t k = 0; k < COUNT; k++) numbers[k] = number(k);
    for (uint32_t i = 0; (set = hlo_lanes_set_at(i)); i++) {
        for (uint32_t k = 0; k < 1000; k++) check(divides(set, number(k)), "by a number");
        check(divides(set, INT64_MIN) && divides(set, INT64_MAX), "by the largest");
        for (int64_t by = -20; by <= 20; by++) check(divides(set, by), "by a small number");
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
