/* New instructions for rewrites: each is inserted before the rewriter's target, has a fresh name,
 * and gets its metadata when the rewrite is applied. Shapes are as given: what replaces the target
 * is given the target's own shape, so that layouts stay. */
#ifndef HLO_PASSES_PIPELINE_EMIT_H
#define HLO_PASSES_PIPELINE_EMIT_H

#include "passes/pipeline/rewrite.h"

/* What is emitted next stands at the end of the computation, before an instruction that leaves it
 * when that end is closed. */
hlo_instr *hlo_open_end(hlo_rewriter *r, hlo_computation *c);
void hlo_close_end(hlo_instr *place);

/* Attributes are copied; both lists may be NULL when their count is 0. */
hlo_instr *hlo_emit(hlo_rewriter *r, hlo_opcode opcode, const hlo_shape *shape,
                    hlo_instr *const *operands, uint32_t operand_count, const hlo_attr *attrs,
                    uint32_t attr_count);
/* Operations without attributes. */
hlo_instr *hlo_emit_unary(hlo_rewriter *r, hlo_opcode opcode, const hlo_shape *shape, hlo_instr *a);
hlo_instr *hlo_emit_binary(hlo_rewriter *r, hlo_opcode opcode, const hlo_shape *shape, hlo_instr *a,
                           hlo_instr *b);
/* `like` with other operands (as many as `count`) and another shape; its attributes without
 * sharding, origin and control predecessors. */
hlo_instr *hlo_emit_like(hlo_rewriter *r, const hlo_instr *like, const hlo_shape *shape,
                         hlo_instr *const *operands, uint32_t count);
/* The same with one operand replaced. */
hlo_instr *hlo_emit_with_operand(hlo_rewriter *r, const hlo_instr *like, uint32_t number,
                                 hlo_instr *operand);

/* The instruction calls other computations: called[k] as its k-th, in the order of hlo_called. */
void hlo_set_called(hlo_rewriter *r, hlo_instr *instr, hlo_computation *const *called);

/* Data is copied when it is not in the module's arena already: the literal's shape decides. */
hlo_instr *hlo_emit_constant(hlo_rewriter *r, const hlo_literal *literal);
/* `value` everywhere: a scalar constant, broadcast unless the shape is a scalar. */
hlo_instr *hlo_emit_filled(hlo_rewriter *r, const hlo_shape *shape, int64_t value);
/* The same with one stored element of the shape's type. */
hlo_instr *hlo_emit_filled_with(hlo_rewriter *r, const hlo_shape *shape, const void *element);

hlo_instr *hlo_emit_broadcast(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *operand,
                              const int64_t *dimensions, uint32_t n);
hlo_instr *hlo_emit_transpose(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *operand,
                              const int64_t *dimensions);
hlo_instr *hlo_emit_slice(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *operand,
                          const hlo_slice *slice);
/* The dynamic-slice that takes what a dynamic-update-slice (one index a dimension) replaces. */
hlo_instr *hlo_emit_part_before(hlo_rewriter *r, const hlo_instr *update);
hlo_instr *hlo_emit_reduce(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *operand,
                           hlo_instr *init, const hlo_ints *dimensions, hlo_computation *reducer);
hlo_instr *hlo_emit_element(hlo_rewriter *r, hlo_instr *tuple, int64_t index);
hlo_instr *hlo_emit_tuple(hlo_rewriter *r, hlo_instr *const *operands, uint32_t n);
/* Whether arrays of the same sizes have their elements in another order in memory. */
bool hlo_shape_has_other_order(const hlo_shape *a, const hlo_shape *b);
/* `value`, or a copy of it with the order that `like` has. */
hlo_instr *hlo_emit_laid_out(hlo_rewriter *r, hlo_instr *value, const hlo_shape *like);
/* `value` for a copy of `reader`, in the place of its operand `i`. A bitcast reads memory: a value
 * of another layout than the operand's is copied for it, others are the value itself. */
hlo_instr *hlo_emit_as_read(hlo_rewriter *r, const hlo_instr *reader, uint32_t i, hlo_instr *value);
/* `direction` is a word: "EQ", "LT" ... */
hlo_instr *hlo_emit_compare(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *a, hlo_instr *b,
                            const char *direction);

/* An array of those sizes with the default layout in the module's table; element type of `like`. */
const hlo_shape *hlo_shape_of_sizes(hlo_rewriter *r, hlo_type type, const int64_t *sizes,
                                    uint32_t rank);

/* Attribute values in the module's arena; slices and paddings are zeros to be filled in. */
hlo_slice *hlo_new_slice(hlo_rewriter *r, uint32_t n);
/* One that takes all of an array, to be narrowed along some dimensions. */
hlo_slice *hlo_new_whole_slice(hlo_rewriter *r, const hlo_shape *of);
hlo_padding *hlo_new_padding(hlo_rewriter *r, uint32_t n);
hlo_attr hlo_attr_of_ints(hlo_rewriter *r, hlo_attr_id id, const int64_t *v, uint32_t n);
hlo_attr hlo_attr_of_int(hlo_attr_id id, int64_t value);

#endif
