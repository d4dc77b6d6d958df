/* Functions of checks.def for operations with computations over elements: reductions, windows,
 * scatters, maps, sorts. What the computation takes and returns must fit the operands. */
#include "stablehlo/check.h"

/* ---- reducers ---- */

static const hlo_mlir_type *returned(const hlo_mlir_block *block, uint32_t i) {
    return hlo_mlir_operand(block->last, i)->type;
}

static const hlo_mlir_type *argument(const hlo_mlir_block *block, uint32_t i) {
    return block->arguments[i].type;
}

/* An integer fits a wider one, a complex number too; floats fit each other. */
static bool is_promotable(const hlo_mlir_type *from, const hlo_mlir_type *to) {
    if (!hlo_check_is_tensor(from) || !hlo_check_is_tensor(to)) return false;
    if (from->other || to->other) return from->other && to->other;
    hlo_type a = from->element, b = to->element;
    if (hlo_type_is_float(a)) return hlo_type_is_float(b);
    bool are_bits = hlo_type_is_in(a, HLO_ELEMENTS_BITS) && hlo_type_is_in(b, HLO_ELEMENTS_BITS);
    bool are_complex = hlo_type_is_complex(a) && hlo_type_is_complex(b);
    return (are_bits || are_complex) && hlo_check_bits(a) <= hlo_check_bits(b);
}

static bool check_signature(hlo_check *s, const hlo_mlir_block *block, uint32_t n) {
    if (block->argument_count != 2 * n)
        return hlo_check_refuse(s, HLO_RULE_REDUCER,
                                "has a reducer of %u arguments; it takes two for each of %u arrays",
                                block->argument_count, n);
    if (block->last->operand_count != n)
        return hlo_check_refuse(s, HLO_RULE_REDUCER,
                                "has a reducer that returns %u values; it returns one for each of "
                                "%u arrays",
                                block->last->operand_count, n);
    return true;
}

/* The sizes of a value in the order of those of the window, some of which it may lack. */
static bool has_subset(const hlo_mlir_type *type, uint32_t rank, const int64_t *sizes) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < rank && used < type->rank; i++)
        if (hlo_check_same_size(sizes[i], type->dims[used])) used++;
    return used == type->rank;
}

static bool check_value(hlo_check *s, const hlo_mlir_block *block, uint32_t i, uint32_t n,
                        const hlo_mlir_type *input, const hlo_mlir_type *init) {
    const hlo_mlir_type *value = returned(block, i), *first = argument(block, i),
                        *second = argument(block, n + i);
    if (!hlo_check_is_tensor(value))
        return hlo_check_refuse(s, HLO_RULE_REDUCER, "has a reducer that returns a %.*s",
                                HLO_CHECK_TYPE(value));
    bool fits_first = hlo_check_fits(value, first, false);
    if (!fits_first || !hlo_check_fits(value, second, true)) {
        const hlo_mlir_type *wrong = fits_first ? second : first;
        return hlo_check_refuse(s, HLO_RULE_REDUCER,
                                "has a reducer that returns %.*s and takes %.*s in its place",
                                HLO_CHECK_TYPE(value), HLO_CHECK_TYPE(wrong));
    }
    if (!hlo_check_is_tensor(init) || !hlo_check_same_sizes(init, value) ||
        !is_promotable(init, value))
        return hlo_check_refuse(s, HLO_RULE_REDUCER,
                                "has a reducer that returns %.*s and begins with %.*s",
                                HLO_CHECK_TYPE(value), HLO_CHECK_TYPE(init));
    return is_promotable(input, second) ||
           hlo_check_refuse(s, HLO_RULE_REDUCER,
                            "has a reducer that takes %.*s, and elements of %.*s",
                            HLO_CHECK_TYPE(second), HLO_CHECK_TYPE(input));
}

