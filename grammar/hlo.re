/* The HLO scanner. What a word means depends on the place it stands in, so there is one start
 * condition per place (see grammar/README.md); shapes, literals, metadata and raw JSON regions are
 * single tokens read by sub-scanners. Called by the Bison parser as its yylex. */
#include "hlo_grammar.h"
#include "parse/attr_tokens.h"
#include "parse/bytes.h"
#include "parse/number.h"
#include "parse/recover.h"
#include "parse/scan_lines.h"
#include "parse/scan_place.h"
#include "parse/suggest.h"
#include "parse/fast.h"

/* What a sub-scanner could not read has been reported by it. */
static int reported(hlo_parser *p) {
    hlo_skip(p);
    p->recovery.may_be_in_next = p->scan.place.condition == yycattrs && !p->scan.place.depth;
    return T_HLO_YYerror;
}

static int lexical_error(hlo_parser *p, hlo_rule rule, const char *from, const char *to,
                         const char *message) {
    if (hlo_current_is_broken(p)) return reported(p);
    hlo_parse_error(p, rule, hlo_span_of(p, from, to), "%s", message);
    return reported(p);
}

/* A byte that starts no token. */
static int strange_byte(hlo_parser *p, const char *from) {
    unsigned char c = (unsigned char)*from;
    hlo_span at = hlo_span_of(p, from, from + 1);
    if (hlo_current_is_broken(p)) return reported(p);
    if (c == '%') hlo_parse_error(p, HLO_RULE_LEX, at, "a name must follow '%%', beginning with a letter or '_'");
    else if (c > ' ' && c < 0x7f) hlo_parse_error(p, HLO_RULE_LEX, at, "no token starts with '%c'", c);
    else hlo_parse_error(p, HLO_RULE_LEX, at, "no token starts with byte 0x%02x", c);
    return reported(p);
}

/* ---- sub-scanned tokens: each moves the cursor to where its item ends ---- */

static int item(hlo_parser *p, int token, const char *from, const char *end, hlo_span *at) {
    if (!end) return reported(p);
    p->scan.cursor = end;
    *at = hlo_span_of(p, from, end);
    return token;
}

static int shape_token(hlo_parser *p, const char *from, HLO_YYSTYPE *value, hlo_span *at) {
    const char *end = hlo_scan_shape(p, from, &value->shape);
    if (end) p->scan.last_shape = value->shape;
    return item(p, T_SHAPE, from, end, at);
}

static int string_token(hlo_parser *p, const char *from, HLO_YYSTYPE *value, hlo_span *at) {
    hlo_str text;
    const char *end = hlo_scan_string(p, from, &text);
    if (end) value->str = hlo_keep_str(p, text);
    return item(p, T_STRING, from, end, at);
}

static int json_token(hlo_parser *p, const char *from, HLO_YYSTYPE *value, hlo_span *at) {
    hlo_str text;
    const char *end = hlo_scan_json(p, from, &text);
    if (end) value->str = hlo_keep_str(p, text);
    return item(p, T_JSON, from, end, at);
}

static int metadata_list_token(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    const char *from = hlo_after_blanks(p, p->scan.cursor);
    return item(p, T_METADATA_LIST, from, hlo_scan_metadata_list(p, from, &value->metadata_list), at);
}

static int literal_token(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    const char *from = hlo_after_blanks(p, p->scan.cursor);
    *at = hlo_span_of(p, from, from + (from < p->scan.limit));
    if (!p->scan.last_shape) {
        hlo_span opcode = {p->scan.token_at.lo, p->scan.token_at.hi - 1}; /* without the parenthesis */
        hlo_parse_error(p, HLO_RULE_SHAPE_REQUIRED, opcode, "the shape of a constant must be written");
        hlo_note(p->diags, p->source, (hlo_span){opcode.hi, opcode.hi + 1}, "without it the literal cannot be read");
        return reported(p);
    }
    return item(p, T_LITERAL, from, hlo_scan_literal(p, from, p->scan.last_shape, &value->literal), at);
}

/* The value of custom-call's literal=: each array after its shape. */
static int shaped_literal_token(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    const char *from = hlo_after_blanks(p, p->scan.cursor);
    return item(p, T_LITERAL, from, hlo_scan_shaped_literal(p, from, &value->literal, 0), at);
}

/* ---- numbers and texts ---- */

static int int_token(hlo_parser *p, const char *from, const char *to, HLO_YYSTYPE *value) {
    if (hlo_read_int64(from, (size_t)(to - from), &value->i)) return T_INT;
    return lexical_error(p, HLO_RULE_LEX, from, to, "this number does not fit 64 bits");
}

