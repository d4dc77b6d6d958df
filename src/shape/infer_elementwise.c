/* Shapes of elementwise operations: unary, binary, select, clamp, conversions. */
#include "shape/dialects.h"
#include "shape/rules.h"

/* ---- unary ---- */

const hlo_shape *hlo_infer_unary(hlo_inference *in) {
    const hlo_shape *operand = in->operands[0];
    if (in->opcode == HLO_OP_COPY) return operand; /* copies tuples and tokens too */
    if (!hlo_expect_elements(in, 0)) return NULL;
    bool real_part = in->opcode == HLO_OP_ABS && hlo_type_is_complex((hlo_type)operand->type);
    return real_part ? hlo_make_retyped(in, operand, hlo_type_part(operand->type)) : operand;
}

const hlo_shape *hlo_infer_real(hlo_inference *in) {
    if (!hlo_expect_elements(in, 0)) return NULL;
    const hlo_shape *operand = in->operands[0];
    if (!hlo_type_is_complex((hlo_type)operand->type)) return operand;
    return hlo_make_retyped(in, operand, hlo_type_part(operand->type));
}

const hlo_shape *hlo_infer_imag(hlo_inference *in) {
    return hlo_infer_real(in);
}

const hlo_shape *hlo_infer_is_finite(hlo_inference *in) {
    return hlo_expect_elements(in, 0) ? hlo_make_retyped(in, in->operands[0], HLO_PRED) : NULL;
}

const hlo_shape *hlo_infer_reduce_precision(hlo_inference *in) {
    if (!hlo_expect_elements(in, 0)) return NULL;
    int64_t exponent = hlo_infer_int(in, HLO_ATTR_EXPONENT_BITS);
    int64_t mantissa = hlo_infer_int(in, HLO_ATTR_MANTISSA_BITS);
    if (exponent < 1)
        return hlo_infer_fail(in, HLO_RULE_REDUCE_PRECISION_BITS, HLO_AT(EXPONENT_BITS),
                              "exponent_bits is %lld and must be at least 1", (long long)exponent);
    if (mantissa < 0)
        return hlo_infer_fail(in, HLO_RULE_REDUCE_PRECISION_BITS, HLO_AT(MANTISSA_BITS),
                              "mantissa_bits is %lld and must not be negative",
                              (long long)mantissa);
    return in->operands[0];
}

/* ---- binary ---- */

static bool expect_same_types(hlo_inference *in, uint32_t first, uint32_t second) {
    HLO_ASSERT(first < in->n && second < in->n);
    const hlo_shape *a = in->operands[first], *b = in->operands[second];
    if (hlo_types_agree(a->type, b->type)) return true;
    return hlo_refuse(in, HLO_RULE_OPERAND_TYPES, (int)second,
                      "operand %u is %s and operand %u is %s: their element types differ", first,
                      hlo_infer_text(in, a), second, hlo_infer_text(in, b));
}

static const hlo_shape *refuse_dimensions(hlo_inference *in, uint32_t first, uint32_t second) {
    return hlo_infer_fail(in, HLO_RULE_OPERAND_DIMENSIONS, (int)second,
                          "operand %u is %s and operand %u is %s: their dimensions differ", first,
                          hlo_infer_text(in, in->operands[first]), second,
                          hlo_infer_text(in, in->operands[second]));
}

/* The first operand, with another type and the other operand's dynamic marks where needed. */
static const hlo_shape *joined(hlo_inference *in, hlo_type type) {
    HLO_ASSERT(in->n >= 2);
    const hlo_shape *a = in->operands[0], *b = in->operands[1];
    const hlo_shape *result = hlo_make_retyped(in, a, type);
    if (!result || !b->dynamic || a == b) return result;
    hlo_dims dims = hlo_dims_of(in, result);
    for (uint32_t i = 0; i < b->rank; i++) dims.dynamic[i] |= hlo_dim_is_dynamic(b, i);
    return hlo_make_like(in, result, type, dims);
}

