/* Messages of the programs themselves, made printable. */
#include "say.h"

#include <hlo.h>
#include <stdarg.h>
#include <stdlib.h>

char *escaped(const char *text) {
    size_t length = hlo_escape(text, NULL, 0);
    char *out = malloc(length + 1);
    if (out) hlo_escape(text, out, length + 1);
    return out;
}

void say(const char *program, const char *format, ...) {
    va_list args;
    char *message = NULL;
    va_start(args, format);
    if (vasprintf(&message, format, args) < 0) message = NULL;
    va_end(args);
    char *shown = message ? escaped(message) : NULL;
    fprintf(stderr, "%s: %s\n", program, shown ? shown : "error: out of memory");
    free(shown);
    free(message);
}
