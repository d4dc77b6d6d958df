/* Mutation check: valid modules with something changed (an attribute dropped or given twice,
 * another dimension, type, operand, name, opcode, a line or a byte gone). Whatever becomes of it,
 * nothing crashes; what is accepted prints, its print is accepted, and prints the same again. The
 * rules of the scanner alone (grammar/hlo.re) read the same as with the fast path of the parser
 * (src/parse/fast.h): the same module, or a first error on the same line.
 *
 *   mutate [--seed=N] [--count=N] [FILE...]     N mutants of each file; the same N, the same
 * mutants
 *
 * Without files: the cases of tests/parse/printing and tests/verify. Every file is done by a
 * separate process, so that a crash is a finding like others. Findings are shown whole. */
#include <ctype.h>
#include <glob.h>
#include <hlo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parse/devices.h"
#include "parse/parse.h"

enum { ROOM = 1 << 20, MOST_TOKENS = 1 << 16, MOST_SHOWN = 8, FEWEST = 5000 };

/* ---- random numbers ---- */

static uint64_t state;

static size_t below(size_t n) {
    state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return n ? (size_t)((z ^ z >> 31) % n) : 0;
}

/* ---- the mutant ---- */

/* In memory that parent and child share: after a crash the parent reads it there. */
typedef struct {
    size_t len;
    size_t accepted, checked; /* so far */
    char text[ROOM];
} mutant;

static mutant *m;

typedef struct {
    size_t at, len;
} piece;

static piece pieces[MOST_TOKENS];
static size_t piece_count;

/* Replaces n bytes at `at`. What does not fit is left as it is. */
static void replace(size_t at, size_t n, const char *with, size_t len) {
    if (at + n > m->len || m->len - n + len >= ROOM) return;
    memmove(m->text + at + len, m->text + at + n, m->len - at - n);
    memcpy(m->text + at, with, len);
    m->len += len - n;
}

static void add_piece(size_t at, size_t end) {
    if (piece_count < MOST_TOKENS && end > at) pieces[piece_count++] = (piece){at, end - at};
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

/* Words that `wanted` admits, outside of strings. */
static void find_words(bool (*wanted)(size_t at, size_t end)) {
    piece_count = 0;
    for (size_t i = 0; i < m->len;) {
        if (m->text[i] == '"') {
            for (i++; i < m->len && m->text[i] != '"'; i++) i += m->text[i] == '\\';
            i++;
        } else if (is_word(m->text[i])) {
            size_t from = i;
            while (i < m->len && is_word(m->text[i])) i++;
            if (wanted(from, i)) add_piece(from, i);
        } else {
            i++;
        }
    }
}

static bool any_word(size_t at, size_t end) {
    return end > at;
}

static bool is_number(size_t at, size_t end) {
    (void)end;
    return isdigit((unsigned char)m->text[at]) || m->text[at] == '-';
}

static bool is_type(size_t at, size_t end) {
    return end < m->len && m->text[end] == '[' && islower((unsigned char)m->text[at]);
}

static bool is_opcode(size_t at, size_t end) {
    return end < m->len && m->text[end] == '(' && at > 0 && m->text[at - 1] == ' ';
}

static void find_lines(void) {
    piece_count = 0;
    for (size_t i = 0; i < m->len;) {
        const char *newline = memchr(m->text + i, '\n', m->len - i);
        size_t end = newline ? (size_t)(newline - m->text) + 1 : m->len;
        add_piece(i, end);
        i = end;
    }
}

/* `, name=value` up to the next comma outside of brackets. */
static void find_attributes(void) {
    piece_count = 0;
    for (size_t i = 0; i + 2 < m->len; i++) {
        if (m->text[i] != ',' || m->text[i + 1] != ' ') continue;
        size_t end = i + 2, depth = 0;
        while (end < m->len && is_word(m->text[end])) end++;
        if (end == i + 2 || end >= m->len || m->text[end] != '=') continue;
        for (; end < m->len && m->text[end] != '\n'; end++) {
            char c = m->text[end];
            if (depth == 0 && (c == ',' || c == '}' || c == ')')) break;
            if (strchr("{([", c)) depth++;
            if (strchr("})]", c) && depth) depth--;
        }
        add_piece(i, end);
    }
}

static piece chosen(void) {
    return pieces[below(piece_count)];
}

static void put_text(piece p, const char *text) {
    replace(p.at, p.len, text, strlen(text));
}

/* The piece's text somewhere else too. */
static void put_copy(size_t at, size_t n, piece from) {
    char *copy = strndup(m->text + from.at, from.len);
    replace(at, n, copy, from.len);
    free(copy);
}

/* ---- what can change ---- */

static void change_number(void) {
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "4",
                                          "7",
                                          "-1",
                                          "8",
                                          "64",
                                          "1000",
                                          "2147483648",
                                          "9223372036854775807",
                                          "18446744073709551616"};
    find_words(is_number);
    if (piece_count) put_text(chosen(), numbers[below(sizeof numbers / sizeof *numbers)]);
}

