/* A page: the template with a module's data in it. */
#include "graph/html/page.h"

#include "graph/html/assets.h"
#include "graph/html/data.h"
#include "graph/html/strings.h"
#include "ir/name_search.h"

/* ---- options ---- */

static hlo_status refuse(hlo_diags *diags, const char *option, const char *why) {
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
              "%s: not supported with format html: %s", option, why);
    return HLO_BAD_USE;
}

static hlo_status check_options(const hlo_graph_options *o, hlo_diags *diags) {
    static const hlo_graph_options fresh = HLO_GRAPH_OPTIONS_INIT;
    const char *whole = "the page contains the whole module, and parts of it are opened there";
    if (o->from || o->to) return refuse(diags, "a selection of paths", whole);
    if (o->depth != fresh.depth) return refuse(diags, "a depth", whole);
    if (o->max_nodes) return refuse(diags, "a limit of nodes", whole);
    if (o->radius != fresh.radius || o->up != fresh.up || o->down != fresh.down)
        return refuse(diags, "a radius", whole);
    if (o->collapse_while)
        return refuse(diags, "collapsed loops",
                      "loops are collapsed initially and expand on a click");
    if (o->layout == HLO_LAYOUT_DOT)
        return refuse(diags, "Graphviz' layout", "it has the built-in layout");
    if (o->colour == HLO_COLOUR_DEVICE)
        return refuse(diags, "colours by device", "it has colours by sharding");
    if (o->edges != fresh.edges)
        return refuse(diags, "edge labels", "edge labels are operand numbers");
    return HLO_OK;
}

/* ---- what is opened first ---- */

static hlo_status put_start(hlo_buf *out, const hlo_page_model *m, const hlo_graph_options *o,
                            hlo_diags *diags) {
    const hlo_computation *view = NULL;
    const hlo_instr *instr = NULL;
    for (const hlo_module *part = m->first; part; part = part->next_device) {
        if (o->computation && !view) view = hlo_computation_named(part, o->computation);
        if (o->around && !instr) instr = hlo_instr_named(part, o->around);
    }
    if ((o->computation && !view) || (o->around && !instr)) {
        bool is_instr = !o->computation || view;
        const char *name = is_instr ? o->around : o->computation;
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0}, "the module has no %s named '%s'",
                  is_instr ? "instruction" : "computation", name);
        if (is_instr) hlo_hint_at_instr(diags, m->first, hlo_without_percent(name));
        else hlo_hint_at_computation(diags, m->first, hlo_without_percent(name));
        return HLO_BAD_USE;
    }
    hlo_buf_lit(out, "{\"computation\":");
    if (view) hlo_buf_uint(out, hlo_page_computation_number(m, view));
    else hlo_buf_lit(out, "-1");
    hlo_buf_lit(out, ",\"instruction\":");
    if (instr) hlo_buf_uint(out, instr->index);
    else hlo_buf_lit(out, "-1");
    hlo_buf_lit(out, "}");
    return HLO_OK;
}

hlo_status hlo_page(hlo_module *module, const hlo_graph_options *options,
                    const hlo_dot_extras *extras, hlo_diags *diags, hlo_buf *out) {
    static const hlo_dot_extras none;
    hlo_status status = check_options(options, diags);
    if (status != HLO_OK) return status;
    hlo_page_model model;
    hlo_page_model_init(&model, module, options->expand_tuples, extras ? extras : &none);
    hlo_buf start = HLO_BUF_INIT, data = HLO_BUF_INIT;
    status = put_start(&start, &model, options, diags);
    if (status == HLO_OK) {
        hlo_page_put_data(&data, &model, options, &start);
        hlo_buf_cstr(out, hlo_page_before_data);
        hlo_buf_bytes(out, data.data, data.len);
        hlo_buf_char(out, '\n');
        hlo_buf_cstr(out, hlo_page_after_data);
    }
    hlo_buf_free(&start);
    hlo_buf_free(&data);
    hlo_page_model_free(&model);
    return status;
}
