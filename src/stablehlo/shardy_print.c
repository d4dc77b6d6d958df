/* Attributes of Shardy as MLIR prints them, from either form in which the readers give them. */
#include "stablehlo/shardy.h"

#include "base/buf.h"

static void print_quoted(hlo_buf *to, hlo_str text) {
    hlo_buf_char(to, '"');
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f) hlo_buf_printf(to, "\\%02X", c);
        else hlo_buf_char(to, (char)c);
    }
    hlo_buf_char(to, '"');
}

static bool is_word_of(const hlo_mlir_attr *attr, const char *text) {
    return attr->kind == HLO_MLIR_WORD && hlo_str_is(hlo_mlir_text_of(attr), text);
}

/* `p1` belongs to the dimension before it; `mesh` and `max` to what follows. */
static bool is_joined(const hlo_mlir_attr *before, const hlo_mlir_attr *attr) {
    if (attr->kind == HLO_MLIR_WORD && hlo_mlir_text_of(attr).len > 1 &&
        *hlo_mlir_text_of(attr).ptr == 'p')
        return true;
    return is_word_of(before, "mesh") || is_word_of(before, "max") || is_word_of(before, "min");
}

static void print_part(hlo_buf *to, const hlo_mlir_attr *attr);

static void print_parts(hlo_buf *to, char open, const hlo_mlir_list *list, char close) {
    hlo_buf_char(to, open);
    for (uint32_t i = 0; i < list->n; i++) {
        const hlo_mlir_named *part = &list->v[i];
        if (i && !is_joined(list->v[i - 1].value, part->value)) hlo_buf_cstr(to, ", ");
        if (part->key.len && part->value->kind == HLO_MLIR_UNIT) { /* {?} */
            hlo_buf_str(to, part->key);
            continue;
        }
        if (part->key.len) {
            hlo_buf_str(to, part->key);
            hlo_buf_char(to, '=');
        }
        print_part(to, part->value);
    }
    hlo_buf_char(to, close);
}

/* "x":(2)4 */
static void print_sub_axis(hlo_buf *to, const hlo_mlir_attr *axis) {
    const hlo_mlir_attr *name = hlo_mlir_member(axis, "name");
    const hlo_mlir_attr *pre = hlo_mlir_member(axis, "pre_size");
    const hlo_mlir_attr *size = hlo_mlir_member(axis, "size");
    if (!name || name->kind != HLO_MLIR_STRING || !hlo_mlir_has_int(pre) || !hlo_mlir_has_int(size))
        return;
    print_quoted(to, hlo_mlir_text_of(name));
    hlo_buf_printf(to, ":(%lld)%lld", (long long)hlo_mlir_int_of(pre),
                   (long long)hlo_mlir_int_of(size));
}

static void print_part(hlo_buf *to, const hlo_mlir_attr *attr) {
    char open = attr->bracket;
    switch (attr->kind) {
    case HLO_MLIR_STRING: print_quoted(to, hlo_mlir_text_of(attr)); return;
    case HLO_MLIR_INT: hlo_buf_int(to, hlo_mlir_int_of(attr)); return;
    case HLO_MLIR_DICT: print_parts(to, '{', &attr->list, '}'); return;
    case HLO_MLIR_STRUCT:
        if (hlo_str_is(hlo_mlir_text_of(attr), "sdy.axis_ref")) print_sub_axis(to, attr);
        else print_parts(to, '<', &attr->list, '>');
        return;
    case HLO_MLIR_INTS:
        hlo_buf_char(to, '[');
        for (uint32_t i = 0; i < attr->u.ints.n; i++) {
            if (i) hlo_buf_cstr(to, ", ");
            hlo_buf_int(to, attr->u.ints.v[i]);
        }
        hlo_buf_char(to, ']');
        return;
    case HLO_MLIR_LIST:
        if (open == '<') print_parts(to, '<', &attr->list, '>');
        else if (open == '{') print_parts(to, '{', &attr->list, '}');
        else if (open == '(') print_parts(to, '(', &attr->list, ')');
        else print_parts(to, '[', &attr->list, ']');
        return;
    default: hlo_mlir_print_attr(to, attr); return;
    }
}

/* The axes of a mesh are keys in quotes: ["x"=2, "y"=4]. */
void hlo_shardy_print_mesh(hlo_buf *to, const hlo_mlir_attr *mesh) {
    hlo_buf_cstr(to, "#sdy.mesh<[");
    for (uint32_t i = 0; i < mesh->list.n; i++) {
        const hlo_mlir_named *part = &mesh->list.v[i];
        if (i) {
            hlo_buf_cstr(to, ", ");
            hlo_buf_str(to, part->key);
            hlo_buf_char(to, '=');
            print_part(to, part->value);
            continue;
        }
        for (uint32_t k = 0; k < part->value->list.n; k++) {
            const hlo_mlir_named *axis = &part->value->list.v[k];
            if (k) hlo_buf_cstr(to, ", ");
            print_quoted(to, axis->key);
            hlo_buf_char(to, '=');
            print_part(to, axis->value);
        }
        hlo_buf_char(to, ']');
    }
    if (!mesh->list.n) hlo_buf_char(to, ']');
    hlo_buf_char(to, '>');
}

void hlo_shardy_print_sharding(hlo_buf *to, const hlo_mlir_attr *sharding) {
    print_parts(to, '<', &sharding->list, '>');
}

void hlo_shardy_print_per_value(hlo_buf *to, const hlo_mlir_list *shardings) {
    hlo_buf_cstr(to, "#sdy.sharding_per_value<[");
    for (uint32_t i = 0; i < shardings->n; i++) {
        if (i) hlo_buf_cstr(to, ", ");
        hlo_shardy_print_sharding(to, shardings->v[i].value);
    }
    hlo_buf_cstr(to, "]>");
}

void hlo_shardy_print_manual_axes(hlo_buf *to, const hlo_mlir_attr *axes) {
    hlo_mlir_list list = hlo_shardy_list(axes);
    hlo_buf_cstr(to, "#sdy<manual_axes");
    print_parts(to, '{', &list, '}');
    hlo_buf_char(to, '>');
}

/* ([i, j])->([i]) {i=4, j=8} reduction={j}, custom: with spaces between some of its parts. */
void hlo_shardy_print_rule(hlo_buf *to, const hlo_mlir_attr *rule) {
    hlo_buf_cstr(to, "#sdy.op_sharding_rule<");
    for (uint32_t i = 0; i < rule->list.n; i++) {
        const hlo_mlir_named *part = &rule->list.v[i];
        if (is_word_of(part->value, "custom")) hlo_buf_cstr(to, ", ");
        else if (i > 2) hlo_buf_char(to, ' ');
        if (part->key.len) {
            hlo_buf_str(to, part->key);
            hlo_buf_char(to, '=');
        }
        print_part(to, part->value);
    }
    hlo_buf_char(to, '>');
}
