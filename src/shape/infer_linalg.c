/* Shapes of fft, cholesky and triangular-solve. */
#include "shape/rules.h"

/* ---- fft ---- */

/* Proto numbers of the words of attribute fft_type. */
typedef enum { FFT, IFFT, RFFT, IRFFT } fft_type;

static const char *type_name(fft_type type) {
    return hlo_word_text(HLO_WORDS_FFT_TYPE, (int64_t)type);
}

static bool check_fft_operand(hlo_inference *in, fft_type type, const hlo_ints *lengths) {
    const hlo_shape *operand = in->operands[0];
    if (!hlo_expect_array(in, 0)) return false;
    bool fits = type == RFFT ? operand->type == HLO_F32 || operand->type == HLO_F64
                             : hlo_type_is_complex((hlo_type)operand->type);
    if (!fits)
        return hlo_refuse(in, HLO_RULE_ELEMENT_TYPE, 0,
                          "%s transforms %s elements and operand 0 is %s", type_name(type),
                          type == RFFT ? "f32 or f64" : "complex", hlo_infer_text(in, operand));
    if (lengths->n < 1 || lengths->n > 3 || lengths->n > operand->rank)
        return hlo_refuse(
            in, HLO_RULE_FFT_LENGTH, HLO_AT(FFT_LENGTH),
            "fft_length=%s must have one to three entries, and no more than %s has dimensions",
            hlo_infer_ints_text(in, lengths->v, lengths->n), hlo_infer_text(in, operand));
    return true;
}

/* IRFFT reads half of the innermost dimension. Its other dimensions must have the exact size. */
static bool check_fft_lengths(hlo_inference *in, fft_type type, const hlo_ints *lengths) {
    const hlo_shape *operand = in->operands[0];
    uint32_t first = operand->rank - lengths->n;
    for (uint32_t i = 0; i < lengths->n; i++) {
        int64_t size = operand->dims[first + i], wanted = lengths->v[i];
        bool half = type == IRFFT && i == lengths->n - 1;
        if (half) wanted = size == 0 && wanted == 0 ? 0 : wanted / 2 + 1;
        if (size == wanted || (size == HLO_UNBOUNDED && (type == RFFT || half))) continue;
        return hlo_refuse(in, HLO_RULE_FFT_LENGTH, HLO_AT(FFT_LENGTH),
                          "%s with fft_length=%s needs the size %lld in dimension %u of %s",
                          type_name(type), hlo_infer_ints_text(in, lengths->v, lengths->n),
                          (long long)wanted, first + i, hlo_infer_text(in, operand));
    }
    return true;
}

const hlo_shape *hlo_infer_fft(hlo_inference *in) {
    fft_type type = (fft_type)hlo_infer_int(in, HLO_ATTR_FFT_TYPE);
    const hlo_ints *lengths = hlo_infer_ints(in, HLO_ATTR_FFT_LENGTH);
    if (!check_fft_operand(in, type, lengths)) return NULL;
    const hlo_shape *operand = in->operands[0];
    if (type == FFT || type == IFFT) return operand;
    if (!check_fft_lengths(in, type, lengths)) return NULL;
    hlo_dims dims = hlo_dims_of(in, operand);
    uint32_t last = dims.rank - 1;
    int64_t length = lengths->v[lengths->n - 1];
    if (type == IRFFT || length != 0) {
        dims.size[last] = type == IRFFT ? length : length / 2 + 1;
        dims.dynamic[last] = hlo_dim_is_bounded(operand, last);
    }
    hlo_type result = type == IRFFT ? hlo_type_part((hlo_type)operand->type)
                                    : (operand->type == HLO_F32 ? HLO_C64 : HLO_C128);
    return hlo_make_like(in, operand, result, dims);
}

/* ---- decompositions ---- */

static bool check_square(hlo_inference *in) {
    HLO_ASSERT(in->n > 0);
    const hlo_shape *a = in->operands[0];
    if (!hlo_expect_elements(in, 0)) return false;
    if (a->rank < 2 || !hlo_sizes_compatible(a->dims[a->rank - 2], a->dims[a->rank - 1]))
        return hlo_refuse(in, HLO_RULE_SQUARE_MATRIX, 0,
                          "operand 0 is %s and its last two dimensions must be a square matrix",
                          hlo_infer_text(in, a));
    return true;
}

const hlo_shape *hlo_infer_cholesky(hlo_inference *in) {
    return check_square(in) ? in->operands[0] : NULL;
}

static bool check_right_side(hlo_inference *in) {
    const hlo_shape *a = in->operands[0], *b = in->operands[1];
    uint32_t rank = a->rank, solved = rank - (hlo_infer_int(in, HLO_ATTR_LEFT_SIDE) ? 2 : 1);
    bool fits = a->type == b->type && b->rank == rank &&
                hlo_sizes_compatible(a->dims[rank - 1], b->dims[solved]);
    for (uint32_t i = 0; fits && i < rank - 2; i++) fits = a->dims[i] == b->dims[i];
    if (fits) return true;
    return hlo_refuse(
        in, HLO_RULE_TRIANGULAR_SOLVE, 1,
        "operand 0 is %s and operand 1 is %s: type, rank, batch dimensions and dimension %u "
        "must agree",
        hlo_infer_text(in, a), hlo_infer_text(in, b), solved);
}

const hlo_shape *hlo_infer_triangular_solve(hlo_inference *in) {
    if (!check_square(in) || !hlo_expect_array(in, 1) || !check_right_side(in)) return NULL;
    /* number 0 of the set, also where the attribute is left out, is TRANSPOSE_INVALID */
    if (hlo_infer_int(in, HLO_ATTR_TRANSPOSE_A) != 0) return in->operands[1];
    return hlo_infer_fail(in, HLO_RULE_TRIANGULAR_SOLVE, HLO_AT(TRANSPOSE_A),
                          "transpose_a must be given as NO_TRANSPOSE, TRANSPOSE or ADJOINT");
}
