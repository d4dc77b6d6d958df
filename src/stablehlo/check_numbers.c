/* Functions of checks.def for elementwise operations and those that move data: sizes of operands
 * and results, types of elements, lists of dimensions. Simplifications and folding rely on them. */
#include "stablehlo/check.h"

static bool elements_from(hlo_check *s, uint32_t first) {
    for (uint32_t i = first + 1; i < s->op->operand_count; i++)
        if (hlo_check_operand(s, i)->element != hlo_check_operand(s, first)->element)
            return hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE,
                                    "has operands of several element types");
    return true;
}

static bool keeps_element(hlo_check *s) {
    return hlo_check_operand(s, 0)->element == s->op->results[0].type->element ||
           hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE,
                            "has a result of another element type than its operand");
}

static bool wrong_sizes(hlo_check *s) {
    return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE,
                            "has operands and results whose sizes do not fit");
}

/* A list of `n` numbers from 0 to `most` - 1, of which no two are equal; n UINT32_MAX: any count.
 */
static bool dimensions(hlo_check *s, const char *name, uint32_t n, uint32_t most) {
    uint32_t count;
    const int64_t *v;
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, name);
    if (!attr || !hlo_mlir_ints(s->module, attr, &count, &v)) return true; /* makers refuse it */
    bool good = (n == UINT32_MAX || count == n) && count <= most;
    uint8_t *seen = hlo_arena_zero(&s->module->arena, (size_t)most + 1);
    for (uint32_t i = 0; i < count && good; i++) good = v[i] >= 0 && v[i] < most && !seen[v[i]]++;
    return good ||
           hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "names dimensions that its operand lacks");
}

static bool has_count(hlo_check *s, const char *name, uint32_t n, const int64_t **v) {
    uint32_t count;
    *v = NULL;
    if (!hlo_mlir_ints(s->module, hlo_mlir_attr_of(s->op, name), &count, v)) return true;
    return count == n || hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                                          "has lists that are not of a number for each dimension");
}

/* ---- single operations ---- */

bool hlo_check_elementwise(hlo_check *s) {
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!hlo_check_same_sizes(hlo_check_operand(s, i), s->op->results[0].type))
            return wrong_sizes(s);
    return elements_from(s, 0);
}

bool hlo_check_elementwise_of_one_type(hlo_check *s) {
    return hlo_check_elementwise(s) && keeps_element(s);
}

/* Of complex numbers as of their parts. */
bool hlo_check_magnitude(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    if (!hlo_check_elementwise(s)) return false;
    return hlo_type_part(from->element) == to->element ||
           hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE, "gives elements of %.*s as those of %.*s",
                            HLO_CHECK_TYPE(from), HLO_CHECK_TYPE(to));
}

bool hlo_check_complex(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    if (!hlo_check_elementwise(s)) return false;
    return from->element == hlo_type_part(to->element) ||
           hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE, "makes elements of %.*s of those of %.*s",
                            HLO_CHECK_TYPE(to), HLO_CHECK_TYPE(from));
}

/* Types of other widths: the narrower ones have a last dimension more, of the ratio. */
bool hlo_check_bitcast_convert(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    if (hlo_type_is_complex(from->element) != hlo_type_is_complex(to->element))
        return hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE,
                                "does not convert between real and complex elements");
    int64_t from_bits = hlo_check_bits(from->element), to_bits = hlo_check_bits(to->element);
    if (from_bits == to_bits) return hlo_check_same_sizes(from, to) || wrong_sizes(s);
    bool narrows = from_bits > to_bits;
    const hlo_mlir_type *wide = narrows ? from : to, *narrow = narrows ? to : from;
    int64_t ratio = narrows ? from_bits / to_bits : to_bits / from_bits;
    bool fits = narrow->rank == wide->rank + 1 &&
                hlo_check_same_size(narrow->dims[wide->rank], ratio) &&
                hlo_check_bits(wide->element) == ratio * hlo_check_bits(narrow->element);
    for (uint32_t i = 0; i < wide->rank && fits; i++)
        fits = hlo_check_same_size(wide->dims[i], narrow->dims[i]);
    return fits || hlo_check_refuse(s, HLO_RULE_BITCAST_CONVERT_WIDTH,
                                    "of %.*s to %.*s: an element of %.*s takes %lld of the others",
                                    HLO_CHECK_TYPE(from), HLO_CHECK_TYPE(to), HLO_CHECK_TYPE(wide),
                                    (long long)ratio);
}

