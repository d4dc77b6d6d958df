/* Wording a syntax error: what stood there, what was expected, and what to look at beside it. */
#include "parse/syntax_error.h"

#include <stdio.h>

#include "base/text.h"
#include "hlo_grammar.h"
#include "parse/attribute_values.h"
#include "parse/recover.h"
#include "parse/suggest.h"

enum { NAMED_AT_MOST = 16, SHOWN_AT_MOST = 40, BRACKETS_AT_MOST = 64 };

/* ---- brackets ---- */

/* The innermost bracket of these kinds that is open at `to`, in the value of the attribute that
 * stands there; 0 when none is. */
static uint32_t open_bracket(const hlo_parser *p, uint32_t to, const char *kinds) {
    uint32_t open[BRACKETS_AT_MOST], n = 0;
    char quote = 0;
    for (uint32_t i = p->scan.place.attr_at.hi; i < to; i++) {
        char c = p->scan.begin[i];
        if (quote) {
            if (c == '\\') i++;
            else if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c && strchr(kinds, c) && n < BRACKETS_AT_MOST) {
            open[n++] = i;
        } else if (n && ((c == ')' && p->scan.begin[open[n - 1]] == '(') ||
                         (c && c == p->scan.begin[open[n - 1]] + 2))) {
            n--;
        }
    }
    return n ? open[n - 1] : 0;
}

/* The tables of the grammar know which brackets are closed somewhere, not which is open here. */
static bool closes_another(const hlo_parser *p, uint32_t at, hlo_str name) {
    if (!p->scan.place.attr_class || name.len != 3 || !strchr(")]}", name.ptr[1])) return false;
    uint32_t bracket = open_bracket(p, at, "([{");
    if (!bracket) return false;
    char open = p->scan.begin[bracket];
    return name.ptr[1] != (open == '(' ? ')' : (char)(open + 2));
}

/* ---- what was expected ---- */

static const char end_of_text[] = "the end of the text";

/* Tokens without a description in the grammar are other spellings of what has one; and '#' may
 * stand after nearly any operand. */
static bool is_internal(const char *name) {
    return (name[0] >= 'A' && name[0] <= 'Z') || strcmp(name, "a name glued to '='") == 0 ||
           strcmp(name, "'#'") == 0;
}

static bool ends_with(const char *name, size_t n, const char *ending) {
    size_t m = strlen(ending);
    return n > m && memcmp(name + n - m, ending, m) == 0;
}

/* All classes of attributes read as one, with the comma that belongs to them; and tokens
 * have names here that help the reader. */
static hlo_str simplified(const char *name) {
    size_t n = strlen(name);
    static const char *const endings[] = {" attribute", " attribute list", " table"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(name, n, endings[i])) return HLO_STR("',' and an attribute");
    if (strcmp(name, "'ROOT'") == 0) return HLO_STR("an instruction");
    if (strcmp(name, "'ENTRY'") == 0) return HLO_STR("a computation");
    if (strcmp(name, "a name with '='") == 0) return HLO_STR("a name");
    if (strcmp(name, "an opcode with '('") == 0) return HLO_STR("an opcode");
    if (strcmp(name, "the '{' of a body") == 0) return HLO_STR("'{'");
    return (hlo_str){name, (uint32_t)n, 0};
}

typedef struct {
    hlo_str names[NAMED_AT_MOST];
    int n;
    bool more;        /* than there is space for */
    bool statement;   /* an instruction or a computation may begin */
    bool operands;    /* the first operand may stand here, or what some opcodes have instead */
    bool attribute;   /* an attribute may: the value of the last one is complete */
    bool number;      /* a whole number */
    bool punctuation; /* nothing but marks such as ',' */
} expectation;

static void add_name(expectation *e, hlo_str name) {
    for (int i = 0; i < e->n; i++)
        if (hlo_str_equal(e->names[i], name)) return;
    if (e->n < NAMED_AT_MOST) e->names[e->n++] = name;
    else e->more = true;
}

/* The grammar lets any opcode have operands, a number or a literal; only one of them is meant. */
static bool can_be_operand(hlo_parser *p, hlo_str name) {
    bool number = hlo_str_is(name, "a number"), literal = hlo_str_is(name, "a literal");
    switch (p->stacks.pending.n ? hlo_ops[hlo_current(p)->draft.opcode].parens
                                : HLO_PARENS_OPERANDS) {
    case HLO_PARENS_NUMBER: return number;
    case HLO_PARENS_LITERAL: return literal;
    default: return !number && !literal;
    }
}

