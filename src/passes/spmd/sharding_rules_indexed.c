/* Gathers and scatters: dimensions of operand, indices and windows that correspond, and the
 * shardings that they give each other. */
#include "passes/spmd/sharding_rules_ops.h"

/* ---- what the instruction is ---- */

static void read_gather(hlo_indexed *x, const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    x->operand = hlo_operand(gather, 0);
    x->indices = hlo_operand(gather, 1);
    x->windows = gather->shape;
    x->slice_sizes = hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES);
}

static const hlo_ints *scatter_slice_sizes(hlo_arena *arena, const hlo_indexed *x) {
    uint32_t rank = x->operand->shape->rank, at = 0;
    hlo_ints *sizes = hlo_ints_new(arena, rank);
    for (uint32_t i = 0; i < rank; i++)
        sizes->v[i] = hlo_index_drops(&x->numbers, i) || at >= x->numbers.window->n
                          ? 1
                          : x->windows->dims[x->numbers.window->v[at++]];
    return sizes;
}

static void read_scatter(hlo_arena *arena, hlo_indexed *x, const hlo_instr *scatter) {
    uint32_t count = scatter->operand_count / 2;
    x->operand = hlo_operand(scatter, 0);
    x->indices = hlo_operand(scatter, count);
    x->windows = hlo_operand(scatter, count + 1)->shape;
    x->slice_sizes = scatter_slice_sizes(arena, x);
}

/* ---- correspondences ---- */

hlo_indexed_dims hlo_indexed_index_dims(hlo_arena *arena, const hlo_indexed *x) {
    uint32_t rank = x->windows->rank;
    hlo_ints *indices = hlo_empty_ints(arena, rank), *windows = hlo_empty_ints(arena, rank);
    int64_t next = 0;
    for (int64_t i = 0; i < rank; i++) {
        if (hlo_ints_contain(x->numbers.window, i)) continue;
        if (next == x->numbers.vector_dim) next++;
        indices->v[indices->n++] = next++;
        windows->v[windows->n++] = i;
    }
    return (hlo_indexed_dims){NULL, indices, windows};
}

hlo_indexed_dims hlo_indexed_slice_dims(hlo_arena *arena, const hlo_indexed *x) {
    const hlo_shape *shape = x->operand->shape;
    hlo_ints *operand = hlo_empty_ints(arena, shape->rank),
             *windows = hlo_empty_ints(arena, shape->rank);
    uint32_t next = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (hlo_index_drops(&x->numbers, i)) continue;
        int64_t window = x->numbers.window->v[next++];
        if (x->slice_sizes->v[i] != shape->dims[i]) continue;
        operand->v[operand->n++] = i;
        windows->v[windows->n++] = window;
    }
    return (hlo_indexed_dims){operand, NULL, windows};
}

/* Dimensions of windows that stand for those of the indices. */
static const hlo_ints *windows_of(hlo_arena *arena, const hlo_indexed *x, const hlo_ints *indices) {
    hlo_indexed_dims all = hlo_indexed_index_dims(arena, x);
    hlo_ints *windows = hlo_empty_ints(arena, indices->n);
    for (uint32_t i = 0; i < indices->n; i++) {
        int64_t at = hlo_ints_find(all.indices, indices->v[i]);
        windows->v[windows->n++] = at < 0 ? 0 : all.windows->v[at];
    }
    return windows;
}

/* ---- indices that count ---- */

static const hlo_instr *past_copies(const hlo_instr *indices) {
    const hlo_instr *at = indices;
    while (at->opcode == HLO_OP_COPY) at = hlo_operand(at, 0);
    return at->opcode == HLO_OP_CONCATENATE ? at : indices;
}

/* How many of the numbers of an index an array has. */
static int64_t numbers_in(const hlo_indexed *x, const hlo_shape *shape) {
    return x->numbers.vector_dim < shape->rank ? shape->dims[x->numbers.vector_dim] : 1;
}

/* For each number of an index the dimension of the indices along which it counts; -1: none. */
static const hlo_ints *counted_dims(hlo_arena *arena, const hlo_indexed *x,
                                    const hlo_instr *indices, const hlo_call_graph *graph) {
    hlo_ints *counted = hlo_ints_new(arena, x->numbers.map->n);
    bool joined = indices->opcode == HLO_OP_CONCATENATE &&
                  hlo_attr_ints(indices, HLO_ATTR_DIMENSIONS)->v[0] == x->numbers.vector_dim;
    uint32_t parts = joined ? indices->operand_count : 1, at = 0;
    for (uint32_t i = 0; i < counted->n; i++) counted->v[i] = -1;
    for (uint32_t i = 0; i < parts; i++) {
        const hlo_instr *part = joined ? hlo_operand(indices, i) : indices;
        int64_t dim = hlo_counted_dimension(arena, part, graph), n = numbers_in(x, part->shape);
        for (; n > 0 && at < counted->n; n--, at++)
            if (dim >= 0 && dim != x->numbers.vector_dim) counted->v[at] = dim;
    }
    return counted;
}

