/* Large blocks of memory that come and go: freed ones are kept for the next taker, since the system
 * needs longer to hand out fresh pages than most kernels to fill them. Safe to call from any
 * thread. */
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

/* Parts of a block that come and go: AddressSanitizer reports what reads or writes one that is
 * closed. Each is followed by HLO_PLACE_GUARD unused bytes. */
#if defined __SANITIZE_ADDRESS__
enum { HLO_PLACE_GUARD = 64 };
void __asan_poison_memory_region(void const volatile *at, size_t bytes);
void __asan_unpoison_memory_region(void const volatile *at, size_t bytes);
static inline void hlo_place_close(void *at, size_t bytes) {
    __asan_poison_memory_region(at, bytes);
}
static inline void hlo_place_open(void *at, size_t bytes) {
    __asan_unpoison_memory_region(at, bytes);
}
#else
enum { HLO_PLACE_GUARD = 0 };
static inline void hlo_place_close(void *at, size_t bytes) {
    (void)at;
    (void)bytes;
}
static inline void hlo_place_open(void *at, size_t bytes) {
    (void)at;
    (void)bytes;
}
#endif

/* memset to 0, on several threads where it pays. */
void hlo_zero_bytes(void *memory, size_t bytes);

/* For scratch memory: these do not return NULL (see hlo_out_of_memory). */
void *hlo_scratch_new(size_t bytes);
void *hlo_scratch_zeros(size_t bytes);

#endif
