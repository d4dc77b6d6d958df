/* The inside of a cluster: registers and the steps that fill them. Made by cluster_compile.c and
 * cluster_place.c, run by cluster.c; for what can be in it, see cluster_role.c.
 *
 * A cluster without reductions is computed tile by tile. With them its elements are rows, which are
 * folded, and it is computed group by group: a group is one long row, of several tiles, or several
 * tiles of whole rows. What is needed of the folded rows of a group before other elements of it
 * can be computed has a lower level; each level goes through all tiles of the group. */
#ifndef HLO_EVAL_KERNELS_CLUSTER_CLUSTER_PROGRAM_H
#define HLO_EVAL_KERNELS_CLUSTER_CLUSTER_PROGRAM_H

#include "eval/fuse/cluster_boxes.h"
#include "eval/fuse/cluster_gather.h"
#include "eval/fuse/cluster_role.h"
#include "eval/kernel/work_memory.h"
#include "eval/kernels/cluster/cluster.h"
#include "eval/kernels/moves/move_kernels.h"
#include "eval/kernels/reduce/fold.h"
#include "eval/kernels/reduce/reduce_extreme.h"

enum { HLO_CLUSTER_PRODUCT_OPERANDS = 2 };

/* What a register has lanes for, and how often a step fills it. */
typedef enum {
    HLO_OF_ONE,  /* one lane, which is the same in every tile */
    HLO_OF_RUN,  /* a tile's elements, of which all are the same, in every tile */
    HLO_OF_ROWS, /* the rows of a group */
    HLO_OF_TILE  /* the elements of a tile */
} hlo_cluster_grain;

/* Where the lanes of a register are while a tile is computed. */
typedef enum {
    HLO_IN_MEMORY,  /* at an offset of the piece's memory */
    HLO_IN_OPERAND, /* in the operand itself, at the tile's elements */
    HLO_IN_RESULT,  /* in a leaf of the result, at the tile's elements */
    HLO_IN_PRODUCT, /* in the product, at the tile's elements */
    HLO_IN_ROWS,    /* one lane: that of the tile's row, in a register of rows */
    HLO_NOWHERE     /* of a sink's step */
} hlo_cluster_place;

typedef struct {
    hlo_type type;
    hlo_cluster_grain grain;
    hlo_cluster_place place;
    bool is_long;    /* in memory: all tiles of a group, since a later level reads it */
    uint32_t number; /* of the operand, leaf, or register of rows */
    int64_t period;  /* in an operand: elements after which it begins again; 0: it has them all */
    size_t at;       /* offset in memory */
} hlo_cluster_register;

/* What element of its source lane i takes: number (i / inner) % count, where lanes are the
 * cluster's elements, or its rows. Of the lanes themselves inner is 1 and count is their number; of
 * a scalar count is 1. */
typedef struct {
    int64_t inner, count;
} hlo_cluster_view;

typedef enum {
    HLO_CLUSTER_LANES,   /* an elementwise instruction */
    HLO_CLUSTER_SPREAD,  /* elements of an operand, or of a constant, by the view */
    HLO_CLUSTER_PARTS,   /* elements of operands that are parts of an array */
    HLO_CLUSTER_GATHER,  /* rows of an operand at starts that another one has */
    HLO_CLUSTER_COUNT,   /* the numbers of the elements (iota), by the view */
    HLO_CLUSTER_REPEAT,  /* a row's lane for each of its elements */
    HLO_CLUSTER_FILL,    /* one lane for all elements */
    HLO_CLUSTER_FOLD,    /* the elements of each row together, as an accumulator */
    HLO_CLUSTER_SINK,    /* a sink goes on with the elements of a tile */
    HLO_CLUSTER_EXTREMES /* the same of extreme elements of rows */
} hlo_cluster_work;

typedef struct {
    hlo_cluster_work work;
    hlo_cluster_grain grain; /* FOLD: that of its tiles */
    uint32_t level;
    bool is_once; /* of tiles: their lanes are the same in all of a group */
    uint32_t in[HLO_LANES_MAX_OPERANDS], out; /* registers */
    uint32_t arity;                           /* registers that are read */
    hlo_lanes lanes;                          /* LANES; COUNT: the conversion from s64 */
    /* LANES: the functions of the one instruction, or the two that are `joined` as the argument of
     * hlo_lanes_pair specifies. */
    hlo_lanes_fn *parts[2];
    uint32_t joined;
    hlo_cluster_view view;
    const hlo_cluster_boxes *boxes;   /* PARTS */
    const hlo_cluster_gather *gather; /* GATHER */
    uint32_t operand;                 /* SPREAD; PARTS: what is in no box */
    const void *constant;             /* the element in place of that operand */
    const hlo_fold *fold;             /* FOLD, SINK */
    uint32_t sink;                    /* SINK, EXTREMES: its number */
    uint32_t code, code_end; /* where there is code for the steps from this one to before code_end;
                              * code_end 0: none (cluster_code.h) */
} hlo_cluster_step;

