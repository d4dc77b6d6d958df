/* The inner loops of reductions by one associative instruction, for each instruction set:
 * fold_kernels.c is compiled once for each one, as lane functions are (lanes_isa.h). Results are
 * the same bits in every set: how elements are combined depends on their number only. */
#ifndef HLO_EVAL_KERNELS_REDUCE_FOLD_KERNELS_H
#define HLO_EVAL_KERNELS_REDUCE_FOLD_KERNELS_H

#include "ir/ir.h"

/* A row is folded block by block, and the results of blocks one after the other. */
enum { HLO_FOLD_BLOCK = 1024, HLO_FOLD_ADDED = 8 };

/* Arrays of `rows` by `columns` elements, one after the other; distances in elements. */
typedef struct {
    int64_t count, rows, columns;
    const void *elements;
    int64_t next, row; /* from one array to the next, from one row to the next */
    void *accumulators;
    int64_t next_accumulators;
    bool starts; /* the first row is what the accumulators start as */
    bool adds; /* sums in f64: HLO_FOLD_ADDED rows, from the first one on, are added in f32 first */
} hlo_fold_columns_call;

typedef struct {
    /* to[r] = all elements of row r together, `length` > 0 of them; rows follow each other */
    void (*rows)(void *to, const void *elements, int64_t rows, int64_t length);
    /* accumulators[c] = themselves and the column's elements, row after row */
    void (*columns)(const hlo_fold_columns_call *call);
} hlo_fold_kernels;

/* Those of one instruction set. */
typedef struct hlo_fold_set {
    /* `from`: type of elements, `type`: of accumulators; NULL: there are none for them. */
    const hlo_fold_kernels *(*kernels)(hlo_opcode opcode, hlo_type from, hlo_type type);
    /* of sums of f32 in f64: of their squares, which are f32 too */
    const hlo_fold_kernels *squares;
} hlo_fold_set;

/* That of the instruction set that kernels are made for now (isa.h). */
const hlo_fold_set *hlo_fold_chosen(void);

#endif
