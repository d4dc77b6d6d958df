/* Scratch memory for the pieces of one hlo_parallel: a part for each thread, or only one where
 * there is but one piece and a part for each thread would be too much. */
#ifndef HLO_EVAL_KERNEL_WORK_MEMORY_H
#define HLO_EVAL_KERNEL_WORK_MEMORY_H

#include "eval/kernel/kernel.h"

typedef struct {
    bool is_one; /* there is one piece */
    size_t at;   /* then: its offset in the kernel's scratch memory */
} hlo_work_memory;

/* Reserves `bytes` for every piece. A kernel has at most one with several pieces. */
static inline hlo_work_memory hlo_prepare_work(hlo_preparation *p, size_t bytes, bool is_one) {
    if (is_one) return (hlo_work_memory){true, hlo_prepare_scratch(p, bytes)};
    p->piece_bytes = bytes;
    return (hlo_work_memory){0};
}

/* A piece takes its memory once, aligned to 64, and leaves it at its end. */
static inline void *hlo_work_take(const hlo_work_memory *work, const hlo_call *call) {
    HLO_ASSERT(!work->is_one || call->scratch);
    return work->is_one ? (char *)call->scratch + work->at : hlo_piece_take(call);
}

static inline void hlo_work_leave(const hlo_work_memory *work, const hlo_call *call, void *memory) {
    if (!work->is_one) hlo_piece_leave(call, memory);
}

#endif
