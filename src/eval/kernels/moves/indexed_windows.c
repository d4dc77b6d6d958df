/* The addressing of gather and scatter: see indexed_windows.h. */
#include "eval/kernels/moves/indexed_windows.h"

#include "eval/kernel/dynamic.h"
#include "eval/kernels/moves/move_kernels.h"

/* ---- walks ---- */

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
        if (d == dims->numbers.vector_dim) continue;
        while (s < slices->rank && hlo_ints_contain(dims->numbers.window, s)) s++;
        int64_t batch = hlo_ints_find(dims->numbers.indices_batching, d), size = indices->dims[d];
        if (dims->index_sizes && dims->index_sizes[d] < size) size = dims->index_sizes[d];
        if (dims->slice_sizes && s < slices->rank && dims->slice_sizes[s] < size)
            size = dims->slice_sizes[s];
        hlo_walk_dim3(&w->places, size, s < slices->rank ? slice_strides[s] : 0, index_strides[d],
                      batch < 0 ? 0 : operand_strides[dims->numbers.operand_batching->v[batch]]);
        s++;
    }
    bool has_vector = dims->numbers.vector_dim < indices->rank;
    w->index_stride = has_vector ? index_strides[dims->numbers.vector_dim] : 0;
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
        if (hlo_index_drops(&dims->numbers, d)) continue;
        while (s < slices->rank && !hlo_ints_contain(dims->numbers.window, s)) s++;
        if (s == slices->rank) continue;
        window_sizes[d] = slices->dims[s];
        w->extents[d].size = dims->slice_sizes ? dims->slice_sizes[s] : slices->dims[s];
        w->extents[d].in_slices = slice_strides[s];
        hlo_walk_dim2(&w->window, w->extents[d].size, slice_strides[s], operand_strides[d]);
        s++;
    }
}

size_t hlo_indexed_windows_bytes(const hlo_indexed_windows_dims *dims, const hlo_shape *operand,
                                 const hlo_shape *indices, const hlo_shape *slices) {
    size_t numbers = 2 * (size_t)operand->rank + slices->rank + indices->rank;
    return operand->rank * sizeof(hlo_window_extent) +
           dims->numbers.map->n * sizeof(hlo_window_start) + numbers * sizeof(int64_t);
}

void hlo_indexed_windows_init(hlo_indexed_windows *w, const hlo_indexed_windows_dims *dims,
                              const hlo_shape *operand, const hlo_shape *indices,
                              const hlo_shape *slices, int64_t unit, void *memory) {
    w->extents = memory;
    w->starts = (hlo_window_start *)(w->extents + operand->rank);
    int64_t *operand_strides = (int64_t *)(w->starts + dims->numbers.map->n);
    int64_t *window_sizes = operand_strides + operand->rank;
    int64_t *slice_strides = window_sizes + operand->rank;
    hlo_row_major(operand, unit, operand_strides);
    hlo_row_major(slices, unit, slice_strides);
    walk_places(w, dims, indices, slices, operand_strides, slice_strides,
                slice_strides + slices->rank);
    walk_window(w, dims, operand, slices, window_sizes, operand_strides, slice_strides);
    w->index_count = 0;
    for (uint32_t i = 0; i < dims->numbers.map->n; i++) {
        int64_t d = dims->numbers.map->v[i];
        if (hlo_ints_contain(dims->numbers.operand_batching, d)) continue; /* the batch decides */
        w->starts[w->index_count++] =
            (hlo_window_start){i, operand->dims[d] - window_sizes[d], operand_strides[d]};
    }
}

int64_t hlo_window_row_bytes(const hlo_walk *window, uint32_t bytes) {
    if (window->empty) return 0;
    if (window->rank == 0) return bytes;
    bool is_row =
        window->rank == 1 && window->stride[0][0] == bytes && window->stride[0][1] == bytes;
    return is_row ? window->size[0] * bytes : 0;
}

/* ---- starts ---- */

