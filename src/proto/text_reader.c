/* Protobuf's text format into nodes, by the same field table as JSON and the wire format. Messages
 * that are open are in a list and not on the stack: a source chooses how deep they nest. */
#include <math.h>

#include "base/decimal.h"
#include "base/list.h"
#include "base/text.h"
#include "proto/reader.h"
#include "proto/text_tokens.h"

/* A message whose end is not read yet. */
typedef struct {
    hlo_node *node;
    const hlo_proto_field *list; /* of messages, in brackets, that is open in it; NULL: none is */
    char close;                  /* what ends it; 0: the end of the text */
    bool has_fields;
    uint32_t hint; /* where the next field is likely */
    uint64_t met[(HLO_MOST_FIELD_NUMBER + 64) / 64];
} open_message;

typedef struct {
    hlo_reader *r;
    const char *begin, *at, *end; /* the source is padded with zeros: *end may be looked at */
    HLO_LIST(open_message) open;  /* outermost first */
} pbtxt;

static uint32_t offset(const pbtxt *t, const char *at) {
    return (uint32_t)(at - t->begin);
}

static bool is_at_end(const pbtxt *t) {
    return t->at >= t->end;
}

static bool bad_at(pbtxt *t, const hlo_node *node, const char *at, const char *message) {
    if (at >= t->end) message = "unexpected end of input";
    return hlo_read_bad(t->r, node, offset(t, at), offset(t, at) + 1, HLO_RULE_MESSAGE, "%s",
                        message);
}

static bool bad_from(pbtxt *t, const hlo_node *node, const char *from, const char *message) {
    return hlo_read_bad(t->r, node, offset(t, from), offset(t, t->at), HLO_RULE_MESSAGE, "%s",
                        message);
}

static void skip_blanks(pbtxt *t) {
    t->at = hlo_pbtxt_after_blanks(t->at, t->end);
}

/* The mark, if it comes next. */
static bool take(pbtxt *t, char mark) {
    skip_blanks(t);
    if (is_at_end(t) || *t->at != mark) return false;
    t->at++;
    return true;
}

/* ---- strings ---- */

/* After the strings that stand side by side from `at` on, of *size bytes between their quotes and
 * the quotes between them; NULL after an error. */
static const char *strings_end(pbtxt *t, const hlo_node *node, size_t *size) {
    const char *at = t->at, *after = at;
    *size = 0;
    while (at < t->end && hlo_pbtxt_quotes(*at)) {
        after = hlo_pbtxt_string_end(at, t->end);
        if (!after) {
            bad_at(t, node, at, "this string is not closed in its line");
            return NULL;
        }
        *size += (size_t)(after - at) - 2;
        at = hlo_pbtxt_after_blanks(after, t->end);
    }
    return after;
}

/* Copies what a string stands for; returns its end, or NULL after an error. */
static char *unescape(pbtxt *t, const hlo_node *node, const char *from, const char *to, char *out) {
    while (from < to) {
        const char *escape = from;
        if (*from != '\\') {
            *out++ = *from++;
            continue;
        }
        out = hlo_pbtxt_escape(&from, to, out);
        if (out) continue;
        hlo_read_bad(t->r, node, offset(t, escape), offset(t, escape) + 2, HLO_RULE_MESSAGE,
                     "this escape is unknown or incomplete");
        return NULL;
    }
    return out;
}

/* Several strings, or one with escapes, as they read together. */
static bool join_strings(pbtxt *t, const hlo_node *node, const char *after, size_t size,
                         hlo_str *out) {
    char *copy = hlo_arena_alloc(t->r->arena, size + 1), *to = copy;
    while (t->at < after) {
        const char *end = hlo_pbtxt_string_end(t->at, t->end);
        to = unescape(t, node, t->at + 1, end - 1, to);
        if (!to) return false;
        t->at = hlo_pbtxt_after_blanks(end, t->end);
    }
    t->at = after;
    *out = (hlo_str){copy, (uint32_t)(to - copy), 0};
    return true;
}

