/* The parts of a dataflow graph in one drawing: a graph for each device, a legend for all, and what
 * they send each other. An ordinary module is one part. */
#include "graph/model/parts.h"

#include <stdlib.h>

#include "graph/model/colours.h"

typedef HLO_LIST(hlo_dot_end) end_list;

/* ---- selections ---- */

/* What an option names is in one part as a rule, and only parts that have it are drawn. When none
 * has it, the first one is asked, for its error. */
static bool is_drawn(const hlo_module *first, const hlo_module *part,
                     const hlo_graph_options *options) {
    if (hlo_dot_has_selected(part, options)) return true;
    for (const hlo_module *m = first; m; m = m->next_device)
        if (hlo_dot_has_selected(m, options)) return false;
    return part == first;
}

static uint32_t count_drawn(const hlo_module *first, const hlo_graph_options *options) {
    uint32_t n = 0;
    for (const hlo_module *m = first; m; m = m->next_device) n += is_drawn(first, m, options);
    return n;
}

/* Devices share the nodes that may be drawn. */
static uint64_t share(const hlo_graph_options *options, uint32_t part, uint32_t count) {
    return options->max_nodes / count + (part < options->max_nodes % count);
}

static hlo_status select_parts(hlo_dot_parts *parts, hlo_module *first,
                               const hlo_graph_options *options, hlo_diags *diags) {
    uint32_t wanted = count_drawn(first, options), device = 0, seen = 0;
    hlo_status status = HLO_OK;
    parts->selections = hlo_calloc(wanted + 1, sizeof *parts->selections);
    for (hlo_module *m = first; m && status == HLO_OK; m = m->next_device, device++) {
        if (!is_drawn(first, m, options)) continue;
        hlo_graph_options own = *options;
        own.max_nodes = share(options, seen++, wanted);
        if (options->max_nodes && !own.max_nodes) continue;
        hlo_dot_selection *selection = &parts->selections[parts->count++];
        status = hlo_dot_select(selection, m, &own, diags);
        selection->device = device;
    }
    return status;
}

/* ---- graphs ---- */

/* Names of nodes and clusters go on where those of the last graph end. */
static hlo_dot_graph *next_graph(hlo_dot_parts *parts) {
    return &parts->graphs[parts->graph_count++];
}

static void go_on(hlo_dot_parts *parts) {
    hlo_dot_graph *g = &parts->graphs[parts->graph_count - 1];
    parts->node_count += g->nodes.n;
    if (parts->graph_count == 1) return;
    const hlo_dot_graph *last = g - 1;
    g->first_node = last->first_node + last->nodes.n;
    g->first_cluster = last->first_cluster + last->cluster_count;
}

static void make_graphs(hlo_dot_parts *parts, const hlo_graph_options *options, bool in_parts) {
    parts->graphs = hlo_calloc(parts->count + 2, sizeof *parts->graphs);
    for (uint32_t i = 0; i < parts->count; i++) {
        hlo_dot_graph *g = next_graph(parts);
        hlo_dot_graph_init(g, &parts->selections[i], options, &parts->colours);
        if (in_parts) hlo_dot_graph_set_device(g, parts->selections[i].device);
        else if (options->legend) hlo_dot_add_legend(g);
        go_on(parts);
    }
    if (!in_parts || !options->legend) return;
    hlo_dot_graph *legend = next_graph(parts);
    hlo_dot_graph_init_empty(legend, &parts->selections[0], options, &parts->colours);
    hlo_dot_add_legend(legend);
    go_on(parts);
}

/* ---- messages ---- */

static void collect_ends(const hlo_dot_graph *g, end_list *sends, end_list *recvs) {
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const hlo_dot_node *node = &g->nodes.v[i];
        if (node->kind != HLO_DOT_NODE_INSTR) continue;
        const hlo_attr *key = hlo_instr_attr(node->instr, HLO_ATTR_KEY);
        if (!key) continue;
        hlo_dot_end end = {*key->u.string, g, i};
        if (node->instr->opcode == HLO_OP_EDGE_SEND) hlo_list_push(sends, end);
        if (node->instr->opcode == HLO_OP_EDGE_RECV) hlo_list_push(recvs, end);
    }
}

static int by_key(const void *a, const void *b) {
    const hlo_dot_end *x = a, *y = b;
    return hlo_str_compare(x->key, y->key);
}

static void pair_ends(hlo_dot_parts *parts, const end_list *sends, end_list *recvs) {
    if (!recvs->n) return;
    qsort(recvs->v, recvs->n, sizeof *recvs->v, by_key);
    for (uint32_t i = 0; i < sends->n; i++) {
        const hlo_dot_end *send = &sends->v[i];
        const hlo_dot_end *recv = bsearch(send, recvs->v, recvs->n, sizeof *recvs->v, by_key);
        if (recv) hlo_list_push(&parts->messages, (hlo_dot_message){*send, *recv});
    }
}

static void find_messages(hlo_dot_parts *parts) {
    end_list sends = {0}, recvs = {0};
    for (uint32_t i = 0; i < parts->graph_count; i++)
        collect_ends(&parts->graphs[i], &sends, &recvs);
    pair_ends(parts, &sends, &recvs);
    hlo_list_free(&sends);
    hlo_list_free(&recvs);
}

/* ---- the whole ---- */

hlo_status hlo_dot_parts_init(hlo_dot_parts *parts, hlo_module *module,
                              const hlo_graph_options *options, const hlo_dot_extras *extras,
                              hlo_diags *diags) {
    bool in_parts = module->next_device;
    *parts = (hlo_dot_parts){.colours = {.extras = extras}};
    hlo_status status = select_parts(parts, module, options, diags);
    if (status == HLO_OK && hlo_dot_is_heat(options))
        status = hlo_dot_heat_init(&parts->colours.heat, parts->selections, parts->count, options,
                                   extras, diags);
    if (status != HLO_OK) return status;
    make_graphs(parts, options, in_parts);
    if (in_parts) find_messages(parts);
    return HLO_OK;
}

void hlo_dot_parts_free(hlo_dot_parts *parts) {
    for (uint32_t i = 0; i < parts->graph_count; i++) hlo_dot_graph_free(&parts->graphs[i]);
    for (uint32_t i = 0; i < parts->count; i++) hlo_dot_selection_free(&parts->selections[i]);
    hlo_free(parts->graphs);
    hlo_free(parts->selections);
    hlo_list_free(&parts->messages);
    hlo_list_free(&parts->colours.stripes);
    hlo_dot_heat_free(&parts->colours.heat);
}