static int decimal_token(hlo_parser *p, const char *from, const char *to, HLO_YYSTYPE *value) {
    if (hlo_read_double(from, (size_t)(to - from), &value->f)) return T_DECIMAL;
    return lexical_error(p, HLO_RULE_LEX, from, to, "this number is beyond the range of a double");
}

static int text_token(hlo_parser *p, int token, const char *from, const char *to, HLO_YYSTYPE *value) {
    value->str = hlo_keep_str(p, (hlo_str){from, (uint32_t)(to - from), 1});
    return token;
}

/* ---- words ---- */

static hlo_name *intern(hlo_parser *p, const char *from, const char *to) {
    hlo_str text = {from, (uint32_t)(to - from), 0};
    return (hlo_name *)(uintptr_t)hlo_module_intern(p->module, text);
}

/* Words that are no names (docs/text-format.md, 1.1), as tokens; 0 for the others. */
static int keyword(const char *from, const char *to) {
    static const struct {
        const char *text;
        int token;
    } words[] = {
        {"true", T_TRUE},
        {"false", T_FALSE},
        {"inf", T_INF},
        {"nan", T_DECIMAL},
        {"maximal", T_MAXIMAL},
        {"replicated", T_REPLICATED},
        {"manual", T_MANUAL},
        {"unknown", T_UNKNOWN},
        {"unreduced", T_UNREDUCED},
        {"last_tile_dim_replicate", T_LAST_TILE_DIM_REPLICATE},
        {"shard_as", T_SHARD_AS},
        {"shard_like", T_SHARD_LIKE},
        {"HloModule", T_HLOMODULE},
        {"ENTRY", T_ENTRY},
        {"ROOT", T_ROOT},
        {"FileNames", T_FILENAMES},
        {"FunctionNames", T_FUNCTIONNAMES},
        {"FileLocations", T_FILELOCATIONS},
        {"StackFrames", T_STACKFRAMES},
    };
    static const char initials[256] = {['t'] = 1, ['f'] = 1, ['n'] = 1, ['i'] = 1, ['m'] = 1, ['r'] = 1, ['u'] = 1,
                                       ['l'] = 1, ['s'] = 1, ['H'] = 1, ['E'] = 1, ['R'] = 1, ['F'] = 1,
                                       ['S'] = 1};
    if (!initials[(unsigned char)*from] || to - from > 23 || memchr(from, '.', (size_t)(to - from))) return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].text[0] == *from && hlo_word_is(from, to, words[i].text)) return words[i].token;
    return 0;
}

/* A word where a shape may start: an element type, or `b` before a parenthesis. */
static bool starts_shape(hlo_parser *p, const char *from, const char *to) {
    if (to - from == 1 && *from == 'b') return *hlo_after_blanks(p, to) == '(';
    return to - from <= 13 && hlo_type_from_text(from, (size_t)(to - from)) != HLO_TYPE_COUNT;
}

bool hlo_scan_is_name(hlo_parser *p, const char *from, const char *to) {
    return !keyword(from, to) && !starts_shape(p, from, to);
}

static int plain_word(hlo_parser *p, const char *from, const char *to, HLO_YYSTYPE *value) {
    int token = keyword(from, to);
    if (token == T_DECIMAL) value->f = __builtin_nan("");
    if (token) return token;
    if (starts_shape(p, from, to)) return T_TYPE;
    value->name = intern(p, from, to);
    return T_NAME;
}

/* A word between computations or among stack frames: some open another part of the file. */
static int top_word(hlo_parser *p, const char *from, const char *to, HLO_YYSTYPE *value) {
    int token = plain_word(p, from, to, value);
    if (token == T_FILENAMES) hlo_enter_place(p, yycframes);
    else if (token == T_ENTRY || token == T_NAME) hlo_enter_place(p, yyctop);
    return token;
}

/* The first name of the header is the module's; a later one outside values is a computation's. */
static int header_name(hlo_parser *p) {
    if (p->scan.header_named && !p->scan.place.depth) hlo_enter_place(p, yyctop);
    p->scan.header_named = true;
    return T_NAME;
}

static int unknown_opcode(hlo_parser *p, const char *from, const char *to, const char *open) {
    size_t n = (size_t)(to - from);
    if (hlo_type_from_text(from, n) != HLO_TYPE_COUNT)
        return lexical_error(p, HLO_RULE_SHAPE_SYNTAX, open, open + 1, "expected '[' after an element type");
    hlo_parse_error(p, HLO_RULE_UNKNOWN_OPCODE, hlo_span_of(p, from, to), "there is no opcode '%.*s'",
                    (int)(n > 80 ? 80 : n), from);
    hlo_suggest_opcode(p, from, n);
    return reported(p);
}

