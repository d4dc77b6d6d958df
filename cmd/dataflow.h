/* How hlo-run runs dataflow graphs. */
#ifndef HLO_CMD_DATAFLOW_H
#define HLO_CMD_DATAFLOW_H

#include <hlo.h>

typedef struct {
    int executor, event_form;
    uint64_t parallel_iterations, devices; /* 0: as the graph says */
    const char *events;                    /* a file, or NULL */
} dataflow_options;

static inline void dataflow_apply(const dataflow_options *options, hlo_run_options *how) {
    how->executor = options->executor ? HLO_EXECUTOR_DATAFLOW : HLO_EXECUTOR_STRUCTURED;
    how->parallel_iterations = options->parallel_iterations;
    how->graph_devices = (uint32_t)options->devices;
    how->events = options->events;
    how->chrome_events = options->event_form;
}

#endif
