/* Dialects of the text: translating old forms (forms.def) into today's text before it is read.
 * Positions of what is read then are those of the text as it was written. */
#ifndef HLO_LEGACY_DIALECT_H
#define HLO_LEGACY_DIALECT_H

#include "diag/diag.h"

typedef enum {
#define HLO_OLD_FORM(ID, ...) HLO_OLD_##ID,
#define HLO_OLD_ATTRIBUTE(...)
#define HLO_OLD_OPCODE(...)
#include "legacy/forms.def"
#undef HLO_OLD_OPCODE
#undef HLO_OLD_ATTRIBUTE
#undef HLO_OLD_FORM
    HLO_OLD_COUNT
} hlo_old_id;

typedef struct {
    const char *name, *until, *dialects, *old, *now;
} hlo_old_form;

extern const hlo_old_form hlo_old_forms[HLO_OLD_COUNT];

/* Whether a dialect reads the form. */
bool hlo_old_form_is_of(const hlo_old_form *form, hlo_dialect dialect);

/* The editions of the operation semantics among these, as "2018|2019". */
const char *hlo_old_form_editions(const hlo_old_form *form);

/* The source in today's text, with the forms of its dialect translated, to be closed by the caller;
 * each form in it is named once, in a warning. What has no meaning today is an error. The same
 * source, which is the caller's as before, when it has no old form. */
hlo_source *hlo_dialect_translate(hlo_source *source, hlo_diags *diags);

/* The opcode of today for that of an old form, `_` instead of `-` in it allowed; or NULL. */
const char *hlo_old_opcode_today(const char *text, size_t n);

/* Adds to the errors of the list from `first` on, found where the source, or what its dialect
 * translates it to, was read: which other old form stands in their lines. */
void hlo_dialect_explain(hlo_source *source, hlo_diags *diags, hlo_diag *first);

#endif