static void change_type(void) {
    static const char *const types[] = {"pred", "s4",  "s8",       "s32",   "s64",   "u8",
                                        "u32",  "u64", "f8e4m3fn", "bf16",  "f16",   "f32",
                                        "f64",  "c64", "c128",     "token", "opaque"};
    find_words(is_type);
    if (piece_count) put_text(chosen(), types[below(sizeof types / sizeof *types)]);
}

static void change_opcode(void) {
    static size_t count;
    hlo_table_row row;
    while (count == 0 || hlo_operation_row(count, &row)) count++;
    find_words(is_opcode);
    hlo_operation_row(below(count), &row);
    if (piece_count) put_text(chosen(), row.name);
}

static void change_word(void) {
    find_words(any_word);
    if (piece_count == 0) return;
    piece to = chosen(), from = chosen();
    put_copy(to.at, to.len, from);
}

static void drop_attribute(void) {
    find_attributes();
    if (piece_count) put_text(chosen(), "");
}

static void repeat_attribute(void) {
    find_attributes();
    if (piece_count == 0) return;
    piece at = chosen(), from = chosen(); /* often another instruction's */
    put_copy(at.at, 0, from);
}

static void change_lines(void) {
    find_lines();
    piece a = chosen(), b = chosen();
    switch (below(3)) {
    case 0: put_text(a, ""); break;
    case 1: put_copy(b.at, 0, a); break;
    default: put_copy(b.at, b.len, a); break;
    }
}

static void change_byte(void) {
    static const char bytes[] = "{}()[],=%\"<>:?*/ \n0a";
    size_t at = below(m->len);
    if (below(2)) replace(at, 1, "", 0);
    else replace(at, 0, bytes + below(sizeof bytes - 1), 1);
}

static void mutate(void) {
    static void (*const ways[])(void) = {
        change_number, change_number, change_type,   change_word,      change_word, drop_attribute,
        change_lines,  change_opcode, change_opcode, repeat_attribute, change_byte};
    for (size_t times = 1 + below(2); times && m->len; times--)
        ways[below(sizeof ways / sizeof *ways)]();
}

/* ---- what must hold ---- */

/* Parses and verifies; the text of what was accepted, NULL otherwise. Prints and lints what it can.
 */
static char *accepted_text(const char *text, size_t len, size_t *out_len) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text("mutant", text, len);
    hlo_module *module;
    char *printed = NULL;
    if (hlo_parse(source, diags, &module) == HLO_OK) {
        bool good = hlo_verify(module, diags) == HLO_OK;
        hlo_output *output = hlo_output_to_memory();
        hlo_write_text(module, NULL, output, diags);
        const char *bytes = hlo_output_bytes(output, out_len);
        if (good) {
            printed = malloc(*out_len + 1);
            memcpy(printed, bytes, *out_len);
            hlo_lint *lint = hlo_lint_create();
            hlo_lint_set(lint, "all", HLO_LINT_WARN, diags);
            hlo_lint_module(lint, module, diags);
            hlo_lint_free(lint);
        }
        hlo_output_free(output);
        hlo_module_free(module);
    }
    FILE *nowhere = fopen("/dev/null", "w"); /* messages must find their places */
    hlo_diags_render(diags, nowhere, false);
    fclose(nowhere);
    hlo_source_free(source);
    hlo_diags_free(diags);
    return printed;
}

