/* Arrays that are put together of parts of others: slices, pads, concatenations, reversed and
 * transposed arrays, and any of these of each other. A cluster reads the parts where they are. */
#ifndef HLO_EVAL_FUSE_CLUSTER_BOXES_H
#define HLO_EVAL_FUSE_CLUSTER_BOXES_H

#include "eval/kernel/kernel.h"
#include "eval/kernels/moves/move_kernels.h"

enum { HLO_CLUSTER_DIMS = 6, HLO_CLUSTER_BOXES = 8 };

/* A part of the array: its place, of which every `step`th one along a dimension has an element, and
 * where the operand has the element that is first there, and those that follow along each
 * dimension. */
typedef struct {
    const hlo_instr *operand;
    uint32_t number; /* of a parameter */
    int64_t start[HLO_CLUSTER_DIMS], size[HLO_CLUSTER_DIMS], step[HLO_CLUSTER_DIMS];
    int64_t first, stride[HLO_CLUSTER_DIMS];
} hlo_cluster_box;

/* Dimension 0 is that of neighbours. Boxes do not overlap, not even between their elements, and are
 * in the order of their starts along it. */
typedef struct {
    uint32_t rank, count; /* rank: at least 1 */
    int64_t size[HLO_CLUSTER_DIMS];
    const hlo_instr *fill; /* what is in no box; NULL: boxes are all there is */
    hlo_cluster_box box[HLO_CLUSTER_BOXES];
} hlo_cluster_boxes;

typedef bool hlo_cluster_is_operand(const void *context, const hlo_instr *instr);

/* The boxes of an array, down to what is_operand accepts; false when they are too many or too
 * narrow, or an operation is none of these. */
bool hlo_cluster_find_boxes(const hlo_instr *instr, hlo_cluster_is_operand *is_operand,
                            const void *context, hlo_cluster_boxes *boxes);
/* Whether the operation is one of these. */
bool hlo_cluster_is_of_parts(hlo_opcode opcode);

/* The n elements from number `at` on, of so many bytes each; boxes are of the call's operands.
 * `fill`: the element that is in no box. */
typedef struct {
    const hlo_cluster_boxes *boxes;
    const hlo_move_set *moves;
    const hlo_call *call;
    const void *fill;
    uint32_t bytes;
} hlo_cluster_taking;
void hlo_cluster_take_boxes(const hlo_cluster_taking *taking, char *to, int64_t at, size_t n);

#endif
