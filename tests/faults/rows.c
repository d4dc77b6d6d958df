/* One call of every function of hlo.h, some in several ways. Getters and functions that free are
 * here too: that they allocate nothing is seen by counting. */
#include <stdio.h>
#include <string.h>

#include "faults/faults.h"

#define CALL(name) static bool call_##name(faults_case *c)
#define NOTHING(c) ((void)(c))

static bool digest_output(faults_case *c) {
    size_t count;
    if (hlo_output_commit(c->output, c->diags) != HLO_OK) return false;
    const char *bytes = hlo_output_bytes(c->output, &count);
    faults_digest(c, bytes, count);
    return true;
}

/* ---- diagnostics ---- */

CALL(diags_create) {
    c->made_diags = hlo_diags_create(7);
    return c->made_diags != NULL;
}

CALL(diags_free) {
    hlo_diags_free(c->diags);
    c->diags = NULL;
    return true;
}

CALL(diags_counts) {
    uint32_t counts[] = {hlo_diags_error_count(c->diags), hlo_diags_warning_count(c->diags)};
    faults_digest(c, counts, sizeof counts);
    return true;
}

static const char *own_hint(void *context, const char *topic) {
    NOTHING(context);
    return topic;
}

CALL(diags_set_hints) {
    hlo_diags_set_hints(c->diags, own_hint, NULL);
    return true;
}

/* The stream is without a buffer: only the library allocates. */
CALL(diags_render) {
    static char text[1 << 14];
    memset(text, 0, sizeof text);
    FILE *to = fopen(faults_path(c, "rendered"), "w+");
    if (!to) return false;
    setvbuf(to, NULL, _IONBF, 0);
    hlo_diags_render(c->diags, to, false);
    rewind(to);
    size_t count = fread(text, 1, sizeof text - 1, to);
    fclose(to);
    faults_digest(c, text, count);
    return !strstr(text, "out of memory");
}

CALL(report_begin) {
    c->report = hlo_report_begin(HLO_REPORT_SARIF, c->output);
    return c->report && digest_output(c);
}

CALL(report_add) {
    hlo_report_add(c->report, c->diags);
    return digest_output(c);
}

CALL(report_end) {
    hlo_report_end(c->report);
    c->report = NULL;
    return digest_output(c);
}

/* ---- sources ---- */

static bool read_source(faults_case *c, const char *name) {
    hlo_source_free(c->made_source);
    c->made_source = NULL;
    return hlo_read_source(faults_path(c, name), c->diags, &c->made_source) == HLO_OK;
}

CALL(read_source) {
    return read_source(c, "m.hlo");
}
CALL(read_source_gz) {
    return read_source(c, "m.hlo.gz");
}
CALL(read_source_zstd) {
    return read_source(c, "m.hlo.zst");
}

CALL(source_from_text) {
    c->made_source = hlo_source_from_text("name", faults_text, strlen(faults_text));
    return c->made_source != NULL;
}

CALL(source_free) {
    hlo_source_free(c->source);
    c->source = NULL;
    return true;
}

CALL(source_split) {
    c->part_count = hlo_source_split(c->source, &c->parts);
    faults_digest(c, &c->part_count, sizeof c->part_count);
    return c->part_count > 0;
}

CALL(source_parts_free) {
    hlo_source_parts_free(NULL, 0);
    NOTHING(c);
    return true;
}

/* Without memory it says yes: reading the file then says why not. */
CALL(starts_like_module) {
    NOTHING(c);
    return hlo_starts_like_module(faults_text, strlen(faults_text));
}

CALL(find_modules) {
    char pattern[4200], folder[4200];
    snprintf(folder, sizeof folder, "%s", faults_path(c, "."));
    snprintf(pattern, sizeof pattern, "%s", faults_path(c, "*.hlo"));
    char *const arguments[] = {folder, pattern};
    hlo_status status = hlo_find_modules(arguments, 2, c->diags, &c->paths, &c->path_count);
    faults_digest(c, &c->path_count, sizeof c->path_count);
    return status == HLO_OK;
}

