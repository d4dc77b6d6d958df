/* `padding=SAME` and `padding=VALID` of windows, as functions of the operation semantics take them.
 * Called by the table forms.def. */
#include "base/buf.h"
#include "dialect/old_text.h"

enum { MOST_DIMENSIONS = 64 };

typedef struct {
    int64_t v[MOST_DIMENSIONS];
    int n; /* -1: no list of numbers, or a long one */
} numbers;

/* Numbers between `between` up to `end`, such as 2x3 or 4,5. */
static numbers read_numbers(const hlo_old_text *t, uint32_t at, uint32_t end, char between) {
    numbers list = {.n = 0};
    while (at < end && list.n >= 0) {
        uint32_t from = at;
        int64_t value = 0;
        for (; at < end && t->text[at] >= '0' && t->text[at] <= '9' && value < INT32_MAX; at++)
            value = value * 10 + (t->text[at] - '0');
        bool good = at > from && (at == end || t->text[at] == between) && list.n < MOST_DIMENSIONS;
        if (good) list.v[list.n++] = value;
        else list.n = -1;
        at++;
    }
    return list;
}

/* `key=1x2` in the window: its numbers; none when it is not there. */
static numbers window_numbers(const hlo_old_text *t, hlo_span window, const char *key) {
    size_t n = strlen(key);
    for (uint32_t at = window.lo + 1; at < window.hi - 1;) {
        uint32_t from = hlo_old_skip_blanks(t, at), word = hlo_old_word_end(t, from);
        if (word - from == n && memcmp(t->text + from, key, n) == 0 && t->text[word] == '=')
            return read_numbers(t, word + 1, hlo_old_word_end(t, word + 1), 'x');
        at = word > from ? word : from + 1;
    }
    return (numbers){.n = 0};
}

static numbers sizes_of(const hlo_old_text *t, const hlo_old_statement *s) {
    hlo_span nowhere = {s->shape.lo, s->shape.lo};
    hlo_span shape = hlo_old_operand_shape(t, s, 0, nowhere), type = hlo_old_element_type(t, shape);
    if (type.hi == type.lo) return (numbers){.n = -1};
    return read_numbers(t, type.hi + 1, hlo_old_brackets_end(t, type.hi) - 1, ',');
}

/* Along each dimension of the window, as much that there is a result for each `stride` elements;
 * where the sum is odd, the greater part is at the end. */
static bool put_padding(const numbers *sizes, const numbers *window, const numbers *strides,
                        hlo_buf *to) {
    if (window->n <= 0 || sizes->n != window->n || (strides->n && strides->n != window->n))
        return false;
    for (int i = 0; i < window->n; i++) {
        int64_t stride = strides->n ? strides->v[i] : 1;
        if (stride < 1) return false;
        int64_t results = (sizes->v[i] + stride - 1) / stride;
        int64_t all = (results - 1) * stride + window->v[i] - sizes->v[i];
        if (all < 0) all = 0;
        hlo_buf_printf(to, i ? "x%lld_%lld" : "%lld_%lld", (long long)(all / 2),
                       (long long)(all - all / 2));
    }
    return true;
}

static void pad_same(hlo_old_text *t, const hlo_old_statement *s, const hlo_old_attr *padding) {
    const hlo_old_attr *window = hlo_old_attribute(t, s, "window");
    numbers sizes = sizes_of(t, s);
    hlo_buf pads = HLO_BUF_INIT;
    bool good =
        window && t->text[window->value.lo] == '{' && window->value.hi > window->value.lo + 1;
    if (good) {
        numbers size = window_numbers(t, window->value, "size");
        numbers strides = window_numbers(t, window->value, "stride");
        bool plain = !window_numbers(t, window->value, "lhs_dilate").n &&
                     !window_numbers(t, window->value, "rhs_dilate").n;
        good = plain && put_padding(&sizes, &size, &strides, &pads);
    }
    if (good) {
        hlo_old_insert(t, window->value.hi - 1, " pad=%.*s", (int)pads.len, pads.data);
        hlo_old_remove_attr(t, padding);
    } else {
        hlo_old_refuse(t, padding->value,
                       "expected a window of the operand's rank without dilation for padding=SAME");
    }
    hlo_buf_free(&pads);
}

void hlo_old_padding_word(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *padding = hlo_old_attribute(t, s, "padding");
        bool has_window = hlo_old_is(t, s->opcode, "reduce-window") ||
                          hlo_old_is(t, s->opcode, "select-and-scatter");
        if (!padding || !has_window || !s->operand_count) continue;
        bool same = hlo_old_is(t, padding->value, "SAME");
        if (!same && !hlo_old_is(t, padding->value, "VALID")) continue;
        hlo_old_found(t, padding->name);
        if (same) pad_same(t, s, padding);
        else hlo_old_remove_attr(t, padding);
    }
}
