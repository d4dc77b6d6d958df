/* The parts of a module that are no computations, from nodes. */
#ifndef HLO_PROTO_FROM_MODULE_H
#define HLO_PROTO_FROM_MODULE_H

#include "proto/from_instr.h"

/* Entry, header attributes and tables, once all computations are there. */
bool hlo_from_header(hlo_reader *r, const hlo_node *module);
/* Arguments and result of a run, once the module is there: of an HloSnapshot, and of an
 * HloUnoptimizedSnapshot, whose arguments may follow its message. */
bool hlo_from_snapshot(hlo_reader *r, const hlo_node *snapshot);
bool hlo_from_unoptimized_snapshot(hlo_reader *r, const hlo_node *snapshot);
/* The module in one message of another one. */
hlo_status hlo_read_part(hlo_reader *outer, const hlo_node *node, hlo_module **out);

#endif
