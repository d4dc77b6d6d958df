/* Messages between processes and the thread that moves them: see remote.h. Small values travel in
 * the frame that announces them, others separately. */
#include "flow/remote.h"

#include <sched.h>

#include "eval/comm/parcel.h"
#include "eval/value/value_memory.h"
#include "flow/remote_parts.h"

enum { MOST_IN_FRAME = 1024 }; /* bytes of data */

/* ---- sending ---- */

static size_t bytes_of(const hlo_extents *extents) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < extents->n; i++) bytes += extents->v[i].bytes;
    return bytes;
}

static void put_data(hlo_buf *frame, const hlo_extents *extents) {
    for (uint32_t i = 0; i < extents->n; i++)
        hlo_buf_bytes(frame, extents->v[i].at, extents->v[i].bytes);
}

/* Whether the data are in it. */
static bool put_frame(hlo_buf *frame, hlo_remote_head *head, hlo_tag tag, const hlo_value *value) {
    hlo_extents extents = {0};
    if (value) hlo_parcel_add_extents(&extents, value);
    size_t bytes = bytes_of(&extents);
    head->has_data = bytes > MOST_IN_FRAME;
    head->bytes = head->has_data ? 0 : (uint32_t)bytes;
    hlo_buf_bytes(frame, head, sizeof *head);
    if (tag.depth) hlo_buf_bytes(frame, tag.numbers, tag.depth * sizeof *tag.numbers);
    if (!head->has_data) put_data(frame, &extents);
    if (value) hlo_parcel_describe(frame, value);
    hlo_free(extents.v);
    return !head->has_data;
}

static uint32_t rank_of_edge(const hlo_remote *remote, uint32_t edge) {
    const hlo_graph *graph = remote->run->graph;
    HLO_ASSERT(edge < graph->recvs.n);
    uint32_t device = graph->nodes.v[graph->recvs.v[edge]].device;
    return hlo_world_rank_of(remote->world, graph->device_count, device);
}

void hlo_remote_send(hlo_remote *remote, uint32_t edge, hlo_tag tag, hlo_value *value) {
    HLO_ASSERT_LOCKED(&remote->run->lock);
    HLO_ASSERT(!*remote->posted_end);
    hlo_remote_post *post = hlo_calloc(1, sizeof *post);
    hlo_remote_head head = {.kind = HLO_REMOTE_MESSAGE,
                            .from = remote->transport->rank,
                            .edge = edge,
                            .depth = tag.depth,
                            .is_dead = !value};
    post->to = rank_of_edge(remote, edge);
    post->edge = edge;
    post->frame = HLO_BUF_INIT;
    if (put_frame(&post->frame, &head, tag, value)) hlo_value_release(value);
    else post->value = value;
    *remote->posted_end = post;
    remote->posted_end = &post->next;
    remote->own->messages[post->to]++;
    hlo_doorbell_ring(&remote->bell);
}

static hlo_remote_transfer *new_transfer(hlo_remote *remote, hlo_value *value, uint32_t depth) {
    hlo_remote_transfer *transfer = hlo_calloc(1, sizeof *transfer + depth * sizeof *transfer->tag);
    transfer->value = value;
    hlo_parcel_add_extents(&transfer->extents, value);
    transfer->next = remote->transfers;
    remote->transfers = transfer;
    return transfer;
}

/* Data of one edge leave in the order of their frames. */
static void send_post(hlo_remote *remote, hlo_remote_post *post) {
    hlo_transport *transport = remote->transport;
    transport->send(transport, post->to, post->frame.data, post->frame.len);
    if (post->value) {
        hlo_remote_transfer *transfer = new_transfer(remote, post->value, 0);
        transfer->request =
            transport->begin_send(transport, post->to, post->edge, &transfer->extents);
    }
    hlo_buf_free(&post->frame);
    hlo_free(post);
}

static bool send_posts(hlo_remote *remote) {
    hlo_remote_lock(remote);
    hlo_remote_post *post = remote->posted;
    remote->posted = NULL;
    remote->posted_end = &remote->posted;
    pthread_mutex_unlock(&remote->run->lock);
    bool any = post != NULL;
    for (hlo_remote_post *next; post; post = next) {
        next = post->next;
        send_post(remote, post);
    }
    return any;
}

