/* Messages for what the grammar of MLIR does not have, and for names of operations that no row of
 * the table has. */
#include "mlir/syntax_error.h"

#include <stdarg.h>
#include <stdio.h>

#include "mlir/forms.h"

void hlo_mlir_error(hlo_mlir_parser *p, hlo_rule rule, hlo_span at, const char *format, ...) {
    if (p->failed) return;
    p->failed = true;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hlo_error(p->diags, rule, p->source, at, "%s", text);
}

/* The token as it is written, cut where it is long. */
static int shown(const hlo_mlir_parser *p, hlo_span at) {
    uint32_t n = at.hi - at.lo;
    const char *text = p->begin + at.lo, *line = memchr(text, '\n', n);
    if (line) n = (uint32_t)(line - text);
    return n > 40 ? 40 : (int)n;
}

void hlo_mlir_syntax_error(hlo_mlir_parser *p, hlo_span at, const char *found,
                           const char *const *expected, size_t n) {
    if (p->failed) return;
    char list[256];
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < n && used < sizeof list - 1; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0      ? ""
                                 : i + 1 < n ? ", "
                                             : " or ",
                                 expected[i]);
    if (at.lo >= at.hi)
        hlo_mlir_error(p, HLO_RULE_SYNTAX, at,
                       n ? "the text ends where %s must follow" : "the text ends too early", list);
    else if (n)
        hlo_mlir_error(p, HLO_RULE_SYNTAX, at, "expected %s, found '%.*s'", list, shown(p, at),
                       p->begin + at.lo);
    else
        hlo_mlir_error(p, HLO_RULE_SYNTAX, at, "%s cannot stand here: '%.*s'", found, shown(p, at),
                       p->begin + at.lo);
}

void hlo_mlir_unknown_operation(hlo_mlir_parser *p, hlo_str name, hlo_span at) {
    if (p->failed) return;
    hlo_mlir_error(p, HLO_RULE_UNKNOWN_OPCODE, at, "unknown operation '%.*s'",
                   (int)(name.len < 80 ? name.len : 80), name.ptr);
    const hlo_nearest search = hlo_mlir_nearest_op(name);
    hlo_hint_nearest(p->diags, &search);
}
