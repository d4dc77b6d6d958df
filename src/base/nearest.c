/* Distances between names: letters that are added, dropped, replaced or swapped with the next. */
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

#include "base/assert.h"

enum { LONGEST = 96 };

hlo_nearest hlo_nearest_to(const char *text, size_t length) {
    return (hlo_nearest){text, length, length < 2 ? 0 : length < 6 ? 1 : 2, NULL, 0};
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Names that differ only in case, or in - and _, are equal. */
static int lower(char c) {
    return c == '_' ? '-' : tolower((unsigned char)c);
}

/* Three rows of the table of distances between beginnings of both names: one text shortened by two
 * letters, by one, and as long as it is. */
typedef struct {
    int rows[3][LONGEST + 1];
} distance_rows;

/* Fills the row of the first i + 1 letters of a; the least of its numbers. */
static int next_row(distance_rows *d, const char *a, size_t i, const char *b, size_t m) {
    HLO_ASSERT(m <= LONGEST && i < LONGEST);
    int *row = d->rows[(i + 1) % 3], *above = d->rows[i % 3], *two_above = d->rows[(i + 2) % 3];
    int lowest = row[0] = (int)i + 1;
    for (size_t k = 0; k < m; k++) {
        int cost = lower(a[i]) != lower(b[k]);
        row[k + 1] = least(least(above[k + 1], row[k]) + 1, above[k] + cost);
        if (i && k && lower(a[i]) == lower(b[k - 1]) && lower(a[i - 1]) == lower(b[k]))
            row[k + 1] = least(row[k + 1], two_above[k - 1] + 1);
        lowest = least(lowest, row[k + 1]);
    }
    return lowest;
}

/* At most `most` + 1 of interest: then the rest is not looked at. */
static int distance(const char *a, size_t n, const char *b, size_t m, int most) {
    HLO_ASSERT(n <= LONGEST && m <= LONGEST && most >= 0);
    distance_rows d;
    if (n > m + (size_t)most || m > n + (size_t)most) return most + 1;
    for (size_t k = 0; k <= m; k++) d.rows[0][k] = (int)k;
    for (size_t i = 0; i < n; i++)
        if (next_row(&d, a, i, b, m) > most) return most + 1;
    return d.rows[n % 3][m];
}

/* Whether `name` takes the place of one that is as near. */
static bool goes_before(const hlo_nearest *search, const char *name, bool last) {
    bool begins = lower(*name) == lower(*search->text);
    bool begun = lower(*search->name) == lower(*search->text);
    return begins == begun ? last : begins;
}

void hlo_nearest_try(hlo_nearest *search, const char *name, size_t length, bool last) {
    if (!length || length > LONGEST || search->length > LONGEST) return;
    int found = distance(search->text, search->length, name, length, search->most);
    /* Of two letters a letter may be missing; another one makes another name. */
    if (found && search->length == 2 && length == 2) return;
    if (found > search->most) return;
    if (found == search->most && search->name && !goes_before(search, name, last)) return;
    search->most = found;
    search->name = name;
    search->name_length = length;
}
