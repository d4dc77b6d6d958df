/* Edits of an old text: noting places of a form and what changes there, and the source that
 * results, which knows where its parts stood. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "legacy/old_text.h"

void hlo_old_found(hlo_old_text *t, hlo_span at) {
    HLO_ASSERT(at.lo <= at.hi && at.hi <= t->length);
    hlo_list_push(&t->places, (hlo_old_place){t->form, t->source, at});
}

static hlo_str formatted(hlo_old_text *t, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = hlo_arena_alloc(&t->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, args);
    return (hlo_str){text, (uint32_t)n, 0};
}

static void change(hlo_old_text *t, hlo_span at, const char *format, va_list args) {
    hlo_list_push(&t->changes, (hlo_old_change){at, formatted(t, format, args)});
}

#define CHANGE(t, at, format)        \
    do {                             \
        va_list args;                \
        va_start(args, format);      \
        change(t, at, format, args); \
        va_end(args);                \
    } while (0)

void hlo_old_edit(hlo_old_text *t, hlo_span at, const char *format, ...) {
    HLO_ASSERT(at.lo <= at.hi && at.hi <= t->length);
    CHANGE(t, at, format);
}

void hlo_old_insert(hlo_old_text *t, uint32_t at, const char *format, ...) {
    HLO_ASSERT(at <= t->length);
    CHANGE(t, ((hlo_span){at, at}), format);
}

void hlo_old_remove(hlo_old_text *t, hlo_span at) {
    HLO_ASSERT(at.lo <= at.hi && at.hi <= t->length);
    hlo_old_edit(t, at, "%s", "");
}

void hlo_old_remove_attr(hlo_old_text *t, const hlo_old_attr *attr) {
    HLO_ASSERT(attr->from <= attr->name.lo);
    hlo_old_remove(t, (hlo_span){attr->from, attr->value.hi});
}

void hlo_old_add_attr(hlo_old_text *t, const hlo_old_statement *s, const char *format, ...) {
    CHANGE(t, ((hlo_span){s->parens.hi, s->parens.hi}), format);
}

const char *hlo_old_before(hlo_old_text *t, const hlo_old_statement *s, const char *base,
                           const char *format, ...) {
    const char *name = hlo_old_new_name(t, base);
    va_list args;
    va_start(args, format);
    hlo_str text = formatted(t, format, args);
    va_end(args);
    hlo_old_insert(t, s->root.lo, "%%%s = %s\n  ", name, text.ptr);
    return name;
}

const char *hlo_old_with_percent(hlo_old_text *t, const char *name) {
    char *text = hlo_arena_alloc(&t->arena, strlen(name) + 2);
    return strcat(strcpy(text, "%"), name);
}

const char *hlo_old_operand_text(hlo_old_text *t, const hlo_old_statement *s, uint32_t operand) {
    HLO_ASSERT(operand < s->operand_count);
    hlo_str text = hlo_old_str(t, s->operands[operand].all);
    char *copy = hlo_arena_alloc(&t->arena, text.len + 1u);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = 0;
    return copy;
}

void hlo_old_set_operands(hlo_old_text *t, const hlo_old_statement *s, const char *format, ...) {
    CHANGE(t, ((hlo_span){s->parens.lo + 1, s->parens.hi - 1}), format);
}

void hlo_old_add_computation(hlo_old_text *t, const hlo_old_statement *s, const char *format, ...) {
    uint32_t at = t->computations.v[s->computation].head.lo;
    CHANGE(t, ((hlo_span){at, at}), format);
}

void hlo_old_refuse(hlo_old_text *t, hlo_span at, const char *format, ...) {
    HLO_ASSERT(at.lo <= at.hi && at.hi <= t->length);
    va_list args;
    va_start(args, format);
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hlo_error(t->diags, HLO_RULE_OLD_FORM, t->source, at, "%s", text);
}

static bool is_in_text(const hlo_old_text *t, const char *name) {
    return memmem(t->text, t->length, name, strlen(name)) != NULL;
}

/* The base's row, made when there is none: then `*is_new`. */
static const hlo_old_base *base_of(hlo_old_text *t, const char *text, bool *is_new) {
    *is_new = false;
    for (uint32_t i = 0; i < t->bases.n; i++)
        if (strcmp(t->bases.v[i].text, text) == 0) return &t->bases.v[i];
    *is_new = true;
    hlo_list_push(&t->bases, (hlo_old_base){text, !is_in_text(t, text)});
    return &t->bases.v[t->bases.n - 1];
}