CALL(find_files) {
    char folder[4200];
    snprintf(folder, sizeof folder, "%s", faults_path(c, "."));
    char *const arguments[] = {folder};
    hlo_found_file *files;
    size_t count;
    hlo_status status = hlo_find_files(arguments, 1, c->diags, &files, &count);
    faults_digest(c, &count, sizeof count);
    hlo_found_files_free(files, count);
    return status == HLO_OK;
}

CALL(found_files_free) {
    hlo_found_files_free(NULL, 0);
    NOTHING(c);
    return true;
}

CALL(paths_free) {
    hlo_paths_free(c->paths, c->path_count);
    return true;
}

/* ---- modules ---- */

CALL(parse) {
    return hlo_parse(c->source, c->diags, &c->made) == HLO_OK;
}
CALL(read_module) {
    return hlo_read_module(c->source, c->diags, &c->made) == HLO_OK;
}

static bool read_file(faults_case *c, const char *name) {
    return read_source(c, name) && hlo_read_module(c->made_source, c->diags, &c->made) == HLO_OK;
}

CALL(read_json) {
    return read_file(c, "m.json");
}
CALL(read_proto) {
    return read_file(c, "m.pb");
}

/* Errors are found whether or not all of them can be kept. */
CALL(parse_errors) {
    hlo_source *source =
        hlo_source_from_text("bad", faults_broken_text, strlen(faults_broken_text));
    if (!source) return false;
    hlo_status status = hlo_parse(source, c->diags, &c->made);
    hlo_source_free(source);
    uint32_t errors = hlo_diags_error_count(c->diags);
    faults_digest(c, &errors, sizeof errors);
    return status == HLO_BAD_MODULE;
}

CALL(module_free) {
    hlo_module_free(c->module);
    c->module = NULL;
    return true;
}

CALL(module_forget_extras) {
    hlo_module_forget_extras(c->module, c->diags);
    return !hlo_diags_error_count(c->diags);
}

CALL(module_describe) {
    hlo_module_facts facts = hlo_module_describe(c->module);
    faults_digest(c, &facts.instructions, sizeof facts.instructions);
    return true;
}

CALL(module_estimate) {
    hlo_module_cost cost = hlo_module_estimate(c->module);
    faults_digest(c, &cost, sizeof cost);
    return cost.flops == cost.flops;
}

CALL(verify) {
    return hlo_verify(c->module, c->diags) == HLO_OK;
}
CALL(verify_with) {
    return hlo_verify_with(c->module, NULL, c->diags) == HLO_OK;
}

CALL(verify_options_create) {
    c->options = hlo_verify_options_create();
    return c->options != NULL;
}

CALL(verify_options_set) {
    hlo_table_row row;
    hlo_verify_options *options = hlo_verify_options_create();
    if (!options || !hlo_verify_option_row(0, &row)) return false;
    hlo_status status =
        hlo_verify_options_set(options, row.name, row.group ? "add" : "on", c->diags);
    hlo_verify_options_free(options);
    return status == HLO_OK;
}

/* A mistake is reported as one, or as missing memory; never taken. */
CALL(verify_options_set_badly) {
    hlo_verify_options *options = hlo_verify_options_create();
    if (!options) return false;
    hlo_status status = hlo_verify_options_set(options, "no such option", "on", c->diags);
    hlo_verify_options_free(options);
    return status == HLO_BAD_USE;
}

CALL(lint_create) {
    c->lint = hlo_lint_create();
    return c->lint != NULL;
}

CALL(lint_module) {
    hlo_lint *lint = hlo_lint_create();
    if (!lint) return false;
    hlo_lint_set_large_constant(lint, 8);
    hlo_status status = hlo_lint_set(lint, "all", HLO_LINT_WARN, c->diags);
    if (status == HLO_OK) status = hlo_lint_module(lint, c->module, c->diags);
    hlo_lint_free(lint);
    uint32_t warnings = hlo_diags_warning_count(c->diags);
    faults_digest(c, &warnings, sizeof warnings);
    return status == HLO_OK;
}

/* ---- passes ---- */

CALL(pipeline_parse) {
    hlo_status status = hlo_pipeline_parse("passes", "fix(algsimp,cse,dce),constant_folding",
                                           c->diags, &c->pipeline);
    return status == HLO_OK;
}

