/* Elements in MLIR text: dense<...> with nested lists, single elements for all, and strings of
 * hexadecimal digits; array<...>; dense_resource with the resources at the end of a file. */
#include "mlir/parser.h"

#include <math.h>

#include "base/text.h"
#include "ir/float_types.h"
#include "parse/number.h"

typedef struct {
    hlo_mlir_parser *p;
    const char *at, *end;
    hlo_type type;
    const hlo_float_format *format; /* of floats and parts of complex numbers */
    unsigned part_bytes;
    char *data;
    int64_t count, capacity; /* elements */
    const hlo_mlir_type *of;
} elements;

static bool fail(const elements *e, const char *from, const char *to, const char *message) {
    hlo_mlir_error(e->p, HLO_RULE_LITERAL_SYNTAX, hlo_mlir_span(e->p, from, to), "%s", message);
    return false;
}

static void skip(elements *e) {
    e->at = hlo_after_blanks_at(e->at, e->end);
}

static bool takes(elements *e, char mark) {
    skip(e);
    if (e->at >= e->end || *e->at != mark) return false;
    e->at++;
    return true;
}

/* ---- one number ---- */

static const char *number_end(const char *at, const char *end) {
    while (at < end && (hlo_is_word_byte(*at) || *at == '+' || *at == '-' || *at == '.')) at++;
    return at;
}

/* 64 bits of `0x...`, of a decimal integer, or of true and false. */
static bool read_bits(elements *e, const char *from, const char *to, uint64_t *bits) {
    *bits = 0;
    if (to - from > 2 && from[0] == '0' && from[1] == 'x') {
        for (const char *c = from + 2; c < to; c++) {
            unsigned digit = hlo_digit_value(*c);
            if (digit > 15 || *bits >> 60)
                return fail(e, from, to, "this number does not fit 64 bits");
            *bits = *bits << 4 | digit;
        }
        return true;
    }
    hlo_str text = {from, (uint32_t)(to - from), 0};
    if (hlo_str_is(text, "true") || hlo_str_is(text, "false")) {
        *bits = *from == 't';
        return true;
    }
    bool negative = *from == '-';
    const char *digits = from + negative;
    uint64_t magnitude;
    if (!hlo_digits(&digits, to, UINT64_MAX, &magnitude) || digits != to)
        return fail(e, from, to, "expected a whole number");
    *bits = negative ? -magnitude : magnitude;
    return true;
}

/* A signless number may be written unsigned; narrow ones are stored with their sign above them. */
static uint64_t with_sign(hlo_type type, uint64_t bits) {
    const hlo_type_info *info = &hlo_types[type];
    if (info->class != HLO_CLASS_SIGNED || info->bits == 64) return bits;
    unsigned rest = 64 - info->bits;
    return (uint64_t)((int64_t)(bits << rest) >> rest);
}

static bool fits(hlo_type type, uint64_t bits, bool negative) {
    const hlo_type_info *info = &hlo_types[type];
    if (type == HLO_PRED) return bits <= 1 || bits == UINT64_MAX;
    if (info->bits == 64) return true;
    int64_t value = (int64_t)bits, limit = INT64_C(1) << info->bits;
    if (negative) return info->class == HLO_CLASS_SIGNED && value >= -(limit >> 1);
    return bits < (uint64_t)limit;
}

/* A float, or the bits of one as a hexadecimal number. */
static bool read_float(elements *e, const char *from, const char *to, uint64_t *bits) {
    hlo_type type = hlo_type_part(e->type);
    if (to - from > 2 && from[0] == '0' && from[1] == 'x') {
        if (!read_bits(e, from, to, bits)) return false;
        if (hlo_types[type].bits < 64 && *bits >> hlo_types[type].bits)
            return fail(e, from, to, "these are more bits than the element type has");
        return true;
    }
    hlo_number number = hlo_scan_number(from);
    if (!(hlo_is_digit(*from) || *from == '-') || number.end != to ||
        (number.kind != HLO_NUMBER_INT && number.kind != HLO_NUMBER_DECIMAL))
        return fail(e, from, to, "expected a number");
    if (number.kind == HLO_NUMBER_INT)
        return fail(e, from, to, "expected a number with a decimal point");
    *bits = type == HLO_F32 ? hlo_f32_bits((float)number.decimal)
                            : hlo_float_encode(type, number.decimal);
    if (type == HLO_F8E8M0FNU && number.decimal == 0) *bits = 0; /* which has no zero */
    return true;
}

static void store(elements *e, uint64_t bits, unsigned part) {
    char *to = e->data + (size_t)e->count * hlo_types[e->type].bytes + part * e->part_bytes;
    hlo_set_element_bits(to, e->part_bytes, bits);
}