/* All names but the first of a base are numbered, and no number comes twice. */
const char *hlo_old_new_name(hlo_old_text *t, const char *base) {
    char *name = hlo_arena_alloc(&t->arena, strlen(base) + 16);
    bool is_new;
    const hlo_old_base *known = base_of(t, base, &is_new);
    strcpy(name, base);
    if (is_new && known->is_free) return name;
    do sprintf(name, "%s.%u", base, ++t->made);
    while (!known->is_free && is_in_text(t, name));
    return name;
}

/* ---- opcodes and attributes by table ---- */

typedef struct {
    hlo_old_id form;
    hlo_opcode now;
    const char *old, *attributes;
} opcode_row;

static const opcode_row opcode_rows[] = {
#define HLO_OLD_FORM(...)
#define HLO_OLD_ATTRIBUTE(...)
#define HLO_OLD_OPCODE(ID, old, OP, attributes) {HLO_OLD_##ID, HLO_OP_##OP, old, attributes},
#include "legacy/forms.def"
#undef HLO_OLD_OPCODE
#undef HLO_OLD_ATTRIBUTE
#undef HLO_OLD_FORM
};

static const opcode_row *opcode_row_of(const hlo_old_text *t, const hlo_old_statement *s) {
    for (size_t i = 0; i < sizeof opcode_rows / sizeof *opcode_rows; i++)
        if (opcode_rows[i].form == t->form && hlo_old_is(t, s->opcode, opcode_rows[i].old))
            return &opcode_rows[i];
    return NULL;
}

/* The same for what was found there. */
static const opcode_row *opcode_row_at(const hlo_old_place *place) {
    hlo_str found = {place->source->text + place->at.lo, place->at.hi - place->at.lo, 0};
    for (size_t i = 0; i < sizeof opcode_rows / sizeof *opcode_rows; i++)
        if (opcode_rows[i].form == place->form && hlo_str_is(found, opcode_rows[i].old))
            return &opcode_rows[i];
    return NULL;
}

hlo_old_example hlo_old_example_of(const hlo_old_place *place) {
    /* The example of this form has three of its many opcodes, those of others fit each place. */
    bool is_of_many = place->form == HLO_OLD_FUNCTION_NAMES;
    const opcode_row *row = is_of_many ? opcode_row_at(place) : NULL;
    const hlo_old_form *form = &hlo_old_forms[place->form];
    if (!row) return (hlo_old_example){form->old, form->now, ""};
    return (hlo_old_example){row->old, hlo_ops[row->now].text, row->attributes};
}

static bool is_spelled_like(const char *name, const char *text, size_t n) {
    size_t i = 0;
    while (i < n && name[i] && (name[i] == text[i] || (name[i] == '-' && text[i] == '_'))) i++;
    return i == n && !name[i];
}

const char *hlo_old_opcode_today(const char *text, size_t n) {
    for (size_t i = 0; i < sizeof opcode_rows / sizeof *opcode_rows; i++)
        if (is_spelled_like(opcode_rows[i].old, text, n)) return hlo_ops[opcode_rows[i].now].text;
    return NULL;
}

bool hlo_old_is_opcode(const hlo_old_text *t, const hlo_old_statement *s) {
    return opcode_row_of(t, s) != NULL;
}

void hlo_old_opcodes(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const opcode_row *row = opcode_row_of(t, s);
        if (!row) continue;
        hlo_old_found(t, s->opcode);
        hlo_old_edit(t, s->opcode, "%s", hlo_ops[row->now].text);
        hlo_old_add_attr(t, s, "%s", row->attributes);
    }
}

typedef struct {
    hlo_old_id form;
    hlo_opcode op;
    const char *old, *now, *value;
} attribute_row;

