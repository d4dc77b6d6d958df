/* Collectives by simpler ones, for all_gather_decomposer, reduce_scatter_decomposer and
 * all_to_all_decomposer. */
#ifndef HLO_PASSES_EXPAND_COLLECTIVE_PARTS_H
#define HLO_PASSES_EXPAND_COLLECTIVE_PARTS_H

#include "passes/pipeline/expression.h"

/* Members of each group; 0 where groups and ids do not go together. */
int64_t hlo_members_of_group(const hlo_rewriter *r, const hlo_instr *instr);

/* The most attributes of a collective that is made from another one. */
enum { HLO_MOST_KEPT_ATTRS = 8 };

/* Attributes of `from` by which the same devices exchange data in a new collective of `opcode`.
 * Fills `attrs`, which has space for all, and returns how many there are. */
uint32_t hlo_kept_group_attrs(const hlo_instr *from, hlo_opcode opcode, hlo_attr *attrs);

/* Runs the patterns of a pass that makes all-reduces: hlo_parts_make_whole and hlo_all_reduce_like
 * are for these patterns only. */
hlo_pass_result hlo_pass_all_reduce_patterns(const hlo_pass_call *call);

/* Whether as many parts as the group has members make the whole (a group of one may stand for a
 * number that the module does not give), and it may become an all-reduce. */
bool hlo_parts_make_whole(const hlo_rewriter *r, const hlo_instr *instr, const hlo_shape *whole,
                          const hlo_shape *part);

/* An all-reduce of the operands among the devices of the collective `like`. */
hlo_instr *hlo_all_reduce_like(hlo_rewriter *r, const hlo_instr *like, const hlo_shape *shape,
                               hlo_instr *const *operands, uint32_t count,
                               hlo_computation *reducer);

/* u32: the place of this device in its group. */
hlo_instr *hlo_place_in_group(hlo_rewriter *r, const hlo_instr *instr);

/* Where this device's part lies in the whole: starts for each dimension; the caller frees them. */
hlo_instr **hlo_part_starts(hlo_rewriter *r, hlo_instr *place, const hlo_shape *part,
                            int64_t dimension);

#endif