bool hlo_check_reducer(hlo_check *s, const hlo_mlir_block *block, uint32_t n,
                       const hlo_mlir_type *const *inputs, const hlo_mlir_type *const *inits,
                       uint32_t rank, const int64_t *sizes) {
    if (!check_signature(s, block, n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_type *init = inits ? inits[i] : hlo_check_scalar_of(s, inputs[i]);
        if (!check_value(s, block, i, n, inputs[i], init)) return false;
        const hlo_mlir_type *value = argument(block, n + i);
        if (!has_subset(value, rank, sizes))
            return hlo_check_refuse(s, HLO_RULE_REDUCER,
                                    "has a reducer that takes %.*s, whose sizes its operand lacks",
                                    HLO_CHECK_TYPE(value));
    }
    return true;
}

/* The types of `n` operands from the `first` one on. */
static const hlo_mlir_type **operand_types(hlo_check *s, uint32_t first, uint32_t n) {
    const hlo_mlir_type **types = HLO_NEW_ARRAY(&s->module->arena, const hlo_mlir_type *, n);
    for (uint32_t i = 0; i < n; i++) types[i] = hlo_check_operand(s, first + i);
    return types;
}

/* The elements of each result are those that the reducer returns. */
static bool gives_accumulators(hlo_check *s, const hlo_mlir_block *block) {
    for (uint32_t i = 0; i < s->op->result_count; i++)
        if (!hlo_check_same_elements(hlo_check_result(s, i), returned(block, i)))
            return hlo_check_refuse(
                s, HLO_RULE_RESULT_SHAPE, "gives %.*s; its reducer returns %.*s",
                HLO_CHECK_TYPE(hlo_check_result(s, i)), HLO_CHECK_TYPE(returned(block, i)));
    return true;
}

/* Tensors of equal sizes. */
static bool equal_sizes(hlo_check *s, uint32_t first, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        const hlo_mlir_type *one = hlo_check_operand(s, first),
                            *other = hlo_check_operand(s, first + i);
        if (!hlo_check_same_sizes(one, other))
            return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE,
                                    "has operands whose sizes do not fit: %.*s and %.*s",
                                    HLO_CHECK_TYPE(one), HLO_CHECK_TYPE(other));
    }
    return true;
}

/* ---- reduce ---- */

/* Marks the dimensions of the list; false: one is out of range, or there twice. */
static bool mark(hlo_check *s, const char *name, uint32_t rank, uint8_t *seen) {
    uint32_t n;
    const int64_t *v;
    if (!hlo_check_ints(s, name, &n, &v)) return true;
    for (uint32_t i = 0; i < n; i++)
        if (v[i] < 0 || v[i] >= rank || seen[v[i]]++)
            return hlo_check_refuse(s, HLO_RULE_REDUCE_DIMENSIONS,
                                    "names dimension %lld, which is there twice, or which its "
                                    "operand of rank %u lacks",
                                    (long long)v[i], rank);
    return true;
}

bool hlo_check_reduce(hlo_check *s) {
    uint32_t n = s->op->operand_count / 2, kept = 0;
    if (!equal_sizes(s, 0, n)) return false;
    const hlo_mlir_type *input = hlo_check_operand(s, 0);
    uint8_t *seen = hlo_arena_zero(&s->module->arena, (size_t)input->rank + 1);
    int64_t *sizes = HLO_NEW_ARRAY(&s->module->arena, int64_t, input->rank);
    if (!mark(s, "dimensions", input->rank, seen)) return false;
    for (uint32_t i = 0; i < input->rank; i++)
        if (!seen[i]) sizes[kept++] = input->dims[i];
    const hlo_mlir_block *block = hlo_check_block(s, 0);
    if (!hlo_check_reducer(s, block, n, operand_types(s, 0, n), operand_types(s, n, n), kept,
                           sizes))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_type *to = hlo_check_result(s, i);
        bool fits = to->rank == kept;
        for (uint32_t k = 0; k < kept && fits; k++)
            fits = hlo_check_same_size(to->dims[k], sizes[k]);
        if (!fits)
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE,
                                    "gives %.*s, which lacks sizes of %.*s, or has others",
                                    HLO_CHECK_TYPE(to), HLO_CHECK_TYPE(input));
    }
    return gives_accumulators(s, block);
}

/* ---- windows ---- */

/* A list that is empty, or has `n` numbers, of which the smallest is `least`. */
static bool window_list(hlo_check *s, const char *name, uint32_t n, int64_t least) {
    uint32_t count;
    const int64_t *v;
    if (!hlo_check_ints(s, name, &count, &v) || !count) return true;
    if (count != n)
        return hlo_check_refuse(s, HLO_RULE_WINDOW,
                                "has %u numbers in %s; its window has %u "
                                "dimensions",
                                count, name, n);
    for (uint32_t i = 0; i < n; i++)
        if (v[i] < least)
            return hlo_check_refuse(s, HLO_RULE_WINDOW, "has %lld in %s, which begins at %lld",
                                    (long long)v[i], name, (long long)least);
    return true;
}

