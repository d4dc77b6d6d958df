/* Rectangles of a drawing that must not lie on each other: labels of edges, which are drawn only
 * where there is space for them. */
#ifndef HLO_GRAPH_LAYOUT_SPOTS_H
#define HLO_GRAPH_LAYOUT_SPOTS_H

#include <stdbool.h>

#include "base/hash.h"
#include "base/list.h"

typedef struct {
    double x0, y0, x1, y1; /* x0 <= x1, y0 <= y1 */
} hlo_dot_spot;

/* Zero bytes: nothing is taken. */
typedef struct {
    HLO_LIST(hlo_dot_spot) taken;
    hlo_hash cells; /* by cell of the drawing: numbers of those that touch it */
} hlo_dot_spots;

/* Takes the spot unless it lies on one that is taken; false then. O(cells that it touches), as long
 * as labels are small. */
bool hlo_dot_take_spot(hlo_dot_spots *spots, const hlo_dot_spot *spot);
void hlo_dot_spots_free(hlo_dot_spots *spots);

#endif
