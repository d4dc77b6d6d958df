/* Every row of cluster_code.def: machine code against the lane function, bit by bit, for special
 * numbers, of every instruction set of this machine that clusters have code of. */
#include <hlo.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "check.h"
#include "eval/codegen/vectors.h"
#include "eval/kernel/isa.h"
#include "eval/kernel/lanes.h"

/* Bits of floats and of integers: zeros, ones, infinities, NaNs quiet and signaling, with signs and
 * payloads, the least and the greatest ones, subnormal ones, and distances of shifts. */
static const uint32_t specials[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                    0xff800000, 0x7fc00000, 0xffc00000, 0x7fc00043, 0x7f800001,
                                    0xff8abcde, 1,          0x80000001, 0x7fffff,   0x7f7fffff,
                                    0xff7fffff, 0x40490fdb, 31,         32,         0xffffffff};
enum { SPECIALS = sizeof specials / sizeof *specials };
/* All triples, and a number of elements that leaves a tail. */
enum { ELEMENTS = SPECIALS * SPECIALS * SPECIALS + 5, OPERANDS = HLO_LANES_MAX_OPERANDS };
static uint32_t operands[OPERANDS][ELEMENTS];

typedef struct {
    hlo_opcode opcode;
    hlo_type from, to;
} row;
static const row rows[] = {
#define HLO_CODE(opcode, from, to, manner, op, bits) {HLO_OP_##opcode, HLO_##from, HLO_##to},
#include "eval/codegen/cluster/cluster_code.def"
#undef HLO_CODE
};

static void fill_operands(void) {
    for (uint32_t k = 0; k < ELEMENTS; k++)
        for (uint32_t i = 0, at = k; i < OPERANDS; i++, at /= SPECIALS)
            operands[i][k] = specials[at % SPECIALS];
}

/* ---- modules ---- */

static void put_instr(hlo_buf *to, const char *name, hlo_type type, const char *opcode,
                      const char *rest) {
    hlo_buf_printf(to, "  %s = %s[%d] %s(%s\n", name, hlo_types[type].text, ELEMENTS, opcode, rest);
}

/* a, b and c, and d, which is of bits. */
static void put_parameters(hlo_buf *to, hlo_type type) {
    for (uint32_t i = 0; i < OPERANDS; i++) {
        char name[] = {(char)('a' + i), 0}, rest[] = {(char)('0' + i), ')', 0};
        put_instr(to, name, type, "parameter", rest);
    }
    put_instr(to, "d", HLO_U32, "parameter", "3)");
}

static bool has_predicates(const row *of) {
    return of->from == HLO_PRED || of->opcode == HLO_OP_SELECT;
}

/* The instruction, x, and the predicates p and q that it reads; returns how many there are. */
static uint32_t put_row(hlo_buf *to, const row *of, const char *direction) {
    static const char *const of_numbers[] = {"", "a)", "a, b)", "a, b, c)"};
    static const char *const of_predicates[] = {"", "p)", "p, q)", "p, b, c)"};
    uint32_t arity = (uint32_t)hlo_ops[of->opcode].max_operands, count = 1;
    const char *rest = has_predicates(of) ? of_predicates[arity] : of_numbers[arity];
    char order[32];
    snprintf(order, sizeof order, "a, b), direction=%s", direction);
    if (of->opcode == HLO_OP_COMPARE) rest = order;
    if (has_predicates(of)) {
        put_instr(to, "p", HLO_PRED, "compare", "a, b), direction=LT");
        count++;
    }
    if (has_predicates(of) && arity == 2) {
        put_instr(to, "q", HLO_PRED, "compare", "b, c), direction=NE");
        count++;
    }
    put_instr(to, "x", of->to, hlo_ops[of->opcode].text, rest);
    return count;
}

/* The results' shape: of the instruction, of what else there is, and of all parameters, which have
 * to be used. */
static void put_shape(hlo_buf *to, hlo_type result, hlo_type type) {
    const char *text = hlo_types[type].text, *bits = hlo_types[HLO_U32].text;
    hlo_buf_printf(to, "(%s[%d], %s[%d]", hlo_types[result].text, ELEMENTS, bits, ELEMENTS);
    for (uint32_t i = 0; i < OPERANDS; i++) hlo_buf_printf(to, ", %s[%d]", text, ELEMENTS);
    hlo_buf_printf(to, ")");
}

/* Three steps, as few as become code, or of two predicates four: there is none unless the row's is
 * part of it. Returns the name of what is computed beside the row. */
static const char *put_steps(hlo_buf *to, const row *of, const char *direction) {
    enum { STEPS = 3 };
    uint32_t steps = put_row(to, of, direction);
    if (of->to == HLO_PRED) {
        put_instr(to, "r", HLO_S32, "convert", "x)");
        steps++;
    }
    if (steps >= STEPS) return "d";
    put_instr(to, "y", HLO_U32, "xor", "d, d)");
    if (steps + 1 == STEPS) return "y";
    put_instr(to, "z", HLO_U32, "and", "y, d)");
    return "z";
}

