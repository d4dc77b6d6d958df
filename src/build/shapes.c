/* Shapes, parameters and constants for builders. */
#include "build/builder.h"
#include "shape/compatible.h"

hlo_type hlo_builder_type(hlo_element_type type) {
    static const uint8_t types[] = {
#define HLO_TYPE(id, text, bits, class, number, ...) [number] = HLO_##id,
#include "ir/types.def"
#undef HLO_TYPE
    };
    HLO_ASSERT(type < sizeof types / sizeof *types);
    return (hlo_type)types[type];
}

const hlo_shape *hlo_builder_own_shape(hlo_builder *b, const hlo_shape *shape) {
    return shape ? hlo_shape_import(hlo_builder_shapes(b), shape) : NULL;
}

const hlo_shape *hlo_builder_resized(hlo_builder *b, const hlo_shape *like, const int64_t *dims,
                                     size_t rank) {
    return hlo_shape_array(hlo_builder_shapes(b), (hlo_type)like->type, dims, (uint32_t)rank, NULL,
                           NULL, NULL);
}

/* ---- arrays ---- */

static bool check_array(hlo_builder *b, hlo_element_type type, hlo_int_list dims) {
    if (!hlo_element_type_bytes(type)) hlo_builder_misuse(b, "type %d is no array's", (int)type);
    if (dims.count > 64) hlo_builder_misuse(b, "%zu dimensions, more than 64", dims.count);
    for (size_t i = 0; i < dims.count && !hlo_builder_failed(b); i++)
        if (dims.values[i] < 0)
            hlo_builder_misuse(b, "dimension %zu of size %lld", i, (long long)dims.values[i]);
    return !hlo_builder_failed(b);
}

const hlo_shape *hlo_builder_shape(hlo_builder *b, hlo_element_type type, hlo_int_list dims) {
    HLO_BUILDER_CALL(b, NULL);
    if (!check_array(b, type, dims)) return NULL;
    return hlo_shape_array(hlo_builder_shapes(b), hlo_builder_type(type), dims.values,
                           (uint32_t)dims.count, NULL, NULL, NULL);
}

const hlo_shape *hlo_builder_bounded_shape(hlo_builder *b, hlo_element_type type, hlo_int_list dims,
                                           hlo_int_list dynamic) {
    HLO_BUILDER_CALL(b, NULL);
    if (!check_array(b, type, dims)) return NULL;
    if (dynamic.count != dims.count) {
        hlo_builder_misuse(b, "%zu marks for %zu dimensions", dynamic.count, dims.count);
        return NULL;
    }
    uint8_t marks[64] = {0};
    for (size_t i = 0; i < dims.count; i++) marks[i] = dynamic.values[i] != 0;
    return hlo_shape_array(hlo_builder_shapes(b), hlo_builder_type(type), dims.values,
                           (uint32_t)dims.count, marks, NULL, NULL);
}

const hlo_shape *hlo_builder_laid_out_shape(hlo_builder *b, hlo_element_type type,
                                            hlo_int_list dims, hlo_int_list minor_to_major) {
    HLO_BUILDER_CALL(b, NULL);
    if (!check_array(b, type, dims)) return NULL;
    uint64_t seen = 0;
    for (size_t i = 0; i < minor_to_major.count; i++)
        if (minor_to_major.values[i] >= 0 && minor_to_major.values[i] < (int64_t)dims.count)
            seen |= (uint64_t)1 << minor_to_major.values[i];
    bool all = dims.count == 64 ? seen == UINT64_MAX : seen == ((uint64_t)1 << dims.count) - 1;
    if (minor_to_major.count != dims.count || !all) {
        hlo_builder_misuse(b, "the layout is not a permutation of the %zu dimensions", dims.count);
        return NULL;
    }
    return hlo_shape_array(hlo_builder_shapes(b), hlo_builder_type(type), dims.values,
                           (uint32_t)dims.count, NULL, minor_to_major.values, NULL);
}

/* ---- others ---- */

