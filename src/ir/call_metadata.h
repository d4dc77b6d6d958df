/* What the place of a call adds to names and stack frames of what is called: frontends write both
 * relative to the function. */
#ifndef HLO_IR_CALL_METADATA_H
#define HLO_IR_CALL_METADATA_H

#include "ir/ir.h"

/* `jit(f)/layer` and `mul` become `jit(f)/layer/mul`, in memory of the arena; `name` itself where
 * it begins so already, where `prefix` is empty, and where the whole would be too long for XLA. */
hlo_str hlo_op_name_within(hlo_arena *arena, hlo_str prefix, hlo_str name);
/* That of the call, or of what else holds the instruction; empty: none. */
hlo_str hlo_op_name_of(const hlo_instr *instr);

/* The rows of a module's stack frames, found by what is in them. Zeros: not made yet. */
typedef struct {
    uint32_t capacity;
    hlo_hash by_hash; /* row + 1 */
} hlo_frame_rows;

void hlo_frame_rows_free(hlo_frame_rows *rows);

/* Gives the instruction, and those of loops and branches that it holds, the name and the frames of
 * the call around what they had. */
void hlo_metadata_within(hlo_frame_rows *rows, const hlo_metadata *call, hlo_instr *instr);

#endif
