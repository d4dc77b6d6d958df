/* Numbers of a width that their type gives, and elements of constants, in MLIR's bytecode. */
#include "ir/float_types.h"
#include "mlir/bytecode.h"

/* ---- single numbers ---- */

/* One byte up to 8 bits, one number up to 64. */
static bool bits_of_width(hlo_bc_in *in, uint32_t width, uint64_t *out) {
    uint8_t byte;
    int64_t number;
    if (width <= 8) {
        if (!hlo_bc_byte(in, &byte)) return false;
        *out = byte & ((1u << width) - 1);
        return true;
    }
    if (width > 64) return hlo_bc_bad(in, "a number of %u bits; at most 64 are supported", width);
    if (!hlo_bc_signed(in, &number)) return false;
    *out = width < 64 ? (uint64_t)number & ((UINT64_C(1) << width) - 1) : (uint64_t)number;
    return true;
}

bool hlo_bc_int_of(hlo_bc_in *in, const hlo_mlir_type *type, const hlo_mlir_attr **out) {
    bool is_unsigned;
    uint32_t width = hlo_bc_int_width(type, &is_unsigned);
    uint64_t bits;
    if (!width) return hlo_bc_bad(in, "a whole number of type %.*s", HLO_BC_SHOWN(type->text));
    if (!bits_of_width(in, width, &bits)) return false;
    if (type->kind == HLO_MLIR_SCALAR && type->element == HLO_PRED) {
        *out = hlo_bc_bool_attr(in->r, bits);
        return true;
    }
    uint64_t sign = is_unsigned || width > 63 ? 0 : UINT64_C(1) << (width - 1);
    *out = hlo_bc_int_attr(in->r, (int64_t)((bits ^ sign) - sign), type);
    return true;
}

bool hlo_bc_float_of(hlo_bc_in *in, const hlo_mlir_type *type, const hlo_mlir_attr **out) {
    uint64_t bits;
    if (type->kind != HLO_MLIR_SCALAR || !hlo_type_is_float(type->element))
        return hlo_bc_bad(in, "a float of type %.*s, which is not supported",
                          HLO_BC_SHOWN(type->text));
    if (!bits_of_width(in, hlo_types[type->element].bits, &bits)) return false;
    hlo_mlir_attr *attr = hlo_bc_new_attr(in->r, HLO_MLIR_FLOAT);
    attr->type = type;
    attr->u.f = hlo_float_decode(type->element, bits);
    *out = attr;
    return true;
}

bool hlo_bc_double(hlo_bc_in *in, double *out) {
    uint64_t bits;
    if (!bits_of_width(in, 64, &bits)) return false;
    memcpy(out, &bits, sizeof *out);
    return true;
}

/* ---- elements ---- */

/* The type of HLO by which elements are kept; HLO_TYPE_COUNT: none. */
static hlo_type element_type(const hlo_mlir_type *type) {
    if (type->kind != HLO_MLIR_TENSOR) return HLO_TYPE_COUNT;
    if (!type->other) return type->element;
    return hlo_str_is(type->other->text, "index") ? HLO_S64 : HLO_TYPE_COUNT;
}

static bool are_equal(const char *bytes, size_t n, size_t size) {
    return n <= size || memcmp(bytes, bytes + size, n - size) == 0;
}

/* Booleans are eight to a byte, but in old files one to a byte; a single byte 0xff is true for all
 * of them. */
static hlo_str unpacked(hlo_bc *r, hlo_str bytes, int64_t n) {
    enum { ALL = 0xff };
    static const char yes = 1;
    uint64_t packed = (uint64_t)n / 8 + (n % 8 != 0);
    if (bytes.len == 1 && (uint8_t)*bytes.ptr == ALL) return (hlo_str){&yes, 1, 0};
    if (bytes.len != packed || bytes.len == (uint64_t)n) return bytes;
    char *to = hlo_arena_alloc(r->arena, (size_t)n);
    for (size_t i = 0; i < (size_t)n; i++) to[i] = (char)((uint8_t)bytes.ptr[i / 8] >> i % 8 & 1);
    return (hlo_str){to, (uint32_t)n, 0};
}

static const hlo_literal *literal_of(hlo_bc *r, const hlo_shape *shape, const char *bytes,
                                     int64_t n) {
    hlo_literal *literal = hlo_literal_new_raw(r->arena, shape);
    hlo_type type = (hlo_type)shape->type;
    literal->is_read = true;
    if (n) memcpy(literal->data, bytes, (size_t)n * hlo_types[type].bytes);
    if (n) hlo_elements_normalise(type, literal->data, n);
    return literal;
}

/* Of a whole array, in the form that literals have. */
static bool shape_of(hlo_bc_in *in, const hlo_mlir_type *type, const hlo_shape **out) {
    hlo_type element = element_type(type);
    if (element == HLO_TYPE_COUNT || !hlo_type_is_array(element))
        return hlo_bc_bad(in, "constant elements of type %.*s, which are not supported",
                          HLO_BC_SHOWN(type->text));
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->dims[i] < 0)
            return hlo_bc_bad(in, "constant elements of type %.*s, which has dynamic sizes",
                              HLO_BC_SHOWN(type->text));
    *out =
        hlo_shape_array(&in->r->module->shapes, element, type->dims, type->rank, NULL, NULL, NULL);
    return hlo_shape_bytes(*out) >= 0 ||
           hlo_bc_bad(in, "constant elements of type %.*s, which are more than memory has",
                      HLO_BC_SHOWN(type->text));
}

