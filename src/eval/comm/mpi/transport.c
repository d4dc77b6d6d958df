/* The transport of jobs that mpirun starts: a separate library, so that programs start without MPI
 * where they need none. Frames are messages with a separate tag; exchanges are MPI_Ialltoallw
 * between the processes that take part, on datatypes of absolute addresses, so that nothing is
 * packed. Loaded by world.c. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "eval/comm/transport.h"

enum { FRAME_TAG = 1, DATA_TAG = 2 };
/* MPI counts bytes with an int. */
#define MOST_BYTES ((size_t)1 << 30)

struct hlo_request {
    MPI_Request request;
    int count;              /* of partners in an exchange; 0: none */
    int *counts, *places;   /* of an exchange, by partner; the same array serves both ways */
    MPI_Datatype *out, *in; /* of an exchange, by partner */
    MPI_Datatype type;      /* of a message */
};

/* A frame on its way, with the bytes. */
typedef struct sent_frame {
    struct sent_frame *next;
    MPI_Request request;
    char bytes[];
} sent_frame;

/* The processes of an exchange, by their ranks. */
typedef struct group {
    struct group *next;
    MPI_Comm comm;
    uint32_t count;
    uint32_t ranks[];
} group;

typedef struct {
    hlo_transport shown;
    MPI_Comm comm;
    int most_tags;
    sent_frame *sent; /* oldest first */
    group *groups;
    char *frame; /* that poll has given */
    size_t capacity;
} job;

/* Without memory, MPI ends the job with a message; so does this. */
static void *need(void *memory) {
    if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* ---- frames ---- */

static void forget_sent(job *j) {
    int is_done = 1;
    while (j->sent && is_done) {
        sent_frame *first = j->sent;
        MPI_Test(&first->request, &is_done, MPI_STATUS_IGNORE);
        if (!is_done) return;
        j->sent = first->next;
        free(first);
    }
}

static void send_frame(hlo_transport *transport, uint32_t to, const void *bytes, size_t count) {
    job *j = (job *)transport;
    sent_frame *frame = need(malloc(sizeof *frame + count));
    frame->next = NULL;
    memcpy(frame->bytes, bytes, count);
    MPI_Isend(frame->bytes, (int)count, MPI_BYTE, (int)to, FRAME_TAG, j->comm, &frame->request);
    sent_frame **end = &j->sent;
    while (*end) end = &(*end)->next;
    *end = frame;
    forget_sent(j);
}

static const void *poll_frame(hlo_transport *transport, size_t *count) {
    job *j = (job *)transport;
    int is_there, bytes;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, FRAME_TAG, j->comm, &is_there, &status);
    if (!is_there) return NULL;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if ((size_t)bytes > j->capacity) {
        j->capacity = (size_t)bytes;
        j->frame = need(realloc(j->frame, j->capacity));
    }
    MPI_Recv(j->frame, bytes, MPI_BYTE, status.MPI_SOURCE, FRAME_TAG, j->comm, MPI_STATUS_IGNORE);
    *count = (size_t)bytes;
    return j->frame;
}

static void flush(hlo_transport *transport) {
    job *j = (job *)transport;
    while (j->sent) {
        sent_frame *first = j->sent;
        MPI_Wait(&first->request, MPI_STATUS_IGNORE);
        j->sent = first->next;
        free(first);
    }
}

/* ---- where bytes lie ---- */

static int count_blocks(const hlo_extents *extents) {
    size_t blocks = 0;
    for (uint32_t i = 0; i < extents->n; i++)
        blocks += (extents->v[i].bytes + MOST_BYTES - 1) / MOST_BYTES;
    return (int)blocks;
}

