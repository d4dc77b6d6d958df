/* Numbers of dimensions and types of elements, as far as simplifications and folding rely on
 * them. Each row names the conditions of an operation; a dynamic size fits any other. */
#include "stablehlo/check.h"

typedef struct {
    hlo_mlir_module *module;
    hlo_diags *diags;
    const hlo_mlir_op *op;
} subject;

static bool refuse(subject *s, hlo_rule rule, const char *why) {
    hlo_error(s->diags, rule, s->module->source, s->op->at, "'%.*s' %s", (int)s->op->name.len,
              s->op->name.ptr, why);
    return false;
}

static const hlo_mlir_type *operand_type(const subject *s, uint32_t i) {
    return hlo_mlir_operand(s->op, i)->type;
}

/* Types that HLO lacks are refused where a shape is made of them; no step computes with them. */
static bool is_plain(const hlo_mlir_type *type) {
    return type->kind == HLO_MLIR_TENSOR && !type->other;
}

static bool all_plain(const subject *s) {
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!is_plain(operand_type(s, i))) return false;
    for (uint32_t i = 0; i < s->op->result_count; i++)
        if (!is_plain(s->op->results[i].type)) return false;
    return true;
}

static bool same_size(int64_t a, int64_t b) {
    return a == b || a == HLO_UNBOUNDED || b == HLO_UNBOUNDED;
}

static bool same_sizes(const hlo_mlir_type *a, const hlo_mlir_type *b) {
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!same_size(a->dims[i], b->dims[i])) return false;
    return true;
}

static bool elements_from(subject *s, uint32_t first) {
    for (uint32_t i = first + 1; i < s->op->operand_count; i++)
        if (operand_type(s, i)->element != operand_type(s, first)->element)
            return refuse(s, HLO_RULE_ELEMENT_TYPE, "has operands of several element types");
    return true;
}

static bool keeps_element(subject *s) {
    return operand_type(s, 0)->element == s->op->results[0].type->element ||
           refuse(s, HLO_RULE_ELEMENT_TYPE,
                  "has a result of another element type than its operand");
}

static bool wrong_sizes(subject *s) {
    return refuse(s, HLO_RULE_OPERAND_SHAPE, "has operands and results whose sizes do not fit");
}

/* A list of `n` numbers from 0 to `most` - 1, of which no two are equal; n UINT32_MAX: any count.
 */
static bool dimensions(subject *s, const char *name, uint32_t n, uint32_t most) {
    uint32_t count;
    const int64_t *v;
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, name);
    if (!attr || !hlo_mlir_ints(s->module, attr, &count, &v)) return true; /* makers refuse it */
    bool good = (n == UINT32_MAX || count == n) && count <= most;
    uint8_t *seen = hlo_arena_zero(&s->module->arena, (size_t)most + 1);
    for (uint32_t i = 0; i < count && good; i++) good = v[i] >= 0 && v[i] < most && !seen[v[i]]++;
    return good || refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "names dimensions that its operand lacks");
}

static bool dimension(subject *s, const char *name, uint32_t rank) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, name);
    if (!attr || (attr->kind != HLO_MLIR_INT && attr->kind != HLO_MLIR_BOOL)) return true;
    return (attr->u.i >= 0 && attr->u.i < rank) ||
           refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "names a dimension that its operand lacks");
}

static bool has_count(subject *s, const char *name, uint32_t n, const int64_t **v) {
    uint32_t count;
    *v = NULL;
    if (!hlo_mlir_ints(s->module, hlo_mlir_attr_of(s->op, name), &count, v)) return true;
    return count == n || refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                                "has lists that are not of a number for each dimension");
}

/* ---- single operations ---- */

static bool elementwise(subject *s) {
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!same_sizes(operand_type(s, i), s->op->results[0].type)) return wrong_sizes(s);
    return elements_from(s, 0);
}

static bool elementwise_of_one_type(subject *s) {
    return elementwise(s) && keeps_element(s);
}

