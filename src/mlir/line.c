/* Statements on one line by hand: results, the name of an operation, what the words of its row ask
 * for, types, a location. What has another form is left to grammar/mlir.re and mlir.y, to which
 * unit/mlir_line_test.c holds this. */
#include "mlir/line.h"

#include "base/text.h"
#include "mlir/forms.h"
#include "parse/bytes.h"

static const char *after_spaces(const char *at) {
    while (*at == ' ') at++;
    return at;
}

static hlo_str text_of(const char *from, const char *to) {
    return (hlo_str){from, (uint32_t)(to - from), 0};
}

/* ---- names ---- */

/* The end of a suffix as the scanner has it: digits, or a word; `at` itself: none begins there. */
static const char *suffix_end(const char *at) {
    if (hlo_is_digit(*at)) {
        while (hlo_is_digit(*at)) at++;
        return at;
    }
    while (hlo_is_word_byte(*at) || *at == '$') at++;
    return at;
}

/* `%name` or `%name#1`; NULL: there is none. */
static const char *read_operand(hlo_mlir_parser *p, const char *at) {
    if (*at != '%') return NULL;
    const char *end = suffix_end(at + 1);
    if (end == at + 1) return NULL;
    if (*end == '#') {
        const char *digits = end + 1;
        while (hlo_is_digit(*digits)) digits++;
        if (digits == end + 1) return NULL;
        end = digits;
    }
    hlo_list_push(&p->line.operands,
                  (hlo_mlir_line_operand){text_of(at + 1, end), hlo_mlir_span(p, at, end)});
    return end;
}

/* Operands with commas between them, perhaps none; a comma before something else is left. */
static const char *read_operands(hlo_mlir_parser *p, const char *at) {
    const char *end = read_operand(p, at);
    if (!end) return *at == '%' ? NULL : at;
    for (;;) {
        const char *next = after_spaces(end);
        if (*next != ',') return end;
        next = after_spaces(next + 1);
        if (*next != '%') return end;
        if (!(end = read_operand(p, next))) return NULL;
    }
}

/* ---- attributes ---- */

/* A number of at most 18 digits that ends before a blank or one of the marks of lists. */
static const char *read_int(const char *at, int64_t *out) {
    bool is_negative = *at == '-';
    const char *end = hlo_few_digits(at + is_negative, 18, out);
    if (is_negative) *out = -*out;
    return end && *end && strchr(" ,]:\n", *end) ? end : NULL;
}

/* A word of capitals, which is no keyword and no name of a type. */
static const char *read_word(const char *at) {
    const char *end = at;
    while ((*end >= 'A' && *end <= 'Z') || *end == '_' || (end > at && hlo_is_digit(*end))) end++;
    return end > at && *end && strchr(" ,]:\n", *end) ? end : NULL;
}

/* START:LIMIT or START:LIMIT:STRIDE, whose start has been read. */
static const char *read_range(hlo_mlir_parser *p, const char *from, const char *at, int64_t start) {
    int64_t limit, stride = 1;
    const char *end = read_int(at + 1, &limit);
    if (end && *end == ':') end = read_int(end + 1, &stride);
    if (!end || *end == ':') return NULL;
    hlo_span place = hlo_mlir_span(p, from, end);
    hlo_mlir_push_named(p, (hlo_str){0}, hlo_mlir_range_attr(p, place, start, limit, stride),
                        place);
    return end;
}

static const char *read_element(hlo_mlir_parser *p, const char *at) {
    int64_t number;
    const char *end = read_int(at, &number);
    if (end && *end == ':') return read_range(p, at, end, number);
    hlo_span place;
    if (end) {
        place = hlo_mlir_span(p, at, end);
        hlo_mlir_push_named(p, (hlo_str){0}, hlo_mlir_int_attr(p, place, number, NULL), place);
    } else if ((end = read_word(at))) {
        place = hlo_mlir_span(p, at, end);
        hlo_mlir_push_named(p, (hlo_str){0},
                            hlo_mlir_text_attr(p, HLO_MLIR_WORD, place, text_of(at, end)), place);
    }
    return end;
}