/* What a batching dimension decides. */
static void start_at_places(const hlo_walk *places, int64_t k, int64_t n, int64_t *starts) {
    int64_t step = places->row_stride[2];
    hlo_move_chosen()->count_up(starts, places->at[2] + k * step, step, n);
}

static hlo_move_index index_of(const hlo_indexed_windows *w, const hlo_walk *places, int64_t k,
                               const hlo_value *indices, uint32_t i) {
    const hlo_window_start *start = &w->starts[i];
    int64_t first = places->at[1] + k * places->row_stride[1] + start->place * w->index_stride;
    const char *data = indices->data;
    return (hlo_move_index){data + first * hlo_element_bytes(indices->shape), places->row_stride[1],
                            start->last, start->stride};
}

void hlo_find_clamped_starts(const hlo_indexed_windows *w, const hlo_walk *places, int64_t k,
                             int64_t n, const hlo_value *indices, int64_t *starts) {
    start_at_places(places, k, n, starts);
    for (uint32_t i = 0; i < w->index_count; i++) {
        hlo_move_index index = index_of(w, places, k, indices, i);
        hlo_move_chosen()->add_clamped[indices->shape->type](starts, &index, n);
    }
}

void hlo_find_fitting_starts(const hlo_indexed_windows *w, const hlo_walk *places, int64_t k,
                             int64_t n, const hlo_value *indices, int64_t *starts) {
    start_at_places(places, k, n, starts);
    for (uint32_t i = 0; i < w->index_count; i++) {
        hlo_move_index index = index_of(w, places, k, indices, i);
        hlo_move_chosen()->add_fitting[indices->shape->type](starts, &index, n);
    }
}

/* ---- what is refused ---- */

/* Operands from `first` on below `last` have one size: windows of one are where those of another
 * are. */
static bool check_equal_sizes(hlo_preparation *p, uint32_t first, uint32_t last) {
    const hlo_shape *one = hlo_operand(p->instr, first)->shape;
    for (uint32_t i = first + 1; i < last; i++) {
        const hlo_shape *other = hlo_operand(p->instr, i)->shape;
        for (uint32_t d = 0; d < one->rank; d++)
            if (other->rank != one->rank || other->dims[d] != one->dims[d])
                return hlo_prepare_error(p, HLO_RULE_RUN,
                                         "has operands %u and %u of different sizes", first, i);
    }
    return true;
}

bool hlo_check_windows_dims(hlo_preparation *p, const hlo_indexed_windows_dims *dims) {
    uint32_t arrays = p->instr->opcode == HLO_OP_SCATTER ? p->instr->operand_count / 2 : 0;
    if (arrays && (!check_equal_sizes(p, 0, arrays) ||
                   !check_equal_sizes(p, arrays + 1, p->instr->operand_count)))
        return false;
    for (uint32_t i = 0; i < dims->numbers.operand_batching->n; i++)
        if (hlo_ints_contain(dims->numbers.absent, dims->numbers.operand_batching->v[i]))
            return hlo_prepare_error(p, HLO_RULE_RUN,
                                     "has dimension %lld of its operand both as a batching "
                                     "dimension and as one that windows lack",
                                     (long long)dims->numbers.operand_batching->v[i]);
    if (hlo_ints_contain(dims->numbers.indices_batching, dims->numbers.vector_dim))
        return hlo_prepare_error(p, HLO_RULE_RUN,
                                 "has the index vectors' dimension %lld as a batching dimension",
                                 (long long)dims->numbers.vector_dim);
    return true;
}

/* The verifier, like XLA's, lets the indices have more batches than the operand; there is nothing
 * to read for them. */
static bool batches_fit(const hlo_call *call, const hlo_indexed_windows_dims *dims,
                        const hlo_shape *operand, const hlo_shape *indices) {
    for (uint32_t i = 0; i < dims->numbers.operand_batching->n; i++) {
        int64_t d = dims->numbers.operand_batching->v[i],
                from = dims->numbers.indices_batching->v[i];
        if (indices->dims[from] <= operand->dims[d]) continue;
        return hlo_call_error(call,
                              "batching dimension %lld of the operand has %lld elements, and "
                              "dimension %lld of the indices %lld",
                              (long long)d, (long long)operand->dims[d], (long long)from,
                              (long long)indices->dims[from]);
    }
    return true;
}

