/* An order of the instructions of a computation that respects operands, control predecessors and
 * effects while a pass makes one instruction of several. Collectives are tied by operands alone:
 * they may change places among each other. All other effects keep their order. */
#ifndef HLO_PASSES_COLLECTIVES_EFFECT_ORDER_H
#define HLO_PASSES_COLLECTIVES_EFFECT_ORDER_H

#include "analysis/call_graph.h"
#include "passes/pipeline/rewrite.h"

/* By hlo_instr.index, which hlo_effect_order_init gives; instructions that come later get theirs
 * from hlo_effect_order_add. */
typedef struct {
    hlo_computation *computation;
    hlo_instr **effect_before; /* what has the effect before that of the instruction; NULL: none */
    uint8_t *state;            /* of a walk */
    uint32_t count, capacity;
    hlo_instr_list order; /* filled by the functions below */
} hlo_effect_order;

/* At most `more` instructions will be added. Free with hlo_effect_order_free. */
void hlo_effect_order_init(hlo_effect_order *o, const hlo_call_graph *graph, hlo_computation *c,
                           uint32_t more);
void hlo_effect_order_free(hlo_effect_order *o);
void hlo_effect_order_add(hlo_effect_order *o, hlo_instr *instr);

/* Puts what must come before the instruction on the list. */
void hlo_effect_order_needs(const hlo_effect_order *o, const hlo_instr *instr,
                            hlo_instr_list *needs);
/* Fills `order` with all instructions: XLA's post order, as far as effects allow. */
void hlo_effect_order_post(hlo_effect_order *o);
/* Moves instructions before those that need them, and no other. */
void hlo_effect_order_restore(hlo_effect_order *o);

#endif
