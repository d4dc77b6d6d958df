/* A module from a text in memory; NULL after errors, which are in `diags`. For the examples. */
#ifndef EXAMPLES_PARSE_TEXT_H
#define EXAMPLES_PARSE_TEXT_H

#include <hlo.h>
#include <string.h>

static hlo_module *parse_text(const char *text, hlo_diags *diags) {
    hlo_source *source = hlo_source_from_text("example", text, strlen(text));
    hlo_module *module = NULL;
    if (source && hlo_parse(source, diags, &module) == HLO_OK) hlo_verify(module, diags);
    hlo_source_free(source);
    return module;
}

/* Shows what went wrong; the exit status of an example. */
static int report(hlo_diags *diags) {
    int failed = hlo_diags_error_count(diags) > 0;
    hlo_diags_render(diags, stderr, false);
    hlo_diags_free(diags);
    return failed;
}

#endif
