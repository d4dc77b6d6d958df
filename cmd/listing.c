/* See listing.h. */
#include "listing.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

enum { NARROWEST = 40, LEAST_TEXT = 20 };

static const char bold[] = "\x1b[1m", plain[] = "\x1b[0m";

listing listing_to(hlo_output *output, const common_options *common) {
    int width = terminal_is_output(common->output) ? terminal_width(STDOUT_FILENO, 0) : 0;
    if (width && width < NARROWEST) width = NARROWEST;
    return (listing){output, (size_t)width, common->colours_output};
}

/* ---- lines ---- */

static void put(const listing *list, const char *text) {
    hlo_output_write(list->to, text, strlen(text));
}

static void put_formatted(const listing *list, const char *format, va_list args) {
    char line[512];
    if (vsnprintf(line, sizeof line, format, args) > 0) put(list, line);
}

void listing_put(const listing *list, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_formatted(list, format, args);
    va_end(args);
}

void listing_heading(const listing *list, const char *text) {
    listing_put(list, "%s%s%s\n", list->colour ? bold : "", text, list->colour ? plain : "");
}

void listing_columns(const listing *list, const char *format, ...) {
    char line[256];
    if (!list->width) return;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    listing_heading(list, line);
}

size_t listing_names(const listing *list, bool row_at(size_t number, hlo_table_row *row),
                     size_t otherwise) {
    hlo_table_row row;
    size_t most = 0;
    if (!list->width) return otherwise;
    for (size_t i = 0; row_at(i, &row); i++)
        if (strlen(row.name) > most) most = strlen(row.name);
    return most;
}

/* ---- wrapping ---- */

/* Bytes of `text` that fit in so many columns: up to a blank or after a comma, or when there is
 * neither, the whole word. */
static size_t line_of(const char *text, size_t columns) {
    size_t n = strlen(text), best = 0;
    if (n <= columns) return n;
    for (size_t i = 1; i < n && (i <= columns || !best); i++)
        if (text[i] == ' ' || (text[i - 1] == ',' && i <= columns)) best = i;
    return best ? best : n;
}

void listing_wrapped(const listing *list, size_t column, size_t left, const char *text) {
    for (size_t n; list->width; column = left) {
        size_t columns = column + LEAST_TEXT < list->width ? list->width - column : LEAST_TEXT;
        if ((n = line_of(text, columns)) == strlen(text)) break;
        hlo_output_write(list->to, text, n);
        listing_put(list, "\n%*s", (int)left, "");
        text += n + (text[n] == ' ');
    }
    put(list, text);
    put(list, "\n");
}

/* ---- colours of lines ---- */

const char *listing_of_changes(const char *line, size_t length) {
    while (length && *line == ' ') line++, length--;
    if (!length) return NULL;
    if (*line == '+') return "\x1b[32m";
    if (*line == '-') return "\x1b[31m";
    if (*line == '~') return "\x1b[33m";
    return length > 1 && memcmp(line, "@@", 2) == 0 ? "\x1b[36m" : NULL;
}

const char *listing_of_headings(const char *line, size_t length) {
    return length && *line != ' ' ? bold : NULL;
}

static size_t line_length(const char *text, size_t length) {
    const char *end = memchr(text, '\n', length);
    return end ? (size_t)(end - text) : length;
}

void listing_paint(hlo_output *to, const char *text, size_t length, listing_palette *palette) {
    for (size_t n, taken; length; text += taken, length -= taken) {
        n = line_length(text, length);
        taken = n + (n < length);
        const char *colour = palette(text, n);
        if (colour) hlo_output_write(to, colour, strlen(colour));
        hlo_output_write(to, text, n);
        if (colour) hlo_output_write(to, plain, sizeof plain - 1);
        hlo_output_write(to, "\n", taken - n);
    }
}