int hlo_scan_opcode(const char *text, size_t n) {
    static const struct {
        const char *suffix;
        hlo_sugar sugar;
    } forms[] = {{"-start", HLO_SUGAR_START}, {"-update", HLO_SUGAR_UPDATE}, {"-done", HLO_SUGAR_DONE}};
    hlo_opcode op = hlo_op_from_text(text, n);
    if (op != HLO_OP_COUNT) return (int)op;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t m = strlen(forms[i].suffix);
        if (n <= m || memcmp(text + n - m, forms[i].suffix, m) != 0) continue;
        op = hlo_op_from_text(text, n - m);
        if (op != HLO_OP_COUNT && !(hlo_ops[op].flags & HLO_OP_IS_NOT_WRAPPABLE))
            return hlo_opcode_token(op, forms[i].sugar);
    }
    return -1;
}

/* The token reaches to its parenthesis. */
static int opcode_token(hlo_parser *p, const char *from, const char *to, const char *open,
                        HLO_YYSTYPE *value, hlo_span *at) {
    value->id = hlo_scan_opcode(from, (size_t)(to - from));
    if (value->id < 0) return unknown_opcode(p, from, to, open);
    if (p->scan.place.condition == yycrhs) hlo_enter_place(p, yycargs);
    p->scan.place.round_depth++;
    p->scan.next = value->id == HLO_OP_CONSTANT    ? HLO_NEXT_LITERAL
                   : value->id == HLO_OP_PARAMETER ? HLO_NEXT_NUMBER
                                                   : HLO_NEXT_OPERANDS;
    p->scan.cursor = open + 1;
    *at = hlo_span_of(p, from, open + 1);
    return T_OPCODE;
}

/* Between '=' and the operands: a shape or the opcode. */
static int rhs_word(hlo_parser *p, const char *from, const char *to, HLO_YYSTYPE *value, hlo_span *at) {
    bool buffer = to - from == 1 && *from == 'b';
    const char *open = *to == '(' || *to == '[' ? to : hlo_after_blanks(p, to);
    if (*open == '(' && !buffer) return opcode_token(p, from, to, open, value, at);
    bool shape = *to == '[' && *from >= 'a' && *from <= 'z' && !p->scan.last_shape;
    if (shape || starts_shape(p, from, to)) return shape_token(p, from, value, at);
    if (hlo_scan_opcode(from, (size_t)(to - from)) < 0) return plain_word(p, from, to, value);
    hlo_parse_error(p, HLO_RULE_SYNTAX, hlo_span_of(p, open, open + (open < p->scan.limit)),
                    "expected '(' after the opcode %.*s", (int)(to - from), from);
    return reported(p);
}

/* Among operands: a shape, a nested instruction or a name. */
static int operand_word(hlo_parser *p, const char *from, const char *to, HLO_YYSTYPE *value,
                        hlo_span *at) {
    if (starts_shape(p, from, to)) return shape_token(p, from, value, at);
    if (*to != ',' && *to != ')') {
        const char *open = hlo_after_blanks(p, to);
        if (*open == '(') return opcode_token(p, from, to, open, value, at);
    }
    return plain_word(p, from, to, value);
}

static int close_operands(hlo_parser *p) {
    if (--p->scan.place.round_depth == 0) hlo_enter_place(p, yycattrs);
    p->scan.last_shape = NULL;
    return ')';
}

/* All operands up to the closing parenthesis as one token, when they are plain names with '%'; 0 when
 * they are something else, and the grammar must look at them one by one. */
static int operand_list(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    const char *close = *p->scan.cursor == '%' ? hlo_fast_operands(p, p->scan.cursor) : NULL;
    if (!close) return 0;
    p->scan.cursor = close + 1;
    *at = hlo_span_of(p, close, close + 1);
    value->base = p->fast.operands.n;
    close_operands(p);
    hlo_resolve_operands(p);
    return T_OPERANDS;
}

/* The number of a parameter with its parenthesis. */
static int number_and_close(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    const char *close = hlo_fast_number(p->scan.cursor, &value->i);
    if (!close) return 0;
    *at = hlo_span_of(p, p->scan.cursor, close + 1);
    p->scan.cursor = close + 1;
    close_operands(p);
    return T_NUMBER_CLOSED;
}