/* [1, 2] */
static const char *read_list(hlo_mlir_parser *p, const char *from, const hlo_mlir_attr **out) {
    uint32_t base = p->named.n;
    const char *at = after_spaces(from + 1);
    while (*at != ']') {
        const char *end = read_element(p, at);
        at = end ? after_spaces(end) : "";
        if (*at == ',' && *(at = after_spaces(at + 1)) != ']') continue;
        if (*at == ']') break;
        p->named.n = base;
        return NULL;
    }
    *out = hlo_mlir_list_attr(p, HLO_MLIR_LIST, hlo_mlir_span(p, from, at + 1), '[', (hlo_str){0},
                              base);
    return at + 1;
}

/* LIST, or LIST x LIST */
static const char *read_lists(hlo_mlir_parser *p, const char *from, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *first, *second;
    const char *end = read_list(p, from, &first);
    *out = first;
    if (!end) return NULL;
    const char *x = after_spaces(end);
    if (*x != 'x') return end;
    const char *at = after_spaces(x + 1);
    if (*at != '[' || !(end = read_list(p, at, &second))) return NULL;
    uint32_t base = p->named.n;
    hlo_mlir_push_named(p, (hlo_str){0}, first, first->at);
    hlo_mlir_push_named(p, (hlo_str){0}, second, second->at);
    *out =
        hlo_mlir_list_attr(p, HLO_MLIR_LIST, hlo_mlir_span(p, from, end), 'x', (hlo_str){0}, base);
    return *after_spaces(end) == '-' ? NULL : end;
}

/* A value that stands alone, or after `key =`. */
static const char *read_value(hlo_mlir_parser *p, const char *at, bool has_key,
                              const hlo_mlir_attr **out) {
    int64_t number;
    const char *end;
    if (*at == '[') return has_key ? read_lists(p, at, out) : read_list(p, at, out);
    if ((end = read_word(at))) {
        *out = hlo_mlir_text_attr(p, HLO_MLIR_WORD, hlo_mlir_span(p, at, end), text_of(at, end));
    } else if (has_key && (end = read_int(at, &number))) {
        *out = hlo_mlir_int_attr(p, hlo_mlir_span(p, at, end), number, NULL);
    } else if (!has_key && *at == '@') {
        end = suffix_end(at + 1);
        if (end == at + 1 || *end != '(') return NULL;
        *out =
            hlo_mlir_text_attr(p, HLO_MLIR_SYMBOL, hlo_mlir_span(p, at, end), text_of(at + 1, end));
    }
    return end;
}

/* The word of a row `name`, or `key=name`. */
static const char *read_attr(hlo_mlir_parser *p, const char *at, hlo_str word) {
    const char *equals = memchr(word.ptr, '=', word.len), *value = at;
    const hlo_mlir_attr *attr;
    if (equals) {
        size_t n = (size_t)(equals - word.ptr);
        if (memcmp(at, word.ptr, n) != 0) return NULL;
        value = after_spaces(at + n);
        if (*value != '=') return NULL;
        value = after_spaces(value + 1);
    }
    const char *end = read_value(p, value, equals != NULL, &attr);
    if (!end) return NULL;
    hlo_str name = equals ? text_of(equals + 1, word.ptr + word.len) : word;
    hlo_list_push(&p->line.attrs, (hlo_mlir_named){name, attr, hlo_mlir_span(p, at, at).lo});
    return end;
}

/* ---- the words of a row ---- */

static const char *read_by_word(hlo_mlir_parser *p, const char *at, hlo_str word) {
    at = after_spaces(at);
    if (*word.ptr == 'v' && word.len == 1) return read_operand(p, at);
    if (*word.ptr == 'v' && word.len == 2 && word.ptr[1] == '*') return read_operands(p, at);
    if (hlo_str_is(word, "{}")) return at; /* attributes here are left to the grammar */
    hlo_str name = hlo_mlir_bare_attr(word);
    if (name.len) return read_attr(p, at, name);
    if (word.len == 1 && strchr(",()", *word.ptr)) return *at == *word.ptr ? at + 1 : NULL;
    return word.len > 1 ? read_attr(p, at, word) : NULL;
}

