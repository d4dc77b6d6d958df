/* A dataflow graph made ready to be executed: nodes, who consumes their outputs, and what an
 * iteration of each frame holds. The parts of several devices are one graph, whose frames are apart
 * (Implementation of Control Flow in TensorFlow, 2017, sections 2 and 4). Made by graph.c from
 * dataflow modules, run by executor.c. */
#ifndef HLO_FLOW_GRAPH_H
#define HLO_FLOW_GRAPH_H

#include "base/list.h"
#include "ir/frames.h"

typedef enum {
    HLO_NODE_STEP,      /* ordinary instructions, computed together */
    HLO_NODE_PARAMETER, /* of the entry computation */
    HLO_NODE_SWITCH,
    HLO_NODE_MERGE,
    HLO_NODE_ENTER,
    HLO_NODE_EXIT,
    HLO_NODE_NEXT, /* next-iteration */
    HLO_NODE_SEND,
    HLO_NODE_RECV,
    HLO_NODE_RESULT /* takes a part of the graph's result */
} hlo_node_kind;

/* A control edge, instead of the number of an operand. */
enum { HLO_CONTROL = UINT32_MAX };

typedef struct {
    uint32_t node, operand; /* or HLO_CONTROL */
} hlo_consumer;

/* The consumers of one output: a range of hlo_graph.consumers. */
typedef struct {
    uint32_t first, count; /* first: from 1 on */
    uint32_t data;         /* how many take the value; others are control edges */
} hlo_consumers;

typedef struct {
    hlo_node_kind kind;
    const hlo_instr *instr; /* for messages and traces; of a step the last one */
    uint32_t device;
    uint32_t frame; /* whose iterations it fires in: a number of hlo_graph.frames */
    uint32_t operand_count, control_count;
    uint32_t outputs, output_count; /* entries of hlo_graph.outputs; one more for control edges */
    uint32_t local, slots;          /* its state and its first operand in an iteration */
    union {
        uint32_t step;   /* STEP: a number of hlo_graph.steps */
        uint32_t number; /* PARAMETER: its number; RESULT: the position in the result */
        uint32_t edge;   /* SEND, RECV: a number that both ends have */
        uint32_t opens;  /* ENTER: the frame; */
        uint32_t exit;   /* EXIT: which of the frame's */
        bool is_loop;    /* MERGE: one input comes from an earlier iteration */
    };
    uint32_t constant; /* ENTER: which of the frame's constants, from 1; 0: it is none */
} hlo_node;

/* What nodes of a step compute: some instructions of the graph and constants that they read. */
typedef struct {
    HLO_LIST(const hlo_instr *) instrs;   /* in order */
    HLO_LIST(const hlo_instr *) operands; /* what comes from other nodes */
    HLO_LIST(const hlo_instr *) results;  /* what other nodes use */
    HLO_LIST(bool) steady; /* by operand: it is the same in all iterations of a run */
} hlo_graph_step;

typedef struct {
    const hlo_static_frame *of; /* of the device's part */
    const char *name;           /* for traces, terminated; "" for a root */
    uint32_t parent, device, depth;
    uint32_t enter_count, exit_count, constant_count;
    uint64_t limit; /* of living iterations */
    uint32_t node_count, slot_count;
    HLO_LIST(uint32_t) constants; /* enters that are constant */
    HLO_LIST(uint32_t) exits;
    HLO_LIST(uint32_t) starts; /* nodes of a root that wait for nothing */
} hlo_graph_frame;

typedef struct {
    uint32_t device_count;
    HLO_LIST(hlo_node) nodes;
    HLO_LIST(hlo_consumer) consumers;
    HLO_LIST(hlo_consumers) outputs;
    HLO_LIST(hlo_graph_frame) frames; /* the roots first, by device */
    HLO_LIST(hlo_graph_step) steps;
    uint32_t *step_ends; /* by device: its steps come before, after those of the devices before */
    uint32_t edge_count, result_count;
    HLO_LIST(uint32_t) recvs;         /* nodes, by edge */
    bool has_tuple;                   /* the result is a tuple; else its only part */
    hlo_static_frames *static_frames; /* by device */
} hlo_graph;

/* Of a verified dataflow module, or of the parts of one. `parallel_iterations` 0: as the enters
 * specify. The module outlives it. */
hlo_graph *hlo_graph_new(hlo_module *module, uint64_t parallel_iterations);
void hlo_graph_free(hlo_graph *graph); /* NULL is fine */

#endif
