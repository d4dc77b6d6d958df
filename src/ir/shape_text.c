/* Shapes and layouts as XLA prints them (docs/text-format.md, section 5). */
#include "ir/shape.h"

#include "ir/print_parts.h"

static void put_number(hlo_buf *to, const char *open, int64_t value) {
    hlo_buf_cstr(to, open);
    hlo_buf_int(to, value);
    hlo_buf_char(to, ')');
}

static void put_tiles(hlo_buf *to, const hlo_layout_parts *p) {
    if (p->tile_count) hlo_buf_char(to, 'T');
    for (uint32_t i = 0; i < p->tile_count; i++) {
        hlo_buf_char(to, '(');
        for (uint32_t k = 0; k < p->tiles[i].n; k++) {
            if (k) hlo_buf_char(to, ',');
            if (p->tiles[i].v[k] == HLO_COMBINE) hlo_buf_char(to, '*');
            else hlo_buf_int(to, p->tiles[i].v[k]);
        }
        hlo_buf_char(to, ')');
    }
}

static void put_type(hlo_buf *to, const char *open, hlo_type type) {
    if (type == HLO_TYPE_COUNT) return;
    hlo_buf_cstr(to, open);
    hlo_buf_cstr(to, hlo_types[type].text);
    hlo_buf_char(to, ')');
}

static void put_parts(hlo_buf *to, const hlo_layout_parts *p) {
    hlo_buf_char(to, ':');
    put_tiles(to, p);
    if (p->tail_padding_alignment != 1) put_number(to, "L(", p->tail_padding_alignment);
    put_type(to, "#(", p->index_type);
    put_type(to, "*(", p->pointer_type);
    if (p->element_bits) put_number(to, "E(", p->element_bits);
    if (p->memory_space) put_number(to, "S(", p->memory_space);
    if (p->split_count) hlo_buf_lit(to, "SC");
    for (uint32_t i = 0; i < p->split_count; i++) {
        hlo_buf_char(to, '(');
        hlo_buf_int(to, p->splits[i].dimension);
        hlo_buf_char(to, ':');
        hlo_print_numbers(to, p->splits[i].indices, p->splits[i].n);
        hlo_buf_char(to, ')');
    }
    if (p->metadata_prefix_bytes > 0) put_number(to, "M(", p->metadata_prefix_bytes);
}

static void put_layout(hlo_buf *to, const hlo_layout *layout) {
    if (layout->n == 0 && !layout->parts) return;
    hlo_buf_char(to, '{');
    hlo_print_numbers(to, layout->minor_to_major, layout->n);
    if (layout->parts) put_parts(to, layout->parts);
    hlo_buf_char(to, '}');
}

static void put_array(hlo_buf *to, const hlo_shape *s, bool with_layout) {
    hlo_buf_cstr(to, hlo_types[s->type].text);
    hlo_buf_char(to, '[');
    for (uint32_t i = 0; i < s->rank; i++) {
        if (i) hlo_buf_char(to, ',');
        if (s->dims[i] == HLO_UNBOUNDED) {
            hlo_buf_char(to, '?');
            continue;
        }
        if (s->is_dynamic && s->is_dynamic[i]) hlo_buf_lit(to, "<=");
        hlo_buf_int(to, s->dims[i]);
    }
    hlo_buf_char(to, ']');
    if (with_layout && s->layout) put_layout(to, s->layout);
}

void hlo_shape_print(hlo_buf *to, const hlo_shape *s, bool with_layout) {
    if (with_layout && s->text.ptr) {
        hlo_buf_str(to, s->text);
        return;
    }
    if (s->type == HLO_BUFFER) {
        hlo_buf_lit(to, "b(");
        hlo_shape_print(to, s->elements[0], with_layout);
        hlo_buf_char(to, ')');
        return;
    }
    if (s->type != HLO_TUPLE) {
        put_array(to, s, with_layout);
        return;
    }
    hlo_buf_char(to, '(');
    for (uint32_t i = 0; i < s->rank; i++) {
        if (i) hlo_buf_lit(to, ", ");
        if (i && i % 5 == 0) hlo_buf_printf(to, "/*index=%u*/", i);
        hlo_shape_print(to, s->elements[i], with_layout);
    }
    hlo_buf_char(to, ')');
}

hlo_str hlo_shape_text(hlo_shapes_table *table, const hlo_shape *s) {
    if (!s->text.ptr) {
        hlo_buf buf = HLO_BUF_INIT;
        hlo_shape_print(&buf, s, true);
        /* The text is a cache inside an otherwise immutable value that this table owns. */
        hlo_shape *owned = (hlo_shape *)(uintptr_t)s;
        owned->text =
            (hlo_str){hlo_arena_copy(table->arena, buf.data, buf.len), (uint32_t)buf.len, 1};
        hlo_buf_free(&buf);
    }
    return s->text;
}

static const char *name_of(hlo_arena *arena, const hlo_shape *s, bool with_layout) {
    hlo_buf buf = HLO_BUF_INIT;
    hlo_shape_print(&buf, s, with_layout);
    hlo_buf_char(&buf, 0);
    const char *name = hlo_arena_copy(arena, buf.data, buf.len);
    hlo_buf_free(&buf);
    return name;
}

const char *hlo_shape_name(hlo_arena *arena, const hlo_shape *s) {
    return name_of(arena, s, false);
}

const char *hlo_shape_layout_name(hlo_arena *arena, const hlo_shape *s) {
    return name_of(arena, s, true);
}

hlo_shape_texts hlo_shape_names(hlo_arena *arena, const hlo_shape *a, const hlo_shape *b) {
    hlo_shape_texts texts = {hlo_shape_name(arena, a), hlo_shape_name(arena, b)};
    if (strcmp(texts.first, texts.second) == 0)
        texts = (hlo_shape_texts){hlo_shape_layout_name(arena, a), hlo_shape_layout_name(arena, b)};
    return texts;
}
