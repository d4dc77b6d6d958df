/* What passes over collectives ask and make: reductions that can be distinguished by their
 * operation, attributes of several instructions in one. */
#ifndef HLO_PASSES_COLLECTIVES_COLLECTIVE_H
#define HLO_PASSES_COLLECTIVES_COLLECTIVE_H

#include "analysis/participants.h"
#include "passes/pipeline/emit.h"

/* How the collective combines values: the opcode of a computation of two scalars that may be taken
 * in any order, but for rounding; HLO_OP_COUNT: in another way. */
hlo_opcode hlo_reduction_of(const hlo_instr *collective);

/* Some collective of that opcode pins the layouts of its operands, which is all-or-none in a module
 * and keeps passes from touching any. */
bool hlo_pins_layouts(const hlo_module *module, hlo_opcode opcode);

/* All instructions of the wanted opcodes (a flag for each) in the order of the module, but for
 * those in fusions and in what is called asynchronously. */
void hlo_collect_all(hlo_module *module, const bool *wanted, hlo_instr_list *list);
/* Those of one opcode. */
void hlo_collect(hlo_module *module, hlo_opcode opcode, hlo_instr_list *list);

/* Attributes of one instruction for several: of their frontend attributes all keys, with their
 * different values in order and joined by commas; of their metadata the common beginning of their
 * op_names and what follows it in each, and all places in sources. In XLA's format. */
void hlo_merge_frontend(hlo_instr *const *from, uint32_t n, hlo_instr *to);
void hlo_merge_metadata(hlo_instr *const *from, uint32_t n, hlo_instr *to);
/* Takes one key away. */
void hlo_remove_frontend(hlo_instr *instr, const char *key);

#endif
