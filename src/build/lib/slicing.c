/* Slices that name minor dimensions only, and gathers and scatters along one dimension: XLA's
 * slicing.h. */
#include "build/lib/matrices.h"

/* ---- slices ---- */

static bool check_minor(hlo_builder *b, const char *function, hlo_term x, size_t starts,
                        size_t sizes) {
    if (!hlo_lib_has_rank(b, function, x, 0)) return false;
    if (starts == sizes && starts <= x->shape->rank) return true;
    hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "%s: %zu starts and %zu ends or sizes of %s",
                     function, starts, sizes, hlo_shape_name(&b->module->arena, x->shape));
    return false;
}

/* Numbers of the minor dimensions after what the major ones have. */
static hlo_int_list after_major(hlo_builder *b, hlo_term x, hlo_int_list minor, bool whole) {
    size_t rank = x->shape->rank, major = rank - minor.count;
    int64_t *all = HLO_NEW_ARRAY(&b->module->arena, int64_t, rank + 1);
    for (size_t i = 0; i < rank; i++)
        all[i] = i >= major ? minor.values[i - major] : whole ? x->shape->dims[i] : 0;
    return (hlo_int_list){rank, all};
}

hlo_term hlo_lib_slice_in_minor_dims(hlo_builder *b, hlo_term x, hlo_int_list start,
                                     hlo_int_list end) {
    HLO_BUILDER_TAKES(b, x);
    if (!check_minor(b, "SliceInMinorDims", x, start.count, end.count)) return NULL;
    return hlo_builder_slice(b, x, after_major(b, x, start, false), after_major(b, x, end, true),
                             HLO_NO_DIMS);
}

hlo_term hlo_lib_slice_in_dim(hlo_builder *b, hlo_term x, int64_t start, int64_t limit,
                              int64_t dimension) {
    if (!x) return NULL;
    hlo_int_list dims = hlo_lib_dims(x);
    int64_t *from = hlo_lib_copied(b, dims), *to = hlo_lib_copied(b, dims);
    for (size_t i = 0; i < dims.count; i++) from[i] = 0;
    from[dimension] = start;
    to[dimension] = limit;
    return hlo_builder_slice(b, x, (hlo_int_list){dims.count, from}, (hlo_int_list){dims.count, to},
                             HLO_NO_DIMS);
}

hlo_term hlo_lib_update_slice(hlo_builder *b, hlo_term x, hlo_term update, hlo_int_list start) {
    HLO_BUILDER_TAKES(b, x, update);
    if (!hlo_lib_has_rank(b, "UpdateSlice", x, 0)) return NULL;
    if (start.count != x->shape->rank)
        return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "UpdateSlice: %zu starts of %s",
                                start.count, hlo_shape_name(&b->module->arena, x->shape));
    hlo_term *starts = HLO_NEW_ARRAY(&b->module->arena, hlo_term, start.count + 1);
    for (size_t i = 0; i < start.count; i++)
        starts[i] = hlo_lib_integer(b, HLO_S32, start.values[i]);
    return hlo_builder_dynamic_update_slice(b, x, update, (hlo_instrs_list){start.count, starts});
}

hlo_term hlo_lib_update_slice_in_minor_dims(hlo_builder *b, hlo_term x, hlo_term update,
                                            hlo_int_list start) {
    HLO_BUILDER_TAKES(b, x, update);
    if (!check_minor(b, "UpdateSliceInMinorDims", x, start.count, start.count)) return NULL;
    return hlo_lib_update_slice(b, x, update, after_major(b, x, start, false));
}

/* Starts of the minor dimensions after zeros, which are one constant. */
static hlo_instrs_list padded_starts(hlo_builder *b, hlo_term x, hlo_instrs_list starts) {
    size_t rank = x->shape->rank, major = rank - starts.count;
    hlo_term *all = HLO_NEW_ARRAY(&b->module->arena, hlo_term, rank + 1);
    hlo_term zero = hlo_lib_integer(b, HLO_S32, 0);
    for (size_t i = 0; i < rank; i++) all[i] = i < major ? zero : starts.values[i - major];
    return (hlo_instrs_list){rank, all};
}

