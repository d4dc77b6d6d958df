/* Devices, and what kernels may ask of the one that they run on. Called by whoever runs programs,
 * and by kernels through kernel_device.h. */
#include "eval/device.h"

#include "eval/frame.h"
#include "eval/kernel_device.h"

hlo_device *hlo_device_new(const hlo_program *program, const hlo_device_options *options) {
    hlo_device *device = hlo_calloc(1, sizeof *device);
    device->program = program;
    if (options) device->options = *options;
    hlo_device_rewind(device);
    return device;
}

static void clear_channels(hlo_device *device) {
    for (uint32_t i = 0; i < device->sent_count; i++) hlo_value_release(device->sent[i].value);
    device->sent_count = 0;
}

void hlo_device_free(hlo_device *device) {
    if (!device) return;
    clear_channels(device);
    hlo_free(device->sent);
    hlo_free(device);
}

void hlo_device_rewind(hlo_device *device) {
    clear_channels(device);
    device->is_over = false;
    device->rng_state[0] = device->options.seed;
    device->rng_state[1] = 0;
    device->rng_calls = 0;
}

void hlo_device_end(hlo_device *device) {
    device->is_over = true;
}

hlo_device_progress hlo_device_get_progress(const hlo_device *device) {
    const hlo_plan *plan = device->program->plans[0];
    const hlo_plan_step *at = atomic_load_explicit(&device->at, memory_order_relaxed);
    if (!at) return (hlo_device_progress){0};
    return (hlo_device_progress){(uint32_t)(at - plan->steps), plan->count, at->instr};
}

/* ---- for kernels ---- */

uint32_t hlo_call_replica(const hlo_call *call) {
    const hlo_device *device = call->thread->device;
    return device->options.number / device->program->options.partitions;
}

uint32_t hlo_call_partition(const hlo_call *call) {
    const hlo_device *device = call->thread->device;
    return device->options.number % device->program->options.partitions;
}

uint64_t *hlo_call_rng_state(const hlo_call *call) {
    return call->thread->device->rng_state;
}

hlo_rng_stream hlo_call_rng_stream(const hlo_call *call) {
    hlo_device *device = call->thread->device;
    uint64_t key = device->options.seed ^ (uint64_t)device->options.number << 32;
    return (hlo_rng_stream){key, device->rng_calls++};
}

void hlo_call_send(const hlo_call *call, int64_t channel, hlo_value *value) {
    hlo_device *device = call->thread->device;
    if (device->sent_count == device->sent_capacity) {
        device->sent_capacity = device->sent_capacity ? 2 * device->sent_capacity : 8;
        device->sent = hlo_realloc(device->sent, device->sent_capacity * sizeof *device->sent);
    }
    device->sent[device->sent_count++] = (hlo_sent){channel, hlo_value_retain(value)};
}

hlo_value *hlo_call_receive(const hlo_call *call, int64_t channel) {
    hlo_device *device = call->thread->device;
    for (uint32_t i = 0; i < device->sent_count; i++) {
        if (device->sent[i].channel != channel) continue;
        hlo_value *value = device->sent[i].value;
        device->sent_count--;
        memmove(device->sent + i, device->sent + i + 1,
                (device->sent_count - i) * sizeof *device->sent);
        return value;
    }
    return NULL;
}

hlo_value *hlo_call_take_from_host(const hlo_call *call, const hlo_shape *shape) {
    const hlo_device_options *options = &call->thread->device->options;
    return options->take(options->host_context, call->instr, shape);
}

bool hlo_call_give_to_host(const hlo_call *call, hlo_value *value) {
    const hlo_device_options *options = &call->thread->device->options;
    return options->give(options->host_context, call->instr, value);
}
