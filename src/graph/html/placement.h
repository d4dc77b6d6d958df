/* Where the boxes of one computation stand while everything that it calls is closed. */
#ifndef HLO_GRAPH_HTML_PLACEMENT_H
#define HLO_GRAPH_HTML_PLACEMENT_H

#include "graph/html/lines.h"

/* Appends the members "boxes" and "bends" of the computation's JSON object. Boxes are five numbers:
 * of the instruction in its computation, centre, row, width, height. Bends are, for each operand
 * that has an edge, for each control predecessor and for each lone operand, box by box, their
 * number and their places; one for each row that is crossed. `sizes`: by instruction. */
void hlo_page_put_placement(hlo_buf *out, const hlo_page_model *model, uint32_t computation,
                            const hlo_page_size *sizes);

#endif
