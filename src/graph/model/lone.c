/* What only the other module of a comparison has, as nodes in the counterparts of its computations.
 */
#include "graph/model/colours.h"
#include "graph/model/label.h"
#include "graph/model/roles.h"

/* The node of an instruction of the module, or of a lone one. */
static uint32_t node_at(const hlo_dot_graph *g, hlo_instr *instr, uint32_t lone) {
    if (!instr) return g->lone_node_of[lone];
    if (hlo_dot_role_of(g->selection, instr) == HLO_DOT_HIDDEN) return HLO_DOT_NONE;
    return g->node_of[hlo_dot_number(g->selection, hlo_dot_source(g->selection, instr))];
}

static uint32_t *make_nowhere(uint32_t count) {
    uint32_t *list = hlo_malloc((count + 1u) * sizeof *list);
    memset(list, 0xff, (count + 1u) * sizeof *list);
    return list;
}

static void find_near(hlo_dot_graph *g) {
    const hlo_dot_extras *extras = g->colours->extras;
    for (uint32_t k = 0; k < extras->lone_edge_count; k++) {
        const hlo_dot_lone_edge *e = &extras->lone_edges[k];
        if (e->from && g->selection->kept[hlo_dot_number(g->selection, e->from)])
            g->lone_near[e->lone_to] = true;
        if (e->to && g->selection->kept[hlo_dot_number(g->selection, e->to)])
            g->lone_near[e->lone_from] = true;
    }
}

static void prepare_lone_nodes(hlo_dot_graph *g) {
    const hlo_dot_extras *extras = g->colours->extras;
    g->lone_node_of = make_nowhere(extras->lone_count);
    g->lone_first = make_nowhere(g->selection->module->next_id);
    g->lone_near = hlo_calloc(extras->lone_count + 1u, sizeof *g->lone_near);
    for (uint32_t k = extras->lone_count; k-- > 0;)
        g->lone_first[extras->lone[k].computation->id] = k;
    find_near(g);
}

static void add_node(hlo_dot_graph *g, uint32_t lone, uint32_t cluster) {
    const hlo_instr *instr = g->colours->extras->lone[lone].instr;
    g->lone_node_of[lone] = g->nodes.n;
    hlo_dot_node *node = hlo_dot_new_node(g, HLO_DOT_NODE_LONE, instr, cluster);
    node->colour = hlo_dot_colour_of_lone(g);
    hlo_dot_label_lone(&g->texts, instr);
    hlo_dot_end_text(g);
}

/* Of a computation that is drawn in part, those beside what is drawn. */
void hlo_dot_add_lone(hlo_dot_graph *g, uint32_t cluster) {
    if (g->options->colour != HLO_COLOUR_DIFF) return;
    if (!g->lone_node_of) prepare_lone_nodes(g);
    const hlo_dot_extras *extras = g->colours->extras;
    const hlo_computation *c = g->clusters[cluster].computation;
    bool whole = g->selection->kept_count[c->id] == c->instr_count;
    uint32_t k = g->lone_first[c->id];
    for (; k < extras->lone_count && extras->lone[k].computation == c; k++)
        if (whole || g->lone_near[k]) add_node(g, k, cluster);
}

void hlo_dot_add_lone_edges(hlo_dot_graph *g) {
    if (!g->lone_node_of) return;
    const hlo_dot_extras *extras = g->colours->extras;
    for (uint32_t k = 0; k < extras->lone_edge_count; k++) {
        const hlo_dot_lone_edge *e = &extras->lone_edges[k];
        uint32_t from = node_at(g, e->from, e->lone_from), to = node_at(g, e->to, e->lone_to);
        if (from != HLO_DOT_NONE && to != HLO_DOT_NONE && from != to)
            hlo_list_push(&g->edges, (hlo_dot_edge){.kind = HLO_DOT_LONE, .from = from, .to = to});
    }
}
