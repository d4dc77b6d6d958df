/* hlo-dot: draws a module with Graphviz. */
#include "modules.h"

typedef struct {
    hlo_graph_options graph;
    hlo_output *output;
} dot_work;

static hlo_status draw(hlo_module *module, void *context, hlo_diags *diags) {
    const dot_work *work = context;
    return hlo_write_graph(module, &work->graph, work->output, diags);
}

static hlo_status run(dot_work *work, const common_options *common, hlo_diags *diags) {
    hlo_status status = hlo_output_open(common->output, diags, &work->output);
    if (status != HLO_OK) return status;
    status = modules_each(common->arguments[0], common, draw, work, diags);
    if (status == HLO_OK) status = hlo_output_commit(work->output, diags);
    hlo_output_free(work->output);
    return status;
}

int main(int argc, char **argv) {
    static const char *const formats[] = {"dot", "svg", "png", "pdf"};
    dot_work work = {.graph = HLO_GRAPH_OPTIONS_INIT};
    int format = 0;
    const option_row table[] = {
        {"Drawing", "format", 'T', OPTION_CHOICE, &format, "dot|svg|png|pdf", "html",
         "Graphviz text, or a picture made by Graphviz", 0, 0},
        {"Drawing", "entry-only", 0, OPTION_FLAG, &work.graph.entry_only, NULL, NULL,
         "only the entry computation and the fusions inside it", 0, 0},
        {"Drawing", "computation", 0, OPTION_TEXT, (void *)&work.graph.computation, "NAME", NULL,
         "only this computation and the fusions inside it", 0, 0},
        {"Drawing", "legend", 0, OPTION_FLAG, &work.graph.legend, NULL, NULL,
         "a box that says what the colours mean", 0, 0},
        {0},
    };
    const program_info self = {
        "hlo-dot",
        "[OPTION...] [MODULE]",
        "Draws an HLO module as a graph. Without MODULE, or for -, reads standard input.",
        table,
        "  hlo-dot dump.hlo > dump.dot\n"
        "  hlo-dot -T svg -o dump.svg dump.hlo\n"
        "  hlo-dot -T svg --entry-only --legend -o entry.svg dump.hlo\n",
    };
    common_options common;
    int ended = options_read(&self, argc, argv, &common);
    if (ended == OPTIONS_GO_ON) ended = at_most_one_module(&self, &common);
    if (ended != OPTIONS_GO_ON) return ended;
    work.graph.format = formats[format];
    hlo_diags *diags = hlo_diags_create((uint32_t)common.max_errors);
    return finish(diags, &common, run(&work, &common, diags));
}
