/* Modules as Graphviz text, and Graphviz text as a picture. */
#ifndef HLO_GRAPH_DOT_DOT_TEXT_H
#define HLO_GRAPH_DOT_DOT_TEXT_H

#include <hlo/graph.h>

#include "graph/model/extras.h"

/* Appends one digraph to `out`. Computations are clusters; one with a single caller lies inside its
 * caller's. `options` NULL means the whole module without a legend; `extras` may be NULL where no
 * option needs them. Uses the scratch members `index` and `mark` of instructions. HLO_BAD_USE with
 * an error in `diags` when an option names what the module does not have. */
hlo_status hlo_dot(hlo_module *module, const hlo_graph_options *options,
                   const hlo_dot_extras *extras, hlo_diags *diags, hlo_buf *out);

/* Has Graphviz' library draw the text, and appends the picture. `format` is "svg", "png" or "pdf".
 * HLO_BAD_USE for another format; HLO_BAD_SYSTEM when the library is missing or fails. */
hlo_status hlo_dot_render(const char *text, size_t len, const char *format, hlo_buf *out,
                          hlo_diags *diags);

#endif
