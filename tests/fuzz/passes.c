/* libFuzzer target: what is a good module before a pass is one after it, and can be drawn. Texts
 * that are no good module are passed over. Built and run by `make fuzz`. */
#include "fuzz/accepted.h"
#include "graph/dot/dot_text.h"
#include "graph/html/page.h"
#include "passes/pipeline/pipeline.h"
#include "shape/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hlo_module *good_module(const char *text, size_t len) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = accepted_module(text, len, diags);
    hlo_diags_free(diags);
    return module;
}

static void draw(hlo_module *module, hlo_graph_layout layout) {
    hlo_buf graph = HLO_BUF_INIT;
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_graph_options options = HLO_GRAPH_OPTIONS_INIT;
    options.legend = true;
    options.layout = layout;
    if (hlo_dot(module, &options, NULL, &diags, &graph) != HLO_OK) __builtin_trap();
    if (graph.len && memchr(graph.data, 0, graph.len)) __builtin_trap();
    graph.len = 0;
    options.layout = HLO_LAYOUT_FAST;
    if (hlo_page(module, &options, NULL, &diags, &graph) != HLO_OK) __builtin_trap();
    hlo_diags_drop(&diags);
    hlo_buf_free(&graph);
}

/* Differentiation and passes of graphs, shardings and sizes may report a module as unsupported. */
static bool may_refuse(const hlo_pass_info *pass) {
    return pass->group == HLO_GROUP_AUTODIFF || pass->group == HLO_GROUP_DATAFLOW ||
           pass->group == HLO_GROUP_SPMD || pass->class == HLO_CLASS_SIGNATURE ||
           hlo_pass_id_of(pass) == HLO_PASS_DYNAMIC_PADDER;
}

static void fail(const hlo_pass_info *pass, hlo_diags *diags) {
    fprintf(stderr, "%s:\n", pass->name);
    hlo_diags_render(diags, stderr, false);
    __builtin_trap();
}

/* Twice in a row: what the first run leaves is a module for the second, unless it was refused. */
static void run_pass(const char *text, size_t len, const hlo_pass_info *pass) {
    hlo_module *module = good_module(text, len);
    hlo_diags diags;
    hlo_diags_init(&diags);
    for (int run = 0; run < 2; run++) {
        bool good = hlo_pipeline_run(module, pass->name, &diags) == HLO_OK;
        if (!good && !may_refuse(pass)) fail(pass, &diags);
        hlo_diags_clear(&diags);
        if (hlo_verify_with(module, NULL, &diags) != HLO_OK) fail(pass, &diags);
    }
    draw(module, HLO_LAYOUT_DOT);
    hlo_module_free(module);
    hlo_diags_drop(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    hlo_module *module = good_module(text, size);
    if (!module) return 0;
    draw(module, HLO_LAYOUT_FAST);
    hlo_module_free(module);
    for (int i = 0; i < HLO_PASS_COUNT; i++) run_pass(text, size, &hlo_passes[i]);
    return 0;
}
