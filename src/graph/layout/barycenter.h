/* Boxes in rows whose positions are to be found. Private to the fast layout: called by rows.c. */
#ifndef HLO_GRAPH_LAYOUT_BARYCENTER_H
#define HLO_GRAPH_LAYOUT_BARYCENTER_H

#include "graph/layout/rows.h"

enum { HLO_DOT_BETWEEN_BOXES = 14 }; /* points */

/* Boxes are numbered as the caller has them; after them come the bends of long edges. */

typedef struct {
    hlo_rows *rows;
    hlo_row_box *boxes; /* a copy of the caller's, and bends */
    uint32_t count;
    hlo_row_edge *links; /* between boxes and bends */
    uint32_t link_count;
    /* Neighbours of box i: near[first[i]] to near[first[i + 1]]. */
    uint32_t *above_first, *above, *below_first, *below;
    /* By place there: added to the neighbour's x it is where box i makes the edge straight. */
    double *above_x, *below_x;
    uint32_t *row;   /* by box */
    uint32_t *order; /* boxes, operands before users */
    uint32_t row_count;
    uint32_t *members; /* boxes and bends by row, from left to right */
    uint32_t *row_first;
    /* By box: the longest paths that end and begin there; the weighted mean position of its
     * adjacent boxes, and the sum of the weights. */
    uint32_t *before, *after;
    double *wish, *weight;
    double limit; /* half the width that all rows have */
} hlo_dot_placing;

/* Finds the order of each row's members, and the x of all boxes, from 0 on; and the width. */
void hlo_dot_place_across(hlo_dot_placing *placing);

#endif
