/* The fast layout: clusters from the innermost outwards, each in rows; then the top-level clusters,
 * on shelves; then absolute positions. Called by dot.c. */
#include "dot/layout.h"

#include <math.h>
#include <stdlib.h>

#include "dot/rows.h"
#include "dot/style.h"
#include "dot/text_width.h"

/* Points. */
enum {
    NODE_FONT = 10,
    CLUSTER_FONT = 11,
    LINE = 12,       /* height of a line of text */
    NODE_MARGIN = 8, /* around a node's text */
    CLUSTER_MARGIN = 10,
    ABOVE_CALLER = 14, /* between a called cluster and its caller */
    BESIDE = 14,       /* between things that stand side by side */
    SHELF = 36,        /* between top-level clusters */
};

/* ---- sizes of text ---- */

static void measure_node(const hlo_dot_graph *g, hlo_dot_node *node) {
    hlo_text_extent extent = hlo_dot_text_extent(hlo_dot_text(g, node->label));
    const char *shape = node->instr ? hlo_styles[hlo_info(node->instr)->class].shape : "box";
    /* Slanted sides and curves need a horizontal margin that grows with the height. */
    double margin = 2 * NODE_MARGIN + (strcmp(shape, "box") != 0 ? 16 + extent.lines * 8.0 : 0);
    node->w = extent.width * NODE_FONT / 1000.0 * 1.1 + margin;
    node->h = (extent.lines * LINE + NODE_MARGIN + 2) * (strcmp(shape, "ellipse") == 0 ? 1.25 : 1);
}

static double title_width(const hlo_dot_graph *g, const hlo_dot_cluster *cluster) {
    return hlo_dot_text_extent(hlo_dot_text(g, cluster->label)).width * CLUSTER_FONT / 1000.0 * 1.1;
}

static double title_height(const hlo_dot_graph *g, const hlo_dot_cluster *cluster) {
    return hlo_dot_text_extent(hlo_dot_text(g, cluster->label)).lines * (LINE + 2.0);
}

/* ---- one cluster ---- */

/* A node with the clusters it calls above it is one box of its row: their widths side by side. */
static void box_of_node(const hlo_dot_graph *g, uint32_t number, const uint32_t *first_called,
                        const uint32_t *next_called, hlo_row_box *box) {
    const hlo_dot_node *node = &g->nodes.v[number];
    double width = 0, height = 0;
    for (uint32_t k = first_called[number]; k != HLO_DOT_NONE; k = next_called[k]) {
        const hlo_dot_cluster *held = &g->clusters[k];
        width += (width > 0 ? BESIDE : 0) + held->x1 - held->x0;
        height = fmax(height, held->y1 - held->y0 + ABOVE_CALLER);
    }
    box->w = fmax(width, node->w);
    box->h = height + node->h;
}

/* Places are relative to the cluster's corner; held clusters move with their caller. */
static void take_place(hlo_dot_graph *g, uint32_t number, const hlo_row_box *box,
                       const uint32_t *first_called, const uint32_t *next_called) {
    hlo_dot_node *node = &g->nodes.v[number];
    double bottom = box->y + box->h / 2, width = 0;
    node->x = box->x;
    node->y = bottom - node->h / 2;
    for (uint32_t k = first_called[number]; k != HLO_DOT_NONE; k = next_called[k])
        width += (width > 0 ? BESIDE : 0) + g->clusters[k].x1 - g->clusters[k].x0;
    double left = box->x - width / 2;
    for (uint32_t k = first_called[number]; k != HLO_DOT_NONE; k = next_called[k]) {
        hlo_dot_cluster *held = &g->clusters[k];
        double w = held->x1 - held->x0, h = held->y1 - held->y0;
        held->x0 = left;
        held->y0 = bottom - node->h - ABOVE_CALLER - h;
        held->x1 = left + w;
        held->y1 = held->y0 + h;
        left += w + BESIDE;
    }
}

