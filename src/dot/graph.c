/* From a selection to nodes, edges and clusters. Called by dot.c. */
#include "dot/graph.h"

#include "dot/label.h"
#include "dot/style.h"
#include "ir/plan_keys.h"

enum {
    SHAPED_EDGES = 60, /* nodes: up to so many, edges show shapes unless asked otherwise */
};

_Static_assert((int)HLO_STYLE_COUNT <= (int)HLO_DOT_PALETTE, "classes are marked like colours");

/* ---- growing ---- */

static hlo_dot_node *new_node(hlo_dot_graph *g, hlo_dot_node_kind kind, const hlo_instr *instr,
                              uint32_t cluster) {
    hlo_dot_node *node = hlo_list_add(&g->nodes);
    *node = (hlo_dot_node){.kind = kind, .instr = instr, .cluster = cluster, .label = g->texts.len};
    g->clusters[cluster].node_count++;
    return node;
}

static void end_text(hlo_dot_graph *g) {
    hlo_buf_char(&g->texts, 0);
}

/* ---- clusters ---- */

static bool is_node(const hlo_dot_graph *g, const hlo_instr *instr) {
    const hlo_dot_selection *s = g->selection;
    return s->kept[hlo_dot_number(s, instr)] && !hlo_dot_is_inlined(s, instr) &&
           !hlo_dot_is_folded(s, instr);
}

static void label_cluster(hlo_dot_graph *g, hlo_dot_cluster *cluster) {
    const hlo_computation *c = cluster->computation;
    hlo_buf *out = &g->texts;
    cluster->label = out->len;
    if (c == c->module->entry) hlo_buf_lit(out, "ENTRY ");
    hlo_dot_escape_name(out, c->name);
    if (c->is_fusion_body) hlo_buf_lit(out, " (fusion)");
    if (g->selection->kept_count[c->id] < c->instr_count)
        hlo_buf_printf(out, " (%u of %u instructions)", g->selection->kept_count[c->id],
                       c->instr_count);
    if (!hlo_str_is(c->execution_thread, "main")) {
        hlo_buf_lit(out, "\\nthread ");
        hlo_dot_escape(out, c->execution_thread.ptr, c->execution_thread.len, 60);
    }
    end_text(g);
}

static uint32_t new_cluster(hlo_dot_graph *g, hlo_computation *c) {
    uint32_t at = g->cluster_count++;
    g->clusters[at] = (hlo_dot_cluster){.computation = c,
                                        .holder = HLO_DOT_NONE,
                                        .caller = HLO_DOT_NONE,
                                        .first_node = g->nodes.n,
                                        .first_held = HLO_DOT_NONE,
                                        .next_held = HLO_DOT_NONE,
                                        .last_held = HLO_DOT_NONE};
    return at;
}

static void make_clusters(hlo_dot_graph *g, uint32_t *cluster_of) {
    for (hlo_computation *c = g->selection->module->first; c; c = c->next) {
        cluster_of[c->id] = HLO_DOT_NONE;
        if (!g->selection->drawn[c->id]) continue;
        cluster_of[c->id] = new_cluster(g, c);
        label_cluster(g, &g->clusters[cluster_of[c->id]]);
    }
}

static void hold(hlo_dot_graph *g, uint32_t holder, uint32_t held, uint32_t caller) {
    hlo_dot_cluster *outer = &g->clusters[holder];
    g->clusters[held].holder = holder;
    g->clusters[held].caller = caller;
    if (outer->last_held == HLO_DOT_NONE) outer->first_held = held;
    else g->clusters[outer->last_held].next_held = held;
    outer->last_held = held;
}

/* A computation with one caller lies inside that caller's cluster. */
static void nest_clusters(hlo_dot_graph *g, const uint32_t *cluster_of) {
    const hlo_dot_selection *s = g->selection;
    uint32_t *callers = hlo_calloc(s->module->next_id + 1, sizeof *callers);
    for (int hold_now = 0; hold_now < 2; hold_now++)
        for (hlo_computation *c = s->module->first; c; c = c->next)
            for (hlo_instr *i = c->first; i; i = i->next) {
                hlo_computation *called;
                for (uint32_t k = 0; (called = hlo_called(i, k)); k++) {
                    uint32_t caller = g->node_of[hlo_dot_number(s, i)];
                    if (!hold_now) callers[called->id]++;
                    else if (callers[called->id] == 1 && s->drawn[called->id] &&
                             caller != HLO_DOT_NONE)
                        hold(g, cluster_of[c->id], cluster_of[called->id], caller);
                }
            }
    hlo_free(callers);
}

