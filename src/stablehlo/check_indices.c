/* Functions of checks.def for gathers: members of the dimension numbers that HLO's shape inference
 * does not compare, and those on which simplifications rely. */
#include "stablehlo/check.h"

typedef struct {
    uint32_t n;
    const int64_t *v;
} numbers;

/* A member of the operation's dimension numbers; a missing one is empty. */
static numbers member(hlo_check *s, const char *attribute, const char *name) {
    numbers out = {0, NULL};
    const hlo_mlir_attr *attr = hlo_mlir_member(hlo_mlir_attr_of(s->op, attribute), name);
    if (attr && !hlo_mlir_ints(s->module, attr, &out.n, &out.v)) out.n = 0;
    return out;
}

static bool in_range(hlo_check *s, numbers of, const char *name, uint32_t rank) {
    for (uint32_t i = 0; i < of.n; i++)
        if (of.v[i] < 0 || of.v[i] >= rank)
            return hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                                    "has %lld in %s, of a tensor of rank %u", (long long)of.v[i],
                                    name, rank);
    return true;
}

/* Both are in range. */
static bool are_disjoint(hlo_check *s, numbers a, const char *a_name, numbers b, const char *b_name,
                         uint32_t rank, hlo_rule rule) {
    uint8_t *seen = hlo_arena_zero(&s->module->arena, (size_t)rank + 1);
    for (uint32_t i = 0; i < a.n; i++) seen[a.v[i]] = 1;
    for (uint32_t i = 0; i < b.n; i++)
        if (seen[b.v[i]])
            return hlo_check_refuse(s, rule, "has dimension %lld in %s and in %s",
                                    (long long)b.v[i], a_name, b_name);
    return true;
}

/* The dimensions that are paired have one size. */
static bool have_one_size(hlo_check *s, const hlo_mlir_type *a, numbers of_a,
                          const hlo_mlir_type *b, numbers of_b, hlo_rule rule) {
    if (of_a.n != of_b.n)
        return hlo_check_refuse(s, rule, "has %u batching dimensions of %.*s, and %u of %.*s",
                                of_a.n, HLO_CHECK_TYPE(a), of_b.n, HLO_CHECK_TYPE(b));
    for (uint32_t i = 0; i < of_a.n; i++)
        if (!hlo_check_same_size(a->dims[of_a.v[i]], b->dims[of_b.v[i]]))
            return hlo_check_refuse(s, rule, "has batching dimensions of the sizes %lld and %lld",
                                    (long long)a->dims[of_a.v[i]], (long long)b->dims[of_b.v[i]]);
    return true;
}

static bool check_dimension_numbers(hlo_check *s) {
    static const char all[] = "dimension_numbers", map_name[] = "start_index_map",
                      batch_name[] = "operand_batching_dims",
                      indices_name[] = "start_indices_batching_dims";
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *indices = hlo_check_operand(s, 1);
    numbers map = member(s, all, map_name), batch = member(s, all, batch_name),
            of_indices = member(s, all, indices_name);
    return in_range(s, map, map_name, from->rank) &&
           in_range(s, member(s, all, "collapsed_slice_dims"), "collapsed_slice_dims",
                    from->rank) &&
           in_range(s, batch, batch_name, from->rank) &&
           in_range(s, of_indices, indices_name, indices->rank) &&
           are_disjoint(s, map, map_name, batch, batch_name, from->rank,
                        HLO_RULE_GATHER_DIMENSIONS) &&
           have_one_size(s, from, batch, indices, of_indices, HLO_RULE_GATHER_DIMENSIONS);
}

static bool are_integers(hlo_check *s, uint32_t i) {
    const hlo_mlir_type *type = hlo_check_operand(s, i);
    return (!type->other && hlo_type_is_integral(type->element)) ||
           hlo_check_refuse(s, HLO_RULE_INDEX_VECTOR, "has indices of type %.*s",
                            HLO_CHECK_TYPE(type));
}

bool hlo_check_gather(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    if (!hlo_check_same_elements(from, to))
        return hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE, "takes elements of %.*s and gives %.*s",
                                HLO_CHECK_TYPE(from), HLO_CHECK_TYPE(to));
    return are_integers(s, 1) && hlo_check_sizes_of_slice(s, from) && check_dimension_numbers(s);
}

bool hlo_check_dynamic_gather(hlo_check *s) {
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!hlo_check_is_tensor(hlo_check_operand(s, i)))
            return hlo_check_refuse(s, HLO_RULE_ARRAY_OPERAND, "takes tensors, not %.*s",
                                    HLO_CHECK_TYPE(hlo_check_operand(s, i)));
    return s->op->operand_count != 3 || (are_integers(s, 1) && check_dimension_numbers(s));
}

/* What HLO's shape inference takes of a scatter's dimension numbers. */
bool hlo_check_scatter_batches(hlo_check *s) {
    static const char all[] = "scatter_dimension_numbers",
                      map_name[] = "scatter_dims_to_operand_dims",
                      batch_name[] = "input_batching_dims",
                      indices_name[] = "scatter_indices_batching_dims";
    const hlo_mlir_type *to = hlo_check_operand(s, 0),
                        *indices = hlo_check_operand(s, s->op->operand_count / 2);
    numbers map = member(s, all, map_name), batch = member(s, all, batch_name),
            of_indices = member(s, all, indices_name);
    return in_range(s, map, map_name, to->rank) && in_range(s, batch, batch_name, to->rank) &&
           in_range(s, of_indices, indices_name, indices->rank) &&
           are_disjoint(s, map, map_name, batch, batch_name, to->rank,
                        HLO_RULE_SCATTER_DIMENSIONS) &&
           have_one_size(s, to, batch, indices, of_indices, HLO_RULE_SCATTER_DIMENSIONS);
}
