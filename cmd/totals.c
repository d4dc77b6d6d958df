/* Counts as text: see totals.h. */
#include "totals.h"

#include <stdio.h>

const char *totals_plural(size_t n) {
    return n == 1 ? "" : "s";
}

void totals_counts(const verify_totals *t, char *text, size_t capacity) {
    int n =
        snprintf(text, capacity, "%zu module%s, %zu computation%s, %zu instruction%s", t->modules,
                 totals_plural(t->modules), t->computations, totals_plural(t->computations),
                 t->instructions, totals_plural(t->instructions));
    if (t->warnings && n > 0 && (size_t)n < capacity)
        snprintf(text + n, capacity - (size_t)n, ", %zu warning%s", t->warnings,
                 totals_plural(t->warnings));
}

void totals_line(const verify_totals *t, char *text, size_t capacity) {
    char counts[160], known[60] = "", copied[40] = "", skipped[40] = "";
    totals_counts(t, counts, sizeof counts);
    if (t->known) snprintf(known, sizeof known, ", %zu bad as in the baseline", t->known);
    if (t->copies)
        snprintf(copied, sizeof copied, ", %zu cop%s", t->copies, t->copies == 1 ? "y" : "ies");
    if (t->skipped) snprintf(skipped, sizeof skipped, ", %zu skipped", t->skipped);
    snprintf(text, capacity, "%zu file%s: %zu good, %zu bad, %zu not read%s%s%s: %s\n", t->files,
             totals_plural(t->files), t->good, t->bad, t->unread, known, copied, skipped, counts);
}
