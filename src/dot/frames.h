/* Frames and back edges of dataflow graphs as Graphviz text: see frames.c. Private to src/dot. */
#ifndef HLO_DOT_FRAMES_H
#define HLO_DOT_FRAMES_H

#include "dot/graph.h"

/* The frames of the entry computation as clusters in each other; its nodes have been drawn. */
void hlo_dot_draw_frames(const hlo_dot_graph *g, hlo_buf *out);
/* Edges from next-iterations to the merges that they feed. */
void hlo_dot_draw_back_edges(const hlo_dot_graph *g, hlo_buf *out);

#endif
