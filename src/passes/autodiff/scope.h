/* Scopes: the computations that are differentiated - the entry, bodies of loops, branches of
 * conditionals - and for each of their values, leaf by leaf, whether it matters and what has
 * reached it. Shared by the files of this directory that are no rules. */
#ifndef HLO_PASSES_AUTODIFF_SCOPE_H
#define HLO_PASSES_AUTODIFF_SCOPE_H

#include "passes/autodiff/rule.h"

typedef enum { HLO_SCOPE_ENTRY, HLO_SCOPE_LOOP, HLO_SCOPE_BRANCH } hlo_scope_kind;

/* An array of a value; those of a tuple are counted depth first. */
typedef struct {
    bool is_active;       /* floating, and depends on a parameter that is differentiated by */
    hlo_instr *cotangent; /* what has reached it so far; NULL: nothing */
    hlo_instr *from;      /* the instruction from which the first of it came */
} hlo_leaf;

struct hlo_scope {
    hlo_scope_kind kind;
    hlo_scope *parent; /* NULL: the entry */
    hlo_instr *caller; /* the loop or conditional in the parent's computation */
    uint32_t branch;   /* of a conditional */
    hlo_computation *forward;
    hlo_instr **order;    /* its instructions when the scope was made, operands first */
    uint32_t *first_leaf; /* by position in that order; one entry more */
    hlo_leaf *leaves;
    uint32_t count;
};

/* Numbers the instructions of the computation, which must keep their hlo_instr.index. */
hlo_scope *hlo_scope_new(hlo_scope_kind kind, hlo_computation *forward);
void hlo_scope_free(hlo_scope *scope);

/* The leaves of an instruction; NULL for one that is not of the scope, or came later. */
hlo_leaf *hlo_scope_leaves(const hlo_scope *scope, const hlo_instr *instr);
/* Where the leaves of element i of a tuple begin; in which operand of a tuple instruction a leaf
 * is, which becomes its number there. */
uint32_t hlo_leaf_of_element(const hlo_shape *tuple, int64_t i);
uint32_t hlo_operand_of_leaf(const hlo_instr *tuple, uint32_t *leaf);
/* The shape of a leaf. */
const hlo_shape *hlo_leaf_shape(const hlo_shape *shape, uint32_t leaf);
/* Floats and complex numbers. */
bool hlo_is_floating(const hlo_shape *shape);

/* The rule of an opcode; NULL: there is none. */
hlo_gradient_rule *hlo_gradient_rule_of(hlo_opcode opcode);

/* Marks leaves that depend on active leaves of parameters, which are marked already. */
void hlo_find_active(hlo_scope *scope);

/* Hands cotangents on from the results of the scope to its parameters, in reverse order. */
bool hlo_gradient_walk(hlo_gradient *g);

#endif
