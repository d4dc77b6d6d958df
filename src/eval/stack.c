/* Stacks of arrays: see stack.h. */
#include "eval/stack.h"

#include <stdatomic.h>

#include "base/list.h"
#include "eval/value_memory.h"

struct hlo_stack {
    HLO_LIST(hlo_value *) arrays;
    hlo_stack_memory *memory;
};

static uint64_t bytes_of(const hlo_value *array) {
    return (uint64_t)hlo_shape_bytes(array->shape);
}

static void add_resident(hlo_stack_memory *memory, uint64_t bytes) {
    uint64_t now = atomic_fetch_add(&memory->resident, bytes) + bytes;
    uint64_t peak = atomic_load(&memory->peak);
    while (now > peak && !atomic_compare_exchange_weak(&memory->peak, &peak, now)) continue;
}

hlo_value *hlo_stack_new(const hlo_shape *handle, hlo_stack_memory *memory) {
    hlo_value *value = hlo_value_new(handle);
    hlo_stack *stack = value ? hlo_try_malloc(sizeof *stack) : NULL;
    if (!stack) {
        hlo_value_release(value);
        return NULL;
    }
    *stack = (hlo_stack){.memory = memory};
    value->data = stack;
    return value;
}

/* Memory of a frame serves something else later, and borrowed memory may change. */
static hlo_value *kept_array(hlo_value *array) {
    const hlo_value *owner = array->base ? array->base : array;
    hlo_value_retain(array);
    return owner->is_placed || owner->borrowed ? hlo_value_copy(array) : array;
}

bool hlo_stack_push(hlo_value *handle, hlo_value *array) {
    hlo_stack *stack = handle->data;
    hlo_value *kept = kept_array(array);
    if (!kept) return false;
    if (handle->is_shared) hlo_value_share(kept);
    hlo_list_push(&stack->arrays, kept);
    add_resident(stack->memory, bytes_of(kept));
    return true;
}

hlo_value *hlo_stack_pop(hlo_value *handle) {
    hlo_stack *stack = handle->data;
    if (!stack->arrays.n) return NULL;
    hlo_value *array = stack->arrays.v[--stack->arrays.n];
    atomic_fetch_sub(&stack->memory->resident, bytes_of(array));
    return array;
}

uint32_t hlo_stack_depth(const hlo_value *handle) {
    const hlo_stack *stack = handle->data;
    return stack->arrays.n;
}

void hlo_stack_free(hlo_stack *stack) {
    for (uint32_t i = 0; i < stack->arrays.n; i++) {
        atomic_fetch_sub(&stack->memory->resident, bytes_of(stack->arrays.v[i]));
        hlo_value_release(stack->arrays.v[i]);
    }
    hlo_list_free(&stack->arrays);
    hlo_free(stack);
}
