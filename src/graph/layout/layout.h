/* Places without Graphviz' searches: `--layout=fast`. */
#ifndef HLO_GRAPH_LAYOUT_LAYOUT_H
#define HLO_GRAPH_LAYOUT_LAYOUT_H

#include "graph/model/drawing.h"

/* Gives every node, cluster and the graph its size and place, in points, y downwards. An
 * instruction's row is one below its lowest operand's; rows are ordered by the means of their
 * adjacent nodes. A cluster is a box in the rows of its holder, in the place of a node or above the
 * instruction that calls it. O((n + e) log n). */
void hlo_dot_place(hlo_dot_graph *graph);
/* The parts of one drawing, each placed, beside each other in the clusters of their devices. */
void hlo_dot_place_beside(hlo_dot_graph *graphs, uint32_t count);

#endif
