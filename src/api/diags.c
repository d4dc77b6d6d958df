/* Diagnostics as the public interface shows them. */
#include <stdlib.h>

#include <hlo.h>

#include "base/nearest.h"
#include "base/printable.h"
#include "diag/diag_formats.h"
#include "diag/fingerprint.h"
#include "host/output.h"

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

hlo_status hlo_diags_write(hlo_diags *diags, bool colour, hlo_output *output) {
    char *text = NULL;
    size_t length;
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, output);
    FILE *memory = open_memstream(&text, &length);
    bool whole = memory && hlo_diags_render_whole(diags, memory, colour);
    if (memory && (fclose(memory) != 0 || !text)) whole = false;
    if (whole) hlo_output_write(output, text, length);
    free(text);
    return whole ? HLO_OK : hlo_output_lost(output);
}

/* ---- as data ---- */

const hlo_diag *hlo_diags_first(const hlo_diags *diags) {
    return diags ? diags->first : NULL;
}

const hlo_diag *hlo_diag_next(const hlo_diag *diag) {
    return diag ? diag->next : NULL;
}

const hlo_diag *hlo_diag_notes(const hlo_diag *diag) {
    return diag ? diag->notes : NULL;
}

bool hlo_diag_describe(const hlo_diag *diag, hlo_diag_info *info) {
    if (!diag || !info) return false;
    HLO_API_CALL(NULL) return false;
    bool is_note = diag->severity == HLO_NOTE;
    *info = (hlo_diag_info){
        .severity = diag->severity,
        .rule = is_note ? NULL : hlo_rule_name(diag->rule),
        .stage = is_note ? NULL : hlo_stage_name(hlo_rule_stage(diag->rule)),
        .message = diag->message,
        .hint = diag->hint,
        .file = hlo_diag_file(diag),
        .computation = diag->computation.ptr,
        .instruction = diag->instruction.ptr,
        .computation_length = diag->computation.len,
        .instruction_length = diag->instruction.len,
    };
    if (diag->source) {
        hlo_diag_place at = hlo_diag_place_of(diag);
        info->line = at.start.line;
        info->column = at.start.column;
        info->end_line = at.end.line;
        info->end_column = at.end.column;
    }
    return true;
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
