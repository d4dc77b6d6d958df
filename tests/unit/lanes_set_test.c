/* Lane functions of every instruction set that this machine has: the same bits as the plainest
 * set's, for every part, opcode, type and length. */
#include <math.h>
#include <stdio.h>

#include "eval/kernel/lanes_isa.h"

enum { MOST = 300, BYTES = MOST * HLO_LANES_MAX_BYTES };

static unsigned passed, failed;
static _Alignas(64) unsigned char operands[HLO_LANES_MAX_OPERANDS][BYTES];

static void fill_operands(void) {
    uint64_t state = 88172645463325252u;
    for (uint32_t i = 0; i < HLO_LANES_MAX_OPERANDS; i++)
        for (uint32_t k = 0; k < BYTES; k++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            operands[i][k] = (unsigned char)(state >> 32);
        }
}

/* Elements as they are stored: the unused bits of small integers and of pred have no meaning. */
static void make_valid(hlo_type type, void *elements) {
    if (type == HLO_PRED)
        for (uint32_t k = 0; k < MOST; k++) ((unsigned char *)elements)[k] &= 1;
    else if (hlo_types[type].bits < 8) hlo_extend_elements(type, elements, MOST);
}

/* Numbers of any size, with what is special about functions of them, instead of any bits. */
static void fill_numbers(hlo_type type, void *elements, uint32_t operand) {
    static const double special[] = {0,      -0.0,   1,        -1,   INFINITY, -INFINITY,
                                     NAN,    0.5,    -2,       3,    0x1p-149, -0x1p-149,
                                     88.7,   -103.9, 1e6,      -1e9, 1e30,     710.1,
                                     -745.2, 5e-324, 0.999999, 3.95, 1e300,    8388609};
    enum { SPECIAL = sizeof special / sizeof *special };
    for (uint32_t k = 0; k < (hlo_type_is_complex(type) ? 2 * MOST : MOST); k++) {
        uint32_t at = operand ? k / SPECIAL + k : k;
        double value = k % 2 ? special[at / 2 % SPECIAL] : ((double)(k * 37 % 301) - 150) / 17;
        if (hlo_type_part(type) == HLO_F32) ((float *)elements)[k] = (float)value;
        else ((double *)elements)[k] = value;
    }
}

/* Which of two nans a product of complex numbers hands on is the compiler's choice. */
static void make_nans_one(hlo_type type, void *elements) {
    for (uint32_t k = 0; k < 2 * MOST && type == HLO_C64; k++)
        if (isnan(((float *)elements)[k])) ((float *)elements)[k] = NAN;
    for (uint32_t k = 0; k < 2 * MOST && type == HLO_C128; k++)
        if (isnan(((double *)elements)[k])) ((double *)elements)[k] = (double)NAN;
}

/* One function of two sets on the same operands; `what` for messages. */
static void compare_on(bool numbers, const char *set, const char *part, int code, hlo_lanes lanes,
                       hlo_lanes_fn *plain, hlo_lanes_fn *wide) {
    static const size_t lengths[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 255, 256, 300};
    static _Alignas(64) unsigned char in[HLO_LANES_MAX_OPERANDS][BYTES], out[2][BYTES];
    if (!plain != !wide) {
        printf("%s: %s %d: one set has a function, the other has none\n", set, part, code);
        failed++;
        return;
    }
    if (!plain) return;
    const void *pointers[HLO_LANES_MAX_OPERANDS] = {in[0], in[1], in[2]};
    memcpy(in, operands, sizeof in);
    for (uint32_t i = 0; i < HLO_LANES_MAX_OPERANDS; i++)
        if (numbers) fill_numbers(lanes.operands[i], in[i], i);
        else make_valid(lanes.operands[i], in[i]);
    bool same = true;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        memset(out, 0, sizeof out);
        plain(&lanes, out[0], pointers, lengths[k]);
        wide(&lanes, out[1], pointers, lengths[k]);
        for (uint32_t i = 0; i < 2; i++) make_nans_one(lanes.to, out[i]);
        same = same && memcmp(out[0], out[1], BYTES) == 0;
    }
    if (numbers && hlo_types[lanes.to].bytes == hlo_types[lanes.from].bytes) {
        /* the result may be an operand's array */
        wide(&lanes, in[0], pointers, MOST);
        make_nans_one(lanes.to, in[0]);
        same = same && memcmp(out[0], in[0], MOST * hlo_types[lanes.to].bytes) == 0;
    }
    if (same) passed++;
    else failed++;
    if (!same) printf("%s: %s %d of %s differs\n", set, part, code, hlo_types[lanes.from].text);
}