CALL(pipeline_parse_badly) {
    return hlo_pipeline_parse("passes", "algsinp,dce", c->diags, &c->pipeline) == HLO_BAD_USE;
}

CALL(pipeline_free) {
    hlo_pipeline_free(c->pipeline);
    c->pipeline = NULL;
    return true;
}

CALL(pipeline_write) {
    hlo_pipeline_write(c->pipeline, c->output);
    return digest_output(c);
}

CALL(pipeline_execute) {
    return hlo_pipeline_execute(c->pipeline, c->module, c->diags, NULL) == HLO_OK;
}

/* The watcher prints the module: a call of its own, whose failure ends the pipeline between passes.
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

/* ---- outputs ---- */

CALL(output_to_memory) {
    hlo_output *output = hlo_output_to_memory();
    hlo_output_free(output);
    NOTHING(c);
    return output != NULL;
}

CALL(output_write) {
    static const char part[10000];
    for (int i = 0; i < 8; i++) hlo_output_write(c->output, part, sizeof part);
    return digest_output(c);
}

/* Without a commit there is no file, whatever failed. */
CALL(output_to_file) {
    hlo_output *output;
    if (hlo_output_open(faults_path(c, "new"), c->diags, &output) != HLO_OK) return false;
    hlo_output_write(output, "text\n", 5);
    hlo_status status = hlo_output_commit(output, c->diags);
    hlo_output_free(output);
    return status == HLO_OK;
}

CALL(write_text) {
    return hlo_write_text(c->module, NULL, c->output, c->diags) == HLO_OK && digest_output(c);
}

CALL(write_json) {
    return hlo_write_json(c->module, HLO_AS_HLO_PROTO, true, c->output, c->diags) == HLO_OK &&
           digest_output(c);
}

CALL(write_proto) {
    return hlo_write_proto(c->module, HLO_AS_MODULE_PROTO, c->output, c->diags) == HLO_OK &&
           digest_output(c);
}

static bool write_graph(faults_case *c, hlo_graph_layout layout, const char *format) {
    hlo_graph_options options = HLO_GRAPH_OPTIONS_INIT;
    options.layout = layout;
    options.format = format;
    hlo_status status = hlo_write_graph(c->module, &options, c->output, c->diags);
    return status == HLO_OK && digest_output(c);
}

CALL(write_graph) {
    return write_graph(c, HLO_LAYOUT_DOT, NULL);
}
CALL(write_graph_fast) {
    return write_graph(c, HLO_LAYOUT_FAST, NULL);
}

CALL(write_diff) {
    hlo_diff_options options = HLO_DIFF_OPTIONS_INIT;
    options.json = true;
    bool same;
    hlo_status status = hlo_write_diff(c->module, c->second, &options, c->output, c->diags, &same);
    return status == HLO_OK && !same && digest_output(c);
}

CALL(explain_rule) {
    return hlo_explain_rule("opcode", c->output, c->diags) != HLO_BAD_SYSTEM && digest_output(c);
}

CALL(explain_pass) {
    return hlo_explain_pass("algsimp", c->output, c->diags) == HLO_OK && digest_output(c);
}

/* ---- reading a module ---- */

static const hlo_instr *multiply_of(const hlo_module *module) {
    const hlo_computation *c = hlo_module_first(module);
    for (; c; c = hlo_computation_next(c))
        for (const hlo_instr *i = hlo_computation_first(c); i; i = hlo_instr_next(i))
            if (hlo_instr_metadata(i).source_line == 3) return i;
    return NULL;
}

