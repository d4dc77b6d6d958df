/* Arrays whose sizes are known at run time only: XLA's dynamic_shaped_ops.h. */
#include "analysis/range.h"
#include "build/lib/matrices.h"

/* ---- what operations imply about a size ---- */

static bool is_dynamic(hlo_term x, int *budget);

static bool any_is_dynamic(hlo_term x, int *budget) {
    for (uint32_t i = 0; i < x->operand_count; i++)
        if (is_dynamic(hlo_operand(x, i), budget)) return true;
    return false;
}

/* One element of scalars and vectors that stand one after the other. */
static bool slice_is_dynamic(hlo_term slice, int *budget) {
    hlo_term x = hlo_operand(slice, 0);
    const hlo_slice *at = hlo_instr_attr(slice, HLO_ATTR_SLICE)->u.slice;
    if (x->opcode != HLO_OP_CONCATENATE || x->shape->rank != 1 || slice->shape->dims[0] != 1)
        return is_dynamic(x, budget);
    int64_t start = at->v[0].start;
    for (uint32_t i = 0; i < x->operand_count; i++) {
        hlo_term part = hlo_operand(x, i);
        if (start < part->shape->dims[0]) return is_dynamic(part, budget);
        start -= part->shape->dims[0];
    }
    return true;
}

/* Whether its elements are known at run time only. What is called, and more than the budget, is not
 * searched. */
static bool is_dynamic(hlo_term x, int *budget) {
    if (--*budget < 0 || !hlo_shape_is_array(x->shape)) return true;
    switch ((hlo_opcode)x->opcode) {
    case HLO_OP_CONSTANT:
    case HLO_OP_IOTA: return false;
    case HLO_OP_GET_DIMENSION_SIZE:
        return hlo_is_dynamic_dimension(hlo_operand(x, 0),
                                        hlo_attr_ints(x, HLO_ATTR_DIMENSIONS)->v[0]);
    case HLO_OP_SLICE: return slice_is_dynamic(x, budget);
    case HLO_OP_BROADCAST:
    case HLO_OP_CONCATENATE:
    case HLO_OP_CONVERT:
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
    case HLO_OP_SELECT:
    case HLO_OP_TRANSPOSE: return any_is_dynamic(x, budget);
    default: return !(hlo_info(x)->flags & HLO_OP_IS_ELEMENTWISE) || any_is_dynamic(x, budget);
    }
}

static bool is_known_in_runs_only(hlo_term x) {
    int budget = 1000;
    return is_dynamic(x, &budget);
}

/* A number that a size does not exceed; false: none is known. */
static bool bound_of(hlo_term size, int64_t *most) {
    while (size->opcode == HLO_OP_RESHAPE || size->opcode == HLO_OP_CONVERT)
        size = hlo_operand(size, 0);
    if (size->opcode == HLO_OP_GET_DIMENSION_SIZE) {
        *most = hlo_operand(size, 0)->shape->dims[hlo_attr_ints(size, HLO_ATTR_DIMENSIONS)->v[0]];
        return *most >= 0;
    }
    hlo_range range;
    if (!hlo_range_of(size, &range)) return false;
    *most = range.most;
    return *most >= 0;
}

/* ---- sizes ---- */

static bool check_dimension(hlo_builder *b, const char *function, hlo_term x, int64_t dimension) {
    if (!hlo_lib_has_rank(b, function, x, 1)) return false;
    if (dimension >= 0 && dimension < x->shape->rank) return true;
    hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "%s: dimension %lld of %s", function,
                     (long long)dimension, hlo_shape_name(&b->module->arena, x->shape));
    return false;
}

static hlo_term rebound(hlo_builder *b, hlo_term x, hlo_term size, int64_t dimension) {
    int64_t most;
    if (bound_of(size, &most) && x->shape->dims[dimension] > most)
        x = hlo_lib_slice_in_dim(b, x, 0, most, dimension);
    if (!x || !is_known_in_runs_only(size)) return x;
    return hlo_builder_set_dimension_size(b, x, size, dimension);
}

