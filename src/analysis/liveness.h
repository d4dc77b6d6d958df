/* When the arrays of a computation are in memory while its instructions run in source order, and
 * how many bytes that takes at each of them. */
#ifndef HLO_ANALYSIS_LIVENESS_H
#define HLO_ANALYSIS_LIVENESS_H

#include "analysis/call_graph.h"
#include "analysis/dataflow.h"

/* Arrays are buffers of `flow`; positions are hlo_instr.index. Parameters of the entry and
 * constants are live from the beginning to the end, but for parameters whose memory the caller
 * gives away, which may end with their last use; parameters of other computations are their
 * callers' memory. An update is in place when nothing reads its operand later. */
typedef struct {
    hlo_dataflow flow;
    uint32_t *last;   /* by buffer: the last position that reads it */
    uint32_t *memory; /* by buffer: the buffer in whose memory it is, itself when that is new */
    double *bytes;    /* by buffer that has separate memory */
    uint32_t *from,
        *to;        /* the same: where the memory is taken, and the last position that needs it */
    double *alive;  /* by position: bytes, without those of called computations */
    uint32_t count; /* of positions */
} hlo_liveness;

/* Free with hlo_liveness_free. */
void hlo_liveness_init(hlo_liveness *live, hlo_computation *c);
void hlo_liveness_free(hlo_liveness *live);

/* Its result is what an asynchronous operation holds until its done. */
static inline bool hlo_is_in_flight(const hlo_instr *instr) {
    return (hlo_info(instr)->flags & (HLO_OP_IS_ASYNC | HLO_OP_ENDS_ASYNC)) == HLO_OP_IS_ASYNC;
}
/* A copy to the same layout: the same bytes again. */
bool hlo_is_plain_copy(const hlo_instr *instr);
/* input_output_alias or buffer_donor of a module; never NULL. */
const hlo_aliasing *hlo_module_aliasing(const hlo_module *module, hlo_attr_id id);
/* The number of the array in the tuple that an index in the header names. */
uint32_t hlo_leaf_at(const hlo_shape *shape, const hlo_ints *index);

/* The most bytes that what the instruction calls needs at a time; `peaks` are those of computations
 * by id. Values in a fusion touch no memory. */
double hlo_callee_peak(const hlo_instr *instr, const double *peaks);
/* The most bytes at a time in the computation, with what it calls. */
double hlo_computation_peak(hlo_computation *c, const double *peaks);
/* Of all computations, by id. Free with hlo_free. */
double *hlo_computation_peaks(const hlo_call_graph *graph, const hlo_module *module);

#endif
