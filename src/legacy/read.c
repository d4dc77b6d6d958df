/* Telling computations, statements, operands and attributes apart in a text of any age: by
 * brackets, strings, comments and words before equals signs. */
#include "base/text.h"
#include "legacy/old_text.h"

/* A name that so many statements have is an error, and is not looked for further. */
enum { MOST_OF_ONE_HASH = 256 };

/* ---- pieces ---- */

static bool is_word(char c) {
    return hlo_is_word_byte(c) || c == '%';
}

static char byte_at(const hlo_old_text *t, uint32_t at) {
    return at < t->length ? t->text[at] : 0;
}

/* The offset of `end`; of the text's end for NULL. */
static uint32_t offset(const hlo_old_text *t, const char *end) {
    return end ? (uint32_t)(end - t->text) : t->length;
}

static uint32_t comment_end(const hlo_old_text *t, uint32_t at) {
    return offset(t, hlo_comment_end(t->text + at, t->text + t->length));
}

/* A string in single quotes ends on its line: an apostrophe may be one of prose around a module. */
static uint32_t string_end(const hlo_old_text *t, uint32_t at) {
    const char *from = t->text + at, *limit = t->text + t->length;
    const char *line = *from == '\'' ? memchr(from, '\n', (size_t)(limit - from)) : NULL;
    const char *end = hlo_quoted_end(from, line ? line : limit);
    return !end && *from == '\'' ? at + 1 : offset(t, end);
}

uint32_t hlo_old_next(const hlo_old_text *t, uint32_t at) {
    HLO_ASSERT(at <= t->length);
    if (at == t->length) return at;
    char c = t->text[at];
    if (c == '"' || c == '\'') return string_end(t, at);
    if (c != '/') return at + 1;
    uint32_t end = comment_end(t, at);
    return end > at ? end : at + 1;
}

uint32_t hlo_old_skip_blanks(const hlo_old_text *t, uint32_t at) {
    return offset(t, hlo_after_comments(t->text + at, t->text + t->length));
}

uint32_t hlo_old_word_end(const hlo_old_text *t, uint32_t at) {
    HLO_ASSERT(at <= t->length);
    while (is_word(byte_at(t, at)) && !(t->text[at] == '-' && byte_at(t, at + 1) == '>')) at++;
    return at;
}

static bool opens(char c) {
    return c == '(' || c == '[' || c == '{';
}
static bool closes(char c) {
    return c == ')' || c == ']' || c == '}';
}

uint32_t hlo_old_brackets_end(const hlo_old_text *t, uint32_t at) {
    HLO_ASSERT(at < t->length);
    uint32_t depth = 0;
    while (at < t->length) {
        char c = t->text[at];
        at = hlo_old_next(t, at);
        depth += opens(c);
        depth -= closes(c);
        if (closes(c) && depth == 0) return at;
    }
    return t->length;
}

uint32_t hlo_old_array_end(const hlo_old_text *t, uint32_t at) {
    uint32_t end = hlo_old_word_end(t, at);
    if (byte_at(t, end) != '[' || hlo_type_from_text(t->text + at, end - at) == HLO_TYPE_COUNT)
        return at;
    end = hlo_old_brackets_end(t, end);
    return byte_at(t, end) == '{' ? hlo_old_brackets_end(t, end) : end;
}

uint32_t hlo_old_shape_end(const hlo_old_text *t, uint32_t at) {
    return byte_at(t, at) == '(' ? hlo_old_brackets_end(t, at) : hlo_old_array_end(t, at);
}

static hlo_span trimmed(const hlo_old_text *t, uint32_t lo, uint32_t hi) {
    lo = hlo_old_skip_blanks(t, lo);
    while (hi > lo && hlo_is_blank(t->text[hi - 1])) hi--;
    return (hlo_span){lo, hi > lo ? hi : lo};
}

