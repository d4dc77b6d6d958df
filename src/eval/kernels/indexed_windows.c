/* The addressing of gather and scatter: see indexed_windows.h. Called by gather.c and scatter.c. */
#include "eval/kernels/indexed_windows.h"

/* Where `value` stands in the list, or -1. */
static int64_t position(const hlo_ints *list, int64_t value) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == value) return i;
    return -1;
}

static bool holds(const hlo_ints *list, int64_t value) {
    return position(list, value) >= 0;
}

/* The dimensions of the indices but for the index vector's, in order, are the dimensions of the
 * slices that are not window dimensions; some of them select along operand dimensions, too. */
static void walk_places(hlo_indexed_windows *w, const hlo_indexed_windows_dims *dims,
                        const hlo_shape *indices, const hlo_shape *slices,
                        const int64_t *operand_strides, const int64_t *slice_strides,
                        int64_t *index_strides) {
    hlo_row_major(indices, 1, index_strides);
    hlo_walk_init(&w->places, 3);
    uint32_t s = 0;
    for (uint32_t d = 0; d < indices->rank; d++) {
        if (d == dims->index_vector_dim) continue;
        while (s < slices->rank && holds(dims->window_dims, s)) s++;
        int64_t batch = position(dims->indices_batching, d), size = indices->dims[d];
        if (dims->index_sizes && dims->index_sizes[d] < size) size = dims->index_sizes[d];
        if (dims->slice_sizes && s < slices->rank && dims->slice_sizes[s] < size)
            size = dims->slice_sizes[s];
        hlo_walk_dim3(&w->places, size, s < slices->rank ? slice_strides[s] : 0, index_strides[d],
                      batch < 0 ? 0 : operand_strides[dims->operand_batching->v[batch]]);
        s++;
    }
    bool has_vector = dims->index_vector_dim < indices->rank;
    w->index_stride = has_vector ? index_strides[dims->index_vector_dim] : 0;
}

/* Window dimensions of the slices, in ascending order, are the operand's dimensions that are
 * neither absent nor batching. Fills in the window's size along each dimension of the operand. */
static void walk_window(hlo_indexed_windows *w, const hlo_indexed_windows_dims *dims,
                        const hlo_shape *operand, const hlo_shape *slices, int64_t *window_sizes,
                        const int64_t *operand_strides, const int64_t *slice_strides) {
    hlo_walk_init(&w->window, 2);
    uint32_t s = 0;
    for (uint32_t d = 0; d < operand->rank; d++) {
        window_sizes[d] = 1;
        w->extents[d] = (hlo_window_extent){1, 0, operand_strides[d]};
        if (holds(dims->absent_dims, d) || holds(dims->operand_batching, d)) continue;
        while (s < slices->rank && !holds(dims->window_dims, s)) s++;
        if (s == slices->rank) continue;
        window_sizes[d] = slices->dims[s];
        w->extents[d].size = dims->slice_sizes ? dims->slice_sizes[s] : slices->dims[s];
        w->extents[d].in_slices = slice_strides[s];
        hlo_walk_dim2(&w->window, w->extents[d].size, slice_strides[s], operand_strides[d]);
        s++;
    }
}

bool hlo_indexed_windows_batches_fit(const hlo_call *call, const hlo_indexed_windows_dims *dims,
                                     const hlo_shape *operand, const hlo_shape *indices) {
    for (uint32_t i = 0; i < dims->operand_batching->n; i++) {
        int64_t d = dims->operand_batching->v[i], from = dims->indices_batching->v[i];
        if (indices->dims[from] <= operand->dims[d]) continue;
        return hlo_call_error(call,
                              "batching dimension %lld of the operand has %lld elements, and "
                              "dimension %lld of the indices %lld",
                              (long long)d, (long long)operand->dims[d], (long long)from,
                              (long long)indices->dims[from]);
    }
    return true;
}

size_t hlo_indexed_windows_bytes(const hlo_indexed_windows_dims *dims, const hlo_shape *operand,
                                 const hlo_shape *indices, const hlo_shape *slices) {
    size_t numbers = 2 * (size_t)operand->rank + slices->rank + indices->rank;
    return operand->rank * sizeof(hlo_window_extent) +
           dims->index_map->n * sizeof(hlo_window_start) + numbers * sizeof(int64_t);
}

void hlo_indexed_windows_init(hlo_indexed_windows *w, const hlo_indexed_windows_dims *dims,
                              const hlo_shape *operand, const hlo_shape *indices,
                              const hlo_shape *slices, int64_t unit, void *memory) {
    w->extents = memory;
    w->starts = (hlo_window_start *)(w->extents + operand->rank);
    int64_t *operand_strides = (int64_t *)(w->starts + dims->index_map->n);
    int64_t *window_sizes = operand_strides + operand->rank;
    int64_t *slice_strides = window_sizes + operand->rank;
    hlo_row_major(operand, unit, operand_strides);
    hlo_row_major(slices, unit, slice_strides);
    walk_places(w, dims, indices, slices, operand_strides, slice_strides,
                slice_strides + slices->rank);
    walk_window(w, dims, operand, slices, window_sizes, operand_strides, slice_strides);
    w->index_count = 0;
    for (uint32_t i = 0; i < dims->index_map->n; i++) {
        int64_t d = dims->index_map->v[i];
        if (holds(dims->operand_batching, d)) continue; /* the batch decides */
        w->starts[w->index_count++] =
            (hlo_window_start){i, operand->dims[d] - window_sizes[d], operand_strides[d]};
    }
}

int64_t hlo_indexed_windows_operand_dim(const hlo_indexed_windows_dims *dims, uint32_t operand_rank,
                                        uint32_t i) {
    for (uint32_t d = 0; d < operand_rank; d++) {
        if (holds(dims->absent_dims, d) || holds(dims->operand_batching, d)) continue;
        if (i-- == 0) return d;
    }
    return -1;
}

void hlo_indexed_windows_sizes(const hlo_indexed_windows_dims *dims, const hlo_value *operand,
                               const hlo_value *indices, hlo_value *slices) {
    if (!operand->sizes && !indices->sizes) return;
    int64_t *sizes = hlo_result_sizes(slices);
    uint32_t window = 0, d = 0;
    for (uint32_t s = 0; s < slices->shape->rank; s++) {
        if (holds(dims->window_dims, s)) {
            int64_t from = hlo_indexed_windows_operand_dim(dims, operand->shape->rank, window++);
            bool is_whole = slices->shape->dims[s] == operand->shape->dims[from];
            if (is_whole) sizes[s] = hlo_value_size(operand, (uint32_t)from);
            continue;
        }
        if (d == dims->index_vector_dim) d++;
        sizes[s] = hlo_value_size(indices, d++);
    }
}