bool hlo_check_reduce_precision(hlo_check *s) {
    int64_t exponent, mantissa;
    if (hlo_check_int(s, "exponent_bits", &exponent) && exponent < 1)
        return hlo_check_refuse(s, HLO_RULE_REDUCE_PRECISION_BITS,
                                "keeps %lld exponent bits; it needs one", (long long)exponent);
    if (hlo_check_int(s, "mantissa_bits", &mantissa) && mantissa < 0)
        return hlo_check_refuse(s, HLO_RULE_REDUCE_PRECISION_BITS, "keeps %lld mantissa bits",
                                (long long)mantissa);
    return hlo_check_elementwise_of_one_type(s);
}

/* select and clamp take scalars for some operands. */
bool hlo_check_ternary(hlo_check *s) {
    bool is_select = s->op->id == HLO_MLIR_OP_STABLEHLO_SELECT;
    for (uint32_t i = 0; i < 3; i++) {
        const hlo_mlir_type *type = hlo_check_operand(s, i);
        bool may_be_scalar = is_select ? i == 0 : i != 1;
        if (!(may_be_scalar && !type->rank) && !hlo_check_same_sizes(type, s->op->results[0].type))
            return wrong_sizes(s);
    }
    if (is_select && hlo_check_operand(s, 0)->element != HLO_PRED)
        return hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE, "selects by what is no predicate");
    if (hlo_check_operand(s, 1)->element != s->op->results[0].type->element)
        return hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE, "has a result of another element type");
    return elements_from(s, is_select ? 1 : 0);
}

/* A result of which at most one size is not known, which has a bound. */
static bool is_static_or_bounded(hlo_check *s) {
    const hlo_mlir_type *to = hlo_check_result(s, 0);
    uint32_t unknown = 0;
    bool has_bounds = true;
    for (uint32_t i = 0; i < to->rank; i++) {
        if (to->dims[i] != HLO_UNBOUNDED) continue;
        unknown++;
        has_bounds &= to->bounds && to->bounds[i] != HLO_UNBOUNDED;
    }
    return (unknown <= 1 && has_bounds) ||
           hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE,
                            "gives known sizes, or one with a bound, not %.*s", HLO_CHECK_TYPE(to));
}

bool hlo_check_broadcast_in_dim(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = s->op->results[0].type;
    const int64_t *v;
    if (!is_static_or_bounded(s)) return false;
    if (!dimensions(s, "broadcast_dimensions", from->rank, to->rank) || !keeps_element(s))
        return false;
    if (!has_count(s, "broadcast_dimensions", from->rank, &v)) return false;
    for (uint32_t i = 0; v && i < from->rank; i++)
        if (from->dims[i] != 1 && !hlo_check_same_size(from->dims[i], to->dims[v[i]]))
            return wrong_sizes(s);
    return true;
}

/* New dimensions in front of those of the operand. */
bool hlo_check_broadcast(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    uint32_t n;
    const int64_t *v;
    if (!keeps_element(s)) return false;
    if (!hlo_check_ints(s, "broadcast_sizes", &n, &v)) return true;
    for (uint32_t i = 0; i < n; i++)
        if (v[i] < 0)
            return hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "broadcasts to the size %lld",
                                    (long long)v[i]);
    if (n + from->rank != to->rank) return wrong_sizes(s);
    for (uint32_t i = 0; i < to->rank; i++)
        if (!hlo_check_same_size(to->dims[i], i < n ? v[i] : from->dims[i - n]))
            return wrong_sizes(s);
    return true;
}

static int64_t count_of(const hlo_mlir_type *type) {
    int64_t n = 1;
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->dims[i] == HLO_UNBOUNDED) return HLO_UNBOUNDED;
    for (uint32_t i = 0; i < type->rank; i++)
        if (__builtin_mul_overflow(n, type->dims[i], &n)) return INT64_MAX;
    return n;
}

bool hlo_check_reshape(hlo_check *s) {
    if (!is_static_or_bounded(s)) return false;
    if (!hlo_check_same_size(count_of(hlo_check_operand(s, 0)), count_of(s->op->results[0].type)))
        return wrong_sizes(s);
    return keeps_element(s);
}

