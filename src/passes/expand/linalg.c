/* Cholesky decomposition and triangular systems as loops over columns and rows. Patterns, called by
 * patterns.c. */
#include <math.h>

#include "analysis/match.h"
#include "passes/pipeline/expression.h"

static hlo_instr *conjugated(hlo_rewriter *r, hlo_instr *a) {
    if (!hlo_type_is_complex((hlo_type)a->shape->type)) return a;
    const hlo_shape *part =
        hlo_shape_with_type(&r->module->shapes, a->shape, hlo_type_part((hlo_type)a->shape->type));
    hlo_instr *real = hlo_emit_unary(r, HLO_OP_REAL, part, a);
    hlo_instr *imag = hlo_emit_unary(r, HLO_OP_IMAG, part, a);
    return hlo_emit_binary(r, HLO_OP_COMPLEX, a->shape, real,
                           hlo_build_unary(r, HLO_OP_NEGATE, imag));
}

static hlo_instr *transposed(hlo_rewriter *r, hlo_instr *a) {
    uint32_t rank = a->shape->rank;
    int64_t *order = hlo_calloc(rank, sizeof *order);
    for (uint32_t i = 0; i < rank; i++) order[i] = i;
    order[rank - 1] = rank - 2;
    order[rank - 2] = rank - 1;
    hlo_instr *out = hlo_build_transpose(r, a, order);
    hlo_free(order);
    return out;
}

/* The matrices' row (dimension rank - 2) or column (rank - 1) of that number, as one of size 1. */
static hlo_instr *line(hlo_rewriter *r, hlo_instr *a, hlo_instr *number, uint32_t dimension) {
    uint32_t rank = a->shape->rank;
    int64_t *sizes = hlo_calloc(rank, sizeof *sizes);
    hlo_instr **starts = hlo_calloc(rank, sizeof(hlo_instr *));
    hlo_instr *zero = hlo_build_integer(r, number->shape, 0);
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = i == dimension ? 1 : a->shape->dims[i];
        starts[i] = i == dimension ? number : zero;
    }
    hlo_instr *out = hlo_build_dynamic_slice(r, a, starts, sizes);
    hlo_free(sizes);
    hlo_free(starts);
    return out;
}

static hlo_instr *with_line(hlo_rewriter *r, hlo_instr *a, hlo_instr *new_line, hlo_instr *number,
                            uint32_t dimension) {
    uint32_t rank = a->shape->rank;
    hlo_instr **starts = hlo_calloc(rank, sizeof(hlo_instr *));
    hlo_instr *zero = hlo_build_integer(r, number->shape, 0);
    for (uint32_t i = 0; i < rank; i++) starts[i] = i == dimension ? number : zero;
    hlo_instr *out = hlo_build_dynamic_update(r, a, new_line, starts);
    hlo_free(starts);
    return out;
}

/* An array of size 1 along `dimension` as one of the sizes of `like`. */
static hlo_instr *stretched(hlo_rewriter *r, hlo_instr *a, uint32_t dimension,
                            const hlo_shape *like) {
    uint32_t rank = a->shape->rank, n = 0;
    int64_t *sizes = hlo_calloc(rank, sizeof *sizes), *dims = hlo_calloc(rank, sizeof *dims);
    for (uint32_t i = 0; i < rank; i++) {
        if (i == dimension) continue;
        sizes[n] = a->shape->dims[i];
        dims[n++] = i;
    }
    hlo_instr *out = hlo_build_spread(r, hlo_build_reshape(r, a, sizes, n), like, dims);
    hlo_free(sizes);
    hlo_free(dims);
    return out;
}

/* Compares the index of each element along the dimension with the iteration number. */
static hlo_instr *placed(hlo_rewriter *r, const hlo_shape *shape, uint32_t dimension,
                         hlo_instr *iteration, const char *direction) {
    const hlo_shape *places = hlo_shape_with_type(&r->module->shapes, shape, HLO_S32);
    hlo_instr *own = hlo_build_iota(r, places, dimension);
    return hlo_build_compare(r, own, hlo_build_spread(r, iteration, places, NULL), direction);
}