static bool is_beside_the_point(hlo_parser *p, const expectation *e, uint32_t at, hlo_str name) {
    if (e->operands) return !can_be_operand(p, name);
    if (closes_another(p, at, name)) return true;
    if (e->attribute && hlo_str_is(name, "','")) return true;
    if (!e->statement) return false;
    /* A name begins the statement; the text ends and a comma stands between computations only. */
    bool inside = p->stacks.scopes.n && !p->made.is_single;
    return hlo_str_is(name, "a name") ||
           (inside && (hlo_str_is(name, end_of_text) || hlo_str_is(name, "','")));
}

static expectation expectation_of(hlo_parser *p, uint32_t at, const char *const *expected, int n) {
    expectation e = {.punctuation = true};
    bool end = false;
    for (int i = 0; i < n; i++) {
        e.statement |= strcmp(expected[i], "'ROOT'") == 0 || strcmp(expected[i], "'ENTRY'") == 0;
        e.operands |= n > 1 && strcmp(expected[i], "a literal") == 0;
        e.attribute |= ends_with(expected[i], strlen(expected[i]), " attribute");
    }
    for (int i = 0; i < n; i++) {
        if (is_internal(expected[i])) continue;
        hlo_str name = simplified(expected[i]);
        if (is_beside_the_point(p, &e, at, name)) continue;
        if (strcmp(expected[i], end_of_text) == 0) {
            end = true;
            continue;
        }
        e.number |= hlo_str_is(name, "a number");
        e.punctuation &=
            name.ptr[0] == '\'' && !(name.ptr[1] >= 'a' && name.ptr[1] <= 'z') && name.len <= 4;
        add_name(&e, name);
    }
    if (end) add_name(&e, hlo_str_from(end_of_text));
    if (!e.n)
        add_name(&e, HLO_STR("an attribute with '='")); /* after its comma, where it is one token
                                                           with the comma */
    return e;
}

static void put_names(hlo_buf *out, const expectation *e) {
    for (int i = 0; i < e->n; i++) {
        hlo_buf_cstr(out, i == 0 ? "" : i + 1 == e->n && !e->more ? " or " : ", ");
        hlo_buf_str(out, e->names[i]);
    }
    if (e->more) hlo_buf_cstr(out, ", ...");
    hlo_buf_char(out, 0);
}

/* ---- what stood there ---- */

/* The start of the text at `at`, as much as helps. */
static int excerpt(const hlo_parser *p, hlo_span at, const char **out) {
    *out = p->scan.begin + at.lo;
    uint32_t n = at.hi - at.lo;
    for (uint32_t i = 0; i < n; i++)
        if ((unsigned char)(*out)[i] < ' ') n = i;
    return (int)(n > SHOWN_AT_MOST ? SHOWN_AT_MOST : n);
}

/* The usual statement, or its head, and the usual head of a computation are one token; the reader
 * sees the first word as one. */
static hlo_span first_word(const hlo_parser *p, hlo_span at) {
    uint32_t hi = at.lo;
    while (hi < at.hi && (unsigned char)p->scan.begin[hi] > ' ') hi++;
    return (hlo_span){at.lo, hi};
}

static void report(hlo_parser *p, const expectation *e, hlo_span at, int token) {
    hlo_buf words = HLO_BUF_INIT;
    const char *text;
    if (token == T_STATEMENT || token == T_LINE || token == T_HEAD) at = first_word(p, at);
    int length = excerpt(p, at, &text);
    put_names(&words, e);
    if (token == T_END && p->made.is_single && p->scan.token_before.hi == 0)
        hlo_parse_error(p, HLO_RULE_SYNTAX, at, "the text contains no module");
    else if (token == T_END)
        hlo_parse_error(p, HLO_RULE_SYNTAX, at, "expected %s, but the text ends here", words.data);
    else
        hlo_parse_error(p, HLO_RULE_SYNTAX, at, "expected %s, found %s'%.*s'", words.data,
                        token == T_TYPE ? "the element type " : "", length, text);
    hlo_buf_free(&words);
}

/* ---- what to look at beside it ---- */

