/* Notes that errors in several files end with: which instruction they are in, and what stands
 * after. Called by the scanners, the actions and the values of attributes. */
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
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
    hlo_note_refusal(p, hlo_span_of(p, at, at + (at < p->scan.limit)));
}

bool hlo_reported_since(const hlo_parser *p, uint32_t offset) {
    const hlo_diag *last = p->diags->last;
    return last && last->severity == HLO_ERROR && last->source == p->source &&
           last->span.lo >= offset;
}
