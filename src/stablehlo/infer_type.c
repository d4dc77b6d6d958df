/* Types of results that follow from operands: a rule for each kind of operation, which gives the
 * sizes of its results. The rules are those of StableHLO's specification. */
#include "stablehlo/infer_type.h"

#include "stablehlo/convert.h"
#include "stablehlo/dense.h"
#include "stablehlo/edit.h"

enum { MOST_RANK = 1 << 16 };

/* A rule fills in `rank` and `dims`, which has space for the ranks of all operands, and for
 * attributes of more elements by its own. */
typedef struct {
    hlo_mlir_module *module;
    const hlo_mlir_op *op;
    uint32_t rank;
    int64_t *dims;
} inference;

typedef bool infer_rule(inference *in);

static const hlo_mlir_type *operand_type(const inference *in, uint32_t i) {
    return hlo_mlir_operand(in->op, i)->type;
}

static int64_t *new_dims(inference *in, uint32_t rank) {
    in->rank = rank;
    return in->dims = HLO_NEW_ARRAY(&in->module->arena, int64_t, rank + 1);
}

static bool set_dims(inference *in, uint32_t rank, const int64_t *v) {
    int64_t *dims = new_dims(in, rank);
    if (rank) memcpy(dims, v, rank * sizeof *v);
    return true;
}

static bool numbers(const inference *in, const char *name, hlo_mlir_numbers *out) {
    return hlo_mlir_numbers_of(in->module, in->op, name, out);
}

static bool contains(hlo_mlir_numbers list, int64_t number) {
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] == number) return true;
    return false;
}

static bool are_dimensions(hlo_mlir_numbers list, uint32_t rank) {
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] < 0 || list.v[i] >= rank) return false;
    return true;
}

/* ---- sizes ---- */

/* Both are one size: the known one. */
static bool merge(int64_t *to, int64_t size) {
    if (*to == HLO_UNBOUNDED) *to = size;
    return size == HLO_UNBOUNDED || *to == size;
}

static bool sum(int64_t *to, int64_t size) {
    if (*to == HLO_UNBOUNDED || size == HLO_UNBOUNDED) {
        *to = HLO_UNBOUNDED;
        return true;
    }
    return !__builtin_add_overflow(*to, size, to);
}

/* With so much space after each element but the last. */
static bool dilate(int64_t *size, int64_t dilation) {
    int64_t spread;
    if (*size == HLO_UNBOUNDED || *size == 0) return true;
    if (__builtin_mul_overflow(*size - 1, dilation, &spread)) return false;
    return !__builtin_add_overflow(spread, 1, size);
}

typedef struct {
    int64_t size, stride, low, high, base_dilation, dilation;
} window_dim;

/* How many places the window has. */
static bool window_places(int64_t base, window_dim w, int64_t *out) {
    *out = HLO_UNBOUNDED;
    if (base == HLO_UNBOUNDED || w.size == HLO_UNBOUNDED) return true;
    if (w.stride < 1 || w.base_dilation < 1 || w.dilation < 1 || !dilate(&base, w.base_dilation) ||
        !dilate(&w.size, w.dilation) || !sum(&base, w.low) || !sum(&base, w.high))
        return false;
    *out = w.size == 0 || base < w.size ? 0 : (base - w.size) / w.stride + 1;
    return true;
}

/* ---- like operands ---- */

static bool like(inference *in, uint32_t i) {
    const hlo_mlir_type *type = operand_type(in, i);
    return set_dims(in, type->rank, type->dims);
}

static bool like_first(inference *in) {
    return like(in, 0);
}

static bool like_second(inference *in) {
    return like(in, 1);
}

static bool like_last(inference *in) {
    return like(in, in->op->operand_count - 1);
}

/* The sizes of operands from `first` on are those of the result. */
static bool like_all_from(inference *in, uint32_t first) {
    if (!like(in, first)) return false;
    for (uint32_t i = first + 1; i < in->op->operand_count; i++) {
        const hlo_mlir_type *type = operand_type(in, i);
        if (type->rank != in->rank) return false;
        for (uint32_t k = 0; k < in->rank; k++)
            if (!merge(&in->dims[k], type->dims[k])) return false;
    }
    return true;
}

static bool like_all(inference *in) {
    return like_all_from(in, 0);
}

static bool like_arms(inference *in) {
    return like_all_from(in, 1);
}

