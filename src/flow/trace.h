/* What a run of a graph did, an event a line: see trace.c and docs/dataflow.md. */
#ifndef HLO_FLOW_TRACE_H
#define HLO_FLOW_TRACE_H

#include <pthread.h>
#include <stdio.h>

#include "flow/steps.h"
#include "flow/tokens.h"

typedef enum {
    HLO_EVENT_FIRE,
    HLO_EVENT_FRAME_OPEN,
    HLO_EVENT_FRAME_CLOSE,
    HLO_EVENT_ITERATION_OPEN,
    HLO_EVENT_ITERATION_CLOSE,
    HLO_EVENT_HELD,
    HLO_EVENT_SEND,
    HLO_EVENT_RECV,
    HLO_EVENT_PUSH,
    HLO_EVENT_POP,
    HLO_EVENT_SWAP_OUT,
    HLO_EVENT_SWAP_IN
} hlo_flow_event;

/* Where events go, as JSON lines or as those of a Chrome trace. */
typedef struct {
    FILE *to; /* NULL: nowhere */
    bool is_chrome;
    uint64_t start; /* hlo_clock */
    bool has_events;
    pthread_mutex_t lock; /* of what is written */
    struct swap_watch *watches;
    uint32_t watch_count;
} hlo_flow_trace;

/* The run begins, on the devices of `steps` from `first` on below `last`, with so many threads. */
void hlo_trace_begin(hlo_flow_trace *trace, const hlo_steps *steps, uint32_t first, uint32_t last,
                     uint32_t threads);
void hlo_trace_end(hlo_flow_trace *trace);
/* Of a node: one event for each of its instructions. `since`: when it began, 0 for now. */
void hlo_trace_node(hlo_flow_trace *trace, const hlo_graph *graph, hlo_flow_event event,
                    const hlo_node *node, const hlo_iteration *iteration, bool is_dead,
                    uint32_t thread, uint64_t since);
/* Of a frame or an iteration, by the tag of `iteration`. */
void hlo_trace_frame(hlo_flow_trace *trace, const hlo_graph *graph, hlo_flow_event event,
                     const hlo_iteration *iteration, uint32_t thread);

static inline bool hlo_traces(const hlo_flow_trace *trace) {
    return trace->to != NULL;
}

#endif
