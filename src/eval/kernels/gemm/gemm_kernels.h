/* The inner parts of matrix products, for each instruction set: gemm_kernels.c is compiled once for
 * each one, as lane functions are (lanes_isa.h). A product c[m,n] = a[m,k] b[k,n] is computed in
 * tiles of c that stay in registers: rows of a are read where they lie, b is packed in strips, or
 * read where it lies, too.
 *
 * Sums are of f32, f64, s32 or s64. Depth and columns are counted in units of these: a complex
 * number is two units along both, a pair of 16-bit elements, which meet in one 32-bit sum, is one
 * unit of depth. Sets that have them use fused multiplications and additions: results of two sets
 * differ by their rounding; those of one set depend on sizes only. */
#ifndef HLO_EVAL_KERNELS_GEMM_GEMM_KERNELS_H
#define HLO_EVAL_KERNELS_GEMM_GEMM_KERNELS_H

#include "base/math.h"
#include "ir/types.h"

/* The most rows that a tile may have, and the most bytes of one of them. */
enum { HLO_GEMM_ROWS = 8, HLO_GEMM_ROW_BYTES = 128 };
enum { HLO_GEMM_MOST_BYTES = 8 }; /* of a real number */

/* One tile of c. Its depth is that of several segments (the elements of a window, or one): each has
 * its own rows of a. */
typedef struct {
    const void *const *rows; /* HLO_GEMM_ROWS pointers for each segment */
    int64_t offset;          /* units from there on to what is read */
    int64_t segments, depth; /* depth: of one segment */
    int64_t step;            /* units between neighbours along the depth of a */
    const void *b;           /* a packed strip, or */
    void *c;
    int64_t c_stride; /* units between rows */
    bool adds;        /* to what is in c */
    int64_t b_stride; /* rows of b so many units apart, which have the tile's columns; 0: a strip */
} hlo_gemm_tile;

/* Products too small for packing, one after the other; strides in elements. b has at most
 * HLO_GEMM_TINY_MATRIX elements. */
enum { HLO_GEMM_TINY_MATRIX = 1024 };
typedef struct {
    int64_t count, m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_next, a_row, a_column, b_next, b_row, b_column;
} hlo_gemm_tiny;

/* A few rows of a, of the type of the sums, meet a long matrix `b`, of any stored type; strides in
 * elements. */
typedef struct {
    int64_t rows, columns, depth;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_stride, c_row, c_column;
    bool adds; /* add_rows: to what is in c */
} hlo_gemm_few;

/* Of sums of one type. */
typedef struct {
    int64_t rows, lanes; /* a full tile has that many rows and twice as many columns as lanes */
    int64_t bytes;       /* of a unit */
    /* rows <= the above; vectors: 1 or 2 times `lanes` columns, all of which are written */
    void (*tile)(const hlo_gemm_tile *tile, int64_t rows, int64_t vectors);
    void (*tiny)(const hlo_gemm_tiny *products);
    /* c[i] += from[i] */
    void (*add)(int64_t n, const void *from, void *to);
    /* sums[f] = the sum of inputs[i][f] kernels[i][f] over i < count, for f < features */
    void (*depthwise)(int64_t count, const void *const *inputs, const void *const *kernels,
                      int64_t features, void *sums);
    /* sums[g, q] += input[g, i] kernel[i, g, q] over i < in_group: arrays are dense */
    void (*grouped)(int64_t groups, int64_t in_group, int64_t out_group, const void *input,
                    const void *kernel, void *sums);
} hlo_gemm_kernels;

/* Of operands of one stored type that meet in sums of another; strides in elements. */
typedef struct {
    /* b in strips of two vectors of columns (the last one: of one where that is enough), depth
     * after depth, filled up with zeros; neighbours in memory are columns, or rows (along the
     * depth). `columns` and `depth` count units. */
    void (*pack_columns)(void *to, const void *b, int64_t stride, int64_t columns, int64_t depth);
    void (*pack_rows)(void *to, const void *b, int64_t stride, int64_t columns, int64_t depth);
    /* a as rows of sums; NULL: its rows are units already */
    void (*copy_rows)(void *to, const void *a, int64_t stride, int64_t rows, int64_t depth);
    /* a whose neighbours in memory are rows: strips of `rows` of a tile, unit after unit */
    void (*copy_columns)(void *to, const void *a, int64_t stride, int64_t rows, int64_t depth);
    /* c = a b, where neighbours in the memory of b are along the depth, as they are in a */
    void (*dots)(const hlo_gemm_few *few);
    /* c (+)= a b, where they are columns; eight rows of b after the other are one sum */
    void (*add_rows)(const hlo_gemm_few *few);
} hlo_gemm_storage;

/* Of elements that meet in pairs; NULL: not in this set, or not on this machine. */
typedef struct {
    const hlo_gemm_kernels *kernels;
    const hlo_gemm_storage *storage;
} hlo_gemm_pairs;

/* Those of one instruction set. Sums are F32, F64, S32 or S64. Stored are they themselves; BF16 and
 * F16 for F32; C64 for F32 and C128 for F64; in pairs, S16 for S32 and BF16 for F32.
 * Pairs and complex numbers have no tiny products, dots and so on. */
typedef struct hlo_gemm_set {
    const hlo_gemm_kernels *(*kernels)(hlo_type sums);
    const hlo_gemm_storage *(*storage)(hlo_type stored, hlo_type sums);
    hlo_gemm_pairs (*pairs)(hlo_type stored);
    /* Does multiplications and additions of f32 that wait for nothing but their registers; returns
     * how many. For measuring the machine. */
    double (*multiply_adds)(int64_t rounds);
} hlo_gemm_set;

/* That of the instruction set that the thread has entered (isa.h). */
const hlo_gemm_set *hlo_gemm_chosen(void);

#endif