const hlo_shape *hlo_builder_tuple_shape(hlo_builder *b, const hlo_shape *const *elements,
                                         size_t count) {
    HLO_BUILDER_CALL(b, NULL);
    if (count > INT32_MAX ||
        !hlo_builder_has_all(b, __func__, (const void *const *)elements, count))
        return NULL;
    const hlo_shape **own = HLO_NEW_ARRAY(&b->module->arena, const hlo_shape *, count);
    for (size_t i = 0; i < count; i++) own[i] = hlo_builder_own_shape(b, elements[i]);
    return hlo_shape_tuple(hlo_builder_shapes(b), own, (uint32_t)count);
}

const hlo_shape *hlo_builder_token_shape(hlo_builder *b) {
    HLO_BUILDER_CALL(b, NULL);
    return hlo_shape_token(hlo_builder_shapes(b));
}

/* ---- parameters and constants ---- */

const hlo_instr *hlo_builder_parameter(hlo_builder *b, int64_t number, const hlo_shape *shape) {
    HLO_BUILDER_TAKES(b, shape);
    return hlo_builder_made(b, HLO_OP_PARAMETER, shape, HLO_NO_INSTRS,
                            HLO_ATTRS(hlo_builder_int(HLO_ATTR_PARAMETER_NUMBER, number)));
}

/* Elements in row-major order, read at the places given by the strides. */
static void copy_elements(char *to, const hlo_array *from, size_t width) {
    int64_t index[64] = {0};
    for (;;) {
        const char *at = from->data;
        for (uint32_t i = 0; i < from->rank; i++) at += index[i] * from->strides[i];
        memcpy(to, at, width);
        to += width;
        uint32_t i = from->rank;
        while (i && ++index[i - 1] == from->dims[i - 1]) index[--i] = 0;
        if (!i) return;
    }
}

static hlo_literal *literal_of(hlo_builder *b, const hlo_shape *shape, const hlo_array *value) {
    hlo_literal *literal = hlo_literal_new_raw(&b->module->arena, shape);
    if (!literal->data) return literal;
    if (value->strides && value->rank)
        copy_elements(literal->data, value, hlo_element_type_bytes(value->type));
    else memcpy(literal->data, value->data, (size_t)hlo_shape_bytes(shape));
    hlo_elements_normalise((hlo_type)shape->type, literal->data, hlo_shape_elements(shape));
    return literal;
}

/* With the layout that was set for it, if one was. */
static const hlo_shape *constant_shape(hlo_builder *b, const hlo_array *value) {
    const hlo_shape *plain = hlo_shape_array(hlo_builder_shapes(b), hlo_builder_type(value->type),
                                             value->dims, value->rank, NULL, NULL, NULL);
    const hlo_shape *set = b->next.shape;
    return set && hlo_shape_compatible(set, plain) ? set : plain;
}

const hlo_instr *hlo_builder_constant(hlo_builder *b, const hlo_array *value) {
    HLO_BUILDER_TAKES(b, value);
    hlo_int_list dims = {value->rank, value->dims};
    if (!check_array(b, value->type, dims)) return NULL;
    const hlo_shape *shape = constant_shape(b, value);
    int64_t bytes = hlo_shape_bytes(shape);
    if (bytes < 0) return hlo_builder_fail(b, HLO_RULE_SHAPE_SIZE, "constant: it is too large");
    if (bytes && !value->data) return hlo_builder_misuse(b, "%s: data is NULL", __func__);
    hlo_attr attr = {.id = HLO_ATTR_VALUE, .u.literal = literal_of(b, shape, value)};
    return hlo_builder_made(b, HLO_OP_CONSTANT, shape, HLO_NO_INSTRS, &attr, 1);
}

static const hlo_instr *scalar(hlo_builder *b, hlo_element_type type, const void *data) {
    return hlo_builder_constant(b, &(hlo_array){.type = type, .data = data});
}

const hlo_instr *hlo_builder_constant_f32(hlo_builder *b, float value) {
    return scalar(b, HLO_TYPE_F32, &value);
}

const hlo_instr *hlo_builder_constant_s32(hlo_builder *b, int32_t value) {
    return scalar(b, HLO_TYPE_S32, &value);
}

const hlo_instr *hlo_builder_constant_pred(hlo_builder *b, bool value) {
    return scalar(b, HLO_TYPE_PRED, &value);
}