/* ---- nodes ---- */

/* The number of the buffer that the result is in; HLO_DOT_NONE: it is in none. */
static uint32_t buffer_of(const hlo_instr *instr) {
    static const char before[] = "buffer ";
    enum { LENGTH = sizeof before - 1 };
    const hlo_str *memory = hlo_frontend_value(instr, HLO_PLAN_MEMORY);
    uint32_t number = 0;
    if (!memory || memory->len <= LENGTH || memcmp(memory->ptr, before, LENGTH))
        return HLO_DOT_NONE;
    for (uint32_t i = LENGTH; i < memory->len; i++) {
        if (memory->ptr[i] < '0' || memory->ptr[i] > '9') return HLO_DOT_NONE;
        number = 10 * number + (uint32_t)(memory->ptr[i] - '0');
    }
    return number;
}

/* There are more buffers than colours, which serve again. */
static uint32_t colour_of_buffer(const hlo_instr *instr) {
    uint32_t buffer = buffer_of(instr);
    return buffer == HLO_DOT_NONE ? buffer : buffer % HLO_DOT_PALETTE;
}

/* The same sharding again has the same colour. */
static uint32_t palette_of(hlo_dot_colours *colours, const hlo_instr *instr) {
    const hlo_attr *sharding = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    if (!sharding) return HLO_DOT_NONE;
    for (uint32_t i = 0; i < colours->sharding_count; i++)
        if (hlo_attr_equal(colours->shardings[i], sharding)) return i;
    if (colours->sharding_count == HLO_DOT_PALETTE) return HLO_DOT_PALETTE;
    colours->shardings[colours->sharding_count] = sharding;
    return colours->sharding_count++;
}

static uint32_t colour_of(hlo_dot_graph *g, const hlo_instr *instr) {
    switch (g->options->colour) {
    case HLO_COLOUR_SHARDING: return palette_of(g->colours, instr);
    case HLO_COLOUR_PLAN: return colour_of_buffer(instr);
    case HLO_COLOUR_CLASS: break;
    }
    return (uint32_t)hlo_info(instr)->class;
}

static void use_colour(hlo_dot_colours *colours, uint32_t colour) {
    if (colour < HLO_DOT_PALETTE) colours->drawn[colour] = true;
    else if (colour == HLO_DOT_PALETTE) colours->others = true;
    else colours->none = true;
}

static void add_instr_node(hlo_dot_graph *g, const hlo_instr *instr, uint32_t cluster) {
    g->node_of[hlo_dot_number(g->selection, instr)] = g->nodes.n;
    hlo_dot_node *node = new_node(g, HLO_DOT_NODE_INSTR, instr, cluster);
    node->colour = colour_of(g, instr);
    use_colour(g->colours, node->colour);
    hlo_dot_label(&g->texts, instr, g->selection);
    if (g->options->colour == HLO_COLOUR_PLAN) hlo_dot_plan(&g->texts, instr);
    end_text(g);
}

static void add_ellipsis(hlo_dot_graph *g, hlo_dot_node_kind kind, uint32_t of, uint32_t count) {
    bool above = kind == HLO_DOT_NODE_MORE_OPERANDS;
    uint32_t at = g->nodes.n;
    hlo_dot_node *node = new_node(g, kind, g->nodes.v[of].instr, g->nodes.v[of].cluster);
    node->count = count;
    hlo_buf_printf(&g->texts, "\xe2\x80\xa6 %u %s%s", count, above ? "operand" : "user",
                   count == 1 ? "" : "s");
    end_text(g);
    hlo_list_push(
        &g->edges,
        (hlo_dot_edge){.kind = HLO_DOT_MORE, .from = above ? at : of, .to = above ? of : at});
}

static uint32_t hidden_operands(const hlo_dot_graph *g, const hlo_instr *instr) {
    const hlo_dot_selection *s = g->selection;
    uint32_t n = 0;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *def = hlo_operand(instr, i);
        n += !s->kept[hlo_dot_number(s, def)] && !hlo_dot_is_inlined(s, def);
    }
    return n;
}

