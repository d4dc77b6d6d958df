/* Going on after an error: see recover.h. A place to go on at is, in this order,
 *   1. the brace that closes the body, where it ends the line of the error or the body is nested:
 *          c = f32[] call(a), to_apply={ x = f32[] parameter(zero) }, metadata={...}
 *          an error at `zero`, reading goes on here               ^
 *   2. the next line that begins a statement or closes the body (the error is in a body):
 *          b = f32[] add(a a)
 *          c = f32[] negate(a)                                    reading goes on here
 *   3. the next line that begins a computation. In a body, its closing brace is missing then: the
 *      grammar gets one for each open body, and the computation is read after them:
 *          b = f32[] add(a, a
 *        ENTRY main {                                             reading goes on here
 *   4. the end of the text. */
#include "parse/recover.h"

#include "hlo_grammar.h"
#include "parse/bytes.h"
#include "parse/scan_lines.h"
#include "parse/scan_place.h"

static bool inside_body(const hlo_parser *p) {
    int c = p->scan.place.condition;
    return c == yycbody || c == yycrhs || c == yycargs || c == yycattrs;
}

static const char *line_end(const char *at, const char *limit) {
    const char *end = memchr(at, '\n', (size_t)(limit - at));
    return end ? end : limit;
}

/* ---- a token that the grammar refuses ---- */

void hlo_scan_take_back(hlo_parser *p, int token, const char *end) {
    if (token == T_BODY) hlo_leave_body(p);
    if (token == T_HEAD) hlo_enter_place(p, yyctop);
    if (token != '}' || end != p->scan.body_end || !p->stacks.scopes.n) return;
    if (hlo_scope_now(p)->is_nested) hlo_enter_body(p);
    else hlo_enter_place(p, yycbody);
}

/* ---- 1. the brace that closes the body ---- */

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

static bool ends_line(const hlo_parser *p, const char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return *at == '\n' || at == p->scan.limit;
}

/* The refused token was the brace itself, at the end of a line. */
static bool is_at_closing_brace(const hlo_parser *p) {
    const char *at = p->scan.cursor;
    return inside_body(p) && *at == '}' && at + 1 == p->scan.body_end && ends_line(p, at + 1);
}

/* The brace on the line of the cursor that closes the nested body, after those of the value that
 * the error is in; or NULL. */
static const char *brace_of_nested_body(const hlo_parser *p) {
    const char *at = p->scan.cursor, *end = line_end(at, p->scan.limit);
    for (uint32_t depth = open_braces(p); at < end; at++) {
        if (*at == '{') depth++;
        else if (*at == '}' && depth-- == 0) return at;
    }
    return NULL;
}

static const char *closing_brace(const hlo_parser *p) {
    if (is_at_closing_brace(p)) return p->scan.cursor;
    return p->scan.outer_places.n ? brace_of_nested_body(p) : NULL;
}

/* ---- 2., 3. the next line that begins something ---- */

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

/* From the line of the cursor on, if that is at its start and reading did not go on there already;
 * from the next one on otherwise. In a body both statements and computations count. */
static const char *next_beginning(const hlo_parser *p, bool in_body) {
    const char *at = p->scan.cursor, *limit = p->scan.limit;
    if (!at_line_start(p, at) || at == p->recovery.tried_at) at = line_end(at, limit);
    while (at < limit) {
        if (hlo_statement_starts(at) ? in_body : computation_starts(at, limit)) break;
        at = line_end(at, limit);
        if (at < limit) at++;
    }
    return at;
}

const char *hlo_computation_inside(const hlo_parser *p, const char *at) {
    while (at > p->scan.begin && at[-1] != '\n') at--;
    return inside_body(p) && !hlo_statement_starts(at) && computation_starts(at, p->scan.limit)
               ? at
               : NULL;
}

/* ---- the search ---- */

/* A computation begins inside of open bodies: closes the innermost of them. */
static int close_body(hlo_parser *p) {
    if (!p->scan.outer_places.n) p->recovery.state = HLO_READING;
    hlo_leave_body(p);
    return '}';
}

/* Reading does not go on twice at one place, so that every error makes progress. */
int hlo_resynchronise(hlo_parser *p) {
    if (p->recovery.state == HLO_CLOSING) return close_body(p);
    bool in_body = inside_body(p), misses_brace = false;
    const char *to = closing_brace(p);
    if (!in_body) p->scan.outer_places.n = 0;
    if (!to || to == p->recovery.tried_at) {
        to = next_beginning(p, in_body);
        misses_brace = in_body && to < p->scan.limit && !hlo_statement_starts(to);
    }
    p->recovery.state = misses_brace ? HLO_CLOSING : HLO_READING;
    p->scan.next = HLO_NEXT_ANY;
    p->scan.cursor = p->recovery.tried_at = to;
    hlo_enter_place(p, in_body ? yycbody : yyctop);
    return to == p->scan.limit ? T_END : in_body ? T_SYNC : T_SYNC_TOP;
}

/* ---- the statement that was being read ---- */

/* A name that was read is one of a broken instruction from now on. When none was read, or the error
 * may be in a statement after that one, any name may have stood there. */
void hlo_drop_instruction(hlo_parser *p) {
    uint32_t base = hlo_scope_now(p)->pending_base;
    for (uint32_t i = base; i < p->stacks.pending.n; i++) {
        hlo_name *name = p->stacks.pending.v[i].name;
        if (name && !hlo_find_instr(p, name)) hlo_bind_instr(p, name, (hlo_instr *)&hlo_poison);
    }
    if (base == p->stacks.pending.n || p->recovery.may_be_in_next)
        hlo_scope_now(p)->lost_names = true;
    p->recovery.may_be_in_next = false;
    if (base < p->stacks.pending.n) {
        HLO_ASSERT(p->stacks.operands.n >= p->stacks.pending.v[base].operand_base &&
                   p->stacks.attrs.n >= p->stacks.pending.v[base].attr_base);
        p->stacks.operands.n = p->stacks.pending.v[base].operand_base;
        p->stacks.attrs.n = p->stacks.pending.v[base].attr_base;
        p->stacks.pending.n = base;
    }
}
