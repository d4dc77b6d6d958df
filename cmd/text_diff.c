/* The shortest way from one list of lines to another (Myers' O(ND) walk); beyond MOST_EDITS changes
 * the rest counts as replaced. See text_diff.h. */
#include "text_diff.h"

#include <stdlib.h>
#include <string.h>

#include "say.h"

enum { MOST_EDITS = 2000, CONTEXT = 3 };

bool text_lines_split(const char *text, text_lines *out) {
    size_t count = 0;
    for (const char *p = text; *p; p++) count += *p == '\n';
    *out = (text_lines){.lines = calloc(count + 2, sizeof *out->lines)};
    if (!out->lines) return false;
    while (*text) {
        size_t n = strcspn(text, "\n");
        out->lines[out->count++] = (text_line){text, n};
        text += n + (text[n] == '\n');
    }
    return true;
}

bool text_line_same(const text_line *a, const text_line *b) {
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* What happens to each line of both sides: kept, or removed and added. */
typedef struct {
    text_lines a, b;
    bool *removed, *added;
} edits;

/* Marks all of a[from..to_a) as removed and b[from..to_b) as added. */
static void replace_all(edits *e, size_t from, size_t to_a, size_t to_b) {
    for (size_t i = from; i < to_a; i++) e->removed[i] = true;
    for (size_t i = from; i < to_b; i++) e->added[i] = true;
}

/* Back from the end, by the furthest points that each number of edits had reached. */
static void mark_path(edits *e, size_t from, long n, long m, long steps, long *const *reached) {
    long x = n, y = m;
    for (long d = steps; d > 0; d--) {
        const long *v = reached[d - 1] + d; /* diagonals -(d-1)..(d-1) around index 0 */
        long k = x - y;
        bool down = k == -d || (k != d && v[k - 1] < v[k + 1]);
        long before = down ? k + 1 : k - 1;
        long px = v[before], py = px - before;
        if (down) e->added[from + (size_t)py] = true;
        else e->removed[from + (size_t)px] = true;
        x = px;
        y = py;
    }
}

/* The lines a[from..from+n) against b[from..from+m). */
static bool walk(edits *e, size_t from, long n, long m) {
    long most = n + m < MOST_EDITS ? n + m : MOST_EDITS, done = -1;
    long **reached = calloc((size_t)most + 1, sizeof *reached);
    bool good = reached != NULL;
    for (long d = 0; good && d <= most && done < 0; d++) {
        /* One more on each side than diagonals, so that reading past either end is harmless. */
        reached[d] = malloc(sizeof **reached * (size_t)(2 * d + 4));
        good = reached[d] != NULL;
        if (!good) break;
        long *v = reached[d] + d + 1;
        for (long k = -d - 1; k <= d + 1; k++) v[k] = -1;
        const long *u = d ? reached[d - 1] + d : NULL;
        for (long k = -d; k <= d; k += 2) {
            long x = 0;
            if (d) x = k == -d || (k != d && u[k - 1] < u[k + 1]) ? u[k + 1] : u[k - 1] + 1;
            while (
                x < n && x - k < m && x - k >= 0 &&
                text_line_same(&e->a.lines[from + (size_t)x], &e->b.lines[from + (size_t)(x - k)]))
                x++;
            v[k] = x;
            if (x >= n && x - k >= m) done = d;
        }
    }
    if (good && done >= 0) mark_path(e, from, n, m, done, reached);
    else if (good) replace_all(e, from, from + (size_t)n, from + (size_t)m);
    for (long d = 0; reached && d <= most; d++) free(reached[d]);
    free(reached);
    return good;
}

/* Equal lines at both ends are left out of the walk. */
static bool compare(edits *e) {
    size_t head = 0, n = e->a.count, m = e->b.count;
    while (head < n && head < m && text_line_same(&e->a.lines[head], &e->b.lines[head])) head++;
    while (n > head && m > head && text_line_same(&e->a.lines[n - 1], &e->b.lines[m - 1])) n--, m--;
    return walk(e, head, (long)(n - head), (long)(m - head));
}

static void put_line(FILE *to, const char *mark, const text_line *l) {
    print_line_to(to, mark, l->text, l->length);
}

static void put_head(size_t line, const text_line *what, FILE *to) {
    char mark[48];
    snprintf(mark, sizeof mark, "@@ line %zu @@%s", line, what->length ? " " : "");
    put_line(to, mark, what);
}

/* The changes with CONTEXT lines around them. */
static void print(const edits *e, const text_line *what, FILE *to) {
    size_t i = 0, j = 0, shown = 0; /* lines of a before `shown` have been dealt with */
    while (i < e->a.count || j < e->b.count) {
        bool kept = i < e->a.count && !e->removed[i] && j < e->b.count && !e->added[j];
        if (kept) {
            i++, j++;
            continue;
        }
        size_t start = i > shown + CONTEXT ? i - CONTEXT : shown;
        if (start > shown || shown == 0) put_head(e->a.before + start + 1, what, to);
        for (size_t k = start; k < i; k++) put_line(to, " ", &e->a.lines[k]);
        while (i < e->a.count && e->removed[i]) put_line(to, "-", &e->a.lines[i++]);
        while (j < e->b.count && e->added[j]) put_line(to, "+", &e->b.lines[j++]);
        for (size_t k = 0;
             k < CONTEXT && i < e->a.count && !e->removed[i] && j < e->b.count && !e->added[j];
             k++, j++)
            put_line(to, " ", &e->a.lines[i++]);
        shown = i;
    }
}

int text_diff(const text_lines *before, const text_lines *after, const text_line *what, FILE *to) {
    edits e = {.a = *before, .b = *after};
    e.removed = calloc(e.a.count + 1, sizeof *e.removed);
    e.added = calloc(e.b.count + 1, sizeof *e.added);
    bool good = e.removed && e.added && compare(&e);
    if (good) print(&e, what, to);
    free(e.removed);
    free(e.added);
    return good ? 0 : -1;
}
