/* Lists of diagnostics whose hints name options: see hints.h. */
#include "hints.h"

#include <errno.h>
#include <string.h>

#include "process.h"

static const char *hint_of(void *unused, const char *topic) {
    hlo_table_row row;
    (void)unused;
    for (size_t i = 0; hlo_advice_row(i, &row); i++)
        if (strcmp(row.name, topic) == 0) return row.group;
    return NULL;
}

hlo_diags *new_diags(uint32_t max_errors) {
    hlo_diags *diags = process_made(hlo_diags_create(max_errors), "messages");
    hlo_diags_set_hints(diags, hint_of, NULL);
    hlo_diags_set_program(diags, program_invocation_short_name);
    return diags;
}
