/* What instructions and computations cost, as columns of a page. */
#ifndef HLO_GRAPH_HTML_COSTS_H
#define HLO_GRAPH_HTML_COSTS_H

#include "graph/html/model.h"

/* Appends the members "flops", "transcendentals" and "bytes" with an entry for each instruction
 * (-1: not known), and the same with "total_" by computation, each with what it calls; "runs": how
 * often the computation runs in a run of the entry (0: never, -1: not known). A module that does
 * not verify has empty ones. */
void hlo_page_put_costs(hlo_buf *out, const hlo_page_model *model);

#endif
