/* The fast layout: clusters from the innermost outwards, each in rows; then the top-level clusters,
 * on shelves; then absolute positions. */
#include "graph/layout/layout.h"

#include <math.h>
#include <stdlib.h>

#include "graph/layout/pieces.h"
#include "graph/layout/rows.h"
#include "graph/layout/shelves.h"
#include "graph/layout/text_width.h"
#include "graph/model/style.h"

/* Points. */
enum {
    NODE_FONT = 10,
    CLUSTER_FONT = 11,
    LINE = 12,       /* height of a line of text */
    NODE_MARGIN = 8, /* around a node's text */
    CLUSTER_MARGIN = 10,
    FEW_OPERANDS = 8, /* in the order of more, what is above would be far from what it belongs to */
    PORT = 2,         /* where edges enter a cluster */
};

/* ---- sizes of text ---- */

static void measure_node(const hlo_dot_graph *g, hlo_dot_node *node) {
    hlo_text_extent extent = hlo_dot_text_extent(hlo_dot_text(g, node->label));
    const char *shape = node->instr ? hlo_styles[hlo_info(node->instr)->class].shape : "box";
    /* Slanted sides and curves need a horizontal margin that grows with the height. */
    double margin = 2 * NODE_MARGIN + (strcmp(shape, "box") != 0 ? 16 + extent.lines * 8.0 : 0);
    node->w = extent.width * NODE_FONT / 1000.0 + margin;
    node->h = extent.lines * LINE + NODE_MARGIN + 2;
}

static double title_width(const hlo_dot_graph *g, const hlo_dot_cluster *cluster) {
    return hlo_dot_text_extent(hlo_dot_text(g, cluster->label)).width * CLUSTER_FONT / 1000.0;
}

static double title_height(const hlo_dot_graph *g, const hlo_dot_cluster *cluster) {
    return hlo_dot_text_extent(hlo_dot_text(g, cluster->label)).lines * (LINE + 2.0);
}

typedef struct {
    hlo_dot_graph *g;
    hlo_dot_cut_edges cut;
    hlo_row_edge *edges;          /* by cluster */
    uint32_t *first_edge;         /* by cluster, one more at the end */
    uint32_t *piece;              /* by place in `edges` */
    HLO_LIST(hlo_dot_bend) bends; /* of pieces; from the cluster's corner */
    hlo_row_box *ports;           /* by place: first_port[cluster] + number of the port */
    uint32_t *first_port;
} work;

/* Bends are relative to the cluster's corner, like its nodes. */
static void take_bends(work *w, uint32_t cluster, const hlo_rows *rows, double right, double down) {
    uint32_t first = w->bends.n, count = 0;
    for (uint32_t e = 0; e < rows->edge_count; e++) {
        hlo_dot_piece *piece = &w->cut.pieces.v[w->piece[w->first_edge[cluster] + e]];
        piece->first_bend = first + rows->edges[e].first_bend;
        piece->bend_count = rows->edges[e].bend_count;
        count += piece->bend_count;
    }
    hlo_list_reserve(&w->bends, first + count);
    for (uint32_t i = 0; i < count; i++) {
        const hlo_row_bend *bend = &rows->bends[i];
        hlo_list_push(&w->bends,
                      (hlo_dot_bend){bend->x + right, bend->top + down, bend->bottom + down});
    }
}

/* ---- where edges begin and end ---- */

static double port_x(const work *w, uint32_t cluster, uint32_t port) {
    const hlo_dot_cluster *c = &w->g->clusters[cluster];
    return w->ports[w->first_port[cluster] + port - w->cut.ports[cluster]].x - c->x1 / 2;
}

/* Of an edge that comes out of a cluster in this one, whose corner is still 0,0. */
static double from_x(const work *w, const hlo_dot_piece *piece) {
    const hlo_dot_graph *g = w->g;
    const hlo_dot_edge *edge = &g->edges.v[piece->edge];
    bool from_cluster = piece->from >= g->clusters[piece->cluster].node_count &&
                        piece->from < w->cut.ports[piece->cluster];
    if (!from_cluster || edge->kind == HLO_DOT_CALL) return 0;
    uint32_t at = g->nodes.v[edge->from].cluster;
    double x = g->nodes.v[edge->from].x;
    for (; g->clusters[at].holder != piece->cluster; at = g->clusters[at].holder)
        x += g->clusters[at].x0;
    if (piece->from_port != HLO_DOT_NONE) return port_x(w, at, piece->from_port);
    return x - g->clusters[at].x1 / 2;
}

