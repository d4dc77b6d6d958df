/* What hlo-run does with a prepared run: reads its inputs, runs or measures it, and writes,
 * profiles or compares the result. */
#ifndef HLO_CMD_EXECUTION_H
#define HLO_CMD_EXECUTION_H

#include "bench.h"
#include "profile.h"
#include "run_files.h"
#include "world.h"

typedef struct {
    run_files files;
    profile_options profile;
    world_place place;
    uint64_t repeat, bench;
    const char *bench_json;
} execution_options;

#define EXECUTION_INIT \
    { .files = RUN_FILES_INIT, .repeat = 1 }

/* With --print-plan, that is all. `before`: what had been done until now, for measurements. */
hlo_status execution_do(execution_options *options, hlo_run *run, bench_before before,
                        hlo_diags *diags);

#endif
