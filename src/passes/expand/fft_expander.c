/* fft_expander: short Fourier transforms as products with matrices of roots of unity, one dimension
 * after the other. */
#include <math.h>

#include "ir/float_types.h"
#include "passes/pipeline/expression.h"

enum { LONGEST = 64 };

typedef struct {
    hlo_rewriter *r;
    hlo_type real, complex;
} transform;

/* element [j, k] of a constant matrix */
typedef double matrix_element(int64_t j, int64_t k, int64_t n);

static double angle(int64_t j, int64_t k, int64_t n) {
    return 2 * 3.14159265358979323846 * (double)(j * k % n) / (double)n;
}

static double cosine(int64_t j, int64_t k, int64_t n) {
    return cos(angle(j, k, n));
}

static double minus_sine(int64_t j, int64_t k, int64_t n) {
    return 0 - sin(angle(j, k, n)); /* not -0, which text does not carry */
}

/* Of a half spectrum the inner elements count twice, for the half that mirrors them. */
static double weight(int64_t j, int64_t n) {
    return (j == 0 || 2 * j == n ? 1.0 : 2.0) / (double)n;
}

static double weighted_cosine(int64_t j, int64_t k, int64_t n) {
    return weight(j, n) * cosine(j, k, n);
}

static double weighted_sine(int64_t j, int64_t k, int64_t n) {
    return weight(j, n) * minus_sine(j, k, n);
}

static hlo_instr *matrix(const transform *t, int64_t rows, int64_t columns, int64_t n,
                         matrix_element *element) {
    const hlo_shape *shape = hlo_shape_of_sizes(t->r, t->real, (int64_t[]){rows, columns}, 2);
    hlo_literal *literal = hlo_literal_new(&t->r->module->arena, shape);
    unsigned bytes = hlo_types[t->real].bytes;
    for (int64_t j = 0; j < rows; j++)
        for (int64_t k = 0; k < columns; k++)
            hlo_set_element_bits((char *)literal->data + (j * columns + k) * bytes, bytes,
                                 hlo_float_encode(t->real, element(j, k, n)));
    return hlo_emit_constant(t->r, literal);
}

/* The dimension is contracted with the matrix's rows; its columns come back in the same place. */
static hlo_instr *along(const transform *t, hlo_instr *x, uint32_t dimension, hlo_instr *m) {
    uint32_t rank = x->shape->rank, n = 0;
    int64_t *sizes = hlo_calloc(rank, sizeof *sizes), *order = hlo_calloc(rank, sizeof *order);
    for (uint32_t d = 0; d < rank; d++) {
        if (d == dimension) continue;
        order[d] = n;
        sizes[n++] = x->shape->dims[d];
    }
    order[dimension] = n;
    sizes[n] = m->shape->dims[1];
    int64_t lhs = dimension, rhs = 0;
    hlo_attr attrs[] = {hlo_attr_of_ints(t->r, HLO_ATTR_LHS_CONTRACTING_DIMS, &lhs, 1),
                        hlo_attr_of_ints(t->r, HLO_ATTR_RHS_CONTRACTING_DIMS, &rhs, 1)};
    const hlo_shape *shape = hlo_shape_of_sizes(t->r, (hlo_type)x->shape->type, sizes, rank);
    hlo_instr *product = hlo_emit(t->r, HLO_OP_DOT, shape, (hlo_instr *[]){x, m}, 2, attrs, 2);
    hlo_instr *out = hlo_build_transpose(t->r, product, order);
    hlo_free(sizes);
    hlo_free(order);
    return out;
}

static hlo_instr *part(const transform *t, hlo_opcode opcode, hlo_instr *x) {
    return hlo_emit_unary(t->r, opcode,
                          hlo_shape_with_type(&t->r->module->shapes, x->shape, t->real), x);
}

static hlo_instr *paired(const transform *t, hlo_instr *real, hlo_instr *imag) {
    const hlo_shape *shape = hlo_shape_with_type(&t->r->module->shapes, real->shape, t->complex);
    return hlo_emit_binary(t->r, HLO_OP_COMPLEX, shape, real, imag);
}