static bool takes_shape(const hlo_parser *p) {
    int class = p->scan.place.attr_class;
    return class == T_A_SHAPE || class == T_A_SHAPES || class == T_A_PROGRAM_SHAPE;
}

/* A word inside or after attributes: a keyword, a mesh, a shape where one may stand, or a name. */
static int value_word(hlo_parser *p, const char *from, const char *to, HLO_YYSTYPE *value, hlo_span *at) {
    int class = p->scan.place.attr_class;
    if (class == T_A_SHARDING || class == T_A_GROUPS || class == T_A_DOMAIN) {
        if (hlo_word_is(from, to, "mesh")) return T_MESH;
        if (hlo_word_is(from, to, "maximal_mesh")) return T_MAXIMAL_MESH;
        if (hlo_word_is(from, to, "T")) return T_TRANSPOSED;
    }
    if (takes_shape(p) && starts_shape(p, from, to)) return shape_token(p, from, value, at);
    return plain_word(p, from, to, value);
}

static int header_word(hlo_parser *p, const char *from, const char *to, HLO_YYSTYPE *value, hlo_span *at) {
    int token = value_word(p, from, to, value, at);
    if (token == T_NAME) return header_name(p);
    if (token == T_ENTRY) hlo_enter_place(p, yyctop);
    if (token == T_FILENAMES) hlo_enter_place(p, yycframes);
    return token;
}

/* `name =`: a statement begins, unless this stands inside an attribute's value. */
static int definition(hlo_parser *p, const char *from, HLO_YYSTYPE *value, hlo_span *at) {
    const char *to = hlo_word_end(from), *start = from - (from > p->scan.begin && from[-1] == '%');
    *at = hlo_span_of(p, start, to);
    int token = T_DEF;
    if (p->scan.place.condition == yycattrs && p->scan.place.depth) {
        p->scan.cursor = to;
        token = T_NAME;
    }
    if (start == from) {
        int other = plain_word(p, from, to, value);
        if (other != T_NAME) token = other;
    } else {
        value->name = intern(p, from, to);
    }
    if (token == T_DEF) {
        p->scan.last_shape = NULL;
        hlo_enter_place(p, yycrhs);
    } else {
        p->scan.cursor = to;
    }
    return token;
}

/* ---- attributes ---- */

/* `name=` inside a value is the key of a part; at the outermost level a comma must stand before it,
 * which the token of an attribute includes (see comma). */
static int key_token(hlo_parser *p, const char *from, const char *end, HLO_YYSTYPE *value, hlo_span *at) {
    int class = p->scan.place.attr_class;
    *at = hlo_span_of(p, from, end);
    if (!p->scan.place.depth && (class != T_A_GROUPS || !hlo_word_is(from, end, "device_ids"))) return T_GLUED;
    if ((class == T_A_SHARDING || class == T_A_GROUPS || class == T_A_DOMAIN) && hlo_word_is(from, end, "metadata"))
        return metadata_list_token(p, value, at);
    value->name = intern(p, from, end);
    return T_KEY;
}

/* Metadata is the most frequent attribute: name and value are one token. */
static int metadata_token(hlo_parser *p, const char *from, HLO_YYSTYPE *value, hlo_span *at) {
    return item(p, T_METADATA, from, hlo_scan_metadata(p, hlo_after_blanks(p, p->scan.cursor), &value->metadata), at);
}

/* The name of an attribute of the table; the cursor stands after its equals sign. */
static int attribute_token(hlo_parser *p, const char *from, const char *end, HLO_YYSTYPE *value, hlo_span *at) {
    *at = hlo_span_of(p, from, end);
    bool header = p->scan.place.condition == yycheader;
    hlo_attr_id id = hlo_attr_from_text(from, (size_t)(end - from));
    if (header && id == HLO_ATTR_FRONTEND_ATTRIBUTES) id = HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES;
    if (id == HLO_ATTR_COUNT || hlo_attr_table[id].place == HLO_PLACE_PARENS ||
        header != (hlo_attr_table[id].place == HLO_PLACE_HEADER)) {
        hlo_parse_error(p, HLO_RULE_UNKNOWN_ATTRIBUTE, *at, "there is no attribute '%.*s' of %s",
                        (int)(end - from > 80 ? 80 : end - from), from,
                        header ? "a module" : "an instruction");
        hlo_suggest_attribute(p, from, (size_t)(end - from), header);
        return reported(p);
    }
    value->id = p->scan.place.attr = (int)id;
    p->scan.place.attr_at = *at;
    p->scan.place.attr_class = hlo_attr_token(hlo_attr_table[id].kind);
    p->scan.place.after_arrow = false;
    p->scan.next = p->scan.place.attr_class == T_A_LITERAL ? HLO_NEXT_LITERAL : HLO_NEXT_ANY;
    if (p->scan.place.attr_class == T_A_METADATA) return metadata_token(p, from, value, at);
    return p->scan.place.attr_class;
}