static bool wrong_size(hlo_bc_in *in, hlo_str bytes, const hlo_mlir_type *type) {
    return hlo_bc_bad(in, "%u bytes of elements do not make a value of type %.*s", bytes.len,
                      HLO_BC_SHOWN(type->text));
}

bool hlo_bc_dense(hlo_bc_in *in, const hlo_mlir_type *type, hlo_str bytes,
                  const hlo_mlir_attr **out) {
    const hlo_shape *shape;
    if (!shape_of(in, type, &shape)) return false;
    hlo_type element = (hlo_type)shape->type;
    int64_t n = hlo_shape_elements(shape);
    size_t size = hlo_types[element].bytes;
    if (element == HLO_PRED) bytes = unpacked(in->r, bytes, n);
    bool is_whole = bytes.len == (uint64_t)n * size;
    if (!is_whole && (bytes.len != size || !n)) return wrong_size(in, bytes, type);
    hlo_mlir_attr *attr = hlo_bc_new_attr(in->r, HLO_MLIR_DENSE);
    attr->type = type;
    attr->is_splat = n && type->rank && are_equal(bytes.ptr, bytes.len, size);
    if (attr->is_splat) shape = hlo_shape_scalar(&in->r->module->shapes, element);
    attr->literal = literal_of(in->r, shape, bytes.ptr, attr->is_splat ? 1 : n);
    *out = attr;
    return true;
}

/* ---- array<...> ---- */

static void widen(int64_t *to, const char *from, uint32_t n, size_t size, bool is_unsigned) {
    uint64_t sign = is_unsigned || size == 8 ? 0 : UINT64_C(1) << (8 * size - 1);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = hlo_element_bits(from + i * size, (unsigned)size);
        to[i] = (int64_t)((bits ^ sign) - sign);
    }
}

bool hlo_bc_array(hlo_bc_in *in, const hlo_mlir_type *element, const hlo_mlir_attr **out) {
    uint64_t n;
    hlo_str bytes;
    hlo_type type = element->kind == HLO_MLIR_SCALAR ? element->element : HLO_TYPE_COUNT;
    bool is_float = type != HLO_TYPE_COUNT && hlo_type_is_float(type), is_unsigned;
    uint32_t width = hlo_bc_int_width(element, &is_unsigned);
    if (type == HLO_TYPE_COUNT || (!is_float && !width))
        return hlo_bc_bad(in, "an array of type %.*s", HLO_BC_SHOWN(element->text));
    if (!hlo_bc_varint(in, &n) || !hlo_bc_blob(in, &bytes)) return false;
    size_t size = hlo_types[type].bytes;
    if (n > bytes.len || bytes.len != n * size)
        return hlo_bc_bad(in, "%u bytes of an array of %llu elements of type %.*s", bytes.len,
                          (unsigned long long)n, HLO_BC_SHOWN(element->text));
    if (is_float) {
        int64_t dims[] = {(int64_t)n};
        hlo_mlir_type tensor = {.kind = HLO_MLIR_TENSOR, .element = type, .rank = 1, .dims = dims};
        hlo_mlir_attr *attr = hlo_bc_new_attr(in->r, HLO_MLIR_FLOATS);
        attr->literal = literal_of(
            in->r, hlo_shape_array(&in->r->module->shapes, type, dims, 1, NULL, NULL, NULL),
            bytes.ptr, (int64_t)n);
        *out = attr;
        return hlo_bc_intern(in, &tensor, &attr->type);
    }
    int64_t *v = HLO_NEW_ARRAY(in->r->arena, int64_t, n);
    widen(v, bytes.ptr, (uint32_t)n, size, is_unsigned || type == HLO_PRED);
    return hlo_bc_ints_attr(in, type, (uint32_t)n, v, out);
}

/* ---- dense_resource<...> ---- */

bool hlo_bc_resource_of(hlo_bc_in *in, const hlo_mlir_type *type, const hlo_mlir_attr **out) {
    uint64_t index;
    const hlo_shape *shape;
    if (!hlo_bc_varint(in, &index)) return false;
    if (index >= in->r->resources.n)
        return hlo_bc_bad(in, "resource %llu, where the file has %u", (unsigned long long)index,
                          in->r->resources.n);
    hlo_bc_resource *resource = &in->r->resources.v[index];
    hlo_mlir_attr *attr = hlo_bc_new_attr(in->r, HLO_MLIR_RESOURCE);
    attr->u.text = resource->key;
    attr->type = type;
    *out = attr;
    if (!resource->has_data) return true;
    attr->literal = resource->literal;
    if (resource->type == type) return true;
    if (!shape_of(in, type, &shape)) return false;
    int64_t n = hlo_shape_elements(shape);
    if (resource->data.len != (uint64_t)hlo_shape_bytes(shape))
        return wrong_size(in, resource->data, type);
    if (!hlo_bc_charge(in, resource->data.len)) return false;
    attr->literal = literal_of(in->r, shape, resource->data.ptr, n);
    resource->type = type;
    resource->literal = attr->literal;
    return true;
}
