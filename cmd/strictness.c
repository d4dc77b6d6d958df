/* Rows and values of the options of the verifier: see strictness.h. */
#include "strictness.h"

#include <stdlib.h>
#include <string.h>

#include "modules.h"
#include "process.h"

enum { MAX_ROWS = 160, MAX_OPTIONS = 32 }; /* of a program; of the library's table */

static struct {
    hlo_switch on;
    option_texts operations;
} chosen[MAX_OPTIONS]; /* by rows of the library's table */
static hlo_verify_options *made;

const option_row *strictness_with(const option_row *own) {
    static option_row table[MAX_ROWS + 1];
    size_t n = 0;
    hlo_table_row row;
    for (; own[n].name && n < MAX_ROWS; n++) table[n] = own[n];
    for (size_t i = 0; i < MAX_OPTIONS && n < MAX_ROWS && hlo_verify_option_row(i, &row); i++) {
        option_row *o = &table[n++];
        *o = (option_row){.group = "Strictness (the default is XLA's plain verifier)",
                          .name = row.name,
                          .kind = row.group ? OPTION_TEXTS : OPTION_SWITCH,
                          .argument = row.group,
                          .value = &chosen[i].on,
                          .help = row.description};
        if (row.group) o->value = &chosen[i].operations;
    }
    return table;
}

/* A list of operations: names, or a file that has them. No name has a dot or a slash. */
static hlo_status add_operations(hlo_verify_options *to, const char *option, const char *value,
                                 hlo_diags *diags) {
    if (strpbrk(value, "./")) return hlo_verify_options_read(to, option, value, diags);
    return hlo_verify_options_set(to, option, value, diags);
}

static hlo_status set(hlo_verify_options *to, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    hlo_table_row row;
    for (size_t i = 0; i < MAX_OPTIONS && hlo_verify_option_row(i, &row); i++) {
        const option_texts *operations = &chosen[i].operations;
        hlo_switch on = chosen[i].on;
        for (size_t k = 0; k < operations->count; k++)
            status = worse(status, add_operations(to, row.name, operations->v[k], diags));
        if (on != HLO_BY_STYLE)
            status = worse(
                status, hlo_verify_options_set(to, row.name, on == HLO_ON ? "on" : "off", diags));
    }
    return status;
}

hlo_status strictness_read(hlo_diags *diags) {
    made = process_made(hlo_verify_options_create(), "options of the verifier");
    return set(made, diags);
}

const hlo_verify_options *strictness(void) {
    return made;
}

bool strictness_is_chosen(void) {
    bool is_chosen = false;
    for (size_t i = 0; i < MAX_OPTIONS; i++)
        is_chosen |= chosen[i].on == HLO_ON || chosen[i].operations.count > 0;
    return is_chosen;
}

void strictness_forget(void) {
    hlo_verify_options_free(made);
    made = NULL;
    for (size_t i = 0; i < MAX_OPTIONS; i++) free(chosen[i].operations.v);
}
