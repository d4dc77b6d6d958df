/* What differs from another module, as members of a page's data. */
#ifndef HLO_GRAPH_HTML_DIFFERENCES_H
#define HLO_GRAPH_HTML_DIFFERENCES_H

#include "graph/html/model.h"
#include "graph/html/strings.h"

/* Appends nothing where no module is compared. Otherwise "change" with an entry for each
 * instruction of the module, a row of "change_styles" [legend, fill, border]; all further ones only
 * the other module has: the last of them are in the computations of "lone_in", the others in
 * separate computations. "lone_edges" [from, user in the module, ...]. Then pairs of an
 * instruction and a row of strings: "before_names", where the counterpart has another name, and
 * "before_texts" of those that changed; of line strings: "differences". "header_differences" is
 * such a row; "before_calls" has pairs of one that changed and a computation that only its
 * counterpart called; "was" pairs of a computation and its other name. */
void hlo_page_put_differences(hlo_buf *out, const hlo_page_model *model, hlo_page_strings *strings,
                              hlo_page_strings *line_strings);

#endif
