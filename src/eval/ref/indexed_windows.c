/* Windows at indexed places: see indexed_windows.h. */
#include "eval/ref/indexed_windows.h"

#include "eval/ref/element.h"

/* The slices' dimensions besides the window's are the indices' besides the index vector's. */
static const int64_t *pair_with_indices(hlo_preparation *p, const hlo_indexed_windows_dims *dims,
                                        uint32_t slices_rank) {
    int64_t *from_indices = HLO_NEW_ARRAY(p->arena, int64_t, slices_rank), next = 0;
    for (uint32_t s = 0; s < slices_rank; s++) {
        from_indices[s] = -1;
        if (hlo_ints_contain(dims->numbers.window, s)) continue;
        if (next == dims->numbers.vector_dim) next++;
        from_indices[s] = next++;
    }
    return from_indices;
}

/* The slices' window dimensions are those of the operand that are neither absent nor batching. */
static const int64_t *pair_with_operand(hlo_preparation *p, const hlo_indexed_windows_dims *dims,
                                        uint32_t operand_rank) {
    int64_t *in_slices = HLO_NEW_ARRAY(p->arena, int64_t, operand_rank);
    for (uint32_t d = 0, next = 0; d < operand_rank; d++) {
        bool is_single = hlo_index_drops(&dims->numbers, d);
        in_slices[d] = is_single ? -1 : dims->numbers.window->v[next++];
    }
    return in_slices;
}

bool hlo_plain_windows_prepare(hlo_plain_windows *w, hlo_preparation *p,
                               hlo_indexed_windows_dims dims, const hlo_shape *operand,
                               const hlo_shape *indices, const hlo_shape *slices) {
    if (!hlo_check_windows_dims(p, &dims)) return false;
    int64_t *window_sizes = HLO_NEW_ARRAY(p->arena, int64_t, operand->rank);
    w->dims = dims;
    w->from_indices = pair_with_indices(p, &dims, slices->rank);
    w->in_slices = pair_with_operand(p, &dims, operand->rank);
    for (uint32_t d = 0; d < operand->rank; d++)
        window_sizes[d] = w->in_slices[d] < 0 ? 1 : slices->dims[w->in_slices[d]];
    w->window_sizes = window_sizes;
    w->in_indices = hlo_prepare_indices(p, 1, indices->rank);
    return true;
}

/* An integer element; unsigned ones beyond INT64_MAX are as large as any index. */
static int64_t integer_at(const hlo_value *indices, const int64_t *at) {
    uint64_t bits = hlo_load_from(indices, hlo_offset_in(indices, at)).integer;
    bool is_signed = hlo_types[indices->shape->type].class == HLO_CLASS_SIGNED;
    return !is_signed && bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
}

void hlo_plain_window_start(const hlo_plain_windows *w, const hlo_call *call,
                            const hlo_value *indices, const int64_t *slice, int64_t *start) {
    const hlo_indexed_windows_dims *dims = &w->dims;
    int64_t *at = hlo_index(call, w->in_indices, 0);
    uint32_t slices_rank = indices->shape->rank + dims->numbers.window->n;
    if (dims->numbers.vector_dim < indices->shape->rank) slices_rank--;
    for (uint32_t s = 0; s < slices_rank; s++)
        if (w->from_indices[s] >= 0) at[w->from_indices[s]] = slice[s];
    for (uint32_t d = 0; d < call->in[0]->shape->rank; d++) start[d] = 0;
    for (uint32_t i = 0; i < dims->numbers.map->n; i++) {
        if (dims->numbers.vector_dim < indices->shape->rank) at[dims->numbers.vector_dim] = i;
        start[dims->numbers.map->v[i]] = integer_at(indices, at);
    }
    for (uint32_t i = 0; i < dims->numbers.operand_batching->n; i++)
        start[dims->numbers.operand_batching->v[i]] = at[dims->numbers.indices_batching->v[i]];
}

int64_t hlo_plain_window_element(const hlo_plain_windows *w, const hlo_value *operand,
                                 const int64_t *start, const int64_t *slice) {
    int64_t element = 0;
    for (uint32_t d = 0; d < operand->shape->rank; d++) {
        int64_t within = w->in_slices[d] < 0 ? 0 : slice[w->in_slices[d]];
        element = element * operand->shape->dims[d] + start[d] + within;
    }
    return element;
}
