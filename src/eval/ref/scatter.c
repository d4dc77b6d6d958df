/* scatter: windows of updates combined into operands at indexed places, one index vector after the
 * other; a window that does not fit entirely is dropped. Called through the kernel table. */
#include "base/pool.h"
#include "eval/ref/combine.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/indexed_windows.h"

/* Lanes that are staged together when the elements of a window row are not neighbours. */
enum { STAGE = 256, STAGE_BYTES = STAGE * HLO_LANES_MAX_BYTES };

typedef struct {
    hlo_combiner combiner;
    uint32_t operands;
    hlo_value **results;
    hlo_value *const *updates;
    void **accumulators; /* of the current lanes, one for each operand */
    const void **elements;
    char *stage; /* room for 2 * operands * STAGE elements of any type */
} scatter;

static hlo_indexed_windows_dims scatter_dims(const hlo_instr *instr) {
    return (hlo_indexed_windows_dims){
        .window_dims = hlo_attr_ints(instr, HLO_ATTR_UPDATE_WINDOW_DIMS),
        .absent_dims = hlo_attr_ints(instr, HLO_ATTR_INSERTED_WINDOW_DIMS),
        .index_map = hlo_attr_ints(instr, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS),
        .operand_batching = hlo_attr_ints(instr, HLO_ATTR_INPUT_BATCHING_DIMS),
        .indices_batching = hlo_attr_ints(instr, HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS),
        .index_vector_dim = hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM),
    };
}

/* Where the window of an index vector starts, counted in elements; false when it does not fit. */
static bool fitting_start(const hlo_indexed_windows *w, const hlo_value *indices, int64_t element,
                          int64_t *start) {
    for (uint32_t i = 0; i < w->index_count; i++) {
        int64_t index = hlo_index_at(indices, element + i * w->index_stride);
        if (index < 0 || index > w->starts[i].last) return false;
        *start += index * w->starts[i].stride;
    }
    return true;
}

/* Combines neighbouring elements in place. */
static bool combine_dense(scatter *s, int64_t to, int64_t from, int64_t n) {
    for (uint32_t i = 0; i < s->operands; i++) {
        uint32_t bytes = hlo_element_bytes(s->results[i]->shape);
        s->accumulators[i] = (char *)s->results[i]->data + to * bytes;
        s->elements[i] = (const char *)s->updates[i]->data + from * bytes;
    }
    return hlo_combine(&s->combiner, s->accumulators, s->elements, (size_t)n);
}

/* Combines elements at distances through the stage; n is at most STAGE. */
static bool combine_staged(scatter *s, int64_t to, int64_t to_stride, int64_t from,
                           int64_t from_stride, int64_t n) {
    for (uint32_t i = 0; i < s->operands; i++) {
        int64_t bytes = hlo_element_bytes(s->results[i]->shape);
        char *place = s->stage + (size_t)i * 2 * STAGE_BYTES;
        s->accumulators[i] = place;
        s->elements[i] = place + STAGE_BYTES;
        hlo_copy_row(place, bytes, (char *)s->results[i]->data + to * bytes, to_stride * bytes,
                     (uint32_t)bytes, n);
        hlo_copy_row(place + STAGE_BYTES, bytes, (const char *)s->updates[i]->data + from * bytes,
                     from_stride * bytes, (uint32_t)bytes, n);
    }
    if (!hlo_combine(&s->combiner, s->accumulators, s->elements, (size_t)n)) return false;
    for (uint32_t i = 0; i < s->operands; i++) {
        int64_t bytes = hlo_element_bytes(s->results[i]->shape);
        hlo_copy_row((char *)s->results[i]->data + to * bytes, to_stride * bytes,
                     s->accumulators[i], bytes, (uint32_t)bytes, n);
    }
    return true;
}

static bool combine_window(scatter *s, hlo_walk *window) {
    for (bool more = hlo_walk_start(window); more; more = hlo_walk_next(window)) {
        int64_t from = window->at[0], from_stride = window->row_stride[0];
        int64_t to = window->at[1], to_stride = window->row_stride[1];
        bool dense = window->row == 1 || (from_stride == 1 && to_stride == 1);
        if (dense && !combine_dense(s, to, from, window->row)) return false;
        for (int64_t k = 0; k < window->row && !dense; k += STAGE) {
            int64_t n = window->row - k < STAGE ? window->row - k : STAGE;
            if (!combine_staged(s, to + k * to_stride, to_stride, from + k * from_stride,
                                from_stride, n))
                return false;
        }
    }
    return true;
}