/* select and clamp take scalars for some operands. */
static bool ternary(subject *s) {
    bool is_select = s->op->id == HLO_MLIR_OP_STABLEHLO_SELECT;
    for (uint32_t i = 0; i < 3; i++) {
        const hlo_mlir_type *type = operand_type(s, i);
        bool may_be_scalar = is_select ? i == 0 : i != 1;
        if (!(may_be_scalar && !type->rank) && !same_sizes(type, s->op->results[0].type))
            return wrong_sizes(s);
    }
    if (is_select && operand_type(s, 0)->element != HLO_PRED)
        return refuse(s, HLO_RULE_ELEMENT_TYPE, "selects by what is no predicate");
    if (operand_type(s, 1)->element != s->op->results[0].type->element)
        return refuse(s, HLO_RULE_ELEMENT_TYPE, "has a result of another element type");
    return elements_from(s, is_select ? 1 : 0);
}

static bool broadcast_in_dim(subject *s) {
    const hlo_mlir_type *from = operand_type(s, 0), *to = s->op->results[0].type;
    const int64_t *v;
    if (!dimensions(s, "broadcast_dimensions", from->rank, to->rank) || !keeps_element(s))
        return false;
    if (!has_count(s, "broadcast_dimensions", from->rank, &v)) return false;
    for (uint32_t i = 0; v && i < from->rank; i++)
        if (from->dims[i] != 1 && !same_size(from->dims[i], to->dims[v[i]])) return wrong_sizes(s);
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

static bool reshape(subject *s) {
    if (!same_size(count_of(operand_type(s, 0)), count_of(s->op->results[0].type)))
        return wrong_sizes(s);
    return keeps_element(s);
}

static bool transpose(subject *s) {
    const hlo_mlir_type *from = operand_type(s, 0), *to = s->op->results[0].type;
    const int64_t *v;
    if (!dimensions(s, "permutation", from->rank, from->rank) || !keeps_element(s)) return false;
    if (!has_count(s, "permutation", from->rank, &v) || from->rank != to->rank)
        return wrong_sizes(s);
    for (uint32_t i = 0; v && i < from->rank; i++)
        if (!same_size(from->dims[v[i]], to->dims[i])) return wrong_sizes(s);
    return true;
}

static bool reverse(subject *s) {
    if (!same_sizes(operand_type(s, 0), s->op->results[0].type)) return wrong_sizes(s);
    return dimensions(s, "dimensions", UINT32_MAX, operand_type(s, 0)->rank) && keeps_element(s);
}

static bool concatenate(subject *s) {
    const hlo_mlir_type *to = s->op->results[0].type;
    if (!elements_from(s, 0) || !keeps_element(s) || !dimension(s, "dimension", to->rank))
        return false;
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, "dimension");
    int64_t dim = attr && attr->kind == HLO_MLIR_INT ? attr->u.i : 0, sum = 0;
    bool is_known = true;
    for (uint32_t i = 0; i < s->op->operand_count; i++) {
        const hlo_mlir_type *type = operand_type(s, i);
        if (type->rank != to->rank) return wrong_sizes(s);
        for (uint32_t d = 0; d < to->rank; d++) {
            if (d != dim && !same_size(type->dims[d], to->dims[d])) return wrong_sizes(s);
            if (d != dim) continue;
            is_known &= type->dims[d] != HLO_UNBOUNDED;
            if (is_known && __builtin_add_overflow(sum, type->dims[d], &sum)) return wrong_sizes(s);
        }
    }
    return !to->rank || !is_known || same_size(sum, to->dims[dim]) || wrong_sizes(s);
}

static bool pad(subject *s) {
    const hlo_mlir_type *from = operand_type(s, 0), *to = s->op->results[0].type;
    const int64_t *low, *high, *between;
    if (!elements_from(s, 0) || !keeps_element(s) ||
        !has_count(s, "edge_padding_low", from->rank, &low) ||
        !has_count(s, "edge_padding_high", from->rank, &high) ||
        !has_count(s, "interior_padding", from->rank, &between))
        return false;
    return (from->rank == to->rank && !operand_type(s, 1)->rank) || wrong_sizes(s);
}

