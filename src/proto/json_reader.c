/* The JSON mapping of protobuf into nodes. Objects and arrays are walked here, guided by the field
 * table, so that a module never is in memory as a tree and every value's place is known; jansson
 * reads the values: strings, numbers, words, and whatever is passed over. Objects that are open are
 * in a list and not on the stack: a source chooses how deep they nest. */
#include <jansson.h>
#include <math.h>

#include "base/json_text.h"
#include "base/text.h"
#include "proto/base64.h"
#include "proto/reader.h"

/* An object of a message. */
typedef struct {
    hlo_node *node;
    const hlo_proto_field *list; /* whose array or map is open in it; NULL: none is */
    hlo_node *entry;             /* of that map */
    uint32_t hint;               /* where the next field is likely */
    uint64_t met[(HLO_MOST_FIELD_NUMBER + 64) / 64];
} open_object;

typedef struct {
    hlo_reader *r;
    const char *begin, *at, *end; /* the source is padded with zeros: *end may be looked at */
    hlo_cleanup releasing;        /* of the value that `load` gave */
    HLO_LIST(open_object) open;   /* outermost first */
    bool more;                    /* another value follows in the innermost bracket */
    bool has_opened;              /* the value was a bracket, and is read next */
} json;

static uint32_t offset(const json *j, const char *at) {
    return (uint32_t)(at - j->begin);
}

static void skip_blanks(json *j) {
    while (hlo_is_blank(*j->at)) j->at++;
}

static bool bad_at(json *j, const hlo_node *node, const char *at, const char *message) {
    return hlo_read_bad(j->r, node, offset(j, at), offset(j, at) + 1, HLO_RULE_MESSAGE, "%s",
                        message);
}

static bool expect(json *j, const hlo_node *node, char c, const char *message) {
    skip_blanks(j);
    if (j->at >= j->end || *j->at != c)
        return bad_at(j, node, j->at, j->at >= j->end ? "unexpected end of input" : message);
    j->at++;
    return true;
}

static void release(void *value) {
    json_decref(value);
}

static json_t *load_text(const json *j, const char *text, size_t len, size_t flags,
                         json_error_t *error) {
    return hlo_json_load_text(text, len, JSON_DECODE_ANY | flags, j->r->source->name, error);
}

/* Any value, by jansson; NULL after an error. The caller drops it. */
static json_t *load(json *j, const hlo_node *node) {
    json_error_t error;
    json_t *value = load_text(j, j->at, (size_t)(j->end - j->at),
                              JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &error);
    if (!value) {
        const char *at = j->at + (error.position > 0 ? error.position - 1 : 0);
        if (at > j->end) at = j->end;
        hlo_read_bad(j->r, node, offset(j, at), offset(j, at) + 1, HLO_RULE_MESSAGE, "%s",
                     error.text);
        return NULL;
    }
    j->at += error.position;
    hlo_cleanup_add(&j->releasing, release, value);
    return value;
}

static void drop(json *j, json_t *value) {
    if (!value) return;
    hlo_cleanup_remove(&j->releasing);
    json_decref(value);
}

static bool pass_over(json *j, const hlo_node *node) {
    json_t *value = load(j, node);
    drop(j, value);
    return value != NULL;
}

/* ---- strings ---- */

static hlo_str copy_string(json *j, const json_t *value) {
    size_t n = json_string_length(value);
    return (hlo_str){hlo_arena_copy(j->r->arena, json_string_value(value), n), (uint32_t)n, 0};
}

/* A string of printable ASCII without escapes, as most are, is its source; jansson reads others. */
static bool plain_string(json *j, hlo_str *out) {
    if (*j->at != '"') return false;
    const char *from = j->at + 1, *to = from;
    while (to < j->end && *to != '"' && *to != '\\' && (uint8_t)*to >= 0x20 && (uint8_t)*to < 0x7f)
        to++;
    if (to >= j->end || *to != '"') return false;
    *out = (hlo_str){from, (uint32_t)(to - from), 0};
    j->at = to + 1;
    return true;
}

