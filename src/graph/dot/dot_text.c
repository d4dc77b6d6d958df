/* A module as Graphviz text: clusters for computations, nodes for instructions, edges for operands,
 * calls and control dependencies. With places of our own the text names the engine that takes them
 * as they are. */
#include "graph/dot/dot_text.h"

#include <math.h>

#include "graph/layout/edge_labels.h"
#include "graph/layout/layout.h"
#include "graph/model/colours.h"
#include "graph/model/drawing.h"
#include "graph/model/label.h"
#include "graph/model/parts.h"
#include "graph/model/style.h"

/* Graphviz' searches for the best places of nodes take minutes from some hundred nodes on, and what
 * they gain after the first iterations is little. */
enum {
    UNHURRIED_NODES = 250, /* beyond, its searches are cut short */
    FAST_NODES = 600,      /* beyond, places are ours unless asked otherwise */
    TOOLTIP_EDGES = 20000, /* beyond, edges have none: pictures would double in size */
    BORDER = 8,            /* points around a drawing whose places are ours */
    ARROW = 6,
    LABEL_STEPS = 4, /* distances of labels that Graphviz places */
};

static const double LABEL_DISTANCE = 1.8, LABEL_STEP = 0.8; /* times ten points */

typedef struct {
    const hlo_dot_graph *g;
    hlo_buf *out;
    hlo_dot_spots *spots; /* of labels of edges */
} drawing;

/* ---- places ---- */

/* Graphviz' y grows upwards. */
static void put_point(const drawing *d, double x, double y) {
    hlo_buf_printf(d->out, "%.1f,%.1f", x + BORDER, d->g->height - y + BORDER);
}

static void put_node_place(const drawing *d, const hlo_dot_node *node) {
    if (!d->g->placed) return;
    hlo_buf_lit(d->out, ", pos=\"");
    put_point(d, node->x, node->y);
    hlo_buf_printf(d->out, "\", width=%.3f, height=%.3f", node->w / 72, node->h / 72);
}

static void put_cluster_place(const drawing *d, const hlo_dot_cluster *cluster) {
    if (!d->g->placed) return;
    hlo_buf_lit(d->out, "bb=\"");
    put_point(d, cluster->x0, cluster->y1);
    hlo_buf_char(d->out, ',');
    put_point(d, cluster->x1, cluster->y0);
    hlo_buf_lit(d->out, "\";\nlp=\"");
    put_point(d, cluster->x0 + 8 + cluster->title_width / 2,
              cluster->y0 + 3 + cluster->title_height / 2);
    hlo_buf_lit(d->out, "\";\n");
}

/* One piece of an edge, vertical at both of its ends; `up`: it ends higher. */
static void put_curve(const drawing *d, double x0, double y0, double x1, double y1, bool up) {
    double pull = fmin(fmax(fabs(y1 - y0) / 3, 8), 120) * (up ? -1 : 1);
    const double curve[3][2] = {{x0, y0 + pull}, {x1, y1 - pull}, {x1, y1}};
    for (int i = 0; i < 3; i++) {
        hlo_buf_char(d->out, ' ');
        put_point(d, curve[i][0], curve[i][1]);
    }
}

/* A straight piece, for an edge that crosses a row. */
static void put_line(const drawing *d, double x, double y0, double y1) {
    for (int i = 1; i <= 3; i++) {
        hlo_buf_char(d->out, ' ');
        put_point(d, x, y0 + (y1 - y0) * i / 3);
    }
}

/* Down to a node, and through its row where others in it are higher. */
static void put_last_piece(const drawing *d, double x, double y, double x1,
                           const hlo_dot_node *to) {
    double end = to->y - to->h / 2 - ARROW;
    bool is_low = y < to->row_top && to->row_top < end;
    put_curve(d, x, y, x1, is_low ? to->row_top : end, false);
    if (is_low) put_line(d, x1, to->row_top, end);
}

