/* Devices: making, rewinding. */
#include "eval/run/device.h"

#include <errno.h>
#include <string.h>

#include "eval/program/plan.h"
#include "eval/value/swap.h"

hlo_device *hlo_device_new(const hlo_program *program, const hlo_device_options *options) {
    hlo_device *device = hlo_calloc(1, sizeof *device);
    device->program = program;
    if (options) device->options = *options;
    device->stacks.budget = device->options.stack_budget;
    device->progress = device->options.progress ? device->options.progress : &device->own_progress;
    atomic_store(&device->progress->count, program->plans[0]->count);
    hlo_device_rewind(device);
    return device;
}

/* What was sent and never received belongs to the run: the next one starts with empty channels. */
static void clear_channels(hlo_device *device) {
    for (uint32_t i = 0; i < device->sent.n; i++) hlo_value_release(device->sent.v[i].value);
    device->sent.n = 0;
}

void hlo_device_free(hlo_device *device) {
    if (!device) return;
    clear_channels(device);
    hlo_list_free(&device->sent);
    hlo_list_free(&device->started);
    hlo_list_free(&device->outgoing);
    hlo_swap_free(device->stacks.swap);
    hlo_free(device);
}

void hlo_device_abandon(hlo_device *device) {
    hlo_swap_free(device->stacks.swap);
    device->stacks.swap = NULL;
}

bool hlo_device_open_swap(hlo_device *device, hlo_diags *diags) {
    const hlo_device_options *options = &device->options;
    if (!options->swap_directory) return true;
    device->stacks.swap =
        hlo_swap_new(&device->stacks, options->swap_threshold, options->swap_directory);
    if (device->stacks.swap) return true;
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot make a swap file in %s: %s",
              options->swap_directory, strerror(errno));
    return false;
}

void hlo_device_rewind(hlo_device *device) {
    atomic_store(&device->stacks.peak, atomic_load(&device->stacks.resident));
    clear_channels(device);
    for (uint32_t i = 0; i < device->outgoing.n; i++)
        hlo_value_release(device->outgoing.v[i].value);
    device->started.n = device->outgoing.n = 0;
    device->is_over = false;
    device->rng_state[0] = device->options.seed;
    device->rng_state[1] = 0;
    device->rng_calls = 0;
}

bool hlo_device_flush(hlo_device *device) {
    bool good = true;
    for (uint32_t i = 0; i < device->outgoing.n; i++) {
        const hlo_outgoing *message = &device->outgoing.v[i];
        good = hlo_comm_send(device->comm, &message->address, message->value) && good;
    }
    device->outgoing.n = 0;
    return good;
}

void hlo_device_connect(hlo_device *device, hlo_comm *comm) {
    device->comm = comm;
}

void hlo_device_end(hlo_device *device) {
    device->is_over = true;
}
