/* The data of a page: a module as JSON, in columns by number of the instruction. */
#ifndef HLO_GRAPH_HTML_DATA_H
#define HLO_GRAPH_HTML_DATA_H

#include "graph/html/model.h"

/* Appends to a buffer in memory one JSON object without an end tag or a comment in it; data.js
 * documents its members and reads them. `start` is the value of its member "start": what the page
 * shows first. */
void hlo_page_put_data(hlo_buf *out, const hlo_page_model *model, const hlo_graph_options *options,
                       const hlo_buf *start);

#endif
