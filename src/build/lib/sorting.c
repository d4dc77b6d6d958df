/* The greatest elements of the last dimension, by sorts: XLA's sorting.h. */
#include "build/lib/matrices.h"

/* ---- parts ---- */

/* Numbers along the last dimension, with the input's dynamic sizes. */
static hlo_term numbers_of(hlo_builder *b, hlo_term input, hlo_type type) {
    int64_t last = input->shape->rank - 1;
    hlo_term iota = hlo_builder_iota(b, hlo_lib_shape(b, type, hlo_lib_dims(input)), last);
    for (int64_t i = 0; i <= last; i++) {
        if (!hlo_is_dynamic_dimension(input, i)) continue;
        hlo_term size = hlo_builder_get_dimension_size(b, input, i);
        iota = hlo_builder_set_dimension_size(b, iota, size, i);
    }
    return iota;
}

/* The first k of the last dimension, whose size is then known. */
static hlo_term first_of(hlo_builder *b, hlo_term x, int64_t k) {
    if (!x) return NULL;
    int64_t last = x->shape->rank - 1;
    hlo_term part = hlo_lib_slice_in_dim(b, x, 0, k, last);
    if (!part || !hlo_is_dynamic_dimension(part, last)) return part;
    hlo_term size = hlo_lib_integer(b, HLO_S32, k);
    return hlo_builder_set_dimension_size(b, part, size, last);
}

typedef struct {
    hlo_term values, indices;
} found;

/* The first k after a stable sort, the greatest first. */
static found sorted_first(hlo_builder *b, hlo_term values, hlo_term indices, int64_t k) {
    if (hlo_builder_failed(b)) return (found){NULL, NULL};
    const hlo_element_type types[] = {hlo_lib_public((hlo_type)values->shape->type),
                                      hlo_lib_public((hlo_type)indices->shape->type)};
    const hlo_computation *by = hlo_lib_gt_comparator(b, types, 2);
    hlo_term sorted =
        by ? hlo_builder_sort(b, HLO_INSTRS(values, indices), by, values->shape->rank - 1, true)
           : NULL;
    if (!sorted) return (found){NULL, NULL};
    hlo_term first = first_of(b, hlo_builder_get_tuple_element(b, sorted, 0), k);
    return (found){first, first_of(b, hlo_builder_get_tuple_element(b, sorted, 1), k)};
}

static hlo_term pair_of(hlo_builder *b, found f) {
    return hlo_builder_failed(b) ? NULL : hlo_builder_tuple(b, HLO_INSTRS(f.values, f.indices));
}

/* ---- bf16 with its index in 32 bits ---- */

/* From a sign with a magnitude to the complement of one, or back. */
static hlo_term complemented(hlo_builder *b, hlo_term bits) {
    return HLO_FORMULA(b, "xor(x && 2147483647, shift_right_arithmetic(x, 31))", "x", bits);
}

/* The number above, the complement of its index below: one sort of integers for both. */
static found packed_first(hlo_builder *b, hlo_term input, hlo_term iota, int64_t k) {
    static const hlo_element_type type = HLO_TYPE_S32;
    hlo_term wide = hlo_lib_convert(b, input, HLO_F32);
    hlo_term bits = hlo_builder_bitcast_convert_type(b, wide, HLO_TYPE_S32);
    hlo_term number = complemented(b, bits);
    if (!number) return (found){NULL, NULL};
    hlo_term packed = HLO_FORMULA(b, "xor(x || 65535, i)", "x i", number, iota);
    const hlo_computation *by = hlo_lib_gt_comparator(b, &type, 1);
    hlo_term sorted = hlo_builder_sort(b, HLO_INSTRS(packed), by, input->shape->rank - 1, false);
    hlo_term first = first_of(b, sorted, k);
    hlo_term high = complemented(b, first);
    high = high ? HLO_FORMULA(b, "x && -65536", "x", high) : NULL;
    hlo_term values = hlo_builder_bitcast_convert_type(b, high, HLO_TYPE_F32);
    values = hlo_lib_convert(b, values, HLO_BF16);
    hlo_term indices = first ? HLO_FORMULA(b, "xor(x, 65535) && 65535", "x", first) : NULL;
    return (found){values, indices};
}

/* XLA's bounds of sizes for which that is faster. */
static bool is_packed(hlo_term input) {
    int64_t size = hlo_lib_size(input, -1);
    bool many = input->shape->rank == 2 && input->shape->dims[0] >= 8;
    return input->shape->type == HLO_BF16 && size < 65536 && (size < 1500 || many);
}

/* ---- by parts ---- */

/* What a part is merged with. */
enum { VALUES, INDICES, INPUT, NUMBERS, STATE };

