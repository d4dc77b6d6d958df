/* Frames of dataflow graphs as clusters. */
#ifndef HLO_GRAPH_MODEL_FRAMES_H
#define HLO_GRAPH_MODEL_FRAMES_H

#include "graph/model/drawing.h"

/* Frames in which something is drawn become clusters in that of the entry computation. */
void hlo_dot_add_frames(hlo_dot_graph *graph);
/* The cluster of its frame, or of its computation, which is drawn. */
uint32_t hlo_dot_cluster_for(const hlo_dot_graph *graph, const hlo_instr *instr);
/* Instructions of one computation, those of a cluster one after the other, else in their order;
 * first those that are in no frame. */
void hlo_dot_sort_by_frame(const hlo_dot_graph *graph, hlo_instr **order, uint32_t count);
/* Edges from next-iterations to the merges that they feed. */
void hlo_dot_add_back_edges(hlo_dot_graph *graph);

#endif