hlo_term hlo_lib_dynamic_slice_in_minor_dims(hlo_builder *b, hlo_term x, hlo_instrs_list starts,
                                             hlo_int_list sizes) {
    HLO_BUILDER_TAKES(b, x);
    if (!hlo_builder_has_list(b, __func__, starts) ||
        !check_minor(b, "DynamicSliceInMinorDims", x, starts.count, sizes.count))
        return NULL;
    hlo_instrs_list all = padded_starts(b, x, starts);
    return hlo_builder_dynamic_slice(b, x, all, after_major(b, x, sizes, true));
}

hlo_term hlo_lib_dynamic_update_slice_in_minor_dims(hlo_builder *b, hlo_term x, hlo_term update,
                                                    hlo_instrs_list starts) {
    HLO_BUILDER_TAKES(b, x, update);
    if (!hlo_builder_has_list(b, __func__, starts) ||
        !check_minor(b, "DynamicUpdateSliceInMinorDims", x, starts.count, starts.count))
        return NULL;
    return hlo_builder_dynamic_update_slice(b, x, update, padded_starts(b, x, starts));
}

hlo_term hlo_lib_pad_in_dim(hlo_builder *b, hlo_term x, hlo_term value, int64_t dimension,
                            int64_t low, int64_t high) {
    if (!x || !value) return NULL;
    size_t rank = x->shape->rank;
    int64_t *lows = HLO_NEW_ARRAY(&b->module->arena, int64_t, rank);
    int64_t *highs = HLO_NEW_ARRAY(&b->module->arena, int64_t, rank);
    for (size_t i = 0; i < rank; i++) {
        lows[i] = (int64_t)i == dimension ? low : 0;
        highs[i] = (int64_t)i == dimension ? high : 0;
    }
    return hlo_builder_pad(b, x, value, (hlo_int_list){rank, lows}, (hlo_int_list){rank, highs},
                           HLO_NO_DIMS);
}

/* ---- gathers along one dimension ---- */

static bool check_dimension(hlo_builder *b, const char *function, hlo_term input, hlo_term index,
                            int64_t dim) {
    if (!hlo_lib_has_rank(b, function, input, 1) || !hlo_lib_has_rank(b, function, index, 0))
        return false;
    bool integers = hlo_type_is_integral((hlo_type)index->shape->type);
    if (integers && dim >= 0 && dim < input->shape->rank) return true;
    hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "%s: dimension %lld of %s by indices of %s",
                     function, (long long)dim, hlo_shape_name(&b->module->arena, input->shape),
                     hlo_shape_name(&b->module->arena, index->shape));
    return false;
}

/* The operands of a gather along a dimension have one rank. */
static bool check_one_rank(hlo_builder *b, const char *function, hlo_term x, hlo_term index) {
    if (x->shape->rank == index->shape->rank) return true;
    hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS, "%s: %s and indices %s have other ranks",
                     function, hlo_shape_name(&b->module->arena, x->shape),
                     hlo_shape_name(&b->module->arena, index->shape));
    return false;
}

/* Indices of 64 bits are cut where 32 do. */
static hlo_term narrowed(hlo_builder *b, hlo_term input, hlo_term index, int64_t dim) {
    bool wide = hlo_types[index->shape->type].bits == 64;
    return wide && input->shape->dims[dim] < UINT32_MAX ? hlo_lib_convert(b, index, HLO_U32)
                                                        : index;
}

typedef struct {
    int64_t *sizes, *index_places, *input_places;
    size_t rank; /* of the sizes: one more than the others' */
} mask_places;

/* The index's sizes with the input's dimension before its own, and where both stand there. */
static mask_places places_of(hlo_builder *b, hlo_term input, hlo_term index, int64_t dim) {
    size_t rank = index->shape->rank;
    mask_places p = {HLO_NEW_ARRAY(&b->module->arena, int64_t, rank + 1), hlo_lib_counting(b, rank),
                     hlo_lib_counting(b, rank), rank + 1};
    for (int64_t i = 0; i < (int64_t)rank; i++) {
        if (i >= dim) p.index_places[i]++;
        if (i > dim) p.input_places[i]++;
        p.sizes[p.index_places[i]] = index->shape->dims[i];
    }
    p.sizes[dim] = input->shape->dims[dim];
    return p;
}

static hlo_int_list sizes_of(const mask_places *p) {
    return (hlo_int_list){p->rank, p->sizes};
}

