/* What a file is that holds no module: see foreign.h. */
#include "api/foreign.h"

#include "proto/other_messages.h"

const hlo_foreign_kind *hlo_file_kind(const char *start, size_t count) {
    const hlo_foreign_kind *kind = hlo_foreign_kind_of(start, count);
    return kind ? kind : hlo_other_message(start, count);
}

bool hlo_report_file_kind(hlo_source *source, hlo_diags *diags) {
    const hlo_foreign_kind *kind = hlo_file_kind(source->text, source->len);
    if (!kind || kind->is_text) return false;
    hlo_error(diags, HLO_RULE_LEX, source, (hlo_span){0, 1}, "%s", kind->sentence);
    if (kind->hint) hlo_hint(diags, "%s", kind->hint);
    return true;
}