/* The content of a string: the source itself when it has no escapes, as most. */
static bool string(pbtxt *t, const hlo_node *node, hlo_str *out) {
    size_t size;
    if (!hlo_pbtxt_quotes(*t->at)) return bad_at(t, node, t->at, "expected a string");
    const char *from = t->at, *after = strings_end(t, node, &size);
    if (!after) return false;
    bool is_one = (size_t)(after - from) == size + 2;
    if (!is_one || memchr(from, '\\', size + 2)) return join_strings(t, node, after, size, out);
    *out = (hlo_str){from + 1, (uint32_t)size, 0};
    t->at = after;
    return true;
}

/* ---- numbers ---- */

/* A word or a number, without a sign. */
static hlo_str token(pbtxt *t) {
    const char *from = t->at;
    while (t->at < t->end && hlo_pbtxt_is_token_byte(*t->at)) t->at++;
    return (hlo_str){from, (uint32_t)(t->at - from), 0};
}

static bool minus(pbtxt *t) {
    bool negative = take(t, '-');
    if (negative) skip_blanks(t);
    return negative;
}

static bool integer(pbtxt *t, const hlo_node *node, hlo_proto_kind kind, int64_t *out) {
    const char *from = t->at;
    bool negative = minus(t);
    hlo_str digits = token(t);
    uint64_t magnitude = 0;
    hlo_pbtxt_number read = hlo_pbtxt_integer(digits, &magnitude);
    if (read == HLO_PBTXT_NO_NUMBER) {
        t->at = digits.ptr;
        return bad_at(t, node, t->at, "expected an integer");
    }
    if (read == HLO_PBTXT_TOO_LARGE || !hlo_kind_holds(kind, negative, magnitude))
        return bad_from(t, node, from, "the number is not an integer in the range of the field");
    *out = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

static bool boolean(pbtxt *t, const hlo_node *node, int64_t *out) {
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"true", true}, {"false", false}, {"True", true}, {"False", false},
                 {"t", true},    {"f", false},     {"1", true},    {"0", false}};
    const char *from = t->at;
    hlo_str text = token(t);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!hlo_str_is(text, words[i].word)) continue;
        *out = words[i].value;
        return true;
    }
    t->at = from;
    return bad_at(t, node, from, "expected true or false");
}

static bool enum_value(pbtxt *t, const hlo_node *node, hlo_enum_id id, int64_t *out) {
    const char *from = t->at;
    if (!hlo_begins_word(*from)) return integer(t, node, HLO_PROTO_ENUM, out);
    hlo_str word = token(t);
    return hlo_reader_enum(t->r, node, id, word, offset(t, from), offset(t, t->at), out);
}

static bool any_integer(pbtxt *t, const hlo_node *node, const hlo_proto_field *field,
                        int64_t *out) {
    if (field->kind == HLO_PROTO_BOOL) return boolean(t, node, out);
    if (field->kind == HLO_PROTO_ENUM) return enum_value(t, node, (hlo_enum_id)field->type, out);
    return integer(t, node, (hlo_proto_kind)field->kind, out);
}

/* The sign before the exponent ends a token. */
static hlo_str real_token(pbtxt *t) {
    hlo_str first = token(t);
    char last = first.len ? first.ptr[first.len - 1] : 0;
    bool is_number = first.len > 1 && (hlo_is_digit(first.ptr[0]) || first.ptr[0] == '.');
    if (is_number && (last == 'e' || last == 'E') && (*t->at == '+' || *t->at == '-')) {
        t->at++;
        token(t);
    }
    return (hlo_str){first.ptr, (uint32_t)(t->at - first.ptr), 0};
}

