/* The edges of a drawing: of operands, past bodies and tuples that are drawn in place or taken
 * apart, of control dependencies, and from called computations. */
#include "graph/model/frames.h"
#include "graph/model/roles.h"

static uint32_t node_of(const hlo_dot_graph *g, hlo_instr *instr) {
    return g->node_of[hlo_dot_number(g->selection, hlo_dot_source(g->selection, instr))];
}

static void add_operand_edges(hlo_dot_graph *g, uint32_t to) {
    HLO_ASSERT(to < g->nodes.n);
    const hlo_dot_selection *s = g->selection;
    const hlo_instr *instr = g->nodes.v[to].instr;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *def = hlo_operand(instr, i);
        const hlo_instr *source = hlo_dot_source(s, def);
        HLO_ASSERT(hlo_dot_role_of(s, source) != HLO_DOT_OMITTED);
        uint32_t from = g->node_of[hlo_dot_number(s, source)];
        if (from == HLO_DOT_NONE) continue; /* the label has it, or an ellipsis counts it */
        g->nodes.v[to].drawn_operands++;
        hlo_list_push(
            &g->edges,
            (hlo_dot_edge){
                .kind = HLO_DOT_OPERAND, .from = from, .to = to, .number = i, .def = def});
    }
}

static void add_control_edges(hlo_dot_graph *g, uint32_t to, const hlo_instr *instr) {
    HLO_ASSERT(to < g->nodes.n);
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t k = 0; control && k < control->u.instructions->n; k++) {
        uint32_t from = node_of(g, control->u.instructions->v[k]);
        if (from != HLO_DOT_NONE && from != to)
            hlo_list_push(&g->edges,
                          (hlo_dot_edge){.kind = HLO_DOT_CONTROL, .from = from, .to = to});
    }
}

/* Those of a fusion end at the result of its body. */
static void add_control_edges_past(hlo_dot_graph *g, uint32_t to) {
    HLO_ASSERT(to < g->nodes.n);
    const hlo_dot_selection *s = g->selection;
    const hlo_instr *instr = g->nodes.v[to].instr;
    add_control_edges(g, to, instr);
    while (instr == instr->parent->root && hlo_dot_place_of(s, instr->parent) &&
           hlo_dot_drawn_body(s, hlo_dot_place_of(s, instr->parent))) {
        instr = hlo_dot_place_of(s, instr->parent);
        add_control_edges(g, to, instr);
    }
}

/* A computation whose cluster stands beside its caller's node. */
static void add_call_edge(hlo_dot_graph *g, uint32_t cluster) {
    HLO_ASSERT(cluster < g->cluster_count);
    const hlo_dot_cluster *held = &g->clusters[cluster];
    if (held->caller == HLO_DOT_NONE || !held->computation->root) return;
    uint32_t from = node_of(g, held->computation->root);
    if (from != HLO_DOT_NONE)
        hlo_list_push(&g->edges, (hlo_dot_edge){.kind = HLO_DOT_CALL,
                                                .from = from,
                                                .to = held->caller,
                                                .number = cluster});
}

void hlo_dot_add_edges(hlo_dot_graph *g) {
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        if (g->nodes.v[i].kind != HLO_DOT_NODE_INSTR) continue;
        add_operand_edges(g, i);
        add_control_edges_past(g, i);
    }
    for (uint32_t k = 0; k < g->cluster_count; k++) add_call_edge(g, k);
    hlo_dot_add_back_edges(g);
}
