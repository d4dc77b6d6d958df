/* How hlo-rebuild remakes one instruction by the public functions of hlo_builder.h.
 * Private to the files of this folder. */
#ifndef HLO_TESTS_REBUILD_REMAKE_H
#define HLO_TESTS_REBUILD_REMAKE_H

#include "base/list.h"
#include "ir/ir.h"
#include <hlo_builder.h>

typedef struct {
    hlo_builder *b;
    hlo_arena *scratch;                   /* for lists of one instruction */
    const hlo_computation **computations; /* what was built, by id of the old one */
    const hlo_instr **instrs;             /* by hlo_instr.index in the old computation */
    HLO_LIST(const hlo_instr *) operands; /* of the instruction, as built */
} remaking;

typedef const hlo_instr *remaker(remaking *r, const hlo_instr *old);

typedef struct {
    remaker *make;
    const uint16_t *says; /* the attributes that are arguments of the function; HLO_ATTR_COUNT ends
                             them */
} remaker_row;

/* By opcode: remakers.def. */
extern const remaker_row remakers[HLO_OP_COUNT];

/* Sets an attribute of the next instruction as text. */
void remake_in_words(remaking *r, const hlo_attr *attr);

#define HLO_REMAKER(opcode, name, says) remaker remake_##name;
#include "rebuild/remakers.def"
#undef HLO_REMAKER

/* ---- arguments ---- */

static inline const hlo_instr *op(const remaking *r, uint32_t number) {
    return r->operands.v[number];
}

static inline hlo_instrs_list ops_from(const remaking *r, uint32_t first, uint32_t count) {
    return (hlo_instrs_list){count, r->operands.v + first};
}

static inline hlo_instrs_list all_ops(const remaking *r) {
    return ops_from(r, 0, r->operands.n);
}

static inline hlo_instrs_list ops_after(const remaking *r, uint32_t first) {
    return ops_from(r, first, r->operands.n - first);
}

static inline int64_t first_of(const hlo_instr *old, hlo_attr_id id) {
    const hlo_ints *list = hlo_attr_ints(old, id);
    return list->n ? list->v[0] : -1;
}

static inline const hlo_computation *callee(const remaking *r, const hlo_instr *old,
                                            hlo_attr_id id) {
    const hlo_attr *attr = hlo_instr_attr(old, id);
    return attr ? r->computations[attr->u.computation->id] : NULL;
}

static inline int64_t number(const hlo_instr *old, hlo_attr_id id) {
    return hlo_attr_int(old, id);
}

static inline const char *text(const remaking *r, hlo_str from) {
    char *to = hlo_arena_alloc(r->scratch, from.len + 1u);
    memcpy(to, from.ptr, from.len);
    to[from.len] = 0;
    return to;
}

static inline const hlo_shape *part(const hlo_instr *old, uint32_t number) {
    return hlo_shape_is_tuple(old->shape) && number < old->shape->rank
               ? old->shape->elements[number]
               : old->shape;
}

#endif
