/* Texts of modules in parts, the header and the computations: see module_diff.h. */
#include "module_diff.h"

#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "text_diff.h"

/* A computation, or with an empty name the header. */
typedef struct {
    text_line name;
    text_lines lines;
    bool met; /* has a counterpart */
} part;

typedef struct {
    text_lines lines;
    part *parts; /* the header first */
    size_t count;
} parted;

/* ---- parts ---- */

/* A computation begins at the margin and ends its first line with an open brace. */
static bool begins_computation(const text_line *l) {
    return l->length > 1 && l->text[0] != ' ' && l->text[l->length - 1] == '{';
}

static bool ends_computation(const text_line *l) {
    return l->length && l->text[0] == '}';
}

/* The name in the first line, which ENTRY may stand before. */
static text_line name_in(const text_line *l) {
    static const char entry[] = "ENTRY ";
    size_t skip = sizeof entry - 1, n = 0;
    if (l->length < skip || memcmp(l->text, entry, skip) != 0) skip = 0;
    while (skip + n < l->length && l->text[skip + n] != ' ') n++;
    return (text_line){l->text + skip, n};
}

static text_lines slice(const text_lines *of, size_t from, size_t to) {
    return (text_lines){of->lines + from, to - from, from};
}

/* Blank lines between computations belong to none. */
static void find_parts(parted *text) {
    const text_lines *all = &text->lines;
    size_t i = 0;
    while (i < all->count && !begins_computation(&all->lines[i])) i++;
    size_t header = i;
    while (header && !all->lines[header - 1].length) header--;
    text->parts[text->count++] = (part){.name = {"", 0}, .lines = slice(all, 0, header)};
    while (i < all->count) {
        size_t from = i++;
        while (i < all->count && !ends_computation(&all->lines[i])) i++;
        if (i < all->count) i++;
        text->parts[text->count++] =
            (part){.name = name_in(&all->lines[from]), .lines = slice(all, from, i)};
        while (i < all->count && !begins_computation(&all->lines[i])) i++;
    }
}

static bool split(const char *text, parted *out) {
    *out = (parted){0};
    if (!text_lines_split(text, &out->lines)) return false;
    out->parts = calloc(out->lines.count + 1, sizeof *out->parts);
    if (out->parts) find_parts(out);
    return out->parts;
}

static void forget(parted *text) {
    free(text->lines.lines);
    free(text->parts);
}

/* ---- comparing ---- */

/* The part of that name that has no counterpart yet: most stand in the same order, after `last`. */
static part *find(parted *in, const text_line *name, size_t *last) {
    for (size_t i = 0; i < in->count; i++) {
        size_t at = (*last + i) % in->count;
        part *p = &in->parts[at];
        if (p->met || !text_line_same(&p->name, name)) continue;
        *last = at + 1;
        return p;
    }
    return NULL;
}

static void put_all(const part *p, const char *mark, FILE *to) {
    for (size_t i = 0; i < p->lines.count; i++)
        print_line_to(to, mark, p->lines.lines[i].text, p->lines.lines[i].length);
}

static void put_added(const part *p, FILE *to) {
    print_line_to(to, "@@ added @@ ", p->name.text, p->name.length);
    put_all(p, "+", to);
}

static void put_removed(const part *p, FILE *to) {
    char mark[48];
    snprintf(mark, sizeof mark, "@@ line %zu @@ ", p->lines.before + 1);
    print_line_to(to, mark, p->name.text, p->name.length);
    put_all(p, "-", to);
}

static int compare(parted *a, parted *b, FILE *to) {
    int status = 0;
    size_t last = 0;
    for (size_t i = 0; i < b->count && status == 0; i++) {
        part *now = &b->parts[i], *old = find(a, &now->name, &last);
        if (!old) {
            put_added(now, to);
            continue;
        }
        old->met = true;
        status = text_diff(&old->lines, &now->lines, &now->name, to);
    }
    for (size_t i = 0; i < a->count && status == 0; i++)
        if (!a->parts[i].met) put_removed(&a->parts[i], to);
    return status;
}

int module_diff(const char *before, const char *after, FILE *to) {
    parted a = {0}, b = {0};
    int status = split(before, &a) && split(after, &b) ? compare(&a, &b, to) : -1;
    forget(&a);
    forget(&b);
    return status;
}
