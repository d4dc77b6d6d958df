/* Results of a process on their way to another one, between executions: see parcel.h. A frame with
 * number, sender and description goes first, and then the data. */
#include <sched.h>

#include "eval/comm/parcel.h"

static void await(hlo_transport *transport, hlo_request *transfer) {
    while (!transport->is_done(transport, transfer)) sched_yield();
}

void hlo_parcel_post(hlo_transport *transport, uint32_t to, uint32_t number,
                     const hlo_value *value) {
    hlo_buf frame = HLO_BUF_INIT;
    hlo_extents extents = {0};
    hlo_buf_bytes(&frame, &number, sizeof number);
    hlo_buf_bytes(&frame, &transport->rank, sizeof transport->rank);
    hlo_parcel_describe(&frame, value);
    hlo_parcel_add_extents(&extents, value);
    transport->send(transport, to, frame.data, frame.len);
    await(transport, transport->begin_send(transport, to, number, &extents));
    hlo_free(extents.v);
    hlo_buf_free(&frame);
}

hlo_posted_parcel hlo_parcel_await(hlo_transport *transport) {
    hlo_posted_parcel posted;
    const char *frame;
    size_t count;
    while (!(frame = transport->poll(transport, &count))) sched_yield();
    memcpy(&posted.number, frame, sizeof posted.number);
    memcpy(&posted.from, frame + sizeof posted.number, sizeof posted.from);
    posted.description = frame + sizeof posted.number + sizeof posted.from;
    return posted;
}

hlo_value *hlo_parcel_take(hlo_transport *transport, const hlo_posted_parcel *posted,
                           hlo_shapes_table *shapes) {
    hlo_extents extents = {0};
    hlo_value *value = hlo_parcel_make(shapes, posted->description);
    if (!value) hlo_out_of_memory_for("the results of other processes");
    hlo_parcel_add_extents(&extents, value);
    await(transport, transport->begin_receive(transport, posted->from, posted->number, &extents));
    hlo_free(extents.v);
    return value;
}
