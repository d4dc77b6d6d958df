/* What instructions of one computation lead to and come from, through operands and control
 * dependencies.
 *
 * Sets are arrays by hlo_instr.index with space for instr_count + 1 entries, so that numbers may
 * begin with 0 or with 1. Operands stand before their users in source order. */
#ifndef HLO_ANALYSIS_REACHABILITY_H
#define HLO_ANALYSIS_REACHABILITY_H

#include "ir/ir.h"

/* The members of `from`, and everything that depends on one of them. Free with hlo_free. */
bool *hlo_reach_users(const hlo_computation *c, const bool *from);
/* The members of `from`, and everything that one of them depends on. Free with hlo_free. */
bool *hlo_reach_operands(const hlo_computation *c, const bool *from);
/* Adds what depends on a member and leads to one: without it nothing that stands for the whole set
 * could be computed at once. */
void hlo_reach_close(const hlo_computation *c, bool *set);

#endif