static uint32_t hidden_users(const hlo_dot_graph *g, const hlo_instr *instr) {
    const hlo_dot_selection *s = g->selection;
    uint32_t n = 0;
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        if (!s->kept[hlo_dot_number(s, use->user)]) n++;
        else if (hlo_dot_is_folded(s, use->user)) n += hidden_users(g, use->user);
    }
    return n;
}

/* Post-order, so that operands stand before users whatever the order of the text. */
static void make_nodes(hlo_dot_graph *g) {
    const hlo_dot_selection *s = g->selection;
    for (uint32_t k = 0; k < g->cluster_count; k++) {
        hlo_dot_cluster *cluster = &g->clusters[k];
        hlo_computation *c = cluster->computation;
        hlo_instr **order = hlo_calloc(c->instr_count + 1, sizeof(hlo_instr *));
        uint32_t n = hlo_post_order(c, order);
        cluster->first_node = g->nodes.n;
        for (uint32_t i = 0; i < n; i++)
            if (is_node(g, order[i])) add_instr_node(g, order[i], k);
        uint32_t end = g->nodes.n;
        for (uint32_t i = cluster->first_node; i < end && s->kept_count[c->id] < c->instr_count;
             i++) {
            uint32_t operands = hidden_operands(g, g->nodes.v[i].instr);
            uint32_t users = hidden_users(g, g->nodes.v[i].instr);
            if (operands) add_ellipsis(g, HLO_DOT_NODE_MORE_OPERANDS, i, operands);
            if (users) add_ellipsis(g, HLO_DOT_NODE_MORE_USERS, i, users);
        }
        hlo_free(order);
    }
}

/* ---- edges ---- */

static void add_operand_edges(hlo_dot_graph *g, uint32_t to) {
    const hlo_dot_selection *s = g->selection;
    const hlo_instr *instr = g->nodes.v[to].instr;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *def = hlo_operand(instr, i), *source = def;
        if (!s->kept[hlo_dot_number(s, def)]) continue;
        while (hlo_dot_is_folded(s, source)) source = hlo_operand(source, 0);
        uint32_t from = g->node_of[hlo_dot_number(s, source)];
        if (from == HLO_DOT_NONE) continue;
        hlo_list_push(&g->edges, (hlo_dot_edge){HLO_DOT_OPERAND, from, to, i, def, NULL, 0, 0});
    }
}

static void add_control_edges(hlo_dot_graph *g, uint32_t to) {
    const hlo_attr *control = hlo_instr_attr(g->nodes.v[to].instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t k = 0; control && k < control->u.instructions->n; k++) {
        uint32_t from = g->node_of[hlo_dot_number(g->selection, control->u.instructions->v[k])];
        if (from != HLO_DOT_NONE)
            hlo_list_push(&g->edges,
                          (hlo_dot_edge){.kind = HLO_DOT_CONTROL, .from = from, .to = to});
    }
}

static void add_call_edge(hlo_dot_graph *g, uint32_t to, const hlo_computation *called,
                          const char *role) {
    if (!called->root) return;
    uint32_t from = g->node_of[hlo_dot_number(g->selection, called->root)];
    if (from != HLO_DOT_NONE)
        hlo_list_push(&g->edges,
                      (hlo_dot_edge){.kind = HLO_DOT_CALL, .from = from, .to = to, .role = role});
}

static void add_call_edges(hlo_dot_graph *g, uint32_t to) {
    const hlo_instr *instr = g->nodes.v[to].instr;
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        const hlo_attr *attr = &instr->attrs[i];
        const hlo_attr_info *info = &hlo_attr_table[attr->id];
        if (info->kind == HLO_KIND_COMPUTATION)
            add_call_edge(g, to, attr->u.computation, info->text);
        else if (info->kind == HLO_KIND_COMPUTATIONS)
            for (uint32_t k = 0; k < attr->u.computations->n; k++)
                add_call_edge(g, to, attr->u.computations->v[k], info->text);
    }
}

static void make_edges(hlo_dot_graph *g) {
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        if (g->nodes.v[i].kind != HLO_DOT_NODE_INSTR) continue;
        add_operand_edges(g, i);
        add_control_edges(g, i);
        add_call_edges(g, i);
    }
}

/* ---- the legend ---- */

