/* Notes that errors in several files end with: which instruction they are in, and what stands
 * after. */
#include <strings.h>

#include "parse/bytes.h"
#include "parse/parser.h"

/* Nested operands have no name: the instruction around them is meant. */
hlo_span hlo_instruction_at(const hlo_parser *p) {
    uint32_t i = p->stacks.pending.n;
    while (i > 1 && !p->stacks.pending.v[i - 1].name) i--;
    return i ? p->stacks.pending.v[i - 1].at : (hlo_span){0, 0};
}

void hlo_note_instruction(hlo_parser *p) {
    hlo_span at = hlo_instruction_at(p);
    if (at.hi) hlo_note(p->diags, p->source, at, "in this instruction");
}

void hlo_note_refusal(hlo_parser *p, hlo_span at) {
    hlo_aside(p->diags, p->source, at, "XLA's parser reports it here");
}

void hlo_note_after(hlo_parser *p, uint32_t offset) {
    const char *at = p->scan.begin + offset;
    while (hlo_is_blank(*at)) at++;
    hlo_note_refusal(p, hlo_span_of(p, at, at + (at < p->scan.limit)));
}

/* Where a text was cut, in a word, a string or between two lines, it is what is missing. */
static uint32_t text_end(const hlo_parser *p) {
    const char *end = p->scan.limit;
    while (end > p->scan.begin && (unsigned char)end[-1] <= ' ') end--;
    return (uint32_t)(end - p->scan.begin);
}

void hlo_note_text_end(hlo_parser *p) {
    uint32_t end = text_end(p);
    hlo_aside(p->diags, p->source, (hlo_span){end, end}, "the text ends here");
}

void hlo_note_cut(hlo_parser *p) {
    const hlo_diag *last = p->diags->last;
    uint32_t end = text_end(p);
    if (!last || last->source != p->source || !end || p->made.is_single) return;
    bool at_end = last->span.lo < end && last->span.hi >= end;
    if (at_end && p->scan.begin[end - 1] != '}') hlo_note_text_end(p);
}

static const char *line_end(const hlo_parser *p, const char *at) {
    const char *end = memchr(at, '\n', (size_t)(p->scan.limit - at));
    return end ? end : p->scan.limit;
}

/* With its name glued to it, or misspelt. */
static bool may_mean_module(const char *from) {
    hlo_nearest search = hlo_nearest_to(from, (size_t)(hlo_word_end(from) - from));
    hlo_nearest_try(&search, "HloModule", 9, false);
    return search.name || strncasecmp(from, "HloModule", 9) == 0;
}

/* Parts of a module that were copied out of it: what makes one of them. */
void hlo_hint_at_module(hlo_parser *p) {
    const char *from = hlo_skip_blanks(p, p->scan.begin);
    if (!from || !p->made.is_single || !p->diags->last || p->diags->last->hint) return;
    const char *end = line_end(p, from), *brace = end;
    while (brace > from && (unsigned char)brace[-1] <= ' ') brace--;
    if (may_mean_module(from)) hlo_hint(p->diags, "did you mean 'HloModule'?");
    else if (brace > from && brace[-1] == '{')
        hlo_hint(p->diags, "computations need a line `HloModule m` before them");
    else if (memmem(end, (size_t)(p->scan.limit - end), " = ", 3))
        hlo_hint(p->diags,
                 "instructions need `HloModule m ENTRY e {` before them and `}` after them");
}

bool hlo_reported_since(const hlo_parser *p, uint32_t offset) {
    const hlo_diag *last = p->diags->last;
    return last && last->severity == HLO_ERROR && last->source == p->source &&
           last->span.lo >= offset;
}
