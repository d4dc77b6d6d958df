/* Attributes as MLIR prints them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/decimal.h"
#include "ir/float_types.h"
#include "mlir/mlir.h"

static void print_text(hlo_buf *to, hlo_str text) {
    hlo_buf_char(to, '"');
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f) hlo_buf_printf(to, "\\%02X", c);
        else hlo_buf_char(to, (char)c);
    }
    hlo_buf_char(to, '"');
}

static bool is_bare(hlo_str key) {
    if (!key.len || !((key.ptr[0] | 0x20) >= 'a' && (key.ptr[0] | 0x20) <= 'z'))
        return key.len && key.ptr[0] == '_';
    for (uint32_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        bool good = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
                    c == '_' || c == '$' || c == '.';
        if (!good) return false;
    }
    return true;
}

/* Six digits where they are exact, else as many as it takes, else bits. */
static void print_float(hlo_buf *to, double value, hlo_type type) {
    if (isinf(value) || isnan(value)) {
        hlo_buf_printf(to, "0x%0*llX", (int)hlo_types[type].bits / 4,
                       (unsigned long long)hlo_float_encode(type, value));
        return;
    }
    size_t start = to->len;
    hlo_buf_printf(to, "%.6e", value);
    if (hlo_decimal_text(to->data + start, to->len - start) == value) return;
    bool is_exact = false;
    for (int n = 1, most = type == HLO_F64 ? 17 : 9; n <= most && !is_exact; n++) {
        to->len = start;
        hlo_buf_printf(to, "%.*e", n - 1, value);
        double read = hlo_decimal_text(to->data + start, to->len - start);
        is_exact = type == HLO_F64 ? read == value : (float)read == (float)value;
    }
    if (memchr(to->data + start, '.', to->len - start)) return;
    size_t exponent = start;
    while (to->data[exponent] != 'e') exponent++;
    hlo_buf_cstr(to, ".0");
    memmove(to->data + exponent + 2, to->data + exponent, to->len - 2 - exponent);
    memcpy(to->data + exponent, ".0", 2);
}

static int by_key(const void *a, const void *b) {
    return hlo_str_compare(((const hlo_mlir_named *)a)->key, ((const hlo_mlir_named *)b)->key);
}

static void print_dict(hlo_buf *to, const hlo_mlir_attr *attr) {
    uint32_t n = attr->list.n;
    hlo_mlir_named *sorted = hlo_malloc((n + 1) * sizeof *sorted);
    if (n) memcpy(sorted, attr->list.v, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_key);
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < n; i++) {
        if (i) hlo_buf_cstr(to, ", ");
        if (is_bare(sorted[i].key)) hlo_buf_str(to, sorted[i].key);
        else print_text(to, sorted[i].key);
        if (sorted[i].value->kind == HLO_MLIR_UNIT) continue;
        hlo_buf_cstr(to, " = ");
        hlo_mlir_print_attr(to, sorted[i].value);
    }
    hlo_buf_char(to, '}');
    hlo_free(sorted);
}

/* Numbers in a list do not have the types that MLIR assumes there. */
static bool prints_type(const hlo_mlir_attr *attr, bool in_list) {
    if (!in_list || (attr->kind != HLO_MLIR_INT && attr->kind != HLO_MLIR_FLOAT)) return true;
    hlo_type assumed = attr->kind == HLO_MLIR_INT ? HLO_S64 : HLO_F64;
    return attr->type && !(attr->type->kind == HLO_MLIR_SCALAR && attr->type->element == assumed);
}

static void print_attr(hlo_buf *to, const hlo_mlir_attr *attr, bool in_list);

static void print_list(hlo_buf *to, const hlo_mlir_attr *attr, char open, char close) {
    hlo_buf_char(to, open);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        const hlo_mlir_named *entry = &attr->list.v[i];
        if (i) hlo_buf_cstr(to, ", ");
        if (entry->key.len) {
            hlo_buf_str(to, entry->key);
            hlo_buf_cstr(to, " = ");
        }
        print_attr(to, entry->value, open == '[');
    }
    hlo_buf_char(to, close);
}

static void print_element(hlo_buf *to, hlo_type type, const char *at) {
    const hlo_type_info *info = &hlo_types[type];
    uint64_t bits = info->class == HLO_CLASS_COMPLEX ? 0 : hlo_element_bits(at, info->bytes);
    switch (info->class) {
    case HLO_CLASS_PRED: hlo_buf_cstr(to, bits ? "true" : "false"); return;
    case HLO_CLASS_UNSIGNED: hlo_buf_uint(to, bits); return;
    case HLO_CLASS_SIGNED:
        hlo_buf_int(to, (int64_t)(bits << (64 - 8 * info->bytes)) >> (64 - 8 * info->bytes));
        return;
    case HLO_CLASS_FLOAT: print_float(to, hlo_float_decode(type, bits), type); return;
    case HLO_CLASS_COMPLEX: {
        hlo_type part = hlo_type_part(type);
        hlo_buf_char(to, '(');
        print_element(to, part, at);
        hlo_buf_char(to, ',');
        print_element(to, part, at + hlo_types[part].bytes);
        hlo_buf_char(to, ')');
        return;
    }
    case HLO_CLASS_OTHER: return;
    }
}

