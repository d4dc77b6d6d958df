/* What can be in a cluster: elementwise instructions, reductions and what moves elements, of one
 * fused computation. Asked by the kernel of fusion, and by the passes that make fusions for it. */
#ifndef HLO_EVAL_FUSE_CLUSTER_ROLE_H
#define HLO_EVAL_FUSE_CLUSTER_ROLE_H

#include "ir/ir.h"

/* What an instruction can be in a cluster, whose elements are numbered 0, 1 ... */
typedef enum {
    HLO_CLUSTER_NEVER,
    HLO_CLUSTER_SOURCE, /* has elements without operands: one constant, or an iota */
    HLO_CLUSTER_MOVE,   /* each of its elements is one of its operand, by its number alone */
    HLO_CLUSTER_PART,   /* has elements of operands of the fusion, box by box (cluster_boxes.h) or
                         * row by row (cluster_gather.h): nothing but the cluster's elements, in
                         * their order */
    HLO_CLUSTER_WORK, /* element i is computed from the elements i of operands, and from scalars */
    HLO_CLUSTER_REDUCE,  /* element i is row i of the operand's elements together */
    HLO_CLUSTER_COLUMNS, /* the same of columns, perhaps of several arrays one after the other, of
                          * all elements, or of rows too long for REDUCE: is read outside only */
    HLO_CLUSTER_EXTREME  /* an extreme element of each row and its position, as extreme_rule.h knows
                          * them: read outside only */
} hlo_cluster_role;

hlo_cluster_role hlo_cluster_role_of(const hlo_instr *instr);
/* Whether each operand of a reduce of several, reduced alone, would have a role, and its
 * computation combines it with nothing else. */
bool hlo_cluster_folds_each(const hlo_instr *reduce);
/* Of one with the role REDUCE or EXTREME: elements of a row. A cluster has rows of one length only;
 * elements of rows may be broadcast along them, and elementwise instructions compute others from
 * them. */
int64_t hlo_cluster_row_of(const hlo_instr *reduce);
/* Arrays [length, count] one after the other, whose columns are folded; count 0: there are none. */
typedef struct {
    int64_t count, length;
} hlo_cluster_columns;
/* Those of one with the role COLUMNS. */
hlo_cluster_columns hlo_cluster_columns_of(const hlo_instr *reduce);
static inline bool hlo_cluster_same_columns(hlo_cluster_columns a, hlo_cluster_columns b) {
    return a.count == b.count && a.length == b.length;
}
/* Whether a cluster of so many elements can have rows of the length `row` (0: none) and sinks of
 * such columns. */
bool hlo_cluster_accepts(int64_t elements, int64_t row, hlo_cluster_columns columns);
/* The operand's elements lie in the result of a broadcast with the role MOVE as (i / inner) %
 * count.
 */
int64_t hlo_cluster_inner_of(const hlo_instr *broadcast);

/* Whether the instruction is a product whose result a cluster can compute on with, part by part:
 * there is one of them in a cluster at most, its operands are the fusion's, and others of it read
 * all of its elements in their order. */
bool hlo_cluster_follows(const hlo_instr *instr);
/* What has the elements of the instruction's operand i, in their order, before reshapes of them: of
 * a product, or of a gather of rows. */
const hlo_instr *hlo_cluster_operand(const hlo_instr *instr, uint32_t i);

/* The elements after dimension d. */
static inline int64_t hlo_elements_after(const hlo_shape *shape, int64_t d) {
    int64_t count = 1;
    for (int64_t k = d + 1; k < shape->rank; k++) count *= shape->dims[k];
    return count;
}

/* The operand's elements lie in the result as (i / inner) % count when its dimensions are adjacent
 * there and in order; else false. */
bool hlo_broadcast_inner(const hlo_instr *broadcast, int64_t *inner);

#endif
