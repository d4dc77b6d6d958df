/* Statistics of modules. Part of hlo.h. */
#ifndef HLO_PUBLIC_STATS_H
#define HLO_PUBLIC_STATS_H

#include "cost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How what a module costs is counted. What a device does a second at most is 0 where it is not
 * known; with any of these there are times: an instruction takes no less than its flops, its bytes
 * and its exchanges take one by one, the longest of them. */
typedef struct {
    size_t size;
    bool trip_counts;  /* in the columns of costs, what loops run counts as often as it runs, where
                          that is known; else once, as XLA counts. Times, exchanges and figures of
                          a run always count so */
    double peak_flops; /* a second */
    double peak_bandwidth;         /* bytes of memory a second */
    const hlo_link_options *links; /* between devices; NULL: not known */
} hlo_stats_options;

#define HLO_STATS_OPTIONS_INIT \
    { sizeof(hlo_stats_options), false, 0, 0, NULL }

/* What was counted: tables of columns and rows, which hlo_stats_table_row and hlo_stats_column_row
 * list. It does not need the module any more. */
typedef struct hlo_stats hlo_stats;

/* Counts a module that verifies. */
HLO_API hlo_status hlo_stats_create(hlo_module *module, const hlo_stats_options *options,
                                    hlo_diags *diags, hlo_stats **out);
HLO_API void hlo_stats_free(hlo_stats *stats);
/* How many rows a table has; 0 when there is no such table. */
HLO_API size_t hlo_stats_rows(const hlo_stats *stats, size_t table);

/* `text` is NULL for numbers, and not NUL-terminated. A number is NaN where it is not known. */
typedef struct {
    const char *text;
    size_t text_len;
    double number;
} hlo_stats_value;

/* False when there is no such table, row or column; *out is then empty. */
HLO_API bool hlo_stats_cell(const hlo_stats *stats, size_t table, size_t row, size_t column,
                            hlo_stats_value *out);

/* Tables for readers; one JSON object per module; one table as CSV with a head; one page that needs
 * nothing else. */
typedef enum { HLO_STATS_TEXT, HLO_STATS_JSON, HLO_STATS_CSV, HLO_STATS_HTML } hlo_stats_form;

typedef struct {
    size_t size;
    hlo_stats_form form;
    uint64_t tables;  /* bit n: table n; 0: those that suit the form. CSV takes one table. The table
                         `modules` has a row for each module and comes once, at the end */
    uint64_t top;     /* rows of a table; 0: as many as suit the form; UINT64_MAX: all */
    const char *sort; /* a column whose largest values come first, in tables that have it; NULL:
                         flops, or seconds where there are times; modules in their order */
    bool exact;       /* numbers without units, names in full; JSON and CSV are always so */
} hlo_stats_report_options;

#define HLO_STATS_REPORT_OPTIONS_INIT \
    { sizeof(hlo_stats_report_options), HLO_STATS_TEXT, 0, 0, NULL, false }

/* Writes to `output`, which must live until the end. HLO_BAD_USE for CSV of several tables, and for
 * a column that no table which is shown has. */
typedef struct hlo_stats_report hlo_stats_report;
HLO_API hlo_status hlo_stats_report_begin(const hlo_stats_report_options *options,
                                          hlo_output *output, hlo_diags *diags,
                                          hlo_stats_report **out);
/* The tables of one more module; `file` is what it is called by. */
HLO_API void hlo_stats_report_add(hlo_stats_report *report, const char *file,
                                  const hlo_stats *stats);
/* What differs between two: each number of the first, of the second, and how it changed. Rows in
 * which nothing differs are left out, but for the summary. The table `modules` has no row of them.
 */
HLO_API void hlo_stats_report_compare(hlo_stats_report *report, const char *first_file,
                                      const hlo_stats *first, const char *second_file,
                                      const hlo_stats *second);
HLO_API void hlo_stats_report_end(hlo_stats_report *report);

#ifdef __cplusplus
}
#endif
#endif
