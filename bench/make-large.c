/* make-large MEGABYTES FILE... > LARGE: a valid module of that size from printed modules, whose
 * computations are renamed and concatenated until there are enough. Each iteration takes the next
 * file; the first file gives the header, its stack frames and, at the end, the entry computation.
 * The files must be as `hlo-opt --passes=` prints them. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *text;
    size_t len, body; /* body: where the first computation starts */
} module_text;

static _Noreturn void fail(const char *path, const char *what) {
    fprintf(stderr, "make-large: %s: %s\n", path, what);
    exit(1);
}

static module_text read_module(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path, "cannot be read");
    fseek(file, 0, SEEK_END);
    long len = ftell(file);
    rewind(file);
    module_text m = {.len = len < 0 ? 0 : (size_t)len};
    m.text = malloc(m.len + 2);
    if (!m.text || fread(m.text, 1, m.len, file) != m.len) fail(path, "cannot be read");
    m.text[m.len] = 0;
    fclose(file);
    /* Computations start a line with a name or ENTRY. */
    for (const char *line = m.text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line != '%' && strncmp(line, "ENTRY ", 6) != 0) continue;
        m.body = (size_t)(line - m.text);
        return m;
    }
    fail(path, "has no computation");
}

static const char *end_of_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

/* Writes the computations with the suffix `_ITERATION` on every name; only the last iteration keeps
 * ENTRY. */
static size_t write_round(const module_text *m, unsigned round, bool last) {
    char suffix[16];
    size_t n = (size_t)snprintf(suffix, sizeof suffix, "_%u", round), written = 0;
    bool line_starts = true;
    for (const char *at = m->text + m->body, *from; *at;) {
        from = at;
        if (line_starts && !last && strncmp(at, "ENTRY ", 6) == 0) {
            at += 6;
            continue;
        }
        line_starts = *at == '\n';
        bool name = *at == '%';
        if (*at == '"') at = end_of_string(at);
        else at++;
        while (name && (isalnum((unsigned char)*at) || *at == '_' || *at == '.' || *at == '-'))
            at++;
        written += fwrite(from, 1, (size_t)(at - from), stdout);
        if (name) written += fwrite(suffix, 1, n, stdout);
    }
    written += fwrite("\n", 1, 1, stdout);
    return written;
}

int main(int argc, char **argv) {
    if (argc < 3) fail("usage", "make-large MEGABYTES FILE... > LARGE");
    size_t wanted = strtoul(argv[1], NULL, 10) * 1000000;
    int files = argc - 2;
    module_text *modules = calloc((size_t)files, sizeof *modules);
    if (!modules) fail("memory", "not enough");
    for (int i = 0; i < files; i++) modules[i] = read_module(argv[i + 2]);
    size_t written = fwrite(modules[0].text, 1, modules[0].body, stdout);
    for (unsigned round = 0; written + modules[0].len < wanted; round++)
        written += write_round(&modules[round % (unsigned)files], round + 1, false);
    write_round(&modules[0], 0, true);
    for (int i = 0; i < files; i++) free(modules[i].text);
    free(modules);
    return ferror(stdout) || fflush(stdout);
}
