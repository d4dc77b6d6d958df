/* gather_simplifier: gathers in one form: rows of indices, [count, vector]; windows with all
 * dimensions of the operand, in order, after the row. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

/* A window without elements. */
hlo_instr *hlo_rewrite_gather_of_nothing(hlo_rewriter *r, hlo_instr *gather) {
    const hlo_ints *sizes = hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES);
    return hlo_ints_contain(sizes, 0) ? hlo_emit_filled(r, gather->shape, 0) : NULL;
}

/* Every index vector, being empty, chooses the scalar. */
hlo_instr *hlo_rewrite_gather_from_scalar(hlo_rewriter *r, hlo_instr *gather) {
    hlo_instr *operand = hlo_operand(gather, 0);
    if (operand->shape->rank) return NULL;
    if (gather->shape->rank == 0) return operand;
    return hlo_emit_broadcast(r, gather->shape, operand, NULL, 0);
}

/* ---- batch dimensions ---- */

/* Indices in a type that counts up to `count`. */
static hlo_instr *wide_enough(hlo_rewriter *r, hlo_instr *indices, int64_t count) {
    const hlo_type_info *type = &hlo_types[indices->shape->type];
    bool is_signed = type->class == HLO_CLASS_SIGNED;
    unsigned bits = type->bits - is_signed;
    bool fits = bits >= 63 || count <= (int64_t)1 << bits;
    return fits ? indices : hlo_build_convert(r, indices, is_signed ? HLO_S64 : HLO_U64);
}

/* With the vectors' dimension as the last one at least. */
static hlo_instr *with_vectors(hlo_rewriter *r, hlo_instr *indices, int64_t vector_dim) {
    const hlo_shape *shape = indices->shape;
    if (vector_dim < shape->rank) return indices;
    int64_t *sizes = hlo_calloc(shape->rank + 1, sizeof *sizes);
    memcpy(sizes, shape->dims, shape->rank * sizeof *sizes);
    sizes[shape->rank] = 1;
    hlo_instr *out = hlo_build_reshape(r, indices, sizes, shape->rank + 1);
    hlo_free(sizes);
    return out;
}

/* Appends to each index vector its position in the batch dimensions. */
static hlo_instr *with_places(hlo_rewriter *r, hlo_instr *indices, int64_t vector_dim,
                              const hlo_ints *batching) {
    int64_t most = 0;
    for (uint32_t i = 0; i < batching->n; i++)
        if (indices->shape->dims[batching->v[i]] > most)
            most = indices->shape->dims[batching->v[i]];
    indices = with_vectors(r, wide_enough(r, indices, most), vector_dim);
    const hlo_shape *shape = indices->shape;
    int64_t *sizes = hlo_calloc(shape->rank, sizeof *sizes);
    memcpy(sizes, shape->dims, shape->rank * sizeof *sizes);
    sizes[vector_dim] = 1;
    const hlo_shape *one = hlo_shape_of_sizes(r, (hlo_type)shape->type, sizes, shape->rank);
    hlo_instr **parts = hlo_malloc((batching->n + 1u) * sizeof *parts);
    parts[0] = indices;
    for (uint32_t i = 0; i < batching->n; i++)
        parts[i + 1] = hlo_build_iota(r, one, batching->v[i]);
    hlo_instr *out = hlo_build_concatenate(r, parts, batching->n + 1, vector_dim);
    hlo_free(sizes);
    hlo_free(parts);
    return out;
}

static hlo_attr appended(hlo_rewriter *r, const hlo_instr *gather, hlo_attr_id id,
                         const hlo_ints *more) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    const hlo_ints *old = hlo_attr_ints(gather, id);
    hlo_ints *all = hlo_ints_new(&r->module->arena, old->n + more->n);
    memcpy(all->v, old->v, old->n * sizeof *all->v);
    memcpy(all->v + old->n, more->v, more->n * sizeof *all->v);
    return (hlo_attr){.id = (uint16_t)id, .u.ints = all};
}

/* Rising, as collapsed dimensions must be. */
static void sort_dims(hlo_ints *dims) {
    for (uint32_t i = 1; i < dims->n; i++)
        for (uint32_t k = i; k > 0 && dims->v[k] < dims->v[k - 1]; k--) {
            int64_t swapped = dims->v[k];
            dims->v[k] = dims->v[k - 1];
            dims->v[k - 1] = swapped;
        }
}

/* Vectors may have a component for a batch dimension, which decides nothing: it stays so. */
static bool overlap(const hlo_ints *a, const hlo_ints *b) {
    for (uint32_t i = 0; i < a->n; i++)
        if (hlo_ints_contain(b, a->v[i])) return true;
    return false;
}