CALL(walk) {
    hlo_array array;
    hlo_instr_use uses[4];
    const int64_t *ints;
    int64_t number;
    size_t count;
    const hlo_computation *entry = hlo_module_entry(c->module);
    const hlo_instr *root = hlo_computation_root(entry), *fusion = multiply_of(c->module);
    const hlo_shape *shape = hlo_instr_shape(root), *part = hlo_shape_element(shape, 1);
    uint64_t found[] = {hlo_module_name(c->module).len,
                        hlo_computation_name(entry).len,
                        hlo_computation_size(entry),
                        hlo_computation_parameter_count(entry),
                        (uint64_t)hlo_instr_parameter_number(hlo_computation_parameter(entry, 1)),
                        hlo_instr_name(root).len,
                        hlo_instr_operand_count(root),
                        hlo_instr_uses(hlo_instr_operand(root, 0), uses, 4),
                        hlo_instr_called_count(fusion),
                        hlo_instr_literal(root, 0, &array),
                        hlo_instr_attr_int(fusion, "kind", &number),
                        hlo_instr_attr_ints(fusion, "kind", &ints, &count),
                        hlo_module_attr_int(c->module, "replica_count", &number),
                        hlo_shape_type(part),
                        hlo_shape_rank(part),
                        (uint64_t)hlo_shape_dim(part, 0),
                        hlo_shape_dim_is_dynamic(part, 0),
                        (uint64_t)hlo_shape_minor_to_major(part, 0),
                        hlo_shape_element_count(shape),
                        hlo_module_attr_name(c->module, 0) != NULL};
    faults_digest(c, found, sizeof found);
    return hlo_instr_parent(root) == entry && hlo_instr_called(fusion, 0) &&
           hlo_instr_opcode(root) && hlo_instr_attr_name(fusion, 0);
}

CALL(instr_write_attr) {
    return hlo_instr_write_attr(multiply_of(c->module), "calls", c->output, c->diags) == HLO_OK &&
           digest_output(c);
}

CALL(module_write_attr) {
    return hlo_module_write_attr(c->module, "entry_computation_layout", c->output, c->diags) ==
               HLO_OK &&
           digest_output(c);
}

CALL(shape_write) {
    const hlo_instr *root = hlo_computation_root(hlo_module_entry(c->module));
    return hlo_shape_write(hlo_instr_shape(root), true, c->output, c->diags) == HLO_OK &&
           digest_output(c);
}

/* ---- runs ---- */

CALL(run_prepare) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    return hlo_run_prepare(c->module, &options, c->diags, &c->run) == HLO_OK;
}

CALL(run_free) {
    hlo_run_free(c->run);
    c->run = NULL;
    return true;
}

CALL(run_getters) {
    hlo_array in, out;
    if (hlo_run_input(c->run, 0, 0, c->diags, &in) != HLO_OK ||
        hlo_run_output(c->run, 0, 0, c->diags, &out) != HLO_OK)
        return false;
    uint64_t numbers[] = {hlo_run_input_count(c->run), hlo_run_output_count(c->run),
                          hlo_run_memory(c->run),      hlo_array_bytes(&in),
                          hlo_array_bytes(&out),       hlo_run_device_count(c->run)};
    faults_digest(c, numbers, sizeof numbers);
    return hlo_run_progress(c->run).count > 0;
}

CALL(run_interrupt) {
    hlo_run_interrupt(c->run);
    return true;
}

static const int64_t x_dims[] = {8, 16}, x_strides[] = {4, 32};
static const float x_data[8 * 16] = {1, 2, 3};

/* In another order than the library's, so that it is copied. */
CALL(run_set_input) {
    const hlo_array array = {HLO_TYPE_F32, 2, x_dims, x_strides, x_data};
    return hlo_run_set_input(c->run, 0, 0, &array, c->diags) == HLO_OK;
}

CALL(run_set_input_borrowed) {
    const hlo_array array = {HLO_TYPE_F32, 2, x_dims, NULL, x_data};
    return hlo_run_set_input(c->run, 0, 0, &array, c->diags) == HLO_OK;
}

CALL(run_copy_output) {
    static float to[4];
    hlo_status status = hlo_run_copy_output(c->run, 0, 0, to, NULL, sizeof to, c->diags);
    faults_digest(c, to, sizeof to);
    return status == HLO_OK;
}

static bool read_input(faults_case *c, const char *name) {
    return hlo_run_read_input(c->run, 0, faults_path(c, name), c->diags) == HLO_OK;
}

CALL(run_read_npy) {
    return read_input(c, "x.npy");
}
CALL(run_read_npz) {
    return read_input(c, "x.npz");
}
CALL(run_read_json) {
    return read_input(c, "x.json");
}
CALL(run_read_text) {
    return read_input(c, "x.txt");
}

