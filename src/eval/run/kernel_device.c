/* What kernels may ask of the device that they run on: see kernel_device.h. */
#include "eval/kernel/kernel_device.h"

#include "eval/run/frame.h"

static uint32_t place_of_device(const hlo_device *device) {
    return hlo_assigned_place(&device->program->options.assignment, device->options.number);
}

uint32_t hlo_call_replica(const hlo_call *call) {
    const hlo_device *device = call->thread->device;
    return place_of_device(device) / device->program->options.partitions;
}

hlo_stack_memory *hlo_call_stack_memory(const hlo_call *call) {
    return &call->thread->device->stacks;
}

void hlo_call_advise(const hlo_call *call, hlo_advice advice) {
    hlo_advise(call->thread->diags, advice);
}

uint32_t hlo_call_partition(const hlo_call *call) {
    const hlo_device *device = call->thread->device;
    return place_of_device(device) % device->program->options.partitions;
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
    hlo_list_push(&device->sent, (hlo_sent){channel, hlo_value_retain(value)});
}

hlo_value *hlo_call_receive(const hlo_call *call, int64_t channel) {
    hlo_device *device = call->thread->device;
    for (uint32_t i = 0; i < device->sent.n; i++) {
        if (device->sent.v[i].channel != channel) continue;
        hlo_value *value = device->sent.v[i].value;
        device->sent.n--;
        memmove(device->sent.v + i, device->sent.v + i + 1,
                (device->sent.n - i) * sizeof *device->sent.v);
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
