/* Rules of dynamic_padder for gather and scatter. */
#include "analysis/match.h"
#include "passes/expand/dynamic_padder/padded.h"

/* The operand's dimension that the i-th window dimension runs over: those that `absent` and
 * `batching` name have none. */
static int64_t operand_dim(const hlo_ints *absent, const hlo_ints *batching, uint32_t i) {
    int64_t d = 0;
    for (;; d++) {
        if (hlo_ints_contain(absent, d) || hlo_ints_contain(batching, d)) continue;
        if (i-- == 0) return d;
    }
}

static bool cuts_vectors(const hlo_instr *instr, const hlo_padded *indices) {
    int64_t d = hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM);
    return d < indices->data->shape->rank && hlo_has_size(indices, d);
}

static const char cut_vectors[] = "has a dynamic index vector dimension";

/* Windows that take a dimension whole have its size. */
hlo_padded *hlo_pad_gather(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0), *indices = hlo_padded_operand(p, instr, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_GATHER);
    const hlo_ints *offsets = hlo_attr_ints(instr, HLO_ATTR_OFFSET_DIMS);
    const hlo_ints *absent = hlo_attr_ints(instr, HLO_ATTR_COLLAPSED_SLICE_DIMS);
    const hlo_ints *batching = hlo_attr_ints(instr, HLO_ATTR_OPERAND_BATCHING_DIMS);
    const hlo_shape *shape = hlo_padded_shape(p, instr->shape);
    if (cuts_vectors(instr, indices)) return hlo_padding_refuse(p, instr, cut_vectors);
    hlo_instr **sizes = hlo_padded_sizes(p, shape->rank);
    int64_t vector_dim = hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM);
    uint32_t window = 0;
    int64_t d = 0;
    for (uint32_t s = 0; s < shape->rank; s++) {
        if (hlo_ints_contain(offsets, s)) {
            int64_t from = operand_dim(absent, batching, window++);
            if (hlo_has_size(x, from) && shape->dims[s] == x->data->shape->dims[from])
                sizes[s] = x->sizes[from];
            continue;
        }
        d += d == vector_dim;
        if (hlo_has_size(indices, d)) sizes[s] = indices->sizes[d];
        d++;
    }
    hlo_instr *operands[] = {x->data, indices->data};
    return hlo_padded_new(p, hlo_emit_like(p->r, instr, shape, operands, 2), sizes);
}

/* ---- scatter ---- */

/* Window dimensions of the updates that are short, where the operand is not as short: what does
 * not count there must change nothing. False when nothing is known to do that. */
static bool mask_windows(hlo_padder *p, const hlo_instr *instr, uint32_t n, hlo_instr **operands) {
    const hlo_ints *window = hlo_attr_ints(instr, HLO_ATTR_UPDATE_WINDOW_DIMS);
    const hlo_ints *absent = hlo_attr_ints(instr, HLO_ATTR_INSERTED_WINDOW_DIMS);
    const hlo_ints *batching = hlo_attr_ints(instr, HLO_ATTR_INPUT_BATCHING_DIMS);
    hlo_padded *x = hlo_padded_operand(p, instr, 0), *update = hlo_padded_operand(p, instr, n + 1);
    bool *counts = HLO_NEW_ARRAY(&p->arena, bool, update->data->shape->rank + 1), any = false;
    for (uint32_t i = 0; i < window->n; i++) {
        int64_t d = window->v[i], from = operand_dim(absent, batching, i);
        if (!hlo_has_size(update, d)) continue;
        if (update->data->shape->dims[d] != x->data->shape->dims[from]) return false;
        counts[d] = !hlo_has_size(x, from) || x->sizes[from] != update->sizes[d];
        any |= counts[d];
    }
    if (!any) return true;
    hlo_opcode opcode = hlo_binary_computation(hlo_called(instr, 0));
    const hlo_shape *scalar =
        hlo_shape_scalar(&p->r->module->shapes, (hlo_type)update->data->shape->type);
    hlo_instr *neutral =
        n == 1 && opcode != HLO_OP_COUNT ? hlo_build_neutral(p->r, scalar, opcode) : NULL;
    if (neutral) operands[n + 1] = hlo_padded_masked(p, update, counts, neutral);
    return neutral != NULL;
}

/* Index vectors whose updates do not count point after the operand, where scatter does nothing. */
static hlo_instr *live_indices(hlo_padder *p, const hlo_instr *instr, uint32_t n) {
    hlo_rewriter *r = p->r;
    hlo_padded *indices = hlo_padded_operand(p, instr, n);
    hlo_padded *update = hlo_padded_operand(p, instr, n + 1);
    const hlo_ints *window = hlo_attr_ints(instr, HLO_ATTR_UPDATE_WINDOW_DIMS);
    const hlo_shape *operand = hlo_padded_operand(p, instr, 0)->data->shape;
    int64_t vector_dim = hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM), d = 0, most = 0;
    hlo_instr **sizes = hlo_padded_sizes(p, indices->data->shape->rank);
    for (uint32_t s = 0; s < update->data->shape->rank; s++) {
        if (hlo_ints_contain(window, s)) continue;
        d += d == vector_dim;
        hlo_instr *own = hlo_has_size(indices, d) ? indices->sizes[d] : NULL;
        hlo_instr *given = hlo_has_size(update, s) ? update->sizes[s] : NULL;
        sizes[d++] = !own || own == given ? given
                     : given              ? hlo_build_binary(r, HLO_OP_MINIMUM, own, given)
                                          : own;
    }
    for (uint32_t i = 0; i < operand->rank; i++)
        if (operand->dims[i] > most) most = operand->dims[i];
    hlo_instr *live = hlo_padded_live(p, indices->data->shape, sizes, NULL);
    if (!live) return indices->data;
    hlo_type type = indices->data->shape->type == HLO_U64 ? HLO_U64 : HLO_S64;
    hlo_instr *wide = hlo_build_convert(r, indices->data, type);
    return hlo_build_select(r, live, wide, hlo_build_integer(r, wide->shape, most));
}

hlo_padded *hlo_pad_scatter(hlo_padder *p, hlo_instr *instr) {
    uint32_t n = instr->operand_count / 2;
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, instr->operand_count);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = hlo_padded_operand(p, instr, i)->data;
    if (cuts_vectors(instr, hlo_padded_operand(p, instr, n)))
        return hlo_padding_refuse(p, instr, cut_vectors);
    if (!mask_windows(p, instr, n, operands))
        return hlo_padding_refuse(p, instr,
                                  "has updates with a run-time size in a window, and no neutral "
                                  "element to pad them with");
    operands[n] = live_indices(p, instr, n);
    hlo_instr *made = hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), operands,
                                    instr->operand_count);
    HLO_ASSERT(instr->opcode == HLO_OP_SCATTER);
    hlo_attr unordered = hlo_attr_of_int(HLO_ATTR_INDICES_ARE_SORTED, 0);
    if (operands[n] != hlo_padded_operand(p, instr, n)->data) hlo_instr_set_attr(made, unordered);
    return hlo_padded_results(p, made, hlo_padded_operand(p, instr, 0)->sizes);
}
