/* Results of devices that other processes of the job executed: they go to rank 0, which has all of
 * them then. Called by devices.c between executions, when no other thread talks to the others. */
#include <sched.h>

#include "eval/comm/parcel.h"
#include "run/run.h"

/* ---- what the processes tell each other: a frame of the device's number and the description, and
 * then the data ---- */

static void await(hlo_transport *transport, hlo_request *transfer) {
    while (!transport->is_done(transport, transfer)) sched_yield();
}

static void send_result(hlo_run *run, uint32_t device) {
    hlo_transport *transport = run->world->transport;
    const hlo_value *result = hlo_run_of_device(run, device)->result;
    hlo_buf frame = HLO_BUF_INIT;
    hlo_extents extents = {0};
    hlo_buf_bytes(&frame, &device, sizeof device);
    hlo_parcel_describe(&frame, result);
    hlo_parcel_add_extents(&extents, result);
    transport->send(transport, 0, frame.data, frame.len);
    await(transport, transport->begin_send(transport, 0, device, &extents));
    hlo_free(extents.v);
    hlo_buf_free(&frame);
}

static const char *await_frame(hlo_transport *transport) {
    const char *frame;
    size_t count;
    while (!(frame = transport->poll(transport, &count))) sched_yield();
    return frame;
}

/* That of whichever device comes first. */
static hlo_status receive_result(hlo_run *run, hlo_diags *diags) {
    hlo_transport *transport = run->world->transport;
    const char *frame = await_frame(transport);
    hlo_extents extents = {0};
    uint32_t device;
    memcpy(&device, frame, sizeof device);
    hlo_run *one = hlo_run_of_device(run, device);
    hlo_value *result = hlo_parcel_make(&one->result_shapes, frame + sizeof device);
    if (!result) hlo_out_of_memory_for("the results of other processes");
    hlo_parcel_add_extents(&extents, result);
    uint32_t from = hlo_world_rank_of(run->world, run->device_count, device);
    await(transport, transport->begin_receive(transport, from, device, &extents));
    hlo_free(extents.v);
    return hlo_run_keep_result(one, result, diags);
}

hlo_status hlo_run_bring_results(hlo_run *run, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    uint32_t here = run->last - run->first;
    if (hlo_world_rank(run->world)) {
        for (uint32_t d = run->first; d < run->last; d++) send_result(run, d);
    } else {
        /* All are taken, whatever becomes of one: their senders wait for that. */
        for (uint32_t n = here; n < run->device_count; n++) {
            hlo_status one = receive_result(run, diags);
            if (status == HLO_OK) status = one;
        }
    }
    run->world->transport->flush(run->world->transport);
    return hlo_world_agree(run->world, status, NULL);
}
