/* A drawing before it is text: nodes, edges and clusters of what a selection shows, with their
 * labels, and with sizes and places once layout.c was there. */
#ifndef HLO_GRAPH_MODEL_DRAWING_H
#define HLO_GRAPH_MODEL_DRAWING_H

#include <hlo/graph.h>

#include "base/list.h"
#include "graph/model/heat.h"
#include "graph/model/select.h"
#include "graph/model/style.h"
#include "ir/frames.h"

#define HLO_DOT_NONE UINT32_MAX

typedef enum {
    HLO_DOT_NODE_INSTR,
    HLO_DOT_NODE_MORE_OPERANDS, /* an ellipsis above a node for `count` operands not shown */
    HLO_DOT_NODE_MORE_USERS,    /* the same below, for users */
    HLO_DOT_NODE_LONE,          /* only the other module of a comparison has it */
    HLO_DOT_NODE_LEGEND,
} hlo_dot_node_kind;

typedef struct {
    hlo_dot_node_kind kind;
    const hlo_instr *instr; /* of an ellipsis: the node that it belongs to */
    uint32_t cluster;
    uint32_t count;
    uint32_t drawn_operands; /* edges that lead to it */
    uint32_t colour;         /* into the palette of shardings and buffers, or the class */
    size_t label;            /* where its text begins in the graph's texts, without quotes */
    double x, y, w, h;       /* points; the centre; y grows downwards */
    double row_top;          /* edges come straight down from there */
} hlo_dot_node;

typedef enum {
    HLO_DOT_OPERAND,
    HLO_DOT_CONTROL,
    HLO_DOT_CALL,
    HLO_DOT_BACK, /* from a next-iteration to its merge */
    HLO_DOT_MORE,
    HLO_DOT_LONE
} hlo_dot_edge_kind;

typedef struct {
    hlo_dot_edge_kind kind;
    uint32_t from, to;    /* nodes */
    uint32_t number;      /* of the operand; of a call: the cluster that it leads from */
    const hlo_instr *def; /* what the operand is: the source, or what the edge passes first */
    uint32_t first_bend, bend_count; /* places that it passes through */
} hlo_dot_edge;

/* An edge keeps to x between top and bottom, where it crosses a row of nodes. */
typedef struct {
    double x, top, bottom;
} hlo_dot_bend;

typedef struct {
    hlo_computation *computation; /* NULL: the legend */
    uint32_t holder;              /* the cluster around it, or HLO_DOT_NONE */
    /* With a holder, what calls it: a node, or the instruction in whose place it is. */
    uint32_t caller;
    const hlo_instr *in_place_of;
    const hlo_static_frame *frame; /* or NULL: it is a frame of the entry, in the place of nodes */
    uint32_t colour; /* of what it is in place of, by cost or change; or HLO_DOT_NONE */
    uint32_t first_node, node_count;
    uint32_t first_held, next_held, last_held;
    size_t label;
    double x0, y0, x1, y1; /* points, y downwards */
    double row_top;        /* as of a node */
    double title_width, title_height;
} hlo_dot_cluster;

enum {
    HLO_DOT_MOST_STRIPES = 8, /* what more devices have parts of is grey */
    HLO_DOT_NAMED_DEVICES = 2,
};

/* Different devices that are drawn in one colour: so many are named. */
typedef struct {
    int64_t v[HLO_DOT_NAMED_DEVICES];
    uint32_t count;
} hlo_dot_devices;

typedef struct {
    char fill[HLO_DOT_MOST_STRIPES * sizeof "#rrggbb" + 1]; /* a Graphviz list of colours */
} hlo_dot_stripes;

/* What the nodes of a drawing are filled with, for its legend. */
typedef struct {
    const hlo_attr *shardings[HLO_DOT_PALETTE]; /* different ones, by first use */
    uint32_t sharding_count;
    bool drawn[HLO_DOT_PALETTE]; /* by number in the palette, or by class */
    bool others, all, none;      /* drawn: HLO_DOT_PALETTE, HLO_DOT_PALETTE_ALL, HLO_DOT_NONE */
    hlo_dot_devices devices[HLO_DOT_PALETTE]; /* by number in the palette */
    HLO_LIST(hlo_dot_stripes) stripes;        /* from the colour HLO_DOT_STRIPES on */
    hlo_dot_heat heat;
    const hlo_dot_extras *extras;
} hlo_dot_colours;

