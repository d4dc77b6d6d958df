/* Where arrays come from: through tuples, their elements and operations that only hand arrays on,
 * which instruction made each array of a value. Within one computation. */
#ifndef HLO_ANALYSIS_DATAFLOW_H
#define HLO_ANALYSIS_DATAFLOW_H

#include "base/list.h"
#include "ir/ir.h"

/* An array that an instruction makes, or that comes from outside with a parameter: the leaf-th of
 * its result, counted depth first; its shape. */
typedef struct {
    const hlo_instr *maker;
    uint32_t leaf;
    const hlo_shape *shape;
} hlo_buffer;

/* Values by hlo_instr.index, which hlo_dataflow_init gives from 0. */
typedef struct {
    HLO_LIST(hlo_buffer) buffers;
    HLO_LIST(uint32_t) leaves; /* buffers, leaf by leaf, value by value */
    uint32_t *first;      /* where a value's leaves begin; one entry more than there are values */
    uint32_t **positions; /* of a nested tuple that is taken apart: where its elements begin */
    uint32_t count;
} hlo_dataflow;

/* Loops work on the memory of their state. Free with hlo_dataflow_free. */
void hlo_dataflow_init(hlo_dataflow *flow, hlo_computation *c);
void hlo_dataflow_free(hlo_dataflow *flow);

/* How many arrays the value has, and which buffers they are. */
static inline uint32_t hlo_dataflow_leaf_count(const hlo_dataflow *flow, const hlo_instr *value) {
    HLO_ASSERT(flow->first[value->index] <= flow->first[value->index + 1]);
    return flow->first[value->index + 1] - flow->first[value->index];
}
static inline const uint32_t *hlo_dataflow_leaves(const hlo_dataflow *flow,
                                                  const hlo_instr *value) {
    uint32_t first = flow->first[value->index];
    HLO_ASSERT(first <= flow->leaves.n);
    return first ? flow->leaves.v + first : flow->leaves.v; /* NULL where no value has arrays */
}
/* The instruction forwards its operands' arrays and reads none. */
bool hlo_hands_on(const hlo_instr *instr);

#endif