/* A comma, together with the attribute after it when it stands at the outermost level. */
static int comma(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    if (p->scan.place.depth) return ',';
    const char *from = p->scan.cursor + (*p->scan.cursor == ' '), *end = hlo_word_end(from);
    if (end == from) end = hlo_word_end(from = hlo_after_blanks(p, p->scan.cursor));
    if (end == from || *end != '=') return ',';
    p->scan.cursor = end + 1;
    if (p->scan.place.attr_class == T_A_GROUPS && hlo_word_is(from, end, "device_ids")) {
        p->scan.cursor = from; /* part of a mesh */
        return ',';
    }
    return attribute_token(p, from, end, value, at);
}

/* No brace after this one would be counted. */
static int too_deep(hlo_parser *p, const char *from) {
    hlo_stop_at_next_error(p);
    return lexical_error(p, HLO_RULE_NESTING, from, from + 1, "computations nest too deep");
}

/* A brace after an attribute's name, or inside its value. */
static int open_brace(hlo_parser *p, const char *from, HLO_YYSTYPE *value, hlo_span *at) {
    int class = p->scan.place.attr_class;
    uint32_t depth = p->scan.place.depth;
    if ((class == T_A_CONFIG && depth == 0) || (class == T_A_FRONTEND && depth == 1))
        return json_token(p, from, value, at);
    if (class == T_A_INTS && depth == 0 && !p->fast.off) {
        const char *end = hlo_fast_ints(p, from, &value->ints);
        if (end) return item(p, T_INTS, from, end, at);
    }
    if ((class == T_A_COMPUTATION && depth == 0) || (class == T_A_COMPUTATIONS && depth == 1)) {
        if (p->scan.outer_places.n >= HLO_MAX_NESTING)
            return too_deep(p, from);
        hlo_enter_body(p);
        return T_BODY;
    }
    p->scan.place.depth++;
    return '{';
}

static int close_brace(hlo_parser *p) {
    if (p->scan.place.depth) p->scan.place.depth--;
    else if (p->scan.place.condition != yycheader) hlo_leave_body(p);
    return '}';
}

/* A parenthesis inside a value: of the value's own form, or of a tuple shape. */
static int open_round(hlo_parser *p, const char *from, HLO_YYSTYPE *value, hlo_span *at) {
    bool own = p->scan.place.attr_class == T_A_PROGRAM_SHAPE && p->scan.place.depth == 1 && !p->scan.place.after_arrow;
    if (takes_shape(p) && !own) return shape_token(p, from, value, at);
    p->scan.place.depth++;
    return '(';
}

static int close_bracket(hlo_parser *p, int token) {
    if (p->scan.place.depth) p->scan.place.depth--;
    return token;
}

/* ---- what stands at most places ---- */

/* `%name =` as the printer writes it. */
static int fast_definition(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    const char *from = p->scan.cursor;
    while (*from == ' ' || *from == '\n') from++;
    if (*from != '%') return 0;
    const char *end = hlo_word_end(from + 1);
    if (end == from + 1 || end[0] != ' ' || end[1] != '=' || (from[1] >= '0' && from[1] <= '9') || from[1] == '.' || from[1] == '-') return 0;
    value->name = intern(p, from + 1, end);
    *at = hlo_span_of(p, from, end);
    p->scan.cursor = end + 2;
    p->scan.last_shape = NULL;
    hlo_enter_place(p, yycrhs);
    return T_DEF;
}

void hlo_scan_after_line(hlo_parser *p) {
    hlo_enter_place(p, yycattrs);
    p->scan.last_shape = NULL;
    if (!p->fast.attrs.n) return;
    const hlo_line_attr *last = &p->fast.attrs.v[p->fast.attrs.n - 1];
    const hlo_attr_info *info = &hlo_attr_table[last->id];
    p->scan.place.attr = (int)last->id;
    p->scan.place.attr_at = (hlo_span){last->at.lo, last->at.lo + (uint32_t)strlen(info->text)};
    p->scan.place.attr_class = hlo_attr_token(info->kind);
}