typedef struct {
    const hlo_dot_selection *selection;
    const hlo_graph_options *options;
    hlo_dot_colours *colours; /* of the whole drawing */
    HLO_LIST(hlo_dot_node) nodes;
    HLO_LIST(hlo_dot_edge) edges;
    hlo_dot_cluster *clusters;
    uint32_t cluster_count;
    uint32_t *cluster_of;     /* by computation id; HLO_DOT_NONE: not drawn */
    hlo_static_frames frames; /* of a dataflow graph, else empty */
    uint32_t *frame_cluster;  /* by frame */
    uint32_t *node_of;        /* by number of the instruction; HLO_DOT_NONE: not drawn */
    /* Of a comparison, else NULL: the same of lone instructions, by place in their list; whether
     * they are beside what is drawn; by computation id the first of its instructions, which are
     * adjacent. */
    uint32_t *lone_node_of, *lone_first;
    bool *lone_near;
    bool placed; /* layout.c gave places */
    double width, height;
    HLO_LIST(hlo_dot_bend) bends;
    hlo_buf texts; /* labels, each ended by a zero byte */
    /* Of a dataflow graph in parts: the cluster around a part, and how many names of nodes
     * and clusters others have taken. */
    bool has_device;
    hlo_dot_cluster device;
    uint32_t first_node, first_cluster;
} hlo_dot_graph;

void hlo_dot_graph_init(hlo_dot_graph *graph, const hlo_dot_selection *selection,
                        const hlo_graph_options *options, hlo_dot_colours *colours);
/* A graph without an instruction, for a legend of those whose colours it explains. */
void hlo_dot_graph_init_empty(hlo_dot_graph *graph, const hlo_dot_selection *selection,
                              const hlo_graph_options *options, hlo_dot_colours *colours);
/* The graph is a device's part. */
void hlo_dot_graph_set_device(hlo_dot_graph *graph, uint32_t device);
void hlo_dot_graph_free(hlo_dot_graph *graph);

/* For drawing.c, frames.c, edges.c and colours.c, which make a graph together. */
uint32_t hlo_dot_new_cluster(hlo_dot_graph *graph, hlo_computation *computation);
/* The one lies in the other from now on. */
void hlo_dot_hold(hlo_dot_graph *graph, uint32_t holder, uint32_t held);
hlo_dot_node *hlo_dot_new_node(hlo_dot_graph *graph, hlo_dot_node_kind kind, const hlo_instr *instr,
                               uint32_t cluster);
/* Ends the text that a node's or a cluster's label is. */
void hlo_dot_end_text(hlo_dot_graph *graph);
void hlo_dot_add_edges(hlo_dot_graph *graph);
/* Of a comparison: the lone instructions of a cluster, and their edges (lone.c). */
void hlo_dot_add_lone(hlo_dot_graph *graph, uint32_t cluster);
void hlo_dot_add_lone_edges(hlo_dot_graph *graph);

/* Edges pass its border, and it has a row among the nodes of its holder. */
static inline bool hlo_dot_is_in_place(const hlo_dot_cluster *cluster) {
    return cluster->in_place_of || cluster->frame;
}

/* Where an edge ends in our layout: so far to the right of the middle of the node. */
static inline double hlo_dot_end_of(const hlo_dot_graph *graph, const hlo_dot_edge *edge) {
    const hlo_dot_node *to = &graph->nodes.v[edge->to];
    if (edge->kind != HLO_DOT_OPERAND || to->drawn_operands == 1) return 0;
    return ((edge->number + 1.0) / (to->instr->operand_count + 1.0) - 0.5) * to->w * 0.8;
}

static inline const char *hlo_dot_text(const hlo_dot_graph *graph, size_t label) {
    return graph->texts.data + label;
}

#endif