static bool combine_windows(scatter *s, const hlo_instr *instr, const hlo_value *indices) {
    hlo_indexed_windows_dims dims = scatter_dims(instr);
    dims.index_sizes = indices->sizes;
    dims.slice_sizes = s->updates[0]->sizes;
    hlo_indexed_windows w;
    hlo_indexed_windows_init(&w, &dims, s->results[0]->shape, indices->shape, s->updates[0]->shape,
                             1);
    bool ok = true;
    for (bool more = hlo_walk_start(&w.places); more && ok; more = hlo_walk_next(&w.places)) {
        if (hlo_pool_is_stopped()) break;
        for (int64_t i = 0; i < w.places.row && ok; i++) {
            int64_t start = w.places.at[2] + i * w.places.row_stride[2];
            if (!fitting_start(&w, indices, w.places.at[1] + i * w.places.row_stride[1], &start))
                continue;
            w.window.at[0] = w.places.at[0] + i * w.places.row_stride[0];
            w.window.at[1] = start;
            ok = combine_window(s, &w.window);
        }
    }
    hlo_indexed_windows_free(&w);
    return ok;
}

/* The operands to be changed, as the elements of the result or as the result itself. */
static hlo_value *new_result(const hlo_instr *instr, hlo_value *const *args, uint32_t operands) {
    if (!hlo_shape_is_tuple(instr->shape)) return hlo_value_reuse(args[0], instr->shape);
    hlo_value *tuple = hlo_value_new(instr->shape);
    if (!tuple) return NULL;
    for (uint32_t i = 0; i < operands; i++) {
        tuple->elements[i] = hlo_value_reuse(args[i], instr->shape->elements[i]);
        if (tuple->elements[i]) continue;
        hlo_value_release(tuple);
        return NULL;
    }
    return tuple;
}

static bool scatter_into(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                         uint32_t operands, hlo_value **results) {
    scatter s = {.operands = operands, .results = results, .updates = args + operands + 1};
    for (uint32_t i = 0; i < operands; i++) {
        if (s.updates[i]->shape->type == results[i]->shape->type) continue;
        hlo_eval_error(eval, instr, "has updates of another type than its operands");
        return false;
    }
    if (!hlo_combiner_init(&s.combiner, eval, instr, hlo_called(instr, 0), operands)) return false;
    s.accumulators = hlo_malloc(operands * sizeof *s.accumulators);
    s.elements = hlo_malloc(operands * sizeof *s.elements);
    s.stage = hlo_malloc((size_t)operands * 2 * STAGE_BYTES);
    bool ok = combine_windows(&s, instr, args[operands]);
    hlo_free(s.accumulators);
    hlo_free(s.elements);
    hlo_free(s.stage);
    hlo_combiner_free(&s.combiner);
    return ok;
}

/* Index vectors and updates behind run-time sizes take no part. A window that is shorter at run
 * time must be as large as its operand: else nobody knows where it starts. */
static bool check_sizes(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                        uint32_t operands) {
    const hlo_indexed_windows_dims dims = scatter_dims(instr);
    const hlo_value *indices = args[operands], *updates = args[operands + 1];
    bool has_vector = indices->sizes && dims.index_vector_dim < indices->shape->rank;
    if (has_vector && hlo_is_short(indices, (uint32_t)dims.index_vector_dim))
        return hlo_refuse_short(eval, instr, args, operands, (uint32_t)dims.index_vector_dim,
                                "which counts the entries of an index vector");
    for (uint32_t i = 0; updates->sizes && i < dims.window_dims->n; i++) {
        uint32_t d = (uint32_t)dims.window_dims->v[i];
        int64_t in_operand = hlo_indexed_windows_operand_dim(&dims, args[0]->shape->rank, i);
        if (hlo_is_short(updates, d) && updates->shape->dims[d] != args[0]->shape->dims[in_operand])
            return hlo_refuse_short(eval, instr, args, operands + 1, d,
                                    "and is not as large as its operand's dimension");
    }
    return true;
}

hlo_value *hlo_eval_scatter(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    uint32_t operands = instr->operand_count / 2;
    if (!check_sizes(eval, instr, args, operands)) return NULL;
    hlo_value *result = new_result(instr, args, operands);
    if (!result) return NULL;
    hlo_value **results = result->elements ? result->elements : &result;
    if (scatter_into(eval, instr, args, operands, results)) return result;
    hlo_value_release(result);
    return NULL;
}
