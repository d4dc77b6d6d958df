/* Every pass by itself, on a module with a loop, a fusion and what else faults_text has. */
#include "faults/rows.h"

/* A pass may refuse the module: that is no failure of the system. */
static bool run_pass(faults_case *c, const char *name) {
    hlo_status status = hlo_pipeline_parse("pass", name, c->diags, &c->pipeline);
    if (status == HLO_OK) status = hlo_pipeline_execute(c->pipeline, c->module, c->diags, NULL);
    hlo_pipeline_free(c->pipeline);
    c->pipeline = NULL;
    return status == HLO_OK || status == HLO_BAD_MODULE;
}

#define HLO_PASS(id, name, ...)   \
    CALL(each_pass_##id) {        \
        return run_pass(c, name); \
    }
#include "passes/pipeline/pass.def"
#undef HLO_PASS

CALL(cut_graph) {
    return run_pass(c, "lower-control-flow,partition{devices=3}");
}

const faults_row faults_each_pass_rows[] = {
    {"hlo_pipeline_execute", "parts", NEEDS_MODULE | SPENDS, call_cut_graph},
#define HLO_PASS(id, name, ...) \
    {"hlo_pipeline_execute", name, NEEDS_MODULE | SPENDS, call_each_pass_##id},
#include "passes/pipeline/pass.def"
#undef HLO_PASS
    {0},
};