static bool check_slice(subject *s, uint32_t i, int64_t start, int64_t limit, int64_t stride) {
    int64_t size = operand_type(s, 0)->dims[i], to = s->op->results[0].type->dims[i];
    if (start < 0 || limit < start || stride < 1 || (size != HLO_UNBOUNDED && limit > size))
        return refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "takes what its operand has not");
    int64_t n = limit - start;
    return same_size(n / stride + (n % stride > 0), to) || wrong_sizes(s);
}

static bool slice(subject *s) {
    uint32_t rank = operand_type(s, 0)->rank;
    const hlo_mlir_attr *ranges = hlo_mlir_attr_of(s->op, "ranges");
    const int64_t *start, *limit, *stride;
    if (rank != s->op->results[0].type->rank) return wrong_sizes(s);
    if (!keeps_element(s) || !has_count(s, "start_indices", rank, &start) ||
        !has_count(s, "limit_indices", rank, &limit) || !has_count(s, "strides", rank, &stride))
        return false;
    if (ranges && ranges->list.n != rank)
        return refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "has a range for each dimension");
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
static bool slice_sizes(subject *s, const hlo_mlir_type *of) {
    const int64_t *v;
    if (!has_count(s, "slice_sizes", of->rank, &v)) return false;
    for (uint32_t i = 0; v && i < of->rank; i++)
        if (v[i] < 0 || (of->dims[i] != HLO_UNBOUNDED && v[i] > of->dims[i]))
            return refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "takes what its operand has not");
    return true;
}

static bool scalars_from(subject *s, uint32_t first) {
    for (uint32_t i = first; i < s->op->operand_count; i++)
        if (operand_type(s, i)->rank)
            return refuse(s, HLO_RULE_OPERAND_SHAPE, "has indices that are no scalars");
    return true;
}

static bool dynamic_slice(subject *s) {
    const hlo_mlir_type *from = operand_type(s, 0), *to = s->op->results[0].type;
    const int64_t *v;
    if (s->op->operand_count - 1 != from->rank || from->rank != to->rank) return wrong_sizes(s);
    if (!slice_sizes(s, from) || !keeps_element(s) || !scalars_from(s, 1)) return false;
    if (!has_count(s, "slice_sizes", from->rank, &v)) return false;
    for (uint32_t i = 0; v && i < from->rank; i++)
        if (!same_size(v[i], to->dims[i])) return wrong_sizes(s);
    return true;
}

static bool dynamic_update_slice(subject *s) {
    const hlo_mlir_type *from = operand_type(s, 0);
    if (s->op->operand_count < 2 || s->op->operand_count - 2 != from->rank ||
        operand_type(s, 1)->rank != from->rank || !same_sizes(from, s->op->results[0].type))
        return wrong_sizes(s);
    if (operand_type(s, 1)->element != from->element)
        return refuse(s, HLO_RULE_ELEMENT_TYPE, "has operands of several element types");
    return keeps_element(s) && scalars_from(s, 2);
}

/* Members of the dimension numbers, which are dimensions of an operand. */
static bool members(subject *s, const char *name, uint32_t rank) {
    uint32_t n;
    const int64_t *v;
    const hlo_mlir_attr *all = hlo_mlir_attr_of(s->op, "dimension_numbers");
    const hlo_mlir_attr *attr = hlo_mlir_member(all, name);
    if (!attr || !hlo_mlir_ints(s->module, attr, &n, &v)) return true;
    for (uint32_t i = 0; i < n; i++)
        if (v[i] < 0 || v[i] >= rank)
            return refuse(s, HLO_RULE_ATTRIBUTE_VALUE, "names dimensions that its operand lacks");
    return true;
}

static bool gather(subject *s) {
    const hlo_mlir_type *from = operand_type(s, 0);
    return slice_sizes(s, from) && keeps_element(s) && members(s, "start_index_map", from->rank) &&
           members(s, "collapsed_slice_dims", from->rank);
}

static bool keeps_sizes(subject *s) {
    return same_sizes(operand_type(s, 0), s->op->results[0].type) || wrong_sizes(s);
}

