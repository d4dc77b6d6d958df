/* A module from a text in a unit test; the program ends with the diagnostics when it is none. */
#ifndef HLO_TESTS_READ_TEXT_H
#define HLO_TESTS_READ_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/parse.h"

static inline hlo_module *read_text(const char *text) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("test", text, strlen(text));
    hlo_module *module = NULL;
    if (hlo_parse(source, &diags, &module) != HLO_OK) {
        hlo_diags_render(&diags, stdout, false);
        exit(1);
    }
    hlo_source_release(source);
    hlo_diags_drop(&diags);
    return module;
}

#endif
