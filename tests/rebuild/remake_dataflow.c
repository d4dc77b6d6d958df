/* Primitives of dataflow graphs, and stacks, remade by the functions of hlo_builder.h. */
#include "rebuild/remake.h"

static const char *string(const remaking *r, const hlo_instr *old, hlo_attr_id id) {
    return text(r, *hlo_instr_attr(old, id)->u.string);
}

const hlo_instr *remake_switch(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_switch(r->b, op(r, 0), op(r, 1));
}

/* Its back edge is set with its next-iteration. */
const hlo_instr *remake_merge(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_merge(r->b, all_ops(r));
}

const hlo_instr *remake_enter(remaking *r, const hlo_instr *old) {
    const hlo_attr *limit = hlo_instr_attr(old, HLO_ATTR_PARALLEL_ITERATIONS);
    return hlo_builder_enter(r->b, op(r, 0), string(r, old, HLO_ATTR_FRAME_NAME),
                             number(old, HLO_ATTR_IS_CONSTANT), limit ? limit->u.i : 0);
}

const hlo_instr *remake_exit(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_exit(r->b, op(r, 0));
}

const hlo_instr *remake_next_iteration(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_next_iteration(r->b, op(r, 0));
}

const hlo_instr *remake_edge_send(remaking *r, const hlo_instr *old) {
    return hlo_builder_edge_send(r->b, op(r, 0), string(r, old, HLO_ATTR_KEY),
                                 number(old, HLO_ATTR_TO_DEVICE));
}

const hlo_instr *remake_edge_recv(remaking *r, const hlo_instr *old) {
    return hlo_builder_edge_recv(r->b, old->shape, string(r, old, HLO_ATTR_KEY),
                                 number(old, HLO_ATTR_FROM_DEVICE));
}

const hlo_instr *remake_stack_create(remaking *r, const hlo_instr *old) {
    return hlo_builder_stack_create(r->b, hlo_instr_attr(old, HLO_ATTR_ELEMENT)->u.shape);
}

const hlo_instr *remake_stack_push(remaking *r, const hlo_instr *old) {
    (void)old;
    return hlo_builder_stack_push(r->b, op(r, 0), op(r, 1));
}

const hlo_instr *remake_stack_pop(remaking *r, const hlo_instr *old) {
    return hlo_builder_stack_pop(r->b, op(r, 0), part(old, 1));
}