/* dense<[[low, high], ...]> */
static bool window_padding(hlo_check *s, uint32_t n) {
    const hlo_mlir_attr *padding = hlo_mlir_attr_of(s->op, "padding");
    if (!padding || padding->kind != HLO_MLIR_DENSE) return true;
    const hlo_mlir_type *type = padding->type;
    if (type->rank == 2 && type->dims[1] == 2 && (type->dims[0] == n || !type->dims[0]))
        return true;
    return hlo_check_refuse(s, HLO_RULE_WINDOW,
                            "has a padding of type %.*s; it is a pair for each of %u dimensions",
                            HLO_CHECK_TYPE(type), n);
}

static bool check_window(hlo_check *s, uint32_t rank) {
    uint32_t n = 0;
    const int64_t *v;
    if (!hlo_check_ints(s, "window_dimensions", &n, &v)) n = 0;
    if (n != rank)
        return hlo_check_refuse(s, HLO_RULE_WINDOW,
                                "has %u numbers in window_dimensions; its operand has the rank %u",
                                n, rank);
    return window_list(s, "window_dimensions", rank, 1) &&
           window_list(s, "window_strides", rank, 1) && window_list(s, "base_dilations", rank, 1) &&
           window_list(s, "window_dilations", rank, 1) && window_padding(s, rank);
}

bool hlo_check_reduce_window(hlo_check *s) {
    uint32_t n = s->op->operand_count / 2, count;
    const int64_t *sizes;
    const hlo_mlir_block *block = hlo_check_block(s, 0);
    if (!equal_sizes(s, 0, n) || !check_window(s, hlo_check_operand(s, 0)->rank)) return false;
    if (!hlo_check_ints(s, "window_dimensions", &count, &sizes)) count = 0;
    return hlo_check_reducer(s, block, n, operand_types(s, 0, n), operand_types(s, n, n), count,
                             sizes) &&
           gives_accumulators(s, block);
}

/* The positions of a window of the operation along dimension `i`; -1: not known. */
static int64_t positions(hlo_check *s, uint32_t i) {
    int64_t size = hlo_check_operand(s, 0)->dims[i], stride = 1;
    uint32_t n;
    const int64_t *v;
    if (size == HLO_UNBOUNDED) return -1;
    if (hlo_check_ints(s, "padding", &n, &v) && n > 2 * i + 1 &&
        (__builtin_add_overflow(size, v[2 * i], &size) ||
         __builtin_add_overflow(size, v[2 * i + 1], &size)))
        return -1;
    if (hlo_check_ints(s, "window_strides", &n, &v) && n) stride = v[i];
    if (!hlo_check_ints(s, "window_dimensions", &n, &v) || n <= i) return -1;
    return size <= 0 || v[i] > size ? 0 : (size - v[i]) / stride + 1;
}

static bool check_source(hlo_check *s) {
    const hlo_mlir_type *operand = hlo_check_operand(s, 0), *source = hlo_check_operand(s, 1);
    bool fits = source->rank == operand->rank &&
                (hlo_check_same_elements(source, operand) ||
                 (hlo_type_is_float(source->element) && hlo_type_is_float(operand->element)));
    for (uint32_t i = 0; i < operand->rank && fits; i++) {
        int64_t n = positions(s, i);
        fits = n < 0 || hlo_check_same_size(source->dims[i], n);
    }
    return fits || hlo_check_refuse(s, HLO_RULE_SELECT_AND_SCATTER_SOURCE,
                                    "has a source %.*s that has not an element for each position "
                                    "of the window in %.*s",
                                    HLO_CHECK_TYPE(source), HLO_CHECK_TYPE(operand));
}

static bool check_select(hlo_check *s) {
    const hlo_mlir_block *select = hlo_check_block(s, 0);
    const hlo_mlir_type *scalar = hlo_check_scalar_of(s, hlo_check_operand(s, 0));
    bool good = select->argument_count == 2 && select->last->operand_count == 1 &&
                hlo_check_is_predicate(returned(select, 0));
    for (uint32_t i = 0; i < 2 && good; i++)
        good = hlo_check_fits(argument(select, i), scalar, true);
    return good ||
           hlo_check_refuse(s, HLO_RULE_SELECT_AND_SCATTER_SELECT,
                            "selects by a region that takes two %.*s and returns tensor<i1>",
                            HLO_CHECK_TYPE(scalar));
}

