/* Every public function called as it must not be: NULL for each argument, indices and numbers that
 * do not exist, and calls before what they need. An error value, a diagnostic, no crash. Only hlo.h
 * is included. */
#include <hlo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/check.h"

static const char text[] = "HloModule m\n"
                           "ENTRY e {\n"
                           "  x = f32[2] parameter(0)\n"
                           "  ROOT y = f32[2] negate(x)\n"
                           "}\n";

static hlo_diags *diags;

/* The call is refused and reports it. */
#define REFUSED(call)                                                          \
    do {                                                                       \
        uint32_t before = hlo_diags_error_count(diags);                        \
        check((call) == HLO_BAD_USE, #call);                                   \
        check(hlo_diags_error_count(diags) == before + 1, #call ": an error"); \
    } while (0)
/* The same without a list: only the status shows it. */
#define REFUSED_SILENTLY(call) check((call) == HLO_BAD_USE, #call)

typedef struct {
    hlo_source *source;
    hlo_module *module;
    hlo_pipeline *pipeline;
    hlo_output *output;
    hlo_run *run, *fresh; /* executed and not */
} objects;

static void test_sources(objects *o) {
    hlo_source *source = NULL;
    hlo_source **parts;
    REFUSED(hlo_read_source("-", diags, NULL));
    REFUSED_SILENTLY(hlo_read_source("-", NULL, &source));
    check(!hlo_source_from_text("name", NULL, 1), "a source of nothing");
    hlo_source_free(hlo_source_from_text(NULL, NULL, 0));
    hlo_source_free(NULL);
    check(hlo_source_split(NULL, &parts) == 0 && !parts, "no source has no parts");
    check(hlo_source_split(o->source, NULL) == 0, "no place for the parts");
    hlo_source_parts_free(NULL, 0);
}

static void test_finding(void) {
    char **paths, *arguments[] = {NULL};
    hlo_found_file *files;
    size_t count;
    check(!hlo_starts_like_module(NULL, 5), "nothing is no module");
    REFUSED(hlo_find_modules(NULL, 1, diags, &paths, &count));
    REFUSED(hlo_find_modules(arguments, 1, diags, NULL, &count));
    REFUSED(hlo_find_modules(arguments, 1, diags, &paths, NULL));
    REFUSED_SILENTLY(hlo_find_modules(arguments, 1, NULL, &paths, &count));
    hlo_paths_free(NULL, 0);
    REFUSED(hlo_find_files(NULL, 1, diags, &files, &count));
    REFUSED(hlo_find_files(arguments, 1, diags, NULL, &count));
    REFUSED(hlo_find_files(arguments, 1, diags, &files, NULL));
    REFUSED_SILENTLY(hlo_find_files(arguments, 1, NULL, &files, &count));
    hlo_found_files_free(NULL, 0);
}

static void test_baselines(void) {
    hlo_baseline *baseline = hlo_baseline_create();
    REFUSED(hlo_baseline_read(NULL, "known", diags));
    REFUSED(hlo_baseline_read(baseline, NULL, diags));
    REFUSED_SILENTLY(hlo_baseline_read(baseline, "known", NULL));
    REFUSED(hlo_baseline_add(NULL, diags, diags));
    REFUSED(hlo_baseline_add(baseline, NULL, diags));
    REFUSED_SILENTLY(hlo_baseline_add(baseline, diags, NULL));
    hlo_baseline_write(NULL, NULL);
    hlo_baseline_write(baseline, NULL);
    check(hlo_baseline_subtract(NULL, diags, diags) == 0, "no baseline knows nothing");
    check(hlo_baseline_subtract(baseline, diags, NULL) == 0, "no list for what is new");
    check(hlo_baseline_left(NULL) == 0, "no baseline has nothing left");
    hlo_baseline_free(baseline);
    hlo_baseline_free(NULL);
}

static void test_modules(objects *o) {
    hlo_module *module = o->module;
    REFUSED(hlo_parse(NULL, diags, &module));
    check(!module, "the module is NULL after an error");
    REFUSED(hlo_parse(o->source, diags, NULL));
    REFUSED_SILENTLY(hlo_parse(o->source, NULL, &module));
    REFUSED(hlo_read_module(NULL, diags, &module));
    REFUSED(hlo_read_module(o->source, diags, NULL));
    REFUSED_SILENTLY(hlo_read_module(o->source, NULL, &module));
    hlo_module_free(NULL);
    hlo_module_forget_extras(NULL, diags);
    hlo_module_forget_extras(o->module, NULL);
    char hash[HLO_HASH_SIZE];
    hlo_module *copy;
    REFUSED(hlo_module_copy(NULL, diags, &copy));
    REFUSED(hlo_module_copy(o->module, diags, NULL));
    REFUSED_SILENTLY(hlo_module_copy(o->module, NULL, &copy));
    REFUSED(hlo_module_hash(NULL, hash, diags));
    REFUSED(hlo_module_hash(o->module, NULL, diags));
    REFUSED_SILENTLY(hlo_module_hash(o->module, hash, NULL));
    check(hlo_module_describe(NULL).instructions == 0, "no module has no instructions");
    check(!(hlo_module_estimate(NULL).flops >= 0), "no module has no cost");
}

static void show_nothing(void *context, const hlo_transfer *transfer) {
    (void)context;
    (void)transfer;
}

static void test_transfers(objects *o) {
    hlo_link_options links = HLO_LINK_OPTIONS_INIT;
    REFUSED(hlo_module_transfers(NULL, &links, show_nothing, NULL, diags));
    REFUSED(hlo_module_transfers(o->module, &links, NULL, NULL, diags));
    links.gigabits = 0;
    REFUSED(hlo_module_transfers(o->module, &links, show_nothing, NULL, diags));
    REFUSED_SILENTLY(hlo_module_transfers(o->module, &links, show_nothing, NULL, NULL));
    check(hlo_module_transfers(o->module, NULL, show_nothing, NULL, diags) == HLO_OK,
          "links have defaults");
}

static void test_diags(objects *o) {
    check(hlo_diags_rule_count(NULL, 0) == 0, "no list has no findings");
    check(hlo_diags_rule_count(diags, 1 << 20) == 0, "no such rule");
    hlo_diags_set_file(NULL, "file");
    hlo_diags_set_file(diags, NULL);
    hlo_diags_free(NULL);
    hlo_diags_set_hints(NULL, NULL, NULL);
    hlo_diags_set_program(NULL, NULL);
    check(hlo_escape(NULL, NULL, 0) == 0, "no text is an empty one");
    check(hlo_escape("\n", NULL, 0) == 2, "the length without a place for it");
    check(!hlo_nearest_name(NULL, NULL, 0) && !hlo_nearest_name("x", NULL, 3), "no names");
    hlo_diags_render(NULL, stdout, false);
    hlo_diags_render(diags, NULL, false);
    hlo_diag_info info;
    check(hlo_diags_write(NULL, false, o->output) == HLO_BAD_USE, "no list to write");
    check(hlo_diags_write(diags, false, NULL) == HLO_BAD_USE, "no output");
    check(!hlo_diags_first(NULL) && !hlo_diag_next(NULL) && !hlo_diag_notes(NULL), "no diagnostic");
    check(!hlo_diag_describe(NULL, &info), "nothing to describe");
    check(hlo_diags_error_count(NULL) == 0 && hlo_diags_warning_count(NULL) == 0, "no list");
    check(!hlo_report_begin(HLO_REPORT_JSON, NULL), "a report goes somewhere");
    check(!hlo_report_begin((hlo_report_format)99, o->output), "of a format that there is");
    hlo_report *report = hlo_report_begin(HLO_REPORT_JSON, o->output);
    hlo_report_add(report, NULL);
    hlo_report_add(NULL, diags);
    hlo_report_end(report);
    hlo_report_end(NULL);
}

static void test_checking(objects *o) {
    hlo_verify_options *options = hlo_verify_options_create();
    hlo_lint *lint = hlo_lint_create();
    REFUSED(hlo_verify(NULL, diags));
    REFUSED_SILENTLY(hlo_verify(o->module, NULL));
    REFUSED(hlo_verify_with(NULL, options, diags));
    REFUSED_SILENTLY(hlo_verify_with(o->module, options, NULL));
    REFUSED(hlo_verify_options_set(NULL, "layout-sensitive", "on", diags));
    REFUSED(hlo_verify_options_set(options, NULL, "on", diags));
    REFUSED(hlo_verify_options_set(options, "layout-sensitive", NULL, diags));
    REFUSED(hlo_verify_options_set(options, "no-such-option", "on", diags));
    REFUSED(hlo_verify_options_set(options, "only-ops", ", ", diags));
    REFUSED(hlo_verify_options_read(NULL, "only-ops", "file", diags));
    REFUSED(hlo_verify_options_read(options, NULL, "file", diags));
    REFUSED(hlo_verify_options_read(options, "only-ops", NULL, diags));
    REFUSED(hlo_verify_options_read(options, "layout-sensitive", "/dev/null", diags));
    REFUSED_SILENTLY(hlo_verify_options_set(options, "layout-sensitive", "on", NULL));
    REFUSED(hlo_lint_set(NULL, "all", HLO_LINT_WARN, diags));
    REFUSED(hlo_lint_set(lint, NULL, HLO_LINT_WARN, diags));
    REFUSED(hlo_lint_set(lint, "all", (hlo_lint_level)7, diags));
    REFUSED_SILENTLY(hlo_lint_set(lint, "all", HLO_LINT_WARN, NULL));
    hlo_lint_set_large_constant(NULL, 1);
    REFUSED(hlo_lint_module(NULL, o->module, diags));
    REFUSED(hlo_lint_module(lint, NULL, diags));
    REFUSED_SILENTLY(hlo_lint_module(lint, o->module, NULL));
    hlo_lint_free(lint);
    hlo_lint_free(NULL);
    hlo_verify_options_free(options);
    hlo_verify_options_free(NULL);
}

static void test_passes(objects *o) {
    hlo_pipeline *pipeline = o->pipeline;
    hlo_reduction reduction;
    hlo_reduce_options reduce = HLO_REDUCE_OPTIONS_INIT;
    uint64_t runs;
    size_t rewrite;
    double seconds;
    REFUSED(hlo_pipeline_parse(NULL, "dce", diags, &pipeline));
    check(!pipeline, "the pipeline is NULL after an error");
    REFUSED(hlo_pipeline_parse("name", NULL, diags, &pipeline));
    REFUSED(hlo_pipeline_parse("name", "dce", diags, NULL));
    REFUSED_SILENTLY(hlo_pipeline_parse("name", "dce", NULL, &pipeline));
    hlo_pipeline_free(NULL);
    hlo_pipeline_disable(NULL, "dce");
    hlo_pipeline_write(NULL, o->output);
    hlo_pipeline_write(o->pipeline, NULL);
    REFUSED(hlo_pipeline_execute(NULL, o->module, diags, NULL));
    REFUSED(hlo_pipeline_execute(o->pipeline, NULL, diags, NULL));
    REFUSED_SILENTLY(hlo_pipeline_execute(o->pipeline, o->module, NULL, NULL));
    REFUSED(hlo_pipeline_execute_with(NULL, o->module, NULL, diags, NULL));
    REFUSED(hlo_pipeline_execute_with(o->pipeline, NULL, NULL, diags, NULL));
    check(hlo_pass_stats_fired(NULL, 0) == 0 && hlo_pass_stats_total(NULL) == 0, "no counts");
    check(!hlo_pass_stats_last(NULL, &rewrite) && rewrite == 0, "no last rewrite");
    hlo_pass_stats *stats = hlo_pass_stats_create();
    check(!hlo_pass_stats_last(stats, NULL), "none yet");
    check(hlo_pass_stats_fired(stats, 1 << 20) == 0, "no such rewrite");
    check(!hlo_pass_stats_pass(stats, 1 << 20, &runs, NULL, NULL) && runs == 0, "no such pass");
    check(!hlo_pass_stats_pass(NULL, 0, NULL, NULL, &seconds) && seconds == 0, "no counts");
    hlo_pass_stats_free(stats);
    hlo_pass_stats_free(NULL);
    REFUSED(hlo_reduce(o->module, NULL, diags, &reduction));
    REFUSED(hlo_reduce(o->module, &reduce, diags, &reduction));
    REFUSED(hlo_reduce(NULL, &reduce, diags, &reduction));
    REFUSED(hlo_reduce(o->module, &reduce, diags, NULL));
    REFUSED_SILENTLY(hlo_reduce(o->module, &reduce, NULL, &reduction));
}

static void test_outputs(objects *o) {
    hlo_output *output;
    size_t count = 1;
    REFUSED(hlo_output_open("-", diags, NULL));
    REFUSED_SILENTLY(hlo_output_open("-", NULL, &output));
    hlo_output_write(NULL, "x", 1);
    hlo_output_write(o->output, NULL, 1);
    hlo_output_write(o->output, NULL, 0);
    hlo_output_write_json_string(NULL, "x", 1);
    hlo_output_write_json_string(o->output, NULL, 1);
    check(*hlo_output_bytes(NULL, &count) == '\0' && count == 0, "no output is empty");
    check(hlo_output_bytes(o->output, NULL) != NULL, "its length is not asked for");
    REFUSED(hlo_output_commit(NULL, diags));
    REFUSED_SILENTLY(hlo_output_commit(o->output, NULL));
    hlo_output_free(NULL);
}

static void test_printing(objects *o) {
    hlo_text_options style = HLO_TEXT_OPTIONS_INIT;
    bool same = true;
    style.style = (hlo_text_style)99;
    REFUSED(hlo_write_text(NULL, NULL, o->output, diags));
    REFUSED(hlo_write_text(o->module, NULL, NULL, diags));
    REFUSED(hlo_write_text(o->module, &style, o->output, diags));
    REFUSED_SILENTLY(hlo_write_text(o->module, NULL, o->output, NULL));
    REFUSED(hlo_write_json(NULL, HLO_AS_HLO_PROTO, true, o->output, diags));
    REFUSED(hlo_write_json(o->module, HLO_AS_HLO_PROTO, true, NULL, diags));
    REFUSED(hlo_write_json(o->module, (hlo_message_form)9, true, o->output, diags));
    REFUSED_SILENTLY(hlo_write_json(o->module, HLO_AS_HLO_PROTO, true, o->output, NULL));
    REFUSED(hlo_write_proto(NULL, HLO_AS_HLO_PROTO, o->output, diags));
    REFUSED(hlo_write_proto(o->module, HLO_AS_HLO_PROTO, NULL, diags));
    REFUSED(hlo_write_proto(o->module, (hlo_message_form)9, o->output, diags));
    REFUSED_SILENTLY(hlo_write_proto(o->module, HLO_AS_HLO_PROTO, o->output, NULL));
    REFUSED(hlo_write_pbtxt(NULL, HLO_AS_HLO_PROTO, o->output, diags));
    REFUSED(hlo_write_pbtxt(o->module, HLO_AS_HLO_PROTO, NULL, diags));
    REFUSED(hlo_write_pbtxt(o->module, (hlo_message_form)9, o->output, diags));
    REFUSED_SILENTLY(hlo_write_pbtxt(o->module, HLO_AS_HLO_PROTO, o->output, NULL));
    REFUSED(hlo_write_stablehlo(NULL, HLO_STABLEHLO_PRETTY, o->output, diags));
    REFUSED(hlo_write_stablehlo(o->module, HLO_STABLEHLO_PRETTY, NULL, diags));
    REFUSED(hlo_write_stablehlo(o->module, (hlo_stablehlo_form)9, o->output, diags));
    REFUSED_SILENTLY(hlo_write_stablehlo(o->module, HLO_STABLEHLO_GENERIC, o->output, NULL));
    REFUSED(hlo_write_graph(NULL, NULL, o->output, diags));
    REFUSED(hlo_write_graph(o->module, NULL, NULL, diags));
    REFUSED_SILENTLY(hlo_write_graph(o->module, NULL, o->output, NULL));
    REFUSED(hlo_write_diff(NULL, o->module, NULL, o->output, diags, &same));
    check(!same, "nothing is the same after an error");
    REFUSED(hlo_write_diff(o->module, NULL, NULL, o->output, diags, NULL));
    REFUSED(hlo_write_diff(o->module, o->module, NULL, NULL, diags, NULL));
    REFUSED_SILENTLY(hlo_write_diff(o->module, o->module, NULL, o->output, NULL, NULL));
    REFUSED(hlo_explain_rule(NULL, o->output, diags));
    REFUSED(hlo_explain_rule("lex", NULL, diags));
    REFUSED_SILENTLY(hlo_explain_rule("lex", o->output, NULL));
    REFUSED(hlo_explain_pass(NULL, o->output, diags));
    REFUSED(hlo_explain_pass("dce", NULL, diags));
    REFUSED_SILENTLY(hlo_explain_pass("dce", o->output, NULL));
    REFUSED(hlo_shape_write(NULL, true, o->output, diags));
    REFUSED(hlo_instr_write_attr(NULL, "metadata", o->output, diags));
    REFUSED(hlo_module_write_attr(NULL, "is_scheduled", o->output, diags));
    REFUSED(hlo_module_write_attr(o->module, NULL, o->output, diags));
    REFUSED(hlo_module_write_attr(o->module, "no-such-attribute", o->output, diags));
}

static void test_preparing(objects *o) {
    hlo_run_options no_engine = HLO_RUN_OPTIONS_INIT;
    hlo_run *run;
    no_engine.engine = (hlo_engine)(HLO_ENGINE_REFERENCE + 1);
    REFUSED(hlo_run_prepare(o->module, &no_engine, diags, &run));
    hlo_run_options no_isa = HLO_RUN_OPTIONS_INIT;
    no_isa.isa = "sse1";
    REFUSED(hlo_run_prepare(o->module, &no_isa, diags, &run));
    const char *const nothing[] = {NULL};
    hlo_run_options lists[10];
    for (int i = 0; i < 10; i++) lists[i] = (hlo_run_options)HLO_RUN_OPTIONS_INIT;
    for (int i = 0; i < 10; i++) {
        const char *const *list = i < 5 ? NULL : nothing;
        if (i % 5 == 0) lists[i].watch.patterns = list, lists[i].watch.pattern_count = 1;
        if (i % 5 == 1)
            lists[i].custom_calls.libraries = list, lists[i].custom_calls.library_count = 1;
        if (i % 5 == 2) lists[i].host.recv = list, lists[i].host.recv_count = 1;
        if (i % 5 == 3) lists[i].host.send = list, lists[i].host.send_count = 1;
        if (i % 5 == 4) lists[i].host.infeed = list, lists[i].host.infeed_count = 1;
        REFUSED(hlo_run_prepare(o->module, &lists[i], diags, &run));
    }
    REFUSED(hlo_run_prepare(NULL, NULL, diags, &run));
    REFUSED(hlo_run_prepare(o->module, NULL, diags, NULL));
    REFUSED_SILENTLY(hlo_run_prepare(o->module, NULL, NULL, &run));
}

static void test_inputs(objects *o) {
    static const float x[2] = {1, 2};
    static const int64_t dims[] = {2}, other_dims[] = {3};
    const hlo_array good = {HLO_TYPE_F32, 1, dims, NULL, x};
    hlo_array got, bad;
    REFUSED(hlo_run_set_input(NULL, 0, 0, &good, diags));
    REFUSED(hlo_run_set_input(o->fresh, 1, 0, &good, diags));
    REFUSED(hlo_run_set_input(o->fresh, 0, 1, &good, diags));
    REFUSED(hlo_run_set_input(o->fresh, 0, 0, NULL, diags));
    REFUSED_SILENTLY(hlo_run_set_input(o->fresh, 0, 0, &good, NULL));
    REFUSED(hlo_run_input(NULL, 0, 0, diags, &got));
    REFUSED(hlo_run_input(o->fresh, 0, 0, diags, NULL));
    REFUSED(hlo_run_input(o->fresh, 7, 0, diags, &got));
    REFUSED(hlo_run_input(o->fresh, 0, 7, diags, &got));
    check(got.type == HLO_TYPE_INVALID && !got.data, "the array is empty after an error");
    bad = good, bad.type = HLO_TYPE_S32;
    REFUSED(hlo_run_set_input(o->fresh, 0, 0, &bad, diags));
    bad = good, bad.type = (hlo_element_type)99;
    REFUSED(hlo_run_set_input(o->fresh, 0, 0, &bad, diags));
    bad = good, bad.rank = 0;
    REFUSED(hlo_run_set_input(o->fresh, 0, 0, &bad, diags));
    bad = good, bad.rank = UINT32_MAX; /* dims are not read */
    REFUSED(hlo_run_set_input(o->fresh, 0, 0, &bad, diags));
    bad = good, bad.dims = other_dims;
    REFUSED(hlo_run_set_input(o->fresh, 0, 0, &bad, diags));
    bad = good, bad.dims = NULL;
    REFUSED(hlo_run_set_input(o->fresh, 0, 0, &bad, diags));
    bad = good, bad.data = NULL;
    REFUSED(hlo_run_set_input(o->fresh, 0, 0, &bad, diags));
}

static void test_input_files(objects *o) {
    bool replays;
    REFUSED(hlo_run_read_input(NULL, 0, "x.npy", diags));
    REFUSED(hlo_run_read_input(o->fresh, 0, NULL, diags));
    REFUSED(hlo_run_read_input(o->fresh, 9, "x.npy", diags));
    REFUSED(hlo_run_read_parameter(NULL, "x", "x.npy", diags));
    REFUSED(hlo_run_read_parameter(o->fresh, NULL, "x.npy", diags));
    REFUSED(hlo_run_read_parameter(o->fresh, "x", NULL, diags));
    REFUSED(hlo_run_read_inputs(NULL, ".", true, diags));
    REFUSED(hlo_run_read_inputs(o->fresh, NULL, true, diags));
    REFUSED(hlo_run_read_record(NULL, ".", true, diags));
    REFUSED(hlo_run_read_record(o->fresh, NULL, true, diags));
    REFUSED(hlo_run_fill_inputs(NULL, HLO_FILL_ONES, 0, diags));
    REFUSED(hlo_run_fill_inputs(o->fresh, (hlo_input_fill)77, 0, diags));
    REFUSED_SILENTLY(hlo_run_fill_inputs(o->fresh, HLO_FILL_ONES, 0, NULL));
    REFUSED(hlo_run_use_recording(NULL, diags, &replays));
    REFUSED(hlo_run_use_recording(o->fresh, diags, NULL));
    REFUSED_SILENTLY(hlo_run_use_recording(o->fresh, NULL, &replays));
    REFUSED(hlo_run_execute(o->fresh, diags)); /* its input was not set */
}

static bool see_row(void *context, const hlo_profile_row *row) {
    return context == row;
}

static void test_results(objects *o) {
    static const int64_t negative[] = {-4}, wide[] = {INT64_MAX};
    hlo_array array;
    float to[2];
    REFUSED(hlo_run_execute(NULL, diags));
    REFUSED_SILENTLY(hlo_run_execute(o->run, NULL));
    REFUSED(hlo_run_repeat(NULL, 1, diags));
    REFUSED_SILENTLY(hlo_run_repeat(o->run, 1, NULL));
    check(hlo_run_execute(o->run, diags) == HLO_OK, "the run goes well");
    check(hlo_run_output_count(o->fresh) == 0 && hlo_run_output_count(NULL) == 0, "no results");
    REFUSED(hlo_run_output(o->fresh, 0, 0, diags, &array));
    REFUSED(hlo_run_output(NULL, 0, 0, diags, &array));
    REFUSED(hlo_run_output(o->run, 0, 0, diags, NULL));
    REFUSED(hlo_run_output(o->run, 1, 0, diags, &array));
    REFUSED(hlo_run_output(o->run, 0, 1, diags, &array));
    check(array.rank == 0 && !array.data, "the array is empty after an error");
    REFUSED_SILENTLY(hlo_run_output(o->run, 0, 0, NULL, &array));
    REFUSED(hlo_run_copy_output(o->fresh, 0, 0, to, NULL, sizeof to, diags));
    REFUSED(hlo_run_copy_output(NULL, 0, 0, to, NULL, sizeof to, diags));
    REFUSED(hlo_run_copy_output(o->run, 0, 9, to, NULL, sizeof to, diags));
    REFUSED(hlo_run_copy_output(o->run, 9, 0, to, NULL, sizeof to, diags));
    REFUSED(hlo_run_copy_output(o->run, 0, 0, NULL, NULL, sizeof to, diags));
    REFUSED(hlo_run_copy_output(o->run, 0, 0, to, NULL, sizeof to - 1, diags));
    REFUSED(hlo_run_copy_output(o->run, 0, 0, to, negative, sizeof to, diags));
    REFUSED(hlo_run_copy_output(o->run, 0, 0, to, wide, sizeof to, diags));
    REFUSED(hlo_run_write_outputs(o->fresh, "folder", diags));
    REFUSED(hlo_run_write_outputs(NULL, "folder", diags));
    REFUSED(hlo_run_write_outputs(o->run, NULL, diags));
    REFUSED(hlo_run_write_literal(o->fresh, 0, o->output, diags));
    REFUSED(hlo_run_write_literal(NULL, 0, o->output, diags));
    REFUSED(hlo_run_write_literal(o->run, 0, NULL, diags));
    REFUSED(hlo_run_write_plan(NULL, o->output, diags));
    REFUSED(hlo_run_write_plan(o->run, NULL, diags));
    REFUSED(hlo_run_write_planned_module(NULL, o->output, diags));
    REFUSED(hlo_run_write_planned_module(o->run, NULL, diags));
    REFUSED(hlo_run_write_profile(NULL, HLO_PROFILE_JSON, o->output, diags));
    REFUSED(hlo_run_write_profile(o->run, HLO_PROFILE_JSON, NULL, diags));
    REFUSED(hlo_run_write_profile(o->run, HLO_PROFILE_JSON, o->output, diags));
    REFUSED(hlo_run_visit_profile(NULL, see_row, NULL, diags));
    REFUSED(hlo_run_visit_profile(o->run, NULL, NULL, diags));
    REFUSED(hlo_run_visit_profile(o->run, see_row, NULL, diags));
    hlo_run_clear_profile(NULL);
    hlo_run_clear_profile(o->run);
}

static void test_comparing(objects *o) {
    hlo_compare_options tolerance = HLO_COMPARE_OPTIONS_INIT;
    REFUSED(hlo_run_compare(o->fresh, ".", &tolerance, o->output, diags));
    REFUSED(hlo_run_compare(NULL, ".", &tolerance, o->output, diags));
    REFUSED(hlo_run_compare(o->run, NULL, &tolerance, o->output, diags));
    REFUSED(hlo_run_compare(o->run, ".", &tolerance, NULL, diags));
    check(hlo_run_compare(o->run, "/no/such", NULL, o->output, diags) == HLO_BAD_SYSTEM,
          "no tolerance is none");
    REFUSED(hlo_run_compare_recording(o->fresh, NULL, o->output, diags));
    REFUSED(hlo_run_compare_recording(NULL, NULL, o->output, diags));
    REFUSED(hlo_run_compare_recording(o->run, NULL, NULL, diags));
    check(hlo_run_compare_recording(o->run, NULL, o->output, diags) == HLO_BAD_MODULE,
          "nothing was recorded");
}

static void test_no_run(void) {
    check(hlo_run_input_count(NULL) == 0 && hlo_run_device_count(NULL) == 0, "no run");
    check(hlo_run_graph_devices(NULL) == 0 && !hlo_run_module(NULL), "no run");
    check(!hlo_run_progress(NULL).name && hlo_run_memory(NULL) == 0, "no run");
    check(!hlo_names_arrays(NULL), "no path");
    hlo_run_interrupt(NULL);
    hlo_run_free(NULL);
}

static void test_rows(void) {
    typedef bool row_function(size_t, hlo_table_row *);
    static row_function *const functions[] = {
        hlo_operation_row,     hlo_pass_row, hlo_rewrite_row, hlo_pipeline_row, hlo_rule_row,
        hlo_verify_option_row, hlo_fill_row, hlo_advice_row,  hlo_old_form_row};
    hlo_table_row row;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        check(!functions[i](0, NULL), "no place for the row");
        check(!functions[i](SIZE_MAX, &row) && !row.name, "no such row");
    }
    check(!hlo_pass_option_row(0, 0, NULL) && !hlo_pass_option_row(SIZE_MAX, 0, &row), "no row");
    check(!hlo_pass_option_row(0, SIZE_MAX, &row), "no such option");
    check(!hlo_pass_name(NULL, 3), "no pass");
    check(!hlo_pipeline_passes(NULL) && !hlo_pipeline_passes("nothing"), "no pipeline");
}

static void test_numbers(void) {
    uint64_t whole;
    double number;
    bool fits;
    check(!hlo_read_number(NULL, &number) && !hlo_read_number("", &number), "no number");
    check(!hlo_read_whole(NULL, &whole, &fits) && !hlo_read_whole("1.5", &whole, &fits),
          "not whole");
    check(!hlo_read_size(NULL, &whole, &fits) && !hlo_read_size("-1", &whole, &fits), "no size");
    char figure[HLO_FIGURE_SIZE];
    check(!hlo_write_figure(HLO_FIGURE_BYTES, 1, NULL) &&
              !hlo_write_figure((hlo_figure_kind)9, 1, figure),
          "no place, no kind");
    check(!strcmp(hlo_write_figure(HLO_FIGURE_SECONDS, 2.07e-5, figure), "20.7 us") &&
              !strcmp(hlo_write_figure(HLO_FIGURE_COUNT, 1234567, figure), "1,234,567") &&
              !strcmp(hlo_write_figure(HLO_FIGURE_BYTES, NAN, figure), "?") &&
              !strcmp(hlo_write_figure(HLO_FIGURE_FLOPS, -INFINITY, figure), "-inf"),
          "figures");
}

/* Handles of nothing, and numbers that are too large. */
static void test_handles(objects *o) {
    const hlo_instr *y = hlo_computation_root(hlo_module_entry(o->module));
    const int64_t *values;
    int64_t value = 1;
    size_t count = 1;
    hlo_array array;
    check(!hlo_module_entry(NULL) && !hlo_module_first(NULL) && !hlo_module_name(NULL).len, "none");
    check(!hlo_computation_next(NULL) && !hlo_computation_first(NULL), "none");
    check(!hlo_computation_root(NULL) && !hlo_computation_size(NULL), "none");
    check(!hlo_computation_name(NULL).len && !hlo_computation_parameter(NULL, 0), "none");
    check(!hlo_computation_parameter(hlo_module_entry(o->module), 1), "no parameter 1");
    check(!hlo_instr_next(NULL) && !hlo_instr_parent(NULL) && !hlo_instr_opcode(NULL), "none");
    check(!hlo_instr_name(NULL).len && !hlo_instr_shape(NULL) && !hlo_instr_operand(NULL, 0), "");
    check(!hlo_instr_operand(y, 1) && !hlo_instr_called(y, 0), "no such operand");
    check(hlo_instr_uses(NULL, NULL, 3) == 0 && hlo_instr_uses(y, NULL, 3) == 0, "no uses");
    check(!hlo_instr_called(NULL, 0) && hlo_instr_parameter_number(NULL) == -1, "none");
    check(hlo_instr_parameter_number(y) == -1, "no parameter");
    check(!hlo_instr_literal(y, 0, &array) && !array.data, "no constant");
    check(!hlo_instr_literal(NULL, 0, &array) && !hlo_instr_literal(y, 0, NULL), "none");
    check(!hlo_instr_metadata(NULL).op_name.len && !hlo_instr_attr_name(NULL, 0), "none");
    check(!hlo_instr_attr_name(y, 99) && !hlo_module_attr_name(NULL, 0), "no such attribute");
    check(!hlo_instr_attr_int(y, "dimensions", &value) && value == 0, "no such attribute");
    check(!hlo_instr_attr_int(NULL, "index", &value) && !hlo_instr_attr_int(y, NULL, &value), "");
    check(!hlo_instr_attr_int(y, "index", NULL) && !hlo_module_attr_int(NULL, "x", &value), "");
    check(!hlo_instr_attr_ints(y, "dimensions", &values, &count) && !values && !count, "none");
    check(!hlo_instr_attr_ints(y, "dimensions", NULL, &count), "no place");
    check(hlo_shape_type(NULL) == HLO_TYPE_INVALID && hlo_shape_rank(NULL) == 0, "none");
    check(hlo_shape_dim(NULL, 0) == 0 && hlo_shape_dim(hlo_instr_shape(y), 1) == 0, "none");
    check(!hlo_shape_dim_is_dynamic(hlo_instr_shape(y), 1), "no dimension 1");
    check(hlo_shape_minor_to_major(hlo_instr_shape(y), 1) == -1, "no place 1");
    check(hlo_shape_element_count(NULL) == 0 && !hlo_shape_element(hlo_instr_shape(y), 0), "none");
    check(hlo_array_bytes(NULL) == 0, "no array");
}

/* ---- options of other releases ---- */

static hlo_module *shared;
static hlo_output *shared_output;

static hlo_status take_text(const void *options) {
    return hlo_write_text(shared, options, shared_output, diags);
}
static hlo_status take_graph(const void *options) {
    return hlo_write_graph(shared, options, shared_output, diags);
}
static hlo_status take_diff(const void *options) {
    return hlo_write_diff(shared, shared, options, shared_output, diags, NULL);
}
static hlo_status take_run(const void *options) {
    hlo_run *run;
    hlo_status status = hlo_run_prepare(shared, options, diags, &run);
    hlo_run_free(run);
    return status;
}
static hlo_run *executed;
static hlo_status take_compare(const void *options) {
    hlo_status status = hlo_run_compare_recording(executed, options, shared_output, diags);
    return status == HLO_BAD_MODULE ? HLO_OK : status; /* nothing was recorded */
}
static hlo_status take_pipeline(const void *options) {
    hlo_pipeline *pipeline;
    hlo_status status = hlo_pipeline_parse("name", "", diags, &pipeline);
    if (status == HLO_OK)
        status = hlo_pipeline_execute_with(pipeline, shared, options, diags, NULL);
    hlo_pipeline_free(pipeline);
    return status;
}
static int accept_none(void *context, const hlo_candidate *candidates, int count) {
    (void)context, (void)candidates, (void)count;
    return HLO_REDUCE_STOP;
}
static hlo_status take_reduce(const void *options) {
    hlo_reduction reduction;
    hlo_status status = hlo_reduce(shared, options, diags, &reduction);
    return status == HLO_BAD_MODULE ? HLO_OK : status; /* the module itself was not accepted */
}

/* Options as an older program has them, at the end of its memory (which AddressSanitizer watches):
 * the first `known` bytes; then as a newer one has them, with more members than the library has.
 */
static void test_sizes(const char *name, hlo_status (*take)(const void *), const void *full,
                       size_t size, size_t known) {
    char *old = malloc(known), *newer = malloc(size + 64);
    size_t none = 0, new_size = size + 64;
    if (!old || !newer) abort();
    memcpy(old, full, known);
    memcpy(old, &known, sizeof known);
    check(take(old) == HLO_OK, name);
    memcpy(newer, full, size);
    memset(newer + size, 0xff, 64);
    memcpy(newer, &new_size, sizeof new_size);
    check(take(newer) == HLO_OK, name);
    memcpy(newer, &none, sizeof none);
    REFUSED(take(newer));
    check(take(NULL) == HLO_OK || strcmp(name, "reduce") == 0, name);
    free(old);
    free(newer);
}

static void test_option_sizes(objects *o) {
    hlo_text_options text_options = HLO_TEXT_OPTIONS_INIT;
    hlo_graph_options graph = HLO_GRAPH_OPTIONS_INIT;
    hlo_diff_options diff = HLO_DIFF_OPTIONS_INIT;
    hlo_run_options run = HLO_RUN_OPTIONS_INIT;
    hlo_compare_options compare = HLO_COMPARE_OPTIONS_INIT;
    hlo_pipeline_options pipeline = HLO_PIPELINE_OPTIONS_INIT;
    hlo_reduce_options reduce = HLO_REDUCE_OPTIONS_INIT;
    reduce.test = accept_none;
    shared = o->module;
    shared_output = o->output;
    executed = o->run;
    size_t first = sizeof(size_t);
    check(hlo_run_execute(executed, diags) == HLO_OK, "runs");
    test_sizes("text", take_text, &text_options, sizeof text_options, first);
    test_sizes("graph", take_graph, &graph, sizeof graph, first);
    test_sizes("diff", take_diff, &diff, sizeof diff, first);
    test_sizes("run", take_run, &run, sizeof run, first);
    test_sizes("compare", take_compare, &compare, sizeof compare, first);
    test_sizes("pipeline", take_pipeline, &pipeline, sizeof pipeline, first);
    test_sizes("reduce", take_reduce, &reduce, sizeof reduce, offsetof(hlo_reduce_options, batch));
}

/* Members that an older program has are used, and not what follows them. */
static void test_old_members(objects *o) {
    hlo_text_options options = HLO_TEXT_OPTIONS_INIT;
    hlo_output *output = hlo_output_to_memory();
    size_t n;
    options.style = HLO_STYLE_SHORT;
    options.percent = HLO_ON;
    options.size = offsetof(hlo_text_options, percent);
    check(hlo_write_text(o->module, &options, output, diags) == HLO_OK, "prints");
    const char *bytes = hlo_output_bytes(output, &n);
    check(n && !memchr(bytes, '%', n), "the style is taken, the percent sign is not");
    hlo_output_free(output);
}

static hlo_run *prepare(objects *o) {
    hlo_run *run;
    check(hlo_run_prepare(o->module, NULL, diags, &run) == HLO_OK, "prepares");
    return run;
}

int main(void) {
    objects o = {0};
    diags = hlo_diags_create(1000);
    o.source = hlo_source_from_text("memory", text, sizeof text - 1);
    o.output = hlo_output_to_memory();
    check(hlo_parse(o.source, diags, &o.module) == HLO_OK, "parses");
    check(hlo_pipeline_parse("name", "", diags, &o.pipeline) == HLO_OK, "a pipeline");
    o.run = prepare(&o);
    o.fresh = prepare(&o);
    check(hlo_run_fill_inputs(o.run, HLO_FILL_ONES, 0, diags) == HLO_OK, "fills");
    test_sources(&o);
    test_finding();
    test_baselines();
    test_modules(&o);
    test_transfers(&o);
    test_diags(&o);
    test_checking(&o);
    test_passes(&o);
    test_outputs(&o);
    test_printing(&o);
    test_preparing(&o);
    test_inputs(&o);
    test_input_files(&o);
    test_results(&o);
    test_comparing(&o);
    test_no_run();
    test_rows();
    test_numbers();
    test_handles(&o);
    test_option_sizes(&o);
    test_old_members(&o);
    hlo_run_free(o.run);
    hlo_run_free(o.fresh);
    hlo_pipeline_free(o.pipeline);
    hlo_output_free(o.output);
    hlo_module_free(o.module);
    hlo_source_free(o.source);
    hlo_diags_free(diags);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
