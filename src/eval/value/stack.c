/* Stacks of arrays: see stack.h. */
#include "eval/value/stack.h"

#include <stdatomic.h>

#include "base/list.h"
#include "eval/value/swap.h"
#include "eval/value/value_memory.h"

/* One of them. */
typedef struct {
    hlo_value *array;
    hlo_swap_entry *swapped;
} stacked;

struct hlo_stack {
    HLO_LIST(stacked) arrays;
    const hlo_instr *maker;
    hlo_stack_memory *memory;
};

enum {
    AHEAD = 4, /* entries that are read before they are popped */
    /* Bytes besides the elements: the entry, twice since lists grow so, the value and what malloc
     * puts around it and its elements. */
    ENTRY = 2 * sizeof(stacked) + sizeof(hlo_value) + 64
};

static uint64_t bytes_of(const hlo_value *array) {
    return (uint64_t)hlo_shape_bytes(array->shape);
}

void hlo_stack_count(hlo_stack_memory *memory, uint64_t bytes) {
    uint64_t now = atomic_fetch_add(&memory->resident, bytes) + bytes;
    uint64_t peak = atomic_load(&memory->peak);
    if (memory->budget) atomic_fetch_add(&memory->budget->held, bytes);
    while (now > peak && !atomic_compare_exchange_weak(&memory->peak, &peak, now)) continue;
}

void hlo_stack_discount(hlo_stack_memory *memory, uint64_t bytes) {
    HLO_ASSERT(atomic_load(&memory->resident) >= bytes);
    atomic_fetch_sub(&memory->resident, bytes);
    if (memory->budget) atomic_fetch_sub(&memory->budget->held, bytes);
}

bool hlo_stack_exceeds(const hlo_stack_memory *memory) {
    const hlo_stack_budget *budget = memory->budget;
    return budget && atomic_load_explicit(&budget->held, memory_order_relaxed) > budget->limit;
}

/* An entry more. */
static void count_entry(const hlo_stack_memory *memory) {
    if (memory->budget) atomic_fetch_add(&memory->budget->held, ENTRY);
}

static void discount_entry(const hlo_stack_memory *memory) {
    HLO_ASSERT(!memory->budget || atomic_load(&memory->budget->held) >= ENTRY);
    if (memory->budget) atomic_fetch_sub(&memory->budget->held, ENTRY);
}

hlo_value *hlo_stack_new(const hlo_instr *maker, const hlo_shape *handle,
                         hlo_stack_memory *memory) {
    hlo_value *value = hlo_value_new(handle);
    hlo_stack *stack = value ? hlo_try_malloc(sizeof *stack) : NULL;
    if (!stack) {
        hlo_value_release(value);
        return NULL;
    }
    *stack = (hlo_stack){.maker = maker, .memory = memory};
    value->data = stack;
    return value;
}

/* ---- pushing ---- */

/* Memory of a frame serves something else later, and borrowed memory may change. */
static hlo_value *kept_array(hlo_value *array) {
    const hlo_value *owner = array->base ? array->base : array;
    hlo_value_retain(array);
    return owner->is_placed || owner->borrowed ? hlo_value_copy(array) : array;
}

/* Swapping one that others use, too, would free nothing; run-time sizes stay in memory. */
static hlo_value *own_array(hlo_value *array) {
    return array->base || array->refs > 1 ? hlo_value_copy(array) : array;
}

static bool is_swapped(const hlo_stack *stack, const hlo_value *array) {
    HLO_ASSERT(hlo_shape_is_array(array->shape));
    return stack->memory->swap && !array->sizes && bytes_of(array) >= HLO_SWAP_LEAST;
}

bool hlo_stack_push(hlo_value *handle, hlo_value *array) {
    hlo_stack *stack = handle->data;
    HLO_ASSERT(handle->shape->type == HLO_OPAQUE && stack);
    stacked kept = {.array = kept_array(array)};
    if (!kept.array) return false;
    bool is_shared = handle->is_shared;
    if (is_swapped(stack, kept.array)) {
        kept.array = own_array(kept.array);
        if (kept.array) kept.swapped = hlo_swap_put(stack->memory->swap, kept.array, stack->maker);
        kept.array = NULL;
        if (!kept.swapped) return false;
    } else {
        hlo_stack_count(stack->memory, bytes_of(kept.array));
        if (is_shared) hlo_value_share(kept.array);
    }
    hlo_list_push(&stack->arrays, kept);
    count_entry(stack->memory);
    return !hlo_stack_exceeds(stack->memory);
}

/* ---- popping ---- */

static hlo_value *take_top(const hlo_stack *stack, stacked top) {
    discount_entry(stack->memory);
    if (top.swapped) return hlo_swap_take(stack->memory->swap, top.swapped);
    hlo_stack_discount(stack->memory, bytes_of(top.array));
    return top.array;
}

static void read_ahead(const hlo_stack *stack) {
    for (uint32_t i = 0; i < AHEAD && i < stack->arrays.n; i++) {
        const stacked *entry = &stack->arrays.v[stack->arrays.n - 1 - i];
        if (entry->swapped) hlo_swap_expect(stack->memory->swap, entry->swapped);
    }
}

hlo_value *hlo_stack_pop(hlo_value *handle) {
    hlo_stack *stack = handle->data;
    HLO_ASSERT(handle->shape->type == HLO_OPAQUE && stack);
    if (!stack->arrays.n) return NULL;
    hlo_value *array = take_top(stack, hlo_list_pop(&stack->arrays));
    if (stack->memory->swap) read_ahead(stack);
    if (array && handle->is_shared) hlo_value_share(array);
    return array;
}

uint32_t hlo_stack_depth(const hlo_value *handle) {
    const hlo_stack *stack = handle->data;
    HLO_ASSERT(handle->shape->type == HLO_OPAQUE && stack);
    return stack->arrays.n;
}

int hlo_stack_error(const hlo_value *handle, const char **directory) {
    const hlo_stack *stack = handle->data;
    const hlo_swap *swap = stack->memory->swap;
    if (swap) *directory = hlo_swap_directory(swap);
    return swap ? hlo_swap_error(swap) : 0;
}

void hlo_stack_free(hlo_stack *stack) {
    for (uint32_t i = 0; i < stack->arrays.n; i++) {
        stacked entry = stack->arrays.v[i];
        if (!entry.swapped) {
            hlo_value_release(take_top(stack, entry));
            continue;
        }
        discount_entry(stack->memory);
        hlo_swap_drop(stack->memory->swap, entry.swapped);
    }
    hlo_list_free(&stack->arrays);
    hlo_free(stack);
}