/* ---- cholesky ---- */

/* One column: c = a's column - l times l's row, divided by the root of its element on the diagonal.
 * `state` holds l; `context` a. */
typedef struct {
    uint32_t rows, columns; /* dimensions */
} matrix_dims;

static void cholesky_column(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                            void *context) {
    const matrix_dims *dims = context;
    (void)n;
    hlo_instr *l = state[0], *a = state[1];
    hlo_instr *row = conjugated(r, line(r, l, iteration, dims->rows));
    hlo_instr *given = line(r, a, iteration, dims->columns);
    hlo_instr *column =
        hlo_build_binary(r, HLO_OP_SUBTRACT, given, hlo_build_matmul(r, l, row, true));
    hlo_instr *pivot = hlo_build_unary(r, HLO_OP_SQRT, line(r, column, iteration, dims->rows));
    hlo_instr *scaled =
        hlo_build_binary(r, HLO_OP_DIVIDE, column, stretched(r, pivot, dims->rows, column->shape));
    hlo_instr *below = placed(r, column->shape, dims->rows, iteration, "GE");
    hlo_instr *kept = hlo_build_select(r, below, scaled, hlo_build_integer(r, column->shape, 0));
    state[0] = with_line(r, l, kept, iteration, dims->columns);
}

/* Narrow floats in f32, so that errors do not add up. */
static hlo_type working_type(hlo_type type) {
    return hlo_types[type].bits < 32 ? HLO_F32 : type;
}

static int64_t count_of(const hlo_shape *matrix) {
    return matrix->dims[matrix->rank - 1];
}

/* A matrix that is not positive definite has NaN everywhere: some pivot was not positive. */
static hlo_instr *or_nan(hlo_rewriter *r, hlo_instr *l, const matrix_dims *dims) {
    hlo_shapes_table *shapes = &r->module->shapes;
    hlo_type type = (hlo_type)l->shape->type, part = hlo_type_part(type);
    hlo_instr *real = l;
    if (part != type)
        real = hlo_emit_unary(r, HLO_OP_REAL, hlo_shape_with_type(shapes, l->shape, part), l);
    hlo_instr *zero = hlo_build_integer(r, real->shape, 0);
    hlo_instr *positive = hlo_build_compare(r, real, zero, "GT");
    const hlo_shape *places = hlo_shape_with_type(shapes, l->shape, HLO_S32);
    hlo_instr *row = hlo_build_iota(r, places, dims->rows);
    hlo_instr *column = hlo_build_iota(r, places, dims->columns);
    hlo_instr *off_diagonal = hlo_build_compare(r, row, column, "NE");
    hlo_instr *fine = hlo_build_binary(r, HLO_OP_OR, positive, off_diagonal);
    int64_t matrix[] = {dims->rows, dims->columns};
    hlo_instr *all = hlo_build_reduce(r, fine, HLO_OP_AND, matrix, 2);
    int64_t *batch = hlo_calloc(l->shape->rank, sizeof *batch);
    for (uint32_t i = 0; i < dims->rows; i++) batch[i] = i;
    hlo_instr *choice = hlo_build_spread(r, all, l->shape, batch);
    hlo_free(batch);
    /* Converted: text has no complex number with one NaN part. */
    hlo_instr *nan = hlo_build_convert(r, hlo_build_number(r, real->shape, NAN), type);
    return hlo_build_select(r, choice, l, nan);
}

