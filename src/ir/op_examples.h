/* What --explain adds to an operation's row: what it computes, the shape of its result in
 * words, a module with it. Made from docs/ops/OP.hlo by tools/op-examples. */
#ifndef HLO_IR_OP_EXAMPLES_H
#define HLO_IR_OP_EXAMPLES_H

#include <stddef.h>

typedef struct {
    const char *op, *meaning;
    const char *shape;   /* empty: that of the operands */
    const char *example; /* a module, whole lines */
} hlo_op_example;

/* Ends with a row whose op is NULL. */
extern const hlo_op_example hlo_op_examples[];

#endif