/* Sizes of 1 stretch, and missing dimensions are at the front. */
static bool like_numpy(inference *in) {
    uint32_t rank = 0, n = in->op->operand_count;
    for (uint32_t i = 0; i < n; i++)
        if (operand_type(in, i)->rank > rank) rank = operand_type(in, i)->rank;
    int64_t *dims = new_dims(in, rank);
    for (uint32_t k = 0; k < rank; k++) dims[k] = 1;
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_type *type = operand_type(in, i);
        for (uint32_t k = 0; k < type->rank; k++) {
            int64_t *to = &dims[rank - type->rank + k], size = type->dims[k];
            if (size == 1) continue;
            if (*to == 1) *to = size;
            else if (!merge(to, size)) return false;
        }
    }
    return true;
}

/* The operand's sizes; where elements have another width the rank differs. */
static bool like_bits(inference *in) {
    const hlo_mlir_type *from = operand_type(in, 0), *to = in->op->results[0].type;
    return !from->other && !to->other &&
           hlo_types[from->element].bits == hlo_types[to->element].bits && like(in, 0);
}

/* ---- moving elements ---- */

static bool broadcast(inference *in) {
    hlo_mlir_numbers sizes;
    const hlo_mlir_type *type = operand_type(in, 0);
    if (!numbers(in, "broadcast_sizes", &sizes)) return false;
    int64_t *dims = new_dims(in, sizes.n + type->rank);
    if (sizes.n) memcpy(dims, sizes.v, sizes.n * sizeof *dims);
    if (type->rank) memcpy(dims + sizes.n, type->dims, type->rank * sizeof *dims);
    return true;
}

static bool concatenate(inference *in) {
    int64_t dim = hlo_mlir_number_of(in->op, "dimension", -1);
    if (!like(in, 0) || dim < 0 || dim >= in->rank) return false;
    for (uint32_t i = 1; i < in->op->operand_count; i++) {
        const hlo_mlir_type *type = operand_type(in, i);
        if (type->rank != in->rank) return false;
        for (uint32_t k = 0; k < in->rank; k++)
            if (!(k == dim ? sum : merge)(&in->dims[k], type->dims[k])) return false;
    }
    return true;
}

static bool dynamic_slice(inference *in) {
    hlo_mlir_numbers sizes;
    return numbers(in, "slice_sizes", &sizes) && sizes.n == operand_type(in, 0)->rank &&
           set_dims(in, sizes.n, sizes.v);
}

static bool slice_by(inference *in, hlo_mlir_numbers start, hlo_mlir_numbers limit,
                     hlo_mlir_numbers stride) {
    uint32_t rank = operand_type(in, 0)->rank;
    if (start.n != rank || limit.n != rank || stride.n != rank) return false;
    int64_t *dims = new_dims(in, rank);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = operand_type(in, 0)->dims[i];
        if (start.v[i] < 0 || start.v[i] > limit.v[i] || stride.v[i] < 1 ||
            (size != HLO_UNBOUNDED && limit.v[i] > size))
            return false;
        int64_t length = limit.v[i] - start.v[i];
        dims[i] = length / stride.v[i] + (length % stride.v[i] != 0);
    }
    return true;
}

static bool slice(inference *in) {
    hlo_mlir_numbers start, limit, stride;
    return numbers(in, "start_indices", &start) && numbers(in, "limit_indices", &limit) &&
           numbers(in, "strides", &stride) && slice_by(in, start, limit, stride);
}

static bool pad_by(inference *in, hlo_mlir_numbers low, hlo_mlir_numbers high,
                   hlo_mlir_numbers interior) {
    if (!like(in, 0) || low.n != in->rank || high.n != in->rank || interior.n != in->rank)
        return false;
    for (uint32_t i = 0; i < in->rank; i++) {
        int64_t spread;
        if (interior.v[i] < 0 || __builtin_add_overflow(interior.v[i], 1, &spread) ||
            !dilate(&in->dims[i], spread) || !sum(&in->dims[i], low.v[i]) ||
            !sum(&in->dims[i], high.v[i]) || (in->dims[i] < 0 && in->dims[i] != HLO_UNBOUNDED))
            return false;
    }
    return true;
}

static bool pad(inference *in) {
    hlo_mlir_numbers low, high, interior;
    return numbers(in, "edge_padding_low", &low) && numbers(in, "edge_padding_high", &high) &&
           numbers(in, "interior_padding", &interior) && pad_by(in, low, high, interior);
}

static bool transpose(inference *in) {
    hlo_mlir_numbers order;
    uint32_t rank = operand_type(in, 0)->rank;
    if (!numbers(in, "permutation", &order) || order.n != rank || !are_dimensions(order, rank))
        return false;
    int64_t *dims = new_dims(in, rank);
    for (uint32_t i = 0; i < rank; i++) dims[i] = operand_type(in, 0)->dims[order.v[i]];
    return true;
}