/* True where the index equals the place in the input's dimension. */
static hlo_term mask_of(hlo_builder *b, const mask_places *p, hlo_term index, int64_t dim) {
    hlo_int_list places = {p->rank - 1, p->index_places};
    hlo_term spread = hlo_builder_broadcast_in_dim(b, index, sizes_of(p), places);
    const hlo_shape *shape = hlo_lib_shape(b, (hlo_type)index->shape->type, sizes_of(p));
    hlo_term iota = hlo_builder_iota(b, shape, dim);
    return hlo_builder_eq(b, spread, iota, HLO_NO_DIMS);
}

static hlo_term zeros_of(hlo_builder *b, const mask_places *p, hlo_term like) {
    return hlo_lib_zeros(b, hlo_lib_shape(b, (hlo_type)like->shape->type, sizes_of(p)));
}

static hlo_term dense_gather(hlo_builder *b, hlo_term input, hlo_term index, int64_t dim) {
    mask_places p = places_of(b, input, index, dim);
    hlo_term mask = mask_of(b, &p, index, dim);
    hlo_int_list places = {p.rank - 1, p.input_places};
    hlo_term spread = hlo_builder_broadcast_in_dim(b, input, sizes_of(&p), places);
    hlo_term masked = hlo_builder_select(b, mask, spread, zeros_of(b, &p, input));
    bool is_float = !hlo_type_is_in((hlo_type)input->shape->type, HLO_ELEMENTS_BITS);
    return hlo_lib_reduced(b, masked, 0, is_float ? "add" : "or", HLO_INTS(dim));
}

/* A vector of one index for each dimension: those of the place itself, and the given one. */
static hlo_term full_indices(hlo_builder *b, hlo_term index, int64_t dim) {
    size_t rank = index->shape->rank;
    int64_t *sizes = HLO_NEW_ARRAY(&b->module->arena, int64_t, rank + 1);
    hlo_term *parts = HLO_NEW_ARRAY(&b->module->arena, hlo_term, rank);
    for (size_t i = 0; i < rank; i++) sizes[i] = index->shape->dims[i];
    sizes[rank] = 1;
    hlo_int_list column = {rank + 1, sizes};
    const hlo_shape *shape = hlo_lib_shape(b, (hlo_type)index->shape->type, column);
    for (size_t i = 0; i < rank; i++)
        parts[i] = (int64_t)i == dim ? hlo_builder_reshape(b, index, HLO_NO_DIMS, column)
                                     : hlo_builder_iota(b, shape, (int64_t)i);
    return hlo_builder_concatenate(b, (hlo_instrs_list){rank, parts}, (int64_t)rank);
}

static hlo_term sparse_gather(hlo_builder *b, hlo_term input, hlo_term index, int64_t dim) {
    size_t rank = input->shape->rank;
    hlo_term indices = full_indices(b, index, dim);
    int64_t *ones = hlo_lib_counting(b, rank);
    for (size_t i = 0; i < rank; i++) ones[i] = 1;
    hlo_int_list all = {rank, hlo_lib_counting(b, rank)};
    return hlo_builder_gather(b, input, indices, (int64_t)rank, HLO_NO_DIMS,
                              (hlo_int_list){rank, ones}, all, all, false);
}

static hlo_term gather_along(hlo_builder *b, hlo_term input, hlo_term index, int64_t dim,
                             bool sparse) {
    if (!index) return NULL;
    if (index->shape->rank == 1) return hlo_lib_torch_index_select(b, input, index, 0, 0);
    if (!check_one_rank(b, "TorchGather", input, index)) return NULL;
    return sparse ? sparse_gather(b, input, index, dim) : dense_gather(b, input, index, dim);
}

hlo_term hlo_lib_torch_gather(hlo_builder *b, hlo_term input, hlo_term index, int64_t dim,
                              bool sparse) {
    HLO_BUILDER_TAKES(b, input, index);
    if (!check_dimension(b, "TorchGather", input, index, dim)) return NULL;
    return gather_along(b, input, narrowed(b, input, index, dim), dim, sparse);
}

/* ---- scatter ---- */

static const hlo_computation *combining(hlo_builder *b, hlo_type type, hlo_lib_combiner *combiner,
                                        void *context) {
    hlo_lib_open(b, "reducer");
    hlo_term lhs = hlo_lib_scalar_parameter(b, 0, type, "lhs");
    hlo_term rhs = hlo_lib_scalar_parameter(b, 1, type, "rhs");
    return hlo_lib_close(b, hlo_builder_failed(b) ? NULL : combiner(b, lhs, rhs, context));
}

