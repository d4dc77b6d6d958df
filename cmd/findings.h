/* What becomes of the findings of hlo-verify: what the baseline knows is left out, the rest is
 * counted by rule and shown, as text or in the report. */
#ifndef HLO_CMD_FINDINGS_H
#define HLO_CMD_FINDINGS_H

#include "modules.h"

typedef struct {
    const common_options *common;
    bool quiet;
    hlo_report *report;     /* NULL: text on standard error */
    hlo_baseline *baseline; /* NULL: nothing is known */
    bool writes_baseline;   /* all that is found becomes known */
    size_t known;           /* findings so far that the baseline has */
    struct {
        size_t findings, files;
    } * rules; /* by number, of new findings */
} findings;

/* Space for the counts. */
void findings_begin(findings *all);
void findings_end(findings *all);

/* The list for one file, in which `path` is what findings without a place are about. */
hlo_diags *findings_of_file(const findings *all, const char *path);

/* Takes what the baseline knows out of a file's list. Returns the file's status without it, and
 * stores how much that was. */
hlo_status findings_settle(findings *all, hlo_diags **diags, hlo_status status, size_t *known);

/* Counts and shows a list, and frees it. HLO_BAD_SYSTEM when not all could be shown. */
hlo_status findings_show(findings *all, hlo_diags *diags);

/* A line per rule that found something, to put under the summary: for `line`. */
void findings_by_rule(const findings *all, void (*line)(void *context, const char *text),
                      void *context);
/* What was known, and what is not there any more, so that the baseline can be written again. */
void findings_of_baseline(const findings *all, void (*line)(void *context, const char *text),
                          void *context);

/* Writes the baseline, whole or not at all: for when every file could be read. */
hlo_status findings_write_baseline(const findings *f, const char *path, hlo_diags *diags);

#endif