CALL(run_read_parameter) {
    return hlo_run_read_parameter(c->run, "x", faults_path(c, "x.npz"), c->diags) == HLO_OK;
}

CALL(run_read_inputs) {
    return hlo_run_read_inputs(c->run, faults_path(c, "inputs"), true, c->diags) == HLO_OK;
}

CALL(run_read_inputs_json) {
    return hlo_run_read_inputs(c->run, faults_path(c, "inputs.json"), true, c->diags) == HLO_OK;
}

CALL(run_fill_inputs) {
    return hlo_run_fill_inputs(c->run, HLO_FILL_HASH, 3, c->diags) == HLO_OK;
}

CALL(run_use_recording) {
    bool replays;
    return hlo_run_use_recording(c->run, c->diags, &replays) == HLO_OK && !replays;
}

static bool digest_results(faults_case *c) {
    for (uint32_t k = 0; k < hlo_run_output_count(c->run); k++) {
        hlo_array array;
        if (hlo_run_output(c->run, 0, k, c->diags, &array) != HLO_OK) return false;
        faults_digest(c, array.data, hlo_array_bytes(&array));
    }
    return true;
}

CALL(run_execute) {
    return hlo_run_execute(c->run, c->diags) == HLO_OK && digest_results(c);
}

CALL(run_repeat) {
    return hlo_run_repeat(c->run, 3, c->diags) == HLO_OK && digest_results(c);
}

CALL(run_write_folder) {
    return hlo_run_write_outputs(c->run, faults_path(c, "results"), c->diags) == HLO_OK;
}

CALL(run_write_npz) {
    return hlo_run_write_outputs(c->run, faults_path(c, "results.npz"), c->diags) == HLO_OK;
}

CALL(run_write_json) {
    return hlo_run_write_outputs(c->run, faults_path(c, "results.json"), c->diags) == HLO_OK;
}

static bool compare(faults_case *c, const char *name) {
    hlo_compare_options options = HLO_COMPARE_OPTIONS_INIT;
    hlo_status status =
        hlo_run_compare(c->run, faults_path(c, name), &options, c->output, c->diags);
    return status == HLO_OK && digest_output(c);
}

CALL(run_compare) {
    return compare(c, "expected");
}
CALL(run_compare_npz) {
    return compare(c, "expected.npz");
}
CALL(run_compare_json) {
    return compare(c, "expected.json");
}

/* Nothing was recorded, which is an error to report. */
CALL(run_compare_recording) {
    hlo_compare_options options = HLO_COMPARE_OPTIONS_INIT;
    return hlo_run_compare_recording(c->run, &options, c->output, c->diags) == HLO_BAD_MODULE;
}

CALL(run_write_literal) {
    return hlo_run_write_literal(c->run, 0, c->output, c->diags) == HLO_OK && digest_output(c);
}

/* ---- tables and words ---- */

CALL(tables) {
    hlo_table_row row;
    NOTHING(c);
    return hlo_operation_row(0, &row) && hlo_pass_row(0, &row) && hlo_rewrite_row(0, &row) &&
           hlo_pipeline_row(0, &row) && hlo_rule_row(0, &row) && hlo_verify_option_row(0, &row) &&
           hlo_fill_row(0, &row) && hlo_advice_row(0, &row) &&
           !hlo_pass_option_row(SIZE_MAX, 0, &row);
}

CALL(words) {
    NOTHING(c);
    return hlo_version() && hlo_pass_name("algsimp", 7) && hlo_names_arrays("a.npy") &&
           hlo_element_type_name(HLO_TYPE_F32) && hlo_element_type_bytes(HLO_TYPE_F32) == 4 &&
           hlo_element_type_from_name("f32") == HLO_TYPE_F32;
}

enum { A_RUN = NEEDS_MODULE | NEEDS_RUN, RAN = A_RUN | NEEDS_INPUTS | NEEDS_RESULT };

