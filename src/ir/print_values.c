/* The longer kinds of attribute values as XLA prints them (docs/text-format.md, section 7). */
#include "ir/print_values.h"

#include <math.h>
#include <stddef.h>

/* ---- pieces ---- */

void hlo_print_numbers(hlo_buf *to, const int64_t *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) hlo_buf_char(to, ',');
        hlo_buf_int(to, v[i]);
    }
}

void hlo_print_ints(hlo_buf *to, const hlo_ints *list) {
    hlo_buf_char(to, '{');
    if (list) hlo_print_numbers(to, list->v, list->n);
    hlo_buf_char(to, '}');
}

void hlo_print_six_digits(hlo_buf *to, double value) {
    if (isnan(value)) hlo_buf_lit(to, "nan");
    else hlo_buf_printf(to, "%g", value);
}

void hlo_print_separator(hlo_buf *to, uint32_t i) {
    if (i == 0) return;
    hlo_buf_lit(to, ", ");
    if (i % 5 != 0) return;
    hlo_buf_lit(to, "/*index=");
    hlo_buf_uint(to, i);
    hlo_buf_lit(to, "*/");
}

void hlo_print_text_inside(hlo_buf *to, const char *text, uint32_t n) {
    for (uint32_t i = 0, begin = 0; i <= n; i++) {
        if (i < n && text[i] != '"' && text[i] != '\\') continue;
        hlo_buf_bytes(to, text + begin, i - begin);
        if (i < n) hlo_buf_char(to, '\\');
        begin = i;
    }
}

void hlo_print_unescaped(hlo_buf *to, hlo_str text) {
    hlo_buf_char(to, '"');
    hlo_print_text_inside(to, text.ptr, text.len);
    hlo_buf_char(to, '"');
}

void hlo_print_config(hlo_buf *to, hlo_str text) {
    if (hlo_text_is_json_region(text)) hlo_buf_str(to, text);
    else hlo_buf_quoted(to, text);
}

void hlo_print_shaped_literal(hlo_buf *to, const hlo_literal *literal) {
    if (!hlo_shape_is_tuple(literal->shape)) {
        hlo_shape_print(to, literal->shape, true);
        hlo_buf_char(to, ' ');
        hlo_literal_print(to, literal);
        return;
    }
    hlo_buf_lit(to, "( ");
    for (uint32_t i = 0; i < literal->shape->rank; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_print_shaped_literal(to, literal->elements[i]);
    }
    hlo_buf_lit(to, " )");
}

/* ---- metadata ---- */

typedef enum { TEXT, BARE_TEXT, PAYLOAD, NUMBER, NUMBERS } field_kind;

static const struct {
    const char *name; /* with the blank before it */
    uint8_t name_len, kind;
    uint16_t offset;
} metadata_fields[] = {
#define FIELD(kind, name, member) \
    { " " name "=", sizeof(" " name "=") - 1, kind, offsetof(hlo_metadata, member) }
    FIELD(TEXT, "op_type", op_type),
    FIELD(TEXT, "op_name", op_name),
    FIELD(TEXT, "source_file", source_file),
    FIELD(NUMBER, "source_line", source_line),
    FIELD(NUMBER, "source_end_line", source_end_line),
    FIELD(NUMBER, "source_column", source_column),
    FIELD(NUMBER, "source_end_column", source_end_column),
    FIELD(NUMBERS, "profile_type", profile_type),
    FIELD(TEXT, "deduplicated_name", deduplicated_name),
    FIELD(BARE_TEXT, "scheduling_name", scheduling_name),
    FIELD(NUMBER, "stack_frame_id", stack_frame),
    FIELD(PAYLOAD, "metadata_payload", payload),
#undef FIELD
};
enum { METADATA_FIELDS = sizeof metadata_fields / sizeof *metadata_fields };

static bool is_set(field_kind kind, const void *member) {
    if (kind == NUMBER) return *(const int32_t *)member != 0;
    if (kind == NUMBERS)
        return *(const hlo_ints *const *)member && (*(const hlo_ints *const *)member)->n;
    if (kind == PAYLOAD) return ((const hlo_str *)member)->ptr != NULL;
    return ((const hlo_str *)member)->len != 0;
}