static void compare(const char *set, const char *part, int code, hlo_lanes lanes,
                    hlo_lanes_fn *plain, hlo_lanes_fn *wide) {
    compare_on(false, set, part, code, lanes, plain, wide);
}

static hlo_lanes lanes_of(hlo_type from, hlo_type to) {
    return (hlo_lanes){.arity = 3, .from = from, .to = to, .operands = {from, from, from}};
}

static void compare_arithmetic(const hlo_lanes_set *a, const hlo_lanes_set *b, hlo_type type) {
    for (int op = 0; op < HLO_OP_COUNT; op++) {
        hlo_opcode opcode = (hlo_opcode)op;
        if (hlo_type_is_integral(type) || type == HLO_PRED)
            compare(b->name, "integer", op, lanes_of(type, type), a->of_integer(opcode, type),
                    b->of_integer(opcode, type));
        for (int numbers = 0; numbers < 2 && (type == HLO_F32 || type == HLO_F64); numbers++) {
            if (opcode != HLO_OP_IS_FINITE || !numbers)
                compare_on(numbers, b->name, "float", op, lanes_of(type, type),
                           a->of_float(opcode, type), b->of_float(opcode, type));
            compare_on(numbers, b->name, "math", op, lanes_of(type, type), a->of_math(opcode, type),
                       b->of_math(opcode, type));
        }
    }
}

static void compare_complex(const hlo_lanes_set *a, const hlo_lanes_set *b, hlo_type type) {
    for (int op = 0; op < HLO_OP_COUNT; op++) {
        hlo_opcode opcode = (hlo_opcode)op;
        bool is_part = opcode == HLO_OP_REAL || opcode == HLO_OP_IMAG || opcode == HLO_OP_ABS;
        hlo_lanes lanes = lanes_of(type, is_part ? hlo_type_part(type) : type);
        if (opcode == HLO_OP_COMPLEX) lanes = lanes_of(hlo_type_part(type), type);
        for (int numbers = 0; numbers < 2; numbers++)
            compare_on(numbers, b->name, "complex", op, lanes, a->of_complex(opcode, type),
                       b->of_complex(opcode, type));
    }
}

static void compare_choices(const hlo_lanes_set *a, const hlo_lanes_set *b, hlo_type type) {
    hlo_lanes select = lanes_of(HLO_PRED, type);
    select.operands[1] = select.operands[2] = type;
    compare(b->name, "select", type, select, a->of_select(type), b->of_select(type));
    for (int64_t direction = 0; direction < 6; direction++)
        for (int total = 0; total < 2; total++) {
            hlo_lanes lanes = lanes_of(type, HLO_PRED);
            lanes.direction = direction;
            compare(b->name, "compare", (int)direction, lanes,
                    a->of_compare(direction, total, type), b->of_compare(direction, total, type));
        }
}

static void compare_sets(const hlo_lanes_set *a, const hlo_lanes_set *b) {
    for (int from = 0; from < HLO_TYPE_COUNT; from++) {
        hlo_type type = (hlo_type)from;
        if (!hlo_type_is_array(type)) continue;
        compare_arithmetic(a, b, type);
        if (hlo_type_is_complex(type)) compare_complex(a, b, type);
        compare_choices(a, b, type);
        for (int to = 0; to < HLO_TYPE_COUNT; to++)
            if (hlo_type_is_array((hlo_type)to))
                compare(b->name, "convert", to, lanes_of(type, (hlo_type)to),
                        a->of_convert(type, (hlo_type)to), b->of_convert(type, (hlo_type)to));
    }
}

int main(void) {
    fill_operands();
    const hlo_lanes_set *plainest = hlo_lanes_set_at(0), *set;
    unsigned sets = 1;
    for (; (set = hlo_lanes_set_at(sets)); sets++) compare_sets(plainest, set);
    compare_sets(plainest, plainest); /* functions depend on nothing but their operands */
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