hlo_instr *hlo_rewrite_gather_batch_indices(hlo_rewriter *r, hlo_instr *gather) {
    const hlo_ints *of_operand = hlo_attr_ints(gather, HLO_ATTR_OPERAND_BATCHING_DIMS);
    const hlo_ints *of_indices = hlo_attr_ints(gather, HLO_ATTR_START_INDICES_BATCHING_DIMS);
    int64_t vector_dim = hlo_attr_int(gather, HLO_ATTR_INDEX_VECTOR_DIM);
    if (!of_operand->n || hlo_shape_elements(gather->shape) == 0) return NULL;
    if (overlap(of_operand, hlo_attr_ints(gather, HLO_ATTR_START_INDEX_MAP))) return NULL;
    hlo_attr collapsed = appended(r, gather, HLO_ATTR_COLLAPSED_SLICE_DIMS, of_operand);
    sort_dims((hlo_ints *)(uintptr_t)collapsed.u.ints);
    hlo_instr *operands[] = {hlo_operand(gather, 0), NULL};
    operands[1] = with_places(r, hlo_operand(gather, 1), vector_dim, of_indices);
    hlo_instr *by = hlo_emit_like(r, gather, gather->shape, operands, 2);
    hlo_instr_set_attr(by, appended(r, gather, HLO_ATTR_START_INDEX_MAP, of_operand));
    hlo_instr_set_attr(by, collapsed);
    hlo_instr_remove_attr(by, HLO_ATTR_OPERAND_BATCHING_DIMS);
    hlo_instr_remove_attr(by, HLO_ATTR_START_INDICES_BATCHING_DIMS);
    hlo_instr_remove_attr(by, HLO_ATTR_INDICES_ARE_SORTED);
    return by;
}

/* ---- the form ---- */

static bool has_the_form(const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    const hlo_ints *offsets = hlo_attr_ints(gather, HLO_ATTR_OFFSET_DIMS);
    if (hlo_operand(gather, 1)->shape->rank != 2 ||
        hlo_attr_int(gather, HLO_ATTR_INDEX_VECTOR_DIM) != 1 ||
        hlo_attr_ints(gather, HLO_ATTR_COLLAPSED_SLICE_DIMS)->n)
        return false;
    for (uint32_t i = 0; i < offsets->n; i++)
        if (offsets->v[i] != i + 1) return false;
    return true;
}

/* [count, vector]: the vectors' dimension last, the others as one. */
static hlo_instr *rows_of(hlo_rewriter *r, hlo_instr *indices, int64_t vector_dim) {
    const hlo_shape *shape = indices->shape;
    int64_t sizes[] = {1, 1};
    int64_t *order = hlo_calloc(shape->rank + 1, sizeof *order);
    uint32_t n = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i == vector_dim) {
            sizes[1] = shape->dims[i];
            continue;
        }
        order[n++] = i;
        sizes[0] *= shape->dims[i];
    }
    if (n < shape->rank) order[n] = vector_dim;
    bool in_order = n == shape->rank || vector_dim == n;
    hlo_instr *sorted = in_order ? indices : hlo_build_transpose(r, indices, order);
    hlo_free(order);
    bool is_table = shape->rank == 2 && n == 1;
    return is_table ? sorted : hlo_build_reshape(r, sorted, sizes, 2);
}

/* [count, window...] as the result: rows become batch dimensions again, windows lose collapsed
 * dimensions, and both are transposed to the positions in offset_dims. */
static hlo_instr *in_result_order(hlo_rewriter *r, hlo_instr *windows, const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    const hlo_ints *offsets = hlo_attr_ints(gather, HLO_ATTR_OFFSET_DIMS);
    uint32_t rank = gather->shape->rank, batch = 0, offset = rank - offsets->n;
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    int64_t *order = hlo_calloc(rank + 1, sizeof *order);
    bool in_order = true;
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t from = hlo_ints_contain(offsets, d) ? offset++ : batch++;
        sizes[from] = gather->shape->dims[d];
        order[d] = from;
        in_order &= from == d;
    }
    bool same = rank == windows->shape->rank &&
                memcmp(sizes, windows->shape->dims, rank * sizeof *sizes) == 0;
    hlo_instr *out = same ? windows : hlo_build_reshape(r, windows, sizes, rank);
    if (!in_order) out = hlo_build_transpose(r, out, order);
    hlo_free(sizes);
    hlo_free(order);
    return hlo_build_as(out, gather->shape);
}

hlo_instr *hlo_rewrite_gather_rows(hlo_rewriter *r, hlo_instr *gather) {
    hlo_instr *operands[] = {hlo_operand(gather, 0), NULL};
    uint32_t rank = operands[0]->shape->rank;
    if (hlo_has_batching_dims(gather) || rank == 0 || has_the_form(gather)) return NULL;
    operands[1] =
        rows_of(r, hlo_operand(gather, 1), hlo_attr_int(gather, HLO_ATTR_INDEX_VECTOR_DIM));
    int64_t *sizes = hlo_calloc(rank + 1, sizeof *sizes);
    hlo_ints *offsets = hlo_ints_new(&r->module->arena, rank);
    sizes[0] = operands[1]->shape->dims[0];
    for (uint32_t d = 0; d < rank; d++) {
        offsets->v[d] = d + 1;
        sizes[d + 1] = hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES)->v[d];
    }
    hlo_instr *windows = hlo_emit_like(
        r, gather, hlo_shape_of_sizes(r, (hlo_type)gather->shape->type, sizes, rank + 1), operands,
        2);
    hlo_free(sizes);
    hlo_instr_set_attr(windows, (hlo_attr){.id = HLO_ATTR_OFFSET_DIMS, .u.ints = offsets});
    hlo_instr_set_attr(windows, hlo_attr_of_ints(r, HLO_ATTR_COLLAPSED_SLICE_DIMS, NULL, 0));
    hlo_instr_set_attr(windows, hlo_attr_of_int(HLO_ATTR_INDEX_VECTOR_DIM, 1));
    return in_result_order(r, windows, gather);
}
