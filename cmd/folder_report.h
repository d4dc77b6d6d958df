/* What hlo-diff writes about two folders of modules that were compared. */
#ifndef HLO_CMD_FOLDER_REPORT_H
#define HLO_CMD_FOLDER_REPORT_H

#include "folder_diff.h"
#include "folder_pairs.h"

/* A pair: what hlo_write_diff writes, in short and whole. */
typedef struct {
    const folder_module *a, *b;
    hlo_output *brief, *whole;
    bool is_compared, same;
} module_pair;

typedef struct {
    const folder_diff *diff;
    hlo_status status; /* the worst */
    folder a, b;
    module_pair *pairs;
    size_t pair_count, compared, differing, only_a, only_b, not_compared;
} folder_comparison;

/* A summary, a line for each pair that differs and each module without a partner, and the
 * differences; or one object with all pairs. */
void folder_report_text(const folder_comparison *all, hlo_output *output);
void folder_report_json(const folder_comparison *all, hlo_output *output);

#endif
