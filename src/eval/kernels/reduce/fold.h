/* Reductions by one associative instruction, of arrays [outer, reduced, inner]: the one place that
 * defines the order in which elements are combined, for the kernel of reduce and for clusters, so
 * that both compute the same bits. The order depends on the sizes `reduced` and `inner` only. */
#ifndef HLO_EVAL_KERNELS_REDUCE_FOLD_H
#define HLO_EVAL_KERNELS_REDUCE_FOLD_H

#include "eval/kernel/combine.h"
#include "eval/kernels/reduce/fold_kernels.h"

/* How elements are combined. */
typedef struct {
    hlo_opcode opcode;
    hlo_type from, type;             /* of elements; of accumulators */
    hlo_type loaded;                 /* what the kernels take: elements are converted to it */
    hlo_lanes lanes;                 /* of two accumulators */
    const hlo_fold_kernels *kernels; /* NULL: lanes of blocks are combined */
} hlo_fold;

/* The fold of elements of `from` by the combiner; false when it is not one associative instruction.
 * Sums of complex numbers are those of their parts (hlo_fold_unit). */
bool hlo_fold_prepare(hlo_fold *fold, hlo_combiner combiner, hlo_type from);
/* The same of the reduce's operand i, with which its computation, one associative instruction or a
 * tuple of one for each operand, combines nothing else; false too where it must be rounded after
 * each element. `plain` as in hlo_lanes_find. */
bool hlo_fold_find(hlo_fold *fold, const hlo_instr *reduce, uint32_t i, bool plain);
/* The fold of the accumulators of `fold`. */
hlo_fold hlo_fold_of_accumulators(const hlo_fold *fold);
/* Where the elements are what a convert to `fold->from` widens, or squares of f32 that are added
 * up: the fold of the instruction's operand, without that: the same bits. False where there is
 * none. */
bool hlo_fold_through(hlo_fold *fold, const hlo_instr *elements);
/* How many elements of the fold one element of an array of `type` is. */
static inline int64_t hlo_fold_unit(const hlo_fold *fold, hlo_type type) {
    return hlo_type_is_complex(type) && !hlo_type_is_complex(fold->from) ? 2 : 1;
}
static inline size_t hlo_fold_from_bytes(const hlo_fold *fold) {
    return hlo_types[fold->from].bytes;
}
static inline size_t hlo_fold_bytes(const hlo_fold *fold) {
    return hlo_types[fold->type].bytes;
}

/* to[r] = the elements of row r together: `length` of them, more than none; rows follow each other.
 */
void hlo_fold_rows(const hlo_fold *fold, void *to, const void *elements, int64_t rows,
                   int64_t length);
void hlo_fold_columns(const hlo_fold *fold, const hlo_fold_columns_call *call);
/* accumulators[k] = themselves and those at `more` */
static inline void hlo_fold_combine(const hlo_fold *fold, void *accumulators, const void *more,
                                    int64_t n) {
    hlo_lanes_run2(&fold->lanes, accumulators, accumulators, more, (size_t)n);
}

/* The reduced dimension of [reduced, inner] is cut into parts, each of which is combined alone;
 * then parts are in their order. In a part of columns `group` rows, which are short, are one row.
 */
typedef struct {
    int64_t reduced, inner;
    int64_t part, parts; /* rows of a part; how many there are */
    int64_t group;
} hlo_fold_shape;

/* The longest accumulators of a part while it is combined. */
enum { HLO_FOLD_GROUPED = 256 };

hlo_fold_shape hlo_fold_shape_of(int64_t reduced, int64_t inner);
/* Combines columns [first, last) of rows of part p of the array at `elements`; not grouped ones. */
void hlo_fold_part_columns(const hlo_fold *fold, const hlo_fold_shape *shape, void *to,
                           const void *elements, int64_t p, int64_t first, int64_t last);
/* Combines all of part p of the array at `elements`. */
void hlo_fold_part(const hlo_fold *fold, const hlo_fold_shape *shape, void *to,
                   const void *elements, int64_t p);
/* How many accumulators a part has while it is combined; fewer are left of grouped ones. */
static inline int64_t hlo_fold_width(const hlo_fold_shape *shape) {
    return shape->group * shape->inner;
}
/* Whether sums add rows in f32 first: where tiles, which are of HLO_FOLD_BLOCK elements, begin with
 * such a group. */
static inline bool hlo_fold_adds(const hlo_fold_shape *shape) {
    return HLO_FOLD_BLOCK % (HLO_FOLD_ADDED * hlo_fold_width(shape)) == 0;
}
/* Goes on with n more elements of a part, of which `at` have been combined: of rows, whole blocks.
 */
void hlo_fold_more(const hlo_fold *fold, const hlo_fold_shape *shape, void *accumulators,
                   const void *elements, int64_t at, int64_t n);
/* What grouped accumulators of so many rows are together; in their first `inner`. */
void hlo_fold_groups(const hlo_fold *fold, const hlo_fold_shape *shape, void *accumulators,
                     int64_t rows);

/* n results of the accumulators at `from`, which are those from number `at` on: the initial value
 * is combined with them before they become elements of `result`. `from` is overwritten. */
typedef struct {
    const hlo_fold *fold;
    hlo_type init_type, result;
    const void *init;
} hlo_fold_end;
enum { HLO_FOLD_RESULTS = 1024 };
void hlo_fold_finish(const hlo_fold_end *end, void *to, void *from, int64_t n);

#endif