/* Sizes of one dimension seen from two sides: 1 stretches, and an unbounded size takes the other.
 */
static bool join_dimension(hlo_dims *out, uint32_t i, const hlo_shape *a, const hlo_shape *b) {
    HLO_ASSERT(i < a->rank && i < b->rank);
    const hlo_shape *taken = a;
    if (a->dims[i] == b->dims[i] && a->dims[i] != 1) {
        hlo_dims_push(out, a->dims[i], hlo_dim_is_dynamic(a, i) || hlo_dim_is_dynamic(b, i));
        return true;
    }
    if (a->dims[i] == 1) taken = b;
    else if (b->dims[i] == 1) taken = a;
    else if (a->dims[i] == HLO_UNBOUNDED || b->dims[i] == HLO_UNBOUNDED)
        taken = a->dims[i] == HLO_UNBOUNDED ? b : a;
    else return false;
    hlo_dims_push(out, taken->dims[i], hlo_dim_is_dynamic(taken, i));
    return true;
}

/* What XLA's inference makes of operands that differ: sizes of 1 and scalars stretch. The verifier
 * refuses such instructions afterwards. */
static const hlo_shape *stretched(hlo_inference *in, hlo_type type) {
    const hlo_shape *a = in->operands[0], *b = in->operands[1];
    if (a->rank != b->rank) {
        if (a->rank && b->rank) return refuse_dimensions(in, 0, 1);
        const hlo_shape *larger = a->rank ? a : b;
        return hlo_make_array(in, type, hlo_dims_of(in, larger));
    }
    hlo_dims out = hlo_dims_new(in, a->rank);
    out.rank = 0;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!join_dimension(&out, i, a, b)) return refuse_dimensions(in, 0, 1);
    return hlo_make_array(in, type, out);
}

const hlo_shape *hlo_infer_binary(hlo_inference *in) {
    const hlo_shape *a = in->operands[0], *b = in->operands[1];
    if (!hlo_expect_elements(in, 0) || !hlo_expect_array(in, 1) || !expect_same_types(in, 0, 1))
        return NULL;
    hlo_type type = hlo_higher_precision(a->type, b->type);
    if ((a->dynamic && hlo_shape_has_unbounded(a)) || (b->dynamic && hlo_shape_has_unbounded(b)) ||
        !hlo_shapes_compatible(a, b, HLO_IGNORE_FP_PRECISION))
        return stretched(in, type);
    return joined(in, type);
}

const hlo_shape *hlo_infer_compare(hlo_inference *in) {
    const hlo_shape *shape = hlo_infer_binary(in);
    return shape ? hlo_make_retyped(in, shape, HLO_PRED) : NULL;
}

const hlo_shape *hlo_infer_complex(hlo_inference *in) {
    const hlo_shape *shape = hlo_infer_binary(in);
    if (!shape) return NULL;
    hlo_type part = in->operands[0]->type;
    if (part == in->operands[1]->type && (part == HLO_F32 || part == HLO_F64))
        return hlo_make_retyped(in, shape, part == HLO_F32 ? HLO_C64 : HLO_C128);
    return hlo_infer_fail(
        in, HLO_RULE_ELEMENT_TYPE, 0,
        "operands are %s and %s: real and imaginary part must be both f32 or both f64",
        hlo_infer_text(in, in->operands[0]), hlo_infer_text(in, in->operands[1]));
}

/* ---- clamp and select ---- */

const hlo_shape *hlo_infer_clamp(hlo_inference *in) {
    const hlo_shape *low = in->operands[0], *operand = in->operands[1], *high = in->operands[2];
    if (!hlo_expect_arrays(in) || !expect_same_types(in, 0, 1) || !expect_same_types(in, 1, 2))
        return NULL;
    if (low->rank && !hlo_shapes_same_dimensions(low, operand)) {
        refuse_dimensions(in, 1, 0);
        if (operand->rank == 0 && high->rank == 0)
            hlo_dialect_claims(in->draft->diags, HLO_DIALECT_SHAPE, in->opcode, "", 0);
        return NULL;
    }
    if (high->rank && !hlo_shapes_same_dimensions(high, operand))
        return refuse_dimensions(in, 1, 2);
    if (low->rank && high->rank && !hlo_shapes_same_dimensions(low, high))
        return refuse_dimensions(in, 0, 2); /* unbounded sizes fit more than one */
    return operand;
}