static bool read_part(elements *e, unsigned part) {
    skip(e);
    const char *from = e->at, *to = number_end(from, e->end);
    uint64_t bits;
    if (to == from) return fail(e, from, from + (from < e->end), "expected an element");
    e->at = to;
    if (e->format) {
        if (!read_float(e, from, to, &bits)) return false;
    } else {
        if (!read_bits(e, from, to, &bits)) return false;
        if (!fits(e->type, bits, *from == '-'))
            return fail(e, from, to, "this number is out of the range of the element type");
        bits = e->type == HLO_PRED ? bits != 0 : with_sign(e->type, bits);
    }
    store(e, bits, part);
    return true;
}

static bool read_element(elements *e) {
    if (e->count >= e->capacity) {
        skip(e);
        return fail(e, e->at, e->at + 1, "there are more elements than the type has");
    }
    if (hlo_type_is_complex(e->type)) {
        if (!takes(e, '('))
            return fail(e, e->at, e->at + 1, "expected '(' before the parts of a complex number");
        if (!read_part(e, 0)) return false;
        if (!takes(e, ','))
            return fail(e, e->at, e->at + 1, "expected ',' between the parts of a complex number");
        if (!read_part(e, 1)) return false;
        if (!takes(e, ')'))
            return fail(e, e->at, e->at + 1, "expected ')' after the parts of a complex number");
    } else if (!read_part(e, 0)) {
        return false;
    }
    e->count++;
    return true;
}

/* Lists nest as the dimensions do. */
static bool read_list(elements *e, uint32_t dimension) {
    if (dimension == e->of->rank) return read_element(e);
    const char *from = e->at;
    if (!takes(e, '['))
        return fail(e, e->at, e->at + 1,
                    "expected '[': lists nest as the dimensions of the type do");
    int64_t n = 0;
    if (!takes(e, ']')) {
        do {
            if (!read_list(e, dimension + 1)) return false;
            n++;
        } while (takes(e, ','));
        if (!takes(e, ']')) return fail(e, e->at, e->at + 1, "expected ']' or ','");
    }
    if (n != e->of->dims[dimension]) {
        hlo_mlir_error(e->p, HLO_RULE_LITERAL_SYNTAX, hlo_mlir_span(e->p, from, e->at),
                       "this list has %lld elements, dimension %u of the type has %lld",
                       (long long)n, dimension, (long long)e->of->dims[dimension]);
        return false;
    }
    return true;
}

/* ---- raw bytes ---- */

/* Bytes of MLIR's own form: i1 in bits, whole bytes otherwise. Fewer than all are one element. */
static bool take_raw(elements *e, const unsigned char *raw, size_t n, bool *is_splat) {
    size_t each = hlo_types[e->type].bytes, all = (size_t)e->capacity * each;
    *is_splat = false;
    if (e->type == HLO_PRED && n == ((size_t)e->capacity + 7) / 8 && n != all) {
        for (size_t i = 0; i < (size_t)e->capacity; i++)
            e->data[i] = (char)(raw[i / 8] >> (i % 8) & 1);
        if (e->capacity > 1 && n == 1 && (raw[0] == 0xff || raw[0] == 0)) return true;
    } else if (n == all) {
        if (n) memcpy(e->data, raw, n);
    } else if (n == each || (e->type == HLO_PRED && n == 1)) {
        memcpy(e->data, raw, each);
        *is_splat = true;
        e->count = 1;
        hlo_elements_normalise(e->type, e->data, 1);
        return true;
    } else {
        return false;
    }
    hlo_elements_normalise(e->type, e->data, e->capacity);
    e->count = e->capacity;
    return true;
}

/* The values of hexadecimal digits; 16 for other bytes. */
static uint8_t digits[256];

__attribute__((constructor)) static void fill_digits(void) {
    for (int i = 0; i < 256; i++) digits[i] = (uint8_t)hlo_digit_value((char)i);
}

static unsigned char *hex_bytes(elements *e, const char *from, const char *to, size_t *n) {
    *n = (size_t)(to - from) / 2;
    unsigned char *bytes = hlo_arena_alloc(e->p->arena, *n + 1);
    unsigned all = 0;
    for (size_t i = 0; i < *n; i++) {
        unsigned high = digits[(unsigned char)from[2 * i]];
        unsigned low = digits[(unsigned char)from[2 * i + 1]];
        all |= high | low;
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    return (to - from) % 2 || all > 15 ? NULL : bytes;
}

/* "0x0000803F..." */
static bool read_hex(elements *e, bool *is_splat) {
    const char *from = e->at, *end = hlo_quoted_end(from, e->end);
    size_t n;
    unsigned char *bytes = end && end - from > 3 && from[1] == '0' && from[2] == 'x'
                               ? hex_bytes(e, from + 3, end - 1, &n)
                               : NULL;
    if (!bytes)
        return fail(e, from, end ? end : e->end,
                    "expected a string of hexadecimal digits after 0x, two for each byte");
    e->at = end;
    return take_raw(e, bytes, n, is_splat) ||
           fail(e, from, end, "these are neither the bytes of all elements nor of one");
}

/* ---- dense<...> ---- */

static int64_t element_count(const hlo_mlir_type *type) {
    int64_t n = 1;
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->dims[i] == HLO_UNBOUNDED ||
            (type->dims[i] && __builtin_mul_overflow(n, type->dims[i], &n)))
            return -1;
    for (uint32_t i = 0; i < type->rank; i++)
        if (!type->dims[i]) return 0;
    return n;
}

