/* Texts that are one literal: `f32[2] {1, 2}`, or without its shape. Called for inputs of a run. */
#include <ctype.h>

#include "parse/parse.h"
#include "parse/parser.h"

/* Whether a shape stands at `at` and not yet the literal: behind the parentheses of tuples, it
 * starts with the name of a type. */
static bool is_shape(hlo_parser *p, const char *at) {
    static const char *const values[] = {"nan", "inf", "true", "false"};
    while (at && *at == '(') at = hlo_skip_blanks(p, at + 1);
    if (at && *at == ')') { /* () is both: of the empty tuple, another one follows */
        at = hlo_skip_blanks(p, at + 1);
        return at && *at == '(';
    }
    if (!at || !islower((unsigned char)*at)) return false;
    size_t n = 0;
    while (isalnum((unsigned char)at[n])) n++;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strlen(values[i]) == n && memcmp(values[i], at, n) == 0) return false;
    return true;
}

/* Behind the shape, which must be the wanted one but for layouts; NULL after an error. */
static const char *pass_shape(hlo_parser *p, const char *at, const hlo_shape *wanted) {
    const hlo_shape *shape;
    const char *end = hlo_scan_shape(p, at, &shape);
    if (!end) return NULL;
    const char *found = hlo_shape_name(&p->diags->arena, shape);
    const char *expected = hlo_shape_name(&p->diags->arena, wanted);
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
    const char *at = hlo_skip_blanks(p, p->begin);
    if (at && is_shape(p, at)) at = pass_shape(p, at, shape);
    if (at) at = hlo_scan_literal(p, at, shape, out);
    if (at) at = hlo_skip_blanks(p, at);
    const char *dots = memmem(p->begin, (size_t)(p->limit - p->begin), "{...}", 5);
    if (at && dots)
        hlo_parse_error(p, HLO_RULE_LITERAL_SYNTAX, hlo_span_of(p, dots, dots + 5),
                        "the elements that were left out here are needed");
    else if (at && at < p->limit)
        hlo_parse_error(p, HLO_RULE_LITERAL_SYNTAX, hlo_span_of(p, at, at + 1),
                        "nothing may follow the literal");
    hlo_parser_free(p);
    hlo_module_free(module);
    return diags->errors == errors ? HLO_OK : HLO_BAD_USE;
}
