/* Shapes of reductions, scans, sort, topk, map and batch normalisation. */
#include "shape/rules.h"

/* The operands that are reduced have one set of dimensions; their types may differ. */
static bool expect_same_dimensions(hlo_inference *in, uint32_t count) {
    HLO_ASSERT(count <= in->n);
    for (uint32_t i = 1; i < count; i++)
        if (!hlo_shapes_same_dimensions(in->operands[0], in->operands[i]))
            return hlo_refuse(in, HLO_RULE_OPERAND_DIMENSIONS, (int)i,
                              "operand 0 is %s and operand %u is %s: their dimensions differ",
                              hlo_infer_text(in, in->operands[0]), i,
                              hlo_infer_text(in, in->operands[i]));
    return true;
}

static const hlo_type *types_of(hlo_inference *in, uint32_t first, uint32_t count) {
    HLO_ASSERT(first + count <= in->n);
    hlo_type *types = HLO_NEW_ARRAY(&in->scratch, hlo_type, count);
    for (uint32_t i = 0; i < count; i++) types[i] = (hlo_type)in->operands[first + i]->type;
    return types;
}

/* ---- reduce ---- */

/* One array of those dimensions for each scalar that the reducer returns. */
static const hlo_shape *spread(hlo_inference *in, const hlo_shape *scalars, hlo_dims dims) {
    if (!hlo_shape_is_tuple(scalars)) return hlo_make_array(in, (hlo_type)scalars->type, dims);
    const hlo_shape **arrays = HLO_NEW_ARRAY(&in->scratch, const hlo_shape *, scalars->rank);
    for (uint32_t i = 0; i < scalars->rank; i++) {
        arrays[i] = hlo_make_array(in, (hlo_type)scalars->elements[i]->type, dims);
        if (!arrays[i]) return NULL;
    }
    return hlo_make_tuple(in, arrays, scalars->rank);
}

const hlo_shape *hlo_infer_reduce(hlo_inference *in) {
    uint32_t count = in->n / 2;
    hlo_signature reducer;
    if (!hlo_expect_array(in, 0) || !expect_same_dimensions(in, count) ||
        !hlo_expect_range(in, HLO_RULE_REDUCE_DIMENSIONS, HLO_ATTR_DIMENSIONS,
                          in->operands[0]->rank) ||
        !hlo_infer_callee(in, HLO_ATTR_TO_APPLY, &reducer) ||
        !hlo_expect_reducer(in, HLO_ATTR_TO_APPLY, &reducer, count, in->operands + count,
                            types_of(in, 0, count)) ||
        !hlo_expect_unique(in, HLO_RULE_REDUCE_DIMENSIONS, HLO_ATTR_DIMENSIONS))
        return NULL;
    const hlo_shape *operand = in->operands[0];
    const uint8_t *reduced = hlo_mark_dims(in, NULL, operand->rank, HLO_ATTR_DIMENSIONS);
    hlo_dims dims = hlo_dims_new(in, operand->rank);
    dims.rank = 0;
    for (uint32_t i = 0; i < operand->rank; i++)
        if (!reduced[i]) hlo_dims_push(&dims, operand->dims[i], hlo_dim_is_dynamic(operand, i));
    return spread(in, reducer.result, dims);
}

/* ---- reduce-window, select-and-scatter ---- */