/* Every element is the first one. */
static bool is_constant(const elements *e) {
    size_t each = hlo_types[e->type].bytes;
    return e->count > 0 && memcmp(e->data, e->data + each, (size_t)(e->count - 1) * each) == 0;
}

static const hlo_literal *make_literal(elements *e, bool is_splat) {
    hlo_shapes_table *shapes = &e->p->module->shapes;
    hlo_literal *literal = HLO_NEW(e->p->arena, hlo_literal);
    literal->shape =
        is_splat ? hlo_shape_scalar(shapes, e->type)
                 : hlo_shape_array(shapes, e->type, e->of->dims, e->of->rank, NULL, NULL, NULL);
    literal->data = e->count ? e->data : NULL;
    literal->is_read = true;
    return literal;
}

/* `index` counts as i64. */
static bool begin_elements(elements *e, hlo_mlir_parser *p, const hlo_mlir_type *type,
                           hlo_span text) {
    bool is_index =
        type->kind == HLO_MLIR_TENSOR && type->other && hlo_str_is(type->other->text, "index");
    *e = (elements){.p = p, .at = p->begin + text.lo, .end = p->begin + text.hi, .of = type};
    e->type = is_index ? HLO_S64 : type->element;
    if (type->kind != HLO_MLIR_TENSOR || e->type == HLO_TYPE_COUNT) {
        hlo_mlir_error(p, HLO_RULE_LITERAL_SYNTAX, text, "elements of %.*s cannot be read",
                       (int)type->text.len, type->text.ptr);
        return false;
    }
    e->format = hlo_type_float_format(e->type);
    e->part_bytes = hlo_types[hlo_type_part(e->type)].bytes;
    e->capacity = element_count(type);
    if (e->capacity < 0 || e->capacity > INT64_MAX / 16) {
        hlo_mlir_error(p, HLO_RULE_SHAPE_SIZE, text, "%.*s has dynamic sizes, or too many elements",
                       (int)type->text.len, type->text.ptr);
        return false;
    }
    return true;
}

/* No more than the text can list: two bytes for an element, or the digits of its bytes. */
static void reserve(elements *e) {
    int64_t written = (e->end - e->at) / 2 + 1,
            most = e->capacity < written ? e->capacity : written;
    if (!most) most = 1; /* of a list without elements, for which one may be given */
    e->data = hlo_arena_zero(e->p->arena, (size_t)(most + 1) * hlo_types[e->type].bytes);
    e->capacity = most;
}

const hlo_mlir_attr *hlo_mlir_dense(hlo_mlir_parser *p, hlo_span text, const hlo_mlir_type *type) {
    elements e;
    if (!begin_elements(&e, p, type, text)) return NULL;
    int64_t wanted = e.capacity;
    bool is_splat = false;
    skip(&e);
    const char *from = e.at;
    if (e.at < e.end && *e.at == '"') {
        int64_t in_text = (e.end - e.at) / 2 * 8;
        e.data =
            hlo_arena_zero(p->arena, (size_t)((e.capacity < in_text ? e.capacity : in_text) + 1) *
                                         hlo_types[e.type].bytes);
        if (e.capacity > in_text) e.capacity = in_text;
        if (e.capacity < wanted && (size_t)(e.end - e.at) / 2 > 2 * sizeof(double) + 2)
            e.capacity = wanted;
        if (!read_hex(&e, &is_splat)) return NULL;
    } else if (e.at < e.end) {
        reserve(&e);
        is_splat = *e.at != '[' && type->rank;
        if (is_splat ? !read_element(&e) : !read_list(&e, 0)) return NULL;
    }
    if (!hlo_cursor_is_done(&(hlo_cursor){e.at, e.end})) {
        skip(&e);
        fail(&e, e.at, e.end, "this stands after the elements");
        return NULL;
    }
    if (e.at == from && wanted) {
        fail(&e, from, e.end, "elements are missing");
        return NULL;
    }
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_DENSE, text);
    attr->type = type;
    if (!wanted) e.count = 0;
    attr->is_splat = wanted > 0 && type->rank && (is_splat || is_constant(&e));
    attr->literal = make_literal(&e, attr->is_splat);
    return attr;
}

/* ---- array<...> ---- */