static const attribute_row attribute_rows[] = {
#define HLO_OLD_FORM(...)
#define HLO_OLD_OPCODE(...)
#define HLO_OLD_ATTRIBUTE(ID, OP, old, now, value) {HLO_OLD_##ID, HLO_OP_##OP, old, now, value},
#include "legacy/forms.def"
#undef HLO_OLD_ATTRIBUTE
#undef HLO_OLD_OPCODE
#undef HLO_OLD_FORM
};

/* Whether the value is a dimension, and the attribute of today takes a list of them. */
static bool is_one_of_list(const hlo_old_text *t, const attribute_row *row,
                           const hlo_old_attr *attr) {
    return strcmp(row->now, "dimensions") == 0 && t->text[attr->value.lo] != '{';
}

static void translate_attribute(hlo_old_text *t, const hlo_old_statement *s,
                                const attribute_row *row) {
    const hlo_old_attr *attr = hlo_old_attribute(t, s, row->old);
    if (!attr || (row->op != HLO_OP_COUNT && !hlo_old_is(t, s->opcode, hlo_ops[row->op].text)))
        return;
    if (row->value[0] && !hlo_old_is(t, attr->value, row->value)) return;
    hlo_old_found(t, attr->name);
    if (!row->now[0]) hlo_old_remove_attr(t, attr);
    else if (is_one_of_list(t, row, attr))
        hlo_old_edit(t, (hlo_span){attr->name.lo, attr->value.hi}, "%s={%.*s}", row->now,
                     HLO_OLD(t, attr->value));
    else hlo_old_edit(t, attr->name, "%s", row->now);
}

void hlo_old_attributes(hlo_old_text *t) {
    for (size_t i = 0; i < sizeof attribute_rows / sizeof *attribute_rows; i++)
        if (attribute_rows[i].form == t->form)
            HLO_OLD_EACH(t, s) translate_attribute(t, s, &attribute_rows[i]);
}

/* ---- the text with its changes ---- */

typedef struct {
    hlo_old_change change;
    uint32_t order;
} sorted_change;

/* What is inserted before a part comes before what replaces the part. */
static int by_place(const void *a, const void *b) {
    const sorted_change *x = a, *y = b;
    bool replaces_x = x->change.at.hi > x->change.at.lo;
    bool replaces_y = y->change.at.hi > y->change.at.lo;
    if (x->change.at.lo != y->change.at.lo) return x->change.at.lo < y->change.at.lo ? -1 : 1;
    if (replaces_x != replaces_y) return replaces_y ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static sorted_change *sort_changes(const hlo_old_text *t) {
    sorted_change *sorted = hlo_malloc(t->changes.n * sizeof *sorted);
    for (uint32_t i = 0; i < t->changes.n; i++) sorted[i] = (sorted_change){t->changes.v[i], i};
    qsort(sorted, t->changes.n, sizeof *sorted, by_place);
    return sorted;
}

/* An edit inside one that was made is left out: the outer one replaces what it is about. */
static hlo_source_move *write_changes(const hlo_old_text *t, const sorted_change *sorted,
                                      hlo_buf *to, uint32_t *count) {
    hlo_source_move *moves = hlo_malloc(t->changes.n * sizeof *moves);
    uint32_t at = 0, n = 0;
    for (uint32_t i = 0; i < t->changes.n; i++) {
        const hlo_old_change *c = &sorted[i].change;
        if (c->at.lo < at) continue;
        hlo_buf_bytes(to, t->text + at, c->at.lo - at);
        uint32_t from = (uint32_t)to->len;
        hlo_buf_str(to, c->text);
        moves[n++] = (hlo_source_move){c->at, {from, (uint32_t)to->len}};
        at = c->at.hi;
    }
    hlo_buf_bytes(to, t->text + at, t->length - at);
    *count = n;
    return moves;
}

hlo_source *hlo_old_apply(hlo_old_text *t) {
    if (!t->changes.n) return NULL;
    sorted_change *sorted = sort_changes(t);
    hlo_buf text = HLO_BUF_INIT;
    uint32_t count;
    hlo_source_move *moves = write_changes(t, sorted, &text, &count);
    hlo_source *made = hlo_source_from_text(t->source->name, text.data, text.len);
    if (!made) hlo_out_of_memory(text.len);
    hlo_source_moved(made, t->source, moves, count);
    hlo_buf_free(&text);
    hlo_free(sorted);
    t->changes.n = 0;
    return made;
}
