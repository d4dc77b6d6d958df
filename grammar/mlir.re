/* The scanner of MLIR text. A whole type is one token, and so is a location that is only an alias;
 * dense<...> is one with its elements unread. Called by the Bison parser as its yylex. */
#include "mlir_grammar.h"
#include "mlir/forms.h"
#include "base/text.h"
#include "parse/number.h"

static int lexical_error(hlo_mlir_parser *p, const char *from, const char *to, const char *message) {
    hlo_mlir_error(p, HLO_RULE_LEX, hlo_mlir_span(p, from, to), "%s", message);
    return T_HLO_MLIR_YYerror;
}

static hlo_str text_of(const char *from, const char *to) {
    return (hlo_str){from, (uint32_t)(to - from), 0};
}

/* ---- tokens that are read by functions: each moves the cursor to where its item ends ---- */

static int item(hlo_mlir_parser *p, int token, const char *from, const char *end, hlo_span *at) {
    if (!end) return T_HLO_MLIR_YYerror;
    p->cursor = end;
    *at = hlo_mlir_span(p, from, end);
    return token;
}

static int type_token(hlo_mlir_parser *p, const char *from, HLO_MLIR_YYSTYPE *value, hlo_span *at) {
    return item(p, T_TYPE, from, hlo_mlir_scan_type(p, from, &value->type), at);
}

/* A string before a parenthesis is the name of an operation, or of a place. */
static int string_token(hlo_mlir_parser *p, const char *from, HLO_MLIR_YYSTYPE *value, hlo_span *at) {
    const char *end = hlo_mlir_scan_string(p, from, &value->text);
    if (!end) return T_HLO_MLIR_YYerror;
    const char *next = end;
    while (hlo_is_blank(*next)) next++;
    return item(p, *next == '(' ? T_OP_STRING : T_STRING, from, end, at);
}

/* @"name" */
static int quoted_symbol(hlo_mlir_parser *p, const char *from, HLO_MLIR_YYSTYPE *value, hlo_span *at) {
    return item(p, T_SYMBOL, from, hlo_mlir_scan_string(p, from + 1, &value->text), at);
}

/* `word<...>` whose inside is read later, or not at all: its text between the angles. */
static int raw_token(hlo_mlir_parser *p, int token, const char *from, const char *angle, HLO_MLIR_YYSTYPE *value,
                     hlo_span *at) {
    const char *end = hlo_mlir_after_angles(p, angle);
    if (end) value->text = text_of(angle + 1, end - 1);
    return item(p, token, from, end, at);
}

static int array_token(hlo_mlir_parser *p, const char *from, HLO_MLIR_YYSTYPE *value, hlo_span *at) {
    return item(p, T_ARRAY, from, hlo_mlir_scan_array(p, from, &value->attr), at);
}

static int int_token(hlo_mlir_parser *p, const char *from, const char *to, HLO_MLIR_YYSTYPE *value) {
    if (hlo_read_int64(from, (size_t)(to - from), &value->i)) return T_INT;
    uint64_t bits = 0;
    for (const char *c = from; c < to; c++) {
        if (*c == '-' || bits > (UINT64_MAX - (uint64_t)(*c - '0')) / 10)
            return lexical_error(p, from, to, "this number does not fit 64 bits");
        bits = bits * 10 + (uint64_t)(*c - '0');
    }
    value->i = (int64_t)bits;
    return T_INT;
}

static int hex_token(hlo_mlir_parser *p, const char *from, const char *to, HLO_MLIR_YYSTYPE *value) {
    if (to - from > 18) return lexical_error(p, from, to, "this number does not fit 64 bits");
    uint64_t bits = 0;
    for (const char *c = from + 2; c < to; c++) bits = bits << 4 | hlo_digit_value(*c);
    value->i = (int64_t)bits;
    return T_HEX;
}

static int decimal_token(hlo_mlir_parser *p, const char *from, const char *to, HLO_MLIR_YYSTYPE *value) {
    if (hlo_read_double(from, (size_t)(to - from), &value->f)) return T_DECIMAL;
    return lexical_error(p, from, to, "this number is beyond the range of a double");
}

static const char *name_end(const char *at) {
    while (hlo_is_word_byte(*at) || *at == '$') at++;
    return at;
}

