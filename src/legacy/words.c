/* Old forms of names, shapes and literals. */
#include "legacy/old_text.h"

/* ---- names ---- */

/* Words that begin something else now. */
static bool is_reserved(hlo_str name) {
    static const char *const words[] = {"unknown"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hlo_str_is(name, words[i])) return true;
    return hlo_type_from_text(name.ptr, name.len) != HLO_TYPE_COUNT;
}

static hlo_span bare(const hlo_old_text *t, hlo_span name) {
    return name.lo < name.hi && t->text[name.lo] == '%' ? (hlo_span){name.lo + 1, name.hi} : name;
}

/* An underscore, as XLA appends it to names that came to be types; more if that name is there. */
static const char *new_name(hlo_old_text *t, hlo_str name) {
    char *made = hlo_arena_alloc(&t->arena, name.len + 64u);
    uint32_t n = name.len;
    memcpy(made, name.ptr, n);
    do {
        made[n++] = '_';
        made[n] = 0;
    } while (n < name.len + 63u && memmem(t->text, t->length, made, n));
    return made;
}

/* What a name is called now, by type or word; NULL: as before. */
typedef struct {
    hlo_str old;
    const char *now;
} renaming;
typedef HLO_LIST(renaming) renamings;

static const char *renamed(const renamings *list, hlo_str name) {
    for (uint32_t i = 0; i < list->n; i++)
        if (hlo_str_equal(list->v[i].old, name)) return list->v[i].now;
    return NULL;
}

static void rename_at(hlo_old_text *t, const renamings *list, hlo_span at) {
    at = bare(t, at);
    const char *now = renamed(list, hlo_old_str(t, at));
    if (now) hlo_old_edit(t, at, "%s", now);
}

static void rename_predecessors(hlo_old_text *t, const renamings *list,
                                const hlo_old_statement *s) {
    const hlo_old_attr *attr = hlo_old_attribute(t, s, "control-predecessors");
    if (!attr || t->text[attr->value.lo] != '{') return;
    hlo_span part;
    for (uint32_t at = attr->value.lo + 1; hlo_old_next_part(t, &at, attr->value.hi - 1, &part);)
        rename_at(t, list, part);
}

/* The parameters in the signature: `(token: f32[], ...)`. */
static void rename_signature(hlo_old_text *t, const renamings *list, const hlo_old_computation *c) {
    uint32_t open = hlo_old_skip_blanks(t, c->name.hi);
    if (open >= c->head.hi || t->text[open] != '(') return;
    hlo_span part;
    for (uint32_t at = open + 1, end = hlo_old_brackets_end(t, open) - 1;
         hlo_old_next_part(t, &at, end, &part);)
        rename_at(t, list, (hlo_span){part.lo, hlo_old_word_end(t, part.lo)});
}

void hlo_old_reserved_name(hlo_old_text *t) {
    renamings list = {0};
    HLO_OLD_EACH(t, s) {
        hlo_span name = bare(t, s->name);
        hlo_str word = hlo_old_str(t, name);
        if (!is_reserved(word) || (name.lo > s->name.lo && hlo_str_is(word, "unknown"))) continue;
        hlo_old_found(t, name);
        if (!renamed(&list, word)) hlo_list_push(&list, (renaming){word, new_name(t, word)});
    }
    for (uint32_t i = 0; list.n && i < t->computations.n; i++)
        rename_signature(t, &list, &t->computations.v[i]);
    if (list.n) HLO_OLD_EACH(t, s) {
            rename_at(t, &list, s->name);
            rename_predecessors(t, &list, s);
            for (uint32_t i = 0; i < s->operand_count; i++)
                rename_at(t, &list, s->operands[i].name);
        }
    hlo_list_free(&list);
}

/* ---- shapes ---- */

/* The next shape of an array from *at on, outside of strings and comments: [dims] and what follows
 * it at once. */
static bool next_array(const hlo_old_text *t, uint32_t *at, hlo_span *shape, uint32_t *after_dims) {
    while (*at < t->length) {
        uint32_t end = hlo_old_word_end(t, *at), from = *at;
        bool is_type = end > from && end < t->length && t->text[end] == '[' &&
                       hlo_type_from_text(t->text + from, end - from) != HLO_TYPE_COUNT;
        if (is_type) {
            *after_dims = hlo_old_brackets_end(t, end);
            *shape = (hlo_span){from, *after_dims};
            *at = *after_dims;
            return true;
        }
        *at = end > from ? end : hlo_old_next(t, from);
    }
    return false;
}

void hlo_old_sparse_array(hlo_old_text *t) {
    hlo_span shape;
    for (uint32_t at = 0, after; next_array(t, &at, &shape, &after);) {
        if (memcmp(t->text + after, "sparse{", 7) != 0) continue;
        hlo_span all = {shape.lo, hlo_old_brackets_end(t, after)};
        hlo_old_found(t, all);
        hlo_old_refuse(t, all, "sparse arrays have no meaning today: every array is dense");
    }
}