static void legend_row(hlo_dot_graph *g, uint32_t cluster, uint32_t colour, const char *text) {
    hlo_dot_node *node = new_node(g, HLO_DOT_NODE_LEGEND, NULL, cluster);
    node->colour = colour;
    hlo_dot_escape(&g->texts, text, strlen(text), 100);
    end_text(g);
}

static void legend_of_classes(hlo_dot_graph *g, uint32_t cluster) {
    for (uint32_t class = 0; class < HLO_STYLE_COUNT; class ++)
        if (g->colours->drawn[class]) legend_row(g, cluster, class, hlo_styles[class].legend);
}

static void legend_of_shardings(hlo_dot_graph *g, uint32_t cluster) {
    const hlo_dot_colours *colours = g->colours;
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t i = 0; i < colours->sharding_count; i++) {
        text.len = 0;
        hlo_attr_print(colours->shardings[i], &hlo_print_default, &text);
        hlo_buf_char(&text, 0);
        legend_row(g, cluster, i, strncmp(text.data, ", ", 2) == 0 ? text.data + 2 : text.data);
    }
    hlo_buf_free(&text);
    if (colours->others) legend_row(g, cluster, HLO_DOT_PALETTE, "another sharding");
    if (colours->none) legend_row(g, cluster, HLO_DOT_NONE, "no sharding");
}

static void legend_of_buffers(hlo_dot_graph *g, uint32_t cluster) {
    for (uint32_t i = 0; i < HLO_DOT_PALETTE; i++) {
        char text[64];
        snprintf(text, sizeof text, "buffer %u, %u, ... of a computation", i, i + HLO_DOT_PALETTE);
        if (g->colours->drawn[i]) legend_row(g, cluster, i, text);
    }
    if (g->colours->none) legend_row(g, cluster, HLO_DOT_NONE, "no buffer of a plan");
}

void hlo_dot_graph_add_legend(hlo_dot_graph *g) {
    uint32_t cluster = new_cluster(g, NULL);
    g->clusters[cluster].label = g->texts.len;
    hlo_buf_lit(&g->texts, "colours");
    end_text(g);
    if (g->options->colour == HLO_COLOUR_SHARDING) legend_of_shardings(g, cluster);
    else if (g->options->colour == HLO_COLOUR_PLAN) legend_of_buffers(g, cluster);
    else legend_of_classes(g, cluster);
}

/* ---- the whole ---- */

void hlo_dot_graph_set_device(hlo_dot_graph *g, uint32_t device) {
    g->has_device = true;
    g->device.label = g->texts.len;
    hlo_buf_printf(&g->texts, "device %u", device);
    end_text(g);
}

void hlo_dot_graph_init_legend(hlo_dot_graph *g, const hlo_dot_selection *s,
                               const hlo_graph_options *options, hlo_dot_colours *colours) {
    *g = (hlo_dot_graph){
        .selection = s, .options = options, .colours = colours, .texts = HLO_BUF_INIT};
    g->clusters = hlo_calloc(1, sizeof *g->clusters);
    hlo_dot_graph_add_legend(g);
}

void hlo_dot_graph_init(hlo_dot_graph *g, const hlo_dot_selection *s,
                        const hlo_graph_options *options, hlo_dot_colours *colours) {
    *g = (hlo_dot_graph){
        .selection = s, .options = options, .colours = colours, .texts = HLO_BUF_INIT};
    uint32_t ids = s->module->next_id + 1;
    g->clusters = hlo_calloc(s->module->computation_count + 1, sizeof *g->clusters);
    g->node_of = hlo_calloc(s->total + 1, sizeof *g->node_of);
    memset(g->node_of, 0xff, (s->total + 1) * sizeof *g->node_of);
    uint32_t *cluster_of = hlo_calloc(ids, sizeof *cluster_of);
    make_clusters(g, cluster_of);
    make_nodes(g);
    nest_clusters(g, cluster_of);
    make_edges(g);
    if (options->edges == HLO_EDGE_AUTO) g->numbers_only = g->nodes.n > SHAPED_EDGES;
    else g->numbers_only = options->edges == HLO_EDGE_NUMBER;
    hlo_free(cluster_of);
}

void hlo_dot_graph_free(hlo_dot_graph *g) {
    hlo_list_free(&g->nodes);
    hlo_list_free(&g->edges);
    hlo_free(g->clusters);
    hlo_list_free(&g->bends);
    hlo_free(g->node_of);
    hlo_buf_free(&g->texts);
}
