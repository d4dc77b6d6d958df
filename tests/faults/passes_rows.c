/* Calls of passes and of making a module smaller. */
#include <string.h>

#include "faults/rows.h"

CALL(pipeline_parse) {
    hlo_status status = hlo_pipeline_parse("passes", "fix(algsimp,cse,dce),constant_folding",
                                           c->diags, &c->pipeline);
    return status == HLO_OK;
}

CALL(pipeline_parse_badly) {
    return hlo_pipeline_parse("passes", "algsinp,dce", c->diags, &c->pipeline) == HLO_BAD_USE;
}

CALL(pipeline_disable) {
    hlo_pipeline_disable(c->pipeline, "dce,no-such-pass");
    return true;
}

CALL(pipeline_free) {
    hlo_pipeline_free(c->pipeline);
    c->pipeline = NULL;
    return true;
}

CALL(pipeline_write) {
    hlo_pipeline_write(c->pipeline, c->output);
    return faults_digest_output(c);
}

CALL(pipeline_execute) {
    return hlo_pipeline_execute(c->pipeline, c->module, c->diags, NULL) == HLO_OK;
}

/* The watcher prints the module: a separate call, whose failure ends the pipeline between passes.
 */
static hlo_status print_module(void *context, hlo_module *module, const hlo_pass_event *event) {
    faults_case *c = context;
    if (!event->done) return HLO_OK;
    hlo_output *output = hlo_output_to_memory();
    if (!output) return HLO_BAD_SYSTEM;
    hlo_status status = hlo_write_text(module, NULL, output, c->diags);
    hlo_output_free(output);
    return status;
}

CALL(pipeline_execute_with) {
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    options.verify_each = HLO_ON;
    options.watch = print_module;
    options.watch_context = c;
    return hlo_pipeline_execute_with(c->pipeline, c->module, &options, c->diags, NULL) == HLO_OK;
}

CALL(pass_stats_create) {
    c->stats = hlo_pass_stats_create();
    return c->stats != NULL;
}

CALL(pass_stats) {
    size_t rewrite;
    uint64_t runs, changes;
    double seconds;
    hlo_pass_stats *stats = hlo_pass_stats_create();
    if (!stats) return false;
    bool none = !hlo_pass_stats_total(stats) && !hlo_pass_stats_fired(stats, 0) &&
                !hlo_pass_stats_last(stats, &rewrite) &&
                !hlo_pass_stats_pass(stats, 0, &runs, &changes, &seconds);
    hlo_pass_stats_free(stats);
    NOTHING(c);
    return none;
}

static int keeps_dot(void *context, const hlo_candidate *candidates, int count) {
    NOTHING(context);
    for (int i = 0; i < count; i++)
        if (memmem(candidates[i].text, candidates[i].len, " dot(", 5)) return i;
    return HLO_REDUCE_NONE;
}

CALL(reduce) {
    hlo_reduce_options options = HLO_REDUCE_OPTIONS_INIT;
    hlo_reduction reduction;
    options.test = keeps_dot;
    options.max_tests = 6;
    hlo_status status = hlo_reduce(c->module, &options, c->diags, &reduction);
    faults_digest(c, &reduction, sizeof reduction.tests);
    return status == HLO_OK;
}

const faults_row faults_passes_rows[] = {
    {"hlo_pipeline_parse", "", 0, call_pipeline_parse},
    {"hlo_pipeline_parse", "badly", 0, call_pipeline_parse_badly},
    {"hlo_pipeline_disable", "", NEEDS_PIPELINE, call_pipeline_disable},
    {"hlo_pipeline_free", "", NEEDS_PIPELINE | SPENDS, call_pipeline_free},
    {"hlo_pipeline_write", "", NEEDS_PIPELINE | NEEDS_OUTPUT | SPENDS, call_pipeline_write},
    {"hlo_pipeline_execute", "", NEEDS_PIPELINE | NEEDS_MODULE | SPOILS_MODULE,
     call_pipeline_execute},
    {"hlo_pipeline_execute_with", "", NEEDS_PIPELINE | NEEDS_MODULE | SPENDS,
     call_pipeline_execute_with},
    {"hlo_pass_stats_create", "", 0, call_pass_stats_create},
    {"hlo_pass_stats_fired hlo_pass_stats_total hlo_pass_stats_last hlo_pass_stats_pass "
     "hlo_pass_stats_free",
     "", 0, call_pass_stats},
    {"hlo_reduce", "", NEEDS_MODULE, call_reduce},
    {0},
};
