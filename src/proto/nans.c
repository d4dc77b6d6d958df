/* Signs and payloads of nans as text. */
#include "proto/nans.h"

/* Floats of four or eight bytes in an array, as bits. */
typedef struct {
    char *data;
    int64_t n;
    size_t size;
} float_array;

static float_array floats_of(const hlo_literal *leaf) {
    hlo_type type = (hlo_type)leaf->shape->type;
    bool complex = hlo_type_is_complex(type);
    if (complex) type = hlo_type_part(type);
    if ((type != HLO_F32 && type != HLO_F64) || !hlo_literal_data(leaf)) return (float_array){0};
    return (float_array){(char *)hlo_literal_data(leaf),
                         hlo_shape_elements(leaf->shape) * (complex ? 2 : 1),
                         type == HLO_F32 ? 4 : 8};
}

static uint64_t bits_at(const float_array *a, int64_t i) {
    uint32_t four = 0;
    uint64_t eight = 0;
    if (a->size == 4) memcpy(&four, a->data + 4 * i, 4);
    else memcpy(&eight, a->data + 8 * i, 8);
    return a->size == 4 ? four : eight;
}

static bool is_nan(const float_array *a, uint64_t bits) {
    return a->size == 4 ? (bits & 0x7fffffff) > 0x7f800000
                        : (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

static bool is_plain_nan(const float_array *a, uint64_t bits) {
    return bits == (a->size == 4 ? 0x7fc00000 : UINT64_C(0x7ff8000000000000));
}

/* ---- writing ---- */

static void write_leaf(const hlo_literal *literal, uint64_t leaf, hlo_buf *to) {
    float_array a = floats_of(literal);
    for (int64_t i = 0; i < a.n; i++) {
        uint64_t bits = bits_at(&a, i);
        if (!is_nan(&a, bits) || is_plain_nan(&a, bits)) continue;
        int64_t more = 0;
        while (i + more + 1 < a.n && bits_at(&a, i + more + 1) == bits) more++;
        hlo_buf_printf(to, "%s%llu:%lld", to->len ? "," : "", (unsigned long long)leaf,
                       (long long)i);
        if (more) hlo_buf_printf(to, "+%lld", (long long)more);
        hlo_buf_printf(to, "=%llx", (unsigned long long)bits);
        i += more;
    }
}

static void write_leaves(const hlo_literal *literal, uint64_t *leaf, hlo_buf *to) {
    if (!literal->elements) {
        write_leaf(literal, (*leaf)++, to);
        return;
    }
    for (uint32_t i = 0; i < literal->shape->rank; i++)
        write_leaves(literal->elements[i], leaf, to);
}

void hlo_nans_write(const hlo_literal *literal, hlo_buf *to) {
    uint64_t leaf = 0;
    write_leaves(literal, &leaf, to);
}

/* ---- reading ---- */

/* Digits of the base from *at on; there must be one, and no more than 16. */
static bool digits(const char **at, const char *end, unsigned base, uint64_t *out) {
    const char *from = *at;
    *out = 0;
    for (; *at < end && *at - from < 17; (*at)++) {
        char c = **at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : base;
        if (digit >= base) break;
        *out = *out * base + digit;
    }
    return *at > from && *at - from <= 16;
}

static bool skip(const char **at, const char *end, char c) {
    if (*at == end || **at != c) return false;
    (*at)++;
    return true;
}

/* The rows of a text, one after the other. */
typedef struct {
    const char *at, *end;
    bool is_left, is_bad;
    uint64_t leaf, index, more, bits; /* the row that is due, when is_left */
} rows;

/* They stand in order, so that one walk over the literal meets them all. */
static void next_row(rows *r, bool is_first) {
    uint64_t leaf = r->leaf, after = is_first ? 0 : r->index + r->more + 1;
    r->is_left = r->at < r->end || is_first;
    if (!r->is_left) return;
    bool good = (is_first || skip(&r->at, r->end, ',')) && digits(&r->at, r->end, 10, &r->leaf) &&
                skip(&r->at, r->end, ':') && digits(&r->at, r->end, 10, &r->index);
    r->more = 0;
    if (good && skip(&r->at, r->end, '+')) good = digits(&r->at, r->end, 10, &r->more);
    good = good && skip(&r->at, r->end, '=') && digits(&r->at, r->end, 16, &r->bits);
    if (good && !is_first) good = r->leaf > leaf || (r->leaf == leaf && r->index >= after);
    r->is_bad |= !good;
    r->is_left &= good;
}

static void put_bits(const float_array *a, const rows *row) {
    uint32_t four = (uint32_t)row->bits;
    if (!is_nan(a, row->bits)) return;
    for (uint64_t i = row->index; i < (uint64_t)a->n && i - row->index <= row->more; i++) {
        if (!is_nan(a, bits_at(a, (int64_t)i))) continue;
        if (a->size == 4) memcpy(a->data + 4 * i, &four, 4);
        else memcpy(a->data + 8 * i, &row->bits, 8);
    }
}

static void read_leaves(const hlo_literal *literal, uint64_t *leaf, rows *r) {
    if (!literal->elements) {
        float_array a = floats_of(literal);
        for (; r->is_left && r->leaf == *leaf; next_row(r, false)) put_bits(&a, r);
        ++*leaf;
        return;
    }
    for (uint32_t i = 0; i < literal->shape->rank; i++) read_leaves(literal->elements[i], leaf, r);
}

bool hlo_nans_read(hlo_str text, const hlo_literal *literal) {
    rows r = {.at = text.ptr, .end = text.ptr + text.len};
    uint64_t leaf = 0;
    next_row(&r, true);
    read_leaves(literal, &leaf, &r);
    while (r.is_left) next_row(&r, false);
    return !r.is_bad;
}
