/* Windows as functions of the operation semantics take them: dimensions of convolutions by default,
 * arguments one by one, `padding=SAME` and `padding=VALID`. */
#include "base/buf.h"
#include "legacy/old_text.h"

static bool is_convolution(const hlo_old_text *t, const hlo_old_statement *s) {
    return hlo_old_is(t, s->opcode, "convolution") && s->operand_count == 2;
}

static bool takes_window(const hlo_old_text *t, const hlo_old_statement *s) {
    bool others =
        hlo_old_is(t, s->opcode, "reduce-window") || hlo_old_is(t, s->opcode, "select-and-scatter");
    return is_convolution(t, s) || (others && s->operand_count);
}

/* ---- dimensions of convolutions ---- */

enum { MOST_SPATIAL = 10 }; /* one digit for each */

/* Batch and features, output and input features, then the spatial dimensions. */
void hlo_old_dimension_order(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!is_convolution(t, s) || hlo_old_attribute(t, s, "dim_labels")) continue;
        hlo_span nowhere = {s->shape.lo, s->shape.lo};
        uint32_t rank = hlo_old_rank(t, hlo_old_operand_shape(t, s, 0, nowhere));
        if (rank < 2 || rank > 2 + MOST_SPATIAL) continue;
        char spatial[MOST_SPATIAL + 1] = {0};
        for (uint32_t i = 0; i + 2 < rank; i++) spatial[i] = (char)('0' + i);
        hlo_old_found(t, s->opcode);
        hlo_old_add_attr(t, s, ", dim_labels=bf%s_oi%s->bf%s", spatial, spatial, spatial);
    }
}

/* The sizes of the spatial dimensions of an operand, in the order of their numbers. */
static hlo_old_numbers spatial_sizes(const hlo_old_text *t, const hlo_old_statement *s,
                                     uint32_t operand) {
    const hlo_old_attr *attr = hlo_old_attribute(t, s, "dim_labels");
    hlo_old_numbers sizes = hlo_old_operand_sizes(t, s, operand), spatial = {.n = sizes.n - 2};
    if (!attr || sizes.n < 2 || spatial.n > MOST_SPATIAL) return (hlo_old_numbers){.n = -1};
    uint32_t at = attr->value.lo;
    int found = 0;
    while (operand && at < attr->value.hi && t->text[at++] != '_') {
    }
    for (int i = 0; i < sizes.n && at < attr->value.hi; i++, at++) {
        int digit = t->text[at] - '0';
        if (digit < 0 || digit >= spatial.n) continue;
        spatial.v[digit] = sizes.v[i];
        found |= 1 << digit;
    }
    return found == (1 << spatial.n) - 1 ? spatial : (hlo_old_numbers){.n = -1};
}

/* ---- arguments one by one ---- */

/* Pairs `{{low,high},...}`, one after the other; no list for anything else. */
static hlo_old_numbers read_pairs(const hlo_old_text *t, const hlo_old_attr *attr) {
    hlo_old_numbers pairs = {.n = 0}, none = {.n = -1};
    hlo_span part;
    for (uint32_t at = attr->value.lo + 1; hlo_old_next_part(t, &at, attr->value.hi - 1, &part);) {
        if (part.hi < part.lo + 2 || !strchr("{(", t->text[part.lo])) return none;
        hlo_old_numbers pair = hlo_old_read_numbers(t, (hlo_span){part.lo + 1, part.hi - 1}, ',');
        if (pair.n != 2 || pairs.n + 2 > HLO_OLD_MOST_DIMENSIONS) return none;
        pairs.v[pairs.n++] = pair.v[0];
        pairs.v[pairs.n++] = pair.v[1];
    }
    return pairs;
}

static const struct {
    const char *argument, *key;
} arguments[] = {{"window_strides", "stride"},
                 {"base_dilations", "lhs_dilate"},
                 {"lhs_dilation", "lhs_dilate"},
                 {"window_dilations", "rhs_dilate"},
                 {"rhs_dilation", "rhs_dilate"}};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };

static void put_field(hlo_buf *to, const char *key, const hlo_old_numbers *list) {
    hlo_buf_printf(to, " %s=", key);
    for (int i = 0; i < list->n; i++)
        hlo_buf_printf(to, i ? "x%lld" : "%lld", (long long)list->v[i]);
}

/* The attributes that are fields of a window, and the fields; false: a list has another length. */
static bool put_fields(hlo_old_text *t, const hlo_old_statement *s, int rank, hlo_buf *to) {
    for (int i = 0; i < ARGUMENTS; i++) {
        const hlo_old_attr *attr = hlo_old_attribute(t, s, arguments[i].argument);
        hlo_old_numbers list = hlo_old_numbers_of(t, s, arguments[i].argument);
        if (!attr) continue;
        if (list.n != rank) return false;
        put_field(to, arguments[i].key, &list);
        hlo_old_remove_attr(t, attr);
    }
    const hlo_old_attr *padding = hlo_old_attribute(t, s, "padding");
    if (!padding || t->text[padding->value.lo] != '{') return true;
    hlo_old_numbers pairs = read_pairs(t, padding);
    if (pairs.n != 2 * rank) return false;
    for (int i = 0; i < pairs.n; i += 2)
        hlo_buf_printf(to, i ? "x%lld_%lld" : " pad=%lld_%lld", (long long)pairs.v[i],
                       (long long)pairs.v[i + 1]);
    hlo_old_remove_attr(t, padding);
    return true;
}

