/* What a page shows of a module: numbers of computations and instructions, and which of them have
 * no separate node. */
#ifndef HLO_GRAPH_HTML_MODEL_H
#define HLO_GRAPH_HTML_MODEL_H

#include "graph/dot/dot_text.h"

typedef struct {
    hlo_module *first; /* with the parts of a dataflow graph after it */
    const hlo_dot_extras *extras;
    /* All computations, by number: `own_computations` of the module; then of a comparison those
     * that only the other module has. */
    const hlo_computation **called;
    const hlo_instr **callers; /* by number: one that calls it, or NULL */
    uint32_t computation_count, own_computations;
    /* By number of the computation, and one more: the end. The lone instructions in counterparts of
     * computations have the numbers from there on, in the order of extras->lone. */
    uint32_t *first_instr;
    uint32_t *lone_first, *lone_count; /* by number of the computation: places in extras->lone */
    const hlo_instr **lone_operands;   /* of all of these, one after the other */
    uint32_t *lone_operands_first;     /* by place in extras->lone */
    /* The other way round: what users with a counterpart had as operands, one after the other; by
     * number of the user, and one more. */
    const hlo_instr **lone_before;
    uint32_t *lone_before_first;
    uint32_t *numbers; /* by part and id; the other module is the last part */
    struct {
        const hlo_module *module;
        uint32_t first_number; /* of its ids, in `numbers` */
    } * parts;
    uint32_t part_count;
    bool *tied;         /* by instruction: has control dependencies */
    bool *must_be_seen; /* of a comparison, by instruction: it differs, and its users do not */
    bool expand_tuples; /* tuple elements are nodes */
} hlo_page_model;

/* Numbers all instructions of all parts through (hlo_instr.index), and those that only the other
 * module of a comparison has. */
void hlo_page_model_init(hlo_page_model *model, hlo_module *module, bool expand_tuples,
                         const hlo_dot_extras *extras);
void hlo_page_model_free(hlo_page_model *model);

/* Of the module; with those that only the other one has. */
static inline uint32_t hlo_page_own_count(const hlo_page_model *m) {
    return m->first_instr[m->own_computations];
}
static inline uint32_t hlo_page_instr_count(const hlo_page_model *m) {
    return m->first_instr[m->computation_count] + m->extras->lone_count;
}
/* How it differs from the other module; HLO_DOT_SAME where none is. */
hlo_dot_change hlo_page_change(const hlo_page_model *model, const hlo_instr *instr);
/* An operand; of a lone instruction the counterpart in the module, where it has one. */
const hlo_instr *hlo_page_operand(const hlo_page_model *model, const hlo_instr *instr, uint32_t i);
/* The lone instructions that its counterpart uses: `n` of them. */
const hlo_instr **hlo_page_lone_before(const hlo_page_model *model, const hlo_instr *instr,
                                       uint32_t *n);
/* Its control predecessors; NULL: none, or they are not shown, as of lone instructions. */
const hlo_attr *hlo_page_control(const hlo_page_model *model, const hlo_instr *instr);
/* The lone instruction of a computation at that place. */
static inline const hlo_instr *hlo_page_lone(const hlo_page_model *m, uint32_t computation,
                                             uint32_t place) {
    return m->extras->lone[m->lone_first[computation] + place].instr;
}
/* What the other module has in its place; NULL: nothing. */
static inline const hlo_instr *hlo_page_before(const hlo_page_model *m, const hlo_instr *instr) {
    return m->extras->before && instr->index < hlo_page_own_count(m)
               ? m->extras->before[instr->index]
               : NULL;
}
/* The number of a computation of the module, or of the counterpart of one of the other module, or
 * of one that only that has. */
uint32_t hlo_page_computation_number(const hlo_page_model *model, const hlo_computation *c);

/* Small constants, and broadcasts of such numbers, that only serve as operands: their users show
 * them; unless they changed. */
bool hlo_page_is_inlined(const hlo_page_model *model, const hlo_instr *instr);
/* A get-tuple-element whose users' edges come from the tuple itself. One that differs has a node,
 * unless all of its users differ in the same way. */
bool hlo_page_is_folded(const hlo_page_model *model, const hlo_instr *instr);
static inline bool hlo_page_has_node(const hlo_page_model *model, const hlo_instr *instr) {
    return !hlo_page_is_inlined(model, instr) && !hlo_page_is_folded(model, instr);
}
/* The instruction whose node the value comes from. */
const hlo_instr *hlo_page_source(const hlo_page_model *model, const hlo_instr *value);

#endif