static const char *print_nested(hlo_buf *to, const hlo_mlir_attr *attr, uint32_t dimension,
                                const char *at) {
    hlo_type type = (hlo_type)attr->literal->shape->type;
    if (dimension == attr->type->rank) {
        print_element(to, type, at);
        return at + hlo_types[type].bytes;
    }
    hlo_buf_char(to, '[');
    for (int64_t i = 0; i < attr->type->dims[dimension]; i++) {
        if (i) hlo_buf_cstr(to, ", ");
        at = print_nested(to, attr, dimension + 1, at);
    }
    hlo_buf_char(to, ']');
    return at;
}

static void print_dense(hlo_buf *to, const hlo_mlir_attr *attr) {
    const char *data = attr->literal ? hlo_literal_data(attr->literal) : NULL;
    hlo_buf_cstr(to, "dense<");
    if (data && attr->is_splat) print_element(to, (hlo_type)attr->literal->shape->type, data);
    else if (data) print_nested(to, attr, 0, data);
    hlo_buf_cstr(to, "> : ");
    hlo_mlir_print_type(to, attr->type);
}

static void print_array(hlo_buf *to, const hlo_mlir_attr *attr) {
    hlo_type type = attr->type ? attr->type->element : HLO_S64;
    uint32_t n = attr->kind == HLO_MLIR_INTS ? attr->u.ints.n : (uint32_t)attr->type->dims[0];
    hlo_buf_cstr(to, "array<");
    hlo_mlir_print_type(to, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = type});
    for (uint32_t i = 0; i < n; i++) {
        hlo_buf_cstr(to, i ? ", " : ": ");
        if (attr->kind == HLO_MLIR_FLOATS)
            print_element(to, type, (const char *)attr->literal->data + i * hlo_types[type].bytes);
        else if (type == HLO_PRED) hlo_buf_cstr(to, attr->u.ints.v[i] ? "true" : "false");
        else hlo_buf_int(to, attr->u.ints.v[i]);
    }
    hlo_buf_char(to, '>');
}

/* With its type, unless that is the one that MLIR assumes in a list. */
static void print_number(hlo_buf *to, const hlo_mlir_attr *attr, bool in_list) {
    bool is_scalar = attr->type && attr->type->kind == HLO_MLIR_SCALAR;
    hlo_type type = is_scalar ? attr->type->element : HLO_TYPE_COUNT;
    bool is_float = attr->kind == HLO_MLIR_FLOAT;
    if (is_float) print_float(to, attr->u.f, type == HLO_TYPE_COUNT ? HLO_F64 : type);
    else if (type < HLO_TYPE_COUNT && hlo_types[type].class == HLO_CLASS_UNSIGNED)
        hlo_buf_uint(to, (uint64_t)attr->u.i);
    else hlo_buf_int(to, attr->u.i);
    if (!prints_type(attr, in_list)) return;
    hlo_buf_cstr(to, " : ");
    if (attr->type) hlo_mlir_print_type(to, attr->type);
    else hlo_buf_cstr(to, is_float ? "f64" : "i64");
}

static void print_attr(hlo_buf *to, const hlo_mlir_attr *attr, bool in_list) {
    switch (attr->kind) {
    case HLO_MLIR_UNIT: hlo_buf_cstr(to, "unit"); return;
    case HLO_MLIR_BOOL: hlo_buf_cstr(to, attr->u.i ? "true" : "false"); return;
    case HLO_MLIR_INT:
    case HLO_MLIR_FLOAT: print_number(to, attr, in_list); return;
    case HLO_MLIR_STRING: print_text(to, attr->u.text); return;
    case HLO_MLIR_WORD: hlo_buf_str(to, attr->u.text); return;
    case HLO_MLIR_SYMBOL:
        hlo_buf_char(to, '@');
        hlo_buf_str(to, attr->u.text);
        return;
    case HLO_MLIR_TYPE: hlo_mlir_print_type(to, attr->type); return;
    case HLO_MLIR_LIST:
        print_list(to, attr, attr->bracket == 'x' ? '[' : attr->bracket,
                   attr->bracket == '<'   ? '>'
                   : attr->bracket == '{' ? '}'
                                          : ']');
        return;
    case HLO_MLIR_DICT: print_dict(to, attr); return;
    case HLO_MLIR_STRUCT:
        hlo_buf_char(to, '#');
        hlo_buf_str(to, attr->u.text);
        print_list(to, attr, '<', '>');
        return;
    case HLO_MLIR_INTS:
    case HLO_MLIR_FLOATS: print_array(to, attr); return;
    case HLO_MLIR_DENSE: print_dense(to, attr); return;
    case HLO_MLIR_RESOURCE:
        hlo_buf_cstr(to, "dense_resource<");
        hlo_buf_str(to, attr->u.text);
        hlo_buf_cstr(to, "> : ");
        hlo_mlir_print_type(to, attr->type);
        return;
    case HLO_MLIR_LOCATION: hlo_buf_cstr(to, "loc(unknown)"); return;
    case HLO_MLIR_MAP:
        hlo_buf_cstr(to, "affine_map<");
        hlo_buf_str(to, attr->u.text);
        hlo_buf_char(to, '>');
        return;
    }
}

void hlo_mlir_print_attr(hlo_buf *to, const hlo_mlir_attr *attr) {
    print_attr(to, attr, false);
}