static bool any_dimension(subject *s) {
    return dimension(s, "dimension", operand_type(s, 0)->rank);
}

static bool iota(subject *s) {
    return dimension(s, "iota_dimension", s->op->results[0].type->rank);
}

static bool reduce(subject *s) {
    for (uint32_t i = 0, n = s->op->operand_count / 2; i < n; i++) {
        if (!same_sizes(operand_type(s, i), operand_type(s, 0)) || operand_type(s, n + i)->rank)
            return wrong_sizes(s);
        if (operand_type(s, i)->element != operand_type(s, n + i)->element)
            return refuse(s, HLO_RULE_ELEMENT_TYPE, "has initial values of other element types");
    }
    return dimensions(s, "dimensions", UINT32_MAX, operand_type(s, 0)->rank);
}

static bool sort(subject *s) {
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!same_sizes(operand_type(s, i), operand_type(s, 0))) return wrong_sizes(s);
    return true;
}

typedef bool check(subject *s);

static check *check_of(hlo_mlir_op_id id) {
    switch (id) {
    case HLO_MLIR_OP_STABLEHLO_SELECT:
    case HLO_MLIR_OP_STABLEHLO_CLAMP: return ternary;
    case HLO_MLIR_OP_STABLEHLO_ABS:
    case HLO_MLIR_OP_STABLEHLO_COMPLEX:
    case HLO_MLIR_OP_STABLEHLO_IMAG:
    case HLO_MLIR_OP_STABLEHLO_IS_FINITE:
    case HLO_MLIR_OP_STABLEHLO_REAL:
    case HLO_MLIR_OP_STABLEHLO_COMPARE: return elementwise;
    case HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM: return broadcast_in_dim;
    case HLO_MLIR_OP_STABLEHLO_RESHAPE: return reshape;
    case HLO_MLIR_OP_STABLEHLO_TRANSPOSE: return transpose;
    case HLO_MLIR_OP_STABLEHLO_REVERSE: return reverse;
    case HLO_MLIR_OP_STABLEHLO_CONCATENATE: return concatenate;
    case HLO_MLIR_OP_STABLEHLO_PAD: return pad;
    case HLO_MLIR_OP_STABLEHLO_SLICE: return slice;
    case HLO_MLIR_OP_STABLEHLO_DYNAMIC_SLICE: return dynamic_slice;
    case HLO_MLIR_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE: return dynamic_update_slice;
    case HLO_MLIR_OP_STABLEHLO_GATHER: return gather;
    case HLO_MLIR_OP_STABLEHLO_REDUCE_PRECISION:
    case HLO_MLIR_OP_STABLEHLO_CONVERT: return keeps_sizes;
    case HLO_MLIR_OP_STABLEHLO_GET_DIMENSION_SIZE:
    case HLO_MLIR_OP_STABLEHLO_SET_DIMENSION_SIZE: return any_dimension;
    case HLO_MLIR_OP_STABLEHLO_IOTA: return iota;
    case HLO_MLIR_OP_STABLEHLO_REDUCE: return reduce;
    case HLO_MLIR_OP_STABLEHLO_SORT: return sort;
    case HLO_MLIR_OP_STABLEHLO_BITCAST_CONVERT:
    case HLO_MLIR_OP_STABLEHLO_AFTER_ALL:
    case HLO_MLIR_OP_STABLEHLO_REPLICA_ID:
    case HLO_MLIR_OP_STABLEHLO_PARTITION_ID: return NULL;
    default: break;
    }
    /* functions of the elements, from the row of abs to that of xor */
    if (id >= HLO_MLIR_OP_STABLEHLO_ABS && id <= HLO_MLIR_OP_STABLEHLO_XOR)
        return elementwise_of_one_type;
    return NULL;
}

bool hlo_stablehlo_check_numbers(hlo_mlir_module *module, const hlo_mlir_op *op, hlo_diags *diags) {
    subject s = {module, diags, op};
    check *row = check_of(op->id);
    return !row || !all_plain(&s) || row(&s);
}