/* Slices of one element at indices that count are batch dimensions in disguise. */
static hlo_indexed_dims implicit_batch(hlo_arena *arena, const hlo_indexed *x,
                                       const hlo_call_graph *graph) {
    const hlo_indexed_dims none = {NULL, NULL, NULL};
    const hlo_instr *array = past_copies(x->indices);
    const hlo_ints *counted = counted_dims(arena, x, array, graph);
    hlo_ints *operand = hlo_empty_ints(arena, counted->n),
             *indices = hlo_empty_ints(arena, counted->n);
    for (uint32_t i = 0; i < counted->n; i++) {
        int64_t dim = counted->v[i], target = x->numbers.map->v[i];
        if (dim < 0) continue;
        if (hlo_ints_contain(indices, dim)) return none;
        if (x->slice_sizes->v[target] != 1 || hlo_ints_contain(x->numbers.indices_batching, dim))
            continue;
        if (x->operand->shape->dims[target] != array->shape->dims[dim]) return none;
        indices->v[indices->n++] = dim;
        operand->v[operand->n++] = target;
    }
    if (indices->n == 0) return none;
    return (hlo_indexed_dims){operand, indices, windows_of(arena, x, indices)};
}

hlo_indexed hlo_indexed_of(hlo_arena *arena, const hlo_instr *instr, const hlo_call_graph *graph) {
    hlo_indexed x = {.instr = instr, .numbers = hlo_index_dims_of(instr)};
    if (instr->opcode == HLO_OP_GATHER) read_gather(&x, instr);
    else read_scatter(arena, &x, instr);
    if (x.numbers.operand_batching->n)
        x.explicit_batch =
            (hlo_indexed_dims){x.numbers.operand_batching, x.numbers.indices_batching,
                               windows_of(arena, &x, x.numbers.indices_batching)};
    x.implicit_batch = implicit_batch(arena, &x, graph);
    return x;
}

/* ---- shardings ---- */

const hlo_sharding *hlo_indexed_indices_to_windows(hlo_arena *arena, const hlo_indexed *x,
                                                   const hlo_sharding *s) {
    hlo_indexed_dims dims = hlo_indexed_index_dims(arena, x);
    return hlo_sharding_along(arena, s, dims.indices, dims.windows, x->windows->rank);
}

const hlo_sharding *hlo_indexed_windows_to_indices(hlo_arena *arena, const hlo_indexed *x,
                                                   const hlo_sharding *s) {
    hlo_indexed_dims dims = hlo_indexed_index_dims(arena, x);
    return hlo_sharding_along(arena, s, dims.windows, dims.indices, x->indices->shape->rank);
}

const hlo_sharding *hlo_indexed_operand_to_windows(hlo_arena *arena, const hlo_indexed *x,
                                                   const hlo_sharding *s) {
    if (hlo_sharding_is_whole(s) || s->kind == HLO_SHARDING_MANUAL) return NULL;
    hlo_indexed_dims dims = hlo_indexed_slice_dims(arena, x);
    s = hlo_sharding_along(arena, s, dims.operand, dims.windows, x->windows->rank);
    return s && hlo_sharding_is_whole(s) ? NULL : s;
}

const hlo_sharding *hlo_indexed_windows_to_operand(hlo_arena *arena, const hlo_indexed *x,
                                                   const hlo_sharding *s) {
    if (hlo_sharding_is_whole(s) || s->kind == HLO_SHARDING_MANUAL) return s;
    hlo_indexed_dims dims = hlo_indexed_slice_dims(arena, x);
    s = hlo_sharding_along(arena, s, dims.windows, dims.operand, x->operand->shape->rank);
    return s && hlo_sharding_is_whole(s) ? NULL : s;
}

static const hlo_ints *joined(hlo_arena *arena, const hlo_ints *a, const hlo_ints *b) {
    uint32_t n = a ? a->n : 0, m = b ? b->n : 0;
    hlo_ints *out = hlo_ints_new(arena, n + m);
    for (uint32_t i = 0; i < n; i++) out->v[i] = a->v[i];
    for (uint32_t i = 0; i < m; i++) out->v[n + i] = b->v[i];
    return out;
}

/* Both kinds of batch dimensions. */
static hlo_indexed_dims batch_dims(hlo_arena *arena, const hlo_indexed *x) {
    return (hlo_indexed_dims){
        joined(arena, x->explicit_batch.operand, x->implicit_batch.operand),
        joined(arena, x->explicit_batch.indices, x->implicit_batch.indices),
        joined(arena, x->explicit_batch.windows, x->implicit_batch.windows),
    };
}

/* The sharding by batch dimensions, merged with that by slices. */
static const hlo_sharding *both(hlo_arena *arena, const hlo_sharding *batch,
                                const hlo_sharding *slices) {
    if (!slices || !batch) return slices ? slices : batch;
    if (hlo_sharding_combine(arena, batch, &slices, true)) return slices;
    hlo_sharding_combine(arena, slices, &batch, true);
    return batch;
}

const hlo_sharding *hlo_gather_operand_from_result(hlo_arena *arena, const hlo_indexed *x,
                                                   const hlo_sharding *s) {
    const hlo_sharding *slices = hlo_indexed_windows_to_operand(arena, x, s), *batch = NULL;
    hlo_indexed_dims dims = batch_dims(arena, x);
    if (hlo_sharding_is_whole(s) || s->kind == HLO_SHARDING_MANUAL) batch = s;
    else if (dims.operand->n)
        batch = hlo_sharding_along(arena, s, dims.windows, dims.operand, x->operand->shape->rank);
    return both(arena, batch, slices);
}

const hlo_sharding *hlo_scatter_update_from_result(hlo_arena *arena, const hlo_indexed *x,
                                                   const hlo_sharding *s) {
    const hlo_sharding *slices = hlo_indexed_operand_to_windows(arena, x, s), *batch = NULL;
    hlo_indexed_dims dims = batch_dims(arena, x);
    if (hlo_sharding_is_whole(s) || s->kind == HLO_SHARDING_MANUAL) batch = s;
    else if (dims.operand->n)
        batch = hlo_sharding_along(arena, s, dims.operand, dims.windows, x->windows->rank);
    return both(arena, batch, slices);
}
