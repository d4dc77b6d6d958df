/* Control dependencies of calls that become copies of what they call: the copies wait for what the
 * call waited for, and what waited for the call waits for them; and of what is removed. */
#ifndef HLO_PASSES_PIPELINE_RELAY_H
#define HLO_PASSES_PIPELINE_RELAY_H

#include "analysis/call_graph.h"
#include "passes/pipeline/rewrite.h"

typedef struct {
    const hlo_instr *call;
    hlo_instr_list ends; /* what its successors wait for */
} hlo_relay;

/* Of the calls of one computation. Zero bytes are empty. */
typedef HLO_LIST(hlo_relay) hlo_relays;

/* Makes the rewriter's fresh copies of the body wait for the predecessors of the tied call, for
 * which `root` will stand. They are in the order of their operands. */
void hlo_relay_call(hlo_relays *relays, hlo_rewriter *r, const hlo_call_graph *graph,
                    hlo_instr *call, hlo_instr *root);
/* The last of these calls stays after all. */
void hlo_relay_withdraw(hlo_relays *relays);
/* The instruction goes, and nothing stands for it but what it waited for. Its predecessors that go,
 * too, are in `relays` already. */
void hlo_relay_removed(hlo_relays *relays, hlo_instr *instr);
/* Makes the successors of those calls wait for what stands for them, and empties `relays`. */
void hlo_relay_successors(hlo_relays *relays, hlo_rewriter *r, hlo_computation *computation);

/* Sets the control predecessors to those of the list, of which it keeps the first of equal ones; an
 * empty one removes the attribute. */
void hlo_set_control_predecessors(hlo_rewriter *r, hlo_instr *instr, hlo_instr_list *list);

#endif
