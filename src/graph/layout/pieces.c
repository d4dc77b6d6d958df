/* Cuts edges at the borders of clusters that stand in the place of nodes, so that each cluster can
 * be laid out by itself. */
#include "graph/layout/pieces.h"

typedef struct {
    const hlo_dot_graph *g;
    hlo_dot_cut_edges *cut;
    uint32_t *depth;               /* by cluster: how many it is in the place of nodes of */
    uint32_t *entered_from;        /* by cluster: the node whose edge made the last port */
    uint32_t *entering;            /* by cluster: the piece that leads to that port */
    uint32_t *left_from, *leaving; /* the same of ports through which edges leave */
    uint32_t *results;             /* by cluster: nodes of it whose edges lead out */
    uint32_t edge, exit;           /* that is cut; the port through which it left a frame last */
    HLO_LIST(uint32_t) path;       /* of one edge: the clusters that it enters, innermost first */
    uint32_t *order, *first_edge;  /* edges by the node that they come from */
    HLO_LIST(uint32_t) found;      /* numbers of pieces, by edge in that order */
    uint32_t *found_first;         /* by edge */
} cutting;

/* ---- clusters ---- */

static void number_boxes(hlo_dot_cut_edges *cut, const hlo_dot_graph *g) {
    for (uint32_t k = 0; k < g->cluster_count; k++) {
        const hlo_dot_cluster *cluster = &g->clusters[k];
        uint32_t n = cluster->node_count;
        for (uint32_t held = cluster->first_held; held != HLO_DOT_NONE;
             held = g->clusters[held].next_held)
            cut->box_of[held] = n++;
        cut->ports[k] = cut->box_count[k] = n;
    }
}

/* Holders may come after what they hold. */
static void measure_depth(cutting *c) {
    const hlo_dot_cluster *clusters = c->g->clusters;
    for (uint32_t k = 0; k < c->g->cluster_count; k++) {
        if (hlo_dot_is_in_place(&clusters[k])) continue;
        for (uint32_t at = k, inner = clusters[k].first_held;;) {
            while (inner != HLO_DOT_NONE && !hlo_dot_is_in_place(&clusters[inner]))
                inner = clusters[inner].next_held;
            if (inner != HLO_DOT_NONE) {
                c->depth[inner] = c->depth[at] + 1;
                at = inner;
                inner = clusters[at].first_held;
                continue;
            }
            if (at == k) break;
            inner = clusters[at].next_held;
            at = clusters[at].holder;
        }
    }
}

/* ---- edges ---- */

static uint32_t *numbers(uint32_t count) {
    return hlo_calloc((size_t)count + 2, sizeof(uint32_t));
}

static uint32_t new_piece(cutting *c, uint32_t cluster, uint32_t from, uint32_t to) {
    hlo_dot_piece piece = {.cluster = cluster,
                           .from = from,
                           .to = to,
                           .edge = c->edge,
                           .from_port = c->exit,
                           .entered = HLO_DOT_NONE,
                           .port = HLO_DOT_NONE};
    hlo_list_push(&c->cut->pieces, piece);
    return c->cut->pieces.n - 1;
}

/* The innermost cluster that both ends are in; c->path becomes what the edge enters from there on.
 * HLO_DOT_NONE: there is none. */
static uint32_t find_common(cutting *c, uint32_t from, uint32_t to) {
    const hlo_dot_graph *g = c->g;
    uint32_t a = g->nodes.v[from].cluster, b = g->nodes.v[to].cluster;
    c->path.n = 0;
    while (a != b) {
        bool left = c->depth[a] > c->depth[b];
        uint32_t *climber = left ? &a : &b;
        if (!hlo_dot_is_in_place(&g->clusters[*climber])) return HLO_DOT_NONE;
        if (!left) hlo_list_push(&c->path, b);
        *climber = g->clusters[*climber].holder;
    }
    return a;
}

/* A port for all edges of the node into the cluster. */
static void add_port_into_cluster(cutting *c, uint32_t from, uint32_t cluster, uint32_t outer,
                                  uint32_t box) {
    if (c->entered_from[cluster] == from) return;
    c->entered_from[cluster] = from;
    uint32_t number = new_piece(c, outer, box, c->cut->box_of[cluster]);
    hlo_dot_piece *piece = &c->cut->pieces.v[number];
    piece->entered = cluster;
    piece->port = c->cut->box_count[cluster]++;
    c->entering[cluster] = number;
}

static bool is_inside(const cutting *c, uint32_t cluster, uint32_t outer) {
    HLO_ASSERT(cluster < c->g->cluster_count);
    while (c->depth[cluster] > c->depth[outer]) cluster = c->g->clusters[cluster].holder;
    return cluster == outer;
}

static void count_results(cutting *c) {
    const hlo_dot_graph *g = c->g;
    uint32_t *last = numbers(g->cluster_count);
    for (uint32_t i = 0; i < g->edges.n; i++) {
        const hlo_dot_edge *edge = &g->edges.v[c->order[i]];
        uint32_t from = g->nodes.v[edge->from].cluster, to = g->nodes.v[edge->to].cluster;
        if (!hlo_dot_is_in_place(&g->clusters[from]) || is_inside(c, to, from)) continue;
        if (last[from] != edge->from + 1) c->results[from]++;
        last[from] = edge->from + 1;
    }
    hlo_free(last);
}

/* A port for all edges of the node out of the frame, or of one of several results out of a fusion.
 * A single one needs none: it is at the lower border as a rule. */