/* ---- gather ---- */

/* sizes NULL: unknown ones. Offset dimensions have the sizes of slices that are not collapsed, the
 * others those of the indices without their vectors. */
static bool gather_by(inference *in, const hlo_mlir_numbers *sizes) {
    const hlo_mlir_attr *numbers = hlo_mlir_attr_of(in->op, "dimension_numbers");
    const hlo_mlir_type *operand = operand_type(in, 0), *indices = operand_type(in, 1);
    hlo_mlir_numbers offset = {0}, collapsed = {0}, batching = {0};
    const hlo_mlir_attr *vector = hlo_mlir_member(numbers, "index_vector_dim");
    int64_t index_vector = vector && vector->kind == HLO_MLIR_INT ? vector->u.i : 0;
    hlo_mlir_ints(in->module, hlo_mlir_member(numbers, "offset_dims"), &offset.n, &offset.v);
    hlo_mlir_ints(in->module, hlo_mlir_member(numbers, "collapsed_slice_dims"), &collapsed.n,
                  &collapsed.v);
    hlo_mlir_ints(in->module, hlo_mlir_member(numbers, "operand_batching_dims"), &batching.n,
                  &batching.v);
    if (!numbers || (sizes && sizes->n != operand->rank) || index_vector < 0 ||
        index_vector > indices->rank)
        return false;
    uint32_t batch = indices->rank - (index_vector < indices->rank), from = 0, index = 0;
    uint32_t rank = batch + offset.n;
    int64_t *dims = new_dims(in, rank);
    for (uint32_t i = 0; i < rank; i++) {
        if (!contains(offset, i)) {
            if (index == index_vector) index++;
            if (index >= indices->rank) return false;
            dims[i] = indices->dims[index++];
            continue;
        }
        while (from < operand->rank && (contains(collapsed, from) || contains(batching, from)))
            from++;
        if (from >= operand->rank) return false;
        dims[i] = sizes ? sizes->v[from] : HLO_UNBOUNDED;
        from++;
    }
    return true;
}

static bool gather(inference *in) {
    hlo_mlir_numbers sizes;
    return numbers(in, "slice_sizes", &sizes) && gather_by(in, &sizes);
}

static bool dynamic_gather(inference *in) {
    hlo_mlir_numbers sizes;
    if (in->op->operand_count != 3) return false;
    bool is_known = hlo_infer_numbers(in->module, hlo_mlir_operand(in->op, 2), &sizes.n, &sizes.v);
    return gather_by(in, is_known ? &sizes : NULL);
}

/* ---- products, convolutions, transforms ---- */

/* To readers of attributes that report what is wrong: here this is no error yet. */
static hlo_stablehlo silent(const inference *in) {
    return (hlo_stablehlo){
        .tree = in->module, .arena = &in->module->arena, .op = in->op, .failed = true};
}

static hlo_mlir_numbers as_numbers(hlo_int_view list) {
    return (hlo_mlir_numbers){list.n, list.v};
}

static bool dot_general(inference *in) {
    hlo_stablehlo s = silent(in);
    const hlo_mlir_type *const types[] = {operand_type(in, 0), operand_type(in, 1)};
    hlo_int_view batch[2], contracting[2];
    if (!hlo_stablehlo_dot_dims(&s, "batching_dims", "lhs_batching_dimensions",
                                "rhs_batching_dimensions", batch) ||
        !hlo_stablehlo_dot_dims(&s, "contracting_dims", "lhs_contracting_dimensions",
                                "rhs_contracting_dimensions", contracting) ||
        batch[0].n != batch[1].n)
        return false;
    for (int i = 0; i < 2; i++)
        if (!are_dimensions(as_numbers(batch[i]), types[i]->rank) ||
            !are_dimensions(as_numbers(contracting[i]), types[i]->rank))
            return false;
    int64_t *dims = new_dims(in, types[0]->rank + types[1]->rank);
    uint32_t n = 0;
    for (uint32_t i = 0; i < batch[0].n; i++) {
        dims[n] = types[0]->dims[batch[0].v[i]];
        if (!merge(&dims[n++], types[1]->dims[batch[1].v[i]])) return false;
    }
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < types[k]->rank; i++)
            if (!contains(as_numbers(batch[k]), i) && !contains(as_numbers(contracting[k]), i))
                dims[n++] = types[k]->dims[i];
    in->rank = n;
    return true;
}

