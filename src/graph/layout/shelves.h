/* Top-level clusters beside and below each other. Private to the fast layout: called by layout.c.
 */
#ifndef HLO_GRAPH_LAYOUT_SHELVES_H
#define HLO_GRAPH_LAYOUT_SHELVES_H

#include "graph/model/drawing.h"

enum { HLO_DOT_SHELF = 36 }; /* points between top-level clusters */

/* Moves clusters without a holder, whose corner is 0,0, and gives the graph its size. `order` is of
 * all clusters. */
void hlo_dot_fill_shelves(hlo_dot_graph *graph, const uint32_t *order);

#endif
