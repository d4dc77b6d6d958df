/* Edges cut where they enter and leave clusters that stand in the place of nodes. Private to the
 * fast layout: called by layout.c. */
#ifndef HLO_GRAPH_LAYOUT_PIECES_H
#define HLO_GRAPH_LAYOUT_PIECES_H

#include "graph/model/drawing.h"

/* Between two boxes of one cluster: its nodes come first, then the clusters that it holds, then
 * ports, through which edges from one node enter or leave. That of an edge back leads from its end
 * to its beginning. */
typedef struct {
    uint32_t cluster, from, to;
    uint32_t edge;                   /* a part of it; or the first of those that share the piece */
    uint32_t from_port;              /* with a frame as `from`: its port; else HLO_DOT_NONE */
    uint32_t entered;                /* the cluster whose port it leads to, or HLO_DOT_NONE */
    uint32_t port;                   /* the box in that cluster */
    bool leaves;                     /* `to` is a port, in the lower border */
    uint32_t first_bend, bend_count; /* to be filled in */
} hlo_dot_piece;

typedef struct {
    uint32_t *box_of;    /* by cluster: its box in its holder */
    uint32_t *box_count; /* by cluster */
    uint32_t *ports;     /* by cluster: boxes from here on are ports */
    HLO_LIST(hlo_dot_piece) pieces;
    HLO_LIST(uint32_t) parts; /* numbers of pieces: those of edge e are first[e] to first[e + 1] */
    uint32_t *first;
} hlo_dot_cut_edges;

/* Edges between clusters that no edge passes have no pieces. */
void hlo_dot_cut(hlo_dot_cut_edges *cut, const hlo_dot_graph *graph);
void hlo_dot_cut_free(hlo_dot_cut_edges *cut);

#endif