/* An edge begins with its head and its tail. */
static void put_ends(const drawing *d, double x0, double y0, double x1, double y1) {
    hlo_buf_lit(d->out, " pos=\"e,");
    put_point(d, x1, y1);
    hlo_buf_char(d->out, ' ');
    put_point(d, x0, y0);
}

static void put_message_place(const drawing *d, const hlo_dot_node *from, const hlo_dot_node *to) {
    if (!d->g->placed) return;
    double y0 = from->y + from->h / 2, y1 = to->y - to->h / 2;
    put_ends(d, from->x, y0, to->x, y1);
    put_curve(d, from->x, y0, to->x, y1 - ARROW, false);
    hlo_buf_char(d->out, '"');
}

/* An edge back keeps the places of one that leads from its end to its beginning. */
static void put_back_place(const drawing *d, const hlo_dot_edge *edge) {
    if (!d->g->placed) return;
    const hlo_dot_node *from = &d->g->nodes.v[edge->from], *to = &d->g->nodes.v[edge->to];
    double x = from->x, y = from->y - from->h / 2, end = to->y + to->h / 2;
    put_ends(d, x, y, to->x, end);
    put_line(d, x, y, from->row_top);
    y = from->row_top;
    for (uint32_t i = edge->bend_count; i-- > 0;) {
        const hlo_dot_bend *bend = &d->g->bends.v[edge->first_bend + i];
        put_curve(d, x, y, bend->x, bend->bottom, true);
        put_line(d, bend->x, bend->bottom, bend->top);
        x = bend->x;
        y = bend->top;
    }
    put_curve(d, x, y, to->x, end + ARROW, true);
    hlo_buf_char(d->out, '"');
}

/* From the middle of the lower side through the bends to the operand's place on the upper side. */
static void put_edge_place(const drawing *d, const hlo_dot_edge *edge) {
    if (!d->g->placed) return;
    const hlo_dot_node *from = &d->g->nodes.v[edge->from], *to = &d->g->nodes.v[edge->to];
    double x = from->x, y = from->y + from->h / 2;
    if (edge->kind == HLO_DOT_CALL) {
        const hlo_dot_cluster *called = &d->g->clusters[edge->number];
        x = (called->x0 + called->x1) / 2;
        y = called->y1;
    }
    double x1 = to->x + hlo_dot_end_of(d->g, edge), y1 = to->y - to->h / 2;
    put_ends(d, x, y, x1, y1);
    for (uint32_t i = edge->first_bend; i < edge->first_bend + edge->bend_count; i++) {
        const hlo_dot_bend *bend = &d->g->bends.v[i];
        put_curve(d, x, y, bend->x, bend->top, false);
        put_line(d, bend->x, bend->top, bend->bottom);
        x = bend->x;
        y = bend->bottom;
    }
    put_last_piece(d, x, y, x1, to);
    hlo_buf_char(d->out, '"');
}

/* ---- nodes ---- */

/* Tooltip and address, each ended so. */
static void put_links(const drawing *d, const hlo_instr *instr, const char *ending) {
    hlo_buf_lit(d->out, "tooltip=\"");
    hlo_dot_tooltip(d->out, instr);
    hlo_buf_printf(d->out, "\"%s", ending);
    hlo_buf url = HLO_BUF_INIT;
    if (hlo_dot_url(&url, instr, d->g->options->url))
        hlo_buf_printf(d->out, "URL=\"%.*s\"%s", (int)url.len, url.data, ending);
    hlo_buf_free(&url);
}

/* Nothing for what nodes are otherwise. */
static void put_style(const drawing *d, const char *style, bool bold) {
    if (!bold && !strcmp(style, "filled")) return;
    hlo_buf_printf(d->out, ", style=\"%s%s\"", style, bold ? ",bold" : "");
}

