/* What hlo-opt shows while passes run and after them: modules before and after, differences, dumps,
 * times and counts. */
#ifndef HLO_CMD_PASS_WATCH_H
#define HLO_CMD_PASS_WATCH_H

#include "options.h"
#include "pass_dump.h"

typedef struct {
    const char *before, *after; /* names of passes, "all", or NULL */
    pass_dump dump;
    bool changed, time, stats;
    bool colour; /* of differences */
    bool json;   /* the tables of `time` and `stats` */
    hlo_diags *diags;
    /* state */
    char *text; /* the module before the current pass, kept when --print-changed needs it */
    size_t module_number; /* from 0 */
    size_t facts_before;  /* instructions of the module before the first pass */
    hlo_module_cost cost_before;
    hlo_status status; /* the worst of what was shown */
} pass_watch;

/* Whether `options` need watching at all. */
bool pass_watch_is_wanted(const pass_watch *watch);
/* OPTIONS_GO_ON, or the exit status after a message about a name that is no pass. */
int pass_watch_check(const pass_watch *watch, const program_info *program);

/* Runs the pipeline on one module, watched as `watch` wants; `how` gets a watcher. */
hlo_status pass_watch_run(pass_watch *watch, const hlo_pipeline *pipeline,
                          hlo_pipeline_options *how, hlo_module *module, hlo_diags *diags);

/* Tables on standard error, as --time-passes and --stats ask for. */
void pass_watch_report(const pass_watch *watch, const hlo_pass_stats *stats);

#endif