static bool any_real(pbtxt *t, const hlo_node *node, const hlo_proto_field *field, double *out) {
    const char *from = t->at;
    bool negative = minus(t);
    hlo_str number = real_token(t);
    if (!hlo_pbtxt_real(number, out)) {
        t->at = number.ptr;
        return bad_at(t, node, t->at, "expected a decimal number, inf or nan");
    }
    if (negative) *out = -*out;
    if (field->kind != HLO_PROTO_FLOAT) return true;
    bool fits = !isfinite(*out) || isfinite((float)*out);
    *out = (double)(float)*out;
    return fits || bad_from(t, node, from, "the number is out of range for a float");
}

/* One more element of an array of numbers. */
static bool element(pbtxt *t, hlo_node *node) {
    const hlo_proto_field *field = node->field;
    const hlo_node place = {.field = field,
                            .parent = node->parent,
                            .index = (uint32_t)node->u.numbers.n,
                            .stands_for = HLO_NODE_ELEMENT};
    double real;
    int64_t value;
    skip_blanks(t);
    if (field->kind == HLO_PROTO_FLOAT || field->kind == HLO_PROTO_DOUBLE) {
        if (!any_real(t, &place, field, &real)) return false;
        hlo_node_add_real(t->r, node, real);
    } else {
        if (!any_integer(t, &place, field, &value)) return false;
        hlo_node_add_int(t->r, node, value);
    }
    node->end = offset(t, t->at);
    return true;
}

/* ---- what is passed over ---- */

/* From an opening bracket past the one that closes it. */
static bool pass_over_brackets(pbtxt *t, const hlo_node *node) {
    const char *from = t->at, *after = hlo_pbtxt_brackets_end(t->at, t->end, &t->at);
    if (after) {
        t->at = after;
        return true;
    }
    if (is_at_end(t)) return bad_at(t, node, t->at, "");
    if (hlo_pbtxt_quotes(*t->at))
        return bad_at(t, node, t->at, "this string is not closed in its line");
    if (hlo_pbtxt_opens(*t->at))
        return hlo_read_bad(t->r, node, offset(t, from), offset(t, from) + 1, HLO_RULE_NESTING,
                            "values of unknown fields nest more than %d deep",
                            HLO_MOST_NESTED_BRACKETS);
    return bad_at(t, node, t->at, "this closes another bracket than the one that is open");
}

/* Any value. */
static bool pass_over(pbtxt *t, const hlo_node *node) {
    size_t size;
    skip_blanks(t);
    if (hlo_pbtxt_opens(*t->at)) return pass_over_brackets(t, node);
    if (hlo_pbtxt_quotes(*t->at)) {
        const char *after = strings_end(t, node, &size);
        if (after) t->at = after;
        return after != NULL;
    }
    minus(t);
    return real_token(t).len || bad_at(t, node, t->at, "expected a value");
}

/* ---- messages ---- */

static open_message *innermost(pbtxt *t) {
    return &t->open.v[t->open.n - 1];
}

/* It is read before the rest of those around it. */
static bool message(pbtxt *t, hlo_node *node) {
    hlo_reader *r = t->r;
    char open = is_at_end(t) ? '\0' : *t->at;
    if (open != '{' && open != '<') return bad_at(t, node, t->at, "expected '{'");
    if (r->depth >= HLO_MOST_NESTED_MESSAGES)
        return hlo_node_bad(r, node, HLO_RULE_NESTING, "messages nest more than %d deep",
                            HLO_MOST_NESTED_MESSAGES);
    hlo_node_open(r, node);
    if (hlo_reader_skips(r, node->field, node->at)) {
        if (!pass_over_brackets(t, node)) return false;
        node->end = offset(t, t->at);
        return true;
    }
    if (hlo_is_built(node) && !hlo_reader_enter(r, node)) return false;
    r->depth++;
    t->at++;
    hlo_list_push(&t->open, ((open_message){.node = node, .close = open == '{' ? '}' : '>'}));
    return true;
}