hlo_instr *hlo_rewrite_expand_cholesky(hlo_rewriter *r, hlo_instr *instr) {
    const hlo_shape *shape = instr->shape;
    bool lower = hlo_attr_int(instr, HLO_ATTR_LOWER) != 0;
    matrix_dims dims = {shape->rank - 2, shape->rank - 1};
    hlo_type type = working_type((hlo_type)shape->type);
    hlo_instr *a = hlo_build_convert(r, hlo_operand(instr, 0), type);
    if (!lower) a = conjugated(r, transposed(r, a));
    hlo_instr *state[] = {hlo_build_integer(r, a->shape, 0), a};
    hlo_instr *l = hlo_build_loop(r, count_of(shape), state, 2, cholesky_column, &dims);
    l = or_nan(r, l, &dims);
    if (!lower) l = conjugated(r, transposed(r, l));
    return hlo_build_as(hlo_build_convert(r, l, (hlo_type)shape->type), shape);
}

/* ---- triangular-solve ---- */

typedef struct {
    matrix_dims dims;
    int64_t n;
    bool backward, unit_diagonal;
} system_case;

/* One row of x: (b's row - a's row times x) / a's diagonal. Rows of x that are to come are zeros,
 * so the part of a's row beyond the diagonal counts for nothing where it is finite; it is masked.
 */
static void solve_row(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                      void *context) {
    const system_case *s = context;
    (void)n;
    hlo_instr *x = state[0], *a = state[1], *b = state[2];
    hlo_instr *number = iteration;
    if (s->backward)
        number = hlo_build_binary(r, HLO_OP_SUBTRACT,
                                  hlo_build_integer(r, iteration->shape, s->n - 1), iteration);
    hlo_instr *row = line(r, a, number, s->dims.rows);
    hlo_instr *known = placed(r, row->shape, s->dims.columns, number, s->backward ? "GT" : "LT");
    hlo_instr *masked = hlo_build_select(r, known, row, hlo_build_integer(r, row->shape, 0));
    hlo_instr *given = line(r, b, number, s->dims.rows);
    hlo_instr *solved =
        hlo_build_binary(r, HLO_OP_SUBTRACT, given, hlo_build_matmul(r, masked, x, false));
    if (!s->unit_diagonal) {
        hlo_instr *pivot = line(r, row, number, s->dims.columns);
        solved = hlo_build_binary(r, HLO_OP_DIVIDE, solved,
                                  stretched(r, pivot, s->dims.columns, solved->shape));
    }
    state[0] = with_line(r, x, solved, number, s->dims.rows);
}

/* x op(a) = b is op(a)^T x^T = b^T. */
hlo_instr *hlo_rewrite_expand_triangular_solve(hlo_rewriter *r, hlo_instr *instr) {
    const hlo_shape *shape = instr->shape;
    hlo_type type = working_type((hlo_type)shape->type);
    const char *how = hlo_word_text(HLO_WORDS_TRANSPOSE, hlo_attr_int(instr, HLO_ATTR_TRANSPOSE_A));
    bool left = hlo_attr_int(instr, HLO_ATTR_LEFT_SIDE) != 0;
    bool flipped = strcmp(how, "NO_TRANSPOSE") != 0;
    bool lower = hlo_attr_int(instr, HLO_ATTR_LOWER) != 0;
    hlo_instr *a = hlo_build_convert(r, hlo_operand(instr, 0), type);
    hlo_instr *b = hlo_build_convert(r, hlo_operand(instr, 1), type);
    if (strcmp(how, "ADJOINT") == 0) a = conjugated(r, a);
    if (flipped == left) a = transposed(r, a);
    if (!left) b = transposed(r, b);
    system_case s = {.dims = {shape->rank - 2, shape->rank - 1},
                     .n = count_of(a->shape),
                     .backward = lower == (flipped == left),
                     .unit_diagonal = hlo_attr_int(instr, HLO_ATTR_UNIT_DIAGONAL) != 0};
    hlo_instr *state[] = {hlo_build_integer(r, b->shape, 0), a, b};
    hlo_instr *x = hlo_build_loop(r, s.n, state, 3, solve_row, &s);
    if (!left) x = transposed(r, x);
    return hlo_build_as(hlo_build_convert(r, x, (hlo_type)shape->type), shape);
}
