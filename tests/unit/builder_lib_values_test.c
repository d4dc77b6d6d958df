/* Special functions of the builder's library: values by mpmath (tests/unit/builder_lib/values.tsv),
 * for every element type that a function takes and that holds the operands exactly. Run with the
 * repository's root as working directory or in HLO_ROOT. Only public headers of the library are
 * included. */
#include <hlo_builder_lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/check.h"

enum { MOST_ROWS = 128, MOST_OPERANDS = 3 };

typedef const hlo_instr *one_operand(hlo_builder *, const hlo_instr *);
typedef const hlo_instr *two_operands(hlo_builder *, const hlo_instr *, const hlo_instr *);
typedef const hlo_instr *three_operands(hlo_builder *, const hlo_instr *, const hlo_instr *,
                                        const hlo_instr *);

/* Most errors in units of the last place of a number of at least 1, of the wide types; narrow ones
 * have the last place of what a wider type computes, or `narrow` of the narrow type. */
typedef struct {
    const char *name;
    one_operand *one;
    two_operands *two;
    three_operands *three;
    double f64, f32, narrow;
    double scale; /* errors of smaller results are measured against it; 0: relative to 1e-3 */
} function_row;

static const function_row functions[] = {
#define ONE(name, ...) \
    { #name, hlo_lib_##name, NULL, NULL, __VA_ARGS__ }
#define TWO(name, ...) \
    { #name, NULL, hlo_lib_##name, NULL, __VA_ARGS__ }
    ONE(acos, 8, 8, 4, 1),
    ONE(asin, 8, 8, 2, 0),
    ONE(acosh, 8, 8, 4, 1),
    ONE(atan, 4, 4, 2, 0),
    ONE(asinh, 8, 8, 4, 0),
    ONE(atanh, 8, 8, 4, 1),
    ONE(cosh, 16, 16, 2, 1),
    ONE(sinh, 16, 16, 2, 1),
    ONE(erfc, 8, 16, 2, 0),
    ONE(erf_inv, 64, 64, 2, 0),
    ONE(lgamma, 16, 16, 2, 1),
    ONE(digamma, 64, 64, 2, 1),
    ONE(bessel_i0e, 8, 8, 2, 0),
    ONE(bessel_i1e, 8, 8, 2, 0),
    ONE(round_to_even, 0, 0, 0, 1),
    ONE(square, 4, 4, 1, 1),
    ONE(reciprocal, 4, 4, 1, 1),
    ONE(conj, 0, 0, 0, 1),
    TWO(igamma, 128, 32, 2, 1),
    TWO(igammac, 128, 32, 2, 1),
    TWO(igamma_grad_a, 256, 256, 4, 1),
    TWO(random_gamma_grad, 2048, 2048, 16, 1),
    TWO(zeta, 32, 32, 2, 1),
    TWO(polygamma, 1024, 1024, 8, 1),
    {"regularized_incomplete_beta", NULL, NULL, hlo_lib_regularized_incomplete_beta, 2048, 128, 2,
     1},
};

/* ---- the table of values ---- */

typedef struct {
    char function[40];
    size_t operands;
    bool is_complex;
    double at[MOST_OPERANDS][2], value[2]; /* real and imaginary parts */
} value_row;

static value_row *rows;
static size_t row_count;

static void read_number(const char *text, double to[2], bool *is_complex) {
    char *end = NULL;
    to[0] = strtod(text, &end);
    *is_complex = *end == ':';
    to[1] = *is_complex ? strtod(end + 1, NULL) : 0;
}

static void read_row(char *line, value_row *row) {
    char *save = NULL, *field = strtok_r(line, "\t\n", &save), *next = NULL;
    snprintf(row->function, sizeof row->function, "%s", field);
    field = strtok_r(NULL, "\t\n", &save);
    while ((next = strtok_r(NULL, "\t\n", &save))) {
        read_number(field, row->at[row->operands++], &row->is_complex);
        field = next;
    }
    read_number(field, row->value, &row->is_complex);
}

static bool read_rows(void) {
    const char *root = getenv("HLO_ROOT");
    char path[4096], line[512];
    snprintf(path, sizeof path, "%s/tests/unit/builder_lib/values.tsv", root ? root : ".");
    FILE *file = fopen(path, "r");
    if (!file) return false;
    rows = calloc(4096, sizeof *rows);
    while (row_count < 4096 && fgets(line, sizeof line, file)) read_row(line, &rows[row_count++]);
    fclose(file);
    return row_count > 0;
}

/* ---- a module of one function for one type ---- */

typedef struct {
    const function_row *function;
    hlo_element_type type;
    const value_row *rows[MOST_ROWS];
    size_t count;
} job;

static bool is_complex(hlo_element_type type) {
    return type == HLO_TYPE_C64 || type == HLO_TYPE_C128;
}

/* Operand `i` of all rows, of the job's type, by way of double numbers. */
static const hlo_instr *operand_of(hlo_builder *b, const job *j, size_t i, size_t part) {
    double values[MOST_ROWS];
    int64_t n = (int64_t)j->count;
    for (size_t r = 0; r < j->count; r++) values[r] = j->rows[r]->at[i][part];
    return hlo_builder_constant(b, &(hlo_array){HLO_TYPE_F64, 1, &n, NULL, values});
}

static const hlo_instr *typed_operand(hlo_builder *b, const job *j, size_t i) {
    const hlo_instr *re = operand_of(b, j, i, 0);
    if (!is_complex(j->type)) return hlo_builder_convert_element_type(b, re, j->type);
    const hlo_instr *im = operand_of(b, j, i, 1);
    return hlo_builder_convert_element_type(b, hlo_builder_complex(b, re, im, HLO_NONE), j->type);
}

static const hlo_instr *widened(hlo_builder *b, const hlo_instr *x, bool imaginary) {
    const hlo_instr *part = imaginary ? hlo_builder_imag(b, x) : x;
    if (!imaginary && is_complex(hlo_shape_type(hlo_instr_shape(x)))) part = hlo_builder_real(b, x);
    return hlo_builder_convert_element_type(b, part, HLO_TYPE_F64);
}

static const hlo_instr *applied(hlo_builder *b, const function_row *f, const hlo_instr **x) {
    if (f->one) return f->one(b, x[0]);
    return f->two ? f->two(b, x[0], x[1]) : f->three(b, x[0], x[1], x[2]);
}

/* The result, its imaginary part, and the operands as they were rounded: all as double numbers. */
static hlo_module *module_of(const job *j, hlo_diags *diags) {
    hlo_builder *b = hlo_builder_create("values");
    size_t n = j->rows[0]->operands;
    const hlo_instr *x[MOST_OPERANDS], *out[MOST_OPERANDS + 2];
    for (size_t i = 0; i < n; i++) x[i] = typed_operand(b, j, i);
    const hlo_instr *y = applied(b, j->function, x);
    out[0] = widened(b, y, false);
    out[1] = is_complex(j->type) ? widened(b, y, true) : out[0];
    for (size_t i = 0; i < n; i++) out[2 + i] = widened(b, x[i], false);
    const hlo_instr *root = hlo_builder_tuple(b, (hlo_instrs_list){n + 2, out});
    hlo_module *module = NULL;
    if (hlo_builder_build(b, root, diags, &module) == HLO_OK) hlo_verify(module, diags);
    hlo_builder_free(b);
    return module;
}

/* ---- comparing ---- */

static double last_place(hlo_element_type type) {
    switch (type) {
    case HLO_TYPE_F64:
    case HLO_TYPE_C128: return 0x1p-52;
    case HLO_TYPE_F32:
    case HLO_TYPE_C64: return 0x1p-23;
    case HLO_TYPE_F16: return 0x1p-10;
    case HLO_TYPE_BF16: return 0x1p-7;
    case HLO_TYPE_F8E3M4: return 0x1p-4;
    case HLO_TYPE_F8E5M2:
    case HLO_TYPE_F8E5M2FNUZ: return 0x1p-2;
    default: return 0x1p-3;
    }
}

/* The largest number of a narrow type, and the least normal one, below which places are wider. */
static void range_of(hlo_element_type type, double *most, double *least) {
    *most = type == HLO_TYPE_F8E3M4                                                          ? 15.5
            : type == HLO_TYPE_F8E4M3B11FNUZ                                                 ? 30
            : type == HLO_TYPE_F8E4M3 || type == HLO_TYPE_F8E4M3FNUZ                         ? 240
            : type == HLO_TYPE_F8E4M3FN                                                      ? 448
            : type == HLO_TYPE_F16 || type == HLO_TYPE_F8E5M2 || type == HLO_TYPE_F8E5M2FNUZ ? 57344
                                                                                             : 1e30;
    *least = *most < 500 ? 0.25 : 1e-3;
}

static double allowed(const job *j, double wanted) {
    const function_row *f = j->function;
    double unit = last_place(j->type), most, least;
    range_of(j->type, &most, &least);
    double places = unit < 0x1p-40 ? f->f64 : unit < 0x1p-20 ? f->f32 : f->narrow + 0.5;
    double scale = f->scale > 0 ? f->scale : least;
    return places * unit * fmax(fabs(wanted), scale);
}

static bool is_close(const job *j, double got, double wanted) {
    double most, least;
    range_of(j->type, &most, &least);
    if (fabs(wanted) > most)
        return true; /* infinite, NaN or the largest number, as the type has it */
    return fabs(got - wanted) <= allowed(j, wanted);
}

static bool holds_exactly(const job *j, size_t r, const double *const *outputs) {
    for (size_t i = 0; i < j->rows[r]->operands; i++)
        if (outputs[2 + i][r] != j->rows[r]->at[i][0]) return false;
    return true;
}

static size_t compared;

static void compare(const job *j, const double *const *outputs) {
    for (size_t r = 0; r < j->count; r++) {
        const value_row *row = j->rows[r];
        if (!is_complex(j->type) && !holds_exactly(j, r, outputs)) continue;
        bool good = is_close(j, outputs[0][r], row->value[0]) &&
                    (!row->is_complex || is_close(j, outputs[1][r], row->value[1]));
        compared++;
        check(good, j->function->name);
        if (!good)
            printf("  of %s: (%.17g:%.17g, %.17g, %.17g) is %.17g:%.17g, wanted %.17g:%.17g, "
                   "allowed %g\n",
                   hlo_element_type_name(j->type), row->at[0][0], row->at[0][1], row->at[1][0],
                   row->at[2][0], outputs[0][r], outputs[1][r], row->value[0], row->value[1],
                   allowed(j, row->value[0]));
    }
}

static void run_job(const job *j) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = module_of(j, diags);
    hlo_run *run = NULL;
    const double *outputs[MOST_OPERANDS + 2] = {NULL};
    bool good = module && !hlo_diags_error_count(diags) &&
                hlo_run_prepare(module, NULL, diags, &run) == HLO_OK &&
                hlo_run_execute(run, diags) == HLO_OK;
    for (uint32_t i = 0; good && i < 2 + j->rows[0]->operands; i++) {
        hlo_array array;
        good = hlo_run_output(run, 0, i, diags, &array) == HLO_OK;
        outputs[i] = array.data;
    }
    check(good, j->function->name);
    if (good) compare(j, outputs);
    else
        printf("  of %s\n", hlo_element_type_name(j->type)), hlo_diags_render(diags, stdout, false);
    hlo_run_free(run);
    hlo_module_free(module);
    hlo_diags_free(diags);
}

static void test_type(const function_row *function, hlo_element_type type) {
    job j = {.function = function, .type = type};
    for (size_t r = 0; r < row_count; r++)
        if (strcmp(rows[r].function, function->name) == 0 &&
            rows[r].is_complex == is_complex(type) && j.count < MOST_ROWS)
            j.rows[j.count++] = &rows[r];
    if (j.count) run_job(&j);
}

/* Which narrow types a function takes: arithmetic of the type itself is too coarse to be compared
 * where nothing is computed in f32. */
static const hlo_element_type types[] = {
    HLO_TYPE_F64,        HLO_TYPE_F32,        HLO_TYPE_F16,           HLO_TYPE_BF16,
    HLO_TYPE_F8E5M2,     HLO_TYPE_F8E4M3,     HLO_TYPE_F8E3M4,        HLO_TYPE_F8E4M3FN,
    HLO_TYPE_F8E4M3FNUZ, HLO_TYPE_F8E5M2FNUZ, HLO_TYPE_F8E4M3B11FNUZ, HLO_TYPE_C64,
    HLO_TYPE_C128,
};

static bool is_eighth(hlo_element_type type) {
    return last_place(type) >= 0x1p-4;
}

/* acosh ... of eight bits are computed in eight bits, with errors of several places each step. */
static bool takes(const function_row *f, hlo_element_type type) {
    static const char *const wide[] = {
        "acos", "acosh",     "asinh",      "atanh",      "cosh", "sinh",
        "zeta", "polygamma", "bessel_i0e", "bessel_i1e", "atan", "regularized_incomplete_beta"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (is_eighth(type) && strcmp(f->name, wide[i]) == 0) return false;
    return true;
}

int main(void) {
    check(read_rows(), "tests/unit/builder_lib/values.tsv is read");
    for (size_t i = 0; rows && i < sizeof functions / sizeof *functions; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            if (takes(&functions[i], types[t])) test_type(&functions[i], types[t]);
    check(compared > row_count, "values were compared");
    free(rows);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
