/* Texts that are one literal: `f32[2] {1, 2}`, or without its shape. Called for inputs of a run. */
#include "base/text.h"
#include "parse/parse.h"
#include "parse/parser.h"

/* Whether a shape stands at `at` and not yet the literal: after the parentheses of tuples, it
 * starts with the name of a type. */
static bool is_shape(hlo_parser *p, const char *at) {
    static const char *const values[] = {"nan", "inf", "true", "false"};
    while (at && *at == '(') at = hlo_skip_blanks(p, at + 1);
    if (at && *at == ')') { /* () is both: of the empty tuple, another one follows */
        at = hlo_skip_blanks(p, at + 1);
        return at && *at == '(';
    }
    if (!at || *at < 'a' || *at > 'z') return false;
    size_t n = 0;
    while (hlo_is_letter(at[n]) || hlo_is_digit(at[n])) n++;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strlen(values[i]) == n && memcmp(values[i], at, n) == 0) return false;
    return true;
}

/* The end of the shape at `at`. Only what touches it is its layout: after a blank, {1,0} are the
 * elements. */
static const char *shape_end(const hlo_parser *p, const char *at) {
    const char open = *at == '(' ? '(' : '[', close = open == '(' ? ')' : ']';
    size_t depth = 0;
    for (; at < p->scan.limit; at++) {
        depth += *at == open;
        if (*at == close && --depth == 0) break;
    }
    if (at < p->scan.limit && close == ']' && at[1] == '{')
        while (at < p->scan.limit && *at != '}') at++;
    return at < p->scan.limit ? at + 1 : at;
}

/* The name of the shape that a text is, in the diagnostics; NULL after an error. */
static const char *read_shape(hlo_source *text, hlo_diags *diags) {
    hlo_parser *p = hlo_parser_new(text, diags);
    hlo_module *module = p->module;
    const hlo_shape *shape;
    const char *end = hlo_scan_shape(p, p->scan.begin, &shape);
    if (end && end < p->scan.limit)
        hlo_parse_error(p, HLO_RULE_SHAPE_SYNTAX, hlo_span_of(p, end, end + 1),
                        "only the literal may follow the shape");
    const char *name = end == p->scan.limit ? hlo_shape_name(&diags->arena, shape) : NULL;
    hlo_parser_free(p);
    hlo_module_free(module);
    return name;
}

/* After the shape, which must be the wanted one but for layouts; NULL after an error. */
static const char *pass_shape(hlo_parser *p, const char *at, const hlo_shape *wanted) {
    const char *end = shape_end(p, at);
    hlo_source *text = hlo_source_from_text(p->source->name, at, (size_t)(end - at));
    text->first_line = hlo_source_position(p->source, hlo_span_of(p, at, end).lo).line;
    const char *found = read_shape(text, p->diags);
    const char *expected = hlo_shape_name(&p->diags->arena, wanted);
    hlo_source_close(text);
    if (!found) return NULL;
    if (strcmp(found, expected) == 0) return hlo_skip_blanks(p, end);
    hlo_parse_error(p, HLO_RULE_INPUT, hlo_span_of(p, at, end), "holds %s, expected %s", found,
                    expected);
    return NULL;
}

hlo_status hlo_parse_literal(hlo_source *source, const hlo_shape *shape, hlo_arena *arena,
                             hlo_diags *diags, hlo_literal **out) {
    hlo_parser *p = hlo_parser_new(source, diags);
    hlo_module *module = p->module;
    uint32_t errors = diags->errors;
    p->arena = arena;
    const char *at = hlo_skip_blanks(p, p->scan.begin);
    if (at && is_shape(p, at)) at = pass_shape(p, at, shape);
    if (at) at = hlo_scan_literal(p, at, shape, out);
    if (at) at = hlo_skip_blanks(p, at);
    const char *dots = memmem(p->scan.begin, (size_t)(p->scan.limit - p->scan.begin), "{...}", 5);
    if (at && dots)
        hlo_parse_error(p, HLO_RULE_LITERAL_SYNTAX, hlo_span_of(p, dots, dots + 5),
                        "the elided elements are required");
    else if (at && at < p->scan.limit)
        hlo_parse_error(p, HLO_RULE_LITERAL_SYNTAX, hlo_span_of(p, at, at + 1),
                        "nothing may follow the literal");
    hlo_parser_free(p);
    hlo_module_free(module);
    return diags->errors == errors ? HLO_OK : HLO_BAD_USE;
}