typedef struct {
    int64_t k, size; /* of a part */
    hlo_type index;
} parts;

static bool merge(hlo_builder *b, hlo_term number, const hlo_term *values, hlo_term *updated,
                  size_t count, void *context) {
    const parts *p = context;
    hlo_formula f = hlo_formula_of(b, "n", &number);
    hlo_formula_set_number(&f, "size", (double)p->size);
    hlo_term start = hlo_formula_run(&f, "(n + 1) * size");
    if (!start) return false;
    int64_t last = values[INPUT]->shape->rank - 1;
    hlo_term joined[2];
    for (int i = 0; i < 2; i++) {
        hlo_term part = hlo_lib_dynamic_slice_in_minor_dims(b, values[INPUT + i], HLO_INSTRS(start),
                                                            HLO_INTS(p->size));
        joined[i] = hlo_builder_concatenate(b, HLO_INSTRS(values[i], part), last);
    }
    found first = sorted_first(b, joined[0], joined[1], p->k);
    updated[VALUES] = first.values;
    updated[INDICES] = first.indices;
    updated[INPUT] = values[INPUT];
    updated[NUMBERS] = values[NUMBERS];
    return count == STATE && first.values;
}

static hlo_term in_parts(hlo_builder *b, hlo_term input, int64_t k, int64_t count, hlo_type index) {
    parts p = {k, hlo_lib_ratio_up(hlo_lib_size(input, -1), count), index};
    int64_t last = input->shape->rank - 1;
    hlo_term iota = numbers_of(b, input, index);
    hlo_term first = hlo_lib_slice_in_dim(b, input, 0, p.size, last);
    hlo_term numbers = hlo_lib_slice_in_dim(b, iota, 0, p.size, last);
    found top = sorted_first(b, first, numbers, k);
    hlo_term state[STATE] = {top.values, top.indices, input, iota};
    if (hlo_builder_failed(b) ||
        !hlo_lib_for_each_index(b, count - 1, hlo_lib_public(index), merge,
                                (hlo_instrs_list){STATE, state}, "topk_with_partition", &p, state))
        return NULL;
    return pair_of(b, (found){state[VALUES], state[INDICES]});
}

/* ---- public ---- */

static hlo_term whole(hlo_builder *b, hlo_term input, int64_t k, hlo_type index) {
    hlo_term iota = numbers_of(b, input, index);
    if (!iota) return NULL;
    if (is_packed(input) && index == HLO_S32) return pair_of(b, packed_first(b, input, iota, k));
    return pair_of(b, sorted_first(b, input, iota, k));
}

static bool check_top(hlo_builder *b, hlo_term input, int64_t k, hlo_element_type index) {
    if (!hlo_lib_has_rank(b, "TopK", input, 1)) return false;
    if (!hlo_element_type_bytes(index) || !hlo_type_is_integral(hlo_builder_type(index)))
        hlo_builder_misuse(b, "TopK: type %d is no integer's", (int)index);
    else if (k < 0 || k > hlo_lib_size(input, -1))
        hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "TopK: the first %lld of %s", (long long)k,
                         hlo_shape_name(&b->module->arena, input->shape));
    return !hlo_builder_failed(b);
}

hlo_term hlo_lib_top_k_with_partitions(hlo_builder *b, hlo_term input, int64_t k,
                                       int64_t num_partitions, hlo_element_type index_type) {
    HLO_BUILDER_TAKES(b, input);
    if (!check_top(b, input, k, index_type)) return NULL;
    if (num_partitions < 1)
        return hlo_builder_misuse(b, "%s: %lld partitions", __func__, (long long)num_partitions);
    if (k >= hlo_lib_ratio_up(hlo_lib_size(input, -1), num_partitions))
        return hlo_lib_top_k(b, input, k, index_type);
    return in_parts(b, input, k, num_partitions, hlo_builder_type(index_type));
}

hlo_term hlo_lib_top_k(hlo_builder *b, hlo_term input, int64_t k, hlo_element_type index_type) {
    enum { PART = 8192, LARGE = 524288, LEAST_PARTS = 8, LEAST_K = 1000 };
    HLO_BUILDER_TAKES(b, input);
    if (!check_top(b, input, k, index_type)) return NULL;
    int64_t size = hlo_lib_size(input, -1);
    bool large = k >= LEAST_K && k < PART && PART / k > 2 && size >= LARGE;
    int64_t count = large ? hlo_lib_ratio_up(size - k, PART - k) : 0;
    if (count >= LEAST_PARTS && k < hlo_lib_ratio_up(size, count))
        return in_parts(b, input, k, count, hlo_builder_type(index_type));
    return whole(b, input, k, hlo_builder_type(index_type));
}