/* Registers whose lanes are elsewhere for each tile, or for each group. */
typedef struct {
    uint32_t count, *registers;
} hlo_cluster_moving;

/* The steps of a level, in this order: those of rows, those of tiles that run once, those of tiles.
 */
typedef struct {
    uint32_t first_of_rows, first_of_group, first_of_tile, end;
} hlo_cluster_level;

/* An initial value, which is the same in all of a run. */
typedef struct {
    hlo_type type;
    uint32_t operand;     /* in place of which there may be */
    const void *constant; /* one that does not change */
} hlo_cluster_init;

static inline const void *hlo_cluster_init_of(const hlo_cluster_init *init, const hlo_call *call) {
    return init->constant ? init->constant : call->in[init->operand]->data;
}

/* Columns that are folded, part by part: the parts of all sinks have the same elements, and threads
 * have parts. */
typedef struct {
    const hlo_fold *fold;
    int64_t arrays;       /* one after the other */
    hlo_fold_shape shape; /* of each */
    uint32_t leaf;
    hlo_type result;
    hlo_cluster_init init;
    size_t at; /* in scratch memory: accumulators of each part */
} hlo_cluster_sink;

/* Extreme elements of rows and their positions, whose accumulators are the results. */
typedef struct {
    const hlo_extreme *extreme;
    uint32_t leaf; /* a pair */
    hlo_cluster_init init[2];
} hlo_cluster_extremes;

/* A leaf that is a register of the cluster's elements, or of its rows. */
typedef struct {
    uint32_t reg, leaf;
    bool of_rows;
} hlo_cluster_result;

/* A product of operands of the fusion, of which the cluster's elements are made. */
typedef struct {
    const hlo_instr *instr; /* while the cluster is made */
    const hlo_kernel *kernel;
    const void *state; /* of the kernel */
    const hlo_shape *shape;
    uint32_t operands[HLO_CLUSTER_PRODUCT_OPERANDS]; /* of the fusion, which have the elements of */
    const hlo_shape *shapes[HLO_CLUSTER_PRODUCT_OPERANDS]; /* those of the product */
    bool in_leaf;            /* in memory of the cluster's only leaf; else */
    size_t at;               /* in scratch memory */
    int64_t handed_on, unit; /* the cluster follows that many elements in multiples of `unit`, the
                              * others when the product is complete; 0: all of them then */
    size_t memory; /* bytes of a piece's memory that are the product's; the cluster's follow */
} hlo_cluster_product;

struct hlo_cluster {
    int64_t elements, row; /* row: elements of one, or 0 */
    size_t tile, group;    /* elements that are computed at a time; of a group */
    size_t widest;         /* bytes of an element of the widest type */
    int64_t unit;  /* elements that pieces of the work are made of: a row, a part of a sink */
    int64_t array; /* elements of one of a sink's arrays, whose last part may have fewer; or all */
    bool is_tuple; /* leaves are elements of the result, else it is the only one */
    uint32_t register_count, step_count, result_count, level_count, sink_count;
    uint32_t first_of_level; /* steps before it are those of the run */
    hlo_cluster_register *registers;
    hlo_cluster_step *steps;
    hlo_cluster_level *levels;
    hlo_cluster_moving moving[HLO_OF_TILE + 1]; /* by grain */
    bool fetches; /* prefetches what the next group reads and writes while it computes */
    bool streams; /* leaves go past the caches, a tile at a time; those of rows do not */
    hlo_cluster_result *results;
    hlo_cluster_sink *sinks;
    hlo_cluster_extremes *extremes;
    const hlo_move_set *moves;
    const hlo_cluster_product *product; /* NULL: none */
    hlo_work_memory work; /* of a piece: pointers to the registers' lanes, then memory */
};

/* Orders the steps, which follow what they read, by level; assigns a place to each register. */
void hlo_place_cluster(hlo_preparation *p, hlo_cluster *cluster);

/* What place_cluster does on the way: joins steps by twos; has steps read one lane where all are
 * the same. Registers and steps may become twice as many. */
void hlo_join_cluster_steps(hlo_cluster *cluster);
void hlo_narrow_cluster_steps(hlo_cluster *cluster);

/* Finds the product in the fused computation of p->instr, if there is one, and prepares its kernel;
 * false: it has two, or one of other than parameters, or what its kernel does not take.
 * (cluster_product.c) */
bool hlo_prepare_cluster_product(hlo_preparation *p, const hlo_cluster_product **product);
/* Computes the product, and on its complete parts what follows it; false after an error. */
bool hlo_run_cluster_product(const hlo_cluster *cluster, hlo_call *call);
/* Elements [first, last), which the unit divides, with a piece's memory of the product's kernel.
 * (cluster.c) */
void hlo_run_cluster_part(const hlo_cluster *cluster, hlo_call *call, char *memory, int64_t first,
                          int64_t last);
static inline int64_t hlo_cluster_handed_on(const hlo_cluster *cluster) {
    return cluster->product ? cluster->product->handed_on : 0;
}
char *hlo_cluster_product_at(const hlo_cluster_product *product, const hlo_call *call);

#endif
