/* Dataflow graphs that can be run: the graph, its steps, and where they compute. */
#ifndef HLO_FLOW_FLOW_H
#define HLO_FLOW_FLOW_H

#include "base/pool.h"
#include "eval/comm/world.h"
#include "eval/run/thread.h"
#include "flow/steps.h"
#include "flow/trace.h"

typedef struct {
    uint64_t parallel_iterations;  /* of every frame; 0: as its enters specify */
    hlo_steps_optimiser *optimise; /* of steps; NULL: they run as they are */
    const hlo_program_options *program;
    const hlo_device_options *device;
    hlo_pool *pool;
    hlo_world *world; /* whose processes share the devices; NULL: all are here */
} hlo_flow_options;

typedef struct hlo_flow hlo_flow;

/* Of a verified dataflow module or the parts of one, which must outlive it and not change. NULL
 * after errors. */
hlo_flow *hlo_flow_new(hlo_module *module, const hlo_flow_options *options, hlo_diags *diags);
void hlo_flow_free(hlo_flow *flow); /* NULL is fine */
/* Gives back what is no memory of the call, of a flow whose memory is about to be freed; NULL is
 * fine. */
void hlo_flow_abandon(hlo_flow *flow);
/* What its greatest step needs besides its arguments, and where. */
hlo_program_memory hlo_flow_memory(const hlo_flow *flow);
uint64_t hlo_flow_max_bytes(const hlo_flow *flow);

/* The arguments, by parameter number, stay the caller's; the result is the caller's to release.
 * `whole`: the shape of the result. NULL after an error, and in all processes of a job
 * but the first, which all call it. */
hlo_value *hlo_flow_run(hlo_flow *flow, hlo_value *const *arguments, uint32_t count,
                        const hlo_shape *whole, const hlo_flow_trace *trace, hlo_diags *diags);
/* The most bytes of arrays on stacks at once, in the last run; of all processes. */
uint64_t hlo_flow_stack_peak(const hlo_flow *flow);

#endif
