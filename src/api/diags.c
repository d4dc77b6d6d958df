/* Diagnostics as the public interface shows them. */
#include <hlo.h>

#include "base/nearest.h"
#include "base/printable.h"
#include "diag/diag.h"

hlo_diags *hlo_diags_create(uint32_t max_errors) {
    HLO_API_CALL(NULL) return NULL;
    hlo_diags *diags = hlo_malloc(sizeof *diags);
    hlo_diags_init(diags);
    hlo_diags_keep(diags);
    if (max_errors) diags->max_errors = max_errors;
    return diags;
}

void hlo_diags_free(hlo_diags *diags) {
    if (!diags) return;
    hlo_diags_drop(diags);
    hlo_free(diags);
}

uint32_t hlo_diags_error_count(const hlo_diags *diags) {
    if (!diags) return 0;
    return diags->errors;
}

uint32_t hlo_diags_warning_count(const hlo_diags *diags) {
    if (!diags) return 0;
    return diags->warnings;
}

uint32_t hlo_diags_rule_count(const hlo_diags *diags, size_t rule) {
    if (!diags || !diags->counts || rule >= HLO_RULE_COUNT) return 0;
    return diags->counts[rule];
}

void hlo_diags_set_file(hlo_diags *diags, const char *file) {
    HLO_API_CALL(diags) return;
    if (diags) hlo_diags_about(diags, file);
}

void hlo_diags_set_hints(hlo_diags *diags, hlo_hint_text *text, void *context) {
    if (!diags) return;
    diags->hints = text;
    diags->hints_context = context;
}

void hlo_diags_set_program(hlo_diags *diags, const char *name) {
    if (diags) diags->program = name;
}

/* ---- texts ---- */

size_t hlo_escape(const char *text, char *out, size_t capacity) {
    size_t whole = 0, n = text ? strlen(text) : 0, written = 0;
    size_t colon = text && hlo_begins_command(text, n) ? strspn(text, " \t") : n;
    for (size_t i = 0; i < n;) {
        char one[HLO_ESCAPED_MOST];
        size_t length;
        if (i == colon) i++, length = (size_t)snprintf(one, sizeof one, "\\x3a");
        else i += hlo_escape_one(text + i, n - i, one, &length);
        if (whole == written && whole + length < capacity) {
            memcpy(out + written, one, length);
            written += length;
        }
        whole += length;
    }
    if (capacity) out[written] = 0;
    return whole;
}

const char *hlo_nearest_name(const char *text, const char *const *names, size_t count) {
    if (!text || !names) return NULL;
    hlo_nearest search = hlo_nearest_to(text, strlen(text));
    for (size_t i = 0; i < count; i++)
        if (names[i]) hlo_nearest_try(&search, names[i], strlen(names[i]), false);
    return search.name;
}
