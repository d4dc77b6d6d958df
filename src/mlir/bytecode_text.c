/* Attributes and types that a bytecode file has as MLIR text, since their dialect has no encoding
 * for them: attributes of dialects whose parameters are names, numbers, strings and lists of such,
 * affine maps, and types by their text. */
#include "base/decimal.h"
#include "base/text.h"
#include "mlir/bytecode.h"

typedef struct {
    hlo_bc_in *in;
    hlo_cursor c;
    const char *begin;
    uint32_t depth;
} text;

/* The elements of a list that is being read. */
typedef HLO_LIST(hlo_mlir_named) elements;

static bool bad(text *t, const char *expected) {
    hlo_str shown = {t->begin, (uint32_t)(t->c.end - t->begin), 0};
    return hlo_bc_bad_at(t->in->r, t->c.at, HLO_RULE_MESSAGE,
                         "the text %.*s of an attribute is not supported: expected %s",
                         HLO_BC_SHOWN(shown), expected);
}

static bool next_is(text *t, char mark) {
    t->c.at = hlo_after_blanks_at(t->c.at, t->c.end);
    return t->c.at < t->c.end && *t->c.at == mark;
}

/* Letters, digits, '_', '.' and '$'. */
static hlo_str word(text *t) {
    const char *from = t->c.at;
    while (t->c.at < t->c.end &&
           (hlo_is_letter(*t->c.at) || hlo_is_digit(*t->c.at) || strchr("_.$", *t->c.at)) &&
           *t->c.at)
        t->c.at++;
    return (hlo_str){from, (uint32_t)(t->c.at - from), 0};
}

/* \" \\ \n \t and two hexadecimal digits. */
static bool string(text *t, hlo_str *out) {
    const char *from = t->c.at, *end = hlo_quoted_end(from, t->c.end);
    if (!end) return bad(t, "the end of a string");
    char *to = hlo_arena_alloc(t->in->r->arena, (size_t)(end - from));
    uint32_t n = 0;
    for (const char *c = from + 1; c < end - 1; c++) {
        if (*c != '\\') {
            to[n++] = *c;
            continue;
        }
        c++;
        unsigned high = hlo_digit_value(*c), low = c + 1 < end - 1 ? hlo_digit_value(c[1]) : 16;
        if (*c == 'n' || *c == 't') {
            to[n++] = *c == 'n' ? '\n' : '\t';
        } else if (high < 16 && low < 16) {
            to[n++] = (char)(high << 4 | low);
            c++;
        } else {
            to[n++] = *c;
        }
    }
    t->c.at = end;
    *out = (hlo_str){to, n, 0};
    return true;
}

static bool attribute(text *t, const hlo_mlir_attr **out);

/* A key before '=', where one stands. */
static bool key_of(text *t, hlo_str *key) {
    text at = *t;
    *key = (hlo_str){0};
    if (next_is(&at, '"')) {
        if (!string(&at, key)) return false;
    } else {
        *key = word(&at);
    }
    bool has_key = key->len && next_is(&at, '=') && at.c.at[1] != '>';
    if (!has_key) {
        *key = (hlo_str){0};
        return true;
    }
    at.c.at++;
    t->c = at.c;
    return true;
}

/* Elements up to the mark that ends them; commas divide, but need not. */
static bool elements_to(text *t, char end, elements *list) {
    while (!next_is(t, end)) {
        hlo_mlir_named named = {0};
        if (next_is(t, ',')) {
            t->c.at++;
            continue;
        }
        if (!key_of(t, &named.key) || !attribute(t, &named.value)) return false;
        hlo_list_push_in(t->in->r->arena, list, named);
    }
    t->c.at++;
    return true;
}