/* Of vectors and matrices. */
static bool dot(inference *in) {
    const hlo_mlir_type *lhs = operand_type(in, 0), *rhs = operand_type(in, 1);
    if (!lhs->rank || !rhs->rank || lhs->rank > 2 || rhs->rank > 2) return false;
    int64_t *dims = new_dims(in, lhs->rank + rhs->rank - 2);
    if (lhs->rank == 2) *dims++ = lhs->dims[0];
    if (rhs->rank == 2) *dims = rhs->dims[1];
    return true;
}

static int64_t entry(hlo_int_view list, uint32_t i, int64_t otherwise) {
    return i < list.n ? list.v[i] : otherwise;
}

static bool is_permutation(const int64_t *spatial, uint32_t n, int64_t a, int64_t b) {
    uint64_t seen = 0;
    for (uint32_t i = 0; i < n + 2; i++) {
        int64_t dim = i < n ? spatial[i] : i == n ? a : b;
        if (dim < 0 || dim >= n + 2 || (seen >> dim & 1)) return false;
        seen |= UINT64_C(1) << dim;
    }
    return true;
}

static bool fits(const hlo_dim_labels *l, uint32_t rank) {
    return l->n < 60 && l->n + 2 == rank &&
           is_permutation(l->input_spatial, l->n, l->input_batch, l->input_feature) &&
           is_permutation(l->kernel_spatial, l->n, l->kernel_input_feature,
                          l->kernel_output_feature) &&
           is_permutation(l->output_spatial, l->n, l->output_batch, l->output_feature);
}

static bool convolution_by(inference *in, hlo_stablehlo *s, hlo_int_view padding) {
    hlo_int_view strides, base_dilations, dilations;
    const hlo_dim_labels *labels = hlo_stablehlo_dim_labels(s);
    const hlo_mlir_type *input = operand_type(in, 0), *kernel = operand_type(in, 1);
    int64_t batches = hlo_mlir_number_of(in->op, "batch_group_count", 1);
    if (!labels || batches < 1 || input->rank != kernel->rank || !fits(labels, input->rank) ||
        !hlo_stablehlo_window_ints(s, "stride", "window_strides", &strides) ||
        !hlo_stablehlo_window_ints(s, "lhs_dilate", "lhs_dilation", &base_dilations) ||
        !hlo_stablehlo_window_ints(s, "rhs_dilate", "rhs_dilation", &dilations))
        return false;
    int64_t *dims = new_dims(in, input->rank);
    for (uint32_t i = 0; i < labels->n; i++) {
        window_dim w = {kernel->dims[labels->kernel_spatial[i]],
                        entry(strides, i, 1),
                        entry(padding, 2 * i, 0),
                        entry(padding, 2 * i + 1, 0),
                        entry(base_dilations, i, 1),
                        entry(dilations, i, 1)};
        if (!window_places(input->dims[labels->input_spatial[i]], w,
                           &dims[labels->output_spatial[i]]))
            return false;
    }
    int64_t batch = input->dims[labels->input_batch];
    dims[labels->output_batch] = batch == HLO_UNBOUNDED ? batch : batch / batches;
    dims[labels->output_feature] = kernel->dims[labels->kernel_output_feature];
    return true;
}

static bool convolution(inference *in) {
    hlo_stablehlo s = silent(in);
    hlo_int_view padding;
    return hlo_stablehlo_window_pairs(&s, "pad", "padding", &padding) &&
           convolution_by(in, &s, padding);
}

static bool dynamic_conv(inference *in) {
    hlo_stablehlo s = silent(in);
    hlo_int_view padding;
    return in->op->operand_count == 3 &&
           hlo_infer_numbers(in->module, hlo_mlir_operand(in->op, 2), &padding.n, &padding.v) &&
           convolution_by(in, &s, padding);
}

static bool fft(inference *in) {
    hlo_mlir_numbers length;
    hlo_str type = hlo_mlir_word_of(hlo_mlir_attr_of(in->op, "fft_type"));
    if (!like(in, 0) || !numbers(in, "fft_length", &length) || !length.n || length.n > in->rank)
        return false;
    int64_t last = length.v[length.n - 1];
    if (hlo_str_is(type, "RFFT") && last) in->dims[in->rank - 1] = last / 2 + 1;
    if (hlo_str_is(type, "IRFFT")) in->dims[in->rank - 1] = last;
    return true;
}

/* ---- collectives ---- */

/* How many shards there are, by rows of equal length; 0: by the number of partitions, or unknown.
 */