/* Full complex transforms: (a + bi)(c + di), backwards with the conjugate and 1/n. */
static hlo_instr *full(const transform *t, hlo_instr *x, uint32_t dimension, bool inverse) {
    int64_t n = x->shape->dims[dimension];
    hlo_instr *c = matrix(t, n, n, n, cosine), *d = matrix(t, n, n, n, minus_sine);
    if (inverse) d = hlo_build_unary(t->r, HLO_OP_NEGATE, d);
    hlo_instr *a = part(t, HLO_OP_REAL, x), *b = part(t, HLO_OP_IMAG, x);
    hlo_instr *ac = along(t, a, dimension, c), *bd = along(t, b, dimension, d);
    hlo_instr *ad = along(t, a, dimension, d), *bc = along(t, b, dimension, c);
    HLO_ASSERT(dimension < x->shape->rank);
    hlo_instr *real = hlo_build_binary(t->r, HLO_OP_SUBTRACT, ac, bd);
    hlo_instr *imag = hlo_build_binary(t->r, HLO_OP_ADD, ad, bc);
    if (inverse) {
        hlo_instr *count = hlo_build_number(t->r, real->shape, (double)n);
        real = hlo_build_binary(t->r, HLO_OP_DIVIDE, real, count);
        imag = hlo_build_binary(t->r, HLO_OP_DIVIDE, imag, count);
    }
    return paired(t, real, imag);
}

/* Real input, half a spectrum. */
static hlo_instr *from_real(const transform *t, hlo_instr *x, uint32_t dimension) {
    int64_t n = x->shape->dims[dimension], half = n / 2 + 1;
    hlo_instr *real = along(t, x, dimension, matrix(t, n, half, n, cosine));
    hlo_instr *imag = along(t, x, dimension, matrix(t, n, half, n, minus_sine));
    HLO_ASSERT(dimension < x->shape->rank);
    return paired(t, real, imag);
}

/* Half a spectrum, real output of n elements. */
static hlo_instr *to_real(const transform *t, hlo_instr *x, uint32_t dimension, int64_t n) {
    int64_t half = x->shape->dims[dimension];
    hlo_instr *cosines = matrix(t, half, n, n, weighted_cosine);
    hlo_instr *a = along(t, part(t, HLO_OP_REAL, x), dimension, cosines);
    hlo_instr *sines = matrix(t, half, n, n, weighted_sine);
    hlo_instr *b = along(t, part(t, HLO_OP_IMAG, x), dimension, sines);
    HLO_ASSERT(dimension < x->shape->rank);
    return hlo_build_binary(t->r, HLO_OP_ADD, a, b);
}

static bool is_short(const hlo_ints *lengths) {
    for (uint32_t i = 0; i < lengths->n; i++)
        if (lengths->v[i] < 1 || lengths->v[i] > LONGEST) return false;
    return lengths->n > 0;
}

hlo_instr *hlo_rewrite_expand_short_fft(hlo_rewriter *r, hlo_instr *fft) {
    HLO_ASSERT(fft->opcode == HLO_OP_FFT);
    hlo_instr *x = hlo_operand(fft, 0);
    const hlo_ints *lengths = hlo_attr_ints(fft, HLO_ATTR_FFT_LENGTH);
    const char *type = hlo_word_text(HLO_WORDS_FFT_TYPE, hlo_attr_int(fft, HLO_ATTR_FFT_TYPE));
    if (!is_short(lengths) || hlo_shape_elements(fft->shape) <= 0) return NULL;
    hlo_type real = hlo_type_part((hlo_type)x->shape->type);
    transform t = {r, real, real == HLO_F64 ? HLO_C128 : HLO_C64};
    bool inverse = type[0] == 'I';
    uint32_t first = x->shape->rank - lengths->n, last = x->shape->rank - 1;
    bool halved = strcmp(type, "RFFT") == 0 || strcmp(type, "IRFFT") == 0;
    if (halved && !inverse) x = from_real(&t, x, last);
    for (uint32_t d = first; d <= last; d++)
        if (!halved || d < last) x = full(&t, x, d, inverse);
    if (halved && inverse) x = to_real(&t, x, last, lengths->v[lengths->n - 1]);
    return hlo_build_as(x, fft->shape);
}
