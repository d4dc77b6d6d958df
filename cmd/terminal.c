/* See terminal.h. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int terminal_width(int descriptor, int otherwise) {
    struct winsize size;
    if (!isatty(descriptor)) return otherwise;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col) return size.ws_col;
    return otherwise;
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && *value;
}

bool terminal_moves(int descriptor) {
    const char *kind = getenv("TERM");
    return isatty(descriptor) && !(kind && strcmp(kind, "dumb") == 0);
}

bool terminal_colour(int color, int descriptor) {
    if (color != COLOR_AUTO) return color == COLOR_ALWAYS;
    if (is_set("NO_COLOR")) return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0) return true;
    return terminal_moves(descriptor);
}

bool terminal_is_output(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

void terminal_colours(int color, const char *path, bool *messages, bool *output) {
    *messages = terminal_colour(color, STDERR_FILENO);
    *output = terminal_is_output(path) && terminal_colour(color, STDOUT_FILENO);
}