hlo_term hlo_lib_torch_scatter_dense(hlo_builder *b, hlo_term input, hlo_term index, hlo_term src,
                                     int64_t dim, hlo_lib_combiner *combiner, void *context) {
    HLO_BUILDER_TAKES(b, input, index, src);
    static const char name[] = "TorchScatterDense";
    if (!combiner) return hlo_builder_misuse(b, "%s: combiner is NULL", __func__);
    if (!check_dimension(b, name, input, index, dim) || !check_one_rank(b, name, input, index) ||
        !check_one_rank(b, name, src, index))
        return NULL;
    mask_places p = places_of(b, input, index, dim);
    hlo_term mask = mask_of(b, &p, index, dim);
    hlo_int_list places = {p.rank - 1, p.index_places};
    hlo_term spread = hlo_builder_broadcast_in_dim(b, src, sizes_of(&p), places);
    hlo_term masked = hlo_builder_select(b, mask, spread, zeros_of(b, &p, input));
    hlo_type type = (hlo_type)input->shape->type;
    hlo_term zero = hlo_lib_integer(b, type, 0);
    const hlo_computation *by = combining(b, type, combiner, context);
    if (!by || !masked) return NULL;
    hlo_term reduced =
        hlo_builder_reduce(b, HLO_INSTRS(masked), HLO_INSTRS(zero), by, HLO_INTS(dim + 1));
    return reduced ? combiner(b, input, reduced, context) : NULL;
}

/* ---- rows by number ---- */

/* Numbers of the batch before each index. */
static hlo_term with_batch(hlo_builder *b, hlo_term index, int64_t batch_dims) {
    size_t rank = index->shape->rank, n = (size_t)batch_dims + 1;
    int64_t *sizes = HLO_NEW_ARRAY(&b->module->arena, int64_t, rank + 1);
    for (size_t i = 0; i < rank; i++) sizes[i] = index->shape->dims[i];
    sizes[rank] = 1;
    hlo_int_list column = {rank + 1, sizes};
    hlo_term *parts = HLO_NEW_ARRAY(&b->module->arena, hlo_term, n);
    const hlo_shape *shape = hlo_lib_shape(b, (hlo_type)index->shape->type, column);
    for (size_t i = 0; i + 1 < n; i++) parts[i] = hlo_builder_iota(b, shape, (int64_t)i);
    parts[n - 1] = hlo_builder_reshape(b, index, HLO_NO_DIMS, column);
    return hlo_builder_concatenate(b, (hlo_instrs_list){n, parts}, (int64_t)rank);
}

static hlo_term index_select(hlo_builder *b, hlo_term input, hlo_term index, int64_t dim,
                             int64_t batch_dims) {
    int64_t vector_dim = index->shape->rank;
    if (batch_dims > 0) index = with_batch(b, index, batch_dims);
    int64_t rank = input->shape->rank, collapsed = 0, offsets = 0;
    int64_t *sizes = hlo_lib_copied(b, hlo_lib_dims(input));
    int64_t *collapse = hlo_lib_counting(b, (size_t)rank);
    int64_t *offset = hlo_lib_counting(b, (size_t)rank);
    for (int64_t i = 0; i < rank; i++) {
        bool is_index = i < batch_dims || i == dim;
        if (!is_index) offset[offsets++] = i < dim ? i : i + vector_dim - (1 + batch_dims);
        if (!is_index) continue;
        sizes[i] = sizes[i] < 1 ? sizes[i] : 1;
        collapse[collapsed++] = i;
    }
    hlo_int_list indexed = {(size_t)collapsed, collapse};
    return hlo_builder_gather(b, input, index, vector_dim, (hlo_int_list){(size_t)offsets, offset},
                              (hlo_int_list){(size_t)rank, sizes}, indexed, indexed, false);
}

hlo_term hlo_lib_torch_index_select(hlo_builder *b, hlo_term input, hlo_term index, int64_t dim,
                                    int64_t batch_dims) {
    HLO_BUILDER_TAKES(b, input, index);
    if (!check_dimension(b, "TorchIndexSelect", input, index, dim)) return NULL;
    if (dim < batch_dims || batch_dims < 0 || batch_dims > index->shape->rank)
        return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE,
                                "gather dim must be greater than or equal to the number of batch "
                                "dims: %lld and %lld",
                                (long long)dim, (long long)batch_dims);
    hlo_term narrow = narrowed(b, input, index, dim);
    return narrow ? index_select(b, input, narrow, dim, batch_dims) : NULL;
}
