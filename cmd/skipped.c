/* Files that hlo-verify skips: see skipped.h. */
#include "skipped.h"

#include <stdio.h>
#include <string.h>

#include "totals.h"

const char *skipped_add(skipped_files *all, const char *kind) {
    size_t i = 0;
    while (kind && i < all->count && strcmp(all->kinds[i].name, kind) != 0) i++;
    if (!kind || i == SKIPPED_KINDS) {
        all->others++;
        return kind ? kind : "does not start like a module";
    }
    if (i == all->count) all->kinds[all->count++].name = kind;
    all->kinds[i].files++;
    return kind;
}

static void write_line(const char *kind, size_t files,
                       void (*line)(void *context, const char *text), void *context) {
    char text[160];
    snprintf(text, sizeof text, "  %-24s %zu file%s skipped\n", kind, files, totals_plural(files));
    if (files) line(context, text);
}

void skipped_by_kind(const skipped_files *all, void (*line)(void *context, const char *text),
                     void *context) {
    for (size_t i = 0; i < all->count; i++)
        write_line(all->kinds[i].name, all->kinds[i].files, line, context);
    if (all->count) write_line("other", all->others, line, context);
}
