/* How the processes of a job exchange bytes: what a library for one kind of job implements, MPI's
 * (mpi/), and world.c and wire.c call. Such a library is loaded by the processes that need it and
 * shares nothing with libhlo but this header. All functions are called by one thread at a time. */
#ifndef HLO_EVAL_COMM_TRANSPORT_H
#define HLO_EVAL_COMM_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that are sent from, or received to, several places. */
typedef struct {
    void *at;
    size_t bytes;
} hlo_extent;

typedef struct {
    hlo_extent *v;
    uint32_t n;
} hlo_extents;

/* Data under way. The extents and what they point to stay as they are until it is done. */
typedef struct hlo_request hlo_request;

typedef struct hlo_transport hlo_transport;
struct hlo_transport {
    uint32_t rank, ranks;
    uint32_t neighbours; /* processes of the job on this machine, this one among them */

    /* Frames: short texts, copied. Those from one process to another arrive in order. */
    void (*send)(hlo_transport *transport, uint32_t to, const void *bytes, size_t count);
    /* One that has arrived, until the next call; NULL: none has. */
    const void *(*poll)(hlo_transport *transport, size_t *count);
    /* Until all frames that were sent have left. */
    void (*flush)(hlo_transport *transport);

    /* Data from one process to another: those with the same tag in the order of the calls. */
    hlo_request *(*begin_send)(hlo_transport *transport, uint32_t to, uint32_t tag,
                               const hlo_extents *from);
    hlo_request *(*begin_receive)(hlo_transport *transport, uint32_t from, uint32_t tag,
                                  const hlo_extents *to);
    /* from[i] goes to ranks[i], and to[i] comes from it. All of them call it with the same ranks,
     * ascending, and all exchanges that two processes share in the same order. */
    hlo_request *(*begin_exchange)(hlo_transport *transport, const uint32_t *ranks, uint32_t count,
                                   const hlo_extents *from, const hlo_extents *to);
    /* When it returns true, the transfer is freed. */
    bool (*is_done)(hlo_transport *transport, hlo_request *transfer);

    /* All processes call it: the largest value that any of them has. */
    uint64_t (*agree)(hlo_transport *transport, uint64_t value);
    /* Ends all processes of the job; this one with the status. Does not return. */
    void (*stop)(hlo_transport *transport, int status);
    /* All processes call it. */
    void (*close)(hlo_transport *transport);
};

/* The symbol by which such a library is entered: NULL, and why, when there is no job. */
#define HLO_TRANSPORT_OPEN "hlo_transport_open"
typedef hlo_transport *hlo_transport_opener(const char **problem);

#endif