static void leave(cutting *c, uint32_t from, uint32_t cluster, uint32_t box) {
    if (!c->g->clusters[cluster].frame &&
        (c->results[cluster] < 2 || c->g->nodes.v[from].cluster != cluster)) {
        c->exit = HLO_DOT_NONE;
        return;
    }
    if (c->left_from[cluster] != from) {
        c->left_from[cluster] = from;
        c->leaving[cluster] = new_piece(c, cluster, box, c->cut->box_count[cluster]++);
        c->cut->pieces.v[c->leaving[cluster]].leaves = true;
    }
    hlo_list_push(&c->found, c->leaving[cluster]);
    c->exit = c->cut->pieces.v[c->leaving[cluster]].to;
}

/* Upwards, in the frame of both. */
static void cut_back(cutting *c, const hlo_dot_edge *back) {
    uint32_t at = c->g->nodes.v[back->from].cluster, first = c->g->clusters[at].first_node;
    if (c->g->nodes.v[back->to].cluster == at)
        hlo_list_push(&c->found, new_piece(c, at, back->to - first, back->from - first));
}

/* From a cluster as a whole to the node that calls it. */
static void cut_call(cutting *c, const hlo_dot_edge *call) {
    uint32_t holder = c->g->clusters[call->number].holder;
    uint32_t caller = call->to - c->g->clusters[holder].first_node;
    hlo_list_push(&c->found, new_piece(c, holder, c->cut->box_of[call->number], caller));
}

static void cut_downwards(cutting *c, const hlo_dot_edge *edge) {
    const hlo_dot_graph *g = c->g;
    uint32_t common = find_common(c, edge->from, edge->to);
    if (common == HLO_DOT_NONE) return;
    uint32_t at = g->nodes.v[edge->from].cluster, box = edge->from - g->clusters[at].first_node;
    for (; at != common; at = g->clusters[at].holder) {
        leave(c, edge->from, at, box);
        box = c->cut->box_of[at];
    }
    while (c->path.n) {
        uint32_t inner = hlo_list_pop(&c->path);
        add_port_into_cluster(c, edge->from, inner, at, box);
        hlo_list_push(&c->found, c->entering[inner]);
        box = c->cut->pieces.v[c->entering[inner]].port;
        c->exit = HLO_DOT_NONE;
        at = inner;
    }
    uint32_t first = c->g->clusters[at].first_node;
    hlo_list_push(&c->found, new_piece(c, at, box, edge->to - first));
}

static void cut_edge(cutting *c, uint32_t number) {
    HLO_ASSERT(number < c->g->edges.n);
    HLO_ASSERT(number < c->g->edges.n);
    const hlo_dot_edge *edge = &c->g->edges.v[number];
    c->found_first[number] = c->found.n;
    c->edge = number;
    c->exit = HLO_DOT_NONE;
    if (edge->kind == HLO_DOT_CALL) cut_call(c, edge);
    else if (edge->kind == HLO_DOT_BACK) cut_back(c, edge);
    else cut_downwards(c, edge);
}

static void order_edges(cutting *c) {
    const hlo_dot_graph *g = c->g;
    for (uint32_t e = 0; e < g->edges.n; e++) c->first_edge[g->edges.v[e].from + 1]++;
    for (uint32_t i = 0; i < g->nodes.n; i++) c->first_edge[i + 1] += c->first_edge[i];
    for (uint32_t e = 0; e < g->edges.n; e++) c->order[c->first_edge[g->edges.v[e].from]++] = e;
}

static void cut_edges(cutting *c) {
    uint32_t n = c->g->edges.n;
    uint32_t *found_end = hlo_calloc(n + 1, sizeof *found_end);
    for (uint32_t i = 0; i < n; i++) {
        cut_edge(c, c->order[i]);
        found_end[c->order[i]] = c->found.n;
    }
    for (uint32_t e = 0; e < n; e++) {
        c->cut->first[e] = c->cut->parts.n;
        for (uint32_t k = c->found_first[e]; k < found_end[e]; k++)
            hlo_list_push(&c->cut->parts, c->found.v[k]);
    }
    c->cut->first[n] = c->cut->parts.n;
    hlo_free(found_end);
}

void hlo_dot_cut(hlo_dot_cut_edges *cut, const hlo_dot_graph *g) {
    uint32_t clusters = g->cluster_count, edges = g->edges.n;
    *cut = (hlo_dot_cut_edges){.box_of = numbers(clusters),
                               .box_count = numbers(clusters),
                               .ports = numbers(clusters),
                               .first = numbers(edges)};
    cutting c = {.g = g,
                 .cut = cut,
                 .depth = numbers(clusters),
                 .entered_from = numbers(clusters),
                 .entering = numbers(clusters),
                 .left_from = numbers(clusters),
                 .leaving = numbers(clusters),
                 .results = numbers(clusters),
                 .order = numbers(edges),
                 .first_edge = numbers(g->nodes.n),
                 .found_first = numbers(edges)};
    for (uint32_t k = 0; k < clusters; k++) c.entered_from[k] = c.left_from[k] = HLO_DOT_NONE;
    number_boxes(cut, g);
    measure_depth(&c);
    order_edges(&c);
    count_results(&c);
    cut_edges(&c);
    hlo_free(c.depth);
    hlo_free(c.entered_from);
    hlo_free(c.entering);
    hlo_free(c.left_from);
    hlo_free(c.leaving);
    hlo_free(c.results);
    hlo_free(c.order);
    hlo_free(c.first_edge);
    hlo_free(c.found_first);
    hlo_list_free(&c.path);
    hlo_list_free(&c.found);
}

void hlo_dot_cut_free(hlo_dot_cut_edges *cut) {
    hlo_free(cut->box_of);
    hlo_free(cut->box_count);
    hlo_free(cut->ports);
    hlo_free(cut->first);
    hlo_list_free(&cut->pieces);
    hlo_list_free(&cut->parts);
}
