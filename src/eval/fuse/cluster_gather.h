/* Gathered rows as sources of a cluster: rows of one operand, at starts that another one has, are
 * read where they are. */
#ifndef HLO_EVAL_FUSE_CLUSTER_GATHER_H
#define HLO_EVAL_FUSE_CLUSTER_GATHER_H

#include "eval/kernels/moves/indexed_windows.h"
#include "eval/kernels/moves/move_kernels.h"

typedef struct {
    uint32_t operand, indices; /* operands of the fusion */
    uint32_t bytes;            /* of an element */
    int64_t row, count;        /* elements of a row; how many rows */
    hlo_indexed_windows windows;
} hlo_cluster_gather;

/* Whether the gather's result is rows one after the other, each of them neighbours in the operand,
 * and long enough to be copied one by one. Its shapes are arrays of fixed sizes. */
bool hlo_cluster_gathers_rows(const hlo_instr *gather);
/* Such a gather, but for the numbers of operands. */
const hlo_cluster_gather *hlo_cluster_gather_of(hlo_arena *arena, const hlo_instr *gather,
                                                uint32_t operand, uint32_t indices);
/* The n elements of the result from number `at` on. */
void hlo_cluster_take_gathered(const hlo_cluster_gather *gather, const hlo_call *call, char *to,
                               int64_t at, size_t n);

#endif
