/* Products of matrices, many at a time: how they are cut into shares for threads and blocks for
 * caches. The inner parts are those of gemm_kernels.h. */
#ifndef HLO_EVAL_KERNELS_GEMM_GEMM_H
#define HLO_EVAL_KERNELS_GEMM_GEMM_H

#include "eval/kernel/block_counts.h"
#include "eval/kernel/work_memory.h"
#include "eval/kernels/gemm/gemm_kernels.h"

/* Units of depth over which a tile is summed at a time. */
enum { HLO_GEMM_DEPTH = 256 };

/* A list of matrices in memory; distances in elements. At least one of row and column is 1. */
typedef struct {
    hlo_type type;
    int64_t row, column;    /* from a row to the next one, from a column to the next one */
    const int64_t *batches; /* along each batch dimension */
    bool is_turned;         /* lies transposed: sums are those of the matrix that does not */
} hlo_gemm_operand;

/* How c[m,n] = a[m,k] b[k,n] is computed: as tiles in registers; with as few steps around the
 * multiplications as there can be; as inner products of rows or sums of rows, where a has so few
 * rows that reading b takes most of the time. */
typedef enum { HLO_GEMM_TILES, HLO_GEMM_TINY, HLO_GEMM_DOTS, HLO_GEMM_ADD_ROWS } hlo_gemm_kind;

/* A list of products. The first group is the caller's. */
typedef struct {
    hlo_type type; /* of c: F32, F64, S32, S64, C64 or C128; integers wrap */
    int64_t m, n, k;
    uint32_t batch_rank;
    const int64_t *batch_sizes;
    hlo_gemm_operand a, b; /* hlo_prepare_gemm changes the types to those that it reads */
    bool is_resized;       /* hlo_gemm_resize will be called, and products are added to c */
    bool keeps;            /* b depends on an operand of the instruction alone: its packed form may
                            * be kept */
    bool is_followed;      /* complete rows should be reported; hlo_prepare_gemm clears it where the
                            * kind has none before the end */

    int64_t batch;
    hlo_gemm_kind kind;
    bool is_swapped; /* a and b have changed places: c is computed as its transpose */
    const hlo_gemm_kernels *kernels;
    const hlo_gemm_storage *a_storage, *b_storage;
    bool pairs;                   /* elements meet in pairs along the depth */
    int64_t c_row, c_column;      /* distances in c, and below: in units */
    int64_t deep, wide;           /* k and n */
    int64_t rows, columns, depth; /* of a share */
    int64_t down, across, parts;  /* shares of a product: along its rows, columns and depth */
    int64_t block;                /* depth that is packed at a time */
    bool reads_b;                 /* whole vectors of columns where they lie */
    bool packs_first;             /* all of b, before the shares */
    hlo_cached *cached;           /* b packed; NULL: it is another one each time */
    size_t panels_at;             /* of scratch memory: b packed */
    size_t parts_at;              /* of scratch memory: c of each part of a long depth */
    hlo_block_counts counts;      /* of shares of the same rows, where the product is followed */
    hlo_work_memory memory;       /* of a share */
} hlo_gemm;

/* Decides how the products are computed and reserves memory. The operands that hlo_gemm_run gets
 * must then be of the types that a and b have (lhs_type and rhs_type below), with the same
 * strides. */
void hlo_prepare_gemm(hlo_preparation *p, hlo_gemm *g);
static inline hlo_type hlo_gemm_lhs_type(const hlo_gemm *g) {
    return g->is_swapped ? g->b.type : g->a.type;
}
static inline hlo_type hlo_gemm_rhs_type(const hlo_gemm *g) {
    return g->is_swapped ? g->a.type : g->b.type;
}

/* Makes m and k those of a product that is at most as large as the one prepared. */
void hlo_gemm_resize(hlo_gemm *g, int64_t m, int64_t k);

/* How many elements of c hlo_gemm_run hands on to a follower, in whole rows: the first ones. */
int64_t hlo_gemm_hands_on(const hlo_gemm *g);

/* What products run on. An operand that is kept is not read. */
typedef struct {
    const void *lhs, *rhs;
    hlo_cached_memory cached; /* of g->kept */
} hlo_gemm_operands;

/* Computes c, dense: [batch, m, n]. The order of additions depends on the sizes only, and on the
 * instruction set of the machine. `follower`: NULL, or gets what is handed on. */
void hlo_gemm_run(const hlo_gemm *g, const hlo_call *call, const hlo_gemm_operands *operands,
                  void *c, const hlo_follower *follower);

/* The type whose pairs add up what elements of a and b give to sums of that type, HLO_TYPE_COUNT
 * where the instruction set has none. */
hlo_type hlo_gemm_pair(hlo_type a, hlo_type b, hlo_type sums);

/* One tile of c, with as many columns as it really has. */
void hlo_gemm_multiply_tile(const hlo_gemm_kernels *kernels, const hlo_gemm_tile *tile,
                            int64_t rows, int64_t columns);

#endif