/* A statement as the printer writes it, as much of it as is usual. */
static int fast_statement(hlo_parser *p, hlo_span *at) {
    int token = hlo_fast_line(p, at);
    if (token == T_LINE) hlo_scan_after_line(p);
    if (token != T_STATEMENT) return token;
    hlo_enter_place(p, yycargs);
    p->scan.last_shape = p->fast.statement.shape;
    p->scan.place.round_depth = 1;
    p->scan.next = p->fast.statement.opcode == HLO_OP_CONSTANT ? HLO_NEXT_LITERAL : HLO_NEXT_ANY;
    return token;
}

/* The head of a computation as the printer writes it; after ENTRY, when that was read as a word of
 * the header, a name stands. */
static int fast_head(hlo_parser *p, hlo_span *at) {
    const char *before = p->scan.begin + p->scan.token_at.lo;
    if (hlo_word_is(before, p->scan.begin + p->scan.token_at.hi, "ENTRY") || !hlo_fast_head(p, at)) return 0;
    hlo_enter_place(p, yycbody);
    return T_HEAD;
}

/* A shape or an opcode as the printer writes them. */
static int fast_right_side(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    const char *from = p->scan.cursor;
    while (*from == ' ') from++;
    if (*from == '(') return p->scan.last_shape ? 0 : shape_token(p, from, value, at);
    if (*from < 'a' || *from > 'z') return 0;
    const char *end = hlo_word_end(from);
    if (*end == '[' && !p->scan.last_shape) return shape_token(p, from, value, at);
    if (*end == '(' && end - from > 1) return opcode_token(p, from, end, end, value, at);
    return 0;
}

/* The token at the cursor when it is written as the printer writes it; 0 leaves it to the rules of
 * the scanner below, which know every spelling. */
static int fast_token(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    int condition = p->scan.place.condition;
    if (p->fast.off) return 0;
    if (condition == yycrhs) return fast_right_side(p, value, at);
    if (condition == yycframes) return hlo_fast_rows(p, at);
    if (condition == yyctop) return fast_head(p, at);
    if (p->scan.place.depth || (condition != yycattrs && condition != yycbody)) return 0;
    if (condition == yycattrs && *p->scan.cursor == ',') {
        *at = hlo_span_of(p, p->scan.cursor, p->scan.cursor + 1);
        p->scan.cursor++;
        return comma(p, value, at);
    }
    if (p->scan.cursor[0] == '\n' && p->scan.cursor[1] == '}') {
        *at = hlo_span_of(p, p->scan.cursor + 1, p->scan.cursor + 2);
        p->scan.cursor += 2;
        return close_brace(p);
    }
    int token = fast_statement(p, at);
    return token ? token : fast_definition(p, value, at);
}

/* The token that was announced; 0 leaves it to the rules below. */
static int expected_token(hlo_parser *p, HLO_YYSTYPE *value, hlo_span *at) {
    hlo_next_token next = p->scan.next;
    p->scan.next = HLO_NEXT_ANY;
    if (p->fast.off && next != HLO_NEXT_LITERAL) return 0;
    if (next == HLO_NEXT_NUMBER) return number_and_close(p, value, at);
    if (next == HLO_NEXT_OPERANDS) return operand_list(p, value, at);
    *at = hlo_span_of(p, p->scan.cursor, p->scan.cursor);
    return p->scan.place.condition == yycargs ? literal_token(p, value, at)
                                              : shaped_literal_token(p, value, at);
}

/* ---- the scanner ---- */

void hlo_scan_begin(hlo_parser *p) {
    p->scan.begin = p->scan.cursor = p->source->text;
    p->scan.limit = p->scan.begin + p->source->len;
    p->scan.start_token = hlo_kind_of_file(p);
    hlo_enter_place(p, yyctop);
    if (p->scan.start_token == T_START_MODULE) hlo_enter_place(p, yycheader);
    if (p->scan.start_token == T_START_SINGLE)
        hlo_enter_place(p, hlo_statement_starts(hlo_after_blanks(p, p->scan.cursor)) ? yycbody : yycrhs);
    if (p->scan.start_token == T_START_BODY) hlo_enter_place(p, yycbody);
}

void hlo_scan_begin_attributes(hlo_parser *p, uint32_t offset, bool of_module) {
    p->scan.cursor = p->scan.begin + offset;
    p->scan.start_token = T_START_ATTRIBUTES;
    hlo_enter_place(p, of_module ? yycheader : yycattrs);
    p->scan.header_named = of_module;
}

