/* lower-control-flow: what its parts share. A value is a list of leaves, those of its shape;
 * regions are the places of code that may not be taken. Private to this directory. */
#ifndef HLO_PASSES_DATAFLOW_LOWER_H
#define HLO_PASSES_DATAFLOW_LOWER_H

#include "passes/dataflow/forms.h"
#include "passes/pipeline/emit.h"

/* A predicate that decides between regions. */
typedef struct {
    hlo_instr *predicate;
    const hlo_instrs *after; /* what its switches wait for; NULL: nothing */
    hlo_instr *decided;      /* switch(predicate, predicate); NULL: not made yet */
    hlo_instr *pivots[2];    /* its elements */
} hlo_flow_choice;

typedef enum { HLO_FLOW_ROOT, HLO_FLOW_CONDITION, HLO_FLOW_BODY, HLO_FLOW_BRANCH } hlo_region_kind;

typedef struct hlo_flow_region {
    hlo_region_kind kind;
    const struct hlo_flow_region *outer; /* of a body: the condition of its loop */
    const hlo_str *frame;                /* CONDITION */
    hlo_instr *pivot;                    /* CONDITION, BODY: arrives in each iteration of it */
    hlo_flow_choice *choice;             /* BODY, BRANCH */
    int side;                            /* of the choice: 0 or 1 */
} hlo_flow_region;

/* An array, a token or a stack. A value of a region dies where the region is not taken; literals
 * and loop invariants are live all the same, unless they pass a gate at the region's border. */
typedef struct {
    const hlo_flow_region *region;
    hlo_instr *literal; /* that the value is a copy of; NULL: it is none */
    hlo_instr *live;    /* NULL: a literal that is unread so far */
    hlo_instr *dying;   /* NULL: no gate was needed yet */
} hlo_flow_leaf;

/* What an instruction of a computation became. */
typedef struct {
    hlo_flow_leaf **leaves;
    hlo_instr *node;         /* NULL: it is no node, its leaves are */
    const hlo_instrs *after; /* of one that vanished: its control predecessors */
} hlo_flow_slot;

/* A computation that is being walked. */
typedef struct {
    hlo_flow_region *region;
    hlo_flow_leaf ***arguments; /* by parameter number */
    hlo_flow_slot *slots;       /* by hlo_instr.index */
    const hlo_instrs *after;    /* what all of it waits for; NULL: nothing */
} hlo_flow_scope;

typedef struct {
    const hlo_pass_call *call;
    hlo_rewriter *r;
    hlo_computation *to;
    hlo_arena scratch;
    HLO_LIST(int64_t) devices; /* by index of a node: see hlo_flow_device */
    int64_t parallel_iterations;
    int64_t size, most; /* instructions of bodies that were copied so far, and may be */
    bool keeps_scalar_loops;
    uint32_t depth, seen; /* seen: a mark of what was copied once */
    bool failed;
} hlo_lowering;

/* Reports an error at an instruction of the module. */
void hlo_flow_refuse(hlo_lowering *l, const hlo_instr *at, hlo_rule rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A loop whose state, and all that it computes, are scalars, and that has no effect. */
bool hlo_flow_is_scalar_loop(const hlo_instr *instr);

/* ---- lower_nodes.c: nodes and their devices ---- */

enum { HLO_NO_DEVICE = -1 };
int64_t hlo_flow_device_named(const hlo_instr *instr); /* by its sharding */
/* That of its sharding, else that of the first operand that has one. */
int64_t hlo_flow_device(const hlo_lowering *l, const hlo_instr *node);
/* Gives the node a sharding where that rule would put it elsewhere. */
void hlo_flow_place(hlo_lowering *l, hlo_instr *node, int64_t device);
void hlo_flow_wait(hlo_lowering *l, hlo_instr *node, const hlo_instrs *after);

/* The shapes of a value's leaves. */
const hlo_shape *const *hlo_flow_shapes(hlo_lowering *l, const hlo_shape *shape);
/* The node gets another layout, where that is all that differs. */
void hlo_flow_lay_out(hlo_instr *node, const hlo_shape *shape);
hlo_instr *hlo_flow_primitive(hlo_lowering *l, hlo_opcode opcode, hlo_instr *operand);
hlo_instr *hlo_flow_switch(hlo_lowering *l, hlo_instr *data, hlo_instr *predicate);
hlo_instr *hlo_flow_element(hlo_lowering *l, hlo_instr *tuple, int64_t index);
hlo_instr *hlo_flow_merge(hlo_lowering *l, hlo_instr *const *values, uint32_t n);
hlo_instr *hlo_flow_constant_enter(hlo_lowering *l, hlo_instr *value, const hlo_str *frame);
hlo_instr *hlo_flow_variable_enter(hlo_lowering *l, hlo_instr *value, const hlo_str *frame);
/* A copy of an instruction of the module, with its name the first time. */
hlo_instr *hlo_flow_copy(hlo_lowering *l, hlo_instr *instr, hlo_instr *const *operands, uint32_t n);
hlo_instr *hlo_flow_tuple(hlo_lowering *l, hlo_instr *const *operands, uint32_t n);
/* The number in an array of that shape, in the root. */
hlo_instr *hlo_flow_number(hlo_lowering *l, const hlo_shape *shape, int64_t number);
hlo_instr *hlo_flow_token(hlo_lowering *l);
/* Counts a node that was emitted otherwise; returns it. */
hlo_instr *hlo_flow_enlist(hlo_lowering *l, hlo_instr *node);

/* ---- gates.c: leaves and regions ---- */

hlo_flow_leaf *hlo_flow_value(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *node);
hlo_flow_leaf *hlo_flow_literal(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *literal);
hlo_flow_leaf *hlo_flow_invariant(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *enter);
/* Whether it dies without a gate. */
static inline bool hlo_flow_dies(const hlo_flow_leaf *leaf) {
    return leaf->live && leaf->live == leaf->dying;
}
hlo_instr *hlo_flow_live(hlo_lowering *l, hlo_flow_leaf *leaf);
hlo_instr *hlo_flow_dying(hlo_lowering *l, hlo_flow_leaf *leaf);
/* What arrives whenever the region is taken, and is dead otherwise; NULL: in the root. */
hlo_instr *hlo_flow_pivot(hlo_lowering *l, const hlo_flow_region *region);

/* ---- lower_control_flow.c: computations ---- */

/* The leaves of the result; NULL after an error. */
hlo_flow_leaf **hlo_flow_walk(hlo_lowering *l, hlo_computation *c, hlo_flow_leaf ***arguments,
                              hlo_flow_region *region, const hlo_instrs *after);

/* ---- lower_loop.c, lower_conditional.c: what an instruction of the scope becomes ---- */

hlo_flow_leaf **hlo_flow_loop(hlo_lowering *l, const hlo_flow_scope *scope, hlo_instr *loop,
                              const hlo_instrs *after);
hlo_flow_leaf **hlo_flow_conditional(hlo_lowering *l, const hlo_flow_scope *scope,
                                     hlo_instr *conditional, const hlo_instrs *after);
static inline hlo_flow_leaf **hlo_flow_operand(const hlo_flow_scope *scope, const hlo_instr *instr,
                                               uint32_t i) {
    return scope->slots[hlo_operand(instr, i)->index].leaves;
}

#endif
