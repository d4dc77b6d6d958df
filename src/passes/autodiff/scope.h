/* Scopes: the computations that are differentiated (the entry, bodies of loops, branches), for each
 * leaf of their values whether it matters and what has reached it, and what has been made where the
 * gradient of a scope is made. Shared by the files of this directory that are no rules. */
#ifndef HLO_PASSES_AUTODIFF_SCOPE_H
#define HLO_PASSES_AUTODIFF_SCOPE_H

#include "passes/autodiff/canonical.h"
#include "passes/autodiff/rule.h"

typedef enum { HLO_SCOPE_ENTRY, HLO_SCOPE_LOOP, HLO_SCOPE_BRANCH } hlo_scope_kind;

/* What a cotangent is known to hold. MASKED: zeros where something had no part in a result. */
typedef enum { HLO_ZEROS_UNKNOWN, HLO_ZEROS_NONE, HLO_ZEROS_MASKED } hlo_zeros;

/* An array of a value; those of a tuple are counted depth first. */
typedef struct {
    bool is_active;       /* floating, and depends on a parameter that is differentiated by */
    bool is_reached;      /* active, and a result depends on it */
    uint8_t zeros;        /* an hlo_zeros, when it is reached: of the sum of what reaches it */
    uint8_t first_zeros;  /* of the root of a body or branch: of what comes from outside */
    hlo_instr *cotangent; /* what has reached it so far; NULL: nothing */
    hlo_guard guard;      /* of that */
    hlo_instr *from;      /* the instruction from which the first of it came */
} hlo_leaf;

/* A forward value, and what stands for it in the gradient. */
typedef struct {
    const hlo_instr *forward;
    hlo_instr *value;
} hlo_known;

typedef HLO_LIST(hlo_known) hlo_known_list;

/* A matrix that was made of the reflectors of a QR, and what has reached it: lapack_qr.c. */
typedef struct {
    const hlo_instr *factored;
    hlo_instr *made, *cotangent;
    hlo_instr *mark; /* zeros for the reflectors, by which the walk gets to the QR */
} hlo_orthogonal;

typedef HLO_LIST(hlo_element) hlo_element_list;

/* A value of which there is one at a time, and that each scope on the way hands on to the one where
 * it changes: a stack, an array that is used as one, or how much of such arrays is in use. */
typedef struct hlo_thread hlo_thread; /* threads.h */

/* Where it is in a scope: what it was when it came in, and what has become of it, in the gradient.
 */
typedef struct {
    hlo_thread *thread;
    uint32_t element; /* of the scope's */
    hlo_instr *current;
} hlo_held_thread;

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
    bool has_more;         /* active leaves of the parameter than when it was walked */
    bool has_zeros;        /* zeros.c has walked it */
    hlo_scope ***children; /* by position: the body's scope, or those of branches; or NULL */

    hlo_element_list added; /* to what goes through the forward computation: see hlo_settle */

    hlo_instr *place;          /* the gradient is made before this instruction */
    hlo_instr *parameter;      /* of its computation; NULL: the entry's */
    hlo_element_list elements; /* of that parameter, and of what comes out */
    HLO_LIST(hlo_held_thread) threads;
    hlo_instr **values;      /* values in its gradient, by position */
    hlo_known_list known;    /* the same of instructions that came later */
    bool *is_free;           /* by position: see forward_values.c; NULL: not asked yet */
    hlo_known_list imported; /* values of the parent, by the parent's instruction */
    hlo_known_list kept;     /* values to be kept, and what holds their place: see residuals.h */
    HLO_LIST(hlo_orthogonal) orthogonals;
    hlo_thread *cursor; /* of arrays that grow in each execution; NULL: none yet */
};

/* Numbers the instructions of the computation, which must keep their hlo_instr.index. */
hlo_scope *hlo_scope_new(hlo_scope_kind kind, hlo_computation *forward);
/* With its children. */
void hlo_scope_free(hlo_scope *scope);
/* Scopes of a loop's body or of a conditional's branches: how many there are, and makes them unless
 * they are there. */
uint32_t hlo_scope_child_count(const hlo_instr *instr);
uint32_t hlo_scope_open_children(hlo_scope *scope, hlo_instr *instr);

bool hlo_scope_knows(const hlo_scope *scope, const hlo_instr *instr);
/* The leaves of an instruction; NULL for one that is not of the scope, or came later. */
hlo_leaf *hlo_scope_leaves(const hlo_scope *scope, const hlo_instr *instr);
/* In which operand of a tuple instruction a leaf is, which becomes its number there. */
uint32_t hlo_operand_of_leaf(const hlo_instr *tuple, uint32_t *leaf);
/* Floats and complex numbers. */
bool hlo_is_floating(const hlo_shape *shape);
bool hlo_has_floating_leaf(const hlo_shape *shape);

/* The rule of an opcode; NULL: there is none. And what it does with zeros: see rules.def. */
hlo_gradient_rule *hlo_gradient_rule_of(hlo_opcode opcode);
typedef enum { HLO_RULE_KEEPS, HLO_RULE_MAKES, HLO_RULE_SLOPE, HLO_RULE_MIXES } hlo_rule_zeros;
hlo_rule_zeros hlo_gradient_zeros_of(hlo_opcode opcode);

/* Inlines and unshares what the walk goes through; false after an error. One flag a parameter. */
bool hlo_prepare(hlo_gradient *g, const bool *chosen);
/* Marks leaves that depend on active leaves of parameters, which are marked already. */
void hlo_find_active(hlo_scope *scope);
/* Marks active leaves on which marked leaves of the root depend. */
void hlo_find_reached(hlo_scope *scope);
/* Finds which cotangents of reached leaves hold zeros that masks make. */
void hlo_find_zeros(hlo_scope *scope);
/* What the instruction gives an operand has zeros that its cotangent has not. */
bool hlo_makes_zeros(const hlo_scope *scope, const hlo_instr *instr, uint32_t operand);
/* What the instruction gives an operand may be nan where its cotangent is 0. */
bool hlo_slope_may_be_nan(const hlo_scope *scope, const hlo_instr *instr, uint32_t operand);
/* Hands cotangents on from the results of the scope to its parameters, in reverse order. */
bool hlo_gradient_walk(hlo_gradient *g);

/* ---- where a gradient is made ---- */

/* Goes on with the gradient of another scope; returns the one before, to go back to. */
hlo_scope *hlo_enter_scope(hlo_gradient *g, hlo_scope *scope);
/* An element more of what comes into a gradient that is no entry's; returns what it is inside.
 * `init` is in the gradient of the parent; NULL: to be filled in later. */
hlo_instr *hlo_add_element(hlo_gradient *g, hlo_scope *scope, hlo_instr *init,
                           const hlo_shape *shape);
/* The value of an instruction of the parent's computation, handed in. */
hlo_instr *hlo_import(hlo_gradient *g, hlo_scope *scope, hlo_instr *outer);

/* ---- the forward computation ---- */

/* How many leaves an instruction had when the scope was made: tuples get elements later. */
uint32_t hlo_scope_leaf_count(const hlo_scope *scope, const hlo_instr *instr);
/* Which element of the parameter, which is a tuple, the instruction is; -1: none. */
int64_t hlo_parameter_element(const hlo_instr *instr);
/* The element of a loop's state is the same in every iteration. */
bool hlo_is_invariant(const hlo_instr *loop, int64_t element);
/* Adds to loops and conditionals of the scope and its children what was added to their states,
 * operands and results. */
void hlo_settle(hlo_rewriter *r, hlo_scope *scope);

#endif
