/* hlo-rebuild FILE...: rebuilds each module that can be read and verified, and compares both texts,
 * with every element of every constant. Names files that do not stay what they were; the last line
 * counts the others: `N rebuilt, N not read`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hlo.h>

#include "rebuild/rebuild.h"

typedef enum { NOT_READ, REFUSED, DIFFERENT, SAME } outcome;

static hlo_module *module_of(const char *path, hlo_diags *diags) {
    hlo_source *source;
    hlo_module *module = NULL;
    hlo_status status = hlo_read_source(path, diags, &source);
    if (status == HLO_OK) status = hlo_read_module(source, diags, &module);
    hlo_source_free(source);
    if (status == HLO_OK && hlo_verify(module, diags) == HLO_OK) return module;
    hlo_module_free(module);
    return NULL;
}

/* NULL after an error. */
static hlo_output *text_of(hlo_module *module, hlo_diags *diags) {
    hlo_text_options how = HLO_TEXT_OPTIONS_INIT;
    how.large_constants = HLO_ON;
    hlo_output *text = hlo_output_to_memory();
    if (hlo_write_text(module, &how, text, diags) == HLO_OK) return text;
    hlo_output_free(text);
    return NULL;
}

static bool same_text(const hlo_output *a, const hlo_output *b) {
    size_t a_count, b_count;
    const void *a_bytes = hlo_output_bytes(a, &a_count), *b_bytes = hlo_output_bytes(b, &b_count);
    return a_count == b_count && memcmp(a_bytes, b_bytes, a_count) == 0;
}

static outcome rebuilt(hlo_module *module, hlo_diags *diags) {
    hlo_output *was = text_of(module, diags), *is = NULL;
    bool good = was && rebuild_module(module, diags) && hlo_verify(module, diags) == HLO_OK;
    if (good) is = text_of(module, diags);
    outcome found = !is ? REFUSED : same_text(was, is) ? SAME : DIFFERENT;
    hlo_output_free(was);
    hlo_output_free(is);
    return found;
}

static outcome check(const char *path) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = module_of(path, diags);
    outcome found = module ? rebuilt(module, diags) : NOT_READ;
    if (found == REFUSED) hlo_diags_render(diags, stdout, false);
    if (found == REFUSED) printf("%s is refused\n", path);
    if (found == DIFFERENT) printf("%s becomes another module\n", path);
    hlo_module_free(module);
    hlo_diags_free(diags);
    return found;
}

int main(int argc, char **argv) {
    int counts[SAME + 1] = {0};
    for (int i = 1; i < argc; i++) counts[check(argv[i])]++;
    printf("%d rebuilt, %d not read\n", counts[SAME], counts[NOT_READ]);
    return counts[REFUSED] + counts[DIFFERENT] ? EXIT_FAILURE : EXIT_SUCCESS;
}