const hlo_shape *hlo_infer_reduce_window(hlo_inference *in) {
    uint32_t count = in->n / 2;
    hlo_signature reducer;
    /* where the shape is left out, XLA's parser only infers the array of one operand and one init
     * value */
    bool only_array = in->as_parser;
    if (only_array && count > 1)
        return hlo_infer_fail(
            in, HLO_RULE_SHAPE_REQUIRED, HLO_NOWHERE,
            "the result shape must be written where several operands are reduced");
    if (!hlo_expect_array(in, 0) || !expect_same_dimensions(in, count) ||
        !hlo_infer_callee(in, HLO_ATTR_TO_APPLY, &reducer) ||
        !hlo_expect_reducer(in, HLO_ATTR_TO_APPLY, &reducer, count, in->operands + count,
                            types_of(in, 0, count)))
        return NULL;
    const hlo_shape **results = HLO_NEW_ARRAY(&in->scratch, const hlo_shape *, count);
    for (uint32_t i = 0; i < count; i++) {
        hlo_dims dims = hlo_dims_of(in, in->operands[i]);
        if (!hlo_infer_window(in, hlo_infer_window_attr(in), &dims)) return NULL;
        results[i] = hlo_make_array(in, (hlo_type)in->operands[count + i]->type, dims);
        if (!results[i]) return NULL;
    }
    bool as_tuple = hlo_shape_is_tuple(reducer.result) && !only_array;
    return as_tuple ? hlo_make_tuple(in, results, count) : results[0];
}

static bool check_select_computation(hlo_inference *in) {
    hlo_signature select;
    if (!hlo_infer_callee(in, HLO_ATTR_SELECT, &select)) return false;
    const hlo_shape *element = hlo_make_scalar(in, (hlo_type)in->operands[0]->type);
    bool fits = select.n == 2 && hlo_is_scalar_of(select.result, HLO_PRED);
    for (uint32_t i = 0; fits && i < 2; i++)
        fits = hlo_shapes_compatible(element, select.parameters[i], HLO_IGNORE_FP_PRECISION);
    if (fits) return true;
    const char *type = hlo_types[element->type].text;
    return hlo_refuse(in, HLO_RULE_SELECT_AND_SCATTER_SELECT, HLO_AT(SELECT),
                      "%s is %s and must be (%s[], %s[]) -> pred[]", select.name,
                      hlo_infer_signature_text(in, &select), type, type);
}

const hlo_shape *hlo_infer_select_and_scatter(hlo_inference *in) {
    const hlo_shape *operand = in->operands[0], *source = in->operands[1];
    hlo_signature scatter;
    if (!hlo_expect_arrays(in) || !check_select_computation(in) ||
        !hlo_infer_callee(in, HLO_ATTR_SCATTER, &scatter) ||
        !hlo_expect_reducer(in, HLO_ATTR_SCATTER, &scatter, 1, in->operands + 2,
                            types_of(in, 1, 1)))
        return NULL;
    hlo_dims dims = hlo_dims_of(in, operand);
    if (!hlo_infer_window(in, hlo_infer_window_attr(in), &dims)) return NULL;
    const hlo_shape *wanted = hlo_make_array(in, (hlo_type)operand->type, dims);
    if (!wanted) return NULL;
    if (!hlo_shapes_compatible(source, wanted, HLO_IGNORE_FP_PRECISION))
        return hlo_infer_fail(
            in, HLO_RULE_SELECT_AND_SCATTER_SOURCE, 1,
            "the source is %s and the window's positions on operand 0, %s, are %s",
            hlo_infer_text(in, source), hlo_infer_text(in, operand), hlo_infer_text(in, wanted));
    return operand;
}

/* ---- sort, topk ---- */

const hlo_shape *hlo_infer_sort(hlo_inference *in) {
    if (!hlo_expect_arrays(in) || !expect_same_dimensions(in, in->n)) return NULL;
    return hlo_make_one_or_tuple(in, in->operands, in->n);
}

const hlo_shape *hlo_infer_topk(hlo_inference *in) {
    if (!hlo_expect_array(in, 0)) return NULL;
    const hlo_shape *operand = in->operands[0];
    int64_t k = hlo_infer_int(in, HLO_ATTR_K);
    if (operand->rank == 0)
        return hlo_infer_fail(in, HLO_RULE_TOPK_K, 0, "operand 0 is %s and must have a dimension",
                              hlo_infer_text(in, operand));
    uint32_t last = operand->rank - 1;
    if (k < 0 || k > operand->dims[last])
        return hlo_infer_fail(in, HLO_RULE_TOPK_K, HLO_AT(K),
                              "k is %lld and the last dimension of %s has %lld elements",
                              (long long)k, hlo_infer_text(in, operand),
                              (long long)operand->dims[last]);
    hlo_dims dims = hlo_dims_of(in, operand);
    dims.size[last] = k;
    dims.dynamic[last] = 0;
    const hlo_shape *values = hlo_make_array(in, (hlo_type)operand->type, dims);
    const hlo_shape *indices = values ? hlo_make_array(in, HLO_S32, dims) : NULL;
    return indices ? hlo_make_pair(in, values, indices) : NULL;
}