static bool check_select(hlo_inference *in) {
    const hlo_shape *pred = in->operands[0], *on_true = in->operands[1];
    if (!hlo_expect_arrays(in)) return false;
    if (pred->type != HLO_PRED)
        return hlo_refuse(in, HLO_RULE_ELEMENT_TYPE, 0, "operand 0 is %s and must be of type pred",
                          hlo_infer_text(in, pred));
    if (!expect_same_types(in, 1, 2)) return false;
    if (!hlo_shapes_same_dimensions(on_true, in->operands[2]))
        return (void)refuse_dimensions(in, 1, 2), false;
    for (uint32_t i = 1; pred->rank && i < 3; i++)
        if (!hlo_shapes_same_dimensions(pred, in->operands[i]))
            return (void)refuse_dimensions(in, i, 0), false;
    return true;
}

/* The layout is the predicate's when that is no scalar; its element size is the branches'. */
static const hlo_shape *select_result(hlo_inference *in, const hlo_shape *full, hlo_type type,
                                      hlo_dims dims) {
    const hlo_layout_parts *of_branch = in->operands[1]->layout->parts;
    hlo_layout_parts parts = {
        .tail_padding_alignment = 1, .index_type = HLO_TYPE_COUNT, .pointer_type = HLO_TYPE_COUNT};
    if (full->layout->parts) parts = *full->layout->parts;
    parts.element_bits = of_branch ? of_branch->element_bits : 0;
    return hlo_shape_array(&in->module->shapes, type, dims.size, dims.rank, dims.dynamic,
                           full->layout->minor_to_major, &parts);
}

const hlo_shape *hlo_infer_select(hlo_inference *in) {
    if (!check_select(in)) return NULL;
    const hlo_shape *pred = in->operands[0], *a = in->operands[1], *b = in->operands[2];
    const hlo_shape *full = pred->rank ? pred : a;
    hlo_type type = hlo_higher_precision(a->type, b->type);
    if (full == a && type == a->type && (a == b || (!a->dynamic && !b->dynamic))) return a;
    hlo_dims dims = hlo_dims_of(in, full);
    for (uint32_t i = 0; i < full->rank; i++) {
        bool of_a = hlo_dim_is_dynamic(a, i), of_b = hlo_dim_is_dynamic(b, i);
        if (a->dims[i] == HLO_UNBOUNDED || b->dims[i] == HLO_UNBOUNDED) {
            dims.size[i] = a->dims[i] == HLO_UNBOUNDED ? b->dims[i] : a->dims[i];
            dims.dynamic[i] = of_a && of_b;
        } else {
            dims.dynamic[i] |= of_a || of_b;
        }
    }
    return select_result(in, full, type, dims);
}

/* ---- conversions ---- */

const hlo_shape *hlo_infer_convert(hlo_inference *in) {
    if (!hlo_expect_stated(in) || !hlo_expect_array(in, 0)) return NULL;
    if (!hlo_shape_is_array(in->stated))
        return hlo_infer_fail(in, HLO_RULE_RESULT_SHAPE, HLO_NOWHERE,
                              "the result is %s and must be an array",
                              hlo_infer_text(in, in->stated));
    return hlo_make_retyped(in, in->operands[0], (hlo_type)in->stated->type);
}