static int64_t shards(const inference *in) {
    const hlo_mlir_attr *groups = hlo_mlir_attr_of(in->op, "replica_groups");
    if (!groups || groups->kind != HLO_MLIR_DENSE || groups->type->kind != HLO_MLIR_TENSOR ||
        groups->type->rank != 2 ||
        (hlo_mlir_attr_of(in->op, "channel_handle") &&
         !hlo_mlir_attr_of(in->op, "use_global_device_ids")))
        return 0;
    return groups->type->dims[1];
}

static bool all_gather(inference *in) {
    int64_t dim = hlo_mlir_number_of(in->op, "all_gather_dim", -1), count = shards(in);
    if (in->op->operand_count != 1 || count < 1 || !like(in, 0) || dim < 0 || dim >= in->rank)
        return false;
    return in->dims[dim] == HLO_UNBOUNDED ||
           !__builtin_mul_overflow(in->dims[dim], count, &in->dims[dim]);
}

static bool reduce_scatter(inference *in) {
    int64_t dim = hlo_mlir_number_of(in->op, "scatter_dimension", -1), count = shards(in);
    if (count < 1 || !like(in, 0) || dim < 0 || dim >= in->rank) return false;
    if (in->dims[dim] != HLO_UNBOUNDED) in->dims[dim] /= count;
    return true;
}

static bool all_to_all(inference *in) {
    int64_t split = hlo_mlir_number_of(in->op, "split_dimension", -1);
    int64_t joined = hlo_mlir_number_of(in->op, "concat_dimension", -1);
    int64_t count = hlo_mlir_number_of(in->op, "split_count", 0);
    if (in->op->operand_count != 1 || count < 1 || !like(in, 0) || split < 0 || joined < 0 ||
        split >= in->rank || joined >= in->rank)
        return false;
    if (in->dims[split] != HLO_UNBOUNDED) {
        if (in->dims[split] % count) return false;
        in->dims[split] /= count;
    }
    return in->dims[joined] == HLO_UNBOUNDED ||
           !__builtin_mul_overflow(in->dims[joined], count, &in->dims[joined]);
}

/* ---- reductions, windows, the largest ---- */

static bool reduce(inference *in) {
    hlo_mlir_numbers dims;
    uint32_t n = 0;
    if (!numbers(in, "dimensions", &dims) || !in->op->operand_count || !like(in, 0)) return false;
    for (uint32_t i = 1; i < in->op->operand_count / 2; i++) {
        const hlo_mlir_type *type = operand_type(in, i);
        if (type->rank != in->rank) return false;
        for (uint32_t k = 0; k < in->rank; k++)
            if (!merge(&in->dims[k], type->dims[k])) return false;
    }
    for (uint32_t k = 0; k < in->rank; k++)
        if (!contains(dims, k)) in->dims[n++] = in->dims[k];
    in->rank = n;
    return true;
}

static bool reduce_window(inference *in) {
    hlo_stablehlo s = silent(in);
    hlo_mlir_numbers sizes;
    hlo_int_view strides, base_dilations, dilations, padding;
    const hlo_mlir_type *base = operand_type(in, 0);
    if (!numbers(in, "window_dimensions", &sizes) || sizes.n != base->rank ||
        !hlo_stablehlo_optional_ints(&s, "window_strides", &strides) ||
        !hlo_stablehlo_optional_ints(&s, "base_dilations", &base_dilations) ||
        !hlo_stablehlo_optional_ints(&s, "window_dilations", &dilations) ||
        !hlo_stablehlo_window_pairs(&s, "pad", "padding", &padding))
        return false;
    int64_t *dims = new_dims(in, base->rank);
    for (uint32_t i = 0; i < base->rank; i++) {
        window_dim w = {sizes.v[i],
                        entry(strides, i, 1),
                        entry(padding, 2 * i, 0),
                        entry(padding, 2 * i + 1, 0),
                        entry(base_dilations, i, 1),
                        entry(dilations, i, 1)};
        if (!window_places(base->dims[i], w, &dims[i])) return false;
    }
    return true;
}

/* stablehlo.dynamic_reduce_window: the lists are the last five operands. */
static bool dynamic_reduce_window(inference *in) {
    uint32_t first = in->op->operand_count - 5;
    const hlo_mlir_type *base = operand_type(in, 0);
    hlo_int_view lists[5];
    for (uint32_t i = 0; i < 5; i++)
        if (!hlo_infer_numbers(in->module, hlo_mlir_operand(in->op, first + i), &lists[i].n,
                               &lists[i].v) ||
            lists[i].n != (i < 4 ? 1 : 2) * base->rank)
            return false;
    int64_t *dims = new_dims(in, base->rank);
    for (uint32_t i = 0; i < base->rank; i++) {
        window_dim w = {lists[0].v[i],         lists[1].v[i], lists[4].v[2 * i],
                        lists[4].v[2 * i + 1], lists[2].v[i], lists[3].v[i]};
        if (!window_places(base->dims[i], w, &dims[i])) return false;
    }
    return true;
}