bool hlo_check_transpose(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = s->op->results[0].type;
    const int64_t *v;
    if (!dimensions(s, "permutation", from->rank, from->rank) || !keeps_element(s)) return false;
    if (!has_count(s, "permutation", from->rank, &v) || from->rank != to->rank)
        return wrong_sizes(s);
    for (uint32_t i = 0; v && i < from->rank; i++)
        if (!hlo_check_same_size(from->dims[v[i]], to->dims[i])) return wrong_sizes(s);
    return true;
}

bool hlo_check_reverse(hlo_check *s) {
    if (!hlo_check_same_sizes(hlo_check_operand(s, 0), s->op->results[0].type))
        return wrong_sizes(s);
    return dimensions(s, "dimensions", UINT32_MAX, hlo_check_operand(s, 0)->rank) &&
           keeps_element(s);
}

bool hlo_check_concatenate(hlo_check *s) {
    const hlo_mlir_type *to = s->op->results[0].type;
    if (!s->op->operand_count)
        return hlo_check_refuse(s, HLO_RULE_OPERAND_COUNT, "has no operand; it takes at least 1");
    if (!elements_from(s, 0) || !keeps_element(s) || !hlo_check_dimension(s, "dimension", to->rank))
        return false;
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, "dimension");
    int64_t dim = attr && attr->kind == HLO_MLIR_INT ? attr->u.i : 0, sum = 0;
    bool is_known = true;
    for (uint32_t i = 0; i < s->op->operand_count; i++) {
        const hlo_mlir_type *type = hlo_check_operand(s, i);
        if (type->rank != to->rank) return wrong_sizes(s);
        for (uint32_t d = 0; d < to->rank; d++) {
            if (d != dim && !hlo_check_same_size(type->dims[d], to->dims[d])) return wrong_sizes(s);
            if (d != dim) continue;
            is_known &= type->dims[d] != HLO_UNBOUNDED;
            if (is_known && __builtin_add_overflow(sum, type->dims[d], &sum)) return wrong_sizes(s);
        }
    }
    return !to->rank || !is_known || hlo_check_same_size(sum, to->dims[dim]) || wrong_sizes(s);
}

static bool check_padding(hlo_check *s, uint32_t i, int64_t low, int64_t high, int64_t between) {
    int64_t size = hlo_check_operand(s, 0)->dims[i], gaps;
    if (between < 0)
        return hlo_check_refuse(s, HLO_RULE_PAD_PADDING, "has %lld elements between two",
                                (long long)between);
    if (size == HLO_UNBOUNDED) return true;
    bool good = !__builtin_mul_overflow(size ? size - 1 : 0, between, &gaps) &&
                !__builtin_add_overflow(size, gaps, &size) &&
                !__builtin_add_overflow(size, low, &size) &&
                !__builtin_add_overflow(size, high, &size) && size >= 0;
    if (!good)
        return hlo_check_refuse(s, HLO_RULE_PAD_PADDING,
                                "leaves dimension %u with less than no element", i);
    return hlo_check_same_size(size, hlo_check_result(s, 0)->dims[i]) || wrong_sizes(s);
}

bool hlo_check_pad(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = s->op->results[0].type;
    const int64_t *low, *high, *between;
    if (!elements_from(s, 0) || !keeps_element(s) ||
        !has_count(s, "edge_padding_low", from->rank, &low) ||
        !has_count(s, "edge_padding_high", from->rank, &high) ||
        !has_count(s, "interior_padding", from->rank, &between))
        return false;
    if (from->rank != to->rank || hlo_check_operand(s, 1)->rank) return wrong_sizes(s);
    for (uint32_t i = 0; low && high && between && i < from->rank; i++)
        if (!check_padding(s, i, low[i], high[i], between[i])) return false;
    return true;
}

static bool check_slice(hlo_check *s, uint32_t i, int64_t start, int64_t limit, int64_t stride) {
    int64_t size = hlo_check_operand(s, 0)->dims[i], to = s->op->results[0].type->dims[i];
    if (start < 0 || limit < start || stride < 1 || (size != HLO_UNBOUNDED && limit > size))
        return hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "takes what its operand has not");
    int64_t n = limit - start;
    return hlo_check_same_size(n / stride + (n % stride > 0), to) || wrong_sizes(s);
}