void hlo_print_metadata_fields(hlo_buf *to, const hlo_metadata *metadata) {
    size_t skip = 1; /* the first field has no blank before it */
    for (int i = 0; i < METADATA_FIELDS; i++) {
        const void *member = (const char *)metadata + metadata_fields[i].offset;
        field_kind kind = (field_kind)metadata_fields[i].kind;
        if (!is_set(kind, member)) continue;
        hlo_buf_bytes(to, metadata_fields[i].name + skip, metadata_fields[i].name_len - skip);
        skip = 0;
        if (kind == NUMBER) hlo_buf_int(to, *(const int32_t *)member);
        else if (kind == NUMBERS) hlo_print_ints(to, *(const hlo_ints *const *)member);
        else if (kind == BARE_TEXT) hlo_print_unescaped(to, *(const hlo_str *)member);
        else hlo_buf_quoted(to, *(const hlo_str *)member);
    }
}

void hlo_print_metadata(hlo_buf *to, const hlo_metadata *metadata) {
    hlo_buf_char(to, '{');
    hlo_print_metadata_fields(to, metadata);
    hlo_buf_char(to, '}');
}

/* ---- frontend attributes, statistics, accuracy ---- */

void hlo_print_frontend(hlo_buf *to, const hlo_frontend *frontend) {
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < frontend->n; i++) {
        if (i) hlo_buf_char(to, ',');
        hlo_buf_str(to, frontend->v[i].key);
        hlo_buf_char(to, '=');
        hlo_print_config(to, frontend->v[i].value);
    }
    hlo_buf_char(to, '}');
}

void hlo_print_statistics(hlo_buf *to, const hlo_statistics *statistics) {
    hlo_buf_lit(to, "{visualizing_index=");
    hlo_buf_int(to, statistics->visualizing_index);
    for (uint32_t i = 0; i < statistics->n; i++) {
        hlo_buf_char(to, ',');
        hlo_buf_str(to, statistics->v[i].name);
        hlo_buf_char(to, '=');
        hlo_print_six_digits(to, statistics->v[i].value);
    }
    hlo_buf_char(to, '}');
}

void hlo_print_accuracy(hlo_buf *to, const hlo_accuracy *accuracy) {
    if (!accuracy->is_tolerance) {
        const char *mode = hlo_word_text(HLO_WORDS_ACCURACY_MODE, accuracy->mode);
        hlo_buf_lit(to, "{mode=");
        hlo_buf_cstr(to, mode ? mode : "default");
        hlo_buf_char(to, '}');
        return;
    }
    hlo_buf_lit(to, "{tolerance={atol=");
    hlo_print_six_digits(to, accuracy->atol);
    hlo_buf_lit(to, ",rtol=");
    hlo_print_six_digits(to, accuracy->rtol);
    hlo_buf_lit(to, ",ulps=");
    hlo_buf_int(to, accuracy->ulps);
    hlo_buf_lit(to, "}}");
}

/* ---- origins ---- */

/* An index {} is none. */
static void print_array(hlo_buf *to, const hlo_origin *leaf) {
    hlo_buf_char(to, '{');
    hlo_print_unescaped(to, leaf->name);
    if (leaf->index && leaf->index->n) {
        hlo_buf_char(to, ' ');
        hlo_print_ints(to, leaf->index);
    }
    hlo_buf_char(to, '}');
}

static bool has_leaf(const hlo_origin *origin) {
    if (origin->form != HLO_ORIGIN_TUPLE) return true;
    for (uint32_t i = 0; i < origin->n; i++)
        if (has_leaf(origin->elements[i])) return true;
    return false;
}

/* A tree is as wide as its last leaf: later elements of a tuple are not kept, and earlier ones
 * without a leaf become the empty tuple. */
