/* Sizes on the command line: see size.h. Called by hlo-run. */
#include "size.h"

#include <string.h>

#include "number.h"

/* A number with the suffix K, M, G or T, optionally followed by B or iB: powers of 1024 bytes. */
static bool read_size(const char *text, uint64_t *bytes) {
    static const char units[] = "KMGT";
    double size;
    if (!text) return true;
    const char *end = number_read(text, &size);
    if (!end) return false;
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit) size *= (double)(1ull << 10 * (unit - units + 1));
    if (unit) end++;
    if (unit && strcmp(end, "iB") == 0) end += 2;
    if (*end == 'B') end++;
    *bytes = size >= 1 && size < 0x1p63 ? (uint64_t)size : 0;
    return !*end && *bytes;
}

int size_read(const program_info *program, const char *option, const char *text, uint64_t *bytes) {
    if (read_size(text, bytes)) return OPTIONS_GO_ON;
    return options_wrong_use(program, "--%s takes a size such as 500M or 16G, not '%s'", option,
                             text);
}
