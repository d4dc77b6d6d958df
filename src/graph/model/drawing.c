/* From a selection to nodes, edges and clusters. */
#include "graph/model/drawing.h"

#include "graph/model/colours.h"
#include "graph/model/frames.h"
#include "graph/model/label.h"
#include "graph/model/roles.h"

enum { FRAME_NAME = 80 }; /* bytes of a name that are shown */

/* ---- growing ---- */

hlo_dot_node *hlo_dot_new_node(hlo_dot_graph *g, hlo_dot_node_kind kind, const hlo_instr *instr,
                               uint32_t cluster) {
    hlo_dot_node *node = hlo_list_add(&g->nodes);
    *node = (hlo_dot_node){.kind = kind, .instr = instr, .cluster = cluster, .label = g->texts.len};
    g->clusters[cluster].node_count++;
    return node;
}

void hlo_dot_end_text(hlo_dot_graph *g) {
    hlo_buf_char(&g->texts, 0);
}

/* ---- clusters ---- */

uint32_t hlo_dot_new_cluster(hlo_dot_graph *g, hlo_computation *c) {
    uint32_t at = g->cluster_count++;
    g->clusters[at] = (hlo_dot_cluster){.computation = c,
                                        .holder = HLO_DOT_NONE,
                                        .caller = HLO_DOT_NONE,
                                        .first_node = g->nodes.n,
                                        .first_held = HLO_DOT_NONE,
                                        .next_held = HLO_DOT_NONE,
                                        .last_held = HLO_DOT_NONE,
                                        .colour = HLO_DOT_NONE};
    return at;
}

void hlo_dot_hold(hlo_dot_graph *g, uint32_t holder, uint32_t held) {
    HLO_ASSERT(holder < g->cluster_count && held < g->cluster_count && holder != held);
    hlo_dot_cluster *outer = &g->clusters[holder];
    g->clusters[held].holder = holder;
    if (outer->last_held == HLO_DOT_NONE) outer->first_held = held;
    else g->clusters[outer->last_held].next_held = held;
    outer->last_held = held;
}

/* A computation with one caller lies inside that caller's cluster: in its place or beside it. */
static void nest_clusters(hlo_dot_graph *g) {
    const hlo_dot_selection *s = g->selection;
    for (hlo_computation *c = s->module->first; c; c = c->next) {
        const hlo_instr *caller = s->callers[c->id] == 1 ? s->caller[c->id] : NULL;
        if (!caller || !s->drawn[c->id] || !s->kept[hlo_dot_number(s, caller)]) continue;
        hlo_dot_cluster *held = &g->clusters[g->cluster_of[c->id]];
        if (hlo_dot_drawn_body(s, caller) == c) held->in_place_of = caller;
        else held->caller = g->node_of[hlo_dot_number(s, caller)];
        if (held->in_place_of || held->caller != HLO_DOT_NONE)
            hlo_dot_hold(g, hlo_dot_cluster_for(g, caller), g->cluster_of[c->id]);
    }
}

/* Its background is that of the node in whose place it is, where costs or changes are shown. */
static void label_in_place(hlo_dot_graph *g, hlo_dot_cluster *cluster) {
    const hlo_instr *caller = cluster->in_place_of;
    hlo_dot_title_in_place(&g->texts, caller, g->selection);
    bool hot = hlo_dot_is_heat(g->options);
    if (hot) hlo_dot_put_heat(&g->texts, &g->colours->heat, g->selection, caller, "", "\\l");
    if (hot || g->options->colour == HLO_COLOUR_DIFF)
        cluster->colour = hlo_dot_colour_of(g, caller);
}

static void label_frame(hlo_dot_graph *g, const hlo_static_frame *frame) {
    hlo_buf_lit(&g->texts, "frame ");
    hlo_dot_escape(&g->texts, frame->name.ptr, frame->name.len, FRAME_NAME);
}

static void label_clusters(hlo_dot_graph *g) {
    for (uint32_t k = 0; k < g->cluster_count; k++) {
        hlo_dot_cluster *cluster = &g->clusters[k];
        cluster->label = g->texts.len;
        if (cluster->in_place_of) label_in_place(g, cluster);
        else if (cluster->frame) label_frame(g, cluster->frame);
        else hlo_dot_title(&g->texts, cluster->computation, g->selection);
        hlo_dot_end_text(g);
    }
}

/* ---- nodes ---- */

static void add_instr_node(hlo_dot_graph *g, const hlo_instr *instr, uint32_t cluster) {
    HLO_ASSERT(cluster < g->cluster_count);
    g->node_of[hlo_dot_number(g->selection, instr)] = g->nodes.n;
    hlo_dot_node *node = hlo_dot_new_node(g, HLO_DOT_NODE_INSTR, instr, cluster);
    node->colour = hlo_dot_colour_of(g, instr);
    hlo_dot_label(&g->texts, instr, g->selection);
    if (g->options->colour == HLO_COLOUR_PLAN) hlo_dot_plan(&g->texts, instr);
    if (hlo_dot_is_heat(g->options))
        hlo_dot_put_heat(&g->texts, &g->colours->heat, g->selection, instr, "\\n", "");
    hlo_dot_end_text(g);
}

static void add_ellipsis(hlo_dot_graph *g, hlo_dot_node_kind kind, uint32_t of, uint32_t count) {
    HLO_ASSERT(of < g->nodes.n);
    bool above = kind == HLO_DOT_NODE_MORE_OPERANDS;
    uint32_t at = g->nodes.n;
    hlo_dot_node *node = hlo_dot_new_node(g, kind, g->nodes.v[of].instr, g->nodes.v[of].cluster);
    node->count = count;
    hlo_buf_printf(&g->texts, "\xe2\x80\xa6 %u %s%s", count, above ? "operand" : "user",
                   count == 1 ? "" : "s");
    hlo_dot_end_text(g);
    hlo_list_push(
        &g->edges,
        (hlo_dot_edge){.kind = HLO_DOT_MORE, .from = above ? at : of, .to = above ? of : at});
}