bool hlo_check_slice(hlo_check *s) {
    uint32_t rank = hlo_check_operand(s, 0)->rank;
    const hlo_mlir_attr *ranges = hlo_mlir_attr_of(s->op, "ranges");
    const int64_t *start, *limit, *stride;
    if (rank != s->op->results[0].type->rank) return wrong_sizes(s);
    if (!keeps_element(s) || !has_count(s, "start_indices", rank, &start) ||
        !has_count(s, "limit_indices", rank, &limit) || !has_count(s, "strides", rank, &stride))
        return false;
    if (ranges && ranges->list.n != rank)
        return hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "has a range for each dimension");
    for (uint32_t i = 0; i < rank; i++) {
        const hlo_mlir_attr *range = ranges ? ranges->list.v[i].value : NULL;
        if (range && (range->kind != HLO_MLIR_INTS || range->u.ints.n != 3)) return true;
        const int64_t *v = range ? range->u.ints.v : NULL;
        if (v && !check_slice(s, i, v[0], v[1], v[2])) return false;
        if (start && limit && stride && !check_slice(s, i, start[i], limit[i], stride[i]))
            return false;
    }
    return true;
}

/* The size of a slice in each dimension. */
bool hlo_check_sizes_of_slice(hlo_check *s, const hlo_mlir_type *of) {
    const int64_t *v;
    if (!has_count(s, "slice_sizes", of->rank, &v)) return false;
    for (uint32_t i = 0; v && i < of->rank; i++)
        if (v[i] < 0 || (of->dims[i] != HLO_UNBOUNDED && v[i] > of->dims[i]))
            return hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "takes what its operand has not");
    return true;
}

static bool scalars_from(hlo_check *s, uint32_t first) {
    for (uint32_t i = first; i < s->op->operand_count; i++) {
        const hlo_mlir_type *type = hlo_check_operand(s, i);
        if (type->rank)
            return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE, "has indices that are no scalars");
        if (!hlo_type_is_integral(type->element) ||
            type->element != hlo_check_operand(s, first)->element)
            return hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE,
                                    "has indices that are not integers of one type");
    }
    return true;
}

bool hlo_check_dynamic_slice(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = s->op->results[0].type;
    const int64_t *v;
    if (s->op->operand_count - 1 != from->rank || from->rank != to->rank) return wrong_sizes(s);
    if (!hlo_check_sizes_of_slice(s, from) || !keeps_element(s) || !scalars_from(s, 1))
        return false;
    if (!has_count(s, "slice_sizes", from->rank, &v)) return false;
    for (uint32_t i = 0; v && i < from->rank; i++)
        if (!hlo_check_same_size(v[i], to->dims[i])) return wrong_sizes(s);
    return true;
}

bool hlo_check_dynamic_update_slice(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0);
    if (s->op->operand_count < 2 || s->op->operand_count - 2 != from->rank ||
        hlo_check_operand(s, 1)->rank != from->rank ||
        !hlo_check_same_sizes(from, s->op->results[0].type))
        return wrong_sizes(s);
    if (hlo_check_operand(s, 1)->element != from->element)
        return hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE, "has operands of several element types");
    for (uint32_t i = 0; i < from->rank; i++) {
        int64_t size = hlo_check_operand(s, 1)->dims[i];
        if (size != HLO_UNBOUNDED && from->dims[i] != HLO_UNBOUNDED && size > from->dims[i])
            return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE,
                                    "updates %lld elements of dimension %u, which has %lld",
                                    (long long)size, i, (long long)from->dims[i]);
    }
    return keeps_element(s) && scalars_from(s, 2);
}

bool hlo_check_keeps_sizes(hlo_check *s) {
    return hlo_check_same_sizes(hlo_check_operand(s, 0), s->op->results[0].type) || wrong_sizes(s);
}

bool hlo_check_set_dimension_size(hlo_check *s) {
    const hlo_mlir_type *size = hlo_check_operand(s, 1);
    if (size->rank || size->element != HLO_S32)
        return hlo_check_refuse(s, HLO_RULE_DIMENSION_SIZE,
                                "takes the size as tensor<i32>, not %.*s", HLO_CHECK_TYPE(size));
    return hlo_check_any_dimension(s);
}

bool hlo_check_any_dimension(hlo_check *s) {
    return hlo_check_dimension(s, "dimension", hlo_check_operand(s, 0)->rank);
}

bool hlo_check_iota(hlo_check *s) {
    return hlo_check_dimension(s, "iota_dimension", s->op->results[0].type->rank);
}
