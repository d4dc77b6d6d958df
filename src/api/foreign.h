/* What a file is that holds no module: a table by first bytes, and messages of XLA. */
#ifndef HLO_API_FOREIGN_H
#define HLO_API_FOREIGN_H

#include "base/source.h"
#include "diag/diag.h"
#include "parse/foreign_kinds.h"

/* NULL: perhaps a module. */
const hlo_foreign_kind *hlo_file_kind(const char *start, size_t count);
/* Reports a source that no reader is for, before one reads it; texts that the parser reports in
 * their first line are left to it. */
bool hlo_report_file_kind(hlo_source *source, hlo_diags *diags);

#endif