const faults_row faults_rows[] = {
    {"hlo_diags_create", "", 0, call_diags_create},
    {"hlo_diags_free", "", SPENDS, call_diags_free},
    {"hlo_diags_error_count hlo_diags_warning_count", "", 0, call_diags_counts},
    {"hlo_diags_set_hints", "", 0, call_diags_set_hints},
    {"hlo_diags_render", "", NEEDS_ERRORS, call_diags_render},
    {"hlo_report_begin", "", NEEDS_OUTPUT | SPENDS, call_report_begin},
    {"hlo_report_add", "", NEEDS_OUTPUT | NEEDS_REPORT | NEEDS_ERRORS | SPENDS, call_report_add},
    {"hlo_report_end", "", NEEDS_OUTPUT | NEEDS_REPORT | SPENDS, call_report_end},
    {"hlo_read_source", "", 0, call_read_source},
    {"hlo_read_source", "gzip", 0, call_read_source_gz},
    {"hlo_read_source", "zstd", 0, call_read_source_zstd},
    {"hlo_source_from_text", "", 0, call_source_from_text},
    {"hlo_source_free", "", NEEDS_SOURCE | SPENDS, call_source_free},
    {"hlo_source_split", "", NEEDS_SOURCE, call_source_split},
    {"hlo_source_parts_free", "", 0, call_source_parts_free},
    {"hlo_starts_like_module", "", 0, call_starts_like_module},
    {"hlo_find_modules", "", 0, call_find_modules},
    {"hlo_paths_free", "", SPENDS, call_paths_free},
    {"hlo_find_files", "", 0, call_find_files},
    {"hlo_found_files_free", "", 0, call_found_files_free},
    {"hlo_parse", "", NEEDS_SOURCE, call_parse},
    {"hlo_parse", "errors", SPENDS, call_parse_errors},
    {"hlo_read_module", "text", NEEDS_SOURCE, call_read_module},
    {"hlo_read_module", "JSON", 0, call_read_json},
    {"hlo_read_module", "protobuf", 0, call_read_proto},
    {"hlo_module_free", "", NEEDS_MODULE | SPENDS, call_module_free},
    {"hlo_module_forget_extras", "", NEEDS_MODULE, call_module_forget_extras},
    {"hlo_module_describe", "", NEEDS_MODULE, call_module_describe},
    {"hlo_module_estimate", "", NEEDS_MODULE, call_module_estimate},
    {"hlo_verify", "", NEEDS_MODULE, call_verify},
    {"hlo_verify_with", "", NEEDS_MODULE, call_verify_with},
    {"hlo_verify_options_create", "", 0, call_verify_options_create},
    {"hlo_verify_options_set hlo_verify_options_free", "", 0, call_verify_options_set},
    {"hlo_verify_options_set", "badly", 0, call_verify_options_set_badly},
    {"hlo_lint_create", "", 0, call_lint_create},
    {"hlo_lint_set hlo_lint_module hlo_lint_free hlo_lint_set_large_constant", "",
     NEEDS_MODULE | SPENDS, call_lint_module},
    {"hlo_pipeline_parse", "", 0, call_pipeline_parse},
    {"hlo_pipeline_parse", "badly", 0, call_pipeline_parse_badly},
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
    {"hlo_output_to_memory", "", 0, call_output_to_memory},
    {"hlo_output_write hlo_output_bytes", "", NEEDS_OUTPUT | SPENDS, call_output_write},
    {"hlo_output_open hlo_output_commit hlo_output_free", "", 0, call_output_to_file},
    {"hlo_write_text", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_text},
    {"hlo_write_json", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_json},
    {"hlo_write_proto", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_proto},
    {"hlo_write_graph", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_graph},
    {"hlo_write_graph", "fast layout", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_graph_fast},
    {"hlo_write_diff", "", NEEDS_MODULE | NEEDS_SECOND | NEEDS_OUTPUT | SPENDS, call_write_diff},
    {"hlo_explain_rule", "", NEEDS_OUTPUT | SPENDS, call_explain_rule},
    {"hlo_explain_pass", "", NEEDS_OUTPUT | SPENDS, call_explain_pass},
    {"hlo_module_name hlo_module_entry hlo_module_first hlo_module_attr_name hlo_module_attr_int "
     "hlo_computation_next hlo_computation_name hlo_computation_root "
     "hlo_computation_parameter_count hlo_computation_parameter hlo_computation_size "
     "hlo_computation_first hlo_instr_next hlo_instr_parent hlo_instr_name hlo_instr_opcode "
     "hlo_instr_shape hlo_instr_operand_count hlo_instr_operand hlo_instr_uses "
     "hlo_instr_called_count hlo_instr_called hlo_instr_parameter_number hlo_instr_literal "
     "hlo_instr_metadata hlo_instr_attr_name hlo_instr_attr_int hlo_instr_attr_ints "
     "hlo_shape_type hlo_shape_rank hlo_shape_dim hlo_shape_dim_is_dynamic "
     "hlo_shape_minor_to_major hlo_shape_element_count hlo_shape_element",
     "", NEEDS_MODULE, call_walk},
    {"hlo_instr_write_attr", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_instr_write_attr},
    {"hlo_module_write_attr", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_module_write_attr},
    {"hlo_shape_write", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_shape_write},
    {"hlo_run_prepare", "", NEEDS_MODULE, call_run_prepare},
    {"hlo_run_free", "", A_RUN | SPENDS, call_run_free},
    {"hlo_run_input_count hlo_run_input hlo_run_output_count hlo_run_output hlo_run_memory "
     "hlo_run_progress hlo_run_device_count hlo_array_bytes",
     "", RAN, call_run_getters},
    {"hlo_run_interrupt", "", A_RUN, call_run_interrupt},
    {"hlo_run_set_input", "", A_RUN, call_run_set_input},
    {"hlo_run_set_input", "borrowed", A_RUN, call_run_set_input_borrowed},
    {"hlo_run_copy_output", "", RAN, call_run_copy_output},
    {"hlo_run_read_input", "npy", A_RUN, call_run_read_npy},
    {"hlo_run_read_input", "npz", A_RUN, call_run_read_npz},
    {"hlo_run_read_input", "JSON", A_RUN, call_run_read_json},
    {"hlo_run_read_input", "literal", A_RUN, call_run_read_text},
    {"hlo_run_read_parameter", "", A_RUN, call_run_read_parameter},
    {"hlo_run_read_inputs", "", A_RUN, call_run_read_inputs},
    {"hlo_run_read_inputs", "JSON", A_RUN, call_run_read_inputs_json},
    {"hlo_run_fill_inputs", "", A_RUN, call_run_fill_inputs},
    {"hlo_run_use_recording", "", A_RUN, call_run_use_recording},
    {"hlo_run_execute", "", A_RUN | NEEDS_INPUTS, call_run_execute},
    {"hlo_run_execute", "again", RAN, call_run_execute},
    {"hlo_run_execute", "threads", A_RUN | NEEDS_INPUTS | IS_THREADED, call_run_execute},
    {"hlo_run_repeat", "", A_RUN | NEEDS_INPUTS, call_run_repeat},
    {"hlo_run_write_outputs", "folder", RAN, call_run_write_folder},
    {"hlo_run_write_outputs", "npz", RAN, call_run_write_npz},
    {"hlo_run_write_outputs", "JSON", RAN, call_run_write_json},
    {"hlo_run_compare", "folder", RAN | NEEDS_OUTPUT | SPENDS, call_run_compare},
    {"hlo_run_compare", "npz", RAN | NEEDS_OUTPUT | SPENDS, call_run_compare_npz},
    {"hlo_run_compare", "JSON", RAN | NEEDS_OUTPUT | SPENDS, call_run_compare_json},
    {"hlo_run_compare_recording", "", RAN | NEEDS_OUTPUT | SPENDS, call_run_compare_recording},
    {"hlo_run_write_literal", "", RAN | NEEDS_OUTPUT | SPENDS, call_run_write_literal},
    {"hlo_operation_row hlo_pass_row hlo_pass_option_row hlo_rewrite_row hlo_pipeline_row "
     "hlo_rule_row hlo_verify_option_row hlo_fill_row hlo_advice_row",
     "", 0, call_tables},
    {"hlo_version hlo_pass_name hlo_names_arrays hlo_element_type_name hlo_element_type_bytes "
     "hlo_element_type_from_name",
     "", 0, call_words},
};
const size_t faults_row_count = sizeof faults_rows / sizeof *faults_rows;