/* The content of a string: points into the source when it has no escapes. */
static bool string(json *j, const hlo_node *node, hlo_str *out) {
    if (plain_string(j, out)) return true;
    const char *from = j->at;
    json_t *value = load(j, node);
    if (!value) return false;
    if (!json_is_string(value)) {
        drop(j, value);
        return bad_at(j, node, from, "expected a string");
    }
    size_t n = json_string_length(value);
    if ((size_t)(j->at - from) == n + 2) *out = (hlo_str){from + 1, (uint32_t)n, 0};
    else *out = copy_string(j, value);
    drop(j, value);
    return true;
}

static bool base64(json *j, hlo_node *node) {
    hlo_str text;
    if (!string(j, node, &text)) return false;
    uint8_t *to = hlo_arena_alloc(j->r->arena, (size_t)text.len / 4 * 3 + 3);
    size_t n;
    node->end = offset(j, j->at);
    if (!hlo_base64_read(text.ptr, text.len, to, &n))
        return hlo_node_bad(j->r, node, HLO_RULE_MESSAGE, "invalid base64");
    node->u.text = (hlo_str){(const char *)to, (uint32_t)n, 0};
    return true;
}

/* ---- numbers ---- */

typedef struct {
    bool is_real;
    bool negative; /* "-0" too */
    uint64_t magnitude;
    double real;
} number;

/* Decimal digits of a string, the whole of it. */
static bool digits(hlo_str text, number *out) {
    out->is_real = false;
    out->negative = text.len && text.ptr[0] == '-';
    const char *at = text.ptr + out->negative, *end = text.ptr + text.len;
    return hlo_digits(&at, end, UINT64_MAX, &out->magnitude) && at == end;
}

static bool named_real(hlo_str text, number *out) {
    static const struct {
        const char *name;
        double value;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!hlo_str_is(text, names[i].name)) continue;
        out->is_real = true;
        out->real = names[i].value;
        return true;
    }
    return false;
}

/* A string that holds a number, as the mapping writes 64-bit ones: jansson reads what is inside
 * too. */
static bool number_in_string(const json *j, hlo_str text, number *out) {
    if (digits(text, out) || named_real(text, out)) return true;
    json_error_t error;
    json_t *inner = load_text(j, text.ptr, text.len, 0, &error);
    bool is_real = json_is_real(inner);
    *out = (number){.is_real = true, .real = json_real_value(inner)};
    json_decref(inner);
    return is_real;
}

static bool read_number(json *j, const hlo_node *node, number *out) {
    const char *from = j->at;
    hlo_str text;
    if (plain_string(j, &text))
        return number_in_string(j, text, out) || bad_at(j, node, from, "expected a number");
    json_t *value = load(j, node);
    if (!value) return false;
    bool good = true;
    if (json_is_string(value)) {
        good = number_in_string(
            j, (hlo_str){json_string_value(value), (uint32_t)json_string_length(value), 0}, out);
    } else if (json_is_integer(value)) {
        int64_t i = json_integer_value(value);
        *out =
            (number){.negative = *from == '-', .magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i};
    } else if (json_is_real(value)) {
        *out = (number){.is_real = true, .real = json_real_value(value)};
    } else {
        good = false;
    }
    drop(j, value);
    return good || bad_at(j, node, from, "expected a number");
}

static double real_of(const number *n) {
    if (n->is_real) return n->real;
    return n->negative ? -(double)n->magnitude : (double)n->magnitude;
}

/* 1.0 and 2e3 are integers too. */
static bool whole(number *n) {
    if (!n->is_real) return true;
    if (!(fabs(n->real) < 0x1p63) || n->real != floor(n->real)) return false;
    n->negative = n->real < 0;
    n->magnitude = (uint64_t)fabs(n->real);
    n->is_real = false;
    return true;
}