hlo_term hlo_lib_set_dimension_size_with_rebound(hlo_builder *b, hlo_term operand,
                                                 hlo_term dimension_size, int64_t dimension) {
    HLO_BUILDER_TAKES(b, operand, dimension_size);
    if (!check_dimension(b, "SetDimensionSizeWithRebound", operand, dimension)) return NULL;
    if (!hlo_shape_is_scalar(dimension_size->shape) || dimension_size->shape->type != HLO_S32)
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE,
                                "SetDimensionSizeWithRebound: the size is s32[]");
    return rebound(b, operand, dimension_size, dimension);
}

static hlo_term with_sizes(hlo_builder *b, hlo_term x, hlo_term sizes) {
    for (int64_t i = 0; i < sizes->shape->dims[0] && x; i++) {
        hlo_term size = hlo_lib_slice_in_dim(b, sizes, i, i + 1, 0);
        size = size ? hlo_builder_reshape(b, size, HLO_NO_DIMS, HLO_NO_DIMS) : NULL;
        size = size ? hlo_lib_convert(b, size, HLO_S32) : NULL;
        if (!size) return NULL;
        if (is_known_in_runs_only(size)) x = hlo_builder_set_dimension_size(b, x, size, i);
    }
    return x;
}

hlo_term hlo_lib_set_all_dimension_sizes(hlo_builder *b, hlo_term operand, hlo_term size_vector) {
    HLO_BUILDER_TAKES(b, operand, size_vector);
    if (!hlo_lib_has_rank(b, "SetAllDimensionSizes", operand, 0)) return NULL;
    const hlo_shape *sizes = size_vector->shape;
    bool good = hlo_shape_is_array(sizes) && sizes->rank == 1 &&
                sizes->dims[0] == operand->shape->rank &&
                hlo_type_is_integral((hlo_type)sizes->type);
    if (!good)
        return hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                                "SetAllDimensionSizes: the sizes are integers, one for each of %u "
                                "dimensions",
                                operand->shape->rank);
    return with_sizes(b, operand, size_vector);
}

/* ---- conditionals ---- */

static const hlo_shape *differ(hlo_builder *b, const hlo_shape *x, const hlo_shape *y) {
    hlo_arena *arena = &b->module->arena;
    hlo_builder_fail(b, HLO_RULE_CONDITIONAL_BRANCHES,
                     "DynamicConditional: the branches differ by more than sizes: %s and %s",
                     hlo_shape_name(arena, x), hlo_shape_name(arena, y));
    return NULL;
}

/* The larger of both sizes in each dimension; NULL after an error. */
static const hlo_shape *larger(hlo_builder *b, const hlo_shape *x, const hlo_shape *y) {
    if (!x || !y) return NULL;
    if (hlo_shape_compatible(x, y)) return x;
    if (x->type != y->type || x->rank != y->rank) return differ(b, x, y);
    if (hlo_shape_is_array(x)) {
        int64_t *dims = hlo_lib_copied(b, (hlo_int_list){x->rank, x->dims});
        for (uint32_t i = 0; i < x->rank; i++)
            if (y->dims[i] > dims[i]) dims[i] = y->dims[i];
        return hlo_lib_shape(b, (hlo_type)x->type, (hlo_int_list){x->rank, dims});
    }
    if (!hlo_shape_is_tuple(x)) return differ(b, x, y);
    const hlo_shape **elements = HLO_NEW_ARRAY(&b->module->arena, const hlo_shape *, x->rank + 1);
    for (uint32_t i = 0; i < x->rank; i++)
        if (!(elements[i] = larger(b, x->elements[i], y->elements[i]))) return NULL;
    return hlo_shape_tuple(hlo_builder_shapes(b), elements, x->rank);
}

/* An array that is not smaller than the other shape anywhere; where they differ its size is
 * dynamic. */
static hlo_term widened_array(hlo_builder *b, hlo_term x, const hlo_shape *other) {
    const hlo_shape *own = x->shape;
    for (int64_t i = 0; i < own->rank && x; i++) {
        hlo_term size = hlo_builder_get_dimension_size(b, x, i);
        if (own->dims[i] == other->dims[i]) continue;
        if (own->dims[i] < other->dims[i])
            x = hlo_lib_pad_in_dim(b, x, hlo_lib_like(b, x, 0), i, 0,
                                   other->dims[i] - own->dims[i]);
        x = x && size ? hlo_builder_set_dimension_size(b, x, size, i) : NULL;
    }
    return x;
}

