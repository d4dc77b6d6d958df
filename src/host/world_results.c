/* Results of devices that other processes of the job executed: they go to rank 0, which has all of
 * them then. */
#include "eval/comm/parcel.h"
#include "host/run.h"

/* That of whichever device comes first. */
static hlo_status receive_result(hlo_run *run, hlo_diags *diags) {
    hlo_transport *transport = run->world->transport;
    const hlo_posted_parcel posted = hlo_parcel_await(transport);
    hlo_run *one = hlo_run_of_device(run, posted.number);
    hlo_value *result = hlo_parcel_take(transport, &posted, &one->result_shapes);
    return hlo_run_keep_result(one, result, diags);
}

hlo_status hlo_run_bring_results(hlo_run *run, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    uint32_t here = run->last - run->first;
    if (hlo_world_rank(run->world)) {
        for (uint32_t d = run->first; d < run->last; d++)
            hlo_parcel_post(run->world->transport, 0, d, hlo_run_of_device(run, d)->result);
    } else {
        /* All are taken, even after an error in one: their senders wait for that. */
        for (uint32_t n = here; n < run->device_count; n++) {
            hlo_status one = receive_result(run, diags);
            if (status == HLO_OK) status = one;
        }
    }
    run->world->transport->flush(run->world->transport);
    return hlo_world_agree(run->world, status, NULL);
}