/* All of the group, or none of it: then it ends where it began. */
static const char *read_group(hlo_mlir_parser *p, const char *at, const char **words) {
    uint32_t operands = p->line.operands.n, attrs = p->line.attrs.n;
    const char *end = at;
    for (hlo_str word; (word = hlo_mlir_next_word(words)).len && *word.ptr != ']';)
        if (end) end = read_by_word(p, end, word);
    if (end) return end;
    p->line.operands.n = operands;
    p->line.attrs.n = attrs;
    return at;
}

static const char *read_by_row(hlo_mlir_parser *p, const char *at, const char *words) {
    for (hlo_str word; at && (word = hlo_mlir_next_word(&words)).len;)
        at = hlo_str_is(word, "[") ? read_group(p, at, &words) : read_by_word(p, at, word);
    return at;
}

/* dense<ELEMENTS>, of few bytes without strings. */
static const char *read_constant(hlo_mlir_parser *p, const char *at) {
    enum { MOST = 64 };
    at = after_spaces(at);
    if (memcmp(at, "dense<", 6) != 0) return NULL;
    const char *from = at + 6, *end = from;
    while (end - from < MOST && *end && !strchr("<>\"\n", *end)) end++;
    if (*end != '>' || end[-1] == '-') return NULL;
    p->line.elements = hlo_mlir_span(p, from, end);
    return end + 1;
}

/* ---- types and location ---- */

/* TYPE, TYPE, ... */
static const char *read_types(hlo_mlir_parser *p, const char *at) {
    for (;;) {
        const hlo_mlir_type *type;
        if (!(at = hlo_mlir_recall_type(p, at, &type))) return NULL;
        hlo_list_push(&p->line.types, type);
        const char *comma = after_spaces(at);
        if (*comma != ',') return at;
        at = after_spaces(comma + 1);
    }
}

/* The same, or in parentheses, where they may be none. */
static const char *read_type_list(hlo_mlir_parser *p, const char *at) {
    if (*at != '(') return read_types(p, at);
    const char *first = after_spaces(at + 1);
    if (*first == ')') return first + 1;
    at = read_types(p, first);
    if (!at) return NULL;
    at = after_spaces(at);
    return *at == ')' ? at + 1 : NULL;
}

static const char *read_signature(hlo_mlir_parser *p, const char *at) {
    p->line.results = -1;
    const char *colon = after_spaces(at);
    p->line.is_typed = *colon == ':';
    if (!p->line.is_typed) return at;
    const char *types = after_spaces(colon + 1), *end = read_type_list(p, types);
    if (!end) return NULL;
    const char *arrow = after_spaces(end);
    if (arrow[0] != '-' || arrow[1] != '>') return *types == '(' ? NULL : end;
    uint32_t operands = p->line.types.n;
    end = read_type_list(p, after_spaces(arrow + 2));
    p->line.results = p->line.types.n - operands;
    return end;
}

/* Whether the line ends at `at`, and the statement with it: one with a location does, one without
 * where the next line begins with what no types, or no operands, go on with. */
static const char *line_end(const char *at, bool has_location, bool is_typed) {
    at = after_spaces(at);
    if (*at == '\r') at++;
    if (*at != '\n') return NULL;
    if (has_location) return at;
    const char *next = at;
    while (hlo_is_blank(*next)) next++;
    bool ends_types = *next == '%' || (hlo_is_letter(*next) && *next != 'l');
    return *next == '}' || (is_typed && ends_types) ? at : NULL;
}

static const char *read_location(hlo_mlir_parser *p, const char *at) {
    const char *from = after_spaces(at);
    p->line.location = (hlo_str){0};
    if (memcmp(from, "loc(#", 5) != 0) return line_end(at, false, p->line.is_typed);
    const char *end = suffix_end(from + 5);
    if (end == from + 5 || *end != ')') return NULL;
    p->line.location = text_of(from + 4, end);
    p->line.location_at = hlo_mlir_span(p, from, end + 1);
    return line_end(end + 1, true, p->line.is_typed);
}

