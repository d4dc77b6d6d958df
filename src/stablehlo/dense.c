/* The elements of constants: reading them, and making attributes of elements. */
#include "stablehlo/dense.h"

#include "ir/float_types.h"
#include "stablehlo/edit.h"

bool hlo_is_whole(hlo_type type) {
    return hlo_type_is_in(type, HLO_ELEMENTS_BITS);
}

unsigned hlo_width(hlo_type type) {
    return type == HLO_PRED ? 1 : hlo_types[type].bits;
}

bool hlo_dense_from(const hlo_mlir_attr *attr, hlo_dense *out) {
    if (!attr || attr->kind != HLO_MLIR_DENSE || !attr->literal) return false;
    const hlo_mlir_type *type = attr->type;
    if (type->kind != HLO_MLIR_TENSOR || type->other || !hlo_mlir_is_static(type)) return false;
    *out = (hlo_dense){.type = type, .element = type->element, .is_splat = attr->is_splat};
    out->bytes = hlo_types[type->element].bytes;
    out->bits = hlo_width(type->element);
    out->n = hlo_mlir_element_count(type);
    out->data = hlo_literal_data(attr->literal);
    return true;
}

bool hlo_dense_of(const hlo_mlir_value *value, hlo_dense *out) {
    return hlo_dense_from(hlo_mlir_constant_of(value), out);
}

static uint64_t mask_of(unsigned bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

uint64_t hlo_dense_bits(const hlo_dense *dense, int64_t i) {
    HLO_ASSERT(!hlo_type_is_complex(dense->element));
    return hlo_element_bits(hlo_dense_at(dense, i), dense->bytes) & mask_of(dense->bits);
}

int64_t hlo_dense_signed(const hlo_dense *dense, int64_t i) {
    unsigned rest = 64 - dense->bits;
    return (int64_t)(hlo_dense_bits(dense, i) << rest) >> rest;
}

char *hlo_dense_new(hlo_mlir_module *module, const hlo_mlir_type *type, int64_t n) {
    return hlo_arena_alloc(&module->arena, (size_t)n * hlo_types[type->element].bytes);
}

void hlo_dense_set(hlo_type element, char *data, int64_t i, uint64_t bits) {
    unsigned bytes = hlo_types[element].bytes;
    if (hlo_types[element].class == HLO_CLASS_SIGNED && hlo_width(element) < 64) {
        unsigned rest = 64 - hlo_width(element); /* stored with its sign above its width */
        bits = (uint64_t)((int64_t)(bits << rest) >> rest);
    }
    hlo_set_element_bits(data + (size_t)i * bytes, bytes, bits);
}

const hlo_mlir_attr *hlo_dense_attr(hlo_mlir_module *module, const hlo_mlir_type *type,
                                    const char *data, bool is_splat) {
    int64_t n = hlo_mlir_element_count(type);
    unsigned bytes = hlo_types[type->element].bytes;
    HLO_ASSERT(!n || data);
    if (!n) is_splat = false;
    else if (!is_splat) is_splat = memcmp(data, data + bytes, (size_t)(n - 1) * bytes) == 0;
    hlo_literal *literal = HLO_NEW(&module->arena, hlo_literal);
    literal->shape = is_splat ? hlo_shape_scalar(&module->shapes, type->element)
                              : hlo_shape_array(&module->shapes, type->element, type->dims,
                                                type->rank, NULL, NULL, NULL);
    literal->data = n ? (void *)data : NULL;
    literal->is_read = true;
    hlo_mlir_attr *attr = HLO_NEW(&module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_DENSE;
    attr->is_splat = is_splat;
    attr->type = type;
    attr->literal = literal;
    return attr;
}

const hlo_mlir_attr *hlo_dense_reshape(hlo_mlir_module *module, const hlo_dense *dense,
                                       const hlo_mlir_type *type) {
    return hlo_dense_attr(module, type, dense->data, dense->is_splat);
}

const hlo_mlir_attr *hlo_dense_zeros(hlo_mlir_module *module, const hlo_mlir_type *type) {
    char *zero = hlo_arena_zero(&module->arena, hlo_types[type->element].bytes);
    return hlo_dense_attr(module, type, zero, true);
}

bool hlo_dense_same(const hlo_dense *a, const hlo_dense *b) {
    if (a->type != b->type || a->is_splat != b->is_splat) return false;
    size_t n = a->is_splat ? 1 : (size_t)a->n;
    return !n || a->data == b->data || memcmp(a->data, b->data, n * a->bytes) == 0;
}

const hlo_mlir_attr *hlo_dense_normal(hlo_mlir_module *module, const hlo_mlir_attr *attr) {
    hlo_dense dense;
    if (!hlo_dense_from(attr, &dense) || dense.is_splat || !dense.n) return attr;
    if (memcmp(dense.data, dense.data + dense.bytes, (size_t)(dense.n - 1) * dense.bytes) != 0)
        return attr;
    return hlo_dense_reshape(module, &dense, dense.type);
}

/* ---- splats by value ---- */

static bool whole_splat(const hlo_mlir_attr *attr, hlo_dense *out) {
    return hlo_dense_from(attr, out) && out->is_splat && hlo_is_whole(out->element);
}

bool hlo_dense_is_int_zero(const hlo_mlir_attr *attr) {
    hlo_dense dense;
    return whole_splat(attr, &dense) && hlo_dense_bits(&dense, 0) == 0;
}

bool hlo_dense_is_int_one(const hlo_mlir_attr *attr) {
    hlo_dense dense;
    return whole_splat(attr, &dense) && hlo_dense_bits(&dense, 0) == 1;
}

bool hlo_dense_is_all_ones(const hlo_mlir_attr *attr) {
    hlo_dense dense;
    return whole_splat(attr, &dense) && hlo_dense_signed(&dense, 0) == -1;
}

static bool is_float(const hlo_mlir_attr *attr, double value) {
    hlo_dense dense;
    return hlo_dense_from(attr, &dense) && dense.is_splat && hlo_type_is_float(dense.element) &&
           hlo_float_decode(dense.element, hlo_dense_bits(&dense, 0)) == value;
}

bool hlo_dense_is_zero(const hlo_mlir_attr *attr) {
    return hlo_dense_is_int_zero(attr) || is_float(attr, 0);
}

bool hlo_dense_is_one(const hlo_mlir_attr *attr) {
    return hlo_dense_is_int_one(attr) || is_float(attr, 1);
}
