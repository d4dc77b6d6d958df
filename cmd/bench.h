/* Timing a run, and the report as JSON. */
#ifndef HLO_CMD_BENCH_H
#define HLO_CMD_BENCH_H

#include <hlo.h>

/* Seconds since some moment; only differences mean something. */
double bench_now(void);

typedef struct {
    double parse, prepare; /* seconds; prepare: everything between parsed module and first run */
} bench_before;

/* Runs once and then `repeats` times, and writes one JSON object: to the file `json`, or as a line
 * of standard error when it is NULL. */
hlo_status bench_run(hlo_run *run, uint64_t repeats, bench_before before, const char *json,
                     hlo_diags *diags);

#endif
