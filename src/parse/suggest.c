/* "Did you mean": the name of a table that is nearest to a misspelt one. Called by the scanner. */
#include "parse/suggest.h"

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

void hlo_suggest(hlo_parser *p, const char *text, size_t n, hlo_namer *name, size_t count) {
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
