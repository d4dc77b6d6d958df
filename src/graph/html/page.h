/* A module as an HTML page: one file that shows the graph in a browser, without a network. */
#ifndef HLO_GRAPH_HTML_PAGE_H
#define HLO_GRAPH_HTML_PAGE_H

#include "graph/dot/dot_text.h"

/* Appends the page, with the profile and the comparison that `extras` hold (NULL: none). `options`
 * select what it opens first (entry_only, computation, around), what nodes are coloured by, whether
 * tuple elements are nodes, and how sources are linked; HLO_BAD_USE with an error in `diags` for an
 * option that has no meaning in a page, and for a name that the module does not have. Uses the
 * scratch member `index` of instructions. */
hlo_status hlo_page(hlo_module *module, const hlo_graph_options *options,
                    const hlo_dot_extras *extras, hlo_diags *diags, hlo_buf *out);

#endif
