/* Counting what modules cost, file by file, and reporting it. */
#ifndef HLO_CMD_STATISTICS_H
#define HLO_CMD_STATISTICS_H

#include "listing.h"
#include "modules.h"

typedef struct {
    const hlo_stats_options *counting;
    const hlo_stats_report_options *report;
    const char *other; /* the module that the argument is compared with, or NULL */
    uint64_t jobs;     /* files that are counted at the same time; 0: one per processor */
} statistics_options;

/* Reports what the arguments stand for, standard input when there are none, and commits the output
 * when there is something in it. Of several files, or of a directory, text and CSV have the table
 * of modules unless tables are chosen. Returns the worst status of all files. */
hlo_status write_statistics(const statistics_options *options, const common_options *common,
                            hlo_output *output, hlo_diags *diags);

/* The same for text on a terminal, with headings that stand out. */
hlo_status write_coloured_statistics(const statistics_options *options,
                                     const common_options *common, hlo_output *output,
                                     hlo_diags *diags);

/* Writes the tables and their columns. */
void list_statistics(const listing *list);

#endif
