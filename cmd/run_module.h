/* One module of hlo-run: from what the command line has to a run. */
#ifndef HLO_CMD_RUN_MODULE_H
#define HLO_CMD_RUN_MODULE_H

#include "assignment.h"
#include "dataflow.h"
#include "execution.h"
#include "whole.h"

typedef struct {
    execution_options run;
    option_texts libraries, watched;
    int engine, stub, jit, transfers;
    bool trace_values, break_on_nan, break_on_inf, as_written, pin;
    const char *dump, *only, *isa, *devices;
    device_assignment assignment;
    whole_inputs whole;
    uint64_t memory_bytes, threads, replicas, partitions;
    dataflow_options flow;
    double start;
    bool is_one_of_many; /* the progress line is of all modules */
    bool is_refused;     /* by hlo_run_prepare, as wrong use */
} run_options;

#define RUN_OPTIONS_INIT \
    { .run = EXECUTION_INIT, .stub = -1 }

/* The name of an option among those that are given which only a single module can have, or NULL. */
const char *run_options_of_one(const run_options *options);

/* A module_work with run_options: verifies the module, prepares it, and does with it what they
 * ask for. */
module_work run_module;

#endif