/* The number of an index vector's entries must be the shape's; `number` is the indices' among the
 * operands. */
static bool vectors_are_whole(const hlo_call *call, const hlo_indexed_windows_dims *dims,
                              uint32_t number) {
    const hlo_value *indices = call->in[number];
    uint32_t d = (uint32_t)dims->numbers.vector_dim;
    if (d >= indices->shape->rank || !hlo_is_short(indices, d)) return true;
    return hlo_refuse_short(call, number, d, "which counts the entries of an index vector");
}

/* The operand's dimension that the i-th window dimension of the slices runs along. */
static int64_t operand_dim(const hlo_indexed_windows_dims *dims, uint32_t operand_rank,
                           uint32_t i) {
    for (uint32_t d = 0; d < operand_rank; d++) {
        if (hlo_index_drops(&dims->numbers, d)) continue;
        if (i-- == 0) return d;
    }
    return -1;
}

/* A window that is shorter at run time must be as large as its operand: else its start in the
 * operand is unknown. */
static bool windows_are_placed(const hlo_call *call, const hlo_indexed_windows_dims *dims,
                               uint32_t operands) {
    const hlo_shape *operand = call->in[0]->shape;
    const hlo_value *updates = call->in[operands + 1];
    for (uint32_t i = 0; updates->sizes && i < dims->numbers.window->n; i++) {
        uint32_t d = (uint32_t)dims->numbers.window->v[i];
        if (!hlo_is_short(updates, d)) continue;
        if (updates->shape->dims[d] != operand->dims[operand_dim(dims, operand->rank, i)])
            return hlo_refuse_short(call, operands + 1, d,
                                    "and is not as large as its operand's dimension");
    }
    return true;
}

static bool have_types_of_operands(const hlo_call *call, uint32_t operands) {
    for (uint32_t i = 0; i < operands; i++)
        if (call->in[operands + 1 + i]->shape->type != call->in[i]->shape->type)
            return hlo_call_error(call, "has updates of a different type than its operands");
    return true;
}

bool hlo_scatter_check(const hlo_call *call, const hlo_indexed_windows_dims *dims) {
    uint32_t operands = call->count / 2;
    return batches_fit(call, dims, call->in[0]->shape, call->in[operands]->shape) &&
           vectors_are_whole(call, dims, operands) && windows_are_placed(call, dims, operands) &&
           have_types_of_operands(call, operands);
}

/* ---- sizes at run time ---- */

static void set_sizes(const hlo_indexed_windows_dims *dims, const hlo_value *operand,
                      const hlo_value *indices, hlo_value *slices) {
    if (!operand->sizes && !indices->sizes) return;
    int64_t *sizes = hlo_result_sizes(slices);
    uint32_t window = 0, d = 0;
    for (uint32_t s = 0; s < slices->shape->rank; s++) {
        if (hlo_ints_contain(dims->numbers.window, s)) {
            int64_t from = operand_dim(dims, operand->shape->rank, window++);
            bool is_whole = slices->shape->dims[s] == operand->shape->dims[from];
            if (is_whole) sizes[s] = hlo_value_size(operand, (uint32_t)from);
            continue;
        }
        if (d == dims->numbers.vector_dim) d++;
        sizes[s] = hlo_value_size(indices, d++);
    }
}

bool hlo_gather_set_sizes(const hlo_call *call, const hlo_indexed_windows_dims *dims) {
    const hlo_value *operand = call->in[0], *indices = call->in[1];
    if (!batches_fit(call, dims, operand->shape, indices->shape)) return false;
    if (!vectors_are_whole(call, dims, 1)) return false;
    set_sizes(dims, operand, indices, call->out);
    return true;
}
