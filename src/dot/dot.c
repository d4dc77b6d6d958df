/* A module as Graphviz text: clusters for computations, nodes for instructions, edges for operands,
 * calls and control dependencies. Linear in the size of the module and without recursion.
 * Called by hlo-dot. */
#include "dot/dot.h"

#include "dot/label.h"
#include "dot/style.h"

/* Arrays are indexed by the ids of computations. */
typedef struct {
    hlo_module *module;
    hlo_buf *out;
    uint32_t ids;
    bool *drawn;
    uint32_t *base; /* number of the computation's first instruction in the graph */
    /* Clusters inside clusters: the only caller holds the called. */
    hlo_computation **holder, **first_held, **last_held, **next_held;
    uint32_t tied;                 /* mark of instructions with control dependencies */
    bool classes[HLO_STYLE_COUNT]; /* drawn so far, for the legend */
} drawing;

/* ---- choosing what is drawn ---- */

static hlo_computation *find_computation(const hlo_module *module, const char *name) {
    if (*name == '%') name++;
    size_t n = strlen(name);
    for (hlo_computation *c = module->first; c; c = c->next)
        if (c->name->len == n && memcmp(c->name->ptr, name, n) == 0) return c;
    return NULL;
}

/* The computation with the fusions inside it. */
static void choose_with_fusions(drawing *d, hlo_computation *start) {
    hlo_computation **agenda = hlo_calloc(d->ids, sizeof *agenda);
    uint32_t n = 0;
    d->drawn[start->id] = true;
    agenda[n++] = start;
    while (n) {
        hlo_computation *c = agenda[--n];
        for (hlo_instr *i = c->first; i; i = i->next) {
            if (i->opcode != HLO_OP_FUSION) continue;
            hlo_computation *body = hlo_called(i, 0);
            if (!body || d->drawn[body->id]) continue;
            d->drawn[body->id] = true;
            agenda[n++] = body;
        }
    }
    hlo_free(agenda);
}

static hlo_status choose(drawing *d, const hlo_dot_options *options, hlo_diags *diags) {
    if (!options->computation && !options->entry_only) {
        for (hlo_computation *c = d->module->first; c; c = c->next) d->drawn[c->id] = true;
        return HLO_OK;
    }
    hlo_computation *start = d->module->entry;
    if (options->computation) start = find_computation(d->module, options->computation);
    if (!start) {
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
                  "the module has no computation named '%s'",
                  options->computation ? options->computation : "ENTRY");
        return HLO_BAD_USE;
    }
    choose_with_fusions(d, start);
    return HLO_OK;
}

/* ---- where clusters lie, and numbers ---- */

static void hold(drawing *d, hlo_computation *holder, hlo_computation *held) {
    d->holder[held->id] = holder;
    if (d->last_held[holder->id]) d->next_held[d->last_held[holder->id]->id] = held;
    else d->first_held[holder->id] = held;
    d->last_held[holder->id] = held;
}

static void nest_clusters(drawing *d) {
    uint32_t *callers = hlo_calloc(d->ids, sizeof *callers);
    for (int hold_now = 0; hold_now < 2; hold_now++)
        for (hlo_computation *c = d->module->first; c; c = c->next) {
            if (!d->drawn[c->id]) continue;
            for (hlo_instr *i = c->first; i; i = i->next) {
                hlo_computation *called;
                for (uint32_t k = 0; (called = hlo_called(i, k)); k++) {
                    if (!hold_now) callers[called->id]++;
                    else if (callers[called->id] == 1 && d->drawn[called->id]) hold(d, c, called);
                }
            }
        }
    hlo_free(callers);
}

static void number_nodes(drawing *d) {
    uint32_t n = 0;
    for (hlo_computation *c = d->module->first; c; c = c->next) {
        hlo_number_instructions(c);
        d->base[c->id] = n;
        n += c->instr_count;
    }
}

static void mark_control(drawing *d) {
    d->tied = hlo_module_new_mark(d->module);
    for (hlo_computation *c = d->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            const hlo_attr *control = hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS);
            if (!control) continue;
            i->mark = d->tied;
            for (uint32_t k = 0; k < control->u.instructions->n; k++)
                control->u.instructions->v[k]->mark = d->tied;
        }
}

/* ---- nodes and clusters ---- */

static bool is_inlined(const hlo_instr *instr, const void *context) {
    const drawing *d = context;
    return instr->first_use && instr->parent->root != instr && instr->mark != d->tied &&
           hlo_dot_is_small_constant(instr);
}

