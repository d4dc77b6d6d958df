/* Labels of the edges of operands, and where they are in a drawing whose places are ours. */
#ifndef HLO_GRAPH_LAYOUT_EDGE_LABELS_H
#define HLO_GRAPH_LAYOUT_EDGE_LABELS_H

#include "graph/layout/spots.h"
#include "graph/model/drawing.h"

/* Texts, escaped for Graphviz and empty where an edge has none, and the middles of both. */
typedef struct {
    hlo_buf head;    /* the operand's number, its shape */
    hlo_buf element; /* of a tuple */
    double head_x, element_x, y;
} hlo_dot_edge_labels;

/* Of a graph with places the labels take a spot beside the end of the edge. Where none is free, as
 * above wide tuples, they are left empty: the edge's tooltip has what they state. To be freed. */
void hlo_dot_label_edge(hlo_dot_edge_labels *labels, const hlo_dot_graph *graph,
                        const hlo_dot_edge *edge, hlo_dot_spots *spots);
void hlo_dot_edge_labels_free(hlo_dot_edge_labels *labels);

#endif