static void draw_instr(const drawing *d, const hlo_dot_node *node) {
    const hlo_instr *instr = node->instr;
    const hlo_style *style = &hlo_styles[hlo_info(instr)->class];
    hlo_buf_lit(d->out, "\", ");
    put_links(d, instr, ", ");
    bool striped = hlo_dot_is_striped(d->g, node->colour);
    hlo_buf_printf(d->out, "shape=%s, fillcolor=\"%s\", color=\"%s\"",
                   striped ? "box" : style->shape, hlo_dot_fill(d->g, node->colour), style->border);
    put_style(d, striped ? "striped" : style->style, instr->opcode == HLO_OP_PARAMETER);
    if (instr == d->g->selection->centre) {
        hlo_buf_lit(d->out, ", peripheries=2, penwidth=4, color=\"#c02010\"");
        return;
    }
    if (hlo_dot_is_result(d->g->selection, instr))
        hlo_buf_lit(d->out, ", peripheries=2, penwidth=2");
}

static void draw_lone(const drawing *d, const hlo_dot_node *node) {
    hlo_buf_lit(d->out, "\", ");
    put_links(d, node->instr, ", ");
    hlo_buf_printf(d->out, "shape=box, style=\"filled,dashed\", fillcolor=\"%s\", color=\"%s\"",
                   hlo_dot_fill(d->g, node->colour), hlo_change_styles[HLO_DOT_REMOVED].border);
}

static void draw_legend_row(const drawing *d, const hlo_dot_node *node) {
    bool by_class = d->g->options->colour == HLO_COLOUR_CLASS;
    const hlo_style *style = by_class ? &hlo_styles[node->colour] : NULL;
    const char *text = hlo_dot_text(d->g, node->label);
    hlo_buf_printf(d->out, "\", tooltip=\"%s\", shape=%s, fillcolor=\"%s\", color=\"%s\"", text,
                   style ? style->shape : "box", hlo_dot_fill(d->g, node->colour),
                   style ? style->border : "#555555");
    bool striped = hlo_dot_is_striped(d->g, node->colour);
    put_style(d, striped ? "striped" : style ? style->style : "filled", false);
}

static void draw_node(const drawing *d, uint32_t number) {
    HLO_ASSERT(number < d->g->nodes.n);
    const hlo_dot_node *node = &d->g->nodes.v[number];
    hlo_buf_printf(d->out, "n%u [label=\"%s", d->g->first_node + number,
                   hlo_dot_text(d->g, node->label));
    switch (node->kind) {
    case HLO_DOT_NODE_INSTR: draw_instr(d, node); break;
    case HLO_DOT_NODE_LONE: draw_lone(d, node); break;
    case HLO_DOT_NODE_LEGEND: draw_legend_row(d, node); break;
    case HLO_DOT_NODE_MORE_OPERANDS:
    case HLO_DOT_NODE_MORE_USERS:
        hlo_buf_lit(d->out, "\", tooltip=\"not drawn\", shape=plaintext, style=\"\", "
                            "fontcolor=\"#666666\"");
        break;
    }
    put_node_place(d, node);
    hlo_buf_lit(d->out, "];\n");
}

/* ---- clusters ---- */

static void open_cluster(const drawing *d, uint32_t number) {
    HLO_ASSERT(number < d->g->cluster_count);
    const hlo_dot_cluster *cluster = &d->g->clusters[number];
    const hlo_computation *c = cluster->computation;
    hlo_buf_printf(d->out, "subgraph cluster_%s%u {\nlabel=\"%s\";\n",
                   cluster->frame ? "frame_" : "", d->g->first_cluster + number,
                   hlo_dot_text(d->g, cluster->label));
    if (cluster->in_place_of && cluster->in_place_of == d->g->selection->centre)
        hlo_buf_lit(d->out, "penwidth=4;\npencolor=\"#c02010\";\n");
    if (cluster->in_place_of) {
        bool tinted = cluster->colour != HLO_DOT_NONE;
        hlo_buf_printf(d->out, "bgcolor=\"%s\";\n",
                       tinted ? hlo_dot_fill(d->g, cluster->colour) : "#eef2f7");
        put_links(d, cluster->in_place_of, ";\n");
    } else if (cluster->frame) {
        hlo_buf_lit(d->out, "style=\"rounded,filled\";\nfillcolor=\"#f4f7fb\";\n");
    } else if (c) {
        hlo_buf_printf(d->out, "tooltip=\"%u instructions\";\n", c->instr_count);
    }
    put_cluster_place(d, cluster);
    /* Graphviz places the rows of the legend from right to left. */
    bool backwards = !c && !d->g->placed;
    for (uint32_t i = 0, n = cluster->node_count; i < n; i++)
        draw_node(d, cluster->first_node + (backwards ? n - 1 - i : i));
}

