/* Lists and reports for people on standard output: on a terminal wrapped to its width, with bold
 * headings and colours; elsewhere a row is a line. */
#ifndef HLO_CMD_LISTING_H
#define HLO_CMD_LISTING_H

#include "options.h"

typedef struct {
    hlo_output *to;
    size_t width; /* columns of the terminal; 0: lines are as long as they are */
    bool colour;
} listing;

/* A list in `output`, which was opened at common->output. */
listing listing_to(hlo_output *output, const common_options *common);

void listing_put(const listing *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line in bold, and one that only terminals show. */
void listing_heading(const listing *list, const char *text);
void listing_columns(const listing *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* `text` and a line's end, where the cursor is in `column`; further lines begin at `left`. */
void listing_wrapped(const listing *list, size_t column, size_t left, const char *text);

/* The columns of names: as wide as the longest of them on a terminal, else `otherwise`. */
size_t listing_names(const listing *list, bool row_at(size_t number, hlo_table_row *row),
                     size_t otherwise);

/* What colours lines: NULL for a line that has none. */
typedef const char *listing_palette(const char *line, size_t length);
listing_palette listing_of_changes;  /* +, - and @@ as in differences of texts; ~ as in hlo-diff */
listing_palette listing_of_headings; /* lines at the margin are bold */

/* Writes the lines of `text`, each in its colour. */
void listing_paint(hlo_output *to, const char *text, size_t length, listing_palette *palette);

#endif
