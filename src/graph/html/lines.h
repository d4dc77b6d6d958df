/* What stands in the box of an instruction below its name and shape, and how large that makes it.
 */
#ifndef HLO_GRAPH_HTML_LINES_H
#define HLO_GRAPH_HTML_LINES_H

#include "graph/html/model.h"

/* Pixels of a box at scale 1; the scripts letter it in the same font. */
typedef struct {
    uint16_t w, h;
} hlo_page_size;

/* Lines that end with \n, of printable text: what it computes, constants among its operands, what
 * it applies. */
void hlo_page_put_lines(hlo_buf *out, const hlo_page_model *model, const hlo_instr *instr);
hlo_page_size hlo_page_box_size(const hlo_page_model *model, const hlo_instr *instr,
                                const hlo_buf *lines);
/* Calls a computation that no line describes: its box can be opened. */
bool hlo_page_can_open(const hlo_instr *instr);

#endif
