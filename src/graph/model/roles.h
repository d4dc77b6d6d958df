/* What becomes of an instruction in a drawing: a node, a line in its users' labels, a cluster
 * around its body, or edges that pass. */
#ifndef HLO_GRAPH_MODEL_ROLES_H
#define HLO_GRAPH_MODEL_ROLES_H

#include "graph/model/select.h"

/* Who calls what, and which computations one line describes. Before anything is selected. */
void hlo_dot_find_callers(hlo_dot_selection *selection);
/* The fusion or call in whose place the computation would be drawn: its only caller; or NULL. */
hlo_instr *hlo_dot_place_of(const hlo_dot_selection *selection, const hlo_computation *computation);
/* The body that would be drawn in the instruction's place, or NULL. */
hlo_computation *hlo_dot_body_of(const hlo_dot_selection *selection, const hlo_instr *instr);

/* A small constant, or a broadcast of one number. */
bool hlo_dot_is_short_value(const hlo_instr *instr);
/* Such a value that only serves as an operand: a text. */
bool hlo_dot_is_value(const hlo_dot_selection *selection, const hlo_instr *instr);

/* Fills selection->roles from what is kept. */
void hlo_dot_give_roles(hlo_dot_selection *selection);
/* The body that is drawn in the instruction's place, or NULL. */
hlo_computation *hlo_dot_drawn_body(const hlo_dot_selection *selection, const hlo_instr *instr);
/* Where an edge that passes the instruction comes from; NULL: the instruction has another role. */
hlo_instr *hlo_dot_passed(const hlo_dot_selection *selection, const hlo_instr *instr);
/* The same until there is nothing more to pass: of an operand a node, a text, or hidden. Edges,
 * labels and ellipses take operands from here, so that each is shown once. */
hlo_instr *hlo_dot_source(const hlo_dot_selection *selection, hlo_instr *instr);
/* The result of the computation that all this ends in: its root, or that of a body in its place. */
bool hlo_dot_is_result(const hlo_dot_selection *selection, const hlo_instr *instr);

#endif