void hlo_remote_send_frame(hlo_remote *remote, uint32_t to, hlo_remote_kind kind, const void *text,
                           size_t bytes) {
    const hlo_remote_head head = {.kind = kind, .from = remote->transport->rank};
    hlo_buf frame = HLO_BUF_INIT;
    hlo_buf_bytes(&frame, &head, sizeof head);
    if (bytes) hlo_buf_bytes(&frame, text, bytes);
    remote->transport->send(remote->transport, to, frame.data, frame.len);
    hlo_buf_free(&frame);
}

/* ---- receiving ---- */

static void publish(hlo_remote *remote, uint32_t from, uint32_t edge, hlo_tag tag,
                    hlo_value *value) {
    hlo_execution *run = remote->run;
    hlo_remote_lock(remote);
    remote->own->messages[remote->transport->ranks + from]++;
    hlo_flow_publish(run, edge, tag, value, remote->number);
    pthread_mutex_unlock(&run->lock);
    if (atomic_load(&run->has_ready)) hlo_job_notify(run->pool);
}

static hlo_value *make_value(hlo_remote *remote, const char *description) {
    hlo_value *value = hlo_parcel_make(&remote->world->shapes, description);
    if (!value) hlo_out_of_memory_for("a message of another process");
    hlo_value_share(value);
    return value;
}

static void copy_data(const char *data, hlo_value *value) {
    hlo_extents extents = {0};
    hlo_parcel_add_extents(&extents, value);
    for (uint32_t i = 0; i < extents.n; data += extents.v[i++].bytes)
        memcpy(extents.v[i].at, data, extents.v[i].bytes);
    hlo_free(extents.v);
}

static void begin_receive(hlo_remote *remote, const hlo_remote_head *head, const char *numbers,
                          hlo_value *value) {
    hlo_remote_transfer *transfer = new_transfer(remote, value, head->depth);
    transfer->arrives = true;
    transfer->from = head->from;
    transfer->edge = head->edge;
    transfer->depth = head->depth;
    memcpy(transfer->tag, numbers, head->depth * sizeof *transfer->tag);
    transfer->request = remote->transport->begin_receive(remote->transport, head->from, head->edge,
                                                         &transfer->extents);
}

/* Nothing aligns the numbers in a frame. */
static void receive_message(hlo_remote *remote, const hlo_remote_head *head, const char *text) {
    const char *data = text + head->depth * sizeof(uint64_t);
    hlo_value *value = head->is_dead ? NULL : make_value(remote, data + head->bytes);
    if (head->has_data) {
        begin_receive(remote, head, text, value);
        return;
    }
    uint64_t *numbers = hlo_malloc((head->depth + 1u) * sizeof *numbers);
    memcpy(numbers, text, head->depth * sizeof *numbers);
    if (value) copy_data(data, value);
    publish(remote, head->from, head->edge, (hlo_tag){numbers, head->depth}, value);
    hlo_free(numbers);
}

static void hear(hlo_remote *remote, const char *bytes) {
    hlo_remote_head head;
    memcpy(&head, bytes, sizeof head);
    const char *text = bytes + sizeof head;
    switch ((hlo_remote_kind)head.kind) {
    case HLO_REMOTE_MESSAGE: receive_message(remote, &head, text); break;
    case HLO_REMOTE_REPORT: hlo_remote_receive_report(remote, head.from, text); break;
    case HLO_REMOTE_OVER: hlo_remote_be_over(remote); break;
    case HLO_REMOTE_FINISHED: hlo_remote_finish(remote, text); break;
    }
}

/* What comes after the last frame is for the next run. */
static bool receive_frames(hlo_remote *remote) {
    hlo_transport *transport = remote->transport;
    size_t count;
    bool any = false;
    for (const char *bytes; !remote->is_finished && (bytes = transport->poll(transport, &count));
         any = true)
        hear(remote, bytes);
    return any;
}

