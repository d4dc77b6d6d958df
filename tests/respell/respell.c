/* respell spelling|value SEED < MODULE > OTHER: takes a module as the default printer writes it and
 * writes it differently.
 *   spelling  other blanks, comments, order of attributes, explicit defaults, names without '%',
 *             numbers with needless digits, operand shapes: means the same
 *   value     one attribute dropped or given another value, named on standard error: means
 *             something else, or nothing
 * The same seed gives the same text. Exit status 2: no attribute to change, or no module. Called by
 * respelling.bats. Reads tokens by itself, so that the scanner is not its own judge. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "respell/respell.h"

_Noreturn void fail(const char *what) {
    fprintf(stderr, "respell: %s\n", what);
    exit(2);
}

void *grow(void *old, size_t count, size_t size) {
    void *memory = realloc(old, count * size);
    if (!memory) fail("out of memory");
    return memory;
}

/* ---- chance ---- */

uint64_t chance_state;

static uint64_t chance(void) {
    uint64_t z = (chance_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

uint32_t below(uint32_t n) {
    return (uint32_t)(chance() % n);
}

bool one_in(uint32_t n) {
    return below(n) == 0;
}

/* ---- the program ---- */

static char *read_input(size_t *len) {
    size_t capacity = 1 << 16;
    char *text = grow(NULL, capacity, 1);
    *len = 0;
    for (size_t n; (n = fread(text + *len, 1, capacity - *len - 1, stdin)) > 0;) {
        *len += n;
        if (*len + 1 == capacity) text = grow(text, capacity *= 2, 1);
    }
    text[*len] = 0;
    return text;
}

int main(int argc, char **argv) {
    if (argc != 3 || (strcmp(argv[1], "spelling") != 0 && strcmp(argv[1], "value") != 0))
        fail("usage: respell spelling|value SEED < MODULE > OTHER");
    chance_state = strtoull(argv[2], NULL, 10);
    size_t len;
    char *text = read_input(&len);
    tokenise(text);
    read_module();
    if (strcmp(argv[1], "spelling") == 0) write_respelt();
    else write_changed(text, text + len);
    free(text);
    free(tokens);
    free(attributes);
    free(lines);
    return 0;
}
