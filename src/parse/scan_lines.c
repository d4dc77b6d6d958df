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

/* ---- going on after an error ---- */

static const char *line_end(const char *at, const char *limit) {
    const char *end = memchr(at, '\n', (size_t)(limit - at));
    return end ? end : limit;
}

/* Does a line that begins at `at` begin a computation? */
static bool computation_starts(const char *at, const char *limit) {
    if (*at != '%' && !hlo_is_word_byte(*at)) return false;
    const char *end = line_end(at, limit);
    while (end > at && (end[-1] == ' ' || end[-1] == '\r')) end--;
    return end > at && end[-1] == '{';
}

static bool at_line_start(const hlo_parser *p, const char *at) {
    while (at > p->scan.begin && (at[-1] == ' ' || at[-1] == '\t')) at--;
    return at == p->scan.begin || at[-1] == '\n';
}

/* How many braces of an attribute's value are open at the cursor. */
static uint32_t open_braces(const hlo_parser *p) {
    uint32_t depth = 0;
    if (!p->scan.place.attr_class) return 0;
    for (const char *at = p->scan.begin + p->scan.place.attr_at.hi; at < p->scan.cursor; at++) {
        if (*at == '{') depth++;
        else if (*at == '}' && depth) depth--;
    }
    return depth;
}

/* The brace on this line that closes the body around `at`, after `depth` others; or NULL. */
static const char *closing_brace(const char *at, const char *limit, uint32_t depth) {
    for (const char *end = line_end(at, limit); at < end; at++) {
        if (*at == '{') depth++;
        else if (*at == '}' && depth-- == 0) return at;
    }
    return NULL;
}

static bool inside_body(const hlo_parser *p) {
    int c = p->scan.place.condition;
    return c == yycbody || c == yycrhs || c == yycargs || c == yycattrs;
}

const char *hlo_computation_inside(const hlo_parser *p, const char *at) {
    while (at > p->scan.begin && at[-1] != '\n') at--;
    return inside_body(p) && !hlo_statement_starts(at) && computation_starts(at, p->scan.limit)
               ? at
               : NULL;
}

static bool ends_line(const hlo_parser *p, const char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return *at == '\n' || at == p->scan.limit;
}

/* Standing still twice at one place is not allowed, so every error makes progress. */
int hlo_resynchronise(hlo_parser *p) {
    if (p->recovery.state == HLO_CLOSING) {
        if (!p->scan.outer_places.n) p->recovery.state = HLO_READING;
        hlo_leave_body(p);
        return '}';
    }
    p->scan.next = HLO_NEXT_ANY;
    bool in_body = inside_body(p);
    const char *at = p->scan.cursor, *close = NULL;
    if (in_body && *at == '}' && at + 1 == p->scan.body_end && ends_line(p, at + 1)) close = at;
    else if (p->scan.outer_places.n) close = closing_brace(at, p->scan.limit, open_braces(p));
    if (!in_body) p->scan.outer_places.n = 0;
    if (close && close != p->recovery.stuck_at) at = close;
    else if (!at_line_start(p, at) || at == p->recovery.stuck_at) at = line_end(at, p->scan.limit);
    while (at < p->scan.limit && at != close) {
        bool statement = hlo_statement_starts(at),
             computation = !statement && computation_starts(at, p->scan.limit);
        if (computation || (in_body && statement)) break;
        at = line_end(at, p->scan.limit);
        if (at < p->scan.limit) at++;
    }
    /* The bodies that are open where a computation begins miss their closing braces. */
    bool closing = at < p->scan.limit && at != close && in_body && !hlo_statement_starts(at);
    p->recovery.state = closing ? HLO_CLOSING : HLO_READING;
    p->scan.cursor = p->recovery.stuck_at = at;
    hlo_enter_place(p, in_body ? yycbody : yyctop);
    return at == p->scan.limit ? T_END : in_body ? T_SYNC : T_SYNC_TOP;
}
