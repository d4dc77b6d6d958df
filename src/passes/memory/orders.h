/* Orders in which the instructions of a computation could run, each made to need little memory. */
#ifndef HLO_PASSES_MEMORY_ORDERS_H
#define HLO_PASSES_MEMORY_ORDERS_H

#include "analysis/call_graph.h"
#include "analysis/dataflow.h"

/* What runs before what in a computation: operands, control predecessors, and for an instruction
 * with an effect the one with an effect before it. Everything is by hlo_instr.index, which is the
 * place in the order in which the instructions stood. */
typedef struct {
    hlo_computation *computation;
    hlo_instr **instr;
    uint32_t count;
    uint32_t *first_before,
        *before;                   /* those of i: before[first_before[i]] up to first_before[i+1] */
    uint32_t *first_after, *after; /* the reverse */
    hlo_dataflow flow;
    double *size; /* by buffer of `flow`: bytes; 0 of parameters and constants, which are there */
    double *made; /* by index: bytes of what the instruction makes */
    uint32_t *users; /* by index: instructions that have it as an operand */
} hlo_dependences;

/* Free with hlo_dependences_free. */
void hlo_dependences_init(hlo_dependences *d, const hlo_call_graph *graph, hlo_computation *c);
void hlo_dependences_free(hlo_dependences *d);

/* Fills `order` with all instructions, d->count of them. */
typedef void hlo_find_order(const hlo_dependences *d, hlo_instr **order);

/* What frees most bytes, less what it takes, next. */
hlo_find_order hlo_list_order;
/* What an instruction needs right before it; first what many others need, then what much memory
 * leads to. */
hlo_find_order hlo_depth_first_order;
/* The same, in the order of operands. */
hlo_find_order hlo_operands_first_order;

#endif