/* ---- map ---- */

/* Scalars go with arrays of the same type; all others have the same dimensions. */
static const hlo_shape *common_shape(hlo_inference *in) {
    HLO_ASSERT(in->n > 0);
    const hlo_shape *common = in->operands[0];
    for (uint32_t i = 1; i < in->n; i++) {
        const hlo_shape *other = in->operands[i];
        if (hlo_shapes_same_dimensions(common, other)) continue;
        bool types_agree = hlo_types_agree(common->type, other->type);
        if (types_agree && other->rank == 0) continue;
        if (!types_agree || common->rank != 0)
            return hlo_infer_fail(in, HLO_RULE_OPERAND_DIMENSIONS, (int)i,
                                  "operands are %s and %s: their dimensions differ",
                                  hlo_infer_text(in, common), hlo_infer_text(in, other));
        common = other;
    }
    return common;
}

static bool check_map_dimensions(hlo_inference *in, const hlo_shape *common) {
    const hlo_ints *list = hlo_infer_ints(in, HLO_ATTR_DIMENSIONS);
    bool fits = list->n == common->rank;
    for (uint32_t i = 0; fits && i < list->n; i++) fits = list->v[i] == i;
    if (fits) return true;
    return hlo_refuse(in, HLO_RULE_ATTRIBUTE_VALUE, HLO_AT(DIMENSIONS),
                      "dimensions=%s must be all dimensions of %s in order",
                      hlo_infer_ints_text(in, list->v, list->n), hlo_infer_text(in, common));
}

static bool check_mapped(hlo_inference *in, const hlo_signature *mapped) {
    if (mapped->n != in->n)
        return hlo_refuse(in, HLO_RULE_MAP_COMPUTATION, HLO_AT(TO_APPLY),
                          "%s has %s and the map %s", mapped->name,
                          hlo_infer_count_text(in, mapped->n, "parameter"),
                          hlo_infer_count_text(in, in->n, "operand"));
    if (!hlo_shape_is_scalar(mapped->result))
        return hlo_refuse(in, HLO_RULE_MAP_COMPUTATION, HLO_AT(TO_APPLY),
                          "%s returns %s and must return a scalar", mapped->name,
                          hlo_infer_text(in, mapped->result));
    for (uint32_t i = 0; i < in->n; i++) {
        const hlo_shape *parameter = mapped->parameters[i];
        if (!hlo_shape_is_scalar(parameter) ||
            !hlo_types_agree(parameter->type, in->operands[i]->type))
            return hlo_refuse(
                in, HLO_RULE_MAP_COMPUTATION, (int)i,
                "parameter %u of %s is %s and must be a scalar of the type of operand %u, %s", i,
                mapped->name, hlo_infer_text(in, parameter), i,
                hlo_infer_text(in, in->operands[i]));
    }
    return true;
}

const hlo_shape *hlo_infer_map(hlo_inference *in) {
    hlo_signature mapped;
    if (!hlo_expect_arrays(in)) return NULL;
    const hlo_shape *common = common_shape(in);
    /* a written shape settles it: XLA drops the attribute, which never differs from it */
    if (!common || (!in->stated && !check_map_dimensions(in, common)) ||
        !hlo_infer_callee(in, HLO_ATTR_TO_APPLY, &mapped) || !check_mapped(in, &mapped))
        return NULL;
    return hlo_make_array(in, (hlo_type)mapped.result->type, hlo_dims_of(in, common));
}