static bool list(text *t, char end, elements *out) {
    *out = (elements){0};
    if (t->depth >= HLO_BC_MOST_NESTED)
        return hlo_bc_bad_at(t->in->r, t->c.at, HLO_RULE_NESTING,
                             "attributes nest more than %d deep", HLO_BC_MOST_NESTED);
    t->depth++;
    t->c.at++;
    bool good = elements_to(t, end, out);
    t->depth--;
    return good;
}

static bool bracketed(text *t, char end, const hlo_mlir_attr **out) {
    char bracket = *t->c.at;
    elements v;
    if (!list(t, end, &v)) return false;
    hlo_mlir_attr *attr = hlo_bc_new_attr(t->in->r, HLO_MLIR_LIST);
    attr->bracket = bracket;
    attr->list = (hlo_mlir_list){v.n, v.v};
    *out = attr;
    return true;
}

/* With keys, or names alone, it is a dictionary. */
static bool braces(text *t, const hlo_mlir_attr **out) {
    if (!bracketed(t, '}', out)) return false;
    hlo_mlir_list all = (*out)->list;
    hlo_mlir_named *v = HLO_NEW_ARRAY(t->in->r->arena, hlo_mlir_named, all.n);
    for (uint32_t i = 0; i < all.n; i++) {
        v[i] = all.v[i];
        if (v[i].key.len) continue;
        if (v[i].value->kind != HLO_MLIR_WORD) return true;
        v[i].key = hlo_mlir_text_of(v[i].value);
        v[i].value = hlo_bc_new_attr(t->in->r, HLO_MLIR_UNIT);
    }
    hlo_mlir_attr *attr = hlo_bc_new_attr(t->in->r, HLO_MLIR_DICT);
    attr->bracket = '{';
    attr->list = (hlo_mlir_list){all.n, v};
    *out = attr;
    return true;
}

/* #dialect.name<...>, or #dialect<name ...>. */
static bool dialect_attr(text *t, const hlo_mlir_attr **out) {
    elements v = {0};
    t->c.at++;
    hlo_str name = word(t);
    if (!name.len) return bad(t, "the name of an attribute");
    if (t->c.at < t->c.end && *t->c.at == '<' && !list(t, '>', &v)) return false;
    hlo_mlir_attr *attr = hlo_bc_new_attr(t->in->r, HLO_MLIR_STRUCT);
    attr->bracket = '<';
    bool is_first_name = !memchr(name.ptr, '.', name.len) && v.n && !v.v[0].key.len &&
                         v.v[0].value->kind == HLO_MLIR_WORD;
    if (is_first_name) {
        hlo_str first = hlo_mlir_text_of(v.v[0].value);
        char *joined = hlo_arena_alloc(t->in->r->arena, (size_t)name.len + 1 + first.len);
        memcpy(joined, name.ptr, name.len);
        joined[name.len] = '.';
        memcpy(joined + name.len + 1, first.ptr, first.len);
        name = (hlo_str){joined, name.len + 1 + first.len, 0};
        v.v++;
        v.n--;
    }
    attr->u.text = name;
    attr->list = (hlo_mlir_list){v.n, v.v};
    *out = attr;
    return true;
}

/* A whole number, or one with a point. */
static bool number(text *t, const hlo_mlir_attr **out) {
    const char *from = t->c.at, *end = from + 1;
    bool is_float = false;
    for (; end < t->c.end && (hlo_is_digit(*end) || strchr(".eE+-", *end)) && *end; end++)
        is_float |= !hlo_is_digit(*end);
    hlo_str digits = {from, (uint32_t)(end - from), 0};
    t->c.at = end;
    int64_t value;
    if (!is_float) {
        if (!hlo_int_from_text(digits, &value)) return bad(t, "a number of 64 bits");
        *out = hlo_bc_int_attr(t->in->r, value, NULL);
        return true;
    }
    hlo_mlir_attr *attr = hlo_bc_new_attr(t->in->r, HLO_MLIR_FLOAT);
    attr->u.f = hlo_decimal_text(digits.ptr, digits.len);
    *out = attr;
    return true;
}