bool hlo_check_select_and_scatter(hlo_check *s) {
    const hlo_mlir_type *source = hlo_check_scalar_of(s, hlo_check_operand(s, 1));
    const hlo_mlir_block *block = hlo_check_block(s, 1);
    return check_select(s) &&
           hlo_check_reducer(s, block, 1, &source, operand_types(s, 2, 1), 0, NULL) &&
           check_window(s, hlo_check_operand(s, 0)->rank) && check_source(s) &&
           gives_accumulators(s, block);
}

/* ---- scatter ---- */

bool hlo_check_scatter(hlo_check *s) {
    uint32_t n = s->op->operand_count / 2;
    const hlo_mlir_type *indices = hlo_check_operand(s, n);
    const hlo_mlir_block *block = hlo_check_block(s, 0);
    if (!equal_sizes(s, 0, n) || !equal_sizes(s, n + 1, n)) return false;
    if (!hlo_type_is_integral(indices->element))
        return hlo_check_refuse(s, HLO_RULE_INDEX_VECTOR, "has indices of type %.*s",
                                HLO_CHECK_TYPE(indices));
    if (!hlo_check_scatter_batches(s)) return false;
    const hlo_mlir_type **inits = operand_types(s, n + 1, n);
    for (uint32_t i = 0; i < n; i++) inits[i] = hlo_check_scalar_of(s, inits[i]);
    if (!hlo_check_reducer(s, block, n, operand_types(s, 0, n), inits, 0, NULL)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_check_same_sizes(hlo_check_operand(s, i), hlo_check_result(s, i)))
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "gives %.*s for %.*s",
                                    HLO_CHECK_TYPE(hlo_check_result(s, i)),
                                    HLO_CHECK_TYPE(hlo_check_operand(s, i)));
    return gives_accumulators(s, block);
}

/* ---- map, sort ---- */

bool hlo_check_map(hlo_check *s) {
    const hlo_mlir_block *block = hlo_check_block(s, 0);
    const hlo_mlir_type *first = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    uint32_t n;
    const int64_t *v;
    if (!equal_sizes(s, 0, s->op->operand_count)) return false;
    if (hlo_check_ints(s, "dimensions", &n, &v)) {
        bool are_all = n == first->rank;
        for (uint32_t i = 0; i < n && are_all; i++) are_all = v[i] == i;
        if (!are_all)
            return hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                                    "maps over all dimensions of its operands, in their order");
    }
    bool fits = block->argument_count == s->op->operand_count && block->last->operand_count == 1;
    for (uint32_t i = 0; i < block->argument_count && fits; i++)
        fits = argument(block, i) == hlo_check_scalar_of(s, hlo_check_operand(s, i));
    fits = fits && returned(block, 0) == hlo_check_scalar_of(s, to);
    if (!fits)
        return hlo_check_refuse(
            s, HLO_RULE_MAP_COMPUTATION,
            "has a region that takes an element of each operand and returns one "
            "of %.*s",
            HLO_CHECK_TYPE(to));
    return hlo_check_same_sizes(first, to) ||
           hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "gives %.*s for %.*s", HLO_CHECK_TYPE(to),
                            HLO_CHECK_TYPE(first));
}

bool hlo_check_sort(hlo_check *s) {
    const hlo_mlir_block *block = hlo_check_block(s, 0);
    uint32_t n = s->op->operand_count;
    int64_t rank = hlo_check_operand(s, 0)->rank, dimension;
    if (!equal_sizes(s, 0, n)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_check_fits(hlo_check_operand(s, i), hlo_check_result(s, i), false))
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "gives %.*s for %.*s",
                                    HLO_CHECK_TYPE(hlo_check_result(s, i)),
                                    HLO_CHECK_TYPE(hlo_check_operand(s, i)));
    if (hlo_check_int(s, "dimension", &dimension) && (dimension < -rank || dimension >= rank))
        return hlo_check_refuse(s, HLO_RULE_SORT_DIMENSION,
                                "sorts dimension %lld of operands of rank %lld",
                                (long long)dimension, (long long)rank);
    bool fits = block->argument_count == 2 * n && block->last->operand_count == 1 &&
                hlo_check_is_predicate(returned(block, 0));
    for (uint32_t i = 0; i < 2 * n && fits; i++)
        fits = argument(block, i) == hlo_check_scalar_of(s, hlo_check_operand(s, i / 2));
    return fits || hlo_check_refuse(s, HLO_RULE_SORT_COMPARATOR,
                                    "has a comparator that takes two elements of each operand and "
                                    "returns tensor<i1>");
}
