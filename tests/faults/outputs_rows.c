/* Calls that print, and of what they print to. */
#include "faults/rows.h"

CALL(output_to_memory) {
    hlo_output *output = hlo_output_to_memory();
    hlo_output_free(output);
    NOTHING(c);
    return output != NULL;
}

CALL(output_write) {
    static const char part[10000];
    for (int i = 0; i < 8; i++) hlo_output_write(c->output, part, sizeof part);
    return faults_digest_output(c);
}

CALL(output_write_json_string) {
    static const char part[10000];
    for (int i = 0; i < 8; i++) hlo_output_write_json_string(c->output, part, sizeof part);
    return faults_digest_output(c);
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

CALL(remove_unfinished) {
    hlo_output *output;
    if (hlo_output_open(faults_path(c, "gone"), c->diags, &output) != HLO_OK) return false;
    hlo_remove_unfinished();
    hlo_output_free(output);
    return true;
}

CALL(write_text) {
    return hlo_write_text(c->module, NULL, c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

CALL(write_json) {
    return hlo_write_json(c->module, HLO_AS_HLO_PROTO, true, c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

CALL(write_proto) {
    return hlo_write_proto(c->module, HLO_AS_MODULE_PROTO, c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

CALL(write_stablehlo) {
    return hlo_write_stablehlo(c->module, HLO_STABLEHLO_PRETTY, c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

CALL(write_pbtxt) {
    return hlo_write_pbtxt(c->module, HLO_AS_HLO_PROTO, c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

static bool write_graph(faults_case *c, hlo_graph_layout layout, const char *format) {
    hlo_graph_options options = HLO_GRAPH_OPTIONS_INIT;
    options.layout = layout;
    options.format = format;
    hlo_status status = hlo_write_graph(c->module, &options, c->output, c->diags);
    return status == HLO_OK && faults_digest_output(c);
}

CALL(write_graph) {
    return write_graph(c, HLO_LAYOUT_DOT, NULL);
}
CALL(write_graph_fast) {
    return write_graph(c, HLO_LAYOUT_FAST, NULL);
}

CALL(write_picture) {
    return write_graph(c, HLO_LAYOUT_FAST, "svg");
}

CALL(write_diff) {
    hlo_diff_options options = HLO_DIFF_OPTIONS_INIT;
    options.json = true;
    bool same;
    hlo_status status = hlo_write_diff(c->module, c->second, &options, c->output, c->diags, &same);
    return status == HLO_OK && !same && faults_digest_output(c);
}

CALL(explain_rule) {
    return hlo_explain_rule("opcode", c->output, c->diags) != HLO_BAD_SYSTEM &&
           faults_digest_output(c);
}

CALL(explain_pass) {
    return hlo_explain_pass("algsimp", c->output, c->diags) == HLO_OK && faults_digest_output(c);
}

const faults_row faults_outputs_rows[] = {
    {"hlo_output_to_memory", "", 0, call_output_to_memory},
    {"hlo_output_write hlo_output_bytes", "", NEEDS_OUTPUT | SPENDS, call_output_write},
    {"hlo_output_write_json_string", "", NEEDS_OUTPUT | SPENDS, call_output_write_json_string},
    {"hlo_output_open hlo_output_commit hlo_output_free", "", 0, call_output_to_file},
    {"hlo_remove_unfinished", "", 0, call_remove_unfinished},
    {"hlo_write_text", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_text},
    {"hlo_write_json", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_json},
    {"hlo_write_proto", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_proto},
    {"hlo_write_pbtxt", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_pbtxt},
    {"hlo_write_stablehlo", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_stablehlo},
    {"hlo_write_graph", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_graph},
    {"hlo_write_graph", "fast layout", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_graph_fast},
    {"hlo_write_graph", "picture", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_write_picture},
    {"hlo_write_diff", "", NEEDS_MODULE | NEEDS_SECOND | NEEDS_OUTPUT | SPENDS, call_write_diff},
    {"hlo_explain_rule", "", NEEDS_OUTPUT | SPENDS, call_explain_rule},
    {"hlo_explain_pass", "", NEEDS_OUTPUT | SPENDS, call_explain_pass},
    {0},
};
