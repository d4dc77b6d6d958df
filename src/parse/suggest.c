/* Hints: the name of a table that is nearest to a misspelt one. Called by the scanner. */
#include "parse/suggest.h"

#include "shape/dialects.h"

enum { LONGEST = 48 };

static int least(int a, int b) {
    return a < b ? a : b;
}

/* How many letters must be added, dropped or replaced to turn one text into the other. */
static int distance(const char *a, size_t n, const char *b, size_t m) {
    int row[LONGEST + 1];
    for (size_t k = 0; k <= m; k++) row[k] = (int)k;
    for (size_t i = 0; i < n; i++) {
        int corner = row[0];
        row[0] = (int)i + 1;
        for (size_t k = 0; k < m; k++) {
            int above = row[k + 1];
            row[k + 1] = least(least(above, row[k]) + 1, corner + (a[i] != b[k]));
            corner = above;
        }
    }
    return row[m];
}

/* Entry i of a table of names, or NULL when that one cannot be meant here. */
typedef const char *namer(const hlo_parser *p, size_t i);

static void suggest(hlo_parser *p, const char *text, size_t n, namer *name, size_t count) {
    const char *nearest = NULL;
    int best = n < 3 ? 0 : n < 6 ? 1 : 2;
    for (size_t i = 0; i < count && n <= LONGEST; i++) {
        const char *candidate = name(p, i);
        size_t m = candidate ? strlen(candidate) : 0;
        if (!m || m > LONGEST) continue;
        int d = distance(text, n, candidate, m);
        if (d > best || (d == best && nearest)) continue;
        best = d;
        nearest = candidate;
    }
    if (nearest) hlo_hint(p->diags, "did you mean '%s'?", nearest);
}

static const char *opcode_name(const hlo_parser *p, size_t i) {
    (void)p;
    return hlo_ops[i].text;
}

void hlo_suggest_opcode(hlo_parser *p, const char *text, size_t n) {
    if (hlo_dialect_claims(p->diags, HLO_DIALECT_OPCODE, HLO_OP_COUNT, text, n)) return;
    suggest(p, text, n, opcode_name, HLO_OP_COUNT);
}

static const char *header_attribute_name(const hlo_parser *p, size_t i) {
    (void)p;
    return hlo_attr_table[i].place == HLO_PLACE_HEADER ? hlo_attr_table[i].text : NULL;
}

/* Those that the instruction being read takes. */
static const char *attribute_name(const hlo_parser *p, size_t i) {
    hlo_attr_place place = hlo_attr_table[i].place;
    if (place == HLO_PLACE_HEADER || place == HLO_PLACE_PARENS || !p->stacks.pending.n) return NULL;
    hlo_opcode op = p->stacks.pending.v[p->stacks.pending.n - 1].draft.opcode;
    return hlo_op_attr(op, (hlo_attr_id)i) == HLO_ATTR_COUNT ? NULL : hlo_attr_table[i].text;
}

void hlo_suggest_attribute(hlo_parser *p, const char *text, size_t n, bool header) {
    hlo_opcode op = p->stacks.pending.n ? p->stacks.pending.v[p->stacks.pending.n - 1].draft.opcode
                                        : HLO_OP_COUNT;
    if (!header && hlo_dialect_claims(p->diags, HLO_DIALECT_ATTRIBUTE, op, text, n)) return;
    suggest(p, text, n, header ? header_attribute_name : attribute_name, HLO_ATTR_COUNT);
}