static bool close_message(pbtxt *t) {
    const open_message closed = *innermost(t);
    hlo_node *node = closed.node;
    if (!--t->open.n) return true; /* the outermost */
    node->end = offset(t, t->at);
    HLO_ASSERT(t->r->depth > 0);
    t->r->depth--;
    if (hlo_is_built(node)) return hlo_reader_leave(t->r, node);
    if (!closed.has_fields) node->u.members = (hlo_node_list *)hlo_no_members;
    return true;
}

/* One value of a field; a message is only opened. */
static bool value(pbtxt *t, hlo_node *owner, const hlo_proto_field *field) {
    skip_blanks(t);
    if (field->label == HLO_PROTO_MANY && hlo_field_is_numeric(field))
        return element(t, hlo_node_add(t->r, owner, field, offset(t, t->at)));
    hlo_node *node = hlo_node_add(t->r, owner, field, offset(t, t->at));
    if (field->kind == HLO_PROTO_MESSAGE) return message(t, node);
    bool good;
    if (field->kind == HLO_PROTO_STRING || field->kind == HLO_PROTO_BYTES)
        good = string(t, node, &node->u.text);
    else if (field->kind == HLO_PROTO_FLOAT || field->kind == HLO_PROTO_DOUBLE)
        good = any_real(t, node, field, &node->u.f);
    else good = any_integer(t, node, field, &node->u.i);
    node->end = offset(t, t->at);
    return good;
}

/* ---- lists ---- */

/* The place of a repeated field as a whole, for errors. */
static hlo_node list_of(const hlo_node *owner, const hlo_proto_field *field) {
    return (hlo_node){.field = field, .parent = owner, .stands_for = HLO_NODE_LIST};
}

/* After a value in brackets: true with *more where another one follows. */
static bool list_goes_on(pbtxt *t, hlo_node *owner, const hlo_proto_field *field, bool *more) {
    *more = take(t, ',');
    if (*more || take(t, ']')) return true;
    const hlo_node list = list_of(owner, field);
    return bad_at(t, &list, t->at, "expected ',' or ']'");
}

/* All values in brackets. */
static bool scalars(pbtxt *t, hlo_node *owner, const hlo_proto_field *field) {
    bool more = !take(t, ']');
    while (more)
        if (!value(t, owner, field) || !list_goes_on(t, owner, field, &more)) return false;
    return true;
}

static bool list(pbtxt *t, hlo_node *owner, const hlo_proto_field *field) {
    if (field->kind != HLO_PROTO_MESSAGE) return scalars(t, owner, field);
    if (take(t, ']')) return true;
    innermost(t)->list = field;
    return value(t, owner, field);
}

/* After a message of the list. */
static bool go_on_in_list(pbtxt *t) {
    open_message *around = innermost(t);
    hlo_node *owner = around->node;
    const hlo_proto_field *field = around->list;
    bool more;
    if (!list_goes_on(t, owner, field, &more)) return false;
    if (more) return value(t, owner, field);
    around->list = NULL;
    return true;
}

/* ---- fields ---- */

/* An extension in brackets, whose name has dots and slashes. */
static bool extension_name(pbtxt *t, const hlo_node *node, hlo_str *out) {
    const char *from = t->at, *at = from + 1;
    while (at < t->end && (hlo_is_word_byte(*at) || *at == '/' || *at == ' ')) at++;
    if (at >= t->end || *at != ']')
        return bad_at(t, node, at, "expected the name of an extension and ']'");
    t->at = at + 1;
    *out = (hlo_str){from, (uint32_t)(t->at - from), 0};
    return true;
}

static bool name(pbtxt *t, const hlo_node *node, hlo_str *out) {
    if (*t->at == '[') return extension_name(t, node, out);
    const char *from = t->at;
    while (t->at < t->end && (hlo_is_letter(*t->at) || hlo_is_digit(*t->at) || *t->at == '_'))
        t->at++;
    *out = (hlo_str){from, (uint32_t)(t->at - from), 0};
    return t->at > from || bad_at(t, node, from, "expected the name of a field");
}