/* A type of another width regroups the bits: the last dimension holds the parts of one element. */
static const hlo_shape *regrouped(hlo_inference *in, hlo_type type, unsigned from, unsigned to) {
    const hlo_shape *operand = in->operands[0];
    unsigned larger = from > to ? from : to, smaller = from > to ? to : from;
    if (larger % smaller != 0)
        return hlo_infer_fail(in, HLO_RULE_BITCAST_CONVERT_WIDTH, 0,
                              "%s has elements of %u bits, which %s of %u bits does not divide",
                              hlo_infer_text(in, operand), from, hlo_types[type].text, to);
    int64_t ratio = larger / smaller;
    if (from < to) {
        uint32_t last = operand->rank - 1;
        if (operand->rank == 0 || operand->dims[last] != ratio)
            return hlo_infer_fail(in, HLO_RULE_BITCAST_CONVERT_WIDTH, 0,
                                  "the last dimension of %s must be %lld to make one %s",
                                  hlo_infer_text(in, operand), (long long)ratio,
                                  hlo_types[type].text);
        hlo_dims dims = hlo_dims_of(in, operand);
        dims.rank = last;
        return hlo_make_array(in, type, dims);
    }
    hlo_dims dims = hlo_dims_new(in, operand->rank + 1);
    dims.rank = 0;
    for (uint32_t i = 0; i < operand->rank; i++)
        hlo_dims_push(&dims, operand->dims[i], hlo_dim_is_dynamic(operand, i));
    hlo_dims_push(&dims, ratio, false);
    return hlo_make_array(in, type, dims);
}

const hlo_shape *hlo_infer_bitcast_convert(hlo_inference *in) {
    if (!hlo_expect_stated(in) || !hlo_expect_array(in, 0)) return NULL;
    const hlo_shape *operand = in->operands[0];
    hlo_type type = (hlo_type)in->stated->type;
    if (!hlo_type_is_array(type))
        return hlo_infer_fail(in, HLO_RULE_RESULT_SHAPE, HLO_NOWHERE,
                              "the result is %s and must be an array",
                              hlo_infer_text(in, in->stated));
    if (hlo_type_is_complex(type) != hlo_type_is_complex(operand->type))
        return hlo_infer_fail(
            in, HLO_RULE_ELEMENT_TYPE, 0,
            "operand 0 is %s and the result is of type %s: one is complex, one is not",
            hlo_infer_text(in, operand), hlo_types[type].text);
    unsigned from = hlo_types[operand->type].bits, to = hlo_types[type].bits;
    return from == to ? hlo_make_retyped(in, operand, type) : regrouped(in, type, from, to);
}

const hlo_shape *hlo_infer_stochastic_convert(hlo_inference *in) {
    if (!hlo_expect_stated(in) || !hlo_expect_arrays(in)) return NULL;
    const hlo_shape *operand = in->operands[0], *random = in->operands[1];
    if (hlo_types[random->type].class != HLO_CLASS_UNSIGNED)
        return hlo_infer_fail(in, HLO_RULE_STOCHASTIC_CONVERT_RANDOM, 1,
                              "operand 1 is %s and must be of an unsigned integer type",
                              hlo_infer_text(in, random));
    if (!hlo_expect_elements(in, 0)) return NULL;
    if (hlo_types[operand->type].bits != hlo_types[random->type].bits)
        return hlo_infer_fail(in, HLO_RULE_STOCHASTIC_CONVERT_RANDOM, 1,
                              "operand 0 is %s and operand 1 is %s: their widths differ",
                              hlo_infer_text(in, operand), hlo_infer_text(in, random));
    if (hlo_shape_with_type(&in->module->shapes, random, (hlo_type)operand->type) != operand)
        return hlo_infer_fail(
            in, HLO_RULE_STOCHASTIC_CONVERT_RANDOM, 1,
            "operand 0 is %s and operand 1 is %s: their dimensions or layouts differ",
            hlo_infer_text(in, operand), hlo_infer_text(in, random));
    if (!hlo_shape_is_array(in->stated))
        return hlo_infer_fail(in, HLO_RULE_RESULT_SHAPE, HLO_NOWHERE,
                              "the result is %s and must be an array",
                              hlo_infer_text(in, in->stated));
    return hlo_make_retyped(in, operand, (hlo_type)in->stated->type);
}
