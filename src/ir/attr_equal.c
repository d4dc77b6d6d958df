/* Equality and hash of attributes by value. */
#include "ir/attr_layout.h"
#include "ir/literal.h"

/* Within one module equal shapes are one pointer; of two modules the texts decide. */
static bool same_shape(const hlo_shape *a, const hlo_shape *b) {
    if (a == b) return true;
    if (!a || !b || a->hash != b->hash) return false;
    hlo_buf left = HLO_BUF_INIT, right = HLO_BUF_INIT;
    hlo_shape_print(&left, a, true);
    hlo_shape_print(&right, b, true);
    bool same = left.len == right.len && memcmp(left.data, right.data, left.len) == 0;
    hlo_buf_free(&left);
    hlo_buf_free(&right);
    return same;
}

static bool same_literal(const hlo_literal *a, const hlo_literal *b) {
    if (a == b) return true;
    return a && b && same_shape(a->shape, b->shape) && hlo_literal_equal(a, b);
}

static bool same_value(const hlo_value_type *type, const void *a, const void *b);

static bool same_items(const hlo_value_type *type, const void *a, const void *b, uint32_t n) {
    if (type->flat) return n == 0 || memcmp(a, b, n * type->size) == 0;
    for (uint32_t i = 0; i < n; i++)
        if (!same_value(type, (const char *)a + i * type->size, (const char *)b + i * type->size))
            return false;
    return true;
}

static bool same_field(const hlo_value_field *f, const void *a, const void *b) {
    const char *left = (const char *)a + f->offset, *right = (const char *)b + f->offset;
    switch (f->how) {
    case HLO_FIELD_END: return true;
    case HLO_FIELD_BYTES: return memcmp(left, right, f->size) == 0;
    case HLO_FIELD_STRING: return hlo_str_equal(hlo_value_string(f, a), hlo_value_string(f, b));
    case HLO_FIELD_SHAPE: return same_shape(hlo_value_pointer(f, a), hlo_value_pointer(f, b));
    case HLO_FIELD_LITERAL: return same_literal(hlo_value_pointer(f, a), hlo_value_pointer(f, b));
    case HLO_FIELD_ONE: {
        const void *x = hlo_value_pointer(f, a), *y = hlo_value_pointer(f, b);
        return x == y || (x && y && same_value(f->type, x, y));
    }
    case HLO_FIELD_ARRAY:
    case HLO_FIELD_TAIL: break;
    }
    uint32_t n = hlo_value_count(f, a);
    if (n != hlo_value_count(f, b)) return false;
    if (f->how == HLO_FIELD_TAIL) return same_items(f->type, left, right, n);
    return same_items(f->type, hlo_value_pointer(f, a), hlo_value_pointer(f, b), n);
}

static bool same_value(const hlo_value_type *type, const void *a, const void *b) {
    for (const hlo_value_field *f = type->fields; f->how != HLO_FIELD_END; f++)
        if (!same_field(f, a, b)) return false;
    return true;
}

bool hlo_attr_equal(const hlo_attr *a, const hlo_attr *b) {
    HLO_ASSERT(a->id < HLO_ATTR_COUNT && b->id < HLO_ATTR_COUNT);
    return a->id == b->id && same_field(hlo_kind_fields[hlo_attr_table[a->id].kind], &a->u, &b->u);
}

/* ---- hash ---- */

static uint64_t hash_literal(uint64_t h, const hlo_literal *literal) {
    if (!literal) return hlo_hash_mix(h, 0);
    h = hlo_hash_mix(h, literal->shape->hash);
    if (hlo_shape_is_tuple(literal->shape)) {
        for (uint32_t i = 0; i < literal->shape->rank; i++)
            h = hash_literal(h, literal->elements[i]);
        return h;
    }
    return hlo_literal_hash(h, literal);
}

static uint64_t hash_value(const hlo_value_type *type, uint64_t h, const void *value);

static uint64_t hash_items(const hlo_value_type *type, uint64_t h, const void *items, uint32_t n) {
    h = hlo_hash_mix(h, n);
    if (type->flat) return n ? hlo_hash_mix(h, hlo_hash_bytes(items, n * type->size)) : h;
    for (uint32_t i = 0; i < n; i++) h = hash_value(type, h, (const char *)items + i * type->size);
    return h;
}

static uint64_t hash_field(const hlo_value_field *f, uint64_t h, const void *value) {
    const char *at = (const char *)value + f->offset;
    switch (f->how) {
    case HLO_FIELD_END: return h;
    case HLO_FIELD_BYTES: return hlo_hash_mix(h, hlo_hash_bytes(at, f->size));
    case HLO_FIELD_STRING: {
        hlo_str text = hlo_value_string(f, value);
        return hlo_hash_mix(h, text.len ? hlo_hash_bytes(text.ptr, text.len) : 0);
    }
    case HLO_FIELD_SHAPE: {
        const hlo_shape *shape = hlo_value_pointer(f, value);
        return hlo_hash_mix(h, shape ? shape->hash : 0);
    }
    case HLO_FIELD_LITERAL: return hash_literal(h, hlo_value_pointer(f, value));
    case HLO_FIELD_ONE: {
        const void *one = hlo_value_pointer(f, value);
        return one ? hash_value(f->type, h, one) : hlo_hash_mix(h, 0);
    }
    case HLO_FIELD_ARRAY:
        return hash_items(f->type, h, hlo_value_pointer(f, value), hlo_value_count(f, value));
    case HLO_FIELD_TAIL: return hash_items(f->type, h, at, hlo_value_count(f, value));
    }
    return h;
}

static uint64_t hash_value(const hlo_value_type *type, uint64_t h, const void *value) {
    for (const hlo_value_field *f = type->fields; f->how != HLO_FIELD_END; f++)
        h = hash_field(f, h, value);
    return h;
}

uint64_t hlo_attr_hash(const hlo_attr *attr) {
    HLO_ASSERT(attr->id < HLO_ATTR_COUNT);
    return hash_field(hlo_kind_fields[hlo_attr_table[attr->id].kind], attr->id + UINT64_C(1),
                      &attr->u);
}