bool hlo_old_next_part(const hlo_old_text *t, uint32_t *at, uint32_t end, hlo_span *part) {
    uint32_t from = *at, here = from;
    if (hlo_old_skip_blanks(t, from) >= end) return false;
    while (here < end && t->text[here] != ',')
        here = opens(t->text[here]) ? hlo_old_brackets_end(t, here) : hlo_old_next(t, here);
    if (here > end) here = end;
    *part = trimmed(t, from, here);
    *at = here + 1;
    return true;
}

/* ---- statements ---- */

static hlo_old_operand read_operand(const hlo_old_text *t, hlo_span all) {
    hlo_old_operand operand = {all, {all.lo, all.lo}, {all.lo, all.lo}};
    uint32_t shape = hlo_old_shape_end(t, all.lo);
    if (shape > all.lo && shape <= all.hi) operand.shape.hi = shape;
    uint32_t name = hlo_old_skip_blanks(t, operand.shape.hi);
    if (name < all.hi && hlo_old_word_end(t, name) == all.hi)
        operand.name = (hlo_span){name, all.hi};
    return operand;
}

static void read_operands(hlo_old_text *t, hlo_old_statement *s) {
    HLO_LIST(hlo_old_operand) operands = {0};
    hlo_span part;
    for (uint32_t at = s->parens.lo + 1; hlo_old_next_part(t, &at, s->parens.hi - 1, &part);)
        hlo_list_push_in(&t->arena, &operands, read_operand(t, part));
    s->operands = operands.v;
    s->operand_count = operands.n;
}

static uint32_t value_end(const hlo_old_text *t, uint32_t at) {
    while (at < t->length) {
        char c = t->text[at];
        if (c == ',' || closes(c) || hlo_is_blank(c) || comment_end(t, at) > at) break;
        at = opens(c) ? hlo_old_brackets_end(t, at) : hlo_old_next(t, at);
    }
    return at;
}

static bool read_attr(const hlo_old_text *t, uint32_t from, hlo_old_attr *attr) {
    uint32_t at = hlo_old_skip_blanks(t, from);
    if (byte_at(t, at) != ',') return false;
    uint32_t lo = hlo_old_skip_blanks(t, at + 1), hi = hlo_old_word_end(t, lo);
    at = hlo_old_skip_blanks(t, hi);
    if (hi == lo || byte_at(t, at) != '=') return false;
    at = hlo_old_skip_blanks(t, at + 1);
    *attr = (hlo_old_attr){{lo, hi}, {at, value_end(t, at)}, from};
    return attr->value.hi > at;
}

static void read_attrs(hlo_old_text *t, hlo_old_statement *s) {
    HLO_LIST(hlo_old_attr) attrs = {0};
    hlo_old_attr attr;
    s->end = s->parens.hi;
    while (read_attr(t, s->end, &attr)) {
        hlo_list_push_in(&t->arena, &attrs, attr);
        s->end = attr.value.hi;
    }
    s->attrs = attrs.v;
    s->attr_count = attrs.n;
}

/* `ROOT name =`; false: something else is there. */
static bool read_name(const hlo_old_text *t, uint32_t *at, hlo_old_statement *s) {
    uint32_t lo = hlo_old_skip_blanks(t, *at), hi = hlo_old_word_end(t, lo);
    s->root = (hlo_span){lo, lo};
    if (hlo_old_is(t, (hlo_span){lo, hi}, "ROOT")) {
        s->root.hi = hi;
        lo = hlo_old_skip_blanks(t, hi);
        hi = hlo_old_word_end(t, lo);
    }
    s->name = (hlo_span){lo, hi};
    *at = hlo_old_skip_blanks(t, hi);
    return hi > lo && byte_at(t, *at) == '=';
}