static double to_x(const work *w, const hlo_dot_piece *piece) {
    if (piece->entered != HLO_DOT_NONE) return port_x(w, piece->entered, piece->port);
    const hlo_dot_edge *edge = &w->g->edges.v[piece->edge];
    bool orders = edge->kind == HLO_DOT_OPERAND &&
                  w->g->nodes.v[edge->to].instr->operand_count <= FEW_OPERANDS;
    return piece->leaves || !orders ? 0 : hlo_dot_end_of(w->g, edge);
}

static void find_ends(work *w, uint32_t number) {
    HLO_ASSERT(number < w->g->cluster_count);
    for (uint32_t e = w->first_edge[number]; e < w->first_edge[number + 1]; e++) {
        const hlo_dot_piece *piece = &w->cut.pieces.v[w->piece[e]];
        w->edges[e].from_x = from_x(w, piece);
        w->edges[e].to_x = to_x(w, piece);
    }
}

/* ---- one cluster ---- */

/* Its nodes, the clusters that it holds, and ports. */
static hlo_row_box *boxes_of(const work *w, uint32_t number) {
    HLO_ASSERT(number < w->g->cluster_count);
    const hlo_dot_graph *g = w->g;
    const hlo_dot_cluster *cluster = &g->clusters[number];
    uint32_t count = w->cut.box_count[number];
    hlo_row_box *boxes = hlo_calloc(count + 1, sizeof *boxes);
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        const hlo_dot_node *node = &g->nodes.v[cluster->first_node + i];
        boxes[i] = (hlo_row_box){.w = node->w, .h = node->h};
    }
    for (uint32_t k = cluster->first_held; k != HLO_DOT_NONE; k = g->clusters[k].next_held) {
        const hlo_dot_cluster *held = &g->clusters[k];
        boxes[w->cut.box_of[k]] = (hlo_row_box){.w = held->x1 - held->x0, .h = held->y1 - held->y0};
    }
    for (uint32_t i = w->cut.ports[number]; i < count; i++)
        boxes[i] = (hlo_row_box){.w = PORT, .at_top = true};
    for (uint32_t e = w->first_edge[number]; e < w->first_edge[number + 1]; e++)
        if (w->cut.pieces.v[w->piece[e]].leaves)
            boxes[w->edges[e].to] = (hlo_row_box){.w = PORT, .at_bottom = true};
    return boxes;
}

static void take_places(work *w, uint32_t number, const hlo_row_box *boxes) {
    HLO_ASSERT(number < w->g->cluster_count);
    hlo_dot_graph *g = w->g;
    const hlo_dot_cluster *cluster = &g->clusters[number];
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        g->nodes.v[cluster->first_node + i].x = boxes[i].x;
        g->nodes.v[cluster->first_node + i].y = boxes[i].y;
        g->nodes.v[cluster->first_node + i].row_top = boxes[i].top;
    }
    for (uint32_t k = cluster->first_held; k != HLO_DOT_NONE; k = g->clusters[k].next_held) {
        hlo_dot_cluster *held = &g->clusters[k];
        const hlo_row_box *box = &boxes[w->cut.box_of[k]];
        held->x0 = box->x - box->w / 2;
        held->x1 = box->x + box->w / 2;
        held->y0 = box->y - box->h / 2;
        held->y1 = box->y + box->h / 2;
        held->row_top = box->top;
    }
    uint32_t ports = w->cut.ports[number];
    memcpy(w->ports + w->first_port[number], boxes + ports,
           (w->cut.box_count[number] - ports) * sizeof *boxes);
}