static void print_tree(hlo_buf *to, const hlo_origin *origin) {
    uint32_t n = origin->form == HLO_ORIGIN_TUPLE ? origin->n : 0;
    while (n && !has_leaf(origin->elements[n - 1])) n--;
    switch (origin->form) {
    case HLO_ORIGIN_EMPTY: hlo_buf_lit(to, "{}"); break;
    case HLO_ORIGIN_LEAF:
        if (origin->name.len) print_array(to, origin);
        else hlo_buf_lit(to, "{}");
        break;
    case HLO_ORIGIN_TUPLE:
        hlo_buf_char(to, '(');
        for (uint32_t i = 0; i < n; i++) {
            if (i) hlo_buf_lit(to, ", ");
            print_tree(to, origin->elements[i]);
        }
        hlo_buf_char(to, ')');
        break;
    case HLO_ORIGIN_SYNTHETIC: hlo_buf_lit(to, "[synthetic_call]"); break;
    }
}

void hlo_print_origin(hlo_buf *to, const hlo_origin *origin) {
    hlo_buf_char(to, '{');
    print_tree(to, origin);
    hlo_buf_char(to, '}');
}

/* A module inside an attribute: its lines are indented by four blanks, empty ones stay empty, and
 * two empty lines follow. Quotes in it are escaped, as XLA does it since 2026. */
static void print_inner_module(hlo_buf *to, hlo_str text) {
    while (text.len && text.ptr[text.len - 1] == '\n') text.len--;
    hlo_buf_lit(to, ",\n  \"\n");
    for (uint32_t at = 0; at < text.len;) {
        const char *line = text.ptr + at, *end = memchr(line, '\n', text.len - at);
        uint32_t n = end ? (uint32_t)(end - line) : text.len - at;
        if (n) hlo_buf_lit(to, "    ");
        hlo_print_text_inside(to, line, n);
        hlo_buf_char(to, '\n');
        at += n + 1;
    }
    hlo_buf_lit(to, "\n\n  \"");
}

void hlo_print_recovery(hlo_buf *to, const hlo_recovery *recovery) {
    hlo_buf_lit(to, "{\n");
    for (uint32_t i = 0; i < recovery->n; i++) {
        hlo_buf_lit(to, "  ");
        print_array(to, recovery->v[i].from);
        hlo_buf_lit(to, " : ");
        print_array(to, recovery->v[i].to);
        if (recovery->v[i].module.ptr) print_inner_module(to, recovery->v[i].module);
        hlo_buf_char(to, '\n');
    }
    hlo_buf_lit(to, "}\n");
}

/* ---- debug attributes ---- */

static void begin_part(hlo_buf *to, const char *key, bool *first) {
    if (!*first) hlo_buf_char(to, ',');
    *first = false;
    hlo_buf_cstr(to, key);
}

static void print_number_part(hlo_buf *to, const char *key, int64_t number, bool *first) {
    if (!number) return;
    begin_part(to, key, first);
    hlo_buf_int(to, number);
}

static void print_log(hlo_buf *to, const hlo_debug_log *log) {
    const char *mode = hlo_word_text(HLO_WORDS_DEBUG_LOG_MODE, log->mode);
    bool first = true;
    hlo_buf_char(to, '{');
    if (mode) begin_part(to, "log_mode=", &first), hlo_buf_cstr(to, mode);
    print_number_part(to, "callback_id=", log->callback_id, &first);
    if (log->partitioned) begin_part(to, "partitioned=true", &first);
    print_number_part(to, "op_id=", log->op_id, &first);
    hlo_buf_char(to, '}');
}

/* A line for each array. */
void hlo_print_debug(hlo_buf *to, const hlo_debug_table *table) {
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < table->n; i++) {
        bool same = i && hlo_origin_same_array(table->v[i - 1].array, table->v[i].array);
        if (i) hlo_buf_cstr(to, same ? "," : "),");
        if (!same) {
            hlo_buf_lit(to, "\n  ");
            print_array(to, table->v[i].array);
            hlo_buf_lit(to, ":(");
        }
        print_log(to, &table->v[i]);
    }
    hlo_buf_lit(to, ")\n}");
}

/* ---- windows and dimension labels ---- */

/* Each field is one number of every dimension (padding: two), and left out when all are `normal`.
 */
