/* Slices of buffers that move in place: what a collective-permute with slice_sizes sends. */
#ifndef HLO_EVAL_KERNELS_COLLECTIVE_PERMUTE_SLICES_H
#define HLO_EVAL_KERNELS_COLLECTIVE_PERMUTE_SLICES_H

#include "eval/kernel/kernel.h"

#define HLO_NO_SLICE UINT32_MAX

/* Whether operands 2 and 3 of p->instr are offsets in its buffers; false after an error. The
 * verifier, like XLA's, counts offsets and does not look at what they are. */
bool hlo_prepare_slice_offsets(hlo_preparation *p);

/* Copies a slice of the sender's input into `out`, in all of its buffers: its source and
 * destination are given by the sender's operands, of which `message` is the tuple. HLO_NO_SLICE
 * copies none. False after the error that slices, whichever moves, do not fit. */
bool hlo_take_slice(hlo_call *call, const hlo_int_lists *sizes, const hlo_value *message,
                    uint32_t slice, hlo_value *out);

#endif