static void place_cluster(work *w, uint32_t number) {
    HLO_ASSERT(number < w->g->cluster_count);
    hlo_dot_graph *g = w->g;
    hlo_dot_cluster *cluster = &g->clusters[number];
    hlo_row_box *boxes = boxes_of(w, number);
    uint32_t first = w->first_edge[number];
    hlo_rows rows = {.boxes = boxes,
                     .count = w->cut.box_count[number],
                     .edges = w->edges + first,
                     .edge_count = w->first_edge[number + 1] - first};
    find_ends(w, number);
    hlo_dot_place_rows(&rows);
    double top = CLUSTER_MARGIN / 2.0 + title_height(g, cluster);
    cluster->title_width = title_width(g, cluster);
    cluster->title_height = title_height(g, cluster);
    double inside = fmax(rows.width, cluster->title_width);
    double right = CLUSTER_MARGIN + (inside - rows.width) / 2;
    take_bends(w, number, &rows, right, top);
    hlo_free(rows.bends);
    for (uint32_t i = 0; i < rows.count; i++) {
        boxes[i].x += right;
        boxes[i].y += top;
        boxes[i].top += top;
    }
    take_places(w, number, boxes);
    cluster->x0 = cluster->y0 = 0;
    cluster->x1 = inside + 2 * CLUSTER_MARGIN;
    cluster->y1 = top + rows.height + CLUSTER_MARGIN;
    hlo_free(boxes);
}

/* ---- all clusters ---- */

/* Holders before what they hold. */
static uint32_t *outside_in(const hlo_dot_graph *g) {
    uint32_t *order = hlo_calloc(g->cluster_count + 1, sizeof *order), n = 0;
    for (uint32_t i = 0; i < g->cluster_count; i++)
        if (g->clusters[i].holder == HLO_DOT_NONE) order[n++] = i;
    for (uint32_t at = 0; at < n; at++)
        for (uint32_t k = g->clusters[order[at]].first_held; k != HLO_DOT_NONE;
             k = g->clusters[k].next_held)
            order[n++] = k;
    return order;
}

static void sort_pieces(work *w) {
    uint32_t clusters = w->g->cluster_count, n = w->cut.pieces.n, ports = 0;
    const hlo_dot_piece *pieces = w->cut.pieces.v;
    w->edges = hlo_calloc(n + 1, sizeof *w->edges);
    w->piece = hlo_calloc(n + 1, sizeof *w->piece);
    w->first_edge = hlo_calloc(clusters + 2, sizeof *w->first_edge);
    w->first_port = hlo_calloc(clusters + 1, sizeof *w->first_port);
    for (uint32_t i = 0; i < n; i++) w->first_edge[pieces[i].cluster + 2]++;
    for (uint32_t k = 0; k < clusters; k++) {
        w->first_edge[k + 2] += w->first_edge[k + 1];
        w->first_port[k] = ports;
        ports += w->cut.box_count[k] - w->cut.ports[k];
    }
    w->ports = hlo_calloc(ports + 1, sizeof *w->ports);
    /* Entry k + 1 is where the edges of cluster k go on, and so becomes where they end. */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place = w->first_edge[pieces[i].cluster + 1]++;
        w->piece[place] = i;
        w->edges[place] = (hlo_row_edge){.from = pieces[i].from, .to = pieces[i].to};
    }
}

/* From places in the holder to places in the whole. */
static void make_absolute(hlo_dot_graph *g, const uint32_t *order) {
    for (uint32_t i = 0; i < g->cluster_count; i++) {
        hlo_dot_cluster *c = &g->clusters[order[i]];
        if (c->holder != HLO_DOT_NONE) {
            const hlo_dot_cluster *holder = &g->clusters[c->holder];
            c->x0 += holder->x0;
            c->x1 += holder->x0;
            c->y0 += holder->y0;
            c->y1 += holder->y0;
            c->row_top += holder->y0;
        }
        for (uint32_t k = 0; k < c->node_count; k++) {
            g->nodes.v[c->first_node + k].x += c->x0;
            g->nodes.v[c->first_node + k].y += c->y0;
            g->nodes.v[c->first_node + k].row_top += c->y0;
        }
    }
}

/* Through the border of a cluster, and through its first row where there is something in it. */
static void pass_port(work *w, const hlo_dot_piece *piece) {
    const hlo_dot_cluster *c = &w->g->clusters[piece->entered];
    const hlo_row_box *port =
        &w->ports[w->first_port[piece->entered] + piece->port - w->cut.ports[piece->entered]];
    double bottom = port->h > 0 ? c->y0 + port->y + port->h / 2 : c->y0 + PORT;
    hlo_list_push(&w->g->bends, (hlo_dot_bend){c->x0 + port->x, c->row_top, bottom});
}

