/* How hlo-run runs dataflow graphs. */
#ifndef HLO_CMD_DATAFLOW_H
#define HLO_CMD_DATAFLOW_H

#include "options.h"

typedef struct {
    int executor, event_form;
    uint64_t parallel_iterations, devices; /* 0: as in the graph */
    bool lower_scalar_loops;
    const char *events; /* a file, or NULL */
    const char *swap_directory;
    uint64_t swap_bytes; /* value of the threshold */
} dataflow_options;

/* For the program_info. */
extern const term_row dataflow_variables[];

static inline void dataflow_apply(const dataflow_options *options, hlo_run_options *how) {
    how->graph.executor = options->executor ? HLO_EXECUTOR_DATAFLOW : HLO_EXECUTOR_STRUCTURED;
    how->graph.parallel_iterations = options->parallel_iterations;
    how->graph.devices = (uint32_t)options->devices;
    how->graph.events = options->events;
    how->graph.chrome_events = options->event_form;
    how->memory.swap_threshold = options->swap_bytes;
    how->memory.swap_directory = options->swap_directory;
    how->graph.lower_scalar_loops = options->lower_scalar_loops;
}
/* Finds a directory where a threshold is given without one. */
int dataflow_check(const program_info *program, dataflow_options *options);
/* Reports an option that has no effect on the run, which is of no dataflow graph. */
bool dataflow_fits(const dataflow_options *options, const hlo_run *run);
/* What stacks needed, on standard error, when they may be swapped. */
void dataflow_report(const dataflow_options *options, const hlo_run *run);

#endif