/* `%name =`, `%name:2 =`, or before a comma: the name and how many results have it. */
static int definition(hlo_mlir_parser *p, int token, const char *from, HLO_MLIR_YYSTYPE *value, hlo_span *at) {
    const char *end = name_end(from + 1);
    value->result = (hlo_mlir_result_name){text_of(from + 1, end), (uint32_t)(from - p->begin), 1};
    *at = hlo_mlir_span(p, from, end);
    if (*end != ':') return token;
    uint64_t count;
    const char *digits = end + 1;
    if (!hlo_digits(&digits, p->limit, 1 << 24, &count) || !count)
        return lexical_error(p, from, end, "a number of results from 1 to 2^24 must follow the colon");
    value->result.count = (uint32_t)count;
    p->cursor = p->cursor < digits ? digits : p->cursor;
    return token;
}

/* The first value of a line: do names follow it, divided by commas, up to an equals sign? */
static bool begins_results(const hlo_mlir_parser *p, const char *at) {
    const char *before = at;
    while (before > p->begin && (before[-1] == ' ' || before[-1] == '\t')) before--;
    if (before > p->begin && before[-1] != '\n' && before[-1] != '{') {
        /* a later name of such a list */
        if (before[-1] != ',' || !p->in_results) return false;
        return true;
    }
    for (;;) {
        if (*at != '%') return false;
        at = name_end(at + 1);
        if (*at == ':')
            for (at++; hlo_is_digit(*at);) at++;
        at = hlo_after_blanks_at(at, p->limit);
        if (*at == '=') return true;
        if (*at != ',') return false;
        at = hlo_after_blanks_at(at + 1, p->limit);
    }
}

/* ---- words ---- */

/* Words that the grammar has, as tokens; 0 for the others. */
static int keyword(const char *from, const char *to) {
    static const struct {
        const char *text;
        int token;
    } words[] = {
        {"true", T_TRUE},
        {"false", T_FALSE},
        {"attributes", T_ATTRIBUTES},
        {"cond", T_COND},
        {"do", T_DO},
        {"init", T_INIT},
        {"applies", T_APPLIES},
        {"across", T_ACROSS},
        {"reducer", T_REDUCER},
        {"unit", T_UNIT},
        {"unknown", T_UNKNOWN},
        {"callsite", T_CALLSITE},
        {"fused", T_FUSED},
        {"at", T_AT},
        {"to", T_TO},
        {"loc", T_LOC},
        {"module", T_OP_MODULE},
        {"return", T_OP_PLAIN},
        {"call", T_OP_PLAIN},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hlo_str_is(text_of(from, to), words[i].text)) return words[i].token;
    return 0;
}

/* The token of an operation by the form of its text. */
static int operation(hlo_str name) {
    switch (hlo_mlir_form_of(name)) {
    case HLO_MLIR_FORM_PLAIN: return T_OP_PLAIN;
    case HLO_MLIR_FORM_CONSTANT: return T_OP_CONSTANT;
    case HLO_MLIR_FORM_FUNCTION: return T_OP_FUNCTION;
    case HLO_MLIR_FORM_MANUAL: return T_OP_MANUAL;
    case HLO_MLIR_FORM_MODULE: return T_OP_MODULE;
    case HLO_MLIR_FORM_REDUCE: return T_OP_REDUCE;
    case HLO_MLIR_FORM_SCAN: return T_OP_SCAN;
    case HLO_MLIR_FORM_WHILE: return T_OP_WHILE;
    default: return T_DOTTED;
    }
}

/* `x` between two lists. */
static bool is_between_lists(const hlo_mlir_parser *p, const char *from, const char *to) {
    if (to != from + 1 || *from != 'x') return false;
    while (from > p->begin && hlo_is_blank(from[-1])) from--;
    while (hlo_is_blank(*to)) to++;
    return from > p->begin && from[-1] == ']' && *to == '[';
}

/* Names of types may be names of attributes, before an equals sign. */
static bool is_key(const char *to) {
    while (*to == ' ') to++;
    return *to == '=';
}

static int word(hlo_mlir_parser *p, const char *from, const char *to, HLO_MLIR_YYSTYPE *value, hlo_span *at) {
    value->text = text_of(from, to);
    if (*to == '<' || *to == '.') {
        if (hlo_str_is(value->text, "dense")) return raw_token(p, T_DENSE, from, to, value, at);
        if (hlo_str_is(value->text, "dense_resource")) return raw_token(p, T_RESOURCE, from, to, value, at);
        if (hlo_str_is(value->text, "array")) return array_token(p, from, value, at);
        if (hlo_str_is(value->text, "affine_map") || hlo_str_is(value->text, "affine_set"))
            return raw_token(p, T_MAP, from, to, value, at);
    }
    if (hlo_mlir_begins_type(value->text, *to) && !is_key(to)) return type_token(p, from, value, at);
    if (memchr(from, '.', (size_t)(to - from))) return operation(value->text);
    if (is_between_lists(p, from, to)) return T_X;
    int token = keyword(from, to);
    return token ? token : T_WORD;
}

