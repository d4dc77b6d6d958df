/* Stacks of arrays: what a handle of shape opaque[] refers to. Forward loops push what their
 * gradients pop (docs/autodiff.md). Called by kernels/stacks.c, by the dataflow executor, and by
 * value.c, which frees a stack with its handle. */
#ifndef HLO_EVAL_STACK_H
#define HLO_EVAL_STACK_H

#include "eval/value.h"

/* Bytes of the elements of all stacks of a run: updated by any thread. */
typedef struct hlo_stack_memory {
    _Atomic(uint64_t) resident, peak;
} hlo_stack_memory;

typedef struct hlo_stack hlo_stack;

/* A handle of shape opaque[], with a reference for the caller; NULL without memory. `memory`
 * outlives it. */
hlo_value *hlo_stack_new(const hlo_shape *handle, hlo_stack_memory *memory);
/* Keeps the array, by a copy where its memory is not its own. One thread at a time has a handle;
 * false without memory. */
bool hlo_stack_push(hlo_value *handle, hlo_value *array);
/* The array that was pushed last, with its reference; NULL: the stack is empty. */
hlo_value *hlo_stack_pop(hlo_value *handle);
uint32_t hlo_stack_depth(const hlo_value *handle);
void hlo_stack_free(hlo_stack *stack); /* with what it still holds */

#endif
