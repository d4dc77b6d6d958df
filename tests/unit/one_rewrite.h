/* One rewrite alone on the module of its test, tests/passes/NAME.hlo. For the unit programs about
 * rewrites. */
#ifndef TESTS_UNIT_ONE_REWRITE_H
#define TESTS_UNIT_ONE_REWRITE_H

#include <stdio.h>
#include <string.h>

#include "parse/parse.h"
#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "shape/verify.h"

/* Verified; NULL after messages, which are printed unless `quiet`. */
static hlo_module *read_module(hlo_source *source, bool quiet) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *module = NULL;
    if (hlo_parse(source, &diags, &module) == HLO_OK &&
        hlo_verify_with(module, NULL, &diags) != HLO_OK) {
        hlo_module_free(module);
        module = NULL;
    }
    if (diags.errors && !quiet) hlo_diags_render(&diags, stdout, false);
    hlo_diags_drop(&diags);
    return module;
}

/* What follows `// KEY: ` on one of the first lines, up to its end; empty when none says it. */
static hlo_str remark(const hlo_source *source, const char *key) {
    size_t n = strlen(key);
    const char *line = source->text;
    for (; strncmp(line, "//", 2) == 0; line += strcspn(line, "\n") + 1)
        if (strncmp(line, key, n) == 0)
            return (hlo_str){line + n, (uint32_t)(strcspn(line, "\n") - n), 0};
    return (hlo_str){"", 0, 0};
}

/* Runs the pass with this rewrite alone; how often it fired goes to *fired. */
static bool apply_rewrite(hlo_rewrite_id id, hlo_module *module, const hlo_source *source,
                          uint64_t *fired) {
    hlo_str with = remark(source, "// with: "), option = remark(source, "// option: ");
    char text[256];
    hlo_diags diags;
    hlo_pipeline *pipeline;
    hlo_pass_stats *stats = hlo_pass_stats_create();
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    options.verify_each = HLO_ON;
    options.stats = stats;
    snprintf(text, sizeof text, "%s{rewrites=false,%s=true%s%.*s%s%s%.*s}",
             hlo_passes[hlo_rewrites[id].pass].name, hlo_rewrites[id].name, with.len ? "," : "",
             (int)with.len, with.ptr, with.len ? "=true" : "", option.len ? "," : "",
             (int)option.len, option.ptr);
    hlo_diags_init(&diags);
    bool good = hlo_pipeline_parse("pipeline", text, &diags, &pipeline) == HLO_OK &&
                hlo_pipeline_execute_with(pipeline, module, &options, &diags, NULL) == HLO_OK;
    *fired = hlo_pass_stats_fired(stats, id);
    good &= with.len || *fired == hlo_pass_stats_total(stats);
    if (diags.errors) hlo_diags_render(&diags, stdout, false);
    hlo_pipeline_free(pipeline);
    hlo_pass_stats_free(stats);
    hlo_diags_drop(&diags);
    return good;
}

#endif
