/* Dataflow graphs: a frame is a cluster around the nodes of its loop, an edge to the next iteration
 * goes back. */
#include "graph/model/frames.h"

#include "graph/model/roles.h"

/* Frames whose clusters are needed: what is drawn is in them, or in a frame in them. */
static bool *find_needed(const hlo_dot_graph *g, const hlo_static_frames *frames) {
    const hlo_dot_selection *s = g->selection;
    bool *needed = hlo_calloc(frames->count + 1u, sizeof *needed);
    for (const hlo_instr *i = s->module->entry->first; i; i = i->next)
        if (hlo_dot_role_of(s, i) == HLO_DOT_NODE || hlo_dot_drawn_body(s, i))
            needed[frames->of[i->index]] = true;
    for (uint32_t f = frames->count; f-- > 1;)
        if (needed[f]) needed[frames->v[f].parent] = true;
    return needed;
}

/* A frame comes after its parent. */
void hlo_dot_add_frames(hlo_dot_graph *g) {
    hlo_module *module = g->selection->module;
    uint32_t entry = module->entry ? g->cluster_of[module->entry->id] : HLO_DOT_NONE;
    if (entry == HLO_DOT_NONE || !hlo_module_flag(module, HLO_ATTR_IS_DATAFLOW)) return;
    g->frames = hlo_static_frames_find(module, NULL, NULL);
    g->frame_cluster = hlo_calloc(g->frames.count + 1u, sizeof *g->frame_cluster);
    size_t most = (size_t)module->computation_count + g->frames.count + 1;
    g->clusters = hlo_realloc(g->clusters, most * sizeof *g->clusters);
    memset(g->frame_cluster, 0xff, g->frames.count * sizeof *g->frame_cluster);
    bool *needed = find_needed(g, &g->frames);
    g->frame_cluster[0] = entry;
    for (uint32_t f = 1; f < g->frames.count; f++) {
        if (!needed[f]) continue;
        uint32_t at = hlo_dot_new_cluster(g, module->entry);
        g->clusters[at].frame = &g->frames.v[f];
        g->frame_cluster[f] = at;
        hlo_dot_hold(g, g->frame_cluster[g->frames.v[f].parent], at);
    }
    hlo_free(needed);
}

static uint32_t frame_of(const hlo_dot_graph *g, const hlo_instr *instr) {
    bool in_frame = g->frames.of && instr->parent == g->selection->module->entry;
    return in_frame ? g->frames.of[instr->index] : 0;
}

uint32_t hlo_dot_cluster_for(const hlo_dot_graph *g, const hlo_instr *instr) {
    uint32_t frame = frame_of(g, instr);
    return frame ? g->frame_cluster[frame] : g->cluster_of[instr->parent->id];
}

void hlo_dot_sort_by_frame(const hlo_dot_graph *g, hlo_instr **order, uint32_t count) {
    if (!count || !g->frames.of || order[0]->parent != g->selection->module->entry) return;
    hlo_instr **old = hlo_malloc(count * sizeof *old);
    uint32_t *first = hlo_calloc(g->frames.count + 1u, sizeof *first);
    memcpy(old, order, count * sizeof *old);
    for (uint32_t i = 0; i < count; i++) first[frame_of(g, old[i]) + 1]++;
    for (uint32_t f = 1; f < g->frames.count; f++) first[f] += first[f - 1];
    for (uint32_t i = 0; i < count; i++) order[first[frame_of(g, old[i])]++] = old[i];
    hlo_free(first);
    hlo_free(old);
}

void hlo_dot_add_back_edges(hlo_dot_graph *g) {
    if (!hlo_module_flag(g->selection->module, HLO_ATTR_IS_DATAFLOW)) return;
    for (uint32_t to = 0; to < g->nodes.n; to++) {
        const hlo_dot_node *node = &g->nodes.v[to];
        const hlo_instr *next =
            node->kind == HLO_DOT_NODE_INSTR ? hlo_back_edge(node->instr) : NULL;
        uint32_t from = next ? g->node_of[hlo_dot_number(g->selection, next)] : HLO_DOT_NONE;
        if (from != HLO_DOT_NONE)
            hlo_list_push(&g->edges, (hlo_dot_edge){.kind = HLO_DOT_BACK, .from = from, .to = to});
    }
}