static bool integer(json *j, const hlo_node *node, hlo_proto_kind kind, int64_t *out) {
    const char *from = j->at;
    number n;
    if (!read_number(j, node, &n)) return false;
    bool good = whole(&n) && hlo_kind_holds(kind, n.negative, n.magnitude);
    if (!good)
        return bad_at(j, node, from, "the number is not an integer in the range of the field");
    *out = (int64_t)(n.negative ? 0 - n.magnitude : n.magnitude);
    return true;
}

static bool boolean(json *j, const hlo_node *node, int64_t *out) {
    const char *from = j->at;
    json_t *value = load(j, node);
    if (!value) return false;
    bool good = json_is_boolean(value);
    *out = json_is_true(value);
    drop(j, value);
    return good || bad_at(j, node, from, "expected true or false");
}

static bool word(json *j, const hlo_node *node, hlo_enum_id id, int64_t *out) {
    const char *from = j->at;
    if (*from != '"') return integer(j, node, HLO_PROTO_ENUM, out);
    hlo_str text;
    if (!string(j, node, &text)) return false;
    return hlo_reader_enum(j->r, node, id, text, offset(j, from), offset(j, j->at), out);
}

static bool any_integer(json *j, const hlo_node *node, const hlo_proto_field *field, int64_t *out) {
    if (field->kind == HLO_PROTO_BOOL) return boolean(j, node, out);
    if (field->kind == HLO_PROTO_ENUM) return word(j, node, (hlo_enum_id)field->type, out);
    return integer(j, node, (hlo_proto_kind)field->kind, out);
}

static bool any_real(json *j, const hlo_node *node, const hlo_proto_field *field, double *out) {
    const char *from = j->at;
    number n;
    if (!read_number(j, node, &n)) return false;
    *out = real_of(&n);
    if (field->kind != HLO_PROTO_FLOAT) return true;
    bool fits = !isfinite(*out) || isfinite((float)*out);
    *out = (double)(float)*out;
    return fits || bad_at(j, node, from, "the number is out of range for a float");
}

/* One more element of an array of numbers. */
static bool element(json *j, hlo_node *node) {
    const hlo_proto_field *field = node->field;
    const hlo_node place = {.field = field,
                            .parent = node->parent,
                            .index = (uint32_t)node->u.numbers.n,
                            .stands_for = HLO_NODE_ELEMENT};
    if (field->kind == HLO_PROTO_FLOAT || field->kind == HLO_PROTO_DOUBLE) {
        double real;
        if (!any_real(j, &place, field, &real)) return false;
        hlo_node_add_real(j->r, node, real);
        return true;
    }
    int64_t value;
    if (!any_integer(j, &place, field, &value)) return false;
    hlo_node_add_int(j->r, node, value);
    return true;
}

/* ---- messages ---- */

static open_object *innermost(json *j) {
    return &j->open.v[j->open.n - 1];
}

/* Steps into a bracket; *more: whether it has any element. */
static bool open_bracket(json *j, const hlo_node *node, char open, char close, bool *more) {
    if (!expect(j, node, open, open == '[' ? "expected an array" : "expected an object"))
        return false;
    skip_blanks(j);
    *more = *j->at != close;
    if (!*more) j->at++;
    return true;
}

/* It is read before the rest of those around it. */
static bool open_message(json *j, hlo_node *node) {
    if (!open_bracket(j, node, '{', '}', &j->more)) return false;
    hlo_list_push(&j->open, ((open_object){.node = node}));
    j->has_opened = true;
    return true;
}

static bool close_message(json *j) {
    hlo_node *node = innermost(j)->node;
    if (!--j->open.n) return true; /* the outermost */
    node->end = offset(j, j->at);
    HLO_ASSERT(j->r->depth > 0);
    j->r->depth--;
    return !hlo_is_built(node) || hlo_reader_leave(j->r, node);
}

static bool message(json *j, hlo_node *node) {
    hlo_reader *r = j->r;
    if (r->depth >= HLO_MOST_NESTED_MESSAGES)
        return hlo_node_bad(r, node, HLO_RULE_NESTING, "messages nest more than %d deep",
                            HLO_MOST_NESTED_MESSAGES);
    hlo_node_open(r, node);
    if (hlo_reader_skips(r, node->field, node->at)) {
        if (*j->at != '{') return bad_at(j, node, j->at, "expected an object");
        if (!pass_over(j, node)) return false;
        node->end = offset(j, j->at);
        return true;
    }
    if (hlo_is_built(node) && !hlo_reader_enter(r, node)) return false;
    r->depth++;
    return open_message(j, node);
}

