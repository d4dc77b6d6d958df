/* Boxes with edges between them, put into rows so that edges lead downwards. */
#ifndef HLO_GRAPH_LAYOUT_ROWS_H
#define HLO_GRAPH_LAYOUT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double w, h; /* given */
    double x, y; /* found: the centre; the left upper corner of all boxes is 0,0 */
    double top;  /* found: that of its row; above the box is nothing else of the row */
    /* Given: stays in the first row, or in the last one, as high as the row: edges come in or leave
     * through it. */
    bool at_top, at_bottom;
} hlo_row_box;

typedef struct {
    uint32_t from, to;
    double from_x, to_x; /* given: where it begins and ends, from the middles of the boxes */
    uint32_t first_bend, bend_count; /* found: points between rows that the edge passes through */
} hlo_row_edge;

typedef struct {
    double x, top, bottom; /* the gap that is left for the edge in a row that it crosses */
} hlo_row_bend;

typedef struct {
    hlo_row_box *boxes;
    uint32_t count;
    hlo_row_edge *edges;
    uint32_t edge_count;
    double width, height; /* found */
    hlo_row_bend *bends;  /* found; to be freed */
} hlo_rows;

/* Edges that close a cycle are left out of account. Edges across many rows have no bends. */
void hlo_dot_place_rows(hlo_rows *rows);

#endif
