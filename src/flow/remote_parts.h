/* The inside of a hlo_remote. Private to remote.c, which moves messages, and remote_end.c, which
 * finds the end. */
#ifndef HLO_FLOW_REMOTE_PARTS_H
#define HLO_FLOW_REMOTE_PARTS_H

#include "eval/comm/doorbell.h"
#include "flow/remote.h"

typedef enum {
    HLO_REMOTE_MESSAGE,
    HLO_REMOTE_REPORT,  /* to process 0: what a process has come to that cannot go on */
    HLO_REMOTE_OVER,    /* from it: another process has failed */
    HLO_REMOTE_FINISHED /* from it, with the work that remains in all: the last frame */
} hlo_remote_kind;

/* What frames begin with. */
typedef struct {
    uint32_t kind, from;
    /* Of a message, after which come the numbers of the tag, the data, if they come here, and the
     * description of the value. */
    uint32_t edge, depth;
    uint32_t is_dead, bytes; /* of data that are here */
    uint32_t has_data;       /* data come by themselves */
} hlo_remote_head;

/* A message that is to be sent. */
typedef struct hlo_remote_post {
    struct hlo_remote_post *next;
    uint32_t to, edge;
    hlo_buf frame;
    hlo_value *value; /* whose data go by themselves; or NULL */
} hlo_remote_post;

/* Data under way. */
typedef struct hlo_remote_transfer {
    struct hlo_remote_transfer *next;
    hlo_request *request;
    hlo_extents extents;
    hlo_value *value;
    bool arrives;
    uint32_t from, edge, depth;
    uint64_t tag[];
} hlo_remote_transfer;

/* What a process reports: the work that remains, then how many messages it has sent to each
 * process, and received from each. */
typedef struct {
    hlo_leftovers left;
    uint64_t messages[];
} hlo_remote_report;

struct hlo_remote {
    hlo_execution *run;
    hlo_world *world;
    hlo_transport *transport;
    hlo_unwind_scope *scope; /* of the call that runs the graph */
    pthread_t thread;
    hlo_doorbell bell;
    atomic_bool needs_lock;
    /* Under the lock of the run: */
    hlo_remote_post *posted, **posted_end; /* oldest first */
    hlo_remote_report *own;
    /* The thread's: */
    uint32_t number;
    hlo_remote_transfer *transfers;
    size_t report_bytes;
    hlo_remote_report *told; /* what process 0 knows of this one */
    bool has_told, has_told_over, is_finished;
    hlo_remote_report **reports; /* in process 0, by process; NULL: none yet */
};

void hlo_remote_lock(hlo_remote *remote);
void hlo_remote_send_frame(hlo_remote *remote, uint32_t to, hlo_remote_kind kind, const void *text,
                           size_t bytes);

/* ---- remote_end.c ---- */

void hlo_remote_make_reports(hlo_remote *remote);
/* Notifies process 0 when nothing can go on here and it does not know that. */
void hlo_remote_report_rest(hlo_remote *remote);
void hlo_remote_receive_report(hlo_remote *remote, uint32_t from, const void *report);
void hlo_remote_be_over(hlo_remote *remote);
void hlo_remote_finish(hlo_remote *remote, const void *left);

#endif