static bool with_last(inference *in, int64_t k) {
    if (!like(in, 0) || !in->rank || k < 0) return false;
    int64_t *last = &in->dims[in->rank - 1];
    if (*last != HLO_UNBOUNDED && *last < k) return false;
    *last = k;
    return true;
}

static bool top_k(inference *in) {
    return with_last(in, hlo_mlir_number_of(in->op, "k", -1));
}

static bool dynamic_top_k(inference *in) {
    uint32_t n;
    const int64_t *k;
    return hlo_infer_numbers(in->module, hlo_mlir_operand(in->op, 1), &n, &k) && n == 1 &&
           with_last(in, *k);
}

/* ---- sizes by operands ---- */

/* The operand's numbers are the sizes. */
static bool by_operand(inference *in, uint32_t i) {
    uint32_t n;
    const int64_t *v;
    if (i >= in->op->operand_count ||
        !hlo_infer_numbers(in->module, hlo_mlir_operand(in->op, i), &n, &v))
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (v[k] < 0) return false;
    return set_dims(in, n, v);
}

static bool by_first(inference *in) {
    return by_operand(in, 0);
}

static bool by_second(inference *in) {
    return by_operand(in, 1);
}

static bool by_third(inference *in) {
    return by_operand(in, 2);
}

static bool operand_numbers(const inference *in, uint32_t i, hlo_mlir_numbers *out) {
    return hlo_infer_numbers(in->module, hlo_mlir_operand(in->op, i), &out->n, &out->v);
}

static bool dynamic_pad(inference *in) {
    hlo_mlir_numbers low, high, interior;
    return in->op->operand_count == 5 && operand_numbers(in, 2, &low) &&
           operand_numbers(in, 3, &high) && operand_numbers(in, 4, &interior) &&
           pad_by(in, low, high, interior);
}

/* Limits that are starts plus constants, with strides of 1, have these constants as sizes. */
static bool by_lengths(inference *in) {
    const hlo_mlir_op *add =
        hlo_mlir_defined_by(hlo_mlir_operand(in->op, 2), HLO_MLIR_OP_STABLEHLO_ADD);
    hlo_mlir_numbers lengths, strides;
    if (!add || !operand_numbers(in, 3, &strides)) return false;
    for (uint32_t i = 0; i < strides.n; i++)
        if (strides.v[i] != 1) return false;
    for (uint32_t i = 0; i < 2; i++)
        if (hlo_mlir_operand(add, i) == hlo_mlir_operand(in->op, 1) &&
            hlo_infer_numbers(in->module, hlo_mlir_operand(add, 1 - i), &lengths.n, &lengths.v))
            return lengths.n == operand_type(in, 0)->rank && set_dims(in, lengths.n, lengths.v);
    return false;
}

static bool real_dynamic_slice(inference *in) {
    hlo_mlir_numbers start, limit, stride;
    if (in->op->operand_count != 4) return false;
    if (operand_numbers(in, 1, &start) && operand_numbers(in, 2, &limit) &&
        operand_numbers(in, 3, &stride))
        return slice_by(in, start, limit, stride);
    return by_lengths(in);
}

/* ---- the rules ---- */

