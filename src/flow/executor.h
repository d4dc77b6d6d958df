/* The executor of dataflow graphs: tokens go from node to node, and a node fires when all that it
 * waits for is there (Implementation of Control Flow in TensorFlow, 2017, section 4;
 * docs/dataflow.md). */
#ifndef HLO_FLOW_EXECUTOR_H
#define HLO_FLOW_EXECUTOR_H

#include <pthread.h>

#include "base/pool.h"
#include "eval/comm/world.h"
#include "flow/steps.h"
#include "flow/trace.h"

/* A node that may fire. */
typedef struct {
    uint32_t node;
    hlo_iteration *iteration;
} hlo_ready;

/* First in, first out. */
typedef struct {
    hlo_ready *v;
    uint32_t capacity, first, count; /* capacity: a power of two */
} hlo_ready_queue;

/* What is left where nothing can fire any more: in this process, or in all of them. */
typedef struct {
    uint64_t failed;                      /* processes */
    uint64_t iterations, recvs, messages; /* open, waiting, and not asked for */
    uint64_t nodes;                       /* outside of loops, that wait */
    uint64_t stack_peak;                  /* the most bytes of stacks at once */
} hlo_leftovers;

/* One run. The lock is of everything in it: nodes that compute for long give it back meanwhile. */
typedef struct {
    hlo_job job;
    const hlo_graph *graph;
    const hlo_steps *steps;    /* by device */
    const bool *is_heavy;      /* by step of the graph */
    hlo_thread *const *owners; /* by device */
    hlo_pool *pool;
    bool is_shared; /* by several threads */
    pthread_mutex_t lock;
    hlo_tokens tokens;
    hlo_rendezvous *rendezvous;
    uint32_t first, last; /* devices of this process: below last */
    hlo_world *world;     /* whose processes run the other ones; NULL: all are here */
    struct hlo_remote *remote;
    bool has_finished;  /* in all processes */
    hlo_leftovers left; /* then */
    hlo_ready_queue light, heavy;
    uint32_t running; /* steps without the lock */
    hlo_value *const *arguments;
    uint32_t argument_count;
    hlo_value **results; /* by position */
    hlo_flow_trace trace;
    hlo_diags *diags;
    bool has_failed;
    bool has_given_up;              /* a step failed: the rest of the graph means nothing */
    size_t wanted;                  /* bytes that could not be allocated; 0: none */
    atomic_bool has_ready, is_over; /* for the pool, which reads it without the lock */
    atomic_uint workers;
} hlo_execution;

/* Runs the graph until nothing is left to fire: false after an error. */
bool hlo_flow_execute(hlo_execution *run);

/* ---- for remote.c, with the lock ---- */

/* A message of another process has come; takes over the reference to the value. */
void hlo_flow_publish(hlo_execution *run, uint32_t edge, hlo_tag tag, hlo_value *value,
                      uint32_t thread);
/* Whether nothing fires in this process, and which work remains. */
bool hlo_flow_rests(const hlo_execution *run);
hlo_leftovers hlo_flow_leftovers(const hlo_execution *run);

#endif
