/* Calls of runs. */
#include <stdlib.h>
#include <string.h>

#include "faults/rows.h"

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

/* The run itself is the same without the share. */
CALL(run_share) {
    hlo_run *share;
    if (hlo_run_share(c->run, 1, c->diags, &share) != HLO_OK) return false;
    hlo_run_free(share);
    return true;
}

CALL(run_getters) {
    hlo_array in, out;
    if (hlo_run_input(c->run, 0, 0, c->diags, &in) != HLO_OK ||
        hlo_run_output(c->run, 0, 0, c->diags, &out) != HLO_OK)
        return false;
    uint64_t numbers[] = {
        hlo_run_input_count(c->run), hlo_run_output_count(c->run),  hlo_run_memory(c->run),
        hlo_array_bytes(&in),        hlo_array_bytes(&out),         hlo_run_device_count(c->run),
        hlo_run_stack_peak(c->run),  hlo_run_graph_devices(c->run), hlo_run_module(c->run) != NULL};
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

/* A run without memory has lost its evaluator; its progress remains available. */
CALL(run_execute) {
    if (hlo_run_execute(c->run, c->diags) == HLO_OK) return digest_results(c);
    hlo_run_state state = hlo_run_progress(c->run);
    if (state.done > state.count || (state.name_len && !*state.name)) abort();
    return false;
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

CALL(run_read_record) {
    return hlo_run_read_record(c->run, faults_path(c, "inputs"), true, c->diags) == HLO_OK;
}

static bool compare(faults_case *c, const char *name) {
    hlo_compare_options options = HLO_COMPARE_OPTIONS_INIT;
    hlo_status status =
        hlo_run_compare(c->run, faults_path(c, name), &options, c->output, c->diags);
    return status == HLO_OK && faults_digest_output(c);
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
    return hlo_run_write_literal(c->run, 0, c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

/* ---- whole runs with options ---- */

/* From the file to the results; inputs that it does not record are made up. */
static bool run_file(faults_case *c, const char *name, hlo_run_options *options) {
    bool replays;
    options->threads = 1;
    return hlo_read_source(faults_path(c, name), c->diags, &c->made_source) == HLO_OK &&
           hlo_read_module(c->made_source, c->diags, &c->made) == HLO_OK &&
           hlo_verify(c->made, c->diags) == HLO_OK &&
           hlo_run_prepare(c->made, options, c->diags, &c->run) == HLO_OK &&
           hlo_run_use_recording(c->run, c->diags, &replays) == HLO_OK &&
           (replays || hlo_run_fill_inputs(c->run, HLO_FILL_HASH, 1, c->diags) == HLO_OK) &&
           hlo_run_execute(c->run, c->diags) == HLO_OK && digest_results(c);
}

static bool run_feeds(faults_case *c, const char *outfeed) {
    char in[4096], out[4096];
    const char *const files[] = {in};
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    snprintf(in, sizeof in, "%s", faults_path(c, "x.npy"));
    snprintf(out, sizeof out, "%s", faults_path(c, outfeed));
    options.host.infeed = files;
    options.host.infeed_count = 1;
    options.host.outfeed = out;
    bool good = run_file(c, "feeds.hlo", &options);
    hlo_run_free(c->run); /* which has the names */
    c->run = NULL;
    return good;
}

CALL(run_feeds_folder) {
    return run_feeds(c, "fed");
}
CALL(run_feeds_file) {
    return run_feeds(c, "fed.npy");
}

CALL(run_dump) {
    char folder[4096];
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    snprintf(folder, sizeof folder, "%s", faults_path(c, "values"));
    options.watch.dump = folder;
    bool good = run_file(c, "m.hlo", &options);
    hlo_run_free(c->run);
    c->run = NULL;
    return good;
}

CALL(run_write_plan) {
    return hlo_run_write_plan(c->run, c->output, c->diags) == HLO_OK && faults_digest_output(c);
}

CALL(run_write_planned_module) {
    return hlo_run_write_planned_module(c->run, c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

static bool see_row(void *context, const hlo_profile_row *row) {
    *(bool *)context = row->calls > 0;
    return true;
}

/* Times are others in each run, and so is what is written; a run that has less memory for its
 * frames has more steps. */
CALL(run_profile) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    bool has_rows = false;
    options.watch.profile = true;
    options.watch.profile_events = 100;
    options.threads = 1;
    bool good = run_file(c, "m.hlo", &options) &&
                hlo_run_visit_profile(c->run, see_row, &has_rows, c->diags) == HLO_OK &&
                hlo_run_write_profile(c->run, HLO_PROFILE_TRACE, c->output, c->diags) == HLO_OK;
    hlo_run_clear_profile(c->run);
    return good && has_rows;
}

CALL(run_only) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.watch.only = "l.1/1/next";
    return run_file(c, "m.hlo", &options);
}

CALL(run_recorded) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_compare_options how = HLO_COMPARE_OPTIONS_INIT;
    return run_file(c, "recorded.json", &options) &&
           hlo_run_compare_recording(c->run, &how, c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

/* Devices are threads: which of them lacks the memory is another one each time. */
static const char devices_text[] =
    "HloModule devices, replica_count=3\n"
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
    "ENTRY e { x = f32[8,16] parameter(0)\n"
    "  i = u32[] replica-id()\n"
    "  f = f32[] convert(i)\n"
    "  k = f32[8,16] broadcast(f), dimensions={}\n"
    "  y = f32[8,16] add(x, k)\n"
    "  s = f32[8,16] all-reduce(y), to_apply=add\n"
    "  g = f32[24,16] all-gather(y), dimensions={0}\n"
    "  p = f32[8,16] collective-permute(y), source_target_pairs={{0,1},{1,2}}\n"
    "  t = f32[24,16] all-to-all(g), dimensions={0}, replica_groups={{0,1,2}}\n"
    "  ROOT r = (f32[8,16], f32[24,16], f32[8,16]) tuple(s, t, p) }\n";

static bool digest_devices(faults_case *c) {
    for (uint32_t d = 0; d < hlo_run_device_count(c->run); d++)
        for (uint32_t k = 0; k < hlo_run_output_count(c->run); k++) {
            hlo_array array;
            if (hlo_run_output(c->run, d, k, c->diags, &array) != HLO_OK) return false;
            faults_digest(c, array.data, hlo_array_bytes(&array));
        }
    return true;
}

CALL(run_devices) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    c->made_source = hlo_source_from_text("devices", devices_text, strlen(devices_text));
    return hlo_read_module(c->made_source, c->diags, &c->made) == HLO_OK &&
           hlo_run_prepare(c->made, &options, c->diags, &c->run) == HLO_OK &&
           hlo_run_fill_inputs(c->run, HLO_FILL_HASH, 1, c->diags) == HLO_OK &&
           hlo_run_repeat(c->run, 2, c->diags) == HLO_OK && digest_devices(c);
}

enum { A_RUN = NEEDS_MODULE | NEEDS_RUN, RAN = A_RUN | NEEDS_INPUTS | NEEDS_RESULT };

CALL(foreign_call) {
    NOTHING(c);
    return hlo_foreign_call() == NULL;
}

const faults_row faults_runs_rows[] = {
    {"hlo_foreign_call", "", 0, call_foreign_call},
    {"hlo_run_prepare", "", NEEDS_MODULE, call_run_prepare},
    {"hlo_run_prepare", "a copy after passes", NEEDS_MODULE | IS_THREADED, call_run_prepare},
    {"hlo_run_free", "", A_RUN | SPENDS, call_run_free},
    {"hlo_run_share", "", A_RUN, call_run_share},
    {"hlo_run_input_count hlo_run_input hlo_run_output_count hlo_run_output hlo_run_memory "
     "hlo_run_progress hlo_run_device_count hlo_run_stack_peak hlo_run_graph_devices "
     "hlo_run_module hlo_array_bytes",
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
    {"hlo_run_read_record", "", A_RUN, call_run_read_record},
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
    {"hlo_run_write_plan", "", A_RUN | NEEDS_OUTPUT | SPENDS, call_run_write_plan},
    {"hlo_run_write_planned_module", "", A_RUN | NEEDS_OUTPUT | SPENDS,
     call_run_write_planned_module},
    {"hlo_run_visit_profile hlo_run_write_profile hlo_run_clear_profile", "", NEEDS_OUTPUT | SPENDS,
     call_run_profile},
    {"hlo_run_write_literal", "", RAN | NEEDS_OUTPUT | SPENDS, call_run_write_literal},
    {"hlo_run_execute", "devices", SPENDS | IS_THREADED, call_run_devices},
    {"hlo_run_execute", "outfeed folder", SPENDS, call_run_feeds_folder},
    {"hlo_run_execute", "outfeed file", SPENDS, call_run_feeds_file},
    {"hlo_run_execute", "dump", SPENDS, call_run_dump},
    {"hlo_run_execute", "only", SPENDS, call_run_only},
    {"hlo_run_execute", "recording", NEEDS_OUTPUT | SPENDS, call_run_recorded},
    {0},
};
