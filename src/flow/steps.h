/* The steps of a graph as programs of the evaluator, one for each device's part: each step is a
 * computation that a thread can call. */
#ifndef HLO_FLOW_STEPS_H
#define HLO_FLOW_STEPS_H

#include "eval/run/thread.h"
#include "flow/graph.h"

/* Changes a module that is about to be run so that it runs faster; computations that the entry's
 * instruction calls stay that many. False: it could not. */
typedef bool hlo_steps_optimiser(hlo_module *module);

typedef struct {
    hlo_module *module; /* its entry calls the computations of the steps */
    hlo_program *program;
    hlo_device *device;
    uint32_t first, count; /* steps of the graph */
    const hlo_plan **plans;
    double *costs;            /* guesses, in nanoseconds */
    const hlo_instr **steady; /* parameters that have one value in a run, for the program */
    hlo_code code;            /* of the program */
} hlo_steps;

/* Of the part `module`, device `device` of the graph; `optimise` NULL: as it is. False after an
 * error; to be freed in any case. */
bool hlo_steps_make(hlo_steps *steps, const hlo_graph *graph, const hlo_module *module,
                    uint32_t device, hlo_steps_optimiser *optimise,
                    const hlo_program_options *options, const hlo_device_options *device_options,
                    hlo_diags *diags);
void hlo_steps_free(hlo_steps *steps);
void hlo_steps_abandon(hlo_steps *steps); /* gives back what is no memory
                                           * of the call */

#endif