static bool scalar(json *j, hlo_node *node) {
    bool good = false;
    switch ((hlo_proto_kind)node->field->kind) {
    case HLO_PROTO_MESSAGE: return message(j, node);
    case HLO_PROTO_STRING: good = string(j, node, &node->u.text); break;
    case HLO_PROTO_BYTES: good = base64(j, node); break;
    case HLO_PROTO_FLOAT:
    case HLO_PROTO_DOUBLE: good = any_real(j, node, node->field, &node->u.f); break;
    case HLO_PROTO_INT64:
    case HLO_PROTO_UINT64:
    case HLO_PROTO_INT32:
    case HLO_PROTO_UINT32:
    case HLO_PROTO_BOOL:
    case HLO_PROTO_ENUM: good = any_integer(j, node, node->field, &node->u.i); break;
    }
    node->end = offset(j, j->at);
    return good;
}

/* After an element: true with *more telling whether another one follows. */
static bool separator(json *j, const hlo_node *node, char close, bool *more) {
    skip_blanks(j);
    char c = j->at < j->end ? *j->at : 0;
    if (c != ',' && c != close)
        return bad_at(j, node, j->at,
                      j->at >= j->end ? "unexpected end of input"
                      : close == ']'  ? "expected ',' or ']'"
                                      : "expected ',' or '}'");
    j->at++;
    *more = c == ',';
    if (*more) skip_blanks(j);
    return true;
}

/* The place of a repeated field as a whole, for errors. */
static hlo_node list_of(const hlo_node *owner, const hlo_proto_field *field) {
    return (hlo_node){.field = field, .parent = owner, .stands_for = HLO_NODE_LIST};
}

/* All of an array of numbers. */
static bool numbers(json *j, hlo_node *owner, const hlo_proto_field *field) {
    bool more;
    const char *from = j->at;
    const hlo_node list = list_of(owner, field);
    if (!open_bracket(j, &list, '[', ']', &more)) return false;
    while (more) {
        hlo_node *node = hlo_node_add(j->r, owner, field, offset(j, from));
        if (!element(j, node) || !separator(j, &list, ']', &more)) return false;
        node->end = offset(j, j->at);
    }
    return true;
}

/* Another array, or a map. */
static bool open_list(json *j, hlo_node *owner, const hlo_proto_field *field) {
    bool is_map = field->label == HLO_PROTO_MAP;
    const hlo_node list = list_of(owner, field);
    if (!open_bracket(j, &list, is_map ? '{' : '[', is_map ? '}' : ']', &j->more)) return false;
    innermost(j)->list = field;
    innermost(j)->entry = NULL;
    j->has_opened = true;
    return true;
}

/* The key of a map's entry: a string, or a number in a string. */
static bool map_key(json *j, hlo_node *entry) {
    const hlo_proto_field *field = &hlo_fields[hlo_message_fields[entry->field->type]];
    if (*j->at != '"') return bad_at(j, entry, j->at, "expected a string as the key");
    return scalar(j, hlo_node_add(j->r, entry, field, offset(j, j->at)));
}

static bool map_value(json *j, hlo_node *owner, const hlo_proto_field *field) {
    hlo_node *entry = innermost(j)->entry = hlo_node_add(j->r, owner, field, offset(j, j->at));
    hlo_node_open(j->r, entry);
    const hlo_proto_field *value = &hlo_fields[hlo_message_fields[field->type] + 1];
    if (!map_key(j, entry) || !expect(j, entry, ':', "expected ':'")) return false;
    skip_blanks(j);
    return scalar(j, hlo_node_add(j->r, entry, value, offset(j, j->at)));
}

