/* Endings of names: see ending.h. */
#include "ending.h"

#include <stdbool.h>
#include <string.h>

#include "say.h"

const char *ending_of(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    const char *dot = name ? strrchr(name, '.') : NULL;
    return dot && dot != name && dot[1] ? dot + 1 : NULL;
}

/* Number `place` of "a|b|c", and its length. */
static const char *form_at(const char *forms, int place, size_t *length) {
    for (; place > 0; place--) forms += strcspn(forms, "|") + 1;
    *length = strcspn(forms, "|");
    return forms;
}

/* Whether files of the form end so: hlo-json in json, stablehlo-generic as stablehlo. */
static bool ends_so(const char *form, size_t length, const char *ending) {
    size_t n = strlen(ending);
    if (n < length && memcmp(form, ending, n) == 0 && form[n] == '-') return true;
    return n <= length && memcmp(form + length - n, ending, n) == 0 &&
           (n == length || form[length - n - 1] == '-');
}

void ending_note(const char *program, const char *output, const char *option, const char *forms,
                 int form) {
    const char *ending = ending_of(output);
    if (!ending || form < 0) return;
    if (strcmp(ending, "pb") == 0) ending = "proto";
    if (strcmp(ending, "textproto") == 0) ending = "pbtxt";
    if (strcmp(ending, "mlir") == 0) ending = "stablehlo";
    size_t length, n;
    const char *written = form_at(forms, form, &length), *other = forms;
    if (ends_so(written, length, ending)) return;
    while (n = strcspn(other, "|"), n && !(n == strlen(ending) && memcmp(other, ending, n) == 0))
        other += n + (other[n] == '|');
    if (n)
        say(program, "note: %s: writing %.*s; --%s=%s selects the other format", output,
            (int)length, written, option, ending);
}
