/* Blocks of rows of a result that several shares of work compute: which of them is the last one of
 * its block. */
#ifndef HLO_EVAL_KERNEL_BLOCK_COUNTS_H
#define HLO_EVAL_KERNEL_BLOCK_COUNTS_H

#include <stdatomic.h>

#include "eval/kernel/kernel.h"

typedef struct {
    int64_t blocks, shares; /* shares: of a block */
    int64_t early;          /* blocks that are handed on; those after it are too late: threads
                             * would wait for the one that goes on with the last */
    size_t at;              /* in scratch memory: how many are complete, of each early block */
} hlo_block_counts;

/* A share costs about so many nanoseconds, and what follows a block as many as half its elements.
 */
static inline hlo_block_counts hlo_prepare_block_counts(hlo_preparation *p, int64_t blocks,
                                                        int64_t shares, int64_t share_cost,
                                                        int64_t elements) {
    HLO_ASSERT(blocks >= 0 && shares > 0 && share_cost > 0);
    hlo_block_counts c = {.blocks = blocks, .shares = shares};
    int64_t late = 1 + elements / 2 / (shares * share_cost);
    c.early = late < blocks ? blocks - late : 0;
    c.at = hlo_prepare_scratch(p, (size_t)c.early * sizeof(_Atomic int64_t));
    return c;
}

static inline _Atomic int64_t *hlo_block_counts_at(const hlo_block_counts *c,
                                                   const hlo_call *call) {
    HLO_ASSERT(c->at % _Alignof(_Atomic int64_t) == 0);
    return (_Atomic int64_t *)((char *)call->scratch + c->at);
}

static inline void hlo_start_block_counts(const hlo_block_counts *c, const hlo_call *call) {
    for (int64_t b = 0; b < c->early; b++) atomic_init(&hlo_block_counts_at(c, call)[b], 0);
}

/* A share of the block is complete: true for the last one of an early block, which then sees what
 * the others wrote. */
static inline bool hlo_count_share(const hlo_block_counts *c, const hlo_call *call, int64_t block) {
    HLO_ASSERT(block >= 0 && block < c->blocks);
    return block < c->early &&
           atomic_fetch_add(&hlo_block_counts_at(c, call)[block], 1) + 1 == c->shares;
}

#endif
