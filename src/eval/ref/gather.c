/* gather: windows of the operand at starts that are clamped so that they fit. Called through the
 * kernel table; the addressing is shared with scatter (indexed_windows.h). */
#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/indexed_windows.h"

static hlo_indexed_windows_dims gather_dims(const hlo_instr *instr) {
    return (hlo_indexed_windows_dims){
        .window_dims = hlo_attr_ints(instr, HLO_ATTR_OFFSET_DIMS),
        .absent_dims = hlo_attr_ints(instr, HLO_ATTR_COLLAPSED_SLICE_DIMS),
        .index_map = hlo_attr_ints(instr, HLO_ATTR_START_INDEX_MAP),
        .operand_batching = hlo_attr_ints(instr, HLO_ATTR_OPERAND_BATCHING_DIMS),
        .indices_batching = hlo_attr_ints(instr, HLO_ATTR_START_INDICES_BATCHING_DIMS),
        .index_vector_dim = hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM),
    };
}

/* The byte offset that the index vector at `element` of the indices asks for, clamped. */
static int64_t clamped_start(const hlo_indexed_windows *w, const hlo_value *indices,
                             int64_t element) {
    int64_t at = 0;
    for (uint32_t i = 0; i < w->index_count; i++) {
        int64_t start = hlo_index_at(indices, element + w->starts[i].place * w->index_stride);
        at += hlo_clamp_index(start, 0, w->starts[i].last) * w->starts[i].stride;
    }
    return at;
}

typedef struct {
    const hlo_indexed_windows *windows;
    uint32_t dimension; /* of the places */
    const hlo_value *operand, *indices;
    hlo_value *out;
} loop;

/* The windows whose places lie between two of one dimension. */
static void gather_part(void *context, int64_t first, int64_t last) {
    const loop *l = context;
    const hlo_indexed_windows *w = l->windows;
    hlo_walk places, window;
    hlo_walk_part(&places, &w->places, l->dimension, first, last);
    hlo_walk_part(&window, &w->window, w->window.rank, 0, 1);
    for (bool more = hlo_walk_start(&places); more; more = hlo_walk_next(&places)) {
        for (int64_t i = 0; i < places.row; i++) {
            int64_t element = places.at[1] + i * places.row_stride[1];
            window.at[0] = places.at[0] + i * places.row_stride[0];
            window.at[1] =
                places.at[2] + i * places.row_stride[2] + clamped_start(w, l->indices, element);
            hlo_copy_walk(&window, l->out->data, l->operand->data,
                          hlo_element_bytes(l->operand->shape));
        }
    }
}

/* Gives the result the run-time sizes of indices, and of operand dimensions that are taken whole; a
 * part of one is taken as it lies in memory. False after refusing others. */
static bool set_sizes(hlo_eval *eval, hlo_value *const *args, const hlo_indexed_windows_dims *dims,
                      hlo_value *out) {
    bool has_vector = args[1]->sizes && dims->index_vector_dim < args[1]->shape->rank;
    if (has_vector && hlo_is_short(args[1], (uint32_t)dims->index_vector_dim))
        return hlo_refuse_short(eval->call, 1, (uint32_t)dims->index_vector_dim,
                                "which counts the entries of an index vector");
    hlo_indexed_windows_sizes(dims, args[0], args[1], out);
    return true;
}

hlo_value *hlo_eval_gather(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    const hlo_value *operand = args[0], *indices = args[1];
    /* A collapsed dimension may be empty, and yet the result is not. */
    bool is_empty = hlo_shape_elements(operand->shape) == 0;
    hlo_value *out = is_empty ? hlo_value_zeros(instr->shape) : hlo_value_new(instr->shape);
    if (!out || is_empty) return out;
    hlo_indexed_windows_dims dims = gather_dims(instr);
    if (!hlo_indexed_windows_batches_fit(eval, instr, &dims, operand->shape, indices->shape) ||
        !set_sizes(eval, args, &dims, out)) {
        hlo_value_release(out);
        return NULL;
    }
    hlo_indexed_windows w;
    uint32_t bytes = hlo_element_bytes(operand->shape);
    hlo_indexed_windows_init(&w, &dims, operand->shape, indices->shape, out->shape, bytes);
    loop l = {&w, hlo_walk_longest(&w.places, 1), operand, indices, out};
    int64_t places = hlo_walk_elements(&w.places), slice = hlo_walk_elements(&w.window);
    int64_t count = l.dimension < w.places.rank ? w.places.size[l.dimension] : 1;
    int64_t others = places > count ? places / count : 1;
    hlo_parallel(count, hlo_grain(others < HLO_PIECE_COST ? others * (slice + 20) : others),
                 gather_part, &l);
    hlo_indexed_windows_free(&w);
    return out;
}