/* A word that means a value, a type, or a name. */
static bool word_attr(text *t, const hlo_mlir_attr **out) {
    hlo_bc *r = t->in->r;
    hlo_str name = word(t);
    if (!name.len) return bad(t, "a name, a number, a string or a list");
    if (hlo_str_is(name, "true") || hlo_str_is(name, "false")) {
        *out = hlo_bc_bool_attr(r, *name.ptr == 't');
    } else if (hlo_str_is(name, "unit")) {
        *out = hlo_bc_new_attr(r, HLO_MLIR_UNIT);
    } else if (hlo_mlir_element(name) != HLO_TYPE_COUNT) {
        *out = hlo_bc_type_attr(r, hlo_bc_scalar(r, hlo_mlir_element(name)));
    } else {
        *out = hlo_bc_text_attr(r, HLO_MLIR_WORD, name);
    }
    return true;
}

static bool symbol(text *t, const hlo_mlir_attr **out) {
    hlo_str name;
    t->c.at++;
    if (next_is(t, '"')) {
        if (!string(t, &name)) return false;
    } else {
        name = word(t);
    }
    *out = hlo_bc_text_attr(t->in->r, HLO_MLIR_SYMBOL, name);
    return true;
}

static bool attribute(text *t, const hlo_mlir_attr **out) {
    hlo_str content;
    t->c.at = hlo_after_blanks_at(t->c.at, t->c.end);
    char first = 0;
    if (t->c.at < t->c.end) first = *t->c.at;
    switch (first) {
    case '#': return dialect_attr(t, out);
    case '@': return symbol(t, out);
    case '[': return bracketed(t, ']', out);
    case '(': return bracketed(t, ')', out);
    case '<': return bracketed(t, '>', out);
    case '{': return braces(t, out);
    case '?':
        t->c.at++;
        *out = hlo_bc_word(t->in->r, "?");
        return true;
    case '"':
        if (!string(t, &content)) return false;
        *out = hlo_bc_text_attr(t->in->r, HLO_MLIR_STRING, content);
        return true;
    default: break;
    }
    bool is_minus = first == '-' && t->c.at + 1 < t->c.end && hlo_is_digit(t->c.at[1]);
    return hlo_is_digit(first) || is_minus ? number(t, out) : word_attr(t, out);
}

static bool begins(hlo_str whole, const char *start) {
    size_t n = strlen(start);
    return whole.len >= n && memcmp(whole.ptr, start, n) == 0;
}

bool hlo_bc_attr_text(hlo_bc_in *in, hlo_str whole, const hlo_mlir_attr **out) {
    text t = {.in = in, .c = hlo_cursor_of(whole), .begin = whole.ptr};
    size_t map = strlen("affine_map<");
    if (begins(whole, "affine_map<") && whole.ptr[whole.len - 1] == '>') {
        hlo_str inside = {whole.ptr + map, whole.len - (uint32_t)map - 1, 0};
        *out = hlo_bc_text_attr(in->r, HLO_MLIR_MAP, inside);
        return true;
    }
    if (!attribute(&t, out)) return false;
    return hlo_cursor_is_done(&t.c) || bad(&t, "its end");
}

bool hlo_bc_type_text(hlo_bc_in *in, hlo_str whole, const hlo_mlir_type **out) {
    if (hlo_str_is(whole, "!stablehlo.token"))
        return hlo_bc_parts(in, HLO_MLIR_TOKEN, 0, 0, NULL, out);
    /* A type of MLIR that has its parts in '<' and '>' would have another kind in the tree. */
    bool is_simple = whole.len && (*whole.ptr == '!' || !memchr(whole.ptr, '<', whole.len));
    if (!is_simple)
        return hlo_bc_bad(in, "the text %.*s of a type, which is not supported",
                          HLO_BC_SHOWN(whole));
    return hlo_bc_named_type(in, whole, out);
}
