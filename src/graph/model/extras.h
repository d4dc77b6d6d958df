/* What a drawing shows that the module does not hold: times of a profile, and what another module
 * has. */
#ifndef HLO_GRAPH_MODEL_EXTRAS_H
#define HLO_GRAPH_MODEL_EXTRAS_H

#include "ir/ir.h"

enum {
    HLO_DOT_SMALL_CONSTANT = 8, /* elements: such constants stand in their users' labels */
};

/* How an instruction differs from the module before. */
typedef enum { HLO_DOT_SAME, HLO_DOT_CHANGED, HLO_DOT_ADDED, HLO_DOT_REMOVED } hlo_dot_change;

/* An instruction that only the other module has, in the counterpart of its computation. */
typedef struct {
    const hlo_computation *computation;
    const hlo_instr *instr;
} hlo_dot_lone;

/* From operand to user, one of them lone: an instruction of the module, or NULL and a number in the
 * list of the lone ones. */
typedef struct {
    hlo_instr *from, *to;
    uint32_t lone_from, lone_to;
} hlo_dot_lone_edge;

/* What a drawing shows that is not in the module. Numbers of instructions: see select.h. */
typedef struct {
    double **seconds; /* of a profile: by part, by number; -1: it has no such row */
    double all_seconds;
    uint8_t *changes; /* of a comparison with `other`: hlo_dot_change by number */
    hlo_dot_lone *lone;
    hlo_dot_lone_edge *lone_edges; /* those to a lone one stand in the order of its operands */
    uint32_t lone_count, lone_edge_count;
    uint32_t lone_elsewhere; /* in computations without a counterpart: these are not drawn */
    hlo_module *other;
    uint32_t compared;              /* instructions of the module */
    hlo_instr **before;             /* by number: the counterpart, or NULL */
    hlo_computation **counterparts; /* by id in `other`, or NULL */
    /* The report of hlo-diff on those that changed, each difference a line, by number
     * (else NULL); the same of the header, or NULL. */
    char **differences, *header_differences;
} hlo_dot_extras;

#endif
