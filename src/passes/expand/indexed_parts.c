/* Index vectors and windows of gather and scatter, in loops over the vectors. */
#include "passes/expand/indexed_parts.h"

hlo_index_rows hlo_index_rows_of(hlo_rewriter *r, hlo_instr *indices, int64_t vector_dim) {
    const hlo_shape *shape = indices->shape;
    hlo_index_rows rows = {.count = 1, .size = 1};
    int64_t *order = hlo_calloc(shape->rank + 1, sizeof *order);
    rows.batch_sizes = hlo_calloc(shape->rank + 1, sizeof *rows.batch_sizes);
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i == vector_dim) continue;
        order[rows.batch_rank] = i;
        rows.batch_sizes[rows.batch_rank++] = shape->dims[i];
        rows.count *= shape->dims[i];
    }
    if (vector_dim < shape->rank) {
        order[rows.batch_rank] = vector_dim;
        rows.size = shape->dims[vector_dim];
    }
    /* Unsigned 64-bit indices above INT64_MAX must not become negative. */
    hlo_type type = shape->type == HLO_U64 ? HLO_U64 : HLO_S64;
    hlo_instr *sorted = hlo_build_transpose(r, hlo_build_convert(r, indices, type), order);
    HLO_ASSERT(vector_dim >= 0 && vector_dim <= indices->shape->rank);
    rows.rows = hlo_build_reshape(r, sorted, (int64_t[]){rows.count, rows.size}, 2);
    hlo_free(order);
    return rows;
}

/* The iteration number as a coordinate along one of the batch dimensions. */
static hlo_instr *coordinate(hlo_rewriter *r, hlo_instr *iteration, const hlo_index_rows *rows,
                             uint32_t dimension) {
    int64_t stride = 1;
    for (uint32_t i = dimension + 1; i < rows->batch_rank; i++) stride *= rows->batch_sizes[i];
    hlo_instr *quotient = hlo_build_binary(r, HLO_OP_DIVIDE, iteration,
                                           hlo_build_integer(r, iteration->shape, stride));
    return hlo_build_binary(r, HLO_OP_REMAINDER, quotient,
                            hlo_build_integer(r, iteration->shape, rows->batch_sizes[dimension]));
}

hlo_instr *hlo_index_row_at(hlo_rewriter *r, hlo_instr *a, hlo_instr *iteration) {
    uint32_t rank = a->shape->rank;
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    hlo_instr **starts = hlo_calloc(rank + 1, sizeof(hlo_instr *));
    hlo_instr *zero = hlo_build_integer(r, iteration->shape, 0);
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = i ? a->shape->dims[i] : 1;
        starts[i] = i ? zero : iteration;
    }
    hlo_instr *row = hlo_build_dynamic_slice(r, a, starts, sizes);
    hlo_instr *out = hlo_build_reshape(r, row, sizes + 1, rank - 1);
    hlo_free(sizes);
    hlo_free(starts);
    return out;
}

hlo_instr **hlo_window_starts_at(hlo_rewriter *r, hlo_instr *iteration, hlo_instr *table,
                                 const hlo_index_rows *rows, const hlo_window_place *place,
                                 uint32_t rank) {
    hlo_instr **starts = hlo_calloc(rank + 1, sizeof(hlo_instr *));
    hlo_instr *vector = hlo_index_row_at(r, table, iteration);
    hlo_type type = (hlo_type)table->shape->type;
    const hlo_shape *scalar = hlo_shape_scalar(&r->module->shapes, type);
    for (uint32_t k = 0; k < place->numbers.map->n; k++)
        starts[place->numbers.map->v[k]] =
            hlo_build_reshape(r, hlo_build_slice(r, vector, 0, k, k + 1), NULL, 0);
    for (uint32_t k = 0; k < place->numbers.operand_batching->n; k++) {
        int64_t of = place->numbers.indices_batching->v[k];
        hlo_instr *at =
            coordinate(r, iteration, rows, (uint32_t)(of - (of > place->numbers.vector_dim)));
        starts[place->numbers.operand_batching->v[k]] = hlo_build_convert(r, at, type);
    }
    hlo_instr *zero = hlo_build_integer(r, scalar, 0);
    for (uint32_t d = 0; d < rank; d++)
        if (!starts[d]) starts[d] = zero;
    return starts;
}