static const struct {
    const char *name;
    uint16_t offset;
    int64_t normal;
} window_fields[] = {
    {" stride=", offsetof(hlo_window_dim, stride), 1},
    {" pad=", offsetof(hlo_window_dim, pad_low), 0},
    {" lhs_dilate=", offsetof(hlo_window_dim, base_dilation), 1},
    {" rhs_dilate=", offsetof(hlo_window_dim, window_dilation), 1},
};
enum { WINDOW_FIELDS = sizeof window_fields / sizeof *window_fields };

static int64_t member(const hlo_window_dim *dim, uint16_t offset) {
    return *(const int64_t *)(const void *)((const char *)dim + offset);
}

static bool is_normal(const hlo_window *window, int field) {
    HLO_ASSERT((size_t)field < sizeof window_fields / sizeof *window_fields);
    for (uint32_t i = 0; i < window->n; i++) {
        const hlo_window_dim *dim = &window->v[i];
        if (member(dim, window_fields[field].offset) != window_fields[field].normal) return false;
        if (window_fields[field].offset == offsetof(hlo_window_dim, pad_low) && dim->pad_high)
            return false;
    }
    return true;
}

static void print_window_field(hlo_buf *to, const hlo_window *window, const char *name,
                               uint16_t offset) {
    hlo_buf_cstr(to, name);
    for (uint32_t i = 0; i < window->n; i++) {
        if (i) hlo_buf_char(to, 'x');
        hlo_buf_int(to, member(&window->v[i], offset));
        if (offset != offsetof(hlo_window_dim, pad_low)) continue;
        hlo_buf_char(to, '_');
        hlo_buf_int(to, window->v[i].pad_high);
    }
}

static bool has_reversal(const hlo_window *window) {
    for (uint32_t i = 0; i < window->n; i++)
        if (window->v[i].reversed) return true;
    return false;
}

void hlo_print_window(hlo_buf *to, const hlo_window *window) {
    hlo_buf_char(to, '{');
    if (window->n) print_window_field(to, window, "size=", offsetof(hlo_window_dim, size));
    for (int f = 0; f < WINDOW_FIELDS; f++)
        if (!is_normal(window, f))
            print_window_field(to, window, window_fields[f].name, window_fields[f].offset);
    if (has_reversal(window)) {
        hlo_buf_lit(to, " rhs_reversal=");
        for (uint32_t i = 0; i < window->n; i++) {
            if (i) hlo_buf_char(to, 'x');
            hlo_buf_char(to, window->v[i].reversed ? '1' : '0');
        }
    }
    hlo_buf_char(to, '}');
}

/* One part of dim_labels: the letters of two dimensions, the numbers of the spatial ones, '?' for
 * those between them that have no role. Of several roles at one place XLA shows the spatial one,
 * else the second letter. */
static void print_part(hlo_buf *to, const char letters[2], int64_t first, int64_t second,
                       const int64_t *spatial, uint32_t n) {
    int64_t last = first > second ? first : second;
    for (uint32_t i = 0; i < n; i++)
        if (spatial[i] > last) last = spatial[i];
    for (int64_t at = 0; at <= last; at++) {
        uint32_t i = 0;
        while (i < n && spatial[i] != at) i++;
        if (i < n) hlo_buf_uint(to, i);
        else if (at == second) hlo_buf_char(to, letters[1]);
        else if (at == first) hlo_buf_char(to, letters[0]);
        else hlo_buf_char(to, '?');
    }
}

void hlo_print_dim_labels(hlo_buf *to, const hlo_dim_labels *l) {
    print_part(to, "bf", l->input_batch, l->input_feature, l->input_spatial, l->n);
    hlo_buf_char(to, '_');
    print_part(to, "io", l->kernel_input_feature, l->kernel_output_feature, l->kernel_spatial,
               l->n);
    hlo_buf_lit(to, "->");
    print_part(to, "bf", l->output_batch, l->output_feature, l->output_spatial, l->n);
}

/* ---- padding, slices, sparsity ---- */

