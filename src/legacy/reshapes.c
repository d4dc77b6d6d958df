/* Reshapes and broadcasts with the arguments that the functions of the operation semantics have. */
#include "base/buf.h"
#include "legacy/old_text.h"

/* Both lists are short: of dimensions. */
enum { MOST_DIMENSIONS = 64 };

/* The parts of a list in braces or brackets that begins at `at`; how many, or -1. */
static int read_list(const hlo_old_text *t, uint32_t at, hlo_span parts[MOST_DIMENSIONS]) {
    uint32_t end = hlo_old_brackets_end(t, at) - 1;
    hlo_span part;
    int n = 0;
    for (at++; hlo_old_next_part(t, &at, end, &part);) {
        if (n == MOST_DIMENSIONS) return -1;
        parts[n++] = part;
    }
    return n;
}

/* A number below `limit`, or -1. */
static int small_number(const hlo_old_text *t, hlo_span span, int limit) {
    int64_t n;
    return hlo_old_read_number(t, span, &n) && n >= 0 && n < limit ? (int)n : -1;
}

static bool has_list(const hlo_old_text *t, const hlo_old_attr *attr) {
    return attr && t->text[attr->value.lo] == '{';
}

/* ---- collapse ---- */

/* The sizes of the result; no list where the dimensions do not follow each other. */
static hlo_old_numbers collapsed(const hlo_old_numbers *sizes, const hlo_old_numbers *dims) {
    hlo_old_numbers result = {.n = 0}, none = {.n = -1};
    if (sizes->n < 0 || dims->n < 0) return none;
    int64_t first = dims->n ? dims->v[0] : 0, last = first + (dims->n ? dims->n - 1 : 0);
    for (int i = 0; i < dims->n; i++)
        if (dims->v[i] != first + i || dims->v[i] < 0 || last >= sizes->n) return none;
    for (int i = 0; i < sizes->n; i++) {
        bool joins = i > first && i <= last;
        int64_t *product = &result.v[result.n - (joins ? 1 : 0)];
        if (!joins) *product = 1;
        *product = (int64_t)((uint64_t)*product * (uint64_t)sizes->v[i]);
        result.n += !joins;
    }
    return result;
}

static bool is_collapsed(const hlo_old_text *t, const hlo_old_statement *s) {
    hlo_old_numbers sizes = hlo_old_operand_sizes(t, s, 0), written = hlo_old_sizes(t, s->shape);
    hlo_old_numbers dims = hlo_old_numbers_of(t, s, "dimensions"),
                    result = collapsed(&sizes, &dims);
    bool same = result.n >= 0 && result.n == written.n;
    for (int i = 0; same && i < result.n; i++) same = result.v[i] == written.v[i];
    return same;
}

void hlo_old_collapse(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *dims = hlo_old_attribute(t, s, "dimensions");
        if (!hlo_old_is(t, s->opcode, "collapse") || s->shape.hi == s->shape.lo) continue;
        hlo_old_found(t, s->opcode);
        if (!dims || !is_collapsed(t, s)) {
            hlo_old_refuse(
                t, s->opcode,
                "expected dimensions= that follow each other, ascending, and a result in "
                "which one dimension is their product");
            continue;
        }
        hlo_old_edit(t, s->opcode, "reshape");
        hlo_old_remove_attr(t, dims);
    }
}

/* ---- reshape with an order ---- */

/* `TYPE[sizes]` of the transposed operand; false when the order is no permutation of dimensions. */
static bool put_transposed(const hlo_old_text *t, hlo_span array, const hlo_old_attr *order,
                           hlo_buf *to) {
    hlo_span type = hlo_old_element_type(t, array), sizes[MOST_DIMENSIONS], dims[MOST_DIMENSIONS];
    int rank = type.hi > type.lo ? read_list(t, type.hi, sizes) : -1;
    uint64_t seen = 0;
    if (rank < 0 || read_list(t, order->value.lo, dims) != rank) return false;
    hlo_buf_printf(to, "%.*s[", HLO_OLD(t, type));
    for (int i = 0; i < rank; i++) {
        int dim = small_number(t, dims[i], rank);
        if (dim < 0 || seen >> dim & 1) return false;
        seen |= (uint64_t)1 << dim;
        hlo_buf_printf(to, i ? ",%.*s" : "%.*s", HLO_OLD(t, sizes[dim]));
    }
    hlo_buf_char(to, ']');
    return true;
}

static void add_transpose(hlo_old_text *t, const hlo_old_statement *s, const hlo_old_attr *order,
                          const hlo_buf *shape) {
    const char *name = hlo_old_new_name(t, "collapse_order");
    hlo_old_insert(t, s->root.lo, "%%%s = %.*s transpose(%.*s), dimensions=%.*s\n  ", name,
                   (int)shape->len, shape->data, HLO_OLD(t, s->operands[0].all),
                   HLO_OLD(t, order->value));
    hlo_old_edit(t, s->operands[0].all, "%%%s", name);
    hlo_old_remove_attr(t, order);
}

/* In the edition of 2025 the dimensions are the sizes of the result. */
void hlo_old_reshape_order(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *order = hlo_old_attribute(t, s, "dimensions");
        if (!hlo_old_is(t, s->opcode, "reshape") || s->operand_count != 1 || !has_list(t, order))
            continue;
        if (t->dialect == HLO_DIALECT_2025) {
            hlo_old_drop_sizes(t, s, order, "dimensions");
            continue;
        }
        hlo_span nowhere = {s->shape.lo, s->shape.lo};
        hlo_buf shape = HLO_BUF_INIT;
        hlo_old_found(t, order->name);
        if (put_transposed(t, hlo_old_operand_shape(t, s, 0, nowhere), order, &shape))
            add_transpose(t, s, order, &shape);
        else
            hlo_old_refuse(t, order->value,
                           "expected the dimensions of the operand, each once, in the order of the "
                           "reshape");
        hlo_buf_free(&shape);
    }
}

/* ---- broadcast ---- */

/* New dimensions stand on the left; dimensions= gives the places of those of the operand. */
void hlo_old_broadcast_sizes(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *sizes = hlo_old_attribute(t, s, "broadcast_sizes");
        if (!hlo_old_is(t, s->opcode, "broadcast") || s->operand_count != 1 || !has_list(t, sizes))
            continue;
        hlo_span nowhere = {s->shape.lo, s->shape.lo}, parts[MOST_DIMENSIONS];
        uint32_t rank = hlo_old_rank(t, hlo_old_operand_shape(t, s, 0, nowhere));
        int added = read_list(t, sizes->value.lo, parts);
        if (added < 0 || rank > MOST_DIMENSIONS) continue;
        hlo_buf dims = HLO_BUF_INIT;
        for (uint32_t i = 0; i < rank; i++)
            hlo_buf_printf(&dims, i ? ",%u" : "%u", (uint32_t)added + i);
        hlo_old_found(t, sizes->name);
        hlo_old_edit(t, (hlo_span){sizes->name.lo, sizes->value.hi}, "dimensions={%.*s}",
                     (int)dims.len, dims.len ? dims.data : "");
        hlo_buf_free(&dims);
    }
}
