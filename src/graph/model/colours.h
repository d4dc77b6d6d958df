/* Colours of nodes, and the legend. */
#ifndef HLO_GRAPH_MODEL_COLOURS_H
#define HLO_GRAPH_MODEL_COLOURS_H

#include "graph/model/drawing.h"

/* The number in the palette, or of the class, which counts as drawn from now on. */
uint32_t hlo_dot_colour_of(hlo_dot_graph *graph, const hlo_instr *instr);
/* That of an instruction that only the other module of a comparison has. */
uint32_t hlo_dot_colour_of_lone(hlo_dot_graph *graph);
/* Several colours beside each other: stripes, which Graphviz has in boxes. */
bool hlo_dot_is_striped(const hlo_dot_graph *graph, uint32_t colour);
/* Its Graphviz colour, or list of them. */
const char *hlo_dot_fill(const hlo_dot_graph *graph, uint32_t colour);
/* A cluster with a row for each colour that is drawn. */
void hlo_dot_add_legend(hlo_dot_graph *graph);

#endif
