/* Large blocks of memory that come and go: freed ones are kept for the next taker, since the system
 * needs longer to hand out fresh pages than most kernels to fill them. Called by the evaluator's
 * values and kernels. Safe to call from any thread. */
#ifndef HLO_BASE_BLOCKS_H
#define HLO_BASE_BLOCKS_H

#include <stddef.h>

#include "base/unwind.h"

/* Uninitialised, aligned to 64 bytes; NULL when the memory is not there. */
void *hlo_block_new(size_t bytes);
/* NULL is fine. What is kept and what is in use never exceed, together, what was once in use by
 * more than 32 MiB; when nothing is in use any more, nothing is kept. */
void hlo_block_free(void *block);

/* As hlo_keep. */
void hlo_block_keep(void *block);

/* For unwind.c: the block whose link this is. */
void hlo_block_free_linked(hlo_link *link);

/* memset to 0, on several threads where it pays. */
void hlo_zero_bytes(void *memory, size_t bytes);

/* For scratch memory: these do not return NULL (see hlo_out_of_memory). */
void *hlo_scratch_new(size_t bytes);
void *hlo_scratch_zeros(size_t bytes);

#endif