static uint32_t hidden_operands(const hlo_dot_graph *g, const hlo_instr *instr) {
    const hlo_dot_selection *s = g->selection;
    uint32_t n = 0;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        n += hlo_dot_role_of(s, hlo_dot_source(s, hlo_operand(instr, i))) == HLO_DOT_HIDDEN;
    return n;
}

static uint32_t hidden_users(const hlo_dot_graph *g, const hlo_instr *instr) {
    const hlo_dot_selection *s = g->selection;
    uint32_t n = 0;
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        if (!s->kept[hlo_dot_number(s, use->user)]) n++;
        else if (use->user->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
                 hlo_dot_role_of(s, use->user) == HLO_DOT_PASSED)
            n += hidden_users(g, use->user);
    }
    const hlo_instr *caller = hlo_dot_place_of(s, instr->parent);
    if (instr == instr->parent->root && caller && hlo_dot_drawn_body(s, caller))
        n += hidden_users(g, caller);
    return n;
}

static void add_ellipses(hlo_dot_graph *g, uint32_t first) {
    for (uint32_t i = first, end = g->nodes.n; i < end; i++) {
        uint32_t operands = hidden_operands(g, g->nodes.v[i].instr);
        uint32_t users = hidden_users(g, g->nodes.v[i].instr);
        if (operands) add_ellipsis(g, HLO_DOT_NODE_MORE_OPERANDS, i, operands);
        if (users) add_ellipsis(g, HLO_DOT_NODE_MORE_USERS, i, users);
    }
}

/* The nodes of one cluster, which is that of the computation or of a frame. */
static void fill_cluster(hlo_dot_graph *g, uint32_t at, hlo_instr **order, uint32_t count) {
    HLO_ASSERT(at < g->cluster_count);
    const hlo_dot_selection *s = g->selection;
    g->clusters[at].first_node = g->nodes.n;
    for (uint32_t i = 0; i < count; i++)
        if (hlo_dot_role_of(s, order[i]) == HLO_DOT_NODE) add_instr_node(g, order[i], at);
    add_ellipses(g, g->clusters[at].first_node);
    if (!g->clusters[at].frame) hlo_dot_add_lone(g, at);
}

/* Post-order, so that operands stand before users whatever the order of the text. What is in a
 * frame without a cluster is not drawn. */
static void make_nodes(hlo_dot_graph *g) {
    for (uint32_t k = 0; k < g->cluster_count; k++) {
        hlo_computation *c = g->clusters[k].computation;
        if (g->clusters[k].frame) continue;
        hlo_instr **order = hlo_calloc(c->instr_count + 1, sizeof(hlo_instr *));
        uint32_t n = hlo_post_order(c, order);
        hlo_dot_sort_by_frame(g, order, n);
        for (uint32_t first = 0, end; first < n; first = end) {
            uint32_t at = hlo_dot_cluster_for(g, order[first]);
            for (end = first + 1; end < n && hlo_dot_cluster_for(g, order[end]) == at;) end++;
            if (at != HLO_DOT_NONE) fill_cluster(g, at, order + first, end - first);
        }
        hlo_free(order);
    }
}

/* ---- the whole ---- */

void hlo_dot_graph_set_device(hlo_dot_graph *g, uint32_t device) {
    g->has_device = true;
    g->device.label = g->texts.len;
    hlo_buf_printf(&g->texts, "device %u", device);
    hlo_dot_end_text(g);
}

void hlo_dot_graph_init_empty(hlo_dot_graph *g, const hlo_dot_selection *s,
                              const hlo_graph_options *options, hlo_dot_colours *colours) {
    *g = (hlo_dot_graph){
        .texts = HLO_BUF_INIT, .selection = s, .options = options, .colours = colours};
    g->clusters = hlo_calloc(s->module->computation_count + 1, sizeof *g->clusters);
}

void hlo_dot_graph_init(hlo_dot_graph *g, const hlo_dot_selection *s,
                        const hlo_graph_options *options, hlo_dot_colours *colours) {
    hlo_dot_graph_init_empty(g, s, options, colours);
    g->node_of = hlo_calloc(s->total + 1, sizeof *g->node_of);
    memset(g->node_of, 0xff, (s->total + 1) * sizeof *g->node_of);
    g->cluster_of = hlo_calloc(s->module->next_id + 1, sizeof *g->cluster_of);
    for (hlo_computation *c = g->selection->module->first; c; c = c->next) {
        g->cluster_of[c->id] = HLO_DOT_NONE;
        if (!g->selection->drawn[c->id]) continue;
        g->cluster_of[c->id] = hlo_dot_new_cluster(g, c);
    }
    hlo_dot_add_frames(g);
    make_nodes(g);
    nest_clusters(g);
    label_clusters(g);
    hlo_dot_add_edges(g);
    hlo_dot_add_lone_edges(g);
}

void hlo_dot_graph_free(hlo_dot_graph *g) {
    hlo_list_free(&g->nodes);
    hlo_list_free(&g->edges);
    hlo_free(g->clusters);
    hlo_list_free(&g->bends);
    hlo_free(g->cluster_of);
    hlo_static_frames_free(&g->frames);
    hlo_free(g->frame_cluster);
    hlo_free(g->node_of);
    hlo_free(g->lone_node_of);
    hlo_free(g->lone_first);
    hlo_free(g->lone_near);
    hlo_buf_free(&g->texts);
}