#define END ((const char *)cursor)
#define RETURN(expression)                 \
    do {                                   \
        p->cursor = END;                   \
        *at = hlo_mlir_span(p, from, END); \
        return (expression);               \
    } while (0)

int hlo_mlir_scan(void *to, hlo_span *at, hlo_mlir_parser *p) {
    HLO_MLIR_YYSTYPE *value = to;
    const unsigned char *cursor = (const unsigned char *)p->cursor, *marker;
    const char *from;
next:
    from = END;
    /*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = cursor;
    re2c:define:YYMARKER = marker;
    re2c:yyfill:enable = 0;

    blank = [ \t\r\n];
    letter = [A-Za-z_];
    rest = [A-Za-z0-9_$.];
    word = letter rest*;
    suffix = [0-9]+ | [A-Za-z$._\-] [A-Za-z0-9$._\-]*;
    int = "-"? [0-9]+;
    hex = "0x" [0-9a-fA-F]+;
    decimal = "-"? [0-9]+ "." [0-9]* ([eE] [+\-]? [0-9]+)?;

    blank+ { goto next; }
    "//" [^\n\x00]* { goto next; }
    "\x00" {
        if (from >= p->limit) {
            p->cursor = from;
            *at = hlo_mlir_span(p, p->limit, p->limit);
            return T_END;
        }
        RETURN(lexical_error(p, from, from + 1, "a zero byte stands in the text"));
    }
    "%" suffix (":" [0-9]+)? blank* "=" {
        p->cursor = END;
        p->in_results = false;
        return definition(p, T_DEF, from, value, at);
    }
    "%" suffix (":" [0-9]+)? blank* "," {
        if ((p->in_results = begins_results(p, from))) {
            p->cursor = name_end(from + 1);
            return definition(p, T_RESULT, from, value, at);
        }
        p->cursor = name_end(from + 1);
        value->text = text_of(from + 1, p->cursor);
        *at = hlo_mlir_span(p, from, p->cursor);
        return T_VALUE;
    }
    "%" suffix ("#" [0-9]+)? { value->text = text_of(from + 1, END); RETURN(T_VALUE); }
    "^" suffix { value->text = text_of(from + 1, END); RETURN(T_LABEL); }
    "@" suffix { value->text = text_of(from + 1, END); RETURN(T_SYMBOL); }
    "@\"" { return quoted_symbol(p, from, value, at); }
    "#" suffix blank* "=" { const char *end = from; while (*end != ' ' && *end != '=' && *end != '\t') end++;
                     value->text = text_of(from, end); RETURN(T_ALIAS_DEF); }
    "!" suffix blank* "=" { const char *end = from; while (*end != ' ' && *end != '=' && *end != '\t') end++;
                     value->text = text_of(from, end); RETURN(T_TYPE_ALIAS_DEF); }
    "#" suffix { value->text = text_of(from, END); RETURN(T_HASH); }
    "#sdy.op_sharding_rule<" {
        int token = raw_token(p, T_RULE, from, END - 1, value, at);
        value->text = text_of(from, p->cursor);
        return token;
    }
    "#" suffix "<" { value->text = text_of(from + 1, END - 1); RETURN(T_HASH_OPEN); }
    "!" suffix { return type_token(p, from, value, at); }
    "loc(#" suffix ")" { value->text = text_of(from + 4, END - 1); RETURN(T_LOC_ALIAS); }
    "\"" { return string_token(p, from, value, at); }
    hex { RETURN(hex_token(p, from, END, value)); }
    int { RETURN(int_token(p, from, END, value)); }
    decimal { RETURN(decimal_token(p, from, END, value)); }
    word { p->cursor = END; *at = hlo_mlir_span(p, from, END); return word(p, from, END, value, at); }
    "->" { RETURN(T_ARROW); }
    "::" { RETURN(T_COLONS); }
    "{-#" {
        const char *end = from + 3;
        while (end < p->limit && memcmp(end, "#-}", 3) != 0) end++;
        if (end >= p->limit) RETURN(lexical_error(p, from, from + 3, "this is not closed by '#-}'"));
        value->text = text_of(from + 3, end);
        return item(p, T_FILE_METADATA, from, end + 3, at);
    }
    [{}()[\]<>,:=?*+\-|] { value->text = text_of(from, END); RETURN(*from); }
    * { RETURN(lexical_error(p, from, from + 1, "no token begins with this byte")); }
    */
}