/* After the name of a statement '=' is expected; inside values only after a string. */
static bool is_in_value(const hlo_parser *p, const expectation *e) {
    bool named = e->n == 1 && hlo_str_is(e->names[0], "'='") &&
                 !strchr("\"'", p->scan.begin[p->scan.token_before.lo]);
    return p->scan.place.attr_class && !e->attribute && !e->statement && !named;
}

static void note_value(hlo_parser *p, hlo_span at) {
    hlo_span name = p->scan.place.attr_at;
    uint32_t bracket = open_bracket(p, at.lo, "[");
    hlo_note(p->diags, p->source, name, "in the value of this attribute");
    if (bracket)
        hlo_note(p->diags, p->source, (hlo_span){bracket, bracket + 1}, "in these brackets");
}

/* What is the matter with the token itself. */
static void note_token(hlo_parser *p, const expectation *e, hlo_span at, int token) {
    const char *digits = p->scan.begin + at.lo;
    if (token == T_OPCODE) {
        hlo_span open = {at.hi - 1, at.hi};
        hlo_note(p->diags, p->source, open, "it is read as an opcode because of this parenthesis");
    } else if (token == T_DECIMAL && e->number) {
        while (hlo_is_digit(*digits)) digits++;
        hlo_span fraction = hlo_span_of(p, digits, p->scan.begin + at.hi);
        hlo_note(p->diags, p->source, fraction, "a whole number ends before this");
    }
}

static uint32_t line_of(const hlo_parser *p, hlo_span at) {
    return hlo_source_position(p->source, at.lo).line;
}

/* Where something that stands between two tokens is missing, the first of them; and one that ends
 * the line before. */
static void note_before(hlo_parser *p, const expectation *e, hlo_span at) {
    bool same_line = line_of(p, p->scan.token_before) == line_of(p, at);
    if (same_line ? e->punctuation && !p->made.is_single : !e->statement)
        hlo_note(p->diags, p->source, p->scan.token_before, "after this");
}

/* The braces may not have been meant as a body. */
static void note_body(hlo_parser *p) {
    if (!p->stacks.scopes.n || !hlo_scope_now(p)->is_nested) return;
    hlo_span open = hlo_scope_now(p)->computation->at;
    hlo_note(p->diags, p->source, open, "in the computation that begins here");
}

/* What was read as one token reaches over its line: a brace may be missing there. */
static void note_long_token(hlo_parser *p) {
    hlo_span token = p->scan.token_before;
    const char *from = p->scan.begin + token.lo;
    if (*from == '{' && memchr(from, '\n', token.hi - token.lo))
        hlo_note(p->diags, p->source, (hlo_span){token.lo, token.lo + 1},
                 "the last brace closes this one");
}

/* The text ends inside a body. */
static void note_open_body(hlo_parser *p) {
    note_long_token(p);
    if (p->scan.place.attr_class && p->scan.begin[p->scan.token_before.lo] == '}')
        hlo_note(p->diags, p->source, p->scan.place.attr_at,
                 "the last brace closes the value of this attribute");
    if (!p->stacks.scopes.n || p->made.is_single) return;
    hlo_span name = hlo_scope_now(p)->computation->at;
    hlo_note(p->diags, p->source, name, "this computation is still open");
}

static void hint_at_name(hlo_parser *p, const expectation *e, hlo_span at) {
    bool same_line = line_of(p, p->scan.token_before) == line_of(p, at);
    if (e->attribute && same_line) hlo_hint(p->diags, "a comma is required before an attribute");
    else if (e->statement) hlo_hint(p->diags, "a blank is required before the '='");
}

/* Words of the grammar that the token may misspell, without their quotes. */
static void hint_at_word(hlo_parser *p, const expectation *e, hlo_span at) {
    char words[NAMED_AT_MOST][SHOWN_AT_MOST];
    const char *names[NAMED_AT_MOST];
    size_t count = 0;
    for (int i = 0; i < e->n; i++) {
        const hlo_str *name = &e->names[i];
        if (name->ptr[0] != '\'' || name->len < 5 || name->len > SHOWN_AT_MOST) continue;
        snprintf(words[count], SHOWN_AT_MOST, "%.*s", (int)name->len - 2, name->ptr + 1);
        names[count] = words[count];
        count++;
    }
    hlo_suggest_word(p, p->scan.begin + at.lo, at.hi - at.lo, names, count);
}