static bool read_statement(hlo_old_text *t, uint32_t at, hlo_old_statement *s) {
    *s = (hlo_old_statement){.computation = t->computations.n - 1};
    if (!read_name(t, &at, s)) return false;
    uint32_t lo = hlo_old_skip_blanks(t, at + 1), hi = hlo_old_shape_end(t, lo);
    s->shape = (hlo_span){lo, hi};
    if (byte_at(t, hi) == 's' && hlo_old_word_end(t, hi) == hi + 6) /* sparse{10} */
        hi = hlo_old_brackets_end(t, hi);
    lo = hlo_old_skip_blanks(t, hi);
    s->opcode = (hlo_span){lo, hlo_old_word_end(t, lo)};
    uint32_t open = hlo_old_skip_blanks(t, s->opcode.hi);
    if (s->opcode.hi == lo || byte_at(t, open) != '(') return false;
    s->parens = (hlo_span){open, hlo_old_brackets_end(t, open)};
    if (t->text[s->parens.hi - 1] != ')') return false;
    read_operands(t, s);
    read_attrs(t, s);
    return true;
}

static uint32_t line_end(const hlo_old_text *t, uint32_t at) {
    const char *end = memchr(t->text + at, '\n', t->length - at);
    return end ? (uint32_t)(end - t->text) : t->length;
}

/* Statements up to the brace that closes the computation; after it. */
static uint32_t read_body(hlo_old_text *t, uint32_t at) {
    hlo_old_computation *c = &t->computations.v[t->computations.n - 1];
    c->first = t->statements.n;
    while ((at = hlo_old_skip_blanks(t, at)) < t->length && t->text[at] != '}') {
        hlo_old_statement s;
        bool found = read_statement(t, at, &s);
        if (found) hlo_list_push(&t->statements, s);
        bool open = s.shape.hi == t->length || s.parens.hi == t->length; /* to the end */
        at = found ? s.end : open ? t->length : line_end(t, at);
    }
    c->count = t->statements.n - c->first;
    return at < t->length ? at + 1 : at;
}

/* ---- computations ---- */

/* The brace of a body: not that of a layout, which follows a bracket at once. The text's length:
 * there is none before the next statement. */
static uint32_t find_body(const hlo_old_text *t, uint32_t at) {
    while (at < t->length) {
        char c = t->text[at];
        bool layout = c == '{' && t->text[at - 1] == ']';
        if (c == '{' && !layout) return at;
        if (c == '=') break;
        at = opens(c) ? hlo_old_brackets_end(t, at) : hlo_old_next(t, at);
    }
    return t->length;
}

static uint32_t read_header(hlo_old_text *t, uint32_t at) {
    t->header.lo = at;
    while (at < t->length && t->text[at] != '\n')
        at = opens(t->text[at]) ? hlo_old_brackets_end(t, at) : hlo_old_next(t, at);
    t->header.hi = at;
    return at;
}

static uint32_t read_computation(hlo_old_text *t, uint32_t at) {
    uint32_t body = find_body(t, at), lo = at, hi = hlo_old_word_end(t, lo);
    if (body == t->length) { /* statements without a computation */
        hlo_list_push(&t->computations, (hlo_old_computation){{at, at}, {at, at}, 0, 0});
        return read_body(t, at);
    }
    if (hlo_old_is(t, (hlo_span){lo, hi}, "ENTRY")) {
        lo = hlo_old_skip_blanks(t, hi);
        hi = hlo_old_word_end(t, lo);
    }
    hlo_list_push(&t->computations, (hlo_old_computation){{at, body}, {lo, hi}, 0, 0});
    return read_body(t, body + 1);
}

/* ---- names of statements ---- */

static uint32_t *slot_of(const hlo_old_text *t, uint32_t computation, hlo_str name) {
    uint64_t hash = hlo_hash_mix(hlo_hash_bytes(name.ptr, name.len), computation);
    return &t->heads[(hash ^ hash >> 32) & (t->head_count - 1)];
}

static void index_names(hlo_old_text *t) {
    for (t->head_count = 16; t->head_count < t->statements.n; t->head_count *= 2) {
    }
    t->heads = HLO_NEW_ARRAY(&t->arena, uint32_t, t->head_count);
    t->earlier = HLO_NEW_ARRAY(&t->arena, uint32_t, t->statements.n + 1);
    memset(t->heads, 0, t->head_count * sizeof *t->heads);
    for (uint32_t i = 0; i < t->statements.n; i++) {
        const hlo_old_statement *s = &t->statements.v[i];
        uint32_t *head = slot_of(t, s->computation, hlo_old_name(t, s->name));
        t->earlier[i] = *head;
        *head = i + 1;
    }
}