/* `edges` are those within one cluster, sorted by it. */
typedef struct {
    hlo_dot_graph *g;
    uint32_t *first_called, *next_called; /* clusters above a node: by node, by cluster */
    hlo_row_edge *edges;
    uint32_t *first_edge; /* by cluster, one more at the end */
    uint32_t *edge;       /* by place in `edges`: its number in the graph */
} work;

/* Bends are relative to the cluster's corner, like its nodes. */
static void take_bends(work *w, uint32_t cluster, const hlo_rows *rows, double right, double down) {
    hlo_dot_graph *g = w->g;
    uint32_t first = g->bends.n, count = 0;
    for (uint32_t e = 0; e < rows->edge_count; e++) {
        hlo_dot_edge *edge = &g->edges.v[w->edge[w->first_edge[cluster] + e]];
        edge->first_bend = first + rows->edges[e].first_bend;
        edge->bend_count = rows->edges[e].bend_count;
        count += edge->bend_count;
    }
    hlo_list_reserve(&g->bends, first + count);
    for (uint32_t i = 0; i < count; i++) {
        const hlo_row_bend *bend = &rows->bends[i];
        hlo_list_push(&g->bends,
                      (hlo_dot_bend){bend->x + right, bend->top + down, bend->bottom + down});
    }
}

static void place_cluster(work *w, uint32_t number) {
    hlo_dot_graph *g = w->g;
    hlo_dot_cluster *cluster = &g->clusters[number];
    hlo_row_box *boxes = hlo_calloc(cluster->node_count + 1, sizeof *boxes);
    for (uint32_t i = 0; i < cluster->node_count; i++)
        box_of_node(g, cluster->first_node + i, w->first_called, w->next_called, &boxes[i]);
    uint32_t first = w->first_edge[number];
    hlo_rows rows = {.boxes = boxes,
                     .count = cluster->node_count,
                     .edges = w->edges + first,
                     .edge_count = w->first_edge[number + 1] - first};
    hlo_dot_place_rows(&rows);
    double top = CLUSTER_MARGIN / 2.0 + title_height(g, cluster);
    cluster->title_width = title_width(g, cluster);
    double inside = fmax(rows.width, cluster->title_width);
    double right = CLUSTER_MARGIN + (inside - rows.width) / 2;
    take_bends(w, number, &rows, right, top);
    hlo_free(rows.bends);
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        boxes[i].x += right;
        boxes[i].y += top;
        take_place(g, cluster->first_node + i, &boxes[i], w->first_called, w->next_called);
    }
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

static void link_called(work *w) {
    hlo_dot_graph *g = w->g;
    w->first_called = hlo_calloc(g->nodes.n + 1, sizeof *w->first_called);
    w->next_called = hlo_calloc(g->cluster_count + 1, sizeof *w->next_called);
    memset(w->first_called, 0xff, (g->nodes.n + 1) * sizeof *w->first_called);
    for (uint32_t k = g->cluster_count; k-- > 0;) {
        uint32_t caller = g->clusters[k].caller;
        if (caller == HLO_DOT_NONE) continue;
        w->next_called[k] = w->first_called[caller];
        w->first_called[caller] = k;
    }
}

/* Calls say nothing about rows: what is called lies above its caller anyway. */
static bool orders(const hlo_dot_graph *g, const hlo_dot_edge *edge) {
    return edge->kind != HLO_DOT_CALL &&
           g->nodes.v[edge->from].cluster == g->nodes.v[edge->to].cluster;
}

