/* Static frames of a dataflow graph: which loop each instruction of the entry computation is in. An
 * enter opens a frame, an exit returns to its parent, everything else stays in the frame of its
 * operands (Implementation of Control Flow in TensorFlow, 2017, section 2; docs/dataflow.md). */
#ifndef HLO_IR_FRAMES_H
#define HLO_IR_FRAMES_H

#include "ir/ir.h"

typedef struct {
    hlo_str name;             /* frame_name; empty: the root */
    uint32_t parent;          /* a number; the root is its own */
    uint32_t depth;           /* the root's is 0 */
    const hlo_instr *enter;   /* the first; NULL: the root */
    const hlo_instr *limit;   /* the first enter that gives parallel_iterations; NULL: none does */
    const hlo_instr *decides; /* the first switch before an exit; NULL: it has no exit */
    uint32_t enter_count;     /* of either kind */
    uint32_t variable_count;  /* those that are not constant */
    uint32_t next_count;      /* next-iterations */
    int64_t parallel_iterations;
} hlo_static_frame;

typedef struct {
    hlo_static_frame *v; /* 0: the root */
    uint32_t count;
    uint32_t *of; /* that of an instruction's result, by hlo_instr.index */
} hlo_static_frames;

/* Called with an instruction that breaks a rule, another that it does not agree with (or NULL), and
 * a message that follows the opcode. */
typedef void hlo_frame_fault(void *context, hlo_rule rule, const hlo_instr *instr,
                             const hlo_instr *other, const char *message);

/* Numbers the entry's instructions in source order. `fault` NULL: the module was verified. */
hlo_static_frames hlo_static_frames_find(hlo_module *module, hlo_frame_fault *fault, void *context);
void hlo_static_frames_free(hlo_static_frames *frames);

/* The frame that an instruction works in: that of its operands. An enter's result is in the frame
 * that it opens, an exit's in the parent. */
uint32_t hlo_frame_inside(const hlo_static_frames *frames, const hlo_instr *instr);
/* The switch that the instruction is element 0 (false) or 1 (true) of; NULL: it is none. */
const hlo_instr *hlo_switch_side(const hlo_instr *instr, int64_t *side);
/* An enter whose value is there in every iteration. */
static inline bool hlo_is_constant_enter(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_ENTER && hlo_attr_int(instr, HLO_ATTR_IS_CONSTANT);
}
/* A merge of an enter and a next-iteration. */
static inline bool hlo_is_loop_merge(const hlo_instr *instr) {
    return hlo_back_edge(instr) != NULL;
}

#endif
