/* Stacks of arrays: what a handle of shape opaque[] refers to. Forward loops push what their
 * gradients pop (docs/dataflow.md). */
#ifndef HLO_EVAL_VALUE_STACK_H
#define HLO_EVAL_VALUE_STACK_H

#include "eval/value/value.h"

struct hlo_swap;
struct hlo_swap_entry;

/* What the stacks of all devices of a run may hold, and hold: elements and what holds them. */
typedef struct hlo_stack_budget {
    uint64_t limit;
    uint32_t devices;
    _Atomic(uint64_t) held;
} hlo_stack_budget;

/* Bytes of the elements of all stacks of a device that are in memory: updated by any thread. */
typedef struct hlo_stack_memory {
    _Atomic(uint64_t) resident, peak;
    hlo_stack_budget *budget; /* NULL: there is no limit */
    struct hlo_swap *swap;    /* where those go that are too many; NULL: nowhere */
} hlo_stack_memory;

/* So many bytes more are in memory, or fewer. */
void hlo_stack_count(hlo_stack_memory *memory, uint64_t bytes);
void hlo_stack_discount(hlo_stack_memory *memory, uint64_t bytes);
/* The stacks hold more than they may. */
bool hlo_stack_exceeds(const hlo_stack_memory *memory);

typedef struct hlo_stack hlo_stack;

/* A handle of shape opaque[], with a reference for the caller; NULL without memory. `memory` and
 * `maker`, which observers see, outlive it. */
hlo_value *hlo_stack_new(const hlo_instr *maker, const hlo_shape *handle, hlo_stack_memory *memory);
/* Keeps the array, by a copy where its memory is not its own. One thread at a time has a handle;
 * false without memory, beyond the budget, or after an error of the swap file. */
bool hlo_stack_push(hlo_value *handle, hlo_value *array);
/* The array that was pushed last, with its reference; NULL when the stack is empty, or after an
 * error of the swap file. */
hlo_value *hlo_stack_pop(hlo_value *handle);
uint32_t hlo_stack_depth(const hlo_value *handle);
/* The errno of the swap file, and its directory; 0: there was no error. */
int hlo_stack_error(const hlo_value *handle, const char **directory);
void hlo_stack_free(hlo_stack *stack); /* with what it still holds */

#endif