static void put_window(hlo_old_text *t, const hlo_old_statement *s, const hlo_old_numbers *sizes) {
    hlo_buf fields = HLO_BUF_INIT;
    const hlo_old_attr *dims = hlo_old_attribute(t, s, "window_dimensions");
    put_field(&fields, "size", sizes);
    if (put_fields(t, s, sizes->n, &fields)) {
        hlo_old_add_attr(t, s, ", window={%.*s}", (int)fields.len - 1, fields.data + 1);
        if (dims) hlo_old_remove_attr(t, dims);
    } else {
        hlo_old_refuse(t, s->opcode,
                       "expected strides, dilations and pairs of padding to be lists of one for "
                       "each dimension of the window");
    }
    hlo_buf_free(&fields);
}

static bool has_argument(const hlo_old_text *t, const hlo_old_statement *s) {
    for (int i = 0; i < ARGUMENTS; i++)
        if (hlo_old_attribute(t, s, arguments[i].argument)) return true;
    return hlo_old_attribute(t, s, "padding") || hlo_old_attribute(t, s, "window_dimensions");
}

/* The window of a convolution is the right operand. */
void hlo_old_window_arguments(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!takes_window(t, s) || hlo_old_attribute(t, s, "window") || !has_argument(t, s))
            continue;
        hlo_old_numbers sizes = hlo_old_numbers_of(t, s, "window_dimensions");
        if (is_convolution(t, s)) sizes = spatial_sizes(t, s, 1);
        if (sizes.n <= 0) continue;
        hlo_old_found(t, s->opcode);
        put_window(t, s, &sizes);
    }
}

/* ---- padding in words ---- */

/* `key=1x2` in the window: its numbers; none when it is not there. */
static hlo_old_numbers window_numbers(const hlo_old_text *t, hlo_span window, const char *key) {
    size_t n = strlen(key);
    for (uint32_t at = window.lo + 1; at < window.hi - 1;) {
        uint32_t from = hlo_old_skip_blanks(t, at), word = hlo_old_word_end(t, from);
        if (word - from == n && memcmp(t->text + from, key, n) == 0 && t->text[word] == '=')
            return hlo_old_read_numbers(t, (hlo_span){word + 1, hlo_old_word_end(t, word + 1)},
                                        'x');
        at = word > from ? word : from + 1;
    }
    return (hlo_old_numbers){.n = 0};
}

/* Along each dimension of the window, as much that there is a result for each `stride` elements;
 * where the sum is odd, the greater part is at the end. */
static bool put_padding(const hlo_old_numbers *sizes, const hlo_old_numbers *window,
                        const hlo_old_numbers *strides, hlo_buf *to) {
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

static bool put_same(const hlo_old_text *t, const hlo_old_statement *s, hlo_span window,
                     hlo_buf *to) {
    hlo_old_numbers sizes =
        is_convolution(t, s) ? spatial_sizes(t, s, 0) : hlo_old_operand_sizes(t, s, 0);
    hlo_old_numbers size = window_numbers(t, window, "size");
    hlo_old_numbers strides = window_numbers(t, window, "stride");
    return !window_numbers(t, window, "lhs_dilate").n &&
           !window_numbers(t, window, "rhs_dilate").n && put_padding(&sizes, &size, &strides, to);
}

static void pad_same(hlo_old_text *t, const hlo_old_statement *s, const hlo_old_attr *padding) {
    const hlo_old_attr *window = hlo_old_attribute(t, s, "window");
    hlo_buf pads = HLO_BUF_INIT;
    bool good = window && t->text[window->value.lo] == '{' &&
                window->value.hi > window->value.lo + 1 && put_same(t, s, window->value, &pads);
    if (good) {
        hlo_old_insert(t, window->value.hi - 1, " pad=%.*s", (int)pads.len, pads.data);
        hlo_old_remove_attr(t, padding);
    } else {
        hlo_old_refuse(t, padding->value,
                       "expected a window of the operand's rank without dilation for padding=SAME");
    }
    hlo_buf_free(&pads);
}

/* The word, or the constant of XLA's builder. */
static bool is_word(const hlo_old_text *t, const hlo_old_attr *padding, const char *word,
                    const char *constant) {
    return hlo_old_is(t, padding->value, word) || hlo_old_is(t, padding->value, constant);
}

void hlo_old_padding_word(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *padding = hlo_old_attribute(t, s, "padding");
        if (!padding || !takes_window(t, s)) continue;
        bool same = is_word(t, padding, "SAME", "kSame");
        if (!same && !is_word(t, padding, "VALID", "kValid")) continue;
        hlo_old_found(t, padding->name);
        if (same) pad_same(t, s, padding);
        else hlo_old_remove_attr(t, padding);
    }
}