/* The name before this one may be the word that stands before names. */
static void hint_at_keyword(hlo_parser *p, hlo_span at) {
    static const char *const keywords[] = {"ENTRY", "ROOT"};
    hlo_span before = p->scan.token_before;
    if (p->diags->last && p->diags->last->hint) return;
    if (line_of(p, before) == line_of(p, at))
        hlo_suggest_word(p, p->scan.begin + before.lo, before.hi - before.lo, keywords, 2);
}

static void hint_at_token(hlo_parser *p, const expectation *e, hlo_span at, int token) {
    const char *text = p->scan.begin + at.lo;
    if (token == T_GLUED) hint_at_name(p, e, at);
    else if (token == T_NAME) hint_at_word(p, e, at);
    else if (token == T_TYPE && e->statement)
        hlo_hint(p->diags, "an element type is not a name: use '%.*s_'", (int)(at.hi - at.lo),
                 text);
    else if (*text == '#' && e->statement)
        hlo_hint(p->diags, "comments begin with // or are enclosed in /* and */");
}

static void note_single(hlo_parser *p) {
    const char *from = hlo_skip_blanks(p, p->scan.begin);
    if (!from || !p->scan.token_before.hi) return;
    hlo_note(p->diags, p->source, hlo_span_of(p, from, from + 1),
             "the text is one instruction, because it does not begin with HloModule");
}

static void add_notes(hlo_parser *p, const expectation *e, hlo_span at, int token) {
    note_token(p, e, at, token);
    if (is_in_value(p, e)) {
        note_value(p, at);
    } else {
        note_before(p, e, at);
        if (e->punctuation) note_body(p);
    }
    if (token == T_END && e->statement) note_open_body(p);
    hint_at_token(p, e, at, token);
    if (token == T_NAME || token == T_DEF) hint_at_keyword(p, at);
    if (p->made.is_single) note_single(p);
}

/* ---- the error ---- */

static bool refuses_attribute(hlo_parser *p) {
    return hlo_refuse_attribute(p, p->scan.place.attr, p->scan.place.attr_at);
}

/* A computation begins before the one around it is closed. */
static bool report_unclosed(hlo_parser *p, hlo_span *at) {
    const char *from = hlo_computation_inside(p, p->scan.begin + at->lo), *to = from;
    if (!from || !p->stacks.scopes.n ||
        from <= p->scan.begin + hlo_scope_now(p)->computation->at.lo)
        return false;
    while (to < p->scan.limit && (unsigned char)*to > ' ') to++;
    *at = hlo_span_of(p, from, to);
    hlo_parse_error(p, HLO_RULE_SYNTAX, *at, "expected '}' before another computation");
    hlo_note(p->diags, p->source, hlo_scope_now(p)->computation->at, "this one is still open");
    return true;
}

/* Of a token that the fast path reads as a whole, the one that it begins with. */
static int first_token(const hlo_parser *p, int token) {
    if (token == T_STATEMENT || token == T_LINE) return p->fast.statement.is_root ? T_ROOT : T_DEF;
    if (token == T_HEAD) return p->fast.head.is_entry ? T_ENTRY : T_NAME;
    return token;
}

/* Once an attribute's value is complete, the statement may be too: then the token belongs to the
 * next one. That one is read from the token on, unless the token should have begun it. */
static void go_on_at(hlo_parser *p, const expectation *e, hlo_span at, bool is_refused) {
    p->recovery.may_be_in_next = e->attribute && e->statement;
    p->scan.cursor = p->scan.begin + at.lo;
    if (e->statement && is_refused) p->recovery.tried_at = p->scan.cursor;
    hlo_skip(p);
}

void hlo_syntax_error(hlo_parser *p, hlo_span at, int token, const char *const *expected, int n) {
    bool is_first = !hlo_current_is_broken(p), unclosed = false;
    hlo_scan_take_back(p, token, p->scan.begin + at.hi);
    if (is_first && hlo_report_unclosed_string(p, at)) {
        hlo_skip(p);
        return;
    }
    expectation e = expectation_of(p, at.lo, expected, n);
    if (is_first) {
        bool in_value = is_in_value(p, &e);
        unclosed = report_unclosed(p, &at);
        if (!unclosed && !(in_value && refuses_attribute(p))) {
            report(p, &e, at, token);
            add_notes(p, &e, at, first_token(p, token));
        }
    }
    go_on_at(p, &e, at, token != '}' && !unclosed);
}
