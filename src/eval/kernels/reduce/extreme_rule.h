/* Reductions to an extreme element and its position (argmax, argmin): which element the computation
 * of a reduce over values and positions keeps. */
#ifndef HLO_EVAL_KERNELS_REDUCE_EXTREME_RULE_H
#define HLO_EVAL_KERNELS_REDUCE_EXTREME_RULE_H

#include "eval/kernel/kernel.h"

/* How an accumulator relates to an element, by their values; by their positions, one of the first
 * three. */
typedef enum {
    HLO_LESS,
    HLO_EQUAL,
    HLO_GREATER,
    HLO_NAN_FIRST, /* the accumulator */
    HLO_NAN_SECOND,
    HLO_NAN_BOTH,
    HLO_RELATIONS
} hlo_relation;

/* What is taken of the element instead of the accumulator. */
typedef struct {
    bool value, position;
} hlo_taken;

typedef struct {
    hlo_taken taken[HLO_RELATIONS][HLO_GREATER + 1]; /* by values, by positions */
    bool greatest;    /* the greatest value is kept, else the least one */
    bool last;        /* of equal ones the last one's position, else the first one's */
    bool takes_nan;   /* the first NaN is kept before all others */
    bool splits_ties; /* of equal ones, not always that value whose position is kept */
    uint32_t dimension;
} hlo_extreme_rule;

/* Whether the instruction is a reduce of values and of their positions along the reduced dimension,
 * which are an iota, by comparisons that keep an extreme one. */
bool hlo_find_extreme(const hlo_instr *reduce, hlo_extreme_rule *rule);

#endif