static hlo_term widened(hlo_builder *b, hlo_term x, const hlo_shape *other) {
    if (!x || hlo_builder_failed(b)) return NULL;
    if (hlo_shape_is_array(x->shape)) return widened_array(b, x, other);
    if (!hlo_shape_is_tuple(x->shape)) return x;
    uint32_t n = x->shape->rank;
    hlo_term *parts = HLO_NEW_ARRAY(&b->module->arena, hlo_term, n + 1);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = widened(b, hlo_builder_get_tuple_element(b, x, i), other->elements[i]);
    return hlo_builder_failed(b) ? NULL : hlo_builder_tuple(b, (hlo_instrs_list){n, parts});
}

/* A computation that calls this one, and widens what it gives. */
static const hlo_computation *widening(hlo_builder *b, const hlo_computation *computation,
                                       hlo_term operand, const hlo_shape *other) {
    if (hlo_builder_failed(b)) return NULL;
    hlo_lib_open(b, "dynamic_builder");
    hlo_builder_set_name(b, "param");
    hlo_term param = hlo_builder_parameter(b, 0, operand->shape);
    hlo_term result = param ? hlo_builder_call(b, computation, HLO_INSTRS(param)) : NULL;
    return hlo_lib_close(b, widened(b, result, other));
}

static const hlo_shape *result_of(const hlo_computation *computation) {
    return computation->root->shape;
}

hlo_term hlo_lib_dynamic_conditional(hlo_builder *b, hlo_term pred, hlo_term true_operand,
                                     const hlo_computation *true_computation,
                                     hlo_term false_operand,
                                     const hlo_computation *false_computation) {
    HLO_BUILDER_TAKES(b, pred, true_operand, true_computation, false_operand, false_computation);
    const hlo_shape *of_true = result_of(true_computation);
    const hlo_shape *of_false = result_of(false_computation);
    if (!larger(b, of_true, of_false)) return NULL;
    if (hlo_shape_compatible(of_true, of_false))
        return hlo_builder_conditional(b, pred, true_operand, true_computation, false_operand,
                                       false_computation);
    const hlo_computation *yes = widening(b, true_computation, true_operand, of_false);
    const hlo_computation *no = widening(b, false_computation, false_operand, of_true);
    return no ? hlo_builder_conditional(b, pred, true_operand, yes, false_operand, no) : NULL;
}

/* The largest of what the computations give; sets whether some differ. NULL after an error. */
static const hlo_shape *largest(hlo_builder *b, hlo_computations_list branches, bool *some_differ) {
    const hlo_shape *first = result_of(branches.values[0]), *all = first;
    *some_differ = false;
    for (size_t i = 1; i < branches.count && all; i++) {
        *some_differ |= !hlo_shape_compatible(first, result_of(branches.values[i]));
        all = larger(b, all, result_of(branches.values[i]));
    }
    return all;
}

hlo_term hlo_lib_dynamic_conditional_indexed(hlo_builder *b, hlo_term branch_index,
                                             hlo_computations_list branch_computations,
                                             hlo_instrs_list branch_operands) {
    HLO_BUILDER_TAKES(b, branch_index);
    size_t n = branch_computations.count;
    if (!n || n != branch_operands.count || !branch_computations.values)
        return hlo_builder_misuse(b, "%s: %zu computations and %zu operands", __func__, n,
                                  branch_operands.count);
    if (!hlo_builder_has_list(b, __func__, branch_operands)) return NULL;
    for (size_t i = 0; i < n; i++)
        if (!branch_computations.values[i])
            return hlo_builder_misuse(b, "%s: computation %zu is NULL", __func__, i);
    bool some_differ;
    const hlo_shape *all = largest(b, branch_computations, &some_differ);
    if (!all) return NULL;
    const hlo_computation **wide = HLO_NEW_ARRAY(&b->module->arena, const hlo_computation *, n);
    for (size_t i = 0; i < n; i++)
        wide[i] = some_differ
                      ? widening(b, branch_computations.values[i], branch_operands.values[i], all)
                      : branch_computations.values[i];
    return hlo_builder_failed(b)
               ? NULL
               : hlo_builder_conditional_indexed(b, branch_index, (hlo_computations_list){n, wide},
                                                 branch_operands);
}
