/* One form for loops and conditionals that are differentiated, to which elements can be added:
 * states, operands of branches and results are tuples of arrays that one instruction makes and that
 * are only taken apart. */
#ifndef HLO_PASSES_AUTODIFF_CANONICAL_H
#define HLO_PASSES_AUTODIFF_CANONICAL_H

#include "passes/pipeline/emit.h"

/* Puts one instruction in the place of another, which is gone then. */
void hlo_put_in_place(hlo_rewriter *r, hlo_instr *old, hlo_instr *by);

/* A leaf (counted depth first) of a value, taken out of tuples. */
hlo_instr *hlo_leaf_of(hlo_rewriter *r, hlo_instr *value, uint32_t leaf);

/* The computations must have no other callers. */
void hlo_flatten_loop(hlo_rewriter *r, hlo_instr *loop);
void hlo_flatten_conditional(hlo_rewriter *r, hlo_instr *conditional);

/* An element more of a tuple that goes into a computation and comes out of it changed. */
typedef struct {
    hlo_instr *init;  /* where the tuple is made */
    hlo_instr *inner; /* taken out of the computation's parameter */
    hlo_instr *next;  /* what the computation makes of it */
} hlo_element;

/* Takes an element out of a tuple that may get it only later, before `place`. */
hlo_instr *hlo_new_element(hlo_rewriter *r, hlo_instr *place, hlo_instr *tuple, uint32_t index,
                           const hlo_shape *shape);
/* The state gets n elements more, after the others. What they start as stands before the loop's
 * operand. */
void hlo_widen_loop(hlo_rewriter *r, hlo_instr *loop, const hlo_element *added, uint32_t n);
/* Operand k + 1, what branch k makes of it, and the result get n elements more; the list of each
 * branch. */
void hlo_widen_conditional(hlo_rewriter *r, hlo_instr *conditional, const hlo_element *const *added,
                           uint32_t n);

#endif
