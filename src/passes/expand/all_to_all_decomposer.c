/* all_to_all_decomposer: all-to-all of pieces, or of an array of higher rank. */
#include "passes/expand/collective_parts.h"

enum { MOST_RANK = 1000 };

/* Piece i goes to member i; the pieces that came are joined. */
static hlo_instr *exchanged_pieces(hlo_rewriter *r, hlo_instr *instr, int64_t dimension,
                                   int64_t members) {
    HLO_ASSERT(dimension >= 0 && dimension < instr->shape->rank);
    const hlo_shape **shapes = hlo_malloc((size_t)members * sizeof *shapes);
    hlo_instr **pieces = hlo_malloc((size_t)members * sizeof *pieces);
    int64_t size = instr->shape->dims[dimension] / members;
    for (int64_t i = 0; i < members; i++) {
        pieces[i] = hlo_build_slice(r, hlo_operand(instr, 0), dimension, i * size, (i + 1) * size);
        shapes[i] = pieces[i]->shape;
    }
    hlo_attr attrs[HLO_MOST_KEPT_ATTRS];
    uint32_t n = hlo_kept_group_attrs(instr, HLO_OP_ALL_TO_ALL, attrs);
    const hlo_shape *tuple = hlo_shape_tuple(&r->module->shapes, shapes, (uint32_t)members);
    hlo_instr *exchange =
        hlo_emit(r, HLO_OP_ALL_TO_ALL, tuple, pieces, (uint32_t)members, attrs, n);
    HLO_ASSERT(instr->opcode == HLO_OP_ALL_TO_ALL);
    for (int64_t i = 0; i < members; i++) pieces[i] = hlo_emit_element(r, exchange, i);
    hlo_instr *joined = hlo_build_concatenate(r, pieces, (uint32_t)members, dimension);
    hlo_free(shapes);
    hlo_free(pieces);
    return hlo_build_as(joined, instr->shape);
}

/* The dimension becomes one of as many elements as there are members, and one of a piece's. */
static hlo_instr *of_higher_rank(hlo_rewriter *r, hlo_instr *instr, int64_t dimension,
                                 int64_t members, uint32_t least) {
    const hlo_shape *shape = instr->shape;
    int64_t *sizes = hlo_malloc((least + 1) * sizeof *sizes);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i != dimension) {
            sizes[rank++] = shape->dims[i];
            continue;
        }
        sizes[rank++] = members;
        sizes[rank++] = shape->dims[i] / members;
        for (uint32_t k = shape->rank + 1; k < least; k++) sizes[rank++] = 1;
    }
    hlo_instr *flat = hlo_build_reshape(r, hlo_operand(instr, 0), sizes, rank);
    hlo_instr *exchange = hlo_emit_like(r, instr, flat->shape, &flat, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_ALL_TO_ALL);
    hlo_free(sizes);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, shape, exchange);
}

hlo_instr *hlo_rewrite_expand_all_to_all(hlo_rewriter *r, hlo_instr *instr) {
    int64_t members = hlo_members_of_group(r, instr),
            least = HLO_OPTION(r, ALL_TO_ALL_DECOMPOSER, min_array_rank);
    if (!hlo_shape_is_array(instr->shape) || members < 1 || instr->operand_count != 1 ||
        hlo_attr_int(instr, HLO_ATTR_CONSTRAIN_LAYOUT))
        return NULL;
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    if (members > UINT32_MAX || instr->shape->dims[dimension] % members) return NULL;
    if (HLO_OPTION(r, ALL_TO_ALL_DECOMPOSER, decompose_to_tuple))
        return exchanged_pieces(r, instr, dimension, members);
    if (least <= instr->shape->rank || least > MOST_RANK) return NULL;
    return of_higher_rank(r, instr, dimension, members, (uint32_t)least);
}
