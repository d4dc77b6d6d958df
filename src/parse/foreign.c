/* Recognises what stands where HLO should: other languages, logs, Markdown, marks of a merge,
 * another module. Called for every lexical and syntax error. */
#include "parse/foreign.h"
#include "parse/foreign_kinds.h"

#include <stdio.h>

static const char merge[] = "this is a mark of a merge conflict",
                  resolve[] = "resolve the conflict first",
                  fence[] = "this is a code fence of Markdown",
                  unfence[] = "sed '/^```/d' removes it";

/* In any line; foreign.def has what begins a text. */
static const struct {
    const char *mark, *message, *hint;
} lines[] = {
    {"<<<<<<<", merge, resolve}, {"=======", merge, resolve}, {">>>>>>>", merge, resolve},
    {"|||||||", merge, resolve}, {"```", fence, unfence},     {"~~~", fence, unfence},
};

static bool starts_with(const hlo_parser *p, const char *at, const char *mark) {
    size_t n = strlen(mark);
    return (size_t)(p->scan.limit - at) >= n && memcmp(at, mark, n) == 0;
}

static const char *line_begin(const hlo_parser *p, const char *at) {
    while (at > p->scan.begin && at[-1] != '\n') at--;
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

static const char *line_end(const hlo_parser *p, const char *at) {
    while (at < p->scan.limit && *at != '\n' && *at != '\r') at++;
    return at;
}

/* Nothing more is read, and what the caller has to add to its own error is dropped. */
static void end_here(hlo_parser *p) {
    p->recovery.state = HLO_GIVING_UP;
    p->diags->last = NULL;
}

/* ---- marks ---- */

static void report_line(hlo_parser *p, const char *line, uint32_t at, const char *message,
                        const char *hint) {
    hlo_error(p->diags, HLO_RULE_LEX, p->source,
              (hlo_span){at, hlo_span_of(p, line, line_end(p, line)).hi}, "%s", message);
    if (hint) hlo_hint(p->diags, "%s", hint);
    end_here(p);
}

static bool report_mark(hlo_parser *p, const char *line, uint32_t at) {
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!starts_with(p, line, lines[i].mark)) continue;
        report_line(p, line, at, lines[i].message, lines[i].hint);
        return true;
    }
    return false;
}

/* The whole text is of another kind. */
static bool report_kind(hlo_parser *p, const char *line, uint32_t at) {
    const hlo_foreign_kind *kind = hlo_foreign_kind_of(line, (size_t)(p->scan.limit - line));
    if (kind) report_line(p, line, at, kind->sentence, kind->hint);
    return kind != NULL;
}

/* ---- modules ---- */

static bool is_header(const hlo_parser *p, const char *at) {
    return starts_with(p, at, "HloModule ") || starts_with(p, at, "HloModule\t");
}

static bool report_second_module(hlo_parser *p, const char *line) {
    const char *first = hlo_skip_blanks(p, p->scan.begin);
    if (!is_header(p, line) || !first || line == first) return false;
    hlo_error(p->diags, HLO_RULE_SYNTAX, p->source, hlo_span_of(p, line, line + 9),
              "another module begins here");
    if (p->stacks.scopes.n && !p->made.is_single)
        hlo_note(p->diags, p->source, hlo_scope_now(p)->computation->at,
                 "this computation is still open");
    hlo_advise(p->diags, HLO_ADVICE_SPLIT);
    end_here(p);
    return true;
}

/* "[" and the like of a log: the module's first line has it, and so have the others. */
static void hint_at_prefix(hlo_parser *p, const char *line, const char *header) {
    const char *next = memchr(header, '\n', (size_t)(p->scan.limit - header));
    bool everywhere = next && next + 1 < p->scan.limit && next[1] == *line && *line != '%';
    if (everywhere && header - line > 2 && header[-2] == ']')
        hlo_hint(p->diags, "sed 's/^[^]]*\\] //' removes it from all lines");
    else if (everywhere)
        hlo_hint(p->diags, "cut -c%zu- removes it from all lines", (size_t)(header - line) + 1);
    else hlo_hint(p->diags, "remove it");
}

static void report_prefix(hlo_parser *p, const char *line, const char *header) {
    hlo_error(p->diags, HLO_RULE_SYNTAX, p->source, hlo_span_of(p, line, header),
              "this precedes 'HloModule', like the prefix of a log");
    hint_at_prefix(p, line, header);
}

static void report_preface(hlo_parser *p, const char *line, const char *header) {
    hlo_span at = hlo_span_of(p, header, header + 9);
    hlo_error(p->diags, HLO_RULE_SYNTAX, p->source, hlo_span_of(p, line, line_end(p, line)),
              "this precedes the module");
    hlo_note(p->diags, p->source, at, "the module begins here");
    hlo_hint(p->diags, "tail -n +%u skips the lines before it",
             hlo_source_position(p->source, at.lo).line);
}

/* The text begins with something else, and a module stands in it nevertheless. */
static bool report_late_module(hlo_parser *p, const char *line) {
    static const char word[] = " HloModule ";
    const char *end = line_end(p, line);
    const char *header = memmem(line, (size_t)(end - line), word, sizeof word - 1);
    const char *later = memmem(line, (size_t)(p->scan.limit - line), "\nHloModule ", 11);
    if (header) report_prefix(p, line, header + 1);
    else if (later) report_preface(p, line, later + 1);
    if (header || later) end_here(p);
    return header || later;
}

bool hlo_report_foreign(hlo_parser *p, hlo_span at) {
    bool is_first = p->diags->errors == p->recovery.errors;
    const char *first = hlo_skip_blanks(p, p->scan.begin);
    const char *line = line_begin(p, p->scan.begin + at.lo);
    if (first == p->scan.begin + at.lo) line = first;
    if (hlo_diags_full(p->diags)) return false;
    bool begins = is_first && first && p->made.is_single && line <= first;
    if (begins) line = first;
    return report_mark(p, line, at.lo) || (begins && report_kind(p, line, at.lo)) ||
           report_second_module(p, line) || (begins && report_late_module(p, line));
}
