/* Messages of the programs themselves, made printable: see say.h. */
#include "say.h"

#include <hlo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

char *escaped(const char *text) {
    size_t length = hlo_escape(text, NULL, 0);
    char *out = malloc(length + 1);
    if (out) hlo_escape(text, out, length + 1);
    return out;
}

static char *formatted(const char *format, va_list args) {
    char *message = NULL;
    return vasprintf(&message, format, args) < 0 ? NULL : message;
}

void say(const char *program, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *message = formatted(format, args), *shown = message ? escaped(message) : NULL;
    va_end(args);
    fprintf(stderr, "%s: %s\n", program, shown ? shown : "error: out of memory");
    free(shown);
    free(message);
}

void print_line_to(FILE *to, const char *mark, const char *text, size_t length) {
    char *line = process_made(strndup(text, length), "a line");
    char *shown = process_made(escaped(line), "a line");
    fprintf(to, "%s%s\n", mark, shown);
    free(shown);
    free(line);
}

void print_lines(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = process_made(formatted(format, args), "a line");
    va_end(args);
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        print_line_to(stderr, "", at, n);
        at += n + (at[n] == '\n');
    }
    free(text);
}

void print_over(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("\r\x1b[K", stderr);
    vfprintf(stderr, format, args);
    va_end(args);
    fflush(stderr);
}

void print_escaped_bytes(const char *bytes, size_t count) {
    fwrite(bytes, 1, count, stderr);
}
