/* Scratch memory for the pieces of a hlo_parallel: as many parts as threads may run at once. */
#ifndef HLO_EVAL_PROGRAM_PIECES_H
#define HLO_EVAL_PROGRAM_PIECES_H

#include <stdatomic.h>

#include "base/pool.h"

typedef struct hlo_pieces {
    size_t scratch_bytes, piece_bytes; /* multiples of 64 */
    uint32_t count;
    char *first;
    atomic_flag *taken; /* by part */
} hlo_pieces;

static inline size_t hlo_pieces_round(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* How much memory takes scratch of a kernel and that of its pieces on so many threads. */
static inline size_t hlo_pieces_plan(hlo_pieces *pieces, size_t scratch_bytes, size_t piece_bytes,
                                     uint32_t threads) {
    pieces->count = piece_bytes ? threads : 0;
    pieces->scratch_bytes = hlo_pieces_round(scratch_bytes);
    pieces->piece_bytes = hlo_pieces_round(piece_bytes);
    return pieces->scratch_bytes + pieces->count * (pieces->piece_bytes + sizeof(atomic_flag));
}

static inline void hlo_pieces_start(hlo_pieces *pieces, char *memory) {
    HLO_ASSERT((uintptr_t)memory % 64 == 0 || (!pieces->count && !pieces->scratch_bytes));
    pieces->first = memory + pieces->scratch_bytes;
    pieces->taken = (atomic_flag *)(pieces->first + pieces->count * pieces->piece_bytes);
    for (uint32_t i = 0; i < pieces->count; i++)
        atomic_flag_clear_explicit(&pieces->taken[i], memory_order_relaxed);
}

#endif
