/* Deep copies of attribute values for a module whose source module may go away. */
#include "ir/attr_layout.h"
#include "ir/literal.h"

typedef struct {
    hlo_arena *arena;
    hlo_shapes_table *shapes;
    bool shares; /* elements of literals */
} target;

static hlo_str copy_string(const target *to, hlo_str text) {
    if (text.ptr) text.ptr = hlo_arena_copy(to->arena, text.ptr, text.len);
    return text;
}

/* What is implied stays so. */
static void copy_elements(const target *to, hlo_literal *made, const hlo_literal *from) {
    int64_t bytes = from->data ? hlo_shape_bytes(from->shape) : 0;
    HLO_ASSERT(bytes <= 0 || hlo_shape_is_array(from->shape));
    if (to->shares && bytes > 0) {
        made->data = from->data;
        return;
    }
    if (bytes > 0) {
        made->data = hlo_arena_aligned(to->arena, (size_t)bytes, 64);
        memcpy(made->data, from->data, (size_t)bytes);
    }
    if (!from->implied) return;
    hlo_implied *implied = hlo_arena_copy(to->arena, from->implied, sizeof *implied);
    implied->arena = to->arena;
    made->implied = implied;
}

static hlo_literal *copy_literal(const target *to, const hlo_literal *from) {
    hlo_literal *made = HLO_NEW(to->arena, hlo_literal);
    made->shape = hlo_shape_import(to->shapes, from->shape);
    made->is_read = from->is_read;
    copy_elements(to, made, from);
    if (!hlo_shape_is_tuple(from->shape)) return made;
    hlo_literal **elements = HLO_NEW_ARRAY(to->arena, hlo_literal *, from->shape->rank);
    for (uint32_t i = 0; i < from->shape->rank; i++)
        elements[i] = copy_literal(to, from->elements[i]);
    made->elements = elements;
    return made;
}

static void copy_fields(const target *to, const hlo_value_type *type, void *made);

/* The items were copied as bytes; what they point to follows. */
static void copy_items(const target *to, const hlo_value_type *type, void *items, uint32_t n) {
    for (uint32_t i = 0; !type->flat && i < n; i++)
        copy_fields(to, type, (char *)items + i * type->size);
}

static const void *copy_value(const target *to, const hlo_value_type *type, const void *value) {
    size_t size = type->size;
    for (const hlo_value_field *f = type->fields; f->how != HLO_FIELD_END; f++)
        if (f->how == HLO_FIELD_TAIL) size += hlo_value_count(f, value) * f->type->size;
    void *made = hlo_arena_copy(to->arena, value, size);
    copy_fields(to, type, made);
    return made;
}

static void copy_field(const target *to, const hlo_value_field *f, void *made) {
    char *at = (char *)made + f->offset;
    if (f->how == HLO_FIELD_STRING) {
        hlo_str text = copy_string(to, hlo_value_string(f, made));
        memcpy(at, &text, sizeof text);
        return;
    }
    if (f->how == HLO_FIELD_TAIL) copy_items(to, f->type, at, hlo_value_count(f, made));
    if (f->how == HLO_FIELD_BYTES || f->how == HLO_FIELD_TAIL) return;
    const void *from = hlo_value_pointer(f, made);
    if (!from) return;
    if (f->how == HLO_FIELD_SHAPE) from = hlo_shape_import(to->shapes, from);
    if (f->how == HLO_FIELD_LITERAL) from = copy_literal(to, from);
    if (f->how == HLO_FIELD_ONE) from = copy_value(to, f->type, from);
    if (f->how == HLO_FIELD_ARRAY) {
        uint32_t n = hlo_value_count(f, made);
        void *items = hlo_arena_copy(to->arena, from, n * f->type->size);
        copy_items(to, f->type, items, n);
        from = items;
    }
    memcpy(at, &from, sizeof from);
}

static void copy_fields(const target *to, const hlo_value_type *type, void *made) {
    for (const hlo_value_field *f = type->fields; f->how != HLO_FIELD_END; f++)
        copy_field(to, f, made);
}

static hlo_attr import(const target *to, const hlo_attr *from) {
    hlo_attr made = *from;
    copy_field(to, hlo_kind_fields[hlo_attr_table[from->id].kind], &made.u);
    made.at = 0;
    return made;
}

hlo_attr hlo_attr_import(hlo_arena *arena, hlo_shapes_table *shapes, const hlo_attr *from) {
    return import(&(target){arena, shapes, false}, from);
}

hlo_attr hlo_attr_import_sharing(hlo_arena *arena, hlo_shapes_table *shapes, const hlo_attr *from) {
    return import(&(target){arena, shapes, true}, from);
}