void hlo_print_padding(hlo_buf *to, const hlo_padding *padding) {
    bool interior = false;
    for (uint32_t i = 0; i < padding->n; i++) interior |= padding->v[i].interior != 0;
    for (uint32_t i = 0; i < padding->n; i++) {
        if (i) hlo_buf_char(to, 'x');
        hlo_buf_int(to, padding->v[i].low);
        hlo_buf_char(to, '_');
        hlo_buf_int(to, padding->v[i].high);
        if (!interior) continue;
        hlo_buf_char(to, '_');
        hlo_buf_int(to, padding->v[i].interior);
    }
}

void hlo_print_slice(hlo_buf *to, const hlo_slice *slice) {
    bool strided = false;
    for (uint32_t i = 0; i < slice->n; i++) strided |= slice->v[i].stride != 1;
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < slice->n; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_buf_char(to, '[');
        hlo_buf_int(to, slice->v[i].start);
        hlo_buf_char(to, ':');
        hlo_buf_int(to, slice->v[i].limit);
        if (strided) {
            hlo_buf_char(to, ':');
            hlo_buf_int(to, slice->v[i].stride);
        }
        hlo_buf_char(to, ']');
    }
    hlo_buf_char(to, '}');
}

static void print_side(hlo_buf *to, const char *name, int64_t nonzeros, int64_t block,
                       int64_t dimension, int64_t stride) {
    hlo_buf_cstr(to, name);
    hlo_buf_lit(to, "={sparsity=");
    hlo_buf_int(to, nonzeros);
    hlo_buf_char(to, 'x');
    hlo_buf_int(to, block);
    hlo_buf_lit(to, " dimension=");
    hlo_buf_int(to, dimension);
    hlo_buf_lit(to, " stride=");
    hlo_buf_int(to, stride);
    hlo_buf_char(to, '}');
}

void hlo_print_sparsity(hlo_buf *to, const hlo_sparsity *s) {
    hlo_buf_char(to, '{');
    if (s->lhs.given)
        print_side(to, "lhs", s->lhs.nonzeros, s->lhs.block, s->lhs.dimension, s->lhs.stride);
    if (s->lhs.given && s->rhs.given) hlo_buf_char(to, ' ');
    if (s->rhs.given)
        print_side(to, "rhs", s->rhs.nonzeros, s->rhs.block, s->rhs.dimension, s->rhs.stride);
    hlo_buf_char(to, '}');
}

/* ---- aliasing ---- */

/* (2, {0,1} without the closing parenthesis */
static void print_place(hlo_buf *to, int64_t number, const hlo_ints *index) {
    hlo_buf_char(to, '(');
    hlo_buf_int(to, number);
    hlo_buf_lit(to, ", ");
    hlo_print_ints(to, index);
}

void hlo_print_input_output_alias(hlo_buf *to, const hlo_aliasing *aliasing) {
    hlo_buf_lit(to, "{ ");
    for (uint32_t i = 0; i < aliasing->n; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_print_ints(to, aliasing->v[i].output);
        hlo_buf_lit(to, ": ");
        print_place(to, aliasing->v[i].parameter, aliasing->v[i].index);
        const char *kind = hlo_word_text(HLO_WORDS_ALIAS_KIND, aliasing->v[i].kind);
        hlo_buf_lit(to, ", ");
        hlo_buf_cstr(to, kind ? kind : "may-alias");
        hlo_buf_char(to, ')');
    }
    hlo_buf_lit(to, " }");
}

void hlo_print_operand_aliasing(hlo_buf *to, const hlo_aliasing *aliasing) {
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < aliasing->n; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_print_ints(to, aliasing->v[i].output);
        hlo_buf_lit(to, ": ");
        print_place(to, aliasing->v[i].parameter, aliasing->v[i].index);
        hlo_buf_char(to, ')');
    }
    hlo_buf_char(to, '}');
}

void hlo_print_donors(hlo_buf *to, const hlo_aliasing *donors) {
    hlo_buf_lit(to, "{ ");
    for (uint32_t i = 0; i < donors->n; i++) {
        if (i) hlo_buf_lit(to, ", ");
        print_place(to, donors->v[i].parameter, donors->v[i].index);
        hlo_buf_char(to, ')');
    }
    hlo_buf_lit(to, " }");
}