static void put_node(drawing *d, const hlo_instr *instr) {
    hlo_buf_char(d->out, 'n');
    hlo_buf_uint(d->out, (uint64_t)d->base[instr->parent->id] + instr->index);
}

static void draw_node(drawing *d, const hlo_instr *instr) {
    if (is_inlined(instr, d)) return;
    hlo_op_class class = hlo_info(instr)->class;
    const hlo_style *style = &hlo_styles[class];
    d->classes[class] = true;
    put_node(d, instr);
    hlo_buf_lit(d->out, " [label=");
    hlo_dot_label(d->out, instr, is_inlined, d);
    hlo_buf_lit(d->out, ", tooltip=");
    hlo_dot_tooltip(d->out, instr);
    hlo_buf_printf(d->out, ", shape=%s, fillcolor=\"%s\", color=\"%s\"", style->shape, style->fill,
                   style->border);
    if (instr->opcode == HLO_OP_PARAMETER) hlo_buf_lit(d->out, ", style=\"filled,bold\"");
    if (instr == instr->parent->root) hlo_buf_lit(d->out, ", peripheries=2, penwidth=2");
    hlo_buf_lit(d->out, "];\n");
}

static void open_cluster(drawing *d, const hlo_computation *c) {
    hlo_buf_printf(d->out, "subgraph cluster_%u {\nlabel=\"", c->id);
    if (c == d->module->entry) hlo_buf_lit(d->out, "ENTRY ");
    hlo_dot_escape_name(d->out, c->name);
    if (c->is_fusion_body) hlo_buf_lit(d->out, " (fusion)");
    if (!hlo_str_is(c->execution_thread, "main")) {
        hlo_buf_lit(d->out, "\\nthread ");
        hlo_dot_escape(d->out, c->execution_thread.ptr, c->execution_thread.len, 60);
    }
    hlo_buf_printf(d->out, "\";\ntooltip=\"%u instructions\";\n", c->instr_count);
    if (c->is_fusion_body) hlo_buf_lit(d->out, "bgcolor=\"#eef2f7\";\n");
    for (hlo_instr *i = c->first; i; i = i->next) draw_node(d, i);
}

/* Opens `top` and what it holds, depth first. */
static void draw_clusters(drawing *d, hlo_computation *top) {
    open_cluster(d, top);
    hlo_computation *at = top;
    while (at) {
        hlo_computation *inner = d->first_held[at->id];
        if (inner) {
            d->first_held[at->id] = d->next_held[inner->id];
            open_cluster(d, inner);
            at = inner;
        } else {
            hlo_buf_lit(d->out, "}\n");
            at = at == top ? NULL : d->holder[at->id];
        }
    }
}

/* ---- edges ---- */

static void draw_operands(drawing *d, const hlo_instr *instr) {
    bool numbered = instr->operand_count > 1 && !(hlo_info(instr)->flags & HLO_OP_IS_COMMUTATIVE);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *def = hlo_operand(instr, i);
        if (is_inlined(def, d)) continue;
        put_node(d, def);
        hlo_buf_lit(d->out, " -> ");
        put_node(d, instr);
        hlo_buf_lit(d->out, " [tooltip=\"");
        hlo_dot_escape_name(d->out, def->name);
        hlo_buf_printf(d->out, "\\noperand %u of ", i);
        hlo_dot_escape_name(d->out, instr->name);
        hlo_buf_char(d->out, '"');
        if (numbered) hlo_buf_printf(d->out, ", headlabel=\"%u\"", i);
        hlo_buf_lit(d->out, "];\n");
    }
}

static void draw_control(drawing *d, const hlo_instr *instr) {
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t k = 0; control && k < control->u.instructions->n; k++) {
        put_node(d, control->u.instructions->v[k]);
        hlo_buf_lit(d->out, " -> ");
        put_node(d, instr);
        hlo_buf_lit(d->out,
                    " [style=dashed, color=\"#b03a26\", tooltip=\"control dependency\"];\n");
    }
}

/* The role is a head label: a label in the middle of an edge between clusters makes Graphviz'
 * ranking fail. */
static void draw_call(drawing *d, const hlo_instr *instr, const hlo_computation *called,
                      const char *role) {
    if (!d->drawn[called->id] || !called->root) return;
    put_node(d, called->root);
    hlo_buf_lit(d->out, " -> ");
    put_node(d, instr);
    hlo_buf_printf(d->out,
                   " [style=dotted, arrowhead=empty, constraint=false, color=\"#4a5160\", "
                   "headlabel=\"%s\", tooltip=\"%s of ",
                   role, role);
    hlo_dot_escape_name(d->out, instr->name);
    hlo_buf_lit(d->out, "\"];\n");
}

