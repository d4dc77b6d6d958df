/* What a drawing shows: a module, or the parts of a dataflow graph with the messages between them.
 */
#ifndef HLO_GRAPH_MODEL_PARTS_H
#define HLO_GRAPH_MODEL_PARTS_H

#include "graph/model/drawing.h"

typedef struct {
    hlo_str key;
    const hlo_dot_graph *graph;
    uint32_t node;
} hlo_dot_end;

typedef struct {
    hlo_dot_end from, to; /* edge-send, edge-recv */
} hlo_dot_message;

typedef struct {
    hlo_dot_selection *selections; /* of the parts that are drawn */
    hlo_dot_graph *graphs;         /* theirs; and the legend, when there are several */
    uint32_t count, graph_count, node_count;
    HLO_LIST(hlo_dot_message) messages;
    hlo_dot_colours colours;
} hlo_dot_parts;

/* HLO_BAD_USE as of hlo_dot_select, when no part has what an option names. The parts are to be
 * freed in every case. */
hlo_status hlo_dot_parts_init(hlo_dot_parts *parts, hlo_module *module,
                              const hlo_graph_options *options, const hlo_dot_extras *extras,
                              hlo_diags *diags);
void hlo_dot_parts_free(hlo_dot_parts *parts);

#endif