/* Of addresses, to be used with MPI_BOTTOM. */
static MPI_Datatype type_of(const hlo_extents *extents) {
    int blocks = count_blocks(extents), n = 0;
    int *lengths = need(malloc((size_t)(blocks + 1) * sizeof *lengths));
    MPI_Aint *places = need(malloc((size_t)(blocks + 1) * sizeof *places));
    for (uint32_t i = 0; i < extents->n; i++)
        for (size_t k = 0; k < extents->v[i].bytes; k += MOST_BYTES) {
            size_t left = extents->v[i].bytes - k;
            lengths[n] = (int)(left < MOST_BYTES ? left : MOST_BYTES);
            MPI_Get_address((char *)extents->v[i].at + k, &places[n++]);
        }
    MPI_Datatype type;
    MPI_Type_create_hindexed(blocks, lengths, places, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    free(places);
    free(lengths);
    return type;
}

/* ---- data from one process to another ---- */

static int tag_of(const job *j, uint32_t tag) {
    return DATA_TAG + (int)(tag % (uint32_t)(j->most_tags - DATA_TAG));
}

static hlo_request *new_message(const hlo_extents *extents) {
    hlo_request *transfer = need(calloc(1, sizeof *transfer));
    transfer->type = type_of(extents);
    return transfer;
}

static hlo_request *begin_send(hlo_transport *transport, uint32_t to, uint32_t tag,
                               const hlo_extents *from) {
    job *j = (job *)transport;
    hlo_request *transfer = new_message(from);
    MPI_Isend(MPI_BOTTOM, 1, transfer->type, (int)to, tag_of(j, tag), j->comm, &transfer->request);
    return transfer;
}

static hlo_request *begin_receive(hlo_transport *transport, uint32_t from, uint32_t tag,
                                  const hlo_extents *to) {
    job *j = (job *)transport;
    hlo_request *transfer = new_message(to);
    MPI_Irecv(MPI_BOTTOM, 1, transfer->type, (int)from, tag_of(j, tag), j->comm,
              &transfer->request);
    return transfer;
}

/* ---- exchanges ---- */

static MPI_Comm new_comm(job *j, const uint32_t *ranks, uint32_t count) {
    MPI_Group all, some;
    MPI_Comm comm;
    int *numbers = need(malloc(count * sizeof *numbers));
    for (uint32_t i = 0; i < count; i++) numbers[i] = (int)ranks[i];
    MPI_Comm_group(j->comm, &all);
    MPI_Group_incl(all, (int)count, numbers, &some);
    MPI_Comm_create_group(j->comm, some, 0, &comm);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    free(numbers);
    return comm;
}

static MPI_Comm comm_of(job *j, const uint32_t *ranks, uint32_t count) {
    for (group *g = j->groups; g; g = g->next)
        if (g->count == count && memcmp(g->ranks, ranks, count * sizeof *ranks) == 0)
            return g->comm;
    group *g = need(malloc(sizeof *g + count * sizeof *ranks));
    g->next = j->groups;
    g->count = count;
    memcpy(g->ranks, ranks, count * sizeof *ranks);
    g->comm = new_comm(j, ranks, count);
    j->groups = g;
    return g->comm;
}

/* A partner with which there is nothing to exchange has a count of 0. */
static void describe(hlo_request *t, const hlo_extents *from, const hlo_extents *to) {
    size_t n = (size_t)t->count;
    t->counts = need(calloc(2 * n, sizeof *t->counts));
    t->places = need(calloc(n, sizeof *t->places));
    t->out = need(malloc(n * sizeof *t->out));
    t->in = need(malloc(n * sizeof *t->in));
    for (size_t i = 0; i < n; i++) {
        t->counts[i] = count_blocks(&from[i]) > 0;
        t->counts[n + i] = count_blocks(&to[i]) > 0;
        t->out[i] = t->counts[i] ? type_of(&from[i]) : MPI_BYTE;
        t->in[i] = t->counts[n + i] ? type_of(&to[i]) : MPI_BYTE;
    }
}

static hlo_request *begin_exchange(hlo_transport *transport, const uint32_t *ranks, uint32_t count,
                                   const hlo_extents *from, const hlo_extents *to) {
    hlo_request *t = need(calloc(1, sizeof *t));
    t->count = (int)count;
    describe(t, from, to);
    MPI_Ialltoallw(MPI_BOTTOM, t->counts, t->places, t->out, MPI_BOTTOM, t->counts + count,
                   t->places, t->in, comm_of((job *)transport, ranks, count), &t->request);
    return t;
}

static void free_transfer(hlo_request *t) {
    for (int i = 0; i < t->count; i++) {
        if (t->counts[i]) MPI_Type_free(&t->out[i]);
        if (t->counts[t->count + i]) MPI_Type_free(&t->in[i]);
    }
    if (!t->count) MPI_Type_free(&t->type);
    free(t->counts);
    free(t->places);
    free(t->out);
    free(t->in);
    free(t);
}

static bool is_done(hlo_transport *transport, hlo_request *transfer) {
    int flag;
    (void)transport;
    MPI_Test(&transfer->request, &flag, MPI_STATUS_IGNORE);
    if (flag) free_transfer(transfer);
    return flag;
}

/* ---- the job ---- */

static uint64_t agree(hlo_transport *transport, uint64_t value) {
    job *j = (job *)transport;
    uint64_t largest;
    flush(transport);
    MPI_Allreduce(&value, &largest, 1, MPI_UINT64_T, MPI_MAX, j->comm);
    return largest;
}

static void stop(hlo_transport *transport, int status) {
    (void)transport;
    MPI_Abort(MPI_COMM_WORLD, status);
    abort();
}

static void close_job(hlo_transport *transport) {
    job *j = (job *)transport;
    flush(transport);
    while (j->groups) {
        group *first = j->groups;
        j->groups = first->next;
        MPI_Comm_free(&first->comm);
        free(first);
    }
    MPI_Comm_free(&j->comm);
    free(j->frame);
    free(j);
    MPI_Finalize();
}

static uint32_t count_neighbours(MPI_Comm comm) {
    MPI_Comm machine;
    int count;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &count);
    MPI_Comm_free(&machine);
    return (uint32_t)count;
}

static job *new_job(void) {
    job *j = need(calloc(1, sizeof *j));
    int rank, ranks, *most = NULL, has_most;
    MPI_Comm_dup(MPI_COMM_WORLD, &j->comm);
    MPI_Comm_rank(j->comm, &rank);
    MPI_Comm_size(j->comm, &ranks);
    MPI_Comm_get_attr(j->comm, MPI_TAG_UB, &most, &has_most);
    j->most_tags = has_most ? *most : 32767;
    j->shown = (hlo_transport){.rank = (uint32_t)rank,
                               .ranks = (uint32_t)ranks,
                               .neighbours = count_neighbours(j->comm),
                               .send = send_frame,
                               .poll = poll_frame,
                               .flush = flush,
                               .begin_send = begin_send,
                               .begin_receive = begin_receive,
                               .begin_exchange = begin_exchange,
                               .is_done = is_done,
                               .agree = agree,
                               .stop = stop,
                               .close = close_job};
    return j;
}

hlo_transport_opener hlo_transport_open;

/* Threads take turns. Errors of MPI end the job, with MPI's message. */
__attribute__((visibility("default"))) hlo_transport *hlo_transport_open(const char **problem) {
    int given;
    *problem = "MPI does not support calls from several threads (MPI_THREAD_SERIALIZED)";
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS) return NULL;
    if (given < MPI_THREAD_SERIALIZED) return NULL;
    return &new_job()->shown;
}