void hlo_old_empty_layout(hlo_old_text *t) {
    hlo_span shape;
    for (uint32_t at = 0, after; next_array(t, &at, &shape, &after);) {
        bool is_scalar = t->text[after - 1] == ']' && t->text[after - 2] == '[';
        if (!is_scalar || memcmp(t->text + after, "{}", 2) != 0) continue;
        hlo_old_found(t, (hlo_span){shape.lo, after + 2});
        hlo_old_remove(t, (hlo_span){after, after + 2});
    }
}

/* A part of a layout, such as T(8,128): false at its end. */
static bool layout_part(const hlo_old_text *t, uint32_t *at, uint32_t end, hlo_span *part) {
    if (*at >= end) return false;
    uint32_t open = *at;
    while (open < end && t->text[open] != '(') open++;
    *part = (hlo_span){*at, open < end ? hlo_old_brackets_end(t, open) : end};
    while (part->hi < end && t->text[part->hi] == '(') part->hi = hlo_old_brackets_end(t, part->hi);
    *at = part->hi;
    return true;
}

static bool find_physical_shape(const hlo_old_text *t, uint32_t at, uint32_t end, hlo_span *part) {
    while (layout_part(t, &at, end, part))
        if (t->text[part->lo] == 'P') return true;
    return false;
}

/* The physical shape, and the types of its indices and pointers: #(u64), *(u32). */
static void layout_parts(hlo_old_text *t, uint32_t colon, uint32_t end) {
    hlo_span part;
    uint32_t kept = 0;
    if (!find_physical_shape(t, colon + 1, end, &part)) return;
    hlo_old_found(t, part);
    for (uint32_t at = colon + 1; layout_part(t, &at, end, &part);) {
        char kind = t->text[part.lo];
        bool old = kind == 'P' || kind == '#' || kind == '*';
        kept += !old;
        if (old) hlo_old_remove(t, part);
    }
    if (!kept) hlo_old_remove(t, (hlo_span){colon, colon + 1});
}

void hlo_old_physical_shape(hlo_old_text *t) {
    hlo_span shape;
    for (uint32_t at = 0, after; next_array(t, &at, &shape, &after);) {
        if (after >= t->length || t->text[after] != '{') continue;
        at = hlo_old_brackets_end(t, after);
        const char *colon = memchr(t->text + after, ':', at - after);
        if (colon) layout_parts(t, (uint32_t)(colon - t->text), at - 1);
    }
}

void hlo_old_shaped_sharding(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *attr = hlo_old_attribute(t, s, "sharding");
        for (uint32_t at = attr ? attr->value.lo : 0; attr && at < attr->value.hi;) {
            bool opens = t->text[at] == '{';
            at = hlo_old_next(t, at);
            if (!opens) continue;
            uint32_t from = hlo_old_skip_blanks(t, at), end = hlo_old_shape_end(t, from);
            if (end == from || end > attr->value.hi) continue;
            hlo_old_found(t, (hlo_span){from, end});
            hlo_old_remove(t, (hlo_span){from, hlo_old_skip_blanks(t, end)});
            at = end;
        }
    }
}

/* ---- literals ---- */

/* The shape of a tuple before its elements: two parentheses follow each other. */
static uint32_t tuple_shape_end(const hlo_old_text *t, uint32_t at, uint32_t end) {
    if (t->text[at] != '(') return at;
    uint32_t after = hlo_old_skip_blanks(t, hlo_old_brackets_end(t, at));
    return after < end && t->text[after] == '(' ? after : at;
}

/* The shape of an array before its elements: braces that follow it at once are a layout where
 * others follow them, else they hold the elements. */
static uint32_t array_shape_end(const hlo_old_text *t, uint32_t at) {
    uint32_t end = hlo_old_array_end(t, at);
    if (end == at || t->text[end - 1] == ']') return end;
    if (t->text[hlo_old_skip_blanks(t, end)] == '{') return end;
    return hlo_old_brackets_end(t, hlo_old_word_end(t, at));
}

static void remove_shape(hlo_old_text *t, uint32_t from, uint32_t value) {
    hlo_old_found(t, (hlo_span){from, value});
    hlo_old_remove(t, (hlo_span){from, value});
}

static void remove_shapes(hlo_old_text *t, uint32_t at, uint32_t end) {
    while (at < end) {
        uint32_t shape = array_shape_end(t, at), word = hlo_old_word_end(t, at);
        if (shape > at) {
            uint32_t value = hlo_old_skip_blanks(t, shape);
            remove_shape(t, at, value);
            at = value;
        } else {
            at = word > at ? word : hlo_old_next(t, at);
        }
    }
}

void hlo_old_shaped_literal(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "constant")) continue;
        uint32_t at = hlo_old_skip_blanks(t, s->parens.lo + 1), end = s->parens.hi - 1;
        uint32_t literal = tuple_shape_end(t, at, end);
        if (literal > at) remove_shape(t, at, literal);
        remove_shapes(t, literal, end);
    }
}