/* ---- a line ---- */

/* The name of an operation, as the scanner reads words. */
static const char *read_name(hlo_mlir_parser *p, const char *at) {
    const char *end = at;
    while (hlo_is_letter(*end) || hlo_is_digit(*end) || *end == '_' || *end == '.' || *end == '$')
        end++;
    hlo_str name = text_of(at, end);
    if (hlo_str_is(name, "return")) name = HLO_STR("func.return");
    if (hlo_str_is(name, "call")) name = HLO_STR("func.call");
    p->line.name = name;
    p->line.id = hlo_mlir_op_from_name(name);
    p->line.at = hlo_mlir_span(p, at, end);
    return p->line.id == HLO_MLIR_OP_COUNT || *end != ' ' ? NULL : end;
}

/* `%name = `; NULL: the results have another form. */
static const char *read_result(hlo_mlir_parser *p, const char *from) {
    const char *end = suffix_end(from + 1);
    if (end == from + 1) return NULL;
    p->line.result = (hlo_mlir_result_name){text_of(from + 1, end), (uint32_t)(from - p->begin), 1};
    const char *equals = after_spaces(end);
    return *equals == '=' ? after_spaces(equals + 1) : NULL;
}

bool hlo_mlir_scan_line(hlo_mlir_parser *p, const char *from, hlo_span *at) {
    if (p->is_by_rules) return false;
    hlo_mlir_line *line = &p->line;
    line->operands.n = line->attrs.n = line->types.n = 0;
    line->result = (hlo_mlir_result_name){0};
    const char *end = *from == '%' ? read_result(p, from) : from;
    if (!end || !(end = read_name(p, end))) return false;
    hlo_mlir_form form = hlo_mlir_form_of_id(line->id);
    line->is_constant = form == HLO_MLIR_FORM_CONSTANT;
    if (line->is_constant) end = read_constant(p, end);
    else if (form == HLO_MLIR_FORM_PLAIN) end = read_by_row(p, end, hlo_mlir_ops[line->id].words);
    else return false;
    if (!end || !(end = read_signature(p, end)) || !(end = read_location(p, end))) return false;
    if (line->is_constant && (line->types.n != 1 || line->results >= 0)) return false;
    *at = *from == '%' ? hlo_mlir_span(p, from, from + 1 + line->result.text.len) : line->at;
    p->cursor = end;
    p->in_results = false;
    return true;
}

static void take_line(hlo_mlir_parser *p) {
    const hlo_mlir_line *line = &p->line;
    const hlo_mlir_attr *value = NULL;
    const hlo_mlir_location *location = NULL;
    if (line->result.text.len) hlo_list_push(&p->names, line->result);
    hlo_mlir_begin_op_as(p, line->id, line->name, line->at);
    if (line->is_constant) value = hlo_mlir_dense(p, line->elements, line->types.v[0]);
    if (p->failed) return;
    if (line->location.len)
        location = hlo_mlir_location_alias(p, line->location, line->location_at);
    if (p->failed) return;
    if (value) {
        hlo_mlir_end_constant(p, value, location);
        return;
    }
    for (uint32_t i = 0; i < line->operands.n && !p->failed; i++)
        hlo_mlir_push_operand(p, line->operands.v[i].text, line->operands.v[i].at);
    if (p->failed) return;
    for (uint32_t i = 0; i < line->attrs.n; i++) hlo_list_push(&p->attrs, line->attrs.v[i]);
    hlo_mlir_signature types = {p->types.n, line->results, line->is_typed};
    for (uint32_t i = 0; i < line->types.n; i++) hlo_list_push(&p->types, line->types.v[i]);
    hlo_mlir_end_op(p, types, location);
}

void hlo_mlir_take_lines(hlo_mlir_parser *p) {
    hlo_span at;
    do {
        take_line(p);
        if (p->failed) return;
        const char *next = p->cursor;
        while (hlo_is_blank(*next)) next++;
        if (!hlo_mlir_scan_line(p, next, &at)) return;
    } while (true);
}
