/* Constants of XLA's builder library (constants.h): scalars of a type that is known at run time,
 * and arrays of them. */
#include "build/lib/scalars.h"

#include <math.h>

#include "ir/float_types.h"

#define NOTHING ((hlo_int_list){0, NULL})

/* ---- elements ---- */

static void set_integer(hlo_type type, void *to, int64_t value) {
    if (hlo_types[type].class == HLO_CLASS_PRED) value = value != 0;
    hlo_set_element_bits(to, hlo_types[type].bytes, (uint64_t)value);
}

static void set_float(hlo_type type, void *to, double value) {
    const hlo_float_format *format = hlo_type_float_format(type);
    hlo_set_element_bits(to, format->bytes, hlo_float_encode(hlo_type_part(type), value));
}

static hlo_term scalar_of(hlo_builder *b, hlo_type type, const void *element) {
    return hlo_builder_constant(
        b, &(hlo_array){.type = hlo_lib_public(type), .dims = NULL, .data = element});
}

/* Out of range is what a conversion in C would leave undefined: the nearest integer. */
static int64_t rounded(double value) {
    if (!(value > -9.2233720368547758e18)) return value != value ? 0 : INT64_MIN;
    return value < 9.2233720368547758e18 ? (int64_t)value : INT64_MAX;
}

hlo_term hlo_lib_integer(hlo_builder *b, hlo_type type, int64_t value) {
    char element[16] = {0};
    if (hlo_builder_failed(b)) return NULL;
    if (hlo_type_float_format(type)) set_float(type, element, (double)value);
    else set_integer(type, element, value);
    return scalar_of(b, type, element);
}

hlo_term hlo_lib_number(hlo_builder *b, hlo_type type, double value) {
    char element[16] = {0};
    if (hlo_builder_failed(b)) return NULL;
    if (!hlo_type_float_format(type)) return hlo_lib_integer(b, type, rounded(value));
    set_float(type, element, value);
    return scalar_of(b, type, element);
}

hlo_term hlo_lib_bits(hlo_builder *b, hlo_type type, uint64_t bits) {
    char element[16] = {0};
    hlo_set_element_bits(element, hlo_types[type].bytes, bits);
    return scalar_of(b, type, element);
}

hlo_term hlo_lib_like(hlo_builder *b, hlo_term prototype, double value) {
    return prototype ? hlo_lib_number(b, (hlo_type)prototype->shape->type, value) : NULL;
}

hlo_term hlo_lib_spread(hlo_builder *b, hlo_term scalar, const hlo_shape *like) {
    return hlo_builder_broadcast(b, scalar, (hlo_int_list){like->rank, like->dims});
}

hlo_term hlo_lib_full(hlo_builder *b, hlo_term prototype, double value) {
    if (!prototype) return NULL;
    return hlo_lib_spread(b, hlo_lib_like(b, prototype, value), prototype->shape);
}

/* ---- what operands are ---- */

bool hlo_lib_is_real_float(hlo_builder *b, const char *function, hlo_term operand) {
    if (!operand) return false;
    if (hlo_type_is_float((hlo_type)operand->shape->type)) return true;
    hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE,
                     "operands to %s must be real-valued floating-point, but got %s", function,
                     hlo_types[operand->shape->type].text);
    return false;
}

bool hlo_lib_same_shapes(hlo_builder *b, const char *function, hlo_term first, hlo_term second) {
    if (!first || !second) return false;
    if (hlo_shape_compatible(first->shape, second->shape)) return true;
    hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                     "arguments to %s must have equal shapes and types; got %s and %s", function,
                     hlo_shape_name(&b->module->arena, first->shape),
                     hlo_shape_name(&b->module->arena, second->shape));
    return false;
}

bool hlo_lib_has_rank(hlo_builder *b, const char *function, hlo_term operand, uint32_t rank) {
    if (!operand) return false;
    const hlo_shape *shape = operand->shape;
    if (hlo_shape_is_array(shape) && shape->rank >= rank && shape->rank <= 64) return true;
    hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                     "the operand of %s must be an array of rank >= %u, but is %s", function, rank,
                     hlo_shape_name(&b->module->arena, shape));
    return false;
}

hlo_term hlo_lib_convert(hlo_builder *b, hlo_term operand, hlo_type type) {
    return hlo_builder_convert_element_type(b, operand, hlo_lib_public(type));
}

int64_t *hlo_lib_counting(hlo_builder *b, size_t count) {
    int64_t *list = HLO_NEW_ARRAY(&b->module->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++) list[i] = (int64_t)i;
    return list;
}

int64_t *hlo_lib_copied(hlo_builder *b, hlo_int_list list) {
    int64_t *made = hlo_lib_counting(b, list.count);
    for (size_t i = 0; i < list.count; i++) made[i] = list.values[i];
    return made;
}

const hlo_shape *hlo_lib_shape(hlo_builder *b, hlo_type type, hlo_int_list dims) {
    return hlo_shape_array(hlo_builder_shapes(b), type, dims.values, (uint32_t)dims.count, NULL,
                           NULL, NULL);
}

/* ---- public ---- */

/* Types by public number that arrays can have. */
static bool check_type(hlo_builder *b, const char *function, hlo_element_type type) {
    if (hlo_element_type_bytes(type)) return true;
    hlo_builder_misuse(b, "%s: type %d is no array's", function, (int)type);
    return false;
}