/* The module that the text is, or the line of the first error. */
static char *read_by(hlo_parse_part *parse, const char *text, size_t len) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text("mutant", text, len);
    hlo_output *output = hlo_output_to_memory();
    hlo_module *module;
    char *read = NULL;
    size_t n;
    if (parse(source, diags, &module) == HLO_OK) {
        hlo_write_text(module, NULL, output, diags);
        const char *bytes = hlo_output_bytes(output, &n);
        read = strndup(bytes, n);
        hlo_module_free(module);
    } else {
        FILE *to = open_memstream(&read, &n);
        hlo_diags_render(diags, to, false);
        fclose(to);
        read[strcspn(read, ":") + 1 + strspn(read + strcspn(read, ":") + 1, "0123456789")] = 0;
    }
    hlo_output_free(output);
    hlo_source_free(source);
    hlo_diags_free(diags);
    return read;
}

static bool fast_path_differs(const char *text, size_t len) {
    char *fast = read_by(hlo_parse, text, len), *slow = read_by(hlo_parse_by_rules, text, len);
    bool same = strcmp(fast, slow) == 0;
    if (!same) printf("with the fast path:\n%s\nwithout it:\n%s\n", fast, slow);
    free(fast);
    free(slow);
    return !same;
}

/* What is wrong, or NULL. */
static const char *check(void) {
    size_t first_len, again_len;
    m->checked++;
    if (fast_path_differs(m->text, m->len)) return "the fast path reads something else";
    char *first = accepted_text(m->text, m->len, &first_len);
    if (!first) return NULL;
    m->accepted++;
    char *again = accepted_text(first, first_len, &again_len);
    bool same = again && first_len == again_len && memcmp(first, again, first_len) == 0;
    const char *what = !again  ? "its print is refused"
                       : !same ? "its print prints differently"
                               : NULL;
    free(first);
    free(again);
    return what;
}

static void show(const char *path, const char *what) {
    printf("---- %s: %s:\n", path, what);
    fwrite(m->text, 1, m->len, stdout);
    printf("\n----\n");
    fflush(stdout);
}

/* ---- files ---- */

/* The child's work; returns its exit status: how many findings. */
static int mutants_of(const char *path, const char *text, size_t len, uint64_t seed, size_t count) {
    int found = 0;
    memcpy(m->text, text, len);
    m->len = len;
    const char *wrong = check();
    if (wrong && strstr(wrong, "fast")) show(path, wrong);
    if (wrong)
        return strstr(wrong, "fast") !=
               NULL; /* XLA's print of some modules cannot be read back, so ours cannot */
    for (size_t i = 0; i < count && found < MOST_SHOWN; i++) {
        memcpy(m->text, text, len);
        m->len = len;
        state = seed * 1000003 + i;
        for (const char *c = path; *c; c++) state = state * 31 + (unsigned char)*c;
        mutate();
        const char *what = check();
        if (!what) continue;
        show(path, what);
        found++;
    }
    fflush(stdout);
    return found;
}

static int findings_in(const char *path, uint64_t seed, size_t count) {
    static char text[ROOM];
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(text, 1, ROOM, file) : 0;
    if (file) fclose(file);
    if (len == 0 || len == ROOM) return 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(mutants_of(path, text, len, seed, count));
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= MOST_SHOWN) return WEXITSTATUS(status);
    show(path, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "a sanitizer's report");
    return 1;
}

int main(int argc, char **argv) {
    uint64_t seed = 1;
    size_t count = 12;
    int at = 1, found = 0;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strncmp(argv[at], "--seed=", 7) == 0) seed = strtoull(argv[at] + 7, NULL, 10);
        else if (strncmp(argv[at], "--count=", 8) == 0) count = strtoull(argv[at] + 8, NULL, 10);
    }
    m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED) return 2;
    glob_t all = {0};
    bool own = at == argc;
    if (own) {
        glob("tests/parse/printing/*.in.hlo", 0, NULL, &all);
        glob("tests/parse/printing/*.out.hlo", GLOB_APPEND, NULL,
             &all); /* as the fast path expects */
        glob("build/cases/verify/accept/*.hlo", GLOB_APPEND, NULL, &all);
    }
    for (size_t i = 0; i < all.gl_pathc; i++) found += findings_in(all.gl_pathv[i], seed, count);
    for (; at < argc; at++) found += findings_in(argv[at], seed, count);
    globfree(&all);
    printf("%zu mutants, %zu accepted\n", m->checked, m->accepted);
    if (own && m->checked < FEWEST) {
        printf("fewer than %d mutants\n", FEWEST);
        found++;
    }
    size_t good = m->checked > (size_t)found ? m->checked - (size_t)found : 0;
    printf("%zu passed, %d failed, 0 skipped\n", good, found);
    return found != 0;
}