/* ---- data under way ---- */

static void end_transfer(hlo_remote *remote, hlo_remote_transfer *transfer) {
    if (transfer->arrives)
        publish(remote, transfer->from, transfer->edge, (hlo_tag){transfer->tag, transfer->depth},
                transfer->value);
    else hlo_value_release(transfer->value);
    hlo_free(transfer->extents.v);
    hlo_free(transfer);
}

static bool end_transfers(hlo_remote *remote) {
    bool any = false;
    for (hlo_remote_transfer **at = &remote->transfers; *at;) {
        hlo_remote_transfer *transfer = *at;
        if (!remote->transport->is_done(remote->transport, transfer->request)) {
            at = &transfer->next;
            continue;
        }
        *at = transfer->next;
        end_transfer(remote, transfer);
        any = true;
    }
    return any;
}

/* ---- the thread ---- */

void hlo_remote_lock(hlo_remote *remote) {
    atomic_store(&remote->needs_lock, true);
    pthread_mutex_lock(&remote->run->lock);
    atomic_store(&remote->needs_lock, false);
}

void hlo_remote_make_way(hlo_remote *remote) {
    if (!atomic_load(&remote->needs_lock)) return;
    pthread_mutex_unlock(&remote->run->lock);
    while (atomic_load(&remote->needs_lock)) sched_yield();
    pthread_mutex_lock(&remote->run->lock);
}

void hlo_remote_rest(hlo_remote *remote) {
    hlo_doorbell_ring(&remote->bell);
}

/* No node fires here that could detect a request to stop. */
static void look_for_interrupt(hlo_remote *remote) {
    if (hlo_pool_is_cancelled(remote->run->pool)) hlo_remote_be_over(remote);
}

static void exchange_frames(void *context) {
    hlo_remote *remote = context;
    for (uint32_t idle = 0; !remote->is_finished || remote->transfers;) {
        bool any = hlo_doorbell_was_rung(&remote->bell) && send_posts(remote);
        any |= receive_frames(remote);
        any |= end_transfers(remote);
        look_for_interrupt(remote);
        if (!remote->is_finished) hlo_remote_report_rest(remote);
        idle = any ? 0 : idle + 1;
        if (!any) hlo_doorbell_rest(&remote->bell, idle);
    }
    remote->transport->flush(remote->transport);
}

static void *run_thread(void *context) {
    hlo_remote *remote = context;
    if (hlo_unwind_work(remote->scope, exchange_frames, remote))
        hlo_world_fail(remote->world, "memory for messages of other processes");
    return NULL;
}

/* ---- its life ---- */

/* Whether each thread of the processes of this machine has a processor. */
static bool has_processors(const hlo_execution *run, const hlo_world *world) {
    uint64_t threads = (uint64_t)hlo_pool_threads(run->pool) + 1;
    return threads * hlo_world_neighbours(world) <= hlo_processors();
}

hlo_remote *hlo_remote_start(hlo_execution *run, hlo_world *world) {
    hlo_remote *remote = hlo_calloc(1, sizeof *remote);
    remote->run = run;
    remote->world = world;
    remote->transport = world->transport;
    remote->scope = hlo_unwind_current();
    remote->posted_end = &remote->posted;
    remote->number = atomic_fetch_add(&run->workers, 1);
    hlo_doorbell_init(&remote->bell, &run->lock, has_processors(run, world));
    hlo_remote_make_reports(remote);
    hlo_unwind_share(remote->scope);
    run->remote = remote;
    if (pthread_create(&remote->thread, NULL, run_thread, remote) != 0)
        hlo_world_fail(world, "a thread for messages of other processes");
    return remote;
}

void hlo_remote_join(hlo_remote *remote) {
    pthread_join(remote->thread, NULL);
    for (uint32_t i = 0; remote->reports && i < remote->transport->ranks; i++)
        hlo_free(remote->reports[i]);
    hlo_doorbell_destroy(&remote->bell);
    hlo_free(remote->reports);
    hlo_free(remote->own);
    hlo_free(remote->told);
    hlo_free(remote);
}
