/* The inside of a cluster: registers of one tile each and the steps that fill them. Made by
 * cluster_compile.c, run by cluster.c; cluster_role.c says of what. */
#ifndef HLO_EVAL_KERNELS_CLUSTER_PROGRAM_H
#define HLO_EVAL_KERNELS_CLUSTER_PROGRAM_H

#include "eval/kernels/cluster.h"
#include "eval/kernels/lanes.h"
#include "eval/kernels/work_memory.h"

/* Where the lanes of a register are while a tile is computed. */
typedef enum {
    HLO_IN_MEMORY,  /* at an offset of the piece's memory */
    HLO_IN_OPERAND, /* in the operand itself, at the tile's elements */
    HLO_IN_RESULT   /* in a leaf of the result, at the tile's elements */
} hlo_cluster_place;

typedef struct {
    hlo_type type;
    hlo_cluster_place place;
    uint32_t number; /* of the operand or leaf */
    size_t at;       /* offset in memory */
} hlo_cluster_register;

/* What element of its source lane i of the cluster takes: number (i / inner) % count. Of the
 * cluster's own elements inner is 1 and count is their number; of a scalar count is 1. */
typedef struct {
    int64_t inner, count;
} hlo_cluster_view;

/* Elements of an operand: its rows from `first` on, `size` of each dimension, the last one of
 * neighbours. */
enum { HLO_CLUSTER_DIMS = 6 };
typedef struct {
    uint32_t rank; /* at least 1 */
    int64_t first, size[HLO_CLUSTER_DIMS], stride[HLO_CLUSTER_DIMS];
} hlo_cluster_rows;

typedef enum {
    HLO_CLUSTER_LANES,  /* an elementwise instruction */
    HLO_CLUSTER_SPREAD, /* elements of an operand, or of a constant, by the view */
    HLO_CLUSTER_ROWS,   /* rows of an operand */
    HLO_CLUSTER_COUNT   /* the numbers of the elements (iota), by the view */
} hlo_cluster_work;

typedef struct {
    hlo_cluster_work work;
    uint32_t in[HLO_LANES_MAX_OPERANDS], out; /* registers */
    hlo_lanes lanes;                          /* LANES; COUNT: the conversion from s64 */
    hlo_cluster_view view;
    hlo_cluster_rows rows; /* ROWS */
    uint32_t operand;      /* SPREAD, ROWS */
    const void *constant;  /* SPREAD: its element in place of an operand */
} hlo_cluster_step;

struct hlo_cluster {
    int64_t elements;
    size_t tile; /* elements that are computed at a time */
    uint32_t register_count, step_count, result_count;
    uint32_t first_of_tile; /* steps before it have the same lanes in every tile */
    hlo_cluster_register *registers;
    hlo_cluster_step *steps;
    bool streams;         /* the leaves go past the caches, a tile at a time */
    uint32_t *results;    /* the register of each leaf */
    hlo_work_memory work; /* of a piece: pointers to the registers' lanes, then memory */
};

/* The elements after dimension d. */
static inline int64_t hlo_elements_after(const hlo_shape *shape, int64_t d) {
    int64_t count = 1;
    for (int64_t k = d + 1; k < shape->rank; k++) count *= shape->dims[k];
    return count;
}

/* The rows of its operand that the slice consists of; false when their elements are no neighbours,
 * or few, or the slice has too many dimensions. */
bool hlo_slice_rows(const hlo_instr *slice, hlo_cluster_rows *rows);
/* The operand's elements lie in the result as (i / inner) % count when its dimensions are adjacent
 * there and in order; else false. */
bool hlo_broadcast_inner(const hlo_instr *broadcast, int64_t *inner);

#endif