/* Opens `top` and what it holds, depth first. */
static void draw_clusters(const drawing *d, uint32_t top) {
    const hlo_dot_cluster *clusters = d->g->clusters;
    uint32_t at = top;
    open_cluster(d, at);
    uint32_t inner = clusters[at].first_held;
    for (;;) {
        if (inner != HLO_DOT_NONE) {
            at = inner;
            open_cluster(d, at);
            inner = clusters[at].first_held;
            continue;
        }
        hlo_buf_lit(d->out, "}\n");
        if (at == top) return;
        inner = clusters[at].next_held;
        at = clusters[at].holder;
    }
}

/* ---- edges ---- */

static void put_label(const drawing *d, const char *which, const hlo_buf *text) {
    if (text->len) hlo_buf_printf(d->out, " %s=\"%.*s\"", which, (int)text->len, text->data);
}

static void put_label_place(const drawing *d, const char *which, const hlo_buf *text, double x,
                            double y) {
    if (!text->len) return;
    hlo_buf_printf(d->out, " %s=\"", which);
    put_point(d, x, y);
    hlo_buf_char(d->out, '"');
}

/* Graphviz puts labels beside the ends of edges without regard to each other: those of neighbouring
 * operands have different distances from there. */
static void put_label_distance(const drawing *d, const hlo_dot_edge *edge,
                               const hlo_dot_edge_labels *labels) {
    uint32_t step = edge->number % LABEL_STEPS;
    if (labels->element.len) hlo_buf_lit(d->out, " labelangle=-32"); /* it is wider */
    if (labels->head.len && step)
        hlo_buf_printf(d->out, " labeldistance=%.1f", LABEL_DISTANCE + step * LABEL_STEP);
}

static void put_edge_labels(const drawing *d, const hlo_dot_edge *edge) {
    hlo_dot_edge_labels labels;
    hlo_dot_label_edge(&labels, d->g, edge, d->spots);
    put_label(d, "headlabel", &labels.head);
    put_label(d, d->g->placed ? "label" : "taillabel", &labels.element);
    if (d->g->placed) {
        put_label_place(d, "head_lp", &labels.head, labels.head_x, labels.y);
        put_label_place(d, "lp", &labels.element, labels.element_x, labels.y);
    } else {
        put_label_distance(d, edge, &labels);
    }
    hlo_dot_edge_labels_free(&labels);
}

static void draw_operand(const drawing *d, const hlo_dot_edge *edge) {
    const hlo_instr *user = d->g->nodes.v[edge->to].instr;
    if (d->g->edges.n <= TOOLTIP_EDGES) {
        hlo_buf_lit(d->out, "tooltip=\"");
        hlo_dot_tooltip_name(d->out, edge->def->name);
        hlo_buf_char(d->out, ' ');
        hlo_dot_shape(d->out, edge->def);
        hlo_buf_printf(d->out, "\\noperand %u of ", edge->number);
        hlo_dot_tooltip_name(d->out, user->name);
        hlo_buf_char(d->out, '"');
    }
    put_edge_labels(d, edge);
}

