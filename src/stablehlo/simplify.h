/* The simplification of StableHLO: patterns, and how they change a function. Private to
 * src/stablehlo.
 *
 * As in MLIR each change puts operations on a list of what to visit again, in an order that decides
 * which pattern is next: patterns change the tree by the functions below only, except where XLA's
 * pattern does it unnoticed. */
#ifndef HLO_STABLEHLO_SIMPLIFY_H
#define HLO_STABLEHLO_SIMPLIFY_H

#include "stablehlo/dense.h"
#include "stablehlo/edit.h"

/* Results of more elements are not folded, where a pattern has this limit. */
enum { HLO_SIMPLIFY_MOST_ELEMENTS = 65536 };

typedef struct hlo_simplify_plan hlo_simplify_plan;

typedef struct hlo_simplifier {
    hlo_mlir_module *module;
    const hlo_simplify_plan *plan;
    hlo_mlir_region *scope;           /* the body of the function */
    hlo_mlir_block *block;            /* new operations are put into it, */
    hlo_mlir_op *before;              /* before this one; NULL: at the end */
    HLO_LIST(hlo_mlir_op *) worklist; /* the last is the next; NULL: was taken out */
    HLO_LIST(hlo_mlir_op *) shared;   /* constants of this round, by content */
    hlo_hash shared_by_hash;          /* numbers of them, from 1 */
    uint32_t round;
} hlo_simplifier;

/* Whether it changed something. */
typedef bool hlo_simplification(hlo_simplifier *s, hlo_mlir_op *op);

/* What is applied to the operations of a function. */
struct hlo_simplify_plan {
    hlo_simplification *apply; /* the first pattern that fits the operation, at its place */
    bool top_down;             /* an operation is visited before what is inside and after it */
    uint32_t most_rounds;
};
/* Applies the plan to the function until nothing changes, or so many times. */
void hlo_simplify_function(hlo_mlir_module *module, hlo_mlir_op *function,
                           const hlo_simplify_plan *plan);

#define HLO_SIMPLIFY(op, function, ...) hlo_simplification hlo_simplify_##function;
#include "stablehlo/simplify.def"
#undef HLO_SIMPLIFY
/* The pattern for any operation, after all others. */
hlo_simplification hlo_simplify_empty;

/* ---- making ---- */

/* A new operation at the place that `s` has. It has no attributes. */
hlo_mlir_op *hlo_simplify_new(hlo_simplifier *s, hlo_mlir_op_id id,
                              const hlo_mlir_location *location, uint32_t results,
                              const hlo_mlir_type *const *types, uint32_t operands,
                              hlo_mlir_value *const *values, uint32_t regions);
/* With one operand and one result. */
hlo_mlir_op *hlo_simplify_new_unary(hlo_simplifier *s, hlo_mlir_op_id id,
                                    const hlo_mlir_location *location, const hlo_mlir_type *type,
                                    hlo_mlir_value *operand);
hlo_mlir_value *hlo_simplify_constant(hlo_simplifier *s, const hlo_mlir_location *location,
                                      const hlo_mlir_attr *value);
void hlo_simplify_set_ints(hlo_simplifier *s, hlo_mlir_op *op, const char *name, uint32_t n,
                           const int64_t *v);
/* All of these places in one. */
const hlo_mlir_location *hlo_simplify_fuse(hlo_simplifier *s, uint32_t n, hlo_mlir_op *const *ops);
/* Attributes that are not properties: those of `from` are added to those of `to`. */
void hlo_simplify_merge_attrs(hlo_simplifier *s, const hlo_mlir_op *from, hlo_mlir_op *to);

/* ---- changing ---- */

void hlo_simplify_notify(hlo_simplifier *s, hlo_mlir_op *op); /* it was made or changed */
void hlo_simplify_erase(hlo_simplifier *s, hlo_mlir_op *op);
void hlo_simplify_replace_uses(hlo_simplifier *s, hlo_mlir_value *old, hlo_mlir_value *value);
/* Uses of its results become uses of the values (NULL: the result has none), and it is erased. */
void hlo_simplify_replace(hlo_simplifier *s, hlo_mlir_op *op, hlo_mlir_value *const *values);
/* The same for an operation of one result; returns true. */
bool hlo_simplify_replace_by(hlo_simplifier *s, hlo_mlir_op *op, hlo_mlir_value *value);
bool hlo_simplify_replace_constant(hlo_simplifier *s, hlo_mlir_op *op, const hlo_mlir_attr *value);

/* ---- asking ---- */

bool hlo_simplify_is_dead(const hlo_mlir_op *op);
static inline const hlo_mlir_type *hlo_simplify_type(const hlo_mlir_op *op) {
    return op->results[0].type;
}

#endif