static bool list_value(json *j, hlo_node *owner, const hlo_proto_field *field) {
    if (field->label == HLO_PROTO_MAP) return map_value(j, owner, field);
    return scalar(j, hlo_node_add(j->r, owner, field, offset(j, j->at)));
}

static bool is_null(const json *j) {
    return j->end - j->at >= 4 && memcmp(j->at, "null", 4) == 0;
}

static bool value(json *j, hlo_node *owner, const hlo_proto_field *field) {
    bool is_message = field->kind == HLO_PROTO_MESSAGE;
    if (is_null(j)) {
        j->at += 4;
        return true;
    }
    if (!is_message && hlo_reader_skips(j->r, field, offset(j, j->at))) return pass_over(j, owner);
    if (field->label == HLO_PROTO_MANY && hlo_field_is_numeric(field))
        return numbers(j, owner, field);
    if (hlo_field_is_many(field)) return open_list(j, owner, field);
    return scalar(j, hlo_node_add(j->r, owner, field, offset(j, j->at)));
}

/* A key, without a copy when it has no escapes. */
static bool key(json *j, const hlo_node *node, hlo_str *out) {
    if (*j->at != '"') return bad_at(j, node, j->at, "expected a field name in quotes");
    return string(j, node, out);
}

static hlo_message_id message_of(const hlo_node *node) {
    return (hlo_message_id)(node->field ? node->field->type : node->index);
}

/* A key of the innermost object, and its value or where that begins. */
static bool field_value(json *j) {
    hlo_str name;
    open_object *object = innermost(j);
    hlo_node *node = object->node;
    const char *from = j->at;
    if (!key(j, node, &name) || !expect(j, node, ':', "expected ':'")) return false;
    skip_blanks(j);
    hlo_message_id id = message_of(node);
    const hlo_proto_field *field = hlo_field_by_name(id, name, &object->hint);
    if (!field) {
        hlo_reader_unknown(j->r, id, name, offset(j, from), offset(j, from) + name.len + 2);
        return pass_over(j, node);
    }
    uint64_t bit = UINT64_C(1) << field->number % 64;
    if (object->met[field->number / 64] & bit)
        return bad_at(j, node, from, "this field is given twice");
    object->met[field->number / 64] |= bit;
    return value(j, node, field);
}

/* After a value: whether another one follows it. */
static bool go_on(json *j) {
    const open_object *object = innermost(j);
    const hlo_proto_field *field = object->list;
    if (!field) return separator(j, object->node, '}', &j->more);
    const hlo_node list = list_of(object->node, field);
    if (!separator(j, &list, field->label == HLO_PROTO_MAP ? '}' : ']', &j->more)) return false;
    if (object->entry) object->entry->end = offset(j, j->at);
    return true;
}

static bool close_bracket(json *j) {
    if (!innermost(j)->list) return close_message(j);
    innermost(j)->list = NULL;
    innermost(j)->entry = NULL;
    return true;
}

/* Reads one value of the innermost bracket, or closes that. */
static bool step(json *j) {
    const open_object *object = innermost(j);
    j->has_opened = false;
    if (!j->more) {
        if (!close_bracket(j)) return false;
    } else if (!(object->list ? list_value(j, object->node, object->list) : field_value(j))) {
        return false;
    }
    return j->has_opened || !j->open.n || go_on(j);
}

/* The object of the outermost message. */
static bool whole_object(json *j, hlo_node *root, hlo_message_id id) {
    uint32_t depth = j->r->depth;
    root->index = id; /* it has no field that identifies it */
    bool good = open_message(j, root);
    while (good && j->open.n) good = step(j);
    j->r->depth = depth;
    hlo_list_free(&j->open);
    return good;
}

bool hlo_read_json(hlo_reader *r, hlo_node *root, hlo_message_id id) {
    const char *text = r->source->text;
    json j = {.r = r, .begin = text, .at = text + root->at, .end = text + root->end};
    skip_blanks(&j);
    if (!whole_object(&j, root, id)) return false;
    skip_blanks(&j);
    return j.at >= j.end || bad_at(&j, root, j.at, "unexpected text after the module's object");
}