/* From the cluster as a whole, whose title describes it. */
static void draw_call(const drawing *d, const hlo_dot_edge *edge) {
    hlo_buf_printf(d->out, "style=dashed, arrowhead=empty, color=\"#4a5160\", ltail=cluster_%u",
                   d->g->first_cluster + edge->number);
}

static void draw_edge(const drawing *d, const hlo_dot_edge *edge) {
    hlo_buf_printf(d->out, "n%u -> n%u [", d->g->first_node + edge->from,
                   d->g->first_node + edge->to);
    switch (edge->kind) {
    case HLO_DOT_OPERAND: draw_operand(d, edge); break;
    case HLO_DOT_CALL: draw_call(d, edge); break;
    case HLO_DOT_CONTROL:
        hlo_buf_lit(d->out, "style=dashed, color=\"#b03a26\", tooltip=\"control dependency\"");
        break;
    case HLO_DOT_BACK:
        hlo_buf_lit(d->out, "style=dashed, constraint=false, color=\"#2b5fa8\", "
                            "tooltip=\"next iteration\"");
        break;
    case HLO_DOT_LONE:
        hlo_buf_lit(d->out, "style=dashed, color=\"#d98a80\", tooltip=\"only there\"");
        break;
    case HLO_DOT_MORE:
        hlo_buf_lit(d->out, "style=dotted, color=\"#999999\", arrowhead=none");
        break;
    }
    if (edge->kind == HLO_DOT_BACK) put_back_place(d, edge);
    else put_edge_place(d, edge);
    hlo_buf_lit(d->out, "];\n");
}

/* ---- parts ---- */

static void open_device(const drawing *d) {
    hlo_str name = d->g->selection->module->name;
    hlo_buf_printf(d->out, "subgraph cluster_device_%u {\nlabel=\"%s\";\ntooltip=\"",
                   d->g->selection->device, hlo_dot_text(d->g, d->g->device.label));
    hlo_dot_escape(d->out, name.ptr, name.len, 200);
    hlo_buf_lit(d->out, "\";\nstyle=\"rounded,bold\";\n");
    put_cluster_place(d, &d->g->device);
}

static void draw_part(const drawing *d) {
    if (d->g->has_device) open_device(d);
    for (uint32_t k = 0; k < d->g->cluster_count; k++)
        if (d->g->clusters[k].holder == HLO_DOT_NONE) draw_clusters(d, k);
    if (d->g->has_device) hlo_buf_lit(d->out, "}\n");
    for (uint32_t e = 0; e < d->g->edges.n; e++) draw_edge(d, &d->g->edges.v[e]);
}

/* From a send to its recv. It does not constrain ranks: devices stand beside each other. */
static void draw_message(const drawing *d, const hlo_dot_message *message) {
    hlo_dot_end from = message->from, to = message->to;
    hlo_buf_printf(d->out,
                   "n%u -> n%u [style=dashed, constraint=false, color=\"#237a73\", tooltip=\"",
                   from.graph->first_node + from.node, to.graph->first_node + to.node);
    hlo_dot_escape(d->out, from.key.ptr, from.key.len, 200);
    hlo_buf_char(d->out, '"');
    put_message_place(d, &from.graph->nodes.v[from.node], &to.graph->nodes.v[to.node]);
    hlo_buf_lit(d->out, "];\n");
}

/* ---- the graph ---- */

/* Parts are NAME.device0, NAME.device1, ... */
static hlo_str graph_name(const hlo_dot_graph *g) {
    hlo_str name = g->selection->module->name;
    int ending = snprintf(NULL, 0, ".device%u", g->selection->device);
    if (g->has_device && name.len > (uint32_t)ending) name.len -= (uint32_t)ending;
    return name;
}

