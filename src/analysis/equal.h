/* When two instructions, or two computations, do the same: opcode, shape, operands, attributes and
 * what is called. Names, metadata and the like do not count. */
#ifndef HLO_ANALYSIS_EQUAL_H
#define HLO_ANALYSIS_EQUAL_H

#include "analysis/call_graph.h"

/* For instructions of one computation: operands are the same ones, those of commutative operations
 * in either order; computations are the same ones. Equal instructions have equal hashes. */
bool hlo_computes_same(const hlo_instr *a, const hlo_instr *b);
uint64_t hlo_computes_hash(const hlo_instr *instr);

/* Whether it may be computed once for all that do the same: it has no effect, is no fence, and is
 * not tied to a partner. */
bool hlo_may_be_merged(const hlo_call_graph *graph, const hlo_instr *instr);

/* The same where operands count as one when their indices are equal, which the caller has set. */
bool hlo_computes_same_by_index(const hlo_instr *a, const hlo_instr *b);
uint64_t hlo_computes_hash_by_index(const hlo_instr *instr);

/* The same on other operands: opcode, attributes and what is called. Shapes are not compared. */
bool hlo_same_operation(const hlo_instr *a, const hlo_instr *b);
uint64_t hlo_operation_hash(const hlo_instr *instr);

/* For each computation (by id) the id of the first equal one in callees-first order, which may be
 * its own. Instructions are compared in source order; the walk overwrites their indices. Free the
 * array with hlo_free. */
uint32_t *hlo_computation_kinds(hlo_module *module, const hlo_call_graph *graph);

#endif
