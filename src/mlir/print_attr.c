/* Attributes as MLIR prints them. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "ir/float_types.h"
#include "mlir/print.h"

void hlo_mlir_print_text(hlo_buf *to, hlo_str text) {
    hlo_buf_char(to, '"');
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\\') hlo_buf_cstr(to, "\\\\");
        else if (c == '"' || c < 0x20 || c >= 0x7f) hlo_buf_printf(to, "\\%02X", c);
        else hlo_buf_char(to, (char)c);
    }
    hlo_buf_char(to, '"');
}

static bool is_bare(hlo_str key) {
    if (!key.len ||
        !(((key.ptr[0] | 0x20) >= 'a' && (key.ptr[0] | 0x20) <= 'z') || key.ptr[0] == '_'))
        return false;
    for (uint32_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        bool good = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
                    c == '_' || c == '$' || c == '.';
        if (!good) return false;
    }
    return true;
}

static int by_key(const void *a, const void *b) {
    return hlo_str_compare(((const hlo_mlir_named *)a)->key, ((const hlo_mlir_named *)b)->key);
}

bool hlo_mlir_print_attrs(hlo_buf *to, const hlo_mlir_named *attrs, uint32_t n, const char *before,
                          bool (*leaves_out)(const void *context, const hlo_mlir_named *attr),
                          const void *context) {
    hlo_mlir_named *sorted = hlo_malloc((n + 1) * sizeof *sorted);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!leaves_out || !leaves_out(context, &attrs[i])) sorted[kept++] = attrs[i];
    qsort(sorted, kept, sizeof *sorted, by_key);
    if (kept) hlo_buf_cstr(to, before);
    for (uint32_t i = 0; i < kept; i++) {
        hlo_buf_cstr(to, i ? ", " : "{");
        if (is_bare(sorted[i].key)) hlo_buf_str(to, sorted[i].key);
        else hlo_mlir_print_text(to, sorted[i].key);
        if (sorted[i].value->kind == HLO_MLIR_UNIT) continue;
        hlo_buf_cstr(to, " = ");
        hlo_mlir_print_attr(to, sorted[i].value);
    }
    if (kept) hlo_buf_char(to, '}');
    hlo_free(sorted);
    return kept > 0;
}

static void print_dict(hlo_buf *to, const hlo_mlir_attr *attr) {
    if (!hlo_mlir_print_attrs(to, attr->list.v, attr->list.n, "", NULL, NULL))
        hlo_buf_cstr(to, "{}");
}

void hlo_mlir_print_symbol(hlo_buf *to, hlo_str name) {
    hlo_buf_char(to, '@');
    if (is_bare(name)) hlo_buf_str(to, name);
    else hlo_mlir_print_text(to, name);
}

/* Numbers in a list do not have the types that MLIR assumes there. */
static bool prints_type(const hlo_mlir_attr *attr, bool in_list) {
    if (!in_list || (attr->kind != HLO_MLIR_INT && attr->kind != HLO_MLIR_FLOAT)) return true;
    hlo_type assumed = attr->kind == HLO_MLIR_INT ? HLO_S64 : HLO_F64;
    return attr->type && !(attr->type->kind == HLO_MLIR_SCALAR && attr->type->element == assumed);
}

static void print_attr(hlo_buf *to, const hlo_mlir_attr *attr, bool in_list);

/* Dimensions of products, [0] x [1], and of convolutions, [b, f]x[i, o]->[b, f]. */
static void print_between(hlo_buf *to, const hlo_mlir_attr *attr) {
    for (uint32_t i = 0; i < attr->list.n; i++) {
        if (i) hlo_buf_cstr(to, attr->list.n == 2 ? " x " : i == 1 ? "x" : "->");
        print_attr(to, attr->list.v[i].value, true);
    }
}

static void print_list(hlo_buf *to, const hlo_mlir_attr *attr, char open, char close) {
    hlo_buf_char(to, open);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        const hlo_mlir_named *entry = &attr->list.v[i];
        if (i) hlo_buf_cstr(to, ", ");
        if (entry->key.len) {
            hlo_buf_str(to, entry->key);
            hlo_buf_cstr(to, " = ");
        }
        print_attr(to, entry->value, open == '[' || open == '<');
    }
    hlo_buf_char(to, close);
}

