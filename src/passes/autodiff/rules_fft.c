/* The rule of fft: the transform is linear, and the sums that make an element of the result go the
 * other way. */
#include "passes/autodiff/formula.h"

static hlo_instr *transformed(hlo_gradient *g, const hlo_instr *fft, const hlo_shape *shape,
                              hlo_instr *a, const char *kind) {
    hlo_instr *made = hlo_emit_like(g->r, fft, shape, &a, 1);
    const hlo_word_info *info = hlo_word_find(HLO_WORDS_FFT_TYPE, hlo_str_from(kind));
    hlo_instr_set_attr(made, hlo_attr_of_int(HLO_ATTR_FFT_TYPE, info->number));
    return made;
}

/* Half of a spectrum was kept: zeros for the other half. */
static hlo_instr *through_real(hlo_gradient *g, hlo_instr *fft, hlo_instr *c) {
    const hlo_shape *shape = hlo_operand(fft, 0)->shape;
    int64_t last = (int64_t)shape->rank - 1;
    const hlo_shape *scalar = hlo_shape_scalar(&g->r->module->shapes, (hlo_type)c->shape->type);
    hlo_instr *zero = hlo_build_number(g->r, scalar, 0);
    int64_t more = shape->dims[last] - c->shape->dims[last];
    c = hlo_build_pad(g->r, c, zero, last, 0, more);
    return hlo_emit_unary(g->r, HLO_OP_REAL, shape, transformed(g, fft, c->shape, c, "FFT"));
}

/* How often an element of half a spectrum counts: twice, but for those that are the same in the
 * other half. */
static hlo_instr *counts(hlo_gradient *g, const hlo_shape *shape, int64_t length) {
    int64_t last = (int64_t)shape->rank - 1;
    const hlo_shape *places = hlo_shape_with_type(&g->r->module->shapes, shape, HLO_S32);
    hlo_instr *at = hlo_build_iota(g->r, places, last);
    hlo_instr *first = hlo_build_integer(g->r, places, 0);
    hlo_instr *is_one = hlo_build_compare(g->r, at, first, "EQ");
    hlo_instr *middle = hlo_build_integer(g->r, places, length % 2 ? 0 : length / 2);
    hlo_instr *is_middle = hlo_build_compare(g->r, at, middle, "EQ");
    is_one = hlo_build_binary(g->r, HLO_OP_OR, is_one, is_middle);
    hlo_instr *one = hlo_build_number(g->r, shape, 1);
    return hlo_build_select(g->r, is_one, one, hlo_build_number(g->r, shape, 2));
}

/* The other half was the conjugate of the given one. */
static hlo_instr *through_half(hlo_gradient *g, hlo_instr *fft, hlo_instr *c) {
    const hlo_shape *shape = hlo_operand(fft, 0)->shape;
    const hlo_ints *lengths = hlo_attr_ints(fft, HLO_ATTR_FFT_LENGTH);
    double size = 1;
    for (uint32_t i = 0; i < lengths->n; i++) size *= (double)lengths->v[i];
    hlo_instr *spectrum = transformed(g, fft, shape, c, "RFFT");
    HLO_ASSERT(fft->opcode == HLO_OP_FFT);
    spectrum = times(g, spectrum, counts(g, shape, lengths->v[lengths->n - 1]));
    return conjugated(g, times_number(g, spectrum, 1 / size));
}

bool hlo_gradient_fft(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_FFT);
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    const char *kind = hlo_word_text(HLO_WORDS_FFT_TYPE, hlo_attr_int(instr, HLO_ATTR_FFT_TYPE));
    if (shape->dynamic)
        return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
    if (strcmp(kind, "RFFT") == 0) c = through_real(g, instr, c);
    else if (strcmp(kind, "IRFFT") == 0) c = through_half(g, instr, c);
    else c = transformed(g, instr, shape, c, kind);
    hlo_gradient_add(g, instr, 0, c);
    return true;
}
