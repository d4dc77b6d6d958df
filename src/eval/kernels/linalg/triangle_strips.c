/* Triangular systems by strips: see triangle_strips.h. */
#include "eval/kernels/linalg/triangle_strips.h"

#include "eval/kernel/combine.h"

static const hlo_gemm_kernels *kernels_of(const hlo_gemm_set *set) {
    return set->kernels(HLO_F64);
}

int64_t hlo_strip_width(const hlo_gemm_set *set) {
    return 2 * kernels_of(set)->lanes;
}

/* The row or column of a, or the row of x, that is number i of l. */
static int64_t place_of(const hlo_triangle_case *s, int64_t i) {
    return s->backward ? s->n - 1 - i : i;
}

void hlo_strip_triangle(const hlo_triangle_case *s, const double *a, double *l, int64_t first,
                        int64_t last) {
    int64_t row_step = s->transposed ? 1 : s->n, column_step = s->transposed ? s->n : 1;
    if (s->backward) column_step = -column_step;
    for (int64_t i = first; i < last; i++) {
        const double *from = a + place_of(s, i) * row_step;
        if (s->backward) from += (s->n - 1) * (s->transposed ? s->n : 1);
        double *row = l + i * s->n;
        for (int64_t j = 0; j < i; j++) row[j] = -from[j * column_step];
        row[i] = from[i * column_step];
    }
}

/* ---- strips ---- */

/* Some right sides: strip[i * width + j] is number i of the j-th, whose first is `column`. */
typedef struct {
    const hlo_triangle_case *rule;
    hlo_type type;
    char *values;
    double *numbers, *line;
    int64_t width, column, columns;
} strip;

static char *value_at(const strip *x, int64_t index) {
    return x->values + index * hlo_types[x->type].bytes;
}

static void load_rows(const strip *x) {
    const hlo_triangle_case *s = x->rule;
    for (int64_t i = 0; i < s->n; i++) {
        double *row = x->numbers + i * x->width;
        hlo_convert_elements(x->type, HLO_F64, value_at(x, place_of(s, i) * s->m + x->column), row,
                             (size_t)x->columns);
        for (int64_t j = x->columns; j < x->width; j++) row[j] = 0;
    }
}

static void store_rows(const strip *x) {
    const hlo_triangle_case *s = x->rule;
    for (int64_t i = 0; i < s->n; i++)
        hlo_convert_elements(HLO_F64, x->type, x->numbers + i * x->width,
                             value_at(x, place_of(s, i) * s->m + x->column), (size_t)x->columns);
}

static void load_lines(const strip *x) {
    const hlo_triangle_case *s = x->rule;
    for (int64_t i = 0; i < s->n * x->width; i++) x->numbers[i] = 0;
    for (int64_t j = 0; j < x->columns; j++) {
        hlo_convert_elements(x->type, HLO_F64, value_at(x, (x->column + j) * s->n), x->line,
                             (size_t)s->n);
        for (int64_t i = 0; i < s->n; i++) x->numbers[i * x->width + j] = x->line[place_of(s, i)];
    }
}

static void store_lines(const strip *x) {
    const hlo_triangle_case *s = x->rule;
    for (int64_t j = 0; j < x->columns; j++) {
        for (int64_t i = 0; i < s->n; i++) x->line[place_of(s, i)] = x->numbers[i * x->width + j];
        hlo_convert_elements(HLO_F64, x->type, x->line, value_at(x, (x->column + j) * s->n),
                             (size_t)s->n);
    }
}

/* The rows of a tile, from `first` on, among each other. */
static void solve_rows(const strip *x, const double *l, int64_t first, int64_t rows) {
    int64_t n = x->rule->n, width = x->width;
    for (int64_t i = first; i < first + rows; i++) {
        double *restrict row = x->numbers + i * width;
        for (int64_t k = first; k < i; k++) {
            double factor = l[i * n + k];
            const double *above = x->numbers + k * width;
            for (int64_t j = 0; j < width; j++) row[j] += factor * above[j];
        }
        double pivot = l[i * n + i];
        for (int64_t j = 0; j < width && !x->rule->unit_diagonal; j++) row[j] /= pivot;
    }
}

/* The strip is packed as the right operand of a tile is. */
static void solve_strip(const hlo_gemm_kernels *kernels, const strip *x, const double *l) {
    int64_t n = x->rule->n;
    for (int64_t i = 0; i < n; i += kernels->rows) {
        int64_t rows = hlo_smaller(kernels->rows, n - i);
        const void *lefts[HLO_GEMM_ROWS];
        for (int64_t r = 0; r < rows; r++) lefts[r] = l + (i + r) * n;
        hlo_gemm_tile tile = {.rows = lefts,
                              .segments = 1,
                              .depth = i,
                              .step = 1,
                              .b = x->numbers,
                              .c = x->numbers + i * x->width,
                              .c_stride = x->width,
                              .adds = true};
        if (i) kernels->tile(&tile, rows, 2);
        solve_rows(x, l, i, rows);
    }
}

void hlo_strip_solve(const hlo_gemm_set *set, const hlo_triangle_case *s, const double *l,
                     hlo_type type, void *values, double *memory, int64_t first, int64_t last) {
    int64_t width = hlo_strip_width(set);
    strip x = {.rule = s,
               .type = type,
               .values = values,
               .numbers = memory,
               .line = memory + s->n * width,
               .width = width};
    for (int64_t i = first; i < last; i++) {
        x.column = i * width;
        x.columns = hlo_smaller(width, s->m - x.column);
        (s->right ? load_lines : load_rows)(&x);
        solve_strip(kernels_of(set), &x, l);
        (s->right ? store_lines : store_rows)(&x);
    }
}