static infer_rule *const rules[HLO_MLIR_OP_COUNT] = {
    [HLO_MLIR_OP_STABLEHLO_ALL_GATHER] = all_gather,
    [HLO_MLIR_OP_STABLEHLO_ALL_TO_ALL] = all_to_all,
    [HLO_MLIR_OP_STABLEHLO_BATCH_NORM_INFERENCE] = like_first,
    [HLO_MLIR_OP_STABLEHLO_BITCAST_CONVERT] = like_bits,
    [HLO_MLIR_OP_STABLEHLO_BROADCAST] = broadcast,
    [HLO_MLIR_OP_STABLEHLO_CHOLESKY] = like_first,
    [HLO_MLIR_OP_STABLEHLO_CLAMP] = like_second,
    [HLO_MLIR_OP_STABLEHLO_COLLECTIVE_BROADCAST] = like_first,
    [HLO_MLIR_OP_STABLEHLO_COLLECTIVE_PERMUTE] = like_first,
    [HLO_MLIR_OP_STABLEHLO_COMPARE] = like_first,
    [HLO_MLIR_OP_STABLEHLO_CONCATENATE] = concatenate,
    [HLO_MLIR_OP_STABLEHLO_CONVOLUTION] = convolution,
    [HLO_MLIR_OP_STABLEHLO_DOT] = dot,
    [HLO_MLIR_OP_STABLEHLO_DOT_GENERAL] = dot_general,
    [HLO_MLIR_OP_STABLEHLO_DYNAMIC_BROADCAST_IN_DIM] = by_second,
    [HLO_MLIR_OP_STABLEHLO_DYNAMIC_CONV] = dynamic_conv,
    [HLO_MLIR_OP_STABLEHLO_DYNAMIC_GATHER] = dynamic_gather,
    [HLO_MLIR_OP_STABLEHLO_DYNAMIC_IOTA] = by_first,
    [HLO_MLIR_OP_STABLEHLO_DYNAMIC_PAD] = dynamic_pad,
    [HLO_MLIR_OP_STABLEHLO_DYNAMIC_RESHAPE] = by_second,
    [HLO_MLIR_OP_STABLEHLO_DYNAMIC_SLICE] = dynamic_slice,
    [HLO_MLIR_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE] = like_first,
    [HLO_MLIR_OP_STABLEHLO_FFT] = fft,
    [HLO_MLIR_OP_STABLEHLO_GATHER] = gather,
    [HLO_MLIR_OP_STABLEHLO_MAP] = like_last,
    [HLO_MLIR_OP_STABLEHLO_PAD] = pad,
    [HLO_MLIR_OP_STABLEHLO_REAL_DYNAMIC_SLICE] = real_dynamic_slice,
    [HLO_MLIR_OP_STABLEHLO_REDUCE] = reduce,
    [HLO_MLIR_OP_STABLEHLO_REDUCE_PRECISION] = like_first,
    [HLO_MLIR_OP_STABLEHLO_REDUCE_SCATTER] = reduce_scatter,
    [HLO_MLIR_OP_STABLEHLO_REDUCE_WINDOW] = reduce_window,
    [HLO_MLIR_OP_STABLEHLO_REVERSE] = like_first,
    [HLO_MLIR_OP_STABLEHLO_RNG] = by_third,
    [HLO_MLIR_OP_STABLEHLO_SELECT] = like_arms,
    [HLO_MLIR_OP_STABLEHLO_SELECT_AND_SCATTER] = like_first,
    [HLO_MLIR_OP_STABLEHLO_SLICE] = slice,
    [HLO_MLIR_OP_STABLEHLO_TRANSPOSE] = transpose,
    [HLO_MLIR_OP_STABLEHLO_TRIANGULAR_SOLVE] = like_second,
    [HLO_MLIR_OP_CHLO_CONSTANT_LIKE] = like_first,
    [HLO_MLIR_OP_CHLO_TOP_K] = top_k,
    [HLO_MLIR_OP_SDY_PROPAGATION_BARRIER] = like_first,
    [HLO_MLIR_OP_SDY_RESHARD] = like_first,
    [HLO_MLIR_OP_SDY_SHARDING_CONSTRAINT] = like_first,
};

static bool is_target(const hlo_mlir_op *op, const char *name) {
    const hlo_mlir_attr *target = hlo_mlir_attr_of(op, "call_target_name");
    return target && (target->kind == HLO_MLIR_STRING || target->kind == HLO_MLIR_SYMBOL) &&
           hlo_str_is(target->u.text, name);
}

static infer_rule *rule_of(const hlo_mlir_op *op) {
    hlo_mlir_op_id id = op->id;
    if (id == HLO_MLIR_OP_COUNT) return NULL;
    if (id >= HLO_MLIR_OP_STABLEHLO_ABS && id <= HLO_MLIR_OP_STABLEHLO_XOR) return like_all;
    if (id >= HLO_MLIR_OP_CHLO__ASIN_ACOS_KERNEL && id <= HLO_MLIR_OP_CHLO_ZETA) return like_all;
    if (id >= HLO_MLIR_OP_CHLO_BROADCAST_ADD && id <= HLO_MLIR_OP_CHLO_BROADCAST_SELECT)
        return like_numpy;
    if (id != HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL) return rules[id];
    if (is_target(op, "stablehlo.dynamic_top_k") && op->operand_count == 2 && op->result_count == 2)
        return dynamic_top_k;
    if (is_target(op, "stablehlo.dynamic_reduce_window") && op->result_count &&
        op->operand_count == 2 * op->result_count + 5)
        return dynamic_reduce_window;
    return NULL;
}

/* Sizes are asked of tensors of any elements, without bounds. */
static bool is_plain(const hlo_mlir_type *type) {
    return type->kind == HLO_MLIR_TENSOR && !type->bounds && type->rank < MOST_RANK;
}