static hlo_message_id message_of(const hlo_node *node) {
    return (hlo_message_id)(node->field ? node->field->type : node->index);
}

/* By its name, or by its number, as protobuf prints fields that it does not know. */
static const hlo_proto_field *find_field(hlo_message_id id, hlo_str name, uint32_t *hint) {
    uint64_t number = 0;
    if (!hlo_is_digit(name.ptr[0])) return hlo_field_by_name(id, name, hint);
    const char *at = name.ptr, *end = at + name.len;
    if (!hlo_digits(&at, end, HLO_MOST_FIELD_NUMBER, &number) || at != end) return NULL;
    return hlo_field_by_number(hlo_fields_by_number[id], number);
}

/* A field is given once, unless it is repeated. */
static bool is_first(pbtxt *t, open_message *open, const hlo_proto_field *field, const char *from) {
    uint64_t bit = UINT64_C(1) << field->number % 64, *met = &open->met[field->number / 64];
    if (*met & bit && !hlo_field_is_many(field))
        return bad_from(t, open->node, from, "this field is given twice");
    *met |= bit;
    return true;
}

static bool unknown_field(pbtxt *t, hlo_str name) {
    hlo_node *node = innermost(t)->node;
    hlo_reader_unknown(t->r, message_of(node), name, offset(t, name.ptr),
                       offset(t, name.ptr) + name.len);
    take(t, ':');
    return pass_over(t, node);
}

/* The name of a field of the innermost message, and its value or where that begins. */
static bool field(pbtxt *t) {
    hlo_str called;
    open_message *open = innermost(t);
    hlo_node *node = open->node;
    const char *from = t->at;
    open->has_fields = true;
    if (!name(t, node, &called)) return false;
    const hlo_proto_field *field = find_field(message_of(node), called, &open->hint);
    if (!field) return unknown_field(t, called);
    if (!is_first(t, open, field, from)) return false;
    bool is_message = field->kind == HLO_PROTO_MESSAGE, has_colon = take(t, ':');
    if (!is_message && hlo_reader_skips(t->r, field, offset(t, from))) return pass_over(t, node);
    if (!has_colon && !is_message) return bad_at(t, node, t->at, "expected ':'");
    if (hlo_field_is_many(field) && take(t, '[')) return list(t, node, field);
    return value(t, node, field);
}

/* Marks between fields mean nothing. */
static void skip_separator(pbtxt *t) {
    if (!take(t, ',')) take(t, ';');
    skip_blanks(t);
}

/* Reads one field of the innermost message, goes on in its list, or closes it. */
static bool step(pbtxt *t) {
    skip_blanks(t);
    const open_message *open = innermost(t);
    if (open->list) return go_on_in_list(t);
    if (open->has_fields) skip_separator(t);
    if (is_at_end(t)) return open->close ? bad_at(t, open->node, t->at, "") : close_message(t);
    if (*t->at != open->close) return field(t);
    t->at++;
    return close_message(t);
}

bool hlo_read_pbtxt(hlo_reader *r, hlo_node *root, hlo_message_id id) {
    const char *begin = r->source->text;
    pbtxt t = {.r = r, .begin = begin, .at = begin + root->at, .end = begin + root->end};
    uint32_t depth = r->depth;
    open_message outermost = {.node = root};
    root->index = id; /* it has no field that identifies it */
    if (take(&t, '{')) outermost.close = '}';
    else if (take(&t, '<')) outermost.close = '>';
    hlo_list_push(&t.open, outermost);
    bool good = true;
    while (good && t.open.n) good = step(&t);
    r->depth = depth;
    hlo_list_free(&t.open);
    skip_blanks(&t);
    return good && (is_at_end(&t) || bad_at(&t, root, t.at, "unexpected text after the message"));
}
