/* Lines of matrices and their places, in loops over columns and rows. */
#include "passes/expand/linalg_parts.h"

hlo_instr *hlo_conjugated_matrices(hlo_rewriter *r, hlo_instr *a) {
    if (!hlo_type_is_complex((hlo_type)a->shape->type)) return a;
    const hlo_shape *part =
        hlo_shape_with_type(&r->module->shapes, a->shape, hlo_type_part((hlo_type)a->shape->type));
    hlo_instr *real = hlo_emit_unary(r, HLO_OP_REAL, part, a);
    hlo_instr *imag = hlo_emit_unary(r, HLO_OP_IMAG, part, a);
    return hlo_emit_binary(r, HLO_OP_COMPLEX, a->shape, real,
                           hlo_build_unary(r, HLO_OP_NEGATE, imag));
}

hlo_instr *hlo_transposed_matrices(hlo_rewriter *r, hlo_instr *a) {
    uint32_t rank = a->shape->rank;
    int64_t *order = hlo_calloc(rank, sizeof *order);
    for (uint32_t i = 0; i < rank; i++) order[i] = i;
    order[rank - 1] = rank - 2;
    order[rank - 2] = rank - 1;
    hlo_instr *out = hlo_build_transpose(r, a, order);
    HLO_ASSERT(a->shape->rank >= 2);
    hlo_free(order);
    return out;
}

hlo_instr *hlo_matrix_line(hlo_rewriter *r, hlo_instr *a, hlo_instr *number, uint32_t dimension) {
    uint32_t rank = a->shape->rank;
    int64_t *sizes = hlo_calloc(rank, sizeof *sizes);
    hlo_instr **starts = hlo_calloc(rank, sizeof(hlo_instr *));
    hlo_instr *zero = hlo_build_integer(r, number->shape, 0);
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = i == dimension ? 1 : a->shape->dims[i];
        starts[i] = i == dimension ? number : zero;
    }
    hlo_instr *out = hlo_build_dynamic_slice(r, a, starts, sizes);
    HLO_ASSERT(dimension < a->shape->rank);
    hlo_free(sizes);
    hlo_free(starts);
    return out;
}

hlo_instr *hlo_with_matrix_line(hlo_rewriter *r, hlo_instr *a, hlo_instr *new_line,
                                hlo_instr *number, uint32_t dimension) {
    uint32_t rank = a->shape->rank;
    hlo_instr **starts = hlo_calloc(rank, sizeof(hlo_instr *));
    hlo_instr *zero = hlo_build_integer(r, number->shape, 0);
    for (uint32_t i = 0; i < rank; i++) starts[i] = i == dimension ? number : zero;
    hlo_instr *out = hlo_build_dynamic_update(r, a, new_line, starts);
    HLO_ASSERT(dimension < a->shape->rank);
    hlo_free(starts);
    return out;
}

hlo_instr *hlo_stretched_line(hlo_rewriter *r, hlo_instr *a, uint32_t dimension,
                              const hlo_shape *like) {
    uint32_t rank = a->shape->rank, n = 0;
    int64_t *sizes = hlo_calloc(rank, sizeof *sizes), *dims = hlo_calloc(rank, sizeof *dims);
    for (uint32_t i = 0; i < rank; i++) {
        if (i == dimension) continue;
        sizes[n] = a->shape->dims[i];
        dims[n++] = i;
    }
    hlo_instr *out = hlo_build_spread(r, hlo_build_reshape(r, a, sizes, n), like, dims);
    HLO_ASSERT(dimension < a->shape->rank);
    hlo_free(sizes);
    hlo_free(dims);
    return out;
}

hlo_instr *hlo_compared_places(hlo_rewriter *r, const hlo_shape *shape, uint32_t dimension,
                               hlo_instr *iteration, const char *direction) {
    const hlo_shape *places = hlo_shape_with_type(&r->module->shapes, shape, HLO_S32);
    HLO_ASSERT(dimension < shape->rank);
    hlo_instr *own = hlo_build_iota(r, places, dimension);
    return hlo_build_compare(r, own, hlo_build_spread(r, iteration, places, NULL), direction);
}

hlo_type hlo_factor_type(hlo_type type) {
    return hlo_types[type].bits < 32 ? HLO_F32 : type;
}

int64_t hlo_matrix_size(const hlo_shape *matrix) {
    HLO_ASSERT(matrix->rank >= 2);
    return matrix->dims[matrix->rank - 1];
}
