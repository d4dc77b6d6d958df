/* What passes did to modules, in tables on standard error; with `json` an object per line, whose
 * member "table" names the table. */
#ifndef HLO_CMD_PASS_REPORT_H
#define HLO_CMD_PASS_REPORT_H

#include <hlo.h>

/* Size and cost of a module before and after. */
void report_module(hlo_module *module, size_t instructions_before, const hlo_module_cost *before,
                   bool json);
/* How often each rewrite fired, and how long each pass took, of all modules. */
void report_rewrites(const hlo_pass_stats *stats, bool json);
void report_times(const hlo_pass_stats *stats, bool json);

#endif
