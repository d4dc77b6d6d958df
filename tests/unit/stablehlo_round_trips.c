/* Whole modules as StableHLO and back: both forms of the text are read as one module, and what is
 * written of that module is read as it is. What has no counterpart is refused with its place.
 *
 *   stablehlo_round_trips [FILE...]
 *
 * Without files: the texts of tests/parse/printing, tests/verify and tests/golden, its archives
 * included, and the dumps of HLO_CORPUS where it is set. Texts that the parser refuses do not
 * count. */
#include <hlo.h>
#include <stdlib.h>
#include <string.h>

#include "unit/every_module.h"

static unsigned passed, failed, skipped, refused, not_written, unread;

/* The program, or NULL: the module is refused, by name and at a place. */
static hlo_output *write_as(const char *name, hlo_module *module, hlo_stablehlo_form form) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_output *to = hlo_output_to_memory();
    if (hlo_write_stablehlo(module, form, to, diags) != HLO_OK) {
        const hlo_diag *first = hlo_diags_first(diags);
        hlo_diag_info info;
        if (!first || !hlo_diag_describe(first, &info) || !info.line) {
            printf("%s: refused without a place\n", name);
            failed++;
        }
        hlo_output_free(to);
        to = NULL;
    }
    hlo_diags_free(diags);
    return to;
}

/* The text of the module that the program is read as; NULL: it is not read. */
static hlo_output *text_of(const char *name, hlo_output *program) {
    size_t n;
    const char *bytes = hlo_output_bytes(program, &n);
    hlo_module *module = read_module(name, bytes, n, true);
    if (!module) return NULL;
    hlo_text_options options = HLO_TEXT_OPTIONS_INIT;
    options.large_constants = HLO_ON;
    hlo_output *text = hlo_output_to_memory();
    hlo_diags *diags = hlo_diags_create(0);
    hlo_write_text(module, &options, text, diags);
    hlo_diags_free(diags);
    hlo_module_free(module);
    return text;
}

static bool are_equal(hlo_output *a, hlo_output *b) {
    size_t n, m;
    if (!a || !b) return false;
    const char *x = hlo_output_bytes(a, &n), *y = hlo_output_bytes(b, &m);
    return n == m && memcmp(x, y, n) == 0;
}

static void judge(const char *name, const char *text, size_t n) {
    hlo_module *module = read_module(name, text, n, false);
    if (!module) {
        refused++;
        return;
    }
    hlo_output *pretty = write_as(name, module, HLO_STABLEHLO_PRETTY);
    hlo_output *generic = pretty ? write_as(name, module, HLO_STABLEHLO_GENERIC) : NULL;
    hlo_module_free(module);
    if (!generic) {
        not_written++;
    } else {
        hlo_output *first = text_of(name, pretty), *second = text_of(name, generic);
        bool is_unread = !first && !second, good = is_unread || are_equal(first, second);
        unread += is_unread;
        if (!good) printf("%s: the two forms are not one module\n", name);
        if (good) passed++;
        else failed++;
        hlo_output_free(first);
        hlo_output_free(second);
    }
    hlo_output_free(generic);
    hlo_output_free(pretty);
}

static void judge_all(void) {
    const char *root = getenv("HLO_ROOT");
    static const char *const bundled[] = {"tests/parse/printing/*.hlo",
                                          "build/cases/verify/accept/*.hlo",
                                          "tests/golden/models/*/module.hlo"};
    if (!root) root = ".";
    for (size_t i = 0; i < sizeof bundled / sizeof *bundled; i++)
        judge_matches(root, bundled[i], NULL, judge);
    judge_matches(root, "tests/golden/ops/*.tar.gz", "*/module.hlo", judge);
    skipped += !judge_corpus(judge);
    failed += unreadable;
    printf("%u texts are no modules and do not count, %u modules have no counterpart, %u programs "
           "are not "
           "read back\n",
           refused, not_written, unread);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) judge_file(argv[i], judge);
    if (argc == 1) judge_all();
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    /* Three custom calls of several computations and an async-done of a tuple, which XLA cannot
     * read either as it writes them. */
    return failed != 0 || unread > 4 || (argc == 1 && passed < 2000);
}
