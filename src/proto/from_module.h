/* The parts of a module that are no computations, from nodes. Called by from_module.c. */
#ifndef HLO_PROTO_FROM_MODULE_H
#define HLO_PROTO_FROM_MODULE_H

#include "proto/from_instr.h"

/* Entry, header attributes and tables, once all computations are there. */
bool hlo_from_header(hlo_reader *r, const hlo_node *module);
/* One module from [at, end) of the reader's source, in the reader's form: a message of its own. */
hlo_status hlo_read_part(const hlo_reader *outer, uint32_t at, uint32_t end, hlo_module **out);

#endif
