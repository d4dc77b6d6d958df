/* Literals as XLA prints them: elements by type, nested braces with index comments, tuples. */
#include "base/decimal.h"
#include "ir/float_types.h"
#include "ir/literal.h"

/* Space for the longest element, a pair of numbers, with the separator after it. */
enum { ELEMENT_SIZE = 2 * HLO_NUMBER_SIZE + 8, ELEMENTS_AT_ONCE = 512, SMALL_RANK = 16 };

static char *put_text(char *to, const char *text, size_t n) {
    memcpy(to, text, n);
    return to + n;
}

static char *put_nan(char *to, const hlo_float_format *format, uint64_t bits) {
    uint64_t payload = bits & ((UINT64_C(1) << format->mantissa_bits) - 1);
    uint64_t quiet = UINT64_C(1) << format->mantissa_bits >> 1;
    to = put_text(to, "nan", 3);
    if (format->specials != HLO_FLOAT_IEEE || payload == quiet) return to;
    to = put_text(to, "(0x", 3);
    HLO_ASSERT(payload);
    int shift = 60;
    while (payload >> shift == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[payload >> shift & 15];
    *to = ')';
    return to + 1;
}

static char *put_not_finite(char *to, const hlo_float_format *format, uint64_t bits) {
    if (bits & format->sign) *to++ = '-';
    uint64_t infinity = format->max_finite + 1;
    if (format->specials == HLO_FLOAT_IEEE && (bits & ~format->sign & format->mask) == infinity)
        return put_text(to, "inf", 3);
    return put_nan(to, format, bits);
}

/* Exactly: so that the same bits are read back. */
static char *put_float(char *to, hlo_type type, const void *element, bool exactly) {
    const hlo_float_format *format = hlo_type_float_format(type);
    uint64_t bits = hlo_element_bits(element, format->bytes);
    if (exactly && hlo_float_is_negative_zero(format, bits)) return put_text(to, "-0.0", 4);
    if (!hlo_float_is_finite(format, bits)) return put_not_finite(to, format, bits);
    if (type == HLO_F32) return hlo_put_f32(to, hlo_f32_from_bits((uint32_t)bits));
    if (type == HLO_F64) return hlo_put_f64(to, hlo_f64_from_bits(bits));
    return hlo_put_g(to, hlo_float_to_double(format, bits), hlo_types[type].digits);
}

static char *put_complex(char *to, hlo_type type, const char *element, bool exactly) {
    HLO_ASSERT(hlo_type_is_complex(type));
    hlo_type part = hlo_type_part(type);
    *to++ = '(';
    to = put_float(to, part, element, exactly);
    to = put_text(to, ", ", 2);
    to = put_float(to, part, element + hlo_types[part].bytes, exactly);
    *to = ')';
    return to + 1;
}

static int64_t signed_value(const void *element, unsigned bytes) {
    HLO_ASSERT(bytes <= 8);
    int unused = 64 - 8 * (int)bytes;
    return (int64_t)(hlo_element_bits(element, bytes) << unused) >> unused;
}

/* Inside braces; at rank 0 only pred differs. */
static char *put_element(char *to, hlo_type type, const void *element, bool exactly) {
    HLO_ASSERT(hlo_type_is_array(type));
    const hlo_type_info *info = &hlo_types[type];
    switch (info->class) {
    case HLO_CLASS_PRED: *to = *(const char *)element ? '1' : '0'; return to + 1;
    case HLO_CLASS_SIGNED: return hlo_put_int(to, signed_value(element, info->bytes));
    case HLO_CLASS_UNSIGNED: return hlo_put_uint(to, hlo_element_bits(element, info->bytes));
    case HLO_CLASS_FLOAT: return put_float(to, type, element, exactly);
    case HLO_CLASS_COMPLEX: return put_complex(to, type, element, exactly);
    case HLO_CLASS_OTHER: break;
    }
    return to;
}

static void print_element(hlo_buf *to, hlo_type type, const void *element, bool exactly) {
    if (type == HLO_PRED) {
        hlo_buf_cstr(to, *(const char *)element ? "true" : "false");
        return;
    }
    hlo_buf_reserve(to, ELEMENT_SIZE);
    HLO_ASSERT(to->cap - to->len >= ELEMENT_SIZE);
    to->len = (size_t)(put_element(to->data + to->len, type, element, exactly) - to->data);
}

void hlo_element_print(hlo_buf *to, hlo_type type, const void *element) {
    print_element(to, type, element, false);
}

/* n elements separated by commas. */
static void print_row(hlo_buf *to, hlo_type type, const char *data, int64_t n, bool exactly) {
    size_t bytes = hlo_types[type].bytes;
    while (n > 0) {
        int64_t some = n < ELEMENTS_AT_ONCE ? n : ELEMENTS_AT_ONCE;
        hlo_buf_reserve(to, (size_t)some * ELEMENT_SIZE);
        char *at = to->data + to->len;
        for (int64_t i = 0; i < some; i++, data += bytes) {
            at = put_element(at, type, data, exactly);
            if (i + 1 < n) at = put_text(at, ", ", 2);
        }
        HLO_ASSERT((size_t)(at - to->data) <= to->cap);
        to->len = (size_t)(at - to->data);
        n -= some;
    }
}

/* The brace that opens level `level` of an array of rank 2 or more; `index` is the position of the
 * enclosing levels. */
static void print_open(hlo_buf *to, const hlo_shape *shape, uint32_t level, const int64_t *index) {
    HLO_ASSERT(level < shape->rank);
    hlo_buf_char(to, '{');
    int64_t size = shape->dims[level];
    if (level == shape->rank - 1) {
        if (size > 1) hlo_buf_char(to, ' ');
        return;
    }
    hlo_buf_char(to, ' ');
    if (shape->rank <= 3 || level == 0) return;
    hlo_buf_lit(to, "/*i");
    hlo_buf_uint(to, level - 1);
    hlo_buf_char(to, '=');
    hlo_buf_int(to, index[level - 1]);
    hlo_buf_lit(to, "*/");
    if (size > 0) hlo_buf_char(to, ' ');
}

static void print_close(hlo_buf *to, const hlo_shape *shape, uint32_t level) {
    HLO_ASSERT(level < shape->rank);
    if (level < shape->rank - 1 || shape->dims[level] > 1) hlo_buf_char(to, ' ');
    hlo_buf_char(to, '}');
}

/* Rank 2 and more, without recursion: the rank is not bounded. */
static void print_nested(hlo_buf *to, const hlo_shape *shape, const char *data, int64_t *index,
                         bool exactly) {
    uint32_t last = shape->rank - 1, level = 0;
    int64_t row = shape->dims[last];
    size_t row_bytes = (size_t)row * hlo_types[shape->type].bytes;
    index[0] = 0;
    print_open(to, shape, 0, index);
    for (;;) {
        if (level == last) {
            print_row(to, (hlo_type)shape->type, data, row, exactly);
            if (data) data += row_bytes;
        } else if (index[level] < shape->dims[level]) {
            if (index[level]) hlo_buf_lit(to, ", ");
            level++;
            index[level] = 0;
            print_open(to, shape, level, index);
            continue;
        }
        print_close(to, shape, level);
        if (level == 0) return;
        index[--level]++;
    }
}

/* The number of empty rows in the text is limited: {...} stands for more of them. */
static bool is_all_braces(const hlo_shape *shape) {
    enum { MOST_EMPTY_ROWS = 1 << 16 };
    int64_t rows = 1;
    for (uint32_t i = 0; i + 1 < shape->rank && shape->dims[i]; i++)
        if (__builtin_mul_overflow(rows, shape->dims[i], &rows)) return true;
    return rows > MOST_EMPTY_ROWS && hlo_shape_elements(shape) == 0;
}

static void print_array(hlo_buf *to, const hlo_literal *literal, bool exactly) {
    const hlo_shape *shape = literal->shape;
    const char *data = hlo_literal_data(literal);
    if (is_all_braces(shape)) {
        hlo_buf_lit(to, "{...}");
    } else if (shape->rank == 0) {
        print_element(to, (hlo_type)shape->type, data, exactly);
    } else if (shape->rank == 1) {
        hlo_buf_char(to, '{');
        print_row(to, (hlo_type)shape->type, data, shape->dims[0], exactly);
        hlo_buf_char(to, '}');
    } else {
        int64_t small[SMALL_RANK];
        int64_t *index =
            shape->rank <= SMALL_RANK ? small : hlo_malloc(shape->rank * sizeof *index);
        print_nested(to, shape, data, index, exactly);
        if (index != small) hlo_free(index);
    }
}

static void print_literal(hlo_buf *to, const hlo_literal *literal, bool exactly) {
    if (hlo_shape_is_array(literal->shape)) {
        print_array(to, literal, exactly);
        return;
    }
    if (!literal->elements) return; /* tokens have no value */
    hlo_buf_lit(to, "( ");
    for (uint32_t i = 0; i < literal->shape->rank; i++) {
        if (i) hlo_buf_lit(to, ", ");
        print_literal(to, literal->elements[i], exactly);
    }
    hlo_buf_lit(to, " )");
}

void hlo_literal_print(hlo_buf *to, const hlo_literal *literal) {
    print_literal(to, literal, false);
}

void hlo_literal_print_exactly(hlo_buf *to, const hlo_literal *literal) {
    print_literal(to, literal, true);
}