static void draw_calls(drawing *d, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        const hlo_attr *attr = &instr->attrs[i];
        const hlo_attr_info *info = &hlo_attr_table[attr->id];
        if (info->kind == HLO_KIND_COMPUTATION)
            draw_call(d, instr, attr->u.computation, info->text);
        else if (info->kind == HLO_KIND_COMPUTATIONS)
            for (uint32_t k = 0; k < attr->u.computations->n; k++)
                draw_call(d, instr, attr->u.computations->v[k], info->text);
    }
}

/* ---- the graph ---- */

/* Graphviz' searches for the best places of nodes take minutes from some hundred nodes on, and what
 * they gain after the first rounds is little. */
enum { UNHURRIED_NODES = 250 };

static void open_graph(drawing *d) {
    uint32_t nodes = 0;
    for (hlo_computation *c = d->module->first; c; c = c->next)
        if (d->drawn[c->id]) nodes += c->instr_count;
    hlo_buf_lit(d->out, "digraph \"");
    hlo_dot_escape(d->out, d->module->name.ptr, d->module->name.len, 200);
    hlo_buf_lit(d->out, "\" {\n"
                        "graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, "
                        "labeljust=l, style=rounded, color=\"#8a94a6\"];\n"
                        "node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, "
                        "style=filled, margin=\"0.08,0.04\", height=0.2];\n"
                        "edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=8, "
                        "color=\"#555555\", arrowsize=0.6];\n");
    if (nodes > UNHURRIED_NODES) hlo_buf_lit(d->out, "nslimit=1;\nmclimit=0.5;\n");
}

static void draw_legend(drawing *d) {
    hlo_buf_lit(d->out, "subgraph cluster_legend {\nlabel=\"colours\";\n");
    for (int class = 0; class < HLO_STYLE_COUNT; class ++) {
        if (!d->classes[class]) continue;
        const hlo_style *style = &hlo_styles[class];
        hlo_buf_printf(d->out,
                       "legend_%d [label=\"%s\", tooltip=\"%s\", shape=%s, fillcolor=\"%s\", "
                       "color=\"%s\"];\n",
                       class, style->legend, style->legend, style->shape, style->fill,
                       style->border);
    }
    hlo_buf_lit(d->out, "}\n");
}

static void draw(drawing *d, bool legend) {
    open_graph(d);
    for (hlo_computation *c = d->module->first; c; c = c->next)
        if (d->drawn[c->id] && !d->holder[c->id]) draw_clusters(d, c);
    for (hlo_computation *c = d->module->first; c; c = c->next) {
        if (!d->drawn[c->id]) continue;
        for (hlo_instr *i = c->first; i; i = i->next) {
            draw_operands(d, i);
            draw_control(d, i);
            draw_calls(d, i);
        }
    }
    if (legend) draw_legend(d);
    hlo_buf_lit(d->out, "}\n");
}

static void init_drawing(drawing *d, hlo_module *module, hlo_buf *out) {
    uint32_t ids = module->next_id ? module->next_id : 1;
    *d = (drawing){.module = module, .out = out, .ids = ids};
    d->drawn = hlo_calloc(ids, sizeof *d->drawn);
    d->base = hlo_calloc(ids, sizeof *d->base);
    d->holder = hlo_calloc(ids, sizeof *d->holder);
    d->first_held = hlo_calloc(ids, sizeof *d->first_held);
    d->last_held = hlo_calloc(ids, sizeof *d->last_held);
    d->next_held = hlo_calloc(ids, sizeof *d->next_held);
}

static void free_drawing(drawing *d) {
    hlo_free(d->drawn);
    hlo_free(d->base);
    hlo_free(d->holder);
    hlo_free(d->first_held);
    hlo_free(d->last_held);
    hlo_free(d->next_held);
}

hlo_status hlo_dot(hlo_module *module, const hlo_dot_options *options, hlo_diags *diags,
                   hlo_buf *out) {
    static const hlo_dot_options whole = {0};
    if (!options) options = &whole;
    drawing d;
    init_drawing(&d, module, out);
    hlo_status status = choose(&d, options, diags);
    if (status == HLO_OK) {
        nest_clusters(&d);
        number_nodes(&d);
        mark_control(&d);
        draw(&d, options->legend);
    }
    free_drawing(&d);
    return status;
}
