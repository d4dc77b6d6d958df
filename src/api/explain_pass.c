/* --explain of a pass: its row, its options and its rewrites as text; and pipelines as text. */
#include <hlo.h>

#include "host/output.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/rewrite.h"

static void put_option(hlo_buf *to, const hlo_pass_option *option) {
    hlo_buf_printf(to, "  %s=", option->name);
    if (option->kind == HLO_OPTION_TEXT) hlo_buf_lit(to, "NAME");
    else if (option->kind == HLO_OPTION_NUMBERS) hlo_buf_lit(to, "N,N...");
    else if (option->kind == HLO_OPTION_TYPE) hlo_buf_lit(to, "TYPE");
    else if (option->kind != HLO_OPTION_BOOL) hlo_buf_int(to, option->fallback);
    else hlo_buf_cstr(to, option->fallback ? "true" : "false");
    hlo_buf_printf(to, "\n      %s\n", option->about);
}

static void put_rewrites(hlo_buf *to, hlo_pass_id pass) {
    HLO_ASSERT(pass < HLO_PASS_COUNT);
    const char *heading = "\nrewrites, each with its own switch; `rewrites` for all:\n";
    for (int id = 0; id < HLO_REWRITE_COUNT; id++) {
        if (hlo_rewrites[id].pass != pass) continue;
        hlo_buf_printf(to, "%s  %s (%s)\n      %s\n", heading, hlo_rewrites[id].name,
                       hlo_rewrite_kind_name(hlo_rewrites[id].kind), hlo_rewrites[id].about);
        heading = "";
    }
}

hlo_status hlo_explain_pass(const char *name, hlo_output *output, hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, output);
    const hlo_pass_info *pass = hlo_pass_find(hlo_str_from(name));
    if (!pass) {
        const char *nearest = hlo_pass_nearest(hlo_str_from(name));
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "unknown pass '%s'", name);
        if (nearest) hlo_hint(diags, "did you mean '%s'?", nearest);
        else hlo_advise(diags, HLO_ADVICE_PASSES);
        return HLO_BAD_USE;
    }
    hlo_buf *to = &output->buf;
    hlo_buf_printf(to, "%s (%s, %s): %s\n", pass->name, hlo_pass_group_name(pass->group),
                   hlo_pass_class_name(pass->class), pass->about);
    if (pass->options[0].name) hlo_buf_lit(to, "\noptions and their defaults:\n");
    for (const hlo_pass_option *o = pass->options; o->name; o++) put_option(to, o);
    put_rewrites(to, hlo_pass_id_of(pass));
    return HLO_OK;
}

void hlo_pipeline_write(const hlo_pipeline *pipeline, hlo_output *output) {
    HLO_API_CALL(NULL) {
        hlo_output_lost(output);
        return;
    }
    if (!pipeline || !output) return;
    hlo_pipeline_print(pipeline, &output->buf);
}