static void sort_edges(work *w) {
    hlo_dot_graph *g = w->g;
    w->edges = hlo_calloc(g->edges.n + 1, sizeof *w->edges);
    w->edge = hlo_calloc(g->edges.n + 1, sizeof *w->edge);
    w->first_edge = hlo_calloc(g->cluster_count + 2, sizeof *w->first_edge);
    for (uint32_t i = 0; i < g->edges.n; i++)
        if (orders(g, &g->edges.v[i])) w->first_edge[g->nodes.v[g->edges.v[i].to].cluster + 1]++;
    for (uint32_t k = 0; k < g->cluster_count; k++) w->first_edge[k + 1] += w->first_edge[k];
    uint32_t *next = hlo_calloc(g->cluster_count + 1, sizeof *next);
    memcpy(next, w->first_edge, g->cluster_count * sizeof *next);
    for (uint32_t i = 0; i < g->edges.n; i++) {
        const hlo_dot_edge *edge = &g->edges.v[i];
        if (!orders(g, edge)) continue;
        uint32_t cluster = g->nodes.v[edge->to].cluster, first = g->clusters[cluster].first_node;
        w->edge[next[cluster]] = i;
        w->edges[next[cluster]++] =
            (hlo_row_edge){.from = edge->from - first, .to = edge->to - first};
    }
    hlo_free(next);
}

/* Top-level clusters are placed on shelves so that the drawing is about square. */
static void fill_shelves(hlo_dot_graph *g, const uint32_t *order) {
    double area = 0, limit = 0, x = 0, y = 0, shelf = 0;
    for (uint32_t i = 0; i < g->cluster_count; i++) {
        const hlo_dot_cluster *c = &g->clusters[i];
        if (c->holder != HLO_DOT_NONE) continue;
        area += (c->x1 + SHELF) * (c->y1 + SHELF);
        limit = fmax(limit, c->x1);
    }
    limit = fmax(limit, sqrt(area) * 1.2);
    for (uint32_t i = 0; i < g->cluster_count; i++) {
        hlo_dot_cluster *c = &g->clusters[order[i]];
        if (c->holder != HLO_DOT_NONE) continue;
        if (x > 0 && x + c->x1 > limit) {
            x = 0;
            y += shelf + SHELF;
            shelf = 0;
        }
        c->x0 = x;
        c->y0 = y;
        c->x1 += x;
        c->y1 += y;
        shelf = fmax(shelf, c->y1 - c->y0);
        x = c->x1 + SHELF;
        g->width = fmax(g->width, c->x1);
        g->height = fmax(g->height, c->y1);
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
        }
        for (uint32_t k = 0; k < c->node_count; k++) {
            g->nodes.v[c->first_node + k].x += c->x0;
            g->nodes.v[c->first_node + k].y += c->y0;
        }
    }
}

static void move_bends(hlo_dot_graph *g) {
    for (uint32_t e = 0; e < g->edges.n; e++) {
        const hlo_dot_edge *edge = &g->edges.v[e];
        const hlo_dot_cluster *c = &g->clusters[g->nodes.v[edge->to].cluster];
        for (uint32_t i = edge->first_bend; i < edge->first_bend + edge->bend_count; i++) {
            g->bends.v[i].x += c->x0;
            g->bends.v[i].top += c->y0;
            g->bends.v[i].bottom += c->y0;
        }
    }
}

void hlo_dot_place(hlo_dot_graph *g) {
    work w = {.g = g};
    for (uint32_t i = 0; i < g->nodes.n; i++) measure_node(g, &g->nodes.v[i]);
    link_called(&w);
    sort_edges(&w);
    uint32_t *order = outside_in(g);
    for (uint32_t i = g->cluster_count; i-- > 0;) place_cluster(&w, order[i]);
    fill_shelves(g, order);
    make_absolute(g, order);
    move_bends(g);
    g->placed = true;
    hlo_free(order);
    hlo_free(w.first_called);
    hlo_free(w.next_called);
    hlo_free(w.edges);
    hlo_free(w.edge);
    hlo_free(w.first_edge);
}

/* ---- parts ---- */

static void move(hlo_dot_graph *g, double right, double down) {
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        g->nodes.v[i].x += right;
        g->nodes.v[i].y += down;
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
        x += g->width + SHELF;
        height = fmax(height, g->height);
    }
    for (uint32_t i = 0; i < count; i++) {
        graphs[i].width = fmax(x - SHELF, 0);
        graphs[i].height = height;
    }
}
