/* Lines that begin a module, a computation or a statement: see scan_lines.h. */
#include "parse/scan_lines.h"

#include "hlo_grammar.h"
#include "parse/bytes.h"
#include "parse/scan_place.h"

/* ---- the kind of file ---- */

bool hlo_statement_starts(const char *at) {
    while (*at == ' ' || *at == '\t') at++;
    if (*at == '}') return true;
    const char *to = hlo_word_end(at + (*at == '%'));
    if (hlo_word_is(at, to, "ROOT")) return true;
    if (to == at) return false;
    bool separate = *at == '%' || *to == ' ';
    while (*to == ' ' || *to == '\t') to++;
    return *to == '=' && separate;
}

/* Does the line go on like `NAME (x: f32[2]) -> f32[2] {` after its name? */
static bool is_signature(hlo_parser *p, const char *after_name) {
    const char *at = hlo_after_blanks(p, after_name);
    const char *end = memchr(at, '\n', (size_t)(p->scan.limit - at));
    if (!end) end = p->scan.limit;
    return *at == '(' && memmem(at, (size_t)(end - at), "->", 2);
}

static bool has_root(const char *from, const char *limit) {
    for (const char *at = from; at; at = memchr(at, '\n', (size_t)(limit - at))) {
        while (at < limit && (unsigned char)*at <= ' ') at++;
        if (limit - at > 5 && !memcmp(at, "ROOT ", 5)) return true;
    }
    return false;
}

/* Is it a statement on a separate line, with another one after it, and do they look like a
 * computation: a parameter or a constant first, or a root? */
static bool begins_body(hlo_parser *p, const char *from) {
    const char *end = memchr(from, '\n', (size_t)(p->scan.limit - from)), *next = end;
    if (!end || !hlo_statement_starts(from)) return false;
    while (next < p->scan.limit && (unsigned char)*next <= ' ') next++;
    if (next == p->scan.limit || *next == '}' || !hlo_statement_starts(next)) return false;
    size_t n = (size_t)(end - from);
    return memmem(from, n, " parameter(", 11) || memmem(from, n, " constant(", 10) ||
           has_root(from, p->scan.limit);
}

int hlo_kind_of_file(hlo_parser *p) {
    const char *from = hlo_after_blanks(p, p->scan.cursor),
               *to = hlo_word_end(from + (*from == '%'));
    if (hlo_word_is(from, to, "HloModule")) return T_START_MODULE;
    if (hlo_word_is(from, to, "ENTRY")) return T_START_HEADERLESS;
    if (to > from && *hlo_after_blanks(p, to + (*to == ':')) == '{') return T_START_HEADERLESS;
    if (to > from && is_signature(p, to)) return T_START_HEADERLESS;
    return begins_body(p, from) ? T_START_BODY : T_START_SINGLE;
}
