/* Graphs of dataflow in the text: see back_edges.c. Private to src/parse. */
#ifndef HLO_PARSE_BACK_EDGES_H
#define HLO_PARSE_BACK_EDGES_H

#include "parse/parser.h"

/* The header has is_dataflow=true. */
bool hlo_is_dataflow_text(const hlo_parser *p);
/* Reports an opcode of the pending instruction that this module may not have. */
void hlo_check_dataflow_opcode(hlo_parser *p);
/* Whether an operand that no earlier instruction defines is one of a merge, to be found later. */
bool hlo_take_forward_operand(hlo_parser *p, hlo_name *name, hlo_span at);
/* The pending instruction has become `merge`. */
void hlo_note_forward_operand(hlo_parser *p, const hlo_pending *pending, hlo_instr *merge);
/* All instructions of the computation have been read: gives merges their back edges. */
void hlo_resolve_forward_operands(hlo_parser *p, const hlo_scope *scope);

#endif
