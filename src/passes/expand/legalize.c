/* Forms of operations that the operation semantics once had and XLA still reads, as plain HLO: one
 * start per dimension, operands of one shape, types that an operation is meant for. Patterns. */
#include "passes/pipeline/expression.h"

/* ---- starts of slices ---- */

/* The instruction with a scalar for each element of its operand `first`, a vector of starts. */
static hlo_instr *with_scalar_starts(hlo_rewriter *r, hlo_instr *instr, uint32_t first) {
    if (instr->operand_count != first + 1) return NULL; /* a slice of a scalar has no starts */
    hlo_instr *starts = hlo_operand(instr, first);
    uint32_t rank = hlo_operand(instr, 0)->shape->rank;
    if (starts->shape->rank != 1) return NULL;
    hlo_instr **operands = hlo_arena_alloc(&r->module->arena, (first + rank) * sizeof *operands);
    for (uint32_t i = 0; i < first; i++) operands[i] = hlo_operand(instr, i);
    for (uint32_t i = 0; i < rank; i++)
        operands[first + i] =
            hlo_build_reshape(r, hlo_build_slice(r, starts, 0, i, i + 1), NULL, 0);
    return hlo_emit_like(r, instr, instr->shape, operands, first + rank);
}

hlo_instr *hlo_rewrite_scalar_slice_starts(hlo_rewriter *r, hlo_instr *slice) {
    return with_scalar_starts(r, slice, 1);
}

hlo_instr *hlo_rewrite_scalar_update_starts(hlo_rewriter *r, hlo_instr *update) {
    return with_scalar_starts(r, update, 2);
}

/* ---- scalars beside arrays ---- */

/* The scalar everywhere in an array with the sizes of `like`. */
static hlo_instr *everywhere(hlo_rewriter *r, hlo_instr *scalar, const hlo_shape *like) {
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, like, (hlo_type)scalar->shape->type);
    return hlo_emit_broadcast(r, shape, scalar, NULL, 0);
}

hlo_instr *hlo_rewrite_whole_bounds(hlo_rewriter *r, hlo_instr *clamp) {
    hlo_instr *low = hlo_operand(clamp, 0), *x = hlo_operand(clamp, 1),
              *high = hlo_operand(clamp, 2);
    if (!x->shape->rank || (low->shape->rank && high->shape->rank)) return NULL;
    if (!low->shape->rank) low = everywhere(r, low, x->shape);
    if (!high->shape->rank) high = everywhere(r, high, x->shape);
    return hlo_emit_like(r, clamp, clamp->shape, (hlo_instr *[]){low, x, high}, 3);
}

hlo_instr *hlo_rewrite_whole_predicate(hlo_rewriter *r, hlo_instr *select) {
    hlo_instr *choice = hlo_operand(select, 0);
    if (choice->shape->rank || !select->shape->rank) return NULL;
    return hlo_emit_with_operand(r, select, 0, everywhere(r, choice, select->shape));
}

/* ---- random numbers ---- */

/* Of two values, only the lower one is between the bounds. */
hlo_instr *hlo_rewrite_uniform_pred(hlo_rewriter *r, hlo_instr *rng) {
    const char *word =
        hlo_word_text(HLO_WORDS_DISTRIBUTION, hlo_attr_int(rng, HLO_ATTR_DISTRIBUTION));
    if (rng->shape->type != HLO_PRED || !word || strcmp(word, "rng_uniform") != 0) return NULL;
    return hlo_emit_broadcast(r, rng->shape, hlo_operand(rng, 0), NULL, 0);
}

/* ---- infeeds of nothing ---- */

hlo_instr *hlo_rewrite_infeed_of_nothing(hlo_rewriter *r, hlo_instr *infeed) {
    const hlo_shape *data = infeed->shape->elements[0];
    if (!hlo_shape_is_tuple(data) || data->rank) return NULL;
    hlo_instr *nothing = hlo_emit_tuple(r, NULL, 0);
    return hlo_emit_tuple(r, (hlo_instr *[]){nothing, hlo_operand(infeed, 0)}, 2);
}