static bool check_float(hlo_builder *b, const char *function, hlo_element_type type) {
    if (!check_type(b, function, type)) return false;
    if (hlo_type_is_float(hlo_builder_type(type))) return true;
    hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE, "invalid type for %s (%s)", function,
                     hlo_element_type_name(type));
    return false;
}

hlo_term hlo_lib_scalar(hlo_builder *b, hlo_element_type type, double value) {
    HLO_BUILDER_CALL(b, NULL);
    if (!check_type(b, __func__, type)) return NULL;
    hlo_type own = hlo_builder_type(type);
    if (!hlo_type_float_format(own) && value != floor(value))
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE,
                                "invalid cast from floating point type to %s in a scalar",
                                hlo_types[own].text);
    return hlo_lib_number(b, own, value);
}

hlo_term hlo_lib_zero(hlo_builder *b, hlo_element_type type) {
    return hlo_lib_scalar(b, type, 0);
}

hlo_term hlo_lib_one(hlo_builder *b, hlo_element_type type) {
    return hlo_lib_scalar(b, type, 1);
}

hlo_term hlo_lib_scalar_like(hlo_builder *b, hlo_term prototype, double value) {
    HLO_BUILDER_TAKES(b, prototype);
    if (!hlo_lib_has_rank(b, "ScalarLike", prototype, 0)) return NULL;
    return hlo_lib_scalar(b, hlo_lib_public((hlo_type)prototype->shape->type), value);
}

hlo_term hlo_lib_full_like(hlo_builder *b, hlo_term prototype, double value) {
    HLO_BUILDER_TAKES(b, prototype);
    hlo_term scalar = hlo_lib_scalar_like(b, prototype, value);
    return scalar ? hlo_lib_spread(b, scalar, prototype->shape) : NULL;
}

hlo_term hlo_lib_zeros_like(hlo_builder *b, hlo_term prototype) {
    return hlo_lib_full_like(b, prototype, 0);
}

hlo_term hlo_lib_zeros(hlo_builder *b, const hlo_shape *shape) {
    HLO_BUILDER_TAKES(b, shape);
    if (!hlo_shape_is_array(shape))
        return hlo_builder_misuse(b, "%s: the shape is not an array", __func__);
    return hlo_lib_spread(b, hlo_lib_number(b, (hlo_type)shape->type, 0), shape);
}

hlo_term hlo_lib_epsilon(hlo_builder *b, hlo_element_type type) {
    HLO_BUILDER_CALL(b, NULL);
    if (!check_float(b, "Epsilon", type)) return NULL;
    hlo_type own = hlo_builder_type(type);
    return hlo_lib_number(b, own, ldexp(1, -hlo_types[own].mantissa_bits));
}

hlo_term hlo_lib_min_positive_normal_value(hlo_builder *b, hlo_element_type type) {
    HLO_BUILDER_CALL(b, NULL);
    if (!check_float(b, "MinPositiveNormalValue", type)) return NULL;
    hlo_type own = hlo_builder_type(type);
    const hlo_float_format *format = hlo_type_float_format(own);
    bool only_exponents = format->specials == HLO_FLOAT_SCALE;
    return hlo_lib_number(b, own, ldexp(1, (only_exponents ? 0 : 1) - format->bias));
}

hlo_term hlo_lib_nan_value(hlo_builder *b, hlo_element_type type) {
    HLO_BUILDER_CALL(b, NULL);
    if (!check_float(b, "NanValue", type)) return NULL;
    return hlo_lib_number(b, hlo_builder_type(type), NAN);
}

/* ---- the ends of a type ---- */

/* The least or greatest integer. */
static hlo_term extreme_integer(hlo_builder *b, hlo_type type, bool greatest) {
    unsigned bits = hlo_types[type].bits;
    uint64_t top = (uint64_t)1 << (bits - 1);
    if (hlo_types[type].class == HLO_CLASS_PRED) return hlo_lib_integer(b, type, greatest);
    if (hlo_types[type].class == HLO_CLASS_UNSIGNED)
        return hlo_lib_integer(b, type, greatest ? (int64_t)(top | (top - 1)) : 0);
    return hlo_lib_integer(b, type, greatest ? (int64_t)(top - 1) : -(int64_t)(top - 1) - 1);
}

static hlo_term extreme(hlo_builder *b, const char *function, hlo_element_type type, bool greatest,
                        bool finite) {
    if (!check_type(b, function, type)) return NULL;
    hlo_type own = hlo_builder_type(type);
    if (hlo_type_is_complex(own))
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE, "%s: numbers of %s have no order",
                                function, hlo_types[own].text);
    if (!hlo_type_is_float(own)) return extreme_integer(b, own, greatest);
    return hlo_lib_bits(b, own, hlo_float_extreme(hlo_type_float_format(own), greatest, finite));
}

hlo_term hlo_lib_max_value(hlo_builder *b, hlo_element_type type) {
    HLO_BUILDER_CALL(b, NULL);
    return extreme(b, "MaxValue", type, true, false);
}

hlo_term hlo_lib_min_value(hlo_builder *b, hlo_element_type type) {
    HLO_BUILDER_CALL(b, NULL);
    return extreme(b, "MinValue", type, false, false);
}

hlo_term hlo_lib_max_finite_value(hlo_builder *b, hlo_element_type type) {
    HLO_BUILDER_CALL(b, NULL);
    return extreme(b, "MaxFiniteValue", type, true, true);
}

hlo_term hlo_lib_min_finite_value(hlo_builder *b, hlo_element_type type) {
    HLO_BUILDER_CALL(b, NULL);
    return extreme(b, "MinFiniteValue", type, false, true);
}