static void open_graph(const drawing *d, uint32_t nodes) {
    hlo_str name = graph_name(d->g);
    hlo_buf_lit(d->out, "digraph \"");
    hlo_dot_escape(d->out, name.ptr, name.len, 200);
    hlo_buf_lit(d->out, "\" {\n"
                        "compound=true;\n"
                        "graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, "
                        "labeljust=l, style=rounded, color=\"#8a94a6\"];\n"
                        "node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, "
                        "style=filled, margin=\"0.08,0.04\", height=0.2];\n"
                        "edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=8, "
                        "color=\"#555555\", arrowsize=0.6, labeldistance=1.8, labelangle=-18];\n");
    if (d->g->placed) {
        hlo_buf_lit(d->out, "layout=nop2;\noutputorder=edgesfirst;\nnode [fixedsize=shape];\n");
        hlo_buf_printf(d->out, "bb=\"0,0,%.1f,%.1f\";\n", d->g->width + 2 * BORDER,
                       d->g->height + 2 * BORDER);
    } else if (nodes > UNHURRIED_NODES) {
        hlo_buf_lit(d->out, "nslimit=1;\nmclimit=0.5;\n");
    }
}

/* Graphviz puts below what edges lead to: from each node without users to the legend's first row,
 * from one of them to all rows, which then stand side by side. */
static void draw_above_legend(const hlo_dot_parts *parts, hlo_buf *out) {
    const hlo_dot_graph *last = &parts->graphs[parts->graph_count - 1];
    const hlo_dot_cluster *legend = &last->clusters[last->cluster_count - 1];
    uint32_t first = last->first_node + legend->first_node, sinks = 0;
    for (uint32_t k = 0; k < parts->graph_count; k++) {
        const hlo_dot_graph *g = &parts->graphs[k];
        bool *is_used = hlo_calloc(g->nodes.n + 1, sizeof *is_used);
        for (uint32_t e = 0; e < g->edges.n; e++)
            if (g->edges.v[e].kind != HLO_DOT_BACK) is_used[g->edges.v[e].from] = true;
        for (uint32_t i = 0; i < g->nodes.n; i++) {
            if (is_used[i] || g->nodes.v[i].kind == HLO_DOT_NODE_LEGEND) continue;
            for (uint32_t row = 0; row < (sinks ? 1 : legend->node_count); row++)
                hlo_buf_printf(out, "n%u -> n%u [style=invis, weight=0];\n", g->first_node + i,
                               first + row);
            sinks++;
        }
        hlo_free(is_used);
    }
}

static void draw(const hlo_dot_parts *parts, hlo_buf *out) {
    hlo_dot_spots spots = {0};
    drawing whole = {&parts->graphs[0], out, &spots};
    open_graph(&whole, parts->node_count);
    for (uint32_t i = 0; i < parts->graph_count; i++)
        draw_part(&(drawing){&parts->graphs[i], out, &spots});
    for (uint32_t i = 0; i < parts->messages.n; i++) draw_message(&whole, &parts->messages.v[i]);
    if (whole.g->options->legend && !whole.g->placed) draw_above_legend(parts, out);
    hlo_buf_lit(out, "}\n");
    hlo_dot_spots_free(&spots);
}

hlo_status hlo_dot(hlo_module *module, const hlo_graph_options *options,
                   const hlo_dot_extras *extras, hlo_diags *diags, hlo_buf *out) {
    static const hlo_graph_options whole = HLO_GRAPH_OPTIONS_INIT;
    if (!options) options = &whole;
    hlo_dot_parts parts;
    hlo_status status = hlo_dot_parts_init(&parts, module, options, extras, diags);
    if (status == HLO_OK) {
        bool fast = options->layout == HLO_LAYOUT_FAST ||
                    (options->layout == HLO_LAYOUT_AUTO && parts.node_count > FAST_NODES);
        if (fast) {
            for (uint32_t i = 0; i < parts.graph_count; i++) hlo_dot_place(&parts.graphs[i]);
            if (parts.graphs[0].has_device) hlo_dot_place_beside(parts.graphs, parts.graph_count);
        }
        draw(&parts, out);
        if (options->node_count) *options->node_count = parts.node_count;
    }
    hlo_dot_parts_free(&parts);
    return status;
}