void hlo_old_read(hlo_old_text *t) {
    uint32_t at = 0;
    t->text = t->source->text;
    t->length = (uint32_t)t->source->len;
    t->computations.n = t->statements.n = 0;
    t->header = (hlo_span){0, 0};
    while ((at = hlo_old_skip_blanks(t, at)) < t->length) {
        uint32_t end = hlo_old_word_end(t, at);
        if (hlo_old_is(t, (hlo_span){at, end}, "HloModule")) at = read_header(t, at);
        else if (end > at) at = read_computation(t, at);
        else at = line_end(t, at);
    }
    index_names(t);
}

/* ---- asking ---- */

const hlo_old_attr *hlo_old_attribute(const hlo_old_text *t, const hlo_old_statement *s,
                                      const char *name) {
    for (uint32_t i = 0; i < s->attr_count; i++)
        if (hlo_old_is(t, s->attrs[i].name, name)) return &s->attrs[i];
    return NULL;
}

hlo_str hlo_old_name(const hlo_old_text *t, hlo_span span) {
    if (span.hi > span.lo && t->text[span.lo] == '%') span.lo++;
    return hlo_old_str(t, span);
}

static const hlo_old_statement *definition_of(const hlo_old_text *t, const hlo_old_statement *user,
                                              hlo_str name) {
    if (!name.len) return NULL;
    uint32_t at = *slot_of(t, user->computation, name), met = 0;
    for (; at && met < MOST_OF_ONE_HASH; at = t->earlier[at - 1], met++) {
        const hlo_old_statement *s = &t->statements.v[at - 1];
        bool is_before = s < user && s->computation == user->computation;
        if (is_before && hlo_str_equal(hlo_old_name(t, s->name), name)) return s;
    }
    return NULL;
}

const hlo_old_statement *hlo_old_definition(const hlo_old_text *t, const hlo_old_statement *user,
                                            uint32_t operand) {
    if (operand >= user->operand_count) return NULL;
    return definition_of(t, user, hlo_old_name(t, user->operands[operand].name));
}

static hlo_span shape_of(const hlo_old_text *t, const hlo_old_statement *user,
                         const hlo_old_operand *operand, hlo_span otherwise) {
    if (operand->shape.hi > operand->shape.lo) return operand->shape;
    const hlo_old_statement *definition = definition_of(t, user, hlo_old_name(t, operand->name));
    return definition && definition->shape.hi > definition->shape.lo ? definition->shape
                                                                     : otherwise;
}

hlo_span hlo_old_operand_shape(const hlo_old_text *t, const hlo_old_statement *user,
                               uint32_t operand, hlo_span otherwise) {
    if (operand >= user->operand_count) return otherwise;
    return shape_of(t, user, &user->operands[operand], otherwise);
}

hlo_span hlo_old_shape_of(const hlo_old_text *t, const hlo_old_statement *user, hlo_span value,
                          hlo_span otherwise) {
    hlo_old_operand operand = read_operand(t, value);
    return shape_of(t, user, &operand, otherwise);
}

const hlo_old_computation *hlo_old_find_computation(const hlo_old_text *t, hlo_span name) {
    for (uint32_t i = 0; i < t->computations.n; i++)
        if (hlo_str_equal(hlo_old_name(t, t->computations.v[i].name), hlo_old_name(t, name)))
            return &t->computations.v[i];
    return NULL;
}

const hlo_old_statement *hlo_old_root(const hlo_old_text *t, const hlo_old_computation *c) {
    HLO_ASSERT(c->count > 0 || c->first <= t->statements.n);
    const hlo_old_statement *s = t->statements.v + c->first, *last = NULL;
    for (uint32_t i = 0; i < c->count; i++)
        if (s[i].root.hi > s[i].root.lo || i + 1 == c->count) {
            last = &s[i];
            if (s[i].root.hi > s[i].root.lo) break;
        }
    return last;
}
