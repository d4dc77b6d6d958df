/* What a run of a graph holds: instances of frames, their living iterations, and the tokens that
 * wait there for others (Implementation of Control Flow in TensorFlow, 2017, section 4). A token is
 * a value, or NULL for a dead one; its tag is the iteration where it lies. Memory is used again,
 * see tokens.c. */
#ifndef HLO_FLOW_TOKENS_H
#define HLO_FLOW_TOKENS_H

#include "eval/value/value.h"
#include "flow/graph.h"
#include "flow/rendezvous.h"

typedef struct hlo_instance hlo_instance;
typedef struct hlo_iteration hlo_iteration;

/* Of a node in an iteration. A merge counts its dead operands, others whether there was one. */
typedef struct {
    uint32_t missing; /* operands and control edges; of a merge only those */
    uint32_t dead;
    bool is_live;  /* a merge: it has a value */
    bool is_ready; /* a merge: it fires once, whatever comes later */
} hlo_node_state;

struct hlo_iteration {
    hlo_instance *instance;
    hlo_iteration *next; /* of the same instance; of those that are not used */
    hlo_instance *children;
    uint64_t number;
    uint32_t busy;   /* nodes that are ready or run, and recvs that wait */
    uint32_t tokens; /* values that wait for others */
    uint64_t *path;  /* iteration numbers, own last: of the frame's depth */
    hlo_node_state *states;
    hlo_value **operands;
};

/* What a constant enter brought. */
typedef struct {
    hlo_value *value;
    bool is_there, is_dead;
} hlo_constant_token;

/* A value for the iteration after the last one, which the limit does not let open yet. */
typedef struct {
    uint32_t node; /* the next-iteration */
    hlo_value *value;
} hlo_held_token;

/* One execution of a loop. */
struct hlo_instance {
    uint32_t frame;
    hlo_iteration *parent; /* NULL: a root */
    hlo_instance *next;    /* child of the same iteration; of those that are not used */
    uint32_t waiting_enters;
    hlo_iteration *first, *last;
    uint64_t living; /* iterations */
    uint64_t opened; /* so far: the number of the next one */
    hlo_constant_token *constants;
    bool *exited; /* by exit: a live value has left */
    HLO_LIST(hlo_held_token) held;
};

/* Instances and iterations that are not used, by frame. */
typedef struct {
    hlo_instance *instances;
    hlo_iteration *iterations;
    hlo_node_state *states; /* of a new iteration */
} hlo_frame_pool;

typedef struct {
    const hlo_graph *graph;
    hlo_frame_pool *pools;
    hlo_instance *roots; /* by device */
    uint64_t living;     /* iterations besides those of roots */
} hlo_tokens;

void hlo_tokens_init(hlo_tokens *tokens, const hlo_graph *graph);
void hlo_tokens_free(hlo_tokens *tokens); /* with the values in it */

/* The execution of `frame` that belongs to the iteration; NULL: none is open. */
hlo_instance *hlo_find_instance(const hlo_iteration *parent, uint32_t frame);
/* A new one, with its first iteration. */
hlo_instance *hlo_open_instance(hlo_tokens *tokens, hlo_iteration *parent, uint32_t frame);
/* After its last iteration was closed. */
void hlo_close_instance(hlo_tokens *tokens, hlo_instance *instance);
/* The one after the last. */
hlo_iteration *hlo_open_iteration(hlo_tokens *tokens, hlo_instance *instance);
/* The first. */
void hlo_close_iteration(hlo_tokens *tokens, hlo_instance *instance);

/* `while.1/3/inner/0` */
void hlo_put_tag(hlo_buf *to, const hlo_graph *graph, const hlo_iteration *iteration);

#endif
