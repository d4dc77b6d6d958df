/* Arrays of stacks that are kept in a file while they are far from being popped, so that those in
 * memory are bounded (Implementation of Control Flow in TensorFlow, 2017, section 7.2;
 * docs/dataflow.md). A separate thread writes and reads. */
#ifndef HLO_EVAL_VALUE_SWAP_H
#define HLO_EVAL_VALUE_SWAP_H

#include "eval/value/value.h"

struct hlo_stack_memory;
typedef struct hlo_swap hlo_swap;
typedef struct hlo_swap_entry hlo_swap_entry;

enum { HLO_SWAP_LEAST = 4096 }; /* bytes: smaller arrays stay in memory */

/* Above `threshold` bytes of `memory`, the oldest arrays go to an unnamed file in `directory`. NULL
 * with errno set. */
hlo_swap *hlo_swap_new(struct hlo_stack_memory *memory, uint64_t threshold, const char *directory);
void hlo_swap_free(hlo_swap *swap); /* no entry may be left. NULL is fine */

/* After an array of a stack was written (`is_out`) or read, which began at `since` (hlo_clock):
 * from the thread of the file, with its lock. */
typedef void hlo_swap_observer(void *context, const hlo_instr *stack, bool is_out, uint64_t bytes,
                               uint64_t since);
/* NULL: no observer from now on. A swap that is NULL is fine. */
void hlo_swap_observe(hlo_swap *swap, hlo_swap_observer *observe, void *context);

/* These return NULL, or false, after an error of the file, an errno in hlo_swap_error, or without
 * memory for a value. */

/* Takes over the reference to the array; `stack` is for observers. Waits while far more is in
 * memory than the threshold. */
hlo_swap_entry *hlo_swap_put(hlo_swap *swap, hlo_value *array, const hlo_instr *stack);
/* The array with its reference; the entry is gone. */
hlo_value *hlo_swap_take(hlo_swap *swap, hlo_swap_entry *entry);
/* The entry will be taken soon: reads it if it is in the file and there is space. */
void hlo_swap_expect(hlo_swap *swap, hlo_swap_entry *entry);
void hlo_swap_drop(hlo_swap *swap, hlo_swap_entry *entry);

int hlo_swap_error(const hlo_swap *swap);
const char *hlo_swap_directory(const hlo_swap *swap);

#endif