/* Through the last row, unless it starts there, and through the border. */
static void leave_port(work *w, const hlo_dot_piece *piece) {
    const hlo_dot_cluster *c = &w->g->clusters[piece->cluster];
    const hlo_row_box *port =
        &w->ports[w->first_port[piece->cluster] + piece->to - w->cut.ports[piece->cluster]];
    const hlo_dot_node *from = &w->g->nodes.v[w->g->edges.v[piece->edge].from];
    double top = c->y0 + port->y - port->h / 2;
    if (from->y < top) hlo_list_push(&w->g->bends, (hlo_dot_bend){c->x0 + port->x, top, c->y1});
}

static void bend_edges(work *w) {
    hlo_dot_graph *g = w->g;
    for (uint32_t e = 0; e < g->edges.n; e++) {
        g->edges.v[e].first_bend = g->bends.n;
        for (uint32_t k = w->cut.first[e]; k < w->cut.first[e + 1]; k++) {
            const hlo_dot_piece *piece = &w->cut.pieces.v[w->cut.parts.v[k]];
            const hlo_dot_cluster *c = &g->clusters[piece->cluster];
            for (uint32_t i = 0; i < piece->bend_count; i++) {
                hlo_dot_bend bend = w->bends.v[piece->first_bend + i];
                hlo_list_push(&g->bends, (hlo_dot_bend){bend.x + c->x0, bend.top + c->y0,
                                                        bend.bottom + c->y0});
            }
            if (piece->entered != HLO_DOT_NONE) pass_port(w, piece);
            if (piece->leaves) leave_port(w, piece);
        }
        g->edges.v[e].bend_count = g->bends.n - g->edges.v[e].first_bend;
    }
}

static void free_work(work *w) {
    hlo_dot_cut_free(&w->cut);
    hlo_free(w->edges);
    hlo_free(w->first_edge);
    hlo_free(w->piece);
    hlo_free(w->ports);
    hlo_free(w->first_port);
    hlo_list_free(&w->bends);
}

void hlo_dot_place(hlo_dot_graph *g) {
    work w = {.g = g};
    for (uint32_t i = 0; i < g->nodes.n; i++) measure_node(g, &g->nodes.v[i]);
    hlo_dot_cut(&w.cut, g);
    sort_pieces(&w);
    uint32_t *order = outside_in(g);
    for (uint32_t i = g->cluster_count; i-- > 0;) place_cluster(&w, order[i]);
    hlo_dot_fill_shelves(g, order);
    make_absolute(g, order);
    bend_edges(&w);
    g->placed = true;
    hlo_free(order);
    free_work(&w);
}

/* ---- parts ---- */

static void move(hlo_dot_graph *g, double right, double down) {
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        g->nodes.v[i].x += right;
        g->nodes.v[i].y += down;
        g->nodes.v[i].row_top += down;
    }
    for (uint32_t i = 0; i < g->cluster_count; i++) {
        hlo_dot_cluster *c = &g->clusters[i];
        c->x0 += right;
        c->x1 += right;
        c->y0 += down;
        c->y1 += down;
    }
    for (uint32_t i = 0; i < g->bends.n; i++) {
        g->bends.v[i].x += right;
        g->bends.v[i].top += down;
        g->bends.v[i].bottom += down;
    }
}

/* The cluster of the device is drawn around its part, from the upper left corner on. */
static void enclose(hlo_dot_graph *g) {
    hlo_dot_cluster *device = &g->device;
    double top = CLUSTER_MARGIN / 2.0 + title_height(g, device);
    device->title_width = title_width(g, device);
    device->title_height = title_height(g, device);
    device->x1 = fmax(g->width, device->title_width) + 2 * CLUSTER_MARGIN;
    device->y1 = top + g->height + CLUSTER_MARGIN;
    move(g, CLUSTER_MARGIN, top);
    g->width = device->x1;
    g->height = device->y1;
}

void hlo_dot_place_beside(hlo_dot_graph *graphs, uint32_t count) {
    double x = 0, height = 0;
    for (uint32_t i = 0; i < count; i++) {
        hlo_dot_graph *g = &graphs[i];
        if (g->has_device) enclose(g);
        move(g, x, 0);
        g->device.x0 += x;
        g->device.x1 += x;
        x += g->width + HLO_DOT_SHELF;
        height = fmax(height, g->height);
    }
    for (uint32_t i = 0; i < count; i++) {
        graphs[i].width = fmax(x - HLO_DOT_SHELF, 0);
        graphs[i].height = height;
    }
}