const char *hlo_mlir_scan_array(hlo_mlir_parser *p, const char *at, const hlo_mlir_attr **out) {
    const char *end = hlo_mlir_after_angles(p, at + strlen("array")),
               *type_at = at + strlen("array<");
    const hlo_mlir_type *of;
    if (!end) return NULL;
    const char *next = hlo_mlir_scan_type(p, hlo_after_blanks_at(type_at, end), &of);
    if (!next) return NULL;
    if (of->kind != HLO_MLIR_SCALAR || hlo_type_is_complex(of->element)) {
        hlo_mlir_error(p, HLO_RULE_SYNTAX, hlo_mlir_span(p, type_at, next),
                       "an array has elements of an integer or floating-point type");
        return NULL;
    }
    next = hlo_after_blanks_at(next, end);
    int64_t most = end - next;
    hlo_mlir_type tensor = {
        .kind = HLO_MLIR_TENSOR, .element = of->element, .rank = 1, .dims = &most};
    elements e;
    if (!begin_elements(&e, p, &tensor, hlo_mlir_span(p, next + (*next == ':'), end - 1)))
        return NULL;
    reserve(&e);
    if (*next == ':') do {
            if (!read_element(&e)) return NULL;
        } while (takes(&e, ','));
    if (!hlo_cursor_is_done(&(hlo_cursor){e.at, e.end})) {
        fail(&e, e.at, e.end, "expected ',' between the elements of an array");
        return NULL;
    }
    hlo_mlir_attr *attr =
        hlo_mlir_attr_new(p, e.format ? HLO_MLIR_FLOATS : HLO_MLIR_INTS, hlo_mlir_span(p, at, end));
    tensor.dims = &e.count;
    attr->type = hlo_mlir_type_of(p->module, &tensor);
    e.of = attr->type;
    attr->literal = make_literal(&e, false);
    if (!e.format) {
        hlo_mlir_attr dense = *attr;
        dense.kind = HLO_MLIR_DENSE;
        hlo_mlir_ints(p->module, &dense, &attr->u.ints.n, &attr->u.ints.v);
    }
    *out = attr;
    return end;
}

/* ---- resources ---- */

const hlo_mlir_attr *hlo_mlir_resource(hlo_mlir_parser *p, hlo_str name, hlo_span at,
                                       const hlo_mlir_type *type) {
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_RESOURCE, at);
    attr->type = type;
    attr->u.text = name;
    hlo_list_push(&p->resources, attr);
    return attr;
}

/* The resource's bytes become the elements of all attributes that name it. A blob begins with its
 * alignment in four bytes. */
static bool fill_resources(hlo_mlir_parser *p, hlo_str name, const char *from, const char *to) {
    for (uint32_t i = 0; i < p->resources.n; i++) {
        hlo_mlir_attr *attr = p->resources.v[i];
        if (!hlo_str_equal(hlo_mlir_text_of(attr), name) || attr->literal) continue;
        elements e;
        bool is_splat;
        size_t n;
        if (!begin_elements(&e, p, attr->type, attr->at)) return false;
        unsigned char *bytes = hex_bytes(&e, from, to, &n);
        if (!bytes || n < 4)
            return fail(&e, from, to,
                        "a resource is hexadecimal digits after 0x: its alignment, then its bytes");
        e.data = hlo_arena_zero(p->arena, n + 16);
        if ((size_t)e.capacity > n * 8 || !take_raw(&e, bytes + 4, n - 4, &is_splat))
            return fail(&e, from, to,
                        "these are not the bytes of the elements of the type that uses them");
        attr->is_splat = attr->type->rank && e.count > 0 && (is_splat || is_constant(&e));
        attr->literal = make_literal(&e, attr->is_splat);
    }
    return true;
}

/* name: "0x..." within dialect_resources: { builtin: { ... } }; other parts are passed over. */
bool hlo_mlir_file_metadata(hlo_mlir_parser *p, const char *from, const char *to) {
    hlo_str name = {0};
    for (const char *at = from; at < to;) {
        if (hlo_begins_word(*at)) {
            const char *end = at;
            while (end < to && (hlo_is_word_byte(*end) || *end == '$')) end++;
            name = (hlo_str){at, (uint32_t)(end - at), 0};
            at = end;
        } else if (*at == '"') {
            const char *end = hlo_quoted_end(at, to);
            if (!end) {
                hlo_mlir_error(p, HLO_RULE_LEX, hlo_mlir_span(p, at, at + 1),
                               "this string is not closed");
                return false;
            }
            bool is_blob = end - at > 3 && at[1] == '0' && at[2] == 'x';
            if (!is_blob) name = (hlo_str){at + 1, (uint32_t)(end - at) - 2, 0};
            else if (!fill_resources(p, name, at + 3, end - 1)) return false;
            at = end;
        } else {
            at++;
        }
    }
    return true;
}
