/* Attributes that a form has for several of the operation, or for parts of one: the ranges of a
 * slice, dimensions of products, the window of a convolution, the format of a precision. */
#include <string.h>

#include "mlir/forms.h"
#include "mlir/print.h"

const char *hlo_mlir_parts_of(hlo_str name) {
    static const struct {
        const char *name, *parts;
    } rows[] = {
#define HLO_MLIR_PART(name, parts) {name, parts},
#include "mlir/printing.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hlo_str_is(name, rows[i].name)) return rows[i].parts;
    return NULL;
}

/* The whole numbers that an attribute lists. */
typedef struct {
    const hlo_mlir_attr *attr;
    uint32_t n;
} numbers;

static numbers numbers_of(const hlo_mlir_attr *attr) {
    if (!attr) return (numbers){NULL, 0};
    if (attr->kind == HLO_MLIR_INTS) return (numbers){attr, attr->u.ints.n};
    if (attr->kind == HLO_MLIR_LIST) return (numbers){attr, attr->list.n};
    return (numbers){attr, 0};
}

static int64_t number_at(numbers list, uint32_t i) {
    if (list.attr->kind == HLO_MLIR_INTS) return list.attr->u.ints.v[i];
    return list.attr->list.v[i].value->u.i;
}

static void print_numbers(hlo_buf *to, numbers list, bool are_flags) {
    hlo_buf_char(to, '[');
    for (uint32_t i = 0; i < list.n; i++) {
        if (i) hlo_buf_cstr(to, ", ");
        if (are_flags) hlo_buf_cstr(to, number_at(list, i) ? "true" : "false");
        else hlo_buf_int(to, number_at(list, i));
    }
    hlo_buf_char(to, ']');
}

/* ---- [0:4, 1:8:2] ---- */

static void print_ranges(hlo_buf *to, const hlo_mlir_op *op) {
    numbers start = numbers_of(hlo_mlir_attr_of(op, "start_indices"));
    numbers limit = numbers_of(hlo_mlir_attr_of(op, "limit_indices"));
    numbers stride = numbers_of(hlo_mlir_attr_of(op, "strides"));
    hlo_buf_char(to, '[');
    for (uint32_t i = 0; i < start.n && i < limit.n && i < stride.n; i++) {
        if (i) hlo_buf_cstr(to, ", ");
        hlo_buf_int(to, number_at(start, i));
        hlo_buf_char(to, ':');
        hlo_buf_int(to, number_at(limit, i));
        if (number_at(stride, i) == 1) continue;
        hlo_buf_char(to, ':');
        hlo_buf_int(to, number_at(stride, i));
    }
    hlo_buf_char(to, ']');
}

/* ---- [0] x [0] ---- */

static numbers dot_numbers(const hlo_mlir_op *op, bool is_lhs, bool is_batching) {
    static const char *const keys[2][2] = {
        {"rhs_contracting_dimensions", "rhs_batching_dimensions"},
        {"lhs_contracting_dimensions", "lhs_batching_dimensions"}};
    const hlo_mlir_attr *all = hlo_mlir_attr_of(op, "dot_dimension_numbers");
    return numbers_of(hlo_mlir_member(all, keys[is_lhs][is_batching]));
}

static void print_dot_numbers(hlo_buf *to, const hlo_mlir_op *op, bool is_batching) {
    print_numbers(to, dot_numbers(op, true, is_batching), false);
    hlo_buf_cstr(to, " x ");
    print_numbers(to, dot_numbers(op, false, is_batching), false);
}

/* ---- {stride = [1], pad = [[0, 0]], ...} ---- */

static void print_pairs(hlo_buf *to, const hlo_mlir_attr *padding) {
    const int64_t *v = padding->literal ? hlo_literal_data(padding->literal) : NULL;
    hlo_buf_char(to, '[');
    for (int64_t i = 0; v && i < padding->type->dims[0]; i++) {
        const int64_t *pair = padding->is_splat ? NULL : v + 2 * i;
        hlo_buf_printf(to, "%s[%lld, %lld]", i ? ", " : "", (long long)(pair ? pair[0] : *v),
                       (long long)(pair ? pair[1] : *v));
    }
    hlo_buf_char(to, ']');
}

static void print_window(hlo_buf *to, const hlo_mlir_op *op) {
    static const struct {
        const char *attr, *key;
    } rows[] = {
        {"window_strides", "stride"},   {"padding", "pad"},
        {"lhs_dilation", "lhs_dilate"}, {"rhs_dilation", "rhs_dilate"},
        {"window_reversal", "reverse"},
    };
    bool any = false;
    hlo_buf_char(to, '{');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const hlo_mlir_attr *attr = hlo_mlir_attr_of(op, rows[i].attr);
        if (!attr) continue;
        hlo_buf_cstr(to, any ? ", " : "");
        any = true;
        hlo_buf_cstr(to, rows[i].key);
        hlo_buf_cstr(to, " = ");
        if (attr->kind == HLO_MLIR_DENSE) print_pairs(to, attr);
        else print_numbers(to, numbers_of(attr), strcmp(rows[i].key, "reverse") == 0);
    }
    hlo_buf_char(to, '}');
}

/* ---- e5m10 ---- */

static void print_format(hlo_buf *to, const hlo_mlir_op *op) {
    const hlo_mlir_attr *exponent = hlo_mlir_attr_of(op, "exponent_bits");
    const hlo_mlir_attr *mantissa = hlo_mlir_attr_of(op, "mantissa_bits");
    if (!exponent || !mantissa) return;
    hlo_buf_printf(to, "e%lldm%lld", (long long)exponent->u.i, (long long)mantissa->u.i);
}

bool hlo_mlir_has_part(const hlo_mlir_op *op, hlo_str name) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (hlo_str_equal(op->attrs[i].key, name)) return true; /* as a text has it */
    if (!hlo_str_is(name, "batching_dims")) return true;
    return dot_numbers(op, true, true).n || dot_numbers(op, false, true).n;
}

void hlo_mlir_print_part(hlo_buf *to, const hlo_mlir_op *op, hlo_str name) {
    if (hlo_str_is(name, "ranges")) print_ranges(to, op);
    else if (hlo_str_is(name, "window")) print_window(to, op);
    else if (hlo_str_is(name, "format")) print_format(to, op);
    else print_dot_numbers(to, op, hlo_str_is(name, "batching_dims"));
}