static void put_module(hlo_buf *to, const row *of, const char *direction) {
    hlo_type type = of->from == HLO_PRED ? HLO_S32 : of->from;
    hlo_type result = of->to == HLO_PRED ? HLO_S32 : of->to;
    hlo_buf_printf(to, "HloModule m\nfused {\n");
    put_parameters(to, type);
    const char *other = put_steps(to, of, direction);
    hlo_buf_printf(to, "  ROOT t = ");
    put_shape(to, result, type);
    hlo_buf_printf(to, " tuple(%s, %s, a, b, c)\n}\nENTRY e {\n", of->to == HLO_PRED ? "r" : "x",
                   other);
    put_parameters(to, type);
    hlo_buf_printf(to, "  ROOT f = ");
    put_shape(to, result, type);
    hlo_buf_printf(to, " fusion(a, b, c, d), kind=kLoop, calls=fused\n}\n");
}

/* ---- runs ---- */

static hlo_run *prepare(hlo_module *module, const char *isa, bool has_code, hlo_diags *diags) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    options.as_written = true;
    options.isa = isa;
    options.no_jit = !has_code;
    hlo_run *run = NULL;
    if (hlo_run_prepare(module, &options, diags, &run) != HLO_OK) return NULL;
    for (uint32_t i = 0; i <= OPERANDS; i++) {
        hlo_array array;
        hlo_run_input(run, 0, i, diags, &array);
        array.data = operands[i % OPERANDS];
        hlo_run_set_input(run, 0, i, &array, diags);
    }
    return run;
}

static bool is_by_code(const hlo_run *run, hlo_diags *diags) {
    hlo_output *plan = hlo_output_to_memory();
    hlo_run_write_plan(run, plan, diags);
    hlo_output_write(plan, "", 1);
    size_t count;
    bool found = strstr(hlo_output_bytes(plan, &count), ", by code");
    hlo_output_free(plan);
    return found;
}

static bool is_nan(uint32_t bits) {
    return (bits & 0x7fffffff) > 0x7f800000;
}

/* Which of two NaNs a sum or a product gives is not specified. */
static bool is_same(const row *of, uint32_t k, uint32_t by_code, uint32_t by_function) {
    bool may_differ = of->to == HLO_F32 && is_nan(operands[0][k]) && is_nan(operands[1][k]) &&
                      (of->opcode == HLO_OP_ADD || of->opcode == HLO_OP_MULTIPLY);
    return by_code == by_function || (may_differ && is_nan(by_code) && is_nan(by_function));
}

static bool have_same_bits(const row *of, hlo_run *const runs[2], hlo_diags *diags) {
    hlo_array results[2];
    for (uint32_t i = 0; i < 2; i++)
        if (hlo_run_execute(runs[i], diags) != HLO_OK ||
            hlo_run_output(runs[i], 0, 0, diags, &results[i]) != HLO_OK)
            return false;
    const uint32_t *by_code = results[0].data, *by_function = results[1].data;
    for (uint32_t k = 0; k < ELEMENTS; k++) {
        if (is_same(of, k, by_code[k], by_function[k])) continue;
        printf("of %08x, %08x and %08x code makes %08x, the function %08x\n", operands[0][k],
               operands[1][k], operands[2][k], by_code[k], by_function[k]);
        return false;
    }
    return true;
}

static void check_module(const row *of, hlo_module *module, const char *isa, hlo_diags *diags,
                         const char *what) {
    hlo_run *runs[2];
    for (uint32_t i = 0; i < 2; i++) runs[i] = prepare(module, isa, i == 0, diags);
    bool are_runs = runs[0] && runs[1];
    check(are_runs && is_by_code(runs[0], diags) && !is_by_code(runs[1], diags), what);
    check(are_runs && have_same_bits(of, runs, diags), what);
    for (uint32_t i = 0; i < 2; i++) hlo_run_free(runs[i]);
}

static void check_row(const row *of, const char *direction, const char *isa) {
    hlo_buf text = HLO_BUF_INIT, what = HLO_BUF_INIT;
    put_module(&text, of, direction);
    hlo_buf_printf(&what, "%s: %s %s of %s", isa, hlo_ops[of->opcode].text, direction,
                   hlo_types[of->from].text);
    hlo_diags *diags = hlo_diags_create(1);
    hlo_source *source = hlo_source_from_text("memory", text.data, text.len);
    hlo_module *module = NULL;
    bool is_good =
        hlo_parse(source, diags, &module) == HLO_OK && hlo_verify(module, diags) == HLO_OK;
    check(is_good, what.data);
    if (is_good) check_module(of, module, isa, diags, what.data);
    hlo_module_free(module);
    hlo_source_free(source);
    hlo_diags_free(diags);
    hlo_buf_free(&text);
    hlo_buf_free(&what);
}

int main(void) {
    static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
    uint32_t sets = 0;
    const char *isa;
    fill_operands();
    for (uint32_t i = 0; (isa = hlo_isa_name(i)); i++) {
        if (!hlo_find_vector_set(isa)) continue;
        sets++;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            for (uint32_t d = 0; d < (rows[k].opcode == HLO_OP_COMPARE ? 6 : 1); d++)
                check_row(&rows[k], directions[d], isa);
    }
    if (!sets) printf("skipped: clusters have no code of this machine's instruction sets\n");
    printf("%d passed, %d failed, %d skipped\n", passed, failed, sets == 0);
    return failed != 0;
}
