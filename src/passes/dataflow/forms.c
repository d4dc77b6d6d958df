/* What graphs have no place for: see forms.h. */
#include "passes/dataflow/forms.h"

static const char key[] = "_tuple";

void hlo_flow_carry(const hlo_instr *from, hlo_instr *to) {
    static const hlo_attr_id carried[] = {HLO_ATTR_METADATA, HLO_ATTR_FRONTEND_ATTRIBUTES,
                                          HLO_ATTR_BACKEND_CONFIG};
    for (size_t i = 0; i < sizeof carried / sizeof *carried; i++) {
        const hlo_attr *attr = hlo_instr_attr(from, carried[i]);
        if (attr) hlo_instr_set_attr(to, *attr);
    }
}

/* ---- frontend attributes ---- */

/* The same without the form, and space for one more. */
static hlo_frontend *others(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    uint32_t n = attr ? attr->u.frontend->n : 0;
    hlo_arena *arena = &instr->parent->module->arena;
    hlo_frontend *list = hlo_arena_zero(arena, sizeof *list + (n + 1) * sizeof list->v[0]);
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_str_is(attr->u.frontend->v[i].key, key))
            list->v[list->n++] = attr->u.frontend->v[i];
    return list;
}

static void set(hlo_instr *instr, const hlo_frontend *list) {
    if (list->n)
        hlo_instr_set_attr(instr,
                           (hlo_attr){.id = HLO_ATTR_FRONTEND_ATTRIBUTES, .u.frontend = list});
    else hlo_instr_remove_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
}

/* Sorted by key. */
static void insert(hlo_frontend *list, hlo_frontend_entry entry) {
    uint32_t at = list->n++;
    for (; at && hlo_str_compare(list->v[at - 1].key, entry.key) > 0; at--)
        list->v[at] = list->v[at - 1];
    list->v[at] = entry;
}

void hlo_flow_forget_form(hlo_instr *instr) {
    if (hlo_frontend_value(instr, key)) set(instr, others(instr));
}

/* ---- forms ---- */

static void put_form(hlo_buf *to, const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) {
        hlo_buf_char(to, '.');
        return;
    }
    hlo_buf_char(to, '(');
    for (uint32_t i = 0; i < shape->rank; i++) put_form(to, shape->elements[i]);
    hlo_buf_char(to, ')');
}

static bool is_implied(const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return true;
    return shape->depth == 1 && shape->rank != 1;
}

void hlo_flow_set_form(hlo_instr *primitive, const hlo_shape *shape) {
    if (is_implied(shape)) return;
    hlo_arena *arena = &primitive->parent->module->arena;
    hlo_buf form = HLO_BUF_INIT;
    put_form(&form, shape);
    hlo_buf_char(&form, 0);
    const char *text = hlo_arena_copy(arena, form.data, form.len);
    hlo_frontend *list = others(primitive);
    insert(list, (hlo_frontend_entry){hlo_str_from(key), hlo_str_from(text)});
    set(primitive, list);
    hlo_buf_free(&form);
}

/* One tuple, in balance, of so many leaves. */
static bool is_form(hlo_str text, uint32_t leaves) {
    uint32_t depth = 0, found = 0;
    for (uint32_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '(' && depth < HLO_FORM_DEPTH - 1 && (i == 0 || depth)) depth++;
        else if (text.ptr[i] == ')' && depth) depth--;
        else if (text.ptr[i] == '.' && depth) found++;
        else return false;
    }
    return text.len && !depth && found == leaves;
}

const char *hlo_flow_form(const hlo_instr *primitive, uint32_t leaves) {
    const hlo_str *said = hlo_frontend_value(primitive, key);
    if (!said || !is_form(*said, leaves)) return NULL;
    hlo_arena *arena = &primitive->parent->module->arena;
    char *text = hlo_arena_zero(arena, said->len + 1u);
    memcpy(text, said->ptr, said->len);
    return text;
}

uint32_t hlo_flow_path(const char *form, uint32_t leaf, uint32_t path[HLO_FORM_DEPTH]) {
    uint32_t depth = 0;
    for (;; form++) {
        if (*form == '(') {
            path[depth++] = 0;
            continue;
        }
        if (*form == ')') depth--;
        else if (leaf-- == 0) return depth;
        path[depth - 1]++;
    }
}
