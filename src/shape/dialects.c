/* The table of what only dialects have. */
#include "shape/dialects.h"

#include "legacy/dialect.h"

typedef struct {
    hlo_rule rule, general;
    hlo_dialect_form form;
    hlo_opcode op; /* HLO_OP_COUNT: any */
    const char *word;
    hlo_old_id old;
    const char *plain;
} row;

static const row rows[] = {
#define HLO_DIALECT(rule, general, form, op, word, old, plain) \
    {HLO_RULE_##rule,                                          \
     HLO_RULE_##general,                                       \
     HLO_DIALECT_##form,                                       \
     HLO_OP_##op,                                              \
     word,                                                     \
     HLO_OLD_##old,                                            \
     plain},
#include "shape/dialects.def"
#undef HLO_DIALECT
};

bool hlo_dialect_claims(hlo_diags *diags, hlo_dialect_form form, hlo_opcode op, const char *word,
                        size_t n) {
    hlo_diag *error = diags->last;
    for (size_t i = 0; error && i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        if (r->form != form || r->general != error->rule || (r->op != op && r->op != HLO_OP_COUNT))
            continue;
        if (strlen(r->word) != n || (n && memcmp(r->word, word, n) != 0)) continue;
        error->rule = r->rule;
        hlo_hint(diags, "only the operation semantics of %s have it; in plain HLO: %s",
                 hlo_old_form_editions(&hlo_old_forms[r->old]), r->plain);
        return true;
    }
    return false;
}