#define END ((const char *)cursor)
#define RETURN(expression)                  \
    do {                                    \
        p->scan.cursor = END;                    \
        *at = hlo_span_of(p, from, END);    \
        return (expression);                \
    } while (0)

int hlo_scan(HLO_YYSTYPE *value, hlo_span *at, hlo_parser *p) {
    if (p->scan.start_token) {
        int token = p->scan.start_token;
        p->scan.start_token = 0;
        *at = hlo_span_of(p, p->scan.cursor, p->scan.cursor);
        return token;
    }
    if (p->recovery.state >= HLO_SKIPPING) {
        bool is_full = hlo_diags_full(p->diags);
        bool over = is_full || p->recovery.state == HLO_GIVING_UP;
        p->diags->is_cut |= is_full && p->scan.cursor < p->scan.limit;
        int token = over ? T_END : hlo_resynchronise(p);
        *at = hlo_span_of(p, p->scan.cursor, p->scan.cursor);
        return token;
    }
    if (p->scan.next != HLO_NEXT_ANY) {
        int token = expected_token(p, value, at);
        if (token) return token;
    }
    int usual = fast_token(p, value, at);
    if (usual) return usual;
    const unsigned char *cursor = (const unsigned char *)p->scan.cursor, *marker;
    const char *from;
next:
    from = END;
    /*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = cursor;
    re2c:define:YYMARKER = marker;
    re2c:define:YYGETCONDITION = "p->scan.place.condition";
    re2c:define:YYGETCONDITION:naked = 1;
    re2c:yyfill:enable = 0;

    blank = [ \t\r\n];
    first = [A-Za-z_];
    rest = [A-Za-z0-9_.\-];
    word = first rest*;
    int = "-"? [0-9]+;
    exponent = [eE] [+\-]? [0-9]+;
    fraction = [0-9]+ "." [0-9]* | [0-9]* "." [0-9]+;
    decimal = [0-9]+ exponent | [0-9]+ "." [0-9]* exponent? | "-" ([0-9]+ exponent | fraction exponent?);
    nan = "-"? "nan" ("(0x" [0-9a-fA-F]+ ")")?;
    pad = int "_" int ("_" [0-9]+)?;
    dxd = [0-9]+ ("x" [0-9]+)+;
    labels = [0-9bf?]{2,} "_" [0-9io?]{2,} "->" [0-9bf?]{2,};

    // everywhere
    <*> blank+ { goto next; }
    <*> "//" [^\r\n\x00]* { goto next; }
    <*> "/*" {
        const char *after = hlo_skip_blanks(p, from);
        if (!after) RETURN(reported(p));
        cursor = (const unsigned char *)after;
        goto next;
    }
    <*> "\x00" {
        if (from >= p->scan.limit) {
            cursor--;
            RETURN(T_END);
        }
        RETURN(lexical_error(p, HLO_RULE_LEX, from, END, "a NUL byte stands here"));
    }
    <*> "->" {
        p->scan.place.after_arrow = true;
        if (p->scan.place.condition == yyctop) hlo_enter_place(p, yycresult);
        RETURN(T_ARROW);
    }
    <*> "<=" { RETURN(T_LEQ); }
    <*> "..." { RETURN(T_DOTS); }
    <*> [,:*#+~] { RETURN(*from); }
    <*> ["'] { RETURN(string_token(p, from, value, at)); }
    <*> int { RETURN(int_token(p, from, END, value)); }
    <*> decimal { RETURN(decimal_token(p, from, END, value)); }
    <*> nan { value->f = __builtin_nan(""); RETURN(T_DECIMAL); }
    <*> "-inf" { RETURN(T_NEGINF); }
    <*> * { RETURN(strange_byte(p, from)); }

    // between computations
    <top> "execution_thread=" { RETURN(T_EXECUTION_THREAD); }
    <top> "%" word { value->name = intern(p, from + 1, END); RETURN(T_NAME); }
    <top> word ":" { value->name = intern(p, from, END - 1); RETURN(T_NAME); }
    <top> word { RETURN(top_word(p, from, END, value)); }
    <top> "(" { hlo_enter_place(p, yycsignature); RETURN('('); }
    <top> "{" { hlo_enter_place(p, yycbody); RETURN(T_BODY); }
    <top> [}=)[\]?] { RETURN(*from); }

    // the header line: attributes, until a computation or the stack-frame tables begin
    <header> "%" word {
        value->name = intern(p, from + 1, END);
        RETURN(header_name(p));
    }
    <header> word ":" { value->name = intern(p, from, END - 1); RETURN(header_name(p)); }
    <header> word { RETURN(header_word(p, from, END, value, at)); }

    // stack-frame tables
    <frames> word "=" { value->name = intern(p, from, END - 1); RETURN(T_KEY); }
    <frames> "%" word { hlo_enter_place(p, yyctop); value->name = intern(p, from + 1, END); RETURN(T_NAME); }
    <frames> word { RETURN(top_word(p, from, END, value)); }
    <frames> [{}()[\]=?] { RETURN(*from); }

    // a computation's signature: names, each with a shape after it
    <signature> "%" word { value->name = intern(p, from + 1, END); hlo_enter_place(p, yycparameter); RETURN(T_NAME); }
    <signature> word { value->name = intern(p, from, END); hlo_enter_place(p, yycparameter); RETURN(T_NAME); }
    <signature> word ":" { value->name = intern(p, from, END - 1); hlo_enter_place(p, yycparameter); RETURN(T_NAME); }
    <signature> ")" { hlo_enter_place(p, yyctop); RETURN(')'); }
    <signature> [({}[\]=?] { RETURN(*from); }
    <parameter, result> word | "(" {
        hlo_enter_place(p, p->scan.place.condition == yycparameter ? yycsignature : yyctop);
        RETURN(shape_token(p, from, value, at));
    }
    <parameter, result> [){}[\]=?] { RETURN(*from); }

    // where a statement starts
    <body, attrs> "%" word blank* "=" { RETURN(definition(p, from + 1, value, at)); }
    <body, attrs> word blank+ "=" { RETURN(definition(p, from, value, at)); }
    <body> "%" word { value->name = intern(p, from + 1, END); RETURN(T_NAME); }
    <body> word ":" { value->name = intern(p, from, END - 1); RETURN(T_NAME); }
    <body> word { RETURN(value_word(p, from, END, value, at)); }
    <body> word "=" { RETURN(T_GLUED); }
    <body> "=" { p->scan.last_shape = NULL; hlo_enter_place(p, yycrhs); RETURN('='); }
    <body> "}" { RETURN(close_brace(p)); }
    <body> [{()[\]?] { RETURN(*from); }

    // after '=': shape, opcode
    <rhs> "(" {
        if (p->scan.last_shape) RETURN('(');
        RETURN(shape_token(p, from, value, at));
    }
    <rhs> word { RETURN(rhs_word(p, from, END, value, at)); }
    <rhs> "%" word { value->name = intern(p, from + 1, END); RETURN(T_NAME); }
    <rhs> word "=" { RETURN(T_GLUED); }
    <rhs> [={})[\]?] { RETURN(*from); }

    // operands
    <args> "%" word { value->name = intern(p, from + 1, END); RETURN(T_NAME); }
    <args> word ":" { value->name = intern(p, from, END - 1); RETURN(T_NAME); }
    <args> word { RETURN(operand_word(p, from, END, value, at)); }
    <args> word "=" { RETURN(T_GLUED); }
    <args> "(" { RETURN(shape_token(p, from, value, at)); }
    <args> ")" { RETURN(close_operands(p)); }
    <args> [={}[\]?] { RETURN(*from); }

    // attributes and their values
    <attrs, header> word "=" { RETURN(key_token(p, from, END - 1, value, at)); }
    <attrs, header> "," { RETURN(comma(p, value, at)); }
    <attrs> "%" word { value->name = intern(p, from + 1, END); RETURN(T_NAME); }
    <attrs> word ":" { value->name = intern(p, from, END - 1); RETURN(T_NAME); }
    <attrs> word { RETURN(value_word(p, from, END, value, at)); }
    <attrs> labels { RETURN(text_token(p, T_LABELS, from, END, value)); }
    <attrs> dxd { RETURN(text_token(p, T_DXD, from, END, value)); }
    <attrs> pad ("x" pad)* { RETURN(text_token(p, T_PAD, from, END, value)); }
    <attrs, header> "{" { RETURN(open_brace(p, from, value, at)); }
    <attrs, header> "}" { RETURN(close_brace(p)); }
    <attrs, header> "(" { RETURN(open_round(p, from, value, at)); }
    <attrs, header> "[" { p->scan.place.depth++; RETURN('['); }
    <attrs, header> [\])] { RETURN(close_bracket(p, *from)); }
    <attrs, header> "?" { RETURN('?'); }
    <attrs> "=" {
        if (!p->scan.place.depth) {
            p->scan.last_shape = NULL;
            hlo_enter_place(p, yycrhs);
        }
        RETURN('=');
    }
    <header> "=" { RETURN('='); }
    */
}