static bool are_plain(const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!is_plain(hlo_mlir_operand(op, i)->type)) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!is_plain(op->results[i].type)) return false;
    return true;
}

/* ---- results like single operands ---- */

static bool each_like_operand(const hlo_mlir_op *op, const hlo_mlir_type **types) {
    if (op->operand_count < op->result_count) return false;
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = hlo_mlir_operand(op, i)->type;
    return true;
}

/* The size is known where both have it. */
static const hlo_mlir_type *least_specific(hlo_mlir_module *module, const hlo_mlir_type *a,
                                           const hlo_mlir_type *b) {
    if (a == b) return a;
    if (!is_plain(a) || !is_plain(b) || a->rank != b->rank) return NULL;
    int64_t *dims = HLO_NEW_ARRAY(&module->arena, int64_t, a->rank + 1);
    for (uint32_t i = 0; i < a->rank; i++) {
        bool is_known = a->dims[i] != HLO_UNBOUNDED && b->dims[i] != HLO_UNBOUNDED;
        if (is_known && a->dims[i] != b->dims[i]) return NULL;
        dims[i] = is_known ? a->dims[i] : HLO_UNBOUNDED;
    }
    return hlo_mlir_tensor(module, a, a->rank, dims);
}

/* What all branches return. */
static bool like_branches(hlo_mlir_module *module, const hlo_mlir_op *op,
                          const hlo_mlir_type **types) {
    for (uint32_t k = 0; k < op->region_count; k++) {
        const hlo_mlir_block *block = op->regions[k].first;
        const hlo_mlir_op *end = block ? block->last : NULL;
        if (!end || end->operand_count != op->result_count) return false;
        for (uint32_t i = 0; i < op->result_count; i++) {
            const hlo_mlir_type *type = hlo_mlir_operand(end, i)->type;
            types[i] = k ? least_specific(module, types[i], type) : type;
            if (!types[i]) return false;
        }
    }
    return op->region_count > 0;
}

bool hlo_infer_types(hlo_mlir_module *module, const hlo_mlir_op *op, const hlo_mlir_type **types) {
    switch (op->id) {
    case HLO_MLIR_OP_STABLEHLO_ALL_REDUCE:
    case HLO_MLIR_OP_STABLEHLO_OPTIMIZATION_BARRIER:
    case HLO_MLIR_OP_STABLEHLO_SCATTER:
    case HLO_MLIR_OP_STABLEHLO_SORT:
    case HLO_MLIR_OP_STABLEHLO_WHILE: return each_like_operand(op, types);
    case HLO_MLIR_OP_STABLEHLO_CASE:
    case HLO_MLIR_OP_STABLEHLO_IF: return like_branches(module, op, types);
    default: break;
    }
    infer_rule *rule = rule_of(op);
    inference in = {.module = module, .op = op};
    if (!rule || !op->operand_count || !are_plain(op) || !rule(&in)) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        types[i] = hlo_mlir_tensor(module, op->results[i].type, in.rank, in.dims);
    return true;
}

/* ---- what rules and others ask ---- */

const hlo_mlir_type *hlo_infer_most_specific(hlo_mlir_module *module, const hlo_mlir_type *type,
                                             const hlo_mlir_type *other) {
    if (type == other) return type;
    if (!is_plain(type) || !is_plain(other) || type->rank != other->rank) return NULL;
    int64_t *dims = HLO_NEW_ARRAY(&module->arena, int64_t, type->rank + 1);
    for (uint32_t i = 0; i < type->rank; i++) {
        dims[i] = type->dims[i];
        if (!merge(&dims[i], other->dims[i])) return NULL;
    }
    return hlo_mlir_tensor(module, type, type->rank, dims);
}

bool hlo_infer_numbers(hlo_mlir_module *module, const hlo_mlir_value *value, uint32_t *n,
                       const int64_t **v) {
    hlo_dense dense;
    if (!hlo_dense_of(value, &dense) || !hlo_is_whole(dense.element) || dense.n > MOST_RANK)
        return false;
    int64_t *numbers = HLO_NEW_ARRAY(&module->arena, int64_t, dense.n + 1);
    bool is_unsigned =
        hlo_types[dense.element].class == HLO_CLASS_UNSIGNED || dense.element == HLO_PRED;
    for (int64_t i = 0; i < dense.n; i++)
        numbers[i] = is_unsigned ? (int64_t)hlo_dense_bits(&dense, i) : hlo_dense_signed(&dense, i);
    *n = (uint32_t)dense.n;
    *v = numbers;
    return true;
}