/* The word of an enumeration; empty: the struct is none. */
static hlo_str enum_word(const hlo_mlir_attr *attr) {
    if (attr->kind == HLO_MLIR_WORD) return attr->u.text;
    bool is_enum = attr->kind == HLO_MLIR_STRUCT && attr->list.n == 1 && !attr->list.v[0].key.len &&
                   attr->list.v[0].value->kind == HLO_MLIR_WORD &&
                   !hlo_str_is(attr->u.text, "stablehlo.bounds");
    return is_enum ? attr->list.v[0].value->u.text : (hlo_str){0};
}

/* #dialect<name WORD>, #dialect.name<...> */
static void print_struct(hlo_buf *to, const hlo_mlir_attr *attr) {
    hlo_str word = enum_word(attr);
    const char *dot = memchr(attr->u.text.ptr, '.', attr->u.text.len);
    uint32_t before = dot ? (uint32_t)(dot - attr->u.text.ptr) : 0;
    bool is_mode = hlo_str_is(attr->u.text, "stablehlo.result_accuracy_mode");
    hlo_buf_char(to, '#');
    if (word.len && dot && !is_mode) {
        hlo_buf_bytes(to, attr->u.text.ptr, before);
        hlo_buf_char(to, '<');
        hlo_buf_bytes(to, dot + 1, attr->u.text.len - before - 1);
        hlo_buf_char(to, ' ');
        hlo_buf_str(to, word);
        hlo_buf_char(to, '>');
        return;
    }
    hlo_buf_str(to, attr->u.text);
    print_list(to, attr, '<', '>');
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
    case HLO_CLASS_FLOAT:
        hlo_mlir_print_float(to, type, hlo_float_decode(type, bits), bits);
        return;
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

static int64_t element_count(const hlo_mlir_type *type) {
    int64_t n = 1;
    for (uint32_t i = 0; i < type->rank; i++) n *= type->dims[i];
    return n;
}

/* Many elements are a string of the bytes in which MLIR keeps them. */
static void print_hex(hlo_buf *to, const hlo_mlir_attr *attr, const unsigned char *data) {
    static const char digits[] = "0123456789ABCDEF";
    hlo_type type = (hlo_type)attr->literal->shape->type;
    size_t n = (size_t)element_count(attr->type) * hlo_types[type].bytes;
    hlo_buf_cstr(to, "\"0x");
    hlo_buf_reserve(to, 2 * n);
    for (size_t i = 0; i < n; i++) {
        hlo_buf_char(to, digits[data[i] >> 4]);
        hlo_buf_char(to, digits[data[i] & 15]);
    }
    hlo_buf_char(to, '"');
}

enum { MOST_LISTED = 100 };

static void print_dense(hlo_buf *to, const hlo_mlir_attr *attr) {
    const char *data = attr->literal ? hlo_literal_data(attr->literal) : NULL;
    hlo_buf_cstr(to, "dense<");
    if (data && attr->is_splat) print_element(to, (hlo_type)attr->literal->shape->type, data);
    else if (data && element_count(attr->type) > MOST_LISTED)
        print_hex(to, attr, (const unsigned char *)data);
    else if (data && element_count(attr->type)) print_nested(to, attr, 0, data);
    hlo_buf_cstr(to, "> : ");
    hlo_mlir_print_type(to, attr->type);
}

static void print_array(hlo_buf *to, const hlo_mlir_attr *attr) {
    HLO_ASSERT(attr->type || attr->kind == HLO_MLIR_INTS);
    hlo_type type = attr->type ? attr->type->element : HLO_S64;
    uint32_t n = attr->kind == HLO_MLIR_INTS ? attr->u.ints.n : (uint32_t)attr->type->dims[0];
    hlo_buf_cstr(to, "array<");
    hlo_mlir_print_type(to, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = type});
    for (uint32_t i = 0; i < n; i++) {
        hlo_buf_cstr(to, i ? ", " : ": ");
        if (attr->kind == HLO_MLIR_FLOATS)
            print_element(to, type,
                          (const char *)attr->literal->data + (size_t)i * hlo_types[type].bytes);
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
    if (is_float && type == HLO_TYPE_COUNT) type = HLO_F64;
    if (is_float)
        hlo_mlir_print_float(to, type, hlo_mlir_float_of(attr),
                             hlo_float_encode(type, hlo_mlir_float_of(attr)));
    else if (type < HLO_TYPE_COUNT && hlo_types[type].class == HLO_CLASS_UNSIGNED)
        hlo_buf_uint(to, (uint64_t)hlo_mlir_int_of(attr));
    else hlo_buf_int(to, hlo_mlir_int_of(attr));
    if (!prints_type(attr, in_list)) return;
    hlo_buf_cstr(to, " : ");
    if (attr->type) hlo_mlir_print_type(to, attr->type);
    else hlo_buf_cstr(to, is_float ? "f64" : "i64");
}

static char closing(char bracket) {
    switch (bracket) {
    case '<': return '>';
    case '{': return '}';
    default: return ']';
    }
}

static void print_attr(hlo_buf *to, const hlo_mlir_attr *attr, bool in_list) {
    switch (attr->kind) {
    case HLO_MLIR_UNIT: hlo_buf_cstr(to, "unit"); return;
    case HLO_MLIR_BOOL: hlo_buf_cstr(to, hlo_mlir_int_of(attr) ? "true" : "false"); return;
    case HLO_MLIR_INT:
    case HLO_MLIR_FLOAT: print_number(to, attr, in_list); return;
    case HLO_MLIR_STRING: hlo_mlir_print_text(to, hlo_mlir_text_of(attr)); return;
    case HLO_MLIR_WORD: hlo_buf_str(to, hlo_mlir_text_of(attr)); return;
    case HLO_MLIR_SYMBOL: hlo_mlir_print_symbol(to, hlo_mlir_text_of(attr)); return;
    case HLO_MLIR_TYPE: hlo_mlir_print_type(to, attr->type); return;
    case HLO_MLIR_LIST:
        if (attr->bracket == 'x' && attr->list.n > 1) {
            print_between(to, attr);
            return;
        }
        print_list(to, attr, attr->bracket == 'x' ? (char)'[' : attr->bracket,
                   closing(attr->bracket));
        return;
    case HLO_MLIR_DICT: print_dict(to, attr); return;
    case HLO_MLIR_STRUCT: print_struct(to, attr); return;
    case HLO_MLIR_INTS:
    case HLO_MLIR_FLOATS: print_array(to, attr); return;
    case HLO_MLIR_DENSE: print_dense(to, attr); return;
    case HLO_MLIR_RESOURCE:
        hlo_buf_cstr(to, "dense_resource<");
        hlo_buf_str(to, hlo_mlir_text_of(attr));
        hlo_buf_cstr(to, "> : ");
        hlo_mlir_print_type(to, attr->type);
        return;
    case HLO_MLIR_LOCATION: hlo_buf_cstr(to, "loc(unknown)"); return;
    case HLO_MLIR_MAP:
        hlo_buf_cstr(to, "affine_map<");
        hlo_buf_str(to, hlo_mlir_text_of(attr));
        hlo_buf_char(to, '>');
        return;
    }
}

void hlo_mlir_print_attr(hlo_buf *to, const hlo_mlir_attr *attr) {
    print_attr(to, attr, false);
}

/* ---- without what a form leaves out ---- */

static void print_stripped_list(hlo_buf *to, const hlo_mlir_attr *attr) {
    hlo_buf_char(to, '[');
    for (uint32_t i = 0; i < attr->list.n; i++) {
        hlo_str word = enum_word(attr->list.v[i].value);
        if (i) hlo_buf_cstr(to, ", ");
        if (word.len) hlo_buf_str(to, word);
        else print_attr(to, attr->list.v[i].value, true);
    }
    hlo_buf_char(to, ']');
}

static void print_stripped_ints(hlo_buf *to, const hlo_mlir_attr *attr) {
    bool are_flags = attr->type && attr->type->element == HLO_PRED;
    hlo_buf_char(to, '[');
    for (uint32_t i = 0; i < attr->u.ints.n; i++) {
        if (i) hlo_buf_cstr(to, ", ");
        if (are_flags) hlo_buf_cstr(to, attr->u.ints.v[i] ? "true" : "false");
        else hlo_buf_int(to, attr->u.ints.v[i]);
    }
    hlo_buf_char(to, ']');
}

void hlo_mlir_print_stripped(hlo_buf *to, const hlo_mlir_attr *attr) {
    hlo_str word = enum_word(attr);
    if (word.len) hlo_buf_str(to, word);
    else if (attr->kind == HLO_MLIR_INTS) print_stripped_ints(to, attr);
    else if (attr->kind == HLO_MLIR_INT) hlo_buf_int(to, attr->u.i);
    else if (attr->kind == HLO_MLIR_LIST && attr->bracket == '[') print_stripped_list(to, attr);
    else if (attr->kind == HLO_MLIR_STRUCT && hlo_str_is(attr->u.text, "stablehlo.conv"))
        print_attr(to, attr->list.v[0].value, true);
    else if (attr->kind == HLO_MLIR_STRUCT) print_list(to, attr, '<', '>');
    else print_attr(to, attr, true);
}
