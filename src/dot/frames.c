/* Dataflow graphs: a frame is a cluster around the nodes of its loop, an edge to the next iteration
 * goes back. Only where Graphviz lays out: the fast layout has no cycles. Called by dot.c. */
#include "dot/frames.h"

#include "dot/label.h"
#include "ir/frames.h"

static bool is_graph(const hlo_dot_graph *g) {
    return !g->placed && hlo_module_flag(g->selection->module, HLO_ATTR_IS_DATAFLOW);
}

static bool is_in(const hlo_dot_graph *g, const hlo_dot_node *node, const hlo_static_frames *frames,
                  uint32_t frame) {
    const hlo_instr *instr = node->instr;
    return node->kind == HLO_DOT_NODE_INSTR && instr->parent == g->selection->module->entry &&
           frames->of[instr->index] == frame;
}

static void draw_frame(const hlo_dot_graph *g, hlo_buf *out, const hlo_static_frames *frames,
                       uint32_t frame) {
    hlo_str name = frames->v[frame].name;
    hlo_buf_printf(out, "subgraph cluster_frame_%u {\nlabel=\"frame ", g->first_frame + frame);
    hlo_dot_escape(out, name.ptr, name.len, 80);
    hlo_buf_lit(out, "\";\nstyle=\"rounded,filled\";\nfillcolor=\"#f4f7fb\";\n");
    for (uint32_t i = 0; i < g->nodes.n; i++)
        if (is_in(g, &g->nodes.v[i], frames, frame))
            hlo_buf_printf(out, "n%u;\n", g->first_node + i);
    for (uint32_t inner = frame + 1; inner < frames->count; inner++)
        if (frames->v[inner].parent == frame) draw_frame(g, out, frames, inner);
    hlo_buf_lit(out, "}\n");
}

void hlo_dot_draw_frames(const hlo_dot_graph *g, hlo_buf *out) {
    if (!is_graph(g)) return;
    hlo_static_frames frames = hlo_static_frames_find(g->selection->module, NULL, NULL);
    for (uint32_t i = 1; i < frames.count; i++)
        if (frames.v[i].parent == 0) draw_frame(g, out, &frames, i);
    hlo_static_frames_free(&frames);
}

void hlo_dot_draw_back_edges(const hlo_dot_graph *g, hlo_buf *out) {
    if (!is_graph(g)) return;
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const hlo_dot_node *node = &g->nodes.v[i];
        const hlo_instr *next =
            node->kind == HLO_DOT_NODE_INSTR ? hlo_back_edge(node->instr) : NULL;
        uint32_t from = next ? g->node_of[hlo_dot_number(g->selection, next)] : HLO_DOT_NONE;
        if (from == HLO_DOT_NONE) continue;
        hlo_buf_printf(out,
                       "n%u -> n%u [style=dashed, constraint=false, color=\"#2b5fa8\", "
                       "tooltip=\"next iteration\"];\n",
                       g->first_node + from, g->first_node + i);
    }
}
